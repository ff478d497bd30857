//! The context of a step of judging: the tools that it needs besides the states, and the findings and counts that it notes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::candidate::{Candidate, Log, Logged, Spares};
use super::findings::Findings;
use super::normal_form::growth::LastComparison;
use super::options::Options;
use super::own_steps::Steps;
use super::tasks::wire::Wire;
use super::verdict::Place;
use super::work::WorkMeter;
use crate::process::{Fresh, Limit};
use crate::solve::{Solver, Statistics};
use crate::spec::{Site, Spec};

/// The cost of judging.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Counts {
    /// Observed exchanges.
    pub events: u64,
    /// The most candidates after an exchange.
    pub candidates_max: usize,
    /// Forks at statements.
    pub forks: u64,
    /// Candidates that were equal to another one.
    pub merges: u64,
    /// Candidates that another one covered.
    pub subsumptions: u64,
    /// Passes that looked for dead variables.
    pub projections: u64,
    /// Values in the memory that these passes walked.
    pub walked: u64,
    /// Values that were left after candidates were compared, each time.
    pub compared: u64,
}

/// The specification, the options and the tools of a judge, with what it found and counted so far. The states that explain
/// the trace are not in it.
///
/// Between two observations `steps.touched` and `steps.wanted` are `None`, and `spares.results` is empty.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(super) spec: Arc<Spec>,
    pub(super) options: Options,
    /// The last event; 0 is the initial state.
    pub(super) event: u64,
    /// Faults, broken duties and limits that were met.
    pub(super) findings: Findings,
    pub(super) solver: Solver,
    /// The source of variables.
    pub(super) fresh: Fresh,
    /// The data about the server's own steps that are kept while sections run.
    pub(super) steps: Steps,
    /// The connections of the clients, if they do not wait for each other.
    pub(super) wire: Wire,
    pub(super) work: WorkMeter,
    pub(super) counts: Counts,
    pub(super) spares: Spares,
    /// The last time that candidates were compared.
    pub(super) compared: LastComparison,
    /// The number of forks at each statement.
    pub(super) forks: BTreeMap<Site, u64>,
    /// The place of the last fork; if there was none, of the first step of the server's own that ran.
    pub(super) last_fork: Option<Place>,
}

impl Context {
    /// A context in which nothing was observed.
    pub(super) fn new(spec: Arc<Spec>, options: Options) -> Context {
        Context {
            solver: Solver::new(options.limits),
            work: WorkMeter::of(&options),
            options,
            counts: Counts::default(),
            fresh: Fresh::default(),
            event: 0,
            findings: Findings::default(),
            steps: Steps::default(),
            wire: Wire::default(),
            spares: Spares::default(),
            compared: LastComparison::default(),
            forks: BTreeMap::new(),
            last_fork: None,
            spec,
        }
    }

    /// Keeps a choice for the witness, if choices are kept.
    pub(super) fn log(&self, candidate: &mut Candidate, entry: impl FnOnce() -> Logged) {
        if self.options.keep_choices {
            candidate.log.push(Log { event: self.event, entry: entry() });
        }
    }

    /// Tests whether candidates may be put together: not if the states, choices or answers of each path are kept, nor if steps
    /// lead on for ever from merged candidates.
    pub(super) fn may_unite(&self) -> bool {
        self.options.rewrites_states() && !self.options.keep_paths() && !self.steps.keeps_apart
    }

    /// Tests whether the current exchange has exceeded a limit on work or memory. The limit is noted: the verdict is no rejection then.
    pub(super) fn is_exhausted(&mut self) -> bool {
        let limit = self.work.exceeded(&self.options, &self.solver);
        if let Some(limit) = limit {
            self.give_up(limit);
        }
        limit.is_some()
    }

    /// Notes that a limit cut paths off, and the statement that multiplied them last.
    pub(crate) fn give_up(&mut self, limit: Limit) {
        self.findings.cut(limit, self.last_fork);
    }

    /// The work so far, with the questions to Z3.
    pub(crate) fn work_done(&self) -> u64 {
        self.work.total(&self.solver)
    }

    /// Tests whether a limit cut paths off: then nothing can be rejected.
    pub(crate) fn is_cut(&self) -> bool {
        self.findings.limit().is_some()
    }

    /// The work so far, without the making of terms.
    pub(crate) fn worked_besides_terms(&self) -> u64 {
        self.work.without_terms
    }

    /// The number of answers of each tier of the solver.
    pub(crate) fn statistics(&self) -> Statistics {
        self.solver.statistics
    }

    /// The cost of judging so far.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// The line of the last event; 0 before the first one.
    pub(crate) fn event(&self) -> u64 {
        self.event
    }

    /// The specification.
    pub(crate) fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    /// Counts a fork at a statement.
    pub(super) fn count_fork(&mut self, site: Site) {
        self.counts.forks += 1;
        self.last_fork = Some(self.place(site));
        *self.forks.entry(site).or_default() += 1;
    }

    /// A node of the specification, at the current event.
    pub(super) fn place(&self, site: Site) -> Place {
        Place { event: self.event, site }
    }

    /// From now on follows at most `candidates` candidates, and spends at most `effort` on an exchange.
    pub(crate) fn follow_at_most(&mut self, candidates: usize, effort: u64) {
        self.options.candidates = candidates;
        self.options.effort = self.options.effort.min(effort.max(1));
    }
}
