//! A run that is made while the trace is judged once, forwards.
//!
//! What is decided of it ([`Decided`]) is repeated by the concrete server at once, and then forgotten. So the state is
//! neither kept nor compared, and memory holds the exchanges of which something is still open: for compare-and-reset those since
//! the last answer 1. Where they become too many, this way is given up.

use super::leg;
use super::made::{self, Choices};
use super::witness::{Initial, Leg, WitnessError};
use crate::dualize::{Decided, Exchange, Judge, Log, Options};
use crate::process::Process;
use crate::server::{Completion, Server};
use crate::solve::{Answer, Model, Why};
use crate::spec::Spec;
use crate::validate::Recording;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

/// An exchange pays for a walk through so many nodes of the memory.
const WALKED: usize = 8;
/// This way is given up where more exchanges are open.
const OPEN: usize = 1 << 12;
/// And where more is kept of their choices.
const KEPT: usize = 1 << 15;

/// A run, as far as it is decided.
struct Forward<'r> {
    spec: &'r Arc<Spec>,
    judge: Judge,
    /// The server before the first exchange that is open, and its initial state; none where that is open.
    server: Option<(Server, Initial)>,
    /// The position of the first exchange that is open.
    at: usize,
    /// What is open.
    open: VecDeque<Exchange>,
    /// The values of decided variables that are still mentioned.
    model: Model,
    /// After so many exchanges at least it is looked what is decided of them.
    look: usize,
    /// How many exchanges are open when it is looked next.
    due: usize,
    /// So many nodes of the memory may be walked then.
    nodes: usize,
    give: &'r mut dyn FnMut(Leg) -> ControlFlow<()>,
}

/// Finds a run that shows the exchanges, and replays it, part by part, the first one first.
///
/// # Errors
/// There is none, or what is open became too much.
pub(super) fn run<R: Recording + ?Sized>(
    spec: &Arc<Spec>,
    options: &Options,
    recording: &R,
    look: usize,
    give: &mut dyn FnMut(Leg) -> ControlFlow<()>,
) -> Result<Initial, WitnessError> {
    let judge = Judge::new(spec.clone(), Options { keep_choices: true, late: false, ..options.clone() });
    let (server, model) = (None, Model::default());
    let mut run =
        Forward { spec, judge, server, at: 0, open: VecDeque::new(), model, look, due: look, nodes: WALKED, give };
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

impl Forward<'_> {
    fn observe(&mut self, exchange: &Exchange) -> Result<(), WitnessError> {
        if !self.judge.observe(exchange) {
            return leg::accepted(&self.judge.verdict()).and(Err(WitnessError::NotAccepted));
        }
        self.open.push_back(exchange.clone());
        if self.open.len() < self.due { Ok(()) } else { self.look() }
    }

    /// Looks what is decided.
    fn look(&mut self) -> Result<(), WitnessError> {
        // What nothing but doubtful explanations have in common may be impossible.
        leg::accepted(&self.judge.verdict())?;
        let model = std::mem::take(&mut self.model);
        let decided = self.judge.take_decided(model, self.nodes).map_err(WitnessError::Undecided)?;
        let Decided { before, log, model, mentioned, left, walked } = decided;
        let process = self.judge.candidates().first().map(|candidate| candidate.process.clone());
        let process = process.ok_or(WitnessError::NotAccepted)?;
        let end = self.open.partition_point(|exchange| exchange.line < before);
        if before > 0 {
            self.repeat(&log, &model, &process, end)?;
        }
        self.model = model;
        self.model.retain(&mentioned);
        if self.open.len() > OPEN || left > KEPT {
            return Err(WitnessError::Undecided(Answer::Unknown(Why::Effort)));
        }
        let more = self.look.max(self.open.len());
        self.due = self.open.len() + more;
        self.nodes = if walked > 0 { 0 } else { self.nodes } + more * WALKED;
        Ok(())
    }

    /// Repeats so many of the open exchanges, whose choices are decided.
    fn repeat(&mut self, log: &[Log], model: &Model, process: &Process, end: usize) -> Result<(), WitnessError> {
        let completion = Completion { types: &self.spec.types, model, process };
        let exchanges: Vec<Exchange> = self.open.drain(..end).collect();
        let made = Choices::of(self.spec, &completion, log.iter(), exchanges.iter());
        let (server, _) = match &mut self.server {
            Some(server) => server,
            None => self.server.insert(made::begin(self.spec, made.initial)?),
        };
        let steps =
            exchanges.iter().zip(made.made).map(|(exchange, made)| made::repeat(self.spec, server, made, exchange));
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        let leg = Leg { at: self.at, steps };
        self.at += end;
        if end > 0 && (self.give)(leg).is_break() { Err(WitnessError::Stopped) } else { Ok(()) }
    }

    /// The rest of the run ends in any state that is possible.
    fn end(mut self) -> Result<Initial, WitnessError> {
        leg::accepted(&self.judge.verdict())?;
        let (candidate, model) = leg::explanation(&mut self.judge, None, &self.model)?;
        let mut log: Vec<Log> = candidate.log.iter().cloned().collect();
        log.reverse();
        self.repeat(&log, &model, &candidate.process, self.open.len())?;
        self.server.map(|(_, initial)| initial).ok_or(WitnessError::NotAccepted)
    }
}
