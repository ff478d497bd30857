//! The set of candidates, and what an observed exchange makes of it.
//!
//! ```text
//! step(q, a) = run every candidate on q; keep those that can answer a; none left: reject      (Figure 3.1)
//! ```

use std::sync::Arc;

use super::candidate::{Alive, Candidate, Log, Logged, notes_requests};
use super::forks::Forks;
use super::goal::Goal;
use super::journal::Before;
use super::limits::{EFFORT_LIMIT, Spent};
use super::observe::{Breach, Open};
use super::reduce::Compared;
use super::spare::Spares;
use super::touch::{Wanted, Watch};
use super::verdict::{FaultReport, Place};
use super::{Exchange, Observed};
use crate::process::{Fresh, Limit, Process};
use crate::solve::{Limits, Solver, Statistics, Store};
use crate::spec::Spec;
use crate::spec::code::Program;
use crate::spec::optional::Optional;
use crate::term::Term;
use crate::value::{Pattern, Value};

/// The number of paths of one request beyond which the judge gives up on the others.
pub const PATH_LIMIT: u32 = 20_000;

/// What the judge does besides judging; every switch is exact, so they change speed and evidence only.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sides that cannot give the observed answer are not forked into.
    pub directed: bool,
    /// Equal candidates merge, and covered ones are dropped.
    pub merge: bool,
    /// Dead variables are projected out.
    pub forget: bool,
    /// What a term may be is given to one variable, where its own occur nowhere else.
    pub name: bool,
    /// Candidates that differ in few cells are one, with a set of values in each.
    pub unite: bool,
    /// Both sides of a fork run on before what is known is copied, so that few are followed.
    pub ahead: bool,
    /// A choice that the answer shows is what was observed.
    pub shown: bool,
    /// A choice between nothing and any value is one.
    pub optional: bool,
    /// Such a choice has no variables before something looks at it.
    pub by_need: bool,
    /// What an answer tells is assumed before the condition on which it is given.
    pub told_first: bool,
    /// A choice is made where something reads it first, and a machine's cells that each request writes before it reads them
    /// keep what they held: who looks at the memory of a candidate switches this off.
    pub late: bool,
    /// The choices of every path are kept, for a witness.
    pub keep_choices: bool,
    /// The answers that a hole stands for are kept with the candidates.
    pub keep_answers: bool,
    /// The solver's limits and tiers.
    pub limits: Limits,
    /// The number of candidates at which judging stops as undecided.
    pub candidates: usize,
    /// The work on one exchange, in made terms, at which no more explanations of it are looked for.
    pub effort: u64,
    /// The memory that explanations may take, in bytes, at which no more of them are looked for. It is that of the whole process;
    /// `usize::MAX` does not ask the system.
    pub memory: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            directed: true,
            merge: true,
            forget: true,
            name: true,
            unite: true,
            ahead: true,
            shown: true,
            optional: true,
            by_need: true,
            told_first: true,
            late: true,
            keep_choices: false,
            keep_answers: false,
            limits: Limits::default(),
            candidates: 100_000,
            effort: EFFORT_LIMIT,
            memory: usize::MAX,
        }
    }
}

impl Options {
    /// Tests whether the choices or answers of each path are kept.
    pub(super) fn keep_paths(&self) -> bool {
        self.keep_choices || self.keep_answers
    }
}

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

/// A request as a candidate receives it, and what was observed.
pub(super) struct Received<'r> {
    request: &'r Value,
    /// Where a part of the request is not known: what stands for it.
    filled: Option<&'r Filled>,
    client: u64,
    pub(super) seen: &'r Observed,
}

/// A request of which a part was not known.
pub(super) struct Filled {
    /// With variables in its place.
    pub(super) request: Value,
    /// What restricts these.
    facts: Vec<Term>,
    /// How many they are.
    variables: u64,
}

/// Where something may have been wrong first, which was not decided.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Perhaps {
    /// The specification.
    pub(super) faulty: Option<Place>,
    /// The client.
    pub(super) outside: Option<Place>,
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
    /// Whether every state that entered the current section may leave it with an answer.
    pub(super) whole: bool,
    pub(super) outside: Option<Breach>,
    pub(super) perhaps: Perhaps,
    pub(super) fault: Option<FaultReport>,
    pub(super) faulty: Option<Box<Candidate>>,
    pub(super) cut: Option<(Limit, Option<Place>)>,
    pub(super) clean_died: Option<u64>,
    /// What the run of a request has to do with the specification's steps, where it has any.
    pub(super) watch: Option<Watch>,
    /// Which runs of a step are followed; `None` is all.
    pub(super) wanted: Option<Wanted>,
    /// The steps that the server may have taken before a request, where they are kept for a witness.
    pub(super) journal: Option<Before>,
    /// Whether candidates are kept apart, as putting together what steps lead to did not come to an end.
    pub(super) keeps_apart: bool,
    /// Work that made no terms.
    pub(super) worked: u64,
    /// What was taken of the limits on work and memory.
    pub(super) spent: Spent,
    /// What the copies of the paths of the current request cost so far.
    pub(super) copied: usize,
    /// Room for the paths of a request, empty between requests; kept so that no request makes its own.
    pub(super) open: Vec<Open>,
    /// The same for its results.
    results: Vec<Candidate>,
    /// The same for the candidates themselves.
    pub(super) spares: Spares,
    /// The condition of the side that a path has just taken, which is still to be assumed.
    pub(super) deferred: Option<(Term, Place)>,
    /// What the choices of optional values make, from when they are met.
    pub(super) patterns: Vec<(Optional, Option<Arc<Pattern>>)>,
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
            spent: Spent::new(options.effort),
            options,
            counts: Counts::default(),
            fresh: Fresh::default(),
            event: 0,
            whole: true,
            outside: None,
            perhaps: Perhaps::default(),
            fault: None,
            faulty: None,
            cut: None,
            clean_died: None,
            watch: None,
            wanted: None,
            journal: None,
            keeps_apart: false,
            worked: 0,
            copied: 0,
            open: Vec::new(),
            results: Vec::new(),
            spares: Spares::default(),
            deferred: None,
            patterns: Vec::new(),
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
        if judge.explore(&spec, &mut candidate, Goal::Nothing, &mut survivors) == Alive::Yes {
            survivors.push(candidate);
        }
        judge.settle(survivors);
        judge
    }

    /// Observes an exchange. Whether anything still explains the trace.
    pub fn observe(&mut self, exchange: &Exchange) -> bool {
        let spec = self.spec.clone();
        self.observe_by(&spec, exchange)
    }

    /// The same with the specification at hand, which must be the judge's own.
    pub(crate) fn observe_by(&mut self, spec: &Spec, exchange: &Exchange) -> bool {
        let observe = if spec.program.steps.is_empty() { Judge::observe_at_once } else { Judge::observe_after_steps };
        self.observe_with(spec, exchange, observe)
    }

    /// Observes an exchange by one of the ways to find the candidates that explain a request.
    pub(super) fn observe_with(
        &mut self,
        spec: &Spec,
        exchange: &Exchange,
        observe: fn(&mut Judge, &Spec, Vec<Candidate>, &Received<'_>) -> Vec<Candidate>,
    ) -> bool {
        if self.candidates.is_empty() && self.event > 0 {
            return false;
        }
        self.event = exchange.line;
        self.counts.events += 1;
        self.begin_exchange();
        let filled = self.filled(spec, &exchange.request);
        let received = Received {
            request: filled.as_ref().map_or(&exchange.request, |filled| &filled.request),
            filled: filled.as_ref(),
            client: exchange.client,
            seen: &exchange.observed,
        };
        let candidates = std::mem::take(&mut self.candidates);
        let after = observe(self, spec, candidates, &received);
        self.settle(after);
        !self.candidates.is_empty()
    }

    /// The candidates that explain a request where nothing happens between requests.
    pub(super) fn observe_at_once(
        &mut self,
        spec: &Spec,
        mut candidates: Vec<Candidate>,
        received: &Received<'_>,
    ) -> Vec<Candidate> {
        let mut others = std::mem::take(&mut self.results);
        let mut kept = 0;
        for at in 0..candidates.len() {
            if at > 0 && self.is_exhausted() {
                break;
            }
            if matches!(received.seen, Observed::Lost) {
                others.push(candidates[at].clone());
            }
            if self.respond(spec, &mut candidates[at], received, &mut others) == Alive::Yes {
                candidates.swap(kept, at);
                kept += 1;
            }
        }
        if kept < candidates.len() {
            candidates.drain(kept..).for_each(|candidate| self.spares.take(candidate));
        }
        if !others.is_empty() {
            candidates.append(&mut others);
        }
        self.results = others;
        candidates
    }

    /// A request with something in the place of what is not known of it; nothing where all is known.
    pub(super) fn filled(&mut self, spec: &Spec, recorded: &Value) -> Option<Filled> {
        recorded.has_holes().then(|| {
            let before = self.fresh.last;
            let (request, facts) = self.fresh.fill_holes(&spec.types, spec.program.request, recorded);
            Filled { request, facts, variables: self.fresh.last - before }
        })
    }

    /// A request of which a part is not known is one choice more.
    fn ask(&mut self, candidate: &mut Candidate, received: &Received<'_>) -> Alive {
        let Some(filled) = received.filled else { return Alive::Yes };
        self.log(candidate, || Logged::Request(received.request.clone()));
        self.fill(candidate, filled)
    }

    /// Takes up what restricts the variables in a request.
    pub(super) fn fill(&mut self, candidate: &mut Candidate, Filled { facts, variables, .. }: &Filled) -> Alive {
        candidate.count_choice(*variables);
        let assumed = facts.iter().all(|fact| candidate.assume(fact, None, &mut self.solver) == Alive::Yes);
        if assumed { Alive::Yes } else { Alive::No }
    }

    /// Runs a candidate on a request, in place along the first path that shows what was observed; whether that one does. The
    /// candidates of other such paths are added to `others`.
    pub(super) fn respond(
        &mut self,
        spec: &Spec,
        candidate: &mut Candidate,
        received: &Received<'_>,
        others: &mut Vec<Candidate>,
    ) -> Alive {
        let Received { request, client, seen, .. } = received;
        if notes_requests(spec, seen) {
            self.log(candidate, || Logged::Received);
        }
        let before = self.may_join(seen).then(|| candidate.clone());
        let first = others.len();
        if self.ask(candidate, received) == Alive::No {
            return Alive::No;
        }
        candidate.process.receive_by(&spec.program, self.handler(&spec.program), (request, *client));
        candidate.noticed = 0;
        let alive = self.explore(spec, candidate, Goal::of(seen), others);
        if let Some(before) = before {
            self.join(before, (alive, candidate), others, first);
        }
        alive
    }

    /// The handler of requests: where nobody wants to know what was chosen, the one that chooses late.
    fn handler(&self, program: &Program) -> u32 {
        let unwatched = self.options.late && !self.options.keep_choices && self.wanted.is_none();
        if unwatched { program.late } else { program.serve }
    }

    /// Whether paths that only asked are joined: not where the choices or answers of each path are kept.
    fn may_join(&mut self, observed: &Observed) -> bool {
        self.whole = true;
        matches!(observed, Observed::Any | Observed::Lost) && self.options.merge && !self.options.keep_paths()
    }

    /// Paths on which nothing was written differ in what they asked only. Where every state that entered the section left
    /// it on one of them, and any answer will do, together they are the candidate that entered.
    fn join(
        &mut self,
        before: Candidate,
        (alive, candidate): (Alive, &mut Candidate),
        others: &mut Vec<Candidate>,
        first: usize,
    ) {
        let unchanged = |path: &Candidate| path.process.stored().is_empty();
        let several = alive == Alive::Yes && others.len() > first;
        if self.whole && several && unchanged(candidate) && others[first..].iter().all(unchanged) {
            self.counts.merges += (others.len() - first) as u64;
            others.truncate(first);
            *candidate = before;
        }
    }

    pub(super) fn settle(&mut self, mut survivors: Vec<Candidate>) {
        match &mut survivors[..] {
            [only] => self.tidy_and_name(only),
            _ => self.tidy_each(&mut survivors, Judge::tidy_one_of_several),
        }
        if survivors.len() > 1 && self.options.merge {
            self.reduce(&mut survivors);
        }
        self.keep_few(&mut survivors);
        if survivors.len() < 2 {
            self.compared = Compared::default();
        }
        if survivors.len() > self.options.candidates {
            self.give_up(Limit::Paths);
            survivors.truncate(self.options.candidates);
        }
        match survivors.iter().any(Candidate::is_clean) {
            true => self.clean_died = None,
            false => _ = self.clean_died.get_or_insert(self.event),
        }
        self.counts.candidates_max = self.counts.candidates_max.max(survivors.len());
        self.candidates = survivors;
    }

    /// Keeps a choice for the witness, where choices are kept.
    pub(super) fn log(&self, candidate: &mut Candidate, entry: impl FnOnce() -> Logged) {
        if self.options.keep_choices {
            candidate.log.push(Log { event: self.event, entry: entry() });
        }
    }

    /// Whether a limit cut paths off, so that a rejection would be none.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// The limit that cut paths off, if one did.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.cut.map(|(limit, _)| limit)
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
}
