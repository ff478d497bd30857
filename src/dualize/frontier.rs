//! The set of candidates of a trace, and what is known besides.

use std::sync::Arc;

use super::candidate::{Candidate, Log, Logged};
use super::compared::Compared;
use super::findings::Findings;
use super::fired::Before;
use super::forks::Forks;
use super::goal::Goal;
use super::options::Options;
use super::spare::Spares;
use super::touch::{Wanted, Watch};
use super::verdict::Place;
use super::work::{Followed, Work};
use crate::process::{Fresh, Limit, Process};
use crate::solve::{Solver, Statistics, Store};
use crate::spec::{Site, Spec};

/// What judging cost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
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

/// The candidates of a trace, and what is known besides.
#[derive(Clone, Debug)]
pub struct Judge {
    pub(super) spec: Arc<Spec>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) solver: Solver,
    pub(super) options: Options,
    pub(super) counts: Counts,
    pub(super) fresh: Fresh,
    /// The last event; 0 is the initial state.
    pub(super) event: u64,
    /// What was met besides candidates.
    pub(super) findings: Findings,
    pub(super) clean_died: Option<u64>,
    /// What the run of a request has to do with the specification's steps, where it has any.
    pub(super) watch: Option<Watch>,
    /// Which runs of a step are followed; `None` is all.
    pub(super) wanted: Option<Wanted>,
    /// The steps that the server may have taken before a request, where they are kept for a witness.
    pub(super) journal: Option<Before>,
    /// Whether candidates are kept apart, as putting together what steps lead to did not come to an end.
    pub(super) keeps_apart: bool,
    /// The last variable before those by which ways were merged in this exchange, where some were.
    pub(super) merged_since: Option<u64>,
    pub(super) work: Work,
    /// Room for the results of a request, empty between requests; kept so that no request makes its own.
    pub(super) results: Vec<Candidate>,
    /// The same for candidates.
    pub(super) spares: Spares,
    /// When candidates were compared last.
    pub(super) compared: Compared,
    /// The statements at which candidates forked.
    pub(super) forks: Forks,
}

impl Judge {
    /// A judge that has seen nothing: its candidates are the possible initial states.
    #[must_use]
    pub fn new(spec: Arc<Spec>, options: Options) -> Judge {
        let mut process = Process::new(&spec.program);
        process.boot(&spec.program);
        let mut judge = Judge {
            candidates: Vec::new(),
            solver: Solver::new(options.limits),
            work: Work::new(options.effort),
            options,
            counts: Counts::default(),
            fresh: Fresh::default(),
            event: 0,
            findings: Findings::default(),
            clean_died: None,
            watch: None,
            wanted: None,
            journal: None,
            keeps_apart: false,
            merged_since: None,
            results: Vec::new(),
            spares: Spares::default(),
            compared: Compared::default(),
            forks: Forks::default(),
            spec,
        };
        let mut candidate = Candidate::new(process);
        if judge.options.keep_choices {
            candidate.store = Store::with_trail();
        }
        let mut survivors = Vec::new();
        let spec = judge.spec.clone();
        if judge.explore(&spec, &mut candidate, Goal::Nothing, &mut survivors).first.is_ok() {
            survivors.push(candidate);
        }
        judge.settle(survivors);
        judge
    }

    /// Keeps a choice for the witness, where choices are kept.
    pub(super) fn log(&self, candidate: &mut Candidate, entry: impl FnOnce() -> Logged) {
        if self.options.keep_choices {
            candidate.log.push(Log { event: self.event, entry: entry() });
        }
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

    /// How often each tier of the solver answered.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.solver.statistics
    }

    /// What judging cost so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How many events were observed.
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
