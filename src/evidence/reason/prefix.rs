//! The trace as it was judged, with all answers known: the frontier before any exchange, and the last change of a cell.
//!
//! Frontiers are kept at a few positions. Any other frontier is computed again from the nearest kept one before it.

use std::ops::ControlFlow;

use super::budget::Budget;
use crate::evidence::describe::resolved;
use crate::judge::{Candidate, Cell, Exchange, Judge};
use crate::limits;
use crate::reading::Recording;
use crate::solve::Domain;
use crate::term::{Term, Var};
use crate::value::{Truth, Value};

/// The most frontiers that are kept, as each is a state of its own; beyond this, every second one is dropped.
const KEPT: usize = 32;

/// The frontiers before some exchanges of a trace.
pub(super) struct JudgedPrefix<'s, R: ?Sized> {
    recording: &'s R,
    /// Positions of exchanges with the frontier before each; the first is the initial one.
    checkpoints: Vec<(usize, Judge)>,
}

/// The knowledge about a cell in one candidate: the value of the cell, and the constraints on the variables in this value.
#[derive(PartialEq, Debug)]
struct CellView {
    value: Option<Value>,
    domains: Vec<Domain>,
    constraints: Vec<Term>,
}

impl<'s, R: Recording + ?Sized> JudgedPrefix<'s, R> {
    /// Judges the exchanges before a position; `None` if they are rejected, or the work is called off.
    pub(super) fn new(start: Judge, recording: &'s R, to: usize, budget: &Budget<'_>) -> Option<JudgedPrefix<'s, R>> {
        let (mut judge, mut at, mut stride, mut alive) = (start.clone(), 0, 1, true);
        let mut checkpoints = vec![(0, start)];
        recording.read(0, &mut |exchange| {
            if at == to {
                return ControlFlow::Break(());
            }
            alive = judge.observe(exchange);
            at += 1;
            if at % stride == 0 && at < to {
                checkpoints.push((at, judge.clone()));
            }
            if checkpoints.len() > KEPT {
                stride *= 2;
                checkpoints.retain(|(at, _)| at % stride == 0);
            }
            let goes_on = alive && !budget.is_called_off();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        checkpoints.push((to, judge));
        (alive && at == to).then_some(JudgedPrefix { recording, checkpoints })
    }

    /// The frontier before the last exchange.
    pub(super) fn last(&self) -> &Judge {
        &self.checkpoints[self.checkpoints.len() - 1].1
    }

    /// The frontier before the exchange at a position, up to the last one that was judged.
    pub(super) fn before(&self, to: usize, budget: &mut Budget<'_>) -> Judge {
        let nearest = self.checkpoints.iter().rev().find(|(at, _)| *at <= to).unwrap_or(&self.checkpoints[0]);
        let (mut at, mut judge) = nearest.clone();
        budget.spend(judge.copied_size());
        if at < to {
            self.recording.read(at, &mut |exchange| {
                budget.observe(&mut judge, exchange);
                at += 1;
                if at < to { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        judge
    }

    /// The last exchange before a position that changed what is known about one of these cells.
    pub(super) fn last_change(&self, cells: &[Cell], before: usize, budget: &mut Budget<'_>) -> Option<usize> {
        let mut end = before;
        for (start, judge) in self.checkpoints.iter().rev().filter(|(at, _)| *at < before) {
            let (mut judge, mut at, mut last) = (judge.clone(), *start, None);
            let mut views = views(&judge, cells);
            budget.spend(judge.copied_size());
            self.recording.read(*start, &mut |exchange: &Exchange| {
                budget.observe(&mut judge, exchange);
                let now = self::views(&judge, cells);
                budget.spend(now.iter().map(CellView::size).sum::<u64>() + now.len().saturating_sub(1) as u64);
                if now != views {
                    last = Some(at);
                }
                views = now;
                at += 1;
                if at < end && !budget.is_spent() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            if last.is_some() || budget.is_spent() {
                return last;
            }
            end = *start;
        }
        None
    }
}

/// The knowledge of each candidate about each of these cells.
fn views(judge: &Judge, cells: &[Cell]) -> Vec<CellView> {
    let of = |candidate| cells.iter().map(move |cell| CellView::of(candidate, cell));
    judge.candidates().iter().flat_map(of).collect()
}

impl CellView {
    /// The cost of comparing the view, in units of a [`Budget`].
    fn size(&self) -> u64 {
        let size = match &self.value {
            Some(Value::List(list)) => list.len(),
            Some(Value::Map(map)) => map.bound(),
            Some(_) | None => 1,
        };
        ((size + self.domains.len() + self.constraints.len()) / limits::VALUES_PER_TERM) as u64
    }

    fn of(candidate: &Candidate, cell: &Cell) -> CellView {
        let whole = &candidate.process.memory[cell.slot as usize];
        let value = match (whole, &cell.key) {
            (Value::Map(map), Some(key)) => match map.certain_entry(key) {
                Some(entry) => entry.map(|entry| match entry.truth() {
                    Truth::Known(true) => entry.value.clone(),
                    there => Value::data(0, [there.into(), entry.value.clone()]),
                }),
                None => Some(whole.clone()),
            },
            _ => Some(whole.clone()),
        };
        let Some(value) = value else { return CellView { value: None, domains: Vec::new(), constraints: Vec::new() } };
        if value.is_known() {
            return CellView { value: Some(value), domains: Vec::new(), constraints: Vec::new() };
        }
        let value = resolved(&candidate.store, &value);
        let mut variables: Vec<Var> = Vec::new();
        value.visit_variables(&mut |var| {
            if !variables.contains(&var) {
                variables.push(var);
            }
        });
        let domains = variables.iter().map(|var| candidate.store.domain(*var).clone()).collect();
        let constraints = variables.iter().flat_map(|var| candidate.store.constraints_on(*var).cloned()).collect();
        CellView { value: Some(value), domains, constraints }
    }
}
