//! The judge of a trace: the candidates that explain it, the data that judging needs besides, and the verdict so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::candidate::{Candidate, Log, Logged, Spares};
use super::findings::{Finding, Findings};
use super::normal_form::growth::LastComparison;
use super::options::Options;
use super::own_steps::Steps;
use super::tasks::wire::Wire;
use super::verdict::{Doubt, Place, Verdict};
use super::work::{Followed, WorkMeter};
use crate::process::{Fresh, Limit};
use crate::solve::{Solver, Statistics};
use crate::spec::{Site, Spec};

/// The doubt of a verdict that leaves open whether the specification is faulty, or the client broke its duty.
const PERHAPS: Doubt = Doubt::Limit(Limit::Undecidable);

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

/// The frontier of a trace: the candidates that explain it, and what was found besides. In normal form the frontier is few candidates,
/// which hold parts that are independent of each other. A part is a sum of boxes, which say what each cell may hold:
///
/// ```text
/// cells       n        m["a"]               m["b"], m["c"]
/// parts       5        {0 to 2}       x     {1} {2}  +  {3} {0, 4}
/// memory      known    #1 in 0 to 2         #2 says which box, #3 which of 0 and 4
/// ```
///
/// These are 3 * (1 + 2) states in one candidate. A part with many boxes stays several candidates, and so does everything if choices
/// are kept.
///
/// Between two observations:
/// 1. The candidates stand for all states that explain the trace, except those that a limit in `findings` cut off.
/// 2. `steps.touched` and `steps.wanted` are `None`, and `spares.results` is empty.
#[derive(Clone, Debug)]
pub struct Judge {
    pub(super) spec: Arc<Spec>,
    pub(super) options: Options,
    pub(super) candidates: Vec<Candidate>,
    /// The last event; 0 is the initial state.
    pub(super) event: u64,
    /// Faults, broken duties and limits that were met.
    pub(super) findings: Findings,
    /// The event at which the last clean candidate died, if none is left.
    pub(super) clean_died: Option<u64>,
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

impl Judge {
    /// A judge without candidates.
    pub(super) fn without_candidates(spec: Arc<Spec>, options: Options) -> Judge {
        Judge {
            candidates: Vec::new(),
            solver: Solver::new(options.limits),
            work: WorkMeter::new(options.effort),
            options,
            counts: Counts::default(),
            fresh: Fresh::default(),
            event: 0,
            findings: Findings::default(),
            clean_died: None,
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

    /// Begins the event on a line of the trace, and takes the candidates; `None` if nothing explains the trace up to there.
    pub(super) fn begin(&mut self, line: u64) -> Option<Vec<Candidate>> {
        if self.candidates.is_empty() && self.event > 0 {
            return None;
        }
        self.event = line;
        self.counts.events += 1;
        self.begin_exchange();
        Some(std::mem::take(&mut self.candidates))
    }

    /// Makes these the judge's candidates, at most as many as the limit allows.
    pub(super) fn go_on_with(&mut self, mut candidates: Vec<Candidate>) {
        if candidates.len() < 2 {
            self.compared = LastComparison::default();
        }
        if candidates.len() > self.options.candidates {
            self.give_up(Limit::Paths);
            candidates.truncate(self.options.candidates);
        }
        match candidates.iter().any(Candidate::is_clean) {
            true => self.clean_died = None,
            false => _ = self.clean_died.get_or_insert(self.event),
        }
        self.counts.candidates_max = self.counts.candidates_max.max(candidates.len());
        self.candidates = candidates;
    }

    /// Begins to count the work on an exchange.
    pub(super) fn begin_exchange(&mut self) {
        let is_doubtful = !self.candidates.is_empty() && !self.candidates.iter().any(Candidate::is_clean);
        let follows = if self.is_cut() || is_doubtful { Followed::Few } else { Followed::All };
        self.work.begin(follows, &self.options, &mut self.solver);
        if self.candidates.len() < 2 || self.work.is_full() {
            self.work.measure_anew(&self.options);
        }
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

    /// The work so far, without the making of terms.
    pub(crate) fn worked_besides_terms(&self) -> u64 {
        self.work.without_terms
    }

    /// The work so far, with the questions to Z3.
    pub(crate) fn work_done(&self) -> u64 {
        self.work.total(&self.solver)
    }

    /// Tests whether a limit cut paths off: then nothing can be rejected.
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

    /// From now on follows at most `candidates` candidates, and spends at most `effort` on an exchange.
    pub(crate) fn follow_at_most(&mut self, candidates: usize, effort: u64) {
        self.options.candidates = candidates;
        self.options.effort = self.options.effort.min(effort.max(1));
    }

    /// The size of a copy of the candidates, in values.
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

    /// The line of the last event; 0 before the first one.
    #[must_use]
    pub fn event(&self) -> u64 {
        self.event
    }

    /// All statements at which candidates forked, and how often; in the order of the specification.
    #[must_use]
    pub fn forks(&self) -> Vec<(Site, u64)> {
        self.forks.iter().map(|(site, count)| (*site, *count)).collect()
    }

    /// Notes the event at which no explanation of the recording was left, and the earliest event that it may be if that is uncertain.
    pub(super) fn died(&mut self, event: u64, from: Option<u64>) {
        self.event = event;
        self.clean_died = from.or(Some(event));
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

    /// The verdict on everything observed so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let found = self.findings.found();
        let fault = found.and_then(Finding::fault).map(|(fault, _)| fault.clone());
        if self.candidates.iter().any(Candidate::is_clean) || self.event == 0 {
            return Verdict::Accept { warning: fault };
        }
        if let Some((doubt, _)) = self.undecided() {
            return Verdict::Unknown { doubt, warning: fault };
        }
        if let Some(fault) = fault {
            return Verdict::Fault(fault);
        }
        if let Some(found) = found {
            match found.breach() {
                Some((Place { event, site }, _)) if found.perhaps_faulty.is_none() => {
                    return Verdict::Outside { event: *event, site: *site };
                }
                Some(_) | None if found.perhaps_wrong().is_some() => {
                    return Verdict::Unknown { doubt: PERHAPS, warning: None };
                }
                Some(_) | None => {}
            }
        }
        let event_from = self.clean_died.filter(|from| *from < self.event);
        Verdict::Reject { event: self.event, event_from }
    }

    /// The reason why the verdict is unknown, if it is, and the place at which the question was asked.
    #[must_use]
    pub fn doubt(&self) -> Option<(Doubt, Option<Place>)> {
        let perhaps = || self.findings.found()?.perhaps_wrong().map(|at| (PERHAPS, Some(at)));
        self.undecided().or_else(perhaps)
    }

    /// The reason why a clean run may explain the trace although none is known to.
    fn undecided(&self) -> Option<(Doubt, Option<Place>)> {
        if let Some(candidate) = self.candidates.first() {
            return candidate.doubt.clone();
        }
        self.findings.limit().map(|(limit, at)| (Doubt::Limit(limit), at))
    }

    /// The state in which the first fault is met, with the path that leads there.
    #[must_use]
    pub fn faulty(&self) -> Option<&Candidate> {
        self.findings.found()?.fault().map(|(_, state)| state)
    }

    /// The state in which the reported duty of the client is broken, if one is on some path.
    #[must_use]
    pub fn breached(&self) -> Option<&Candidate> {
        self.findings.found()?.breach().map(|(_, state)| state)
    }
}
