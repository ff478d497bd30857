//! A run that is made forwards, while the trace is judged once.
//!
//! The concrete server repeats the decided part of the run ([`Decided`]) at once, and the judge forgets it. So no state is kept
//! or compared, and memory holds only the undecided choices: for compare-and-reset the last one. If there are too many of these,
//! the search gives up. If many exchanges are undecided, they are not kept in memory, and are read again.

use super::made;
use super::script::{self, ScriptedEvent};
use super::segment;
use super::{Initial, Segment, WitnessError};
use crate::judge::{Decided, Exchange, Inspected, Judge, Log, Options, Patience};
use crate::limits;
use crate::reading::Recording;
use crate::server::{Completion, Server};
use crate::solve::{Answer, Model, Why};
use crate::spec::Spec;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most undecided choices; with more of them the search gives up.
const KEPT: usize = 8192;

/// A run, as far as it is decided.
struct Forward<'r, R: ?Sized> {
    spec: &'r Arc<Spec>,
    recording: &'r R,
    judge: Judge,
    /// The server before the first undecided exchange, and its initial state; `None` if the initial state is undecided.
    server: Option<(Server, Initial)>,
    /// The position of the first undecided exchange.
    at: usize,
    /// The undecided exchanges, or the first of them.
    open: VecDeque<Exchange>,
    /// The number of exchanges that were observed.
    observed: usize,
    /// The values of decided variables that are still mentioned.
    model: Model,
    /// The fewest exchanges between two tests of which exchanges are decided.
    look: usize,
    /// The number of observed exchanges at which the next such test is due.
    due: usize,
    /// The values of the state that the next test may walk.
    nodes: usize,
    give: &'r mut dyn FnMut(Segment) -> ControlFlow<()>,
}

/// Finds a witness of an accepted trace from its first exchange on, and hands over its replayed parts. After at least `look`
/// exchanges it is tested which of them are decided. Gives up if too much stays undecided.
///
/// # Errors
/// If the trace is not accepted, the values could not be found, or the search gave up.
pub fn witness_forwards<R: Recording + ?Sized>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    look: usize,
    give: &mut dyn FnMut(Segment) -> ControlFlow<()>,
) -> Result<Initial, WitnessError> {
    let judge =
        Judge::new(spec.clone(), Options { inspected: Inspected::Memory, ..options.keeping_choices(Patience::Little) });
    let mut run = Forward {
        spec,
        recording,
        judge,
        server: None,
        at: 0,
        open: VecDeque::new(),
        observed: 0,
        model: Model::default(),
        look: look.max(1),
        due: look.max(1),
        nodes: limits::EXCHANGE_WORK,
        give,
    };
    let mut failed = None;
    recording.read(0, &mut |exchange| match run.observe(exchange) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    });
    failed.map_or_else(|| run.end(), Err)
}

impl<R: Recording + ?Sized> Forward<'_, R> {
    fn observe(&mut self, exchange: &Exchange) -> Result<(), WitnessError> {
        if !self.judge.observe(exchange) {
            return segment::accepted(&self.judge.verdict()).and(Err(WitnessError::NotAccepted));
        }
        if self.at + self.open.len() == self.observed && self.open.len() < limits::SEGMENT {
            self.open.push_back(exchange.clone());
        }
        if self.judge.is_cut() {
            return Err(WitnessError::TooMany);
        }
        self.observed += 1;
        if self.observed < self.due { Ok(()) } else { self.look() }
    }

    /// Repeats the exchanges that are decided by now.
    fn look(&mut self) -> Result<(), WitnessError> {
        // If all explanations are doubtful, even what they have in common may be impossible.
        segment::accepted(&self.judge.verdict())?;
        let model = std::mem::take(&mut self.model);
        let decided = Decided::take(&mut self.judge, model, self.nodes).map_err(WitnessError::Undecided)?;
        let Decided { before, log, model, mentioned, left, walked } = decided;
        let process = self.judge.candidates().first().map(|candidate| candidate.process.clone());
        let process = process.ok_or(WitnessError::NotAccepted)?;
        if before > 0 {
            self.repeat(&log, &Completion { types: &self.spec.types, model: &model, process: &process }, before)?;
        }
        self.model = model;
        self.model.retain(&mentioned);
        if left > KEPT {
            return Err(WitnessError::Undecided(Answer::Unknown(Why::Effort)));
        }
        let more = self.look.max(left);
        self.due = self.observed + more;
        self.nodes = if walked > 0 { 0 } else { self.nodes } + more * limits::EXCHANGE_WORK;
        Ok(())
    }

    /// Repeats the undecided exchanges before a line, as their choices are decided now.
    fn repeat(&mut self, log: &[Log], completion: &Completion<'_>, before: u64) -> Result<(), WitnessError> {
        let mut log = log.iter().peekable();
        let initial = script::initial(completion, &mut log);
        if self.server.is_none() {
            self.server = Some(made::begin(self.spec, initial)?);
        }
        while self.at < self.observed {
            let exchanges = self.next(before);
            let end = exchanges.len();
            let (Some((server, _)), true) = (&mut self.server, end > 0) else { break };
            let mut steps = Vec::with_capacity(end);
            for exchange in &exchanges {
                let scripted = ScriptedEvent::of_exchange(self.spec, completion, &mut log, exchange);
                steps.push(made::repeat(self.spec, server, scripted, exchange)?);
            }
            let segment = Segment { at: self.at, steps };
            self.at += end;
            if (self.give)(segment).is_break() {
                return Err(WitnessError::Stopped);
            }
        }
        Ok(())
    }

    /// The next undecided exchanges before a line: those in memory, or, if there are none, some that are read again.
    fn next(&mut self, before: u64) -> Vec<Exchange> {
        let end = self.open.partition_point(|exchange| exchange.line < before);
        if !self.open.is_empty() {
            return self.open.drain(..end).collect();
        }
        let (mut exchanges, most) = (Vec::new(), limits::SEGMENT.min(self.observed - self.at));
        self.recording.read(self.at, &mut |exchange| {
            if exchange.line < before {
                exchanges.push(exchange.clone());
            }
            let goes_on = exchange.line < before && exchanges.len() < most;
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        exchanges
    }

    /// Repeats the rest of the run, which may end in any state that is possible.
    fn end(mut self) -> Result<Initial, WitnessError> {
        segment::accepted(&self.judge.verdict())?;
        let (candidate, model) = segment::explanation(&mut self.judge, None, &self.model)?;
        let mut log: Vec<Log> = candidate.log.iter().cloned().collect();
        log.reverse();
        let completion = Completion { types: &self.spec.types, model: &model, process: &candidate.process };
        self.repeat(&log, &completion, u64::MAX)?;
        self.server.map(|(_, initial)| initial).ok_or(WitnessError::NotAccepted)
    }
}
