//! Specifications turned inside out: the set of states that still explain what was observed (Figure 3.1 of Yishuai Li's
//! *Testing by Dualization*).
//!
//! A [`Candidate`] is a process whose memory may be symbolic, with the constraints on its variables. A [`Judge`] keeps all
//! candidates. Observing an exchange runs each candidate through its section, with internal choices as fresh variables and
//! the observed answer as a constraint. Candidates whose constraints are satisfiable are kept. When none is left, no server
//! that follows the specification could have answered so.

mod for_evidence;
mod for_search;

mod candidate;
mod conclusion;
mod context;
mod exchange;
mod findings;
mod frontier;
mod normal_form;
mod options;
mod own_steps;
mod quiescent;
mod section;
mod step;
mod symbolic;
mod tasks;
mod terms;
mod verdict;
mod work;

pub use candidate::Candidate;
pub use candidate::{Log, Logged, notes_requests};
pub(crate) use context::Context;
pub use context::Counts;
pub use exchange::{Exchange, Observed};
pub use for_evidence::decided::Decided;
pub(crate) use for_search::failures::Failures;
pub(crate) use for_search::transitions::FailedRuns;
pub use normal_form::boxes::cells::Cell;
pub use normal_form::boxes::coupled::{coupled, differing};
pub(crate) use normal_form::forms::{CanonicalForm, canonical};
pub use options::{Inspected, Options, Patience, Reductions};
pub use own_steps::{Before, Fired};
pub use quiescent::{QuiescentFrontier, QuiescentState};
pub use symbolic::{OnPath, Symbolic, Transition, TransitionEnd, initial, symbolic, symbolic_restart, unbounded};
pub use tasks::alternatives::possible_instead;
pub use tasks::recording::{judge_at_once, judge_recorded, judge_within, unanswered};
pub use tasks::wire::RecordedEvent;
pub(crate) use verdict::least_above;
pub use verdict::{Doubt, FaultReport, Place, Verdict};
pub(crate) use work::memory_in_use;

use std::sync::Arc;

use crate::network::{Network, Observation};
use crate::process::{Limit, Process};
use crate::solve::{Solver, Statistics, Store};
use crate::spec::{Site, Spec};
use frontier::Frontier;
use section::{Goal, Section};

/// The judge of a trace: its frontier, which each observation replaces by the next one.
#[derive(Clone, Debug)]
pub struct Judge {
    context: Context,
    frontier: Frontier,
}

impl Judge {
    /// A judge that has seen nothing: its candidates are the possible initial states.
    #[must_use]
    pub fn new(spec: Arc<Spec>, options: Options) -> Judge {
        let mut process = Process::new(&spec.program);
        process.boot(&spec.program);
        let mut candidate = Candidate::new(process);
        if options.keep_choices {
            candidate.store = Store::with_trail();
        }
        let mut context = Context::new(spec.clone(), options);
        let initial = Section::new(&mut context, &spec, Goal::Nothing).results(candidate);
        let frontier = step::normalize(&mut context, Frontier::default(), initial);
        Judge { context, frontier }
    }

    /// A judge in a context, with these candidates left after the event on a line.
    pub(crate) fn with_left(context: Context, candidates: Vec<Candidate>, line: u64) -> Judge {
        Judge { context: Context { event: line, ..context }, frontier: Frontier::of(candidates) }
    }

    /// The context, and the candidates.
    pub(crate) fn into_parts(self) -> (Context, Vec<Candidate>) {
        (self.context, self.frontier.candidates)
    }

    /// The context.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Observes an exchange. Returns whether anything still explains the trace.
    pub fn observe(&mut self, exchange: &Exchange) -> bool {
        let spec = self.context.spec.clone();
        self.observe_by(&spec, exchange)
    }

    /// Observes an exchange with the specification at hand, which must be the judge's own.
    pub(crate) fn observe_by(&mut self, spec: &Spec, exchange: &Exchange) -> bool {
        let frontier = std::mem::take(&mut self.frontier);
        self.frontier = step::exchange(&mut self.context, spec, frontier, exchange);
        !self.frontier.candidates.is_empty()
    }

    /// Observes something over a network; `line` is its line in the trace, or its number from 1. Returns whether anything still
    /// explains the trace. If tasks yield, the specification must have been compiled for interleaved tasks.
    ///
    /// Choices are not kept for a witness.
    pub fn observe_over(&mut self, network: &dyn Network, line: u64, observation: &Observation) -> bool {
        let frontier = std::mem::take(&mut self.frontier);
        self.frontier = step::over(&mut self.context, frontier, network, line, observation);
        self.frontier.is_open(&self.context)
    }

    /// The verdict on everything observed so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.frontier.verdict(&self.context, self.context.event)
    }

    /// The reason why the verdict is unknown, if it is, and the place at which the question was asked.
    #[must_use]
    pub fn doubt(&self) -> Option<(Doubt, Option<Place>)> {
        self.frontier.doubt(&self.context)
    }

    /// Tests whether a limit cut paths off: then nothing can be rejected.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.context.is_cut()
    }

    /// The specification.
    #[must_use]
    pub fn spec(&self) -> &Arc<Spec> {
        self.context.spec()
    }

    /// From now on follows at most `candidates` candidates, and spends at most `effort` on an exchange.
    pub(crate) fn follow_at_most(&mut self, candidates: usize, effort: u64) {
        self.context.follow_at_most(candidates, effort);
    }

    /// The work so far, with the questions to Z3.
    pub(crate) fn work_done(&self) -> u64 {
        self.context.work_done()
    }

    /// The limit that cut paths off, if one did.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.context.findings.limit().map(|(limit, _)| limit)
    }

    /// The candidates that explain everything observed.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.frontier.candidates
    }

    /// The solver, with its statistics.
    pub fn solver(&mut self) -> &mut Solver {
        &mut self.context.solver
    }

    /// The size of a copy of the candidates, in values.
    pub(crate) fn copied_size(&self) -> u64 {
        let of = |candidate: &Candidate| (candidate.process.memory.len() + candidate.process.size()) as u64;
        self.frontier.candidates.iter().map(of).sum()
    }

    /// The number of answers of each tier of the solver.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.context.statistics()
    }

    /// The cost of judging so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.context.counts()
    }

    /// The line of the last event; 0 before the first one.
    #[must_use]
    pub fn event(&self) -> u64 {
        self.context.event()
    }

    /// All statements at which candidates forked, and how often; in the order of the specification.
    #[must_use]
    pub fn forks(&self) -> Vec<(Site, u64)> {
        self.context.forks.iter().map(|(site, count)| (*site, *count)).collect()
    }

    /// Notes the event at which no explanation of the recording was left, and the earliest event that it may be if that is uncertain.
    pub(super) fn died(&mut self, event: u64, from: Option<u64>) {
        self.context.event = event;
        self.frontier.clean_died = from.or(Some(event));
    }

    /// The state in which the first fault is met, with the path that leads there.
    #[must_use]
    pub fn faulty(&self) -> Option<&Candidate> {
        self.context.findings.found()?.fault().map(|(_, state)| state)
    }

    /// The state in which the reported duty of the client is broken, if one is on some path.
    #[must_use]
    pub fn breached(&self) -> Option<&Candidate> {
        self.context.findings.found()?.breach().map(|(_, state)| state)
    }
}
