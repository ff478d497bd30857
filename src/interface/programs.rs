//! Programs of calls: drawn at random, all up to a size, or one that is given.

use super::call::{Argument, ArgumentMode, Call, InterfaceFinding};
use super::declared::Prepared;
use super::machine::{ALL, ArgumentDrawing, CallMachine, Favoured, LIST, panicked};
use crate::choice::explore::panics;
use crate::choice::{ChoiceError, Choices, Odometer, Random, Replay, Step, Strategy};

/// The most values of a pool in a random program. Fewer are used more often, and more are more diverse.
const POOL: usize = 12;
/// The numbers of calls of random programs. In long ones, values grow; short ones that fail are easy to understand.
const LENGTHS: [usize; 6] = [4, 16, 32, 64, 128, 256];
/// The weights of functions in a random program: some are not called at all, so that others come in a row.
const WEIGHTS: [u64; 4] = [0, 1, 1, 4];
/// The number of times that the arguments of a call are drawn until its precondition holds.
const TRIES: usize = 4;

/// The calls of a program, as far as they were made, and what is wrong with the last one.
pub(super) struct RanProgram<'p> {
    pub machine: CallMachine<'p>,
    pub finding: Option<InterfaceFinding>,
}

impl RanProgram<'_> {
    /// The finding of the program, the number of its calls, and the function that was called last. Its values are dropped, which may
    /// panic; after a finding they are left as they are.
    pub fn ended(self) -> Option<(InterfaceFinding, usize, usize)> {
        let RanProgram { machine, finding } = self;
        let (calls, function) = (machine.calls.len(), machine.calls.last().map_or(0, |call| call.function));
        let finding = match finding {
            Some(finding) => {
                std::mem::forget(machine);
                finding
            }
            None => panicked(panics::caught(|| drop(machine)).err()?),
        };
        Some((finding, calls, function))
    }
}

/// The numbers of calls that were tried and made.
#[derive(Clone, Default, Debug)]
pub(super) struct CallCounts {
    /// The calls that were made.
    pub made: u64,
    /// The calls whose precondition does not hold.
    pub refused: u64,
    /// The calls that were too hard to judge.
    pub undecided: u64,
    /// For each function, the calls of it that were made.
    pub of: Vec<u64>,
}

impl CallCounts {
    /// No calls.
    pub fn none(interface: &Prepared) -> CallCounts {
        CallCounts { of: vec![0; interface.functions.len()], ..CallCounts::default() }
    }

    fn count(&mut self, function: usize, is_undecided: bool) {
        self.made += 1;
        self.of[function] += 1;
        self.undecided += u64::from(is_undecided);
    }
}

/// Runs a random program: a seed has one of each number. Before each call `proceed` is asked, with the program so far.
pub(super) fn random<'p>(
    interface: &'p Prepared,
    seed: u64,
    number: u64,
    counts: &mut CallCounts,
    proceed: &mut dyn FnMut(&CallMachine<'_>, &Call) -> bool,
) -> Result<RanProgram<'p>, ChoiceError> {
    let mut random = Random::of_run(seed, number);
    let mut machine = CallMachine::new(interface, POOL, false);
    let length = LENGTHS[random.choose("length", LENGTHS.len())?];
    let mut weights = Vec::with_capacity(interface.functions.len());
    for begins in &interface.begins {
        let weight = WEIGHTS[random.choose("weight", WEIGHTS.len())?];
        weights.push(if *begins { weight.max(1) } else { weight });
    }
    if weights.iter().all(|weight| *weight == 0) {
        return Ok(RanProgram { machine, finding: None });
    }
    let drawing = ArgumentDrawing {
        first: random.choose("first literal", 64)?,
        literals: [2, 4, usize::MAX, usize::MAX, usize::MAX, usize::MAX, usize::MAX, usize::MAX]
            [random.choose("literals", 8)?],
        favoured: [Favoured::None, Favoured::Newest, Favoured::Largest][random.choose("favoured", 3)?],
        list: [2, LIST][random.choose("list", 2)?],
    };
    for _ in 0..length {
        let function = random.weighted("function", &weights)?;
        for _ in 0..TRIES {
            let Some(call) = machine.drawn(function, drawing, &mut random)? else { break };
            if !proceed(&machine, &call) {
                return Ok(RanProgram { machine, finding: None });
            }
            match machine.attempt(call) {
                Ok(true) => {
                    counts.count(function, machine.is_undecided());
                    break;
                }
                Ok(false) => counts.refused += 1,
                Err(finding) => {
                    counts.count(function, false);
                    return Ok(RanProgram { machine, finding: Some(finding) });
                }
            }
        }
    }
    Ok(RanProgram { machine, finding: None })
}

/// Runs the program that `choices` make, of at most `most` calls. None if it cannot go on, as a call has no arguments or is refused.
pub(super) fn chosen<'p>(
    interface: &'p Prepared,
    most: usize,
    drawing: ArgumentDrawing,
    choices: &mut dyn Choices,
    counts: &mut CallCounts,
    proceed: &mut dyn FnMut(&CallMachine<'_>, &Call) -> bool,
) -> Result<Option<RanProgram<'p>>, ChoiceError> {
    let mut machine = CallMachine::new(interface, usize::MAX, false);
    while machine.calls.len() < most {
        let Some(function) = choices.choose("call", interface.functions.len() + 1)?.checked_sub(1) else { break };
        let Some(call) = machine.drawn(function, drawing, choices)? else { return Ok(None) };
        if !proceed(&machine, &call) {
            return Ok(None);
        }
        match machine.attempt(call) {
            Ok(true) => {
                counts.count(function, machine.is_undecided());
            }
            Ok(false) => {
                counts.refused += 1;
                return Ok(None);
            }
            Err(finding) => return Ok(Some(RanProgram { machine, finding: Some(finding) })),
        }
    }
    Ok(Some(RanProgram { machine, finding: None }))
}

/// All arguments, with short lists.
const SHORT: ArgumentDrawing = ArgumentDrawing { list: 2, ..ALL };

/// Labels are texts of this crate, and no choice is from nothing.
pub(super) const CHOSEN: &str = "every choice has alternatives";

/// Runs all programs of at most `most` calls, until one fails or the time is over. Returns the number of them.
pub(super) fn all<'p>(
    interface: &'p Prepared,
    most: usize,
    counts: &mut CallCounts,
    proceed: &mut dyn FnMut(&CallMachine<'_>, &Call) -> bool,
    is_over: &mut dyn FnMut() -> bool,
) -> (u64, Option<RanProgram<'p>>) {
    let (mut search, mut programs) = (Odometer::new(), 0);
    loop {
        if let Some(ran) = chosen(interface, most, SHORT, &mut search, counts, proceed).expect(CHOSEN) {
            programs += 1;
            if ran.finding.is_some() {
                return (programs, Some(ran));
            }
        }
        if is_over() || !search.advance().expect(CHOSEN) {
            return (programs, None);
        }
    }
}

/// Runs a program that was chosen before.
pub(super) fn again<'p>(
    interface: &'p Prepared,
    steps: Vec<Step>,
    proceed: &mut dyn FnMut(&CallMachine<'_>, &Call) -> bool,
) -> Result<Option<RanProgram<'p>>, ChoiceError> {
    chosen(interface, usize::MAX, ALL, &mut Replay::new(steps), &mut CallCounts::none(interface), proceed)
}

/// A program whose calls name the values of earlier ones by the call, so that calls can be left out.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct CallProgram {
    /// Each call with its number. A value is `number * SPAN` plus its place among the values of that call.
    pub calls: Vec<(usize, Call)>,
}

/// The most values of a call of a [`CallProgram`].
pub(super) const SPAN: usize = 1 << 32;

impl CallProgram {
    /// Calls, each with the number of values before it.
    pub fn logged(log: &[(Call, usize)]) -> CallProgram {
        let named = |value: usize| {
            let call = log.partition_point(|(_, first)| *first <= value) - 1;
            call * SPAN + (value - log[call].1)
        };
        let mut calls: Vec<(usize, Call)> = log.iter().map(|(call, _)| call.clone()).enumerate().collect();
        for argument in calls.iter_mut().flat_map(|(_, call)| &mut call.arguments) {
            if let Argument::Variable(value, _) = argument {
                *value = named(*value);
            }
        }
        CallProgram { calls }
    }

    /// The program without the calls that the last one does not depend on.
    pub fn sliced(&self) -> CallProgram {
        let (mut wanted, mut calls) = (Vec::new(), Vec::new());
        for (at, (number, call)) in self.calls.iter().enumerate().rev() {
            let changes = |argument: &Argument| matches!(argument, Argument::Variable(value, ArgumentMode::Exclusive) if wanted.contains(&(value / SPAN)));
            let is_last = at + 1 == self.calls.len();
            if is_last || wanted.contains(number) || call.arguments.iter().any(changes) {
                wanted.extend(values(&call.arguments).map(|value| value / SPAN));
                calls.push((*number, call.clone()));
            }
        }
        calls.reverse();
        CallProgram { calls }
    }

    /// Runs the program; none if a call of it cannot be made.
    pub fn run<'p>(&self, interface: &'p Prepared, notes: bool) -> Option<RanProgram<'p>> {
        self.run_until(interface, notes, usize::MAX)
    }

    /// Runs at most `most` calls of the program, and notes the others without making them.
    pub fn run_until<'p>(&self, interface: &'p Prepared, notes: bool, most: usize) -> Option<RanProgram<'p>> {
        let mut machine = CallMachine::new(interface, usize::MAX, notes);
        let mut first: Vec<(usize, usize, usize)> = Vec::new();
        for (number, call) in &self.calls {
            let mut call = call.clone();
            for argument in &mut call.arguments {
                if let Argument::Variable(value, _) = argument {
                    let (_, from, to) = first.iter().find(|(number, ..)| *number == *value / SPAN)?;
                    *value = Some(from + *value % SPAN).filter(|value| value < to)?;
                }
            }
            if !machine.is_possible(&call) {
                return None;
            }
            if machine.calls.len() >= most {
                machine.note(call);
                continue;
            }
            let from = machine.made();
            match machine.attempt(call) {
                Ok(true) => first.push((*number, from, machine.made())),
                Ok(false) => return None,
                Err(finding) => return Some(RanProgram { machine, finding: Some(finding) }),
            }
        }
        Some(RanProgram { machine, finding: None })
    }

    /// The choices that make this program; none if a call of it cannot be made.
    pub fn steps(&self, interface: &Prepared) -> Option<Vec<Step>> {
        let ran = self.run(interface, false)?;
        let mut guided = Guided { run: Vec::new(), wanted: Vec::new() };
        let mut machine = CallMachine::new(interface, usize::MAX, false);
        let calls = ran.machine.calls.clone();
        std::mem::forget(ran);
        for call in calls {
            let function = call.function;
            guided.note("call", interface.functions.len() + 1, function + 1);
            guided.wanted = machine.picks(&call)?;
            guided.wanted.reverse();
            machine.drawn(function, ALL, &mut guided).ok()??;
            _ = machine.attempt(call);
        }
        guided.note("call", interface.functions.len() + 1, 0);
        std::mem::forget(machine);
        Some(guided.run)
    }
}

/// The values among arguments.
pub(super) fn values(arguments: &[Argument]) -> impl Iterator<Item = usize> {
    arguments
        .iter()
        .filter_map(|argument| if let Argument::Variable(value, _) = argument { Some(*value) } else { None })
}

/// A source that takes wanted alternatives, and records them.
struct Guided {
    run: Vec<Step>,
    /// The alternatives, the next one last.
    wanted: Vec<usize>,
}

impl Guided {
    fn note(&mut self, label: &'static str, arity: usize, pick: usize) {
        if arity > 1 {
            self.run.push(Step { label, arity, pick });
        }
    }
}

impl Choices for Guided {
    fn choose(&mut self, label: &'static str, arity: usize) -> Result<usize, ChoiceError> {
        let pick = self.wanted.pop().filter(|pick| *pick < arity).ok_or(ChoiceError::Empty { label })?;
        self.note(label, arity, pick);
        Ok(pick)
    }

    fn branch(&mut self, label: &'static str, arity: usize, _: Option<&[u64]>) -> Result<usize, ChoiceError> {
        self.choose(label, arity)
    }
}
