//! Shrinking a program that fails: fewer calls, earlier values, simpler literals, with the same finding.

use std::time::{Duration, Instant};

use super::call::{Argument, ArgumentMode, InterfaceFinding};
use super::declared::Prepared;
use super::machine::{ALL, ArgumentDrawing};
use super::programs::{CallProgram, SPAN, values};
use crate::choice::Random;

/// The most programs that are run to shrink one.
const RUNS: usize = 100_000;
/// The time for shrinking.
const TIME: Duration = Duration::from_secs(10);
/// The number of random calls that are put in the place of others, and the calls of a program from which on this is worth it.
const OTHERS: usize = 20_000;
const FEW: usize = 4;
/// The number of times that a program of a system that chooses is run until it fails.
const TRIES: usize = 5;

/// The part of a finding that is equal for those that count as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FindingKind(usize, String);

impl FindingKind {
    /// The kind of a finding of a function.
    pub fn of(finding: &InterfaceFinding, function: usize) -> FindingKind {
        match finding {
            InterfaceFinding::Law { law, .. } => FindingKind(usize::MAX, (*law).to_owned()),
            InterfaceFinding::Panic { place, .. } => FindingKind(usize::MAX, place.clone()),
            InterfaceFinding::Race { .. }
            | InterfaceFinding::Differs { .. }
            | InterfaceFinding::Rejected { .. }
            | InterfaceFinding::Endless => FindingKind(function, String::new()),
        }
    }
}

/// A search for a smaller program.
struct Shrinking<'p, 'w> {
    interface: &'p Prepared,
    kind: &'p FindingKind,
    best: CallProgram,
    runs: usize,
    until: Instant,
    /// The number of times that a program is run until it fails: more than once if the system chooses.
    tries: usize,
    watch: &'w mut dyn FnMut(Option<&CallProgram>),
}

/// Shrinks a program that fails. `watch` is called after each run, with the program if it is a smaller one that fails.
pub(super) fn shrunk<'p>(
    interface: &'p Prepared,
    program: CallProgram,
    kind: &'p FindingKind,
    watch: &mut dyn FnMut(Option<&CallProgram>),
) -> CallProgram {
    let mut shrinking =
        Shrinking { interface, kind, best: program, runs: 0, until: Instant::now() + TIME, tries: 1, watch };
    let again = (0..TRIES).filter(|_| shrinking.fails(&shrinking.best).is_some()).count();
    shrinking.tries = if again < TRIES { TRIES } else { 1 };
    let sliced = shrinking.best.sliced();
    shrinking.consider(sliced);
    loop {
        let before = shrinking.best.clone();
        shrinking.fewer_calls();
        shrinking.other_calls();
        shrinking.earlier_values();
        shrinking.simpler_arguments();
        shrinking.shorter_lists();
        shrinking.simpler_literals();
        if shrinking.best == before || shrinking.runs >= RUNS || Instant::now() >= shrinking.until {
            return shrinking.best;
        }
    }
}

impl Shrinking<'_, '_> {
    /// Takes a program if it fails in the same way.
    fn consider(&mut self, program: CallProgram) -> bool {
        if self.runs >= RUNS || Instant::now() >= self.until || program == self.best {
            return false;
        }
        self.runs += 1;
        (self.watch)(None);
        let Some(made) = (0..self.tries).find_map(|_| self.fails(&program)) else { return false };
        self.best = program;
        self.best.calls.truncate(made);
        (self.watch)(Some(&self.best));
        true
    }

    /// The number of calls after which a program fails in the same way, if it does.
    fn fails(&self, program: &CallProgram) -> Option<usize> {
        let (finding, calls, function) = program.run(self.interface, false)?.ended()?;
        (FindingKind::of(&finding, function) == *self.kind).then_some(calls)
    }

    /// Leaves out calls: first many at once, then single ones. What uses a value of them uses another one.
    fn fewer_calls(&mut self) {
        let mut size = self.best.calls.len() / 2;
        while size > 0 {
            let mut end = self.best.calls.len();
            while end >= size {
                let from = end - size;
                if !self.without(from, end) {
                    end -= 1;
                } else {
                    end = from.min(self.best.calls.len());
                }
            }
            size /= 2;
        }
    }

    /// Puts random calls in the place of others, such as one that makes a value out of a list in the place of many that add its items.
    fn other_calls(&mut self) {
        let mut random = Random::new(0);
        for _ in 0..OTHERS {
            if Instant::now() >= self.until {
                return;
            }
            let calls = self.best.calls.len();
            if calls < FEW {
                return;
            }
            let Some(program) = self.redrawn(random.below(calls as u64 - 1) as usize, &mut random) else { continue };
            let program = program.sliced();
            if program.calls.len() < calls {
                self.consider(program);
            }
        }
    }

    /// The program with another call in the place of one; none if there are no arguments for it.
    fn redrawn(&self, at: usize, random: &mut Random) -> Option<CallProgram> {
        let before = CallProgram { calls: self.best.calls[..at].to_vec() };
        let machine = before.run(self.interface, false)?.machine;
        let function = random.below(self.interface.functions.len() as u64) as usize;
        let literals = self.best.calls.iter().flat_map(|(_, call)| &call.arguments).map(|argument| match argument {
            Argument::Literal { at, .. } => *at,
            _ => 0,
        });
        let drawing = ArgumentDrawing { literals: literals.max().unwrap_or(0) + 2, ..ALL };
        let mut call = machine.drawn(function, drawing, random).ok()??;
        for argument in &mut call.arguments {
            if let Argument::Variable(value, _) = argument {
                let made = machine.first.partition_point(|first| *first <= *value) - 1;
                *value = before.calls[made].0 * SPAN + (*value - machine.first[made]);
            }
        }
        let mut program = self.best.clone();
        program.calls[at].1 = call;
        Some(program)
    }

    fn without(&mut self, from: usize, to: usize) -> bool {
        let mut calls = self.best.calls.clone();
        let removed: Vec<usize> = calls.drain(from..to).map(|(number, _)| number).collect();
        if calls.is_empty() {
            return false;
        }
        if !calls.iter().flat_map(|(_, call)| values(&call.arguments)).any(|value| removed.contains(&(value / SPAN))) {
            return self.consider(CallProgram { calls });
        }
        // Of a call that changes a value and returns it, the value before takes its place.
        let before = self.best.calls[..from].to_vec();
        let Some(pools) = self.pools() else { return false };
        let others = |value: usize| {
            let pool = pools.iter().find(|(other, _)| *other == value).map(|(_, pool)| *pool);
            let earlier = pools
                .iter()
                .filter(|(other, of)| Some(*of) == pool && before.iter().any(|(number, _)| *number == other / SPAN));
            earlier.map(|(other, _)| *other).collect::<Vec<usize>>()
        };
        let used: Vec<usize> = calls.iter().flat_map(|(_, call)| values(&call.arguments)).collect();
        let lost = used.into_iter().find(|value| removed.contains(&(value / SPAN))).expect("one is used");
        for other in others(lost).into_iter().rev() {
            let mut calls = calls.clone();
            for (_, call) in &mut calls {
                replace(&mut call.arguments, lost, other);
            }
            if self.consider(CallProgram { calls }) {
                return true;
            }
        }
        false
    }

    /// The values of the best program, each with its pool.
    fn pools(&self) -> Option<Vec<(usize, usize)>> {
        let ran = self.best.run(self.interface, false)?;
        let mut pools = Vec::new();
        for (at, (number, _)) in self.best.calls.iter().enumerate().take(ran.machine.first.len()) {
            let from = ran.machine.first[at];
            let to = ran.machine.first.get(at + 1).copied().unwrap_or(ran.machine.made());
            pools.extend(
                (from..to).filter_map(|value| Some((number * SPAN + value - from, ran.machine.pool_of(value)?))),
            );
        }
        Some(pools)
    }

    /// Uses earlier values, and literals in place of values.
    fn earlier_values(&mut self) {
        for at in 0..self.best.calls.len() {
            for part in 0..self.best.calls.get(at).map_or(0, |(_, call)| call.arguments.len()) {
                let Some((_, call)) = self.best.calls.get(at) else { return };
                let Argument::Variable(value, mode) = call.arguments[part] else { continue };
                let Some(pools) = self.pools() else { return };
                let Some((_, pool)) = pools.iter().find(|(other, _)| *other == value).copied() else { continue };
                let literals = self.interface.pools[pool].literals.as_ref().map_or(0, |literals| literals.len());
                let literals = if mode == ArgumentMode::Exclusive { 0 } else { literals };
                let literals = (0..literals).map(|at| Argument::Literal { pool, at, mode });
                let earlier = pools.iter().filter(|(other, of)| *of == pool && *other < value);
                let earlier = earlier.map(|(other, _)| Argument::Variable(*other, mode));
                for argument in literals.chain(earlier) {
                    let mut program = self.best.clone();
                    program.calls[at].1.arguments[part] = argument;
                    if self.consider(program) {
                        break;
                    }
                }
            }
        }
    }

    /// Leaves out parts of arguments: items of lists, and values that are optional.
    fn shorter_lists(&mut self) {
        for at in 0..self.best.calls.len() {
            for part in (0..self.best.calls.get(at).map_or(0, |(_, call)| call.arguments.len())).rev() {
                let Some((_, call)) = self.best.calls.get(at) else { return };
                let before = call.arguments.get(..part).unwrap_or_default().iter();
                let Some(list) = before.enumerate().rev().find_map(|(place, argument)| match argument {
                    Argument::Variant(length) if *length > 0 => Some((place, length - 1)),
                    _ => None,
                }) else {
                    continue;
                };
                let mut program = self.best.clone();
                let arguments = &mut program.calls[at].1.arguments;
                arguments[list.0] = Argument::Variant(list.1);
                arguments.remove(part);
                self.consider(program);
            }
        }
    }

    /// Uses an earlier literal in place of another one, wherever that stands.
    fn simpler_literals(&mut self) {
        let literals = self.best.calls.iter().flat_map(|(_, call)| &call.arguments);
        let mut literals: Vec<(usize, usize)> = literals
            .filter_map(|argument| match argument {
                Argument::Literal { pool, at, .. } => Some((*pool, *at)),
                _ => None,
            })
            .collect();
        literals.sort_unstable();
        literals.dedup();
        for (pool, number) in literals {
            for other in simpler(number) {
                let mut program = self.best.clone();
                for argument in program.calls.iter_mut().flat_map(|(_, call)| &mut call.arguments) {
                    if let Argument::Literal { pool: of, at, .. } = argument
                        && (*of, *at) == (pool, number)
                    {
                        *at = other;
                    }
                }
                if self.consider(program) {
                    break;
                }
            }
        }
    }

    /// Uses earlier literals and callbacks.
    fn simpler_arguments(&mut self) {
        for at in 0..self.best.calls.len() {
            for part in 0..self.best.calls.get(at).map_or(0, |(_, call)| call.arguments.len()) {
                let Some((_, call)) = self.best.calls.get(at) else { return };
                let simpler: Vec<Argument> = match call.arguments[part] {
                    Argument::Literal { pool, at, mode } => {
                        simpler(at).map(|at| Argument::Literal { pool, at, mode }).collect()
                    }
                    Argument::Variant(variant) if matches!(call.arguments.get(part + 1), Some(Argument::Table(_))) => {
                        (0..variant).map(Argument::Variant).collect()
                    }
                    _ => Vec::new(),
                };
                for argument in simpler {
                    let mut program = self.best.clone();
                    program.calls[at].1.arguments[part] = argument;
                    if self.consider(program) {
                        break;
                    }
                }
            }
        }
    }
}

/// The first numbers, half of a number, and the one before it.
fn simpler(number: usize) -> impl Iterator<Item = usize> {
    let others = [number / 2, number.wrapping_sub(1)];
    (0..number.min(2)).chain(others.into_iter().filter(move |other| (2..number).contains(other)))
}

fn replace(arguments: &mut [Argument], from: usize, to: usize) {
    for argument in arguments {
        if let Argument::Variable(value, _) = argument
            && *value == from
        {
            *value = to;
        }
    }
}
