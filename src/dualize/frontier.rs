//! The judge of a trace: the candidates that explain it, and what judging needs besides.

use std::sync::Arc;

use super::candidate::{Candidate, Log, Logged};
use super::compared::Compared;
use super::findings::Findings;
use super::forks::Forks;
use super::options::Options;
use super::spare::Spares;
use super::steps::Steps;
use super::verdict::Place;
use super::work::{Followed, Work};
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

/// The candidates that explain a trace, and what is known besides.
///
/// Between two observations:
/// 1. The candidates stand for all states that explain the trace, but for those that a limit among the findings cut off.
/// 2. `merged_since`, what `steps` watches, and `spares.results` are empty.
#[derive(Clone, Debug)]
pub struct Judge {
    pub(super) spec: Arc<Spec>,
    pub(super) options: Options,
    pub(super) candidates: Vec<Candidate>,
    /// The last event; 0 is the initial state.
    pub(super) event: u64,
    /// Faults, broken duties and limits that were met.
    pub(super) findings: Findings,
    /// The event from which on there was no clean candidate, where there is none.
    pub(super) clean_died: Option<u64>,
    pub(super) solver: Solver,
    /// The source of variables.
    pub(super) fresh: Fresh,
    /// The part that steps of the server have in what sections do.
    pub(super) steps: Steps,
    /// The last variable before those by which ways were merged in this exchange, where some were.
    pub(super) merged_since: Option<u64>,
    pub(super) work: Work,
    pub(super) counts: Counts,
    pub(super) spares: Spares,
    /// The last time that candidates were compared.
    pub(super) compared: Compared,
    /// The statements at which candidates forked.
    pub(super) forks: Forks,
}

impl Judge {
    /// Keeps a choice for the witness, where choices are kept.
    pub(super) fn log(&self, candidate: &mut Candidate, entry: impl FnOnce() -> Logged) {
        if self.options.keep_choices {
            candidate.log.push(Log { event: self.event, entry: entry() });
        }
    }

    /// Tests whether candidates are put together: not where dead variables, or the choices or answers of each, are kept,
    /// nor where steps lead on for ever from what is put together.
    pub(super) fn may_unite(&self) -> bool {
        self.options.unite && self.options.forget && !self.options.keep_paths() && !self.steps.keeps_apart
    }

    /// Begins to count for an exchange.
    pub(super) fn begin_exchange(&mut self) {
        let is_doubtful = !self.candidates.is_empty() && !self.candidates.iter().any(Candidate::is_clean);
        let follows = if self.is_cut() || is_doubtful { Followed::Few } else { Followed::All };
        self.work.begin(follows, &self.options, &mut self.solver);
        if self.candidates.len() < 2 || self.work.is_full() {
            self.work.measure_anew(&self.options);
        }
    }

    /// Tests whether more was done for the current exchange than the judge takes on; then the verdict is no rejection.
    pub(super) fn is_exhausted(&mut self) -> bool {
        let limit = self.work.exceeded(&self.options, &self.solver);
        if let Some(limit) = limit {
            self.give_up(limit);
        }
        limit.is_some()
    }

    /// Notes that a limit cut paths off, and the statement that multiplied them last.
    pub(super) fn give_up(&mut self, limit: Limit) {
        self.findings.cut(limit, self.forks.last());
    }

    /// Events that were met, and terms that were made by this thread, so far.
    pub(crate) fn worked(&self) -> u64 {
        self.work.without_z3()
    }

    /// Tests whether a limit cut paths off, so that a rejection would be none.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.findings.limit().is_some()
    }

    /// The limit that cut paths off, if one did.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.findings.limit().map(|(limit, _)| limit)
    }

    /// The specification.
    #[must_use]
    pub fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    /// The candidates that explain everything observed.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The solver, with its statistics.
    pub fn solver(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// Follows at most so many candidates from now on, and does at most so much for an exchange.
    pub(crate) fn follow_at_most(&mut self, candidates: usize, effort: u64) {
        self.options.candidates = candidates;
        self.options.effort = self.options.effort.min(effort.max(1));
    }

    /// The size of a copy of it, in values.
    pub(crate) fn copied_size(&self) -> u64 {
        let of = |candidate: &Candidate| (candidate.process.memory.len() + candidate.process.size()) as u64;
        self.candidates.iter().map(of).sum()
    }

    /// The number of answers of each tier of the solver.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.solver.statistics
    }

    /// The cost of judging so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The number of observed events.
    #[must_use]
    pub fn event(&self) -> u64 {
        self.event
    }

    /// All statements at which candidates forked, and how often; in the order of the specification.
    #[must_use]
    pub fn forks(&self) -> Vec<(Site, u64)> {
        self.forks.all()
    }

    /// Counts a fork at a statement.
    pub(super) fn count_fork(&mut self, site: Site) {
        self.counts.forks += 1;
        self.forks.count(self.place(site));
    }

    /// A node of the specification, now.
    pub(super) fn place(&self, site: Site) -> Place {
        Place { event: self.event, site }
    }
}
