//! A section: the paths of a candidate from one scheduling point to the next, and the end to which they must come.
//!
//! `either { n := 1; } or { n := 2; } reply 0;` observed to answer 0 leads to two candidates. If 0 was observed,
//! `either { reply 0; } or { reply 1; }` is one path: the other branch cannot show 0.

pub(crate) mod fork;
pub(crate) mod observe;
pub(crate) mod request;
pub(crate) mod unify;

use super::Observed;
use super::candidate::{Candidate, Logged};
use super::context::Context;
use super::findings::Findings;
use crate::limits;
use crate::process::{Limit, Sent};
use crate::spec::code::Pc;
use crate::spec::{Site, Spec};
use crate::symbolic::{Infeasible, drive};
use crate::value::Value;

/// Each copy of a path costs at least this many copied values: [`limits::PATH_LIMIT`] copies of small paths come to half the limit.
const FORK_COST: usize = limits::COPY_LIMIT / limits::PATH_LIMIT as usize / 2;

/// The end to which a path through a section must come to explain what was observed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Goal<'o> {
    /// This answer.
    Answer(&'o Value),
    /// Any answer.
    Any,
    /// The end of the handler, without an answer.
    Nothing,
    /// The end of the handler, with an answer that nobody sees, or without.
    Lost,
    /// The next scheduling point; messages that the section sends are under way then, and observed later.
    Section,
}

impl<'o> Goal<'o> {
    pub(super) fn of(observed: &'o Observed) -> Goal<'o> {
        match observed {
            Observed::Answer(answer) => Goal::Answer(answer),
            Observed::Any => Goal::Any,
            Observed::Nothing | Observed::Restarted => Goal::Nothing,
            Observed::Lost => Goal::Lost,
        }
    }

    /// The only answer that the goal allows, or `Some(None)` for the lack of one; `None` if it allows several.
    fn only(self) -> Option<Option<&'o Value>> {
        match self {
            Goal::Answer(answer) => Some(Some(answer)),
            Goal::Nothing => Some(None),
            Goal::Any | Goal::Lost | Goal::Section => None,
        }
    }
}

/// A path that is not at its end yet.
#[derive(Clone, Debug)]
pub(super) enum OpenPath {
    /// In the middle of its section.
    Running(Candidate),
    /// At its answer, which has not been compared yet.
    Answering(Candidate, GivenAnswer),
}

/// An answer of a path, and the node at which it is given.
#[derive(Clone, Debug)]
pub(super) struct GivenAnswer {
    pub(super) value: Value,
    pub(super) site: Site,
    /// True if the path ends with the answer, and does not go on.
    pub(super) is_last: bool,
}

/// The paths of a candidate through one section.
pub(super) struct Section<'j> {
    pub(super) context: &'j mut Context,
    pub(super) spec: &'j Spec,
    pub(super) goal: Goal<'j>,
    /// Paths that are not at their end yet.
    pub(super) open: Vec<OpenPath>,
    /// Faults, broken duties and limits that the paths met.
    pub(super) findings: Findings,
    /// Set if every state that entered the section leaves it with an answer, as far as it was explored.
    pub(super) is_exhaustive: bool,
    /// The cost of the copies of paths so far.
    pub(super) copied: usize,
    /// The messages that were under way before the section.
    pub(super) sent: Vec<Sent>,
}

/// The end of a path.
pub(super) enum PathOutcome {
    /// The path shows what was observed.
    Shows,
    /// No run on this path shows what was observed.
    Infeasible,
}

impl From<Infeasible> for PathOutcome {
    fn from(_: Infeasible) -> PathOutcome {
        PathOutcome::Infeasible
    }
}

/// The result of a section.
pub(crate) struct Explored {
    /// The end of the first path: `Ok` if it shows what was observed.
    pub(crate) first: Result<(), Infeasible>,
    /// Set if every state that entered the section left it on some path, with an answer.
    pub(crate) is_exhaustive: bool,
}

impl<'j> Section<'j> {
    pub(super) fn new(context: &'j mut Context, spec: &'j Spec, goal: Goal<'j>) -> Section<'j> {
        Section {
            context,
            spec,
            goal,
            open: Vec::new(),
            findings: Findings::default(),
            is_exhaustive: true,
            copied: 0,
            sent: Vec::new(),
        }
    }

    /// Runs a candidate along all paths, in place along the first one. The candidates of other paths that show what was observed are
    /// added to `others`.
    pub(crate) fn explore(mut self, candidate: &mut Candidate, others: &mut Vec<Candidate>) -> Explored {
        self.sent = candidate.process.sent().to_vec();
        let first = self.run(candidate);
        if !self.open.is_empty() {
            self.explore_open(others);
        }
        self.context.findings.merge(self.findings);
        Explored { first, is_exhaustive: self.is_exhaustive }
    }

    /// Runs a candidate, and returns the candidates of the paths that show what was observed; that of the first path comes last.
    pub(crate) fn results(self, mut candidate: Candidate) -> Vec<Candidate> {
        let mut results = Vec::new();
        if self.explore(&mut candidate, &mut results).first.is_ok() {
            results.push(candidate);
        }
        results
    }

    /// Runs an open path; the candidates that show what was observed are added to `shown`.
    pub(crate) fn explore_from(mut self, open: OpenPath, shown: &mut Vec<Candidate>) {
        self.open.push(open);
        self.explore_open(shown);
        self.context.findings.merge(self.findings);
    }

    /// Runs one path to its end.
    fn run(&mut self, candidate: &mut Candidate) -> Result<(), Infeasible> {
        match drive(self.spec, self, candidate) {
            PathOutcome::Shows => Ok(()),
            PathOutcome::Infeasible => Err(Infeasible),
        }
    }

    /// Runs open paths to their ends; the candidates of those that show what was observed are added to `others`.
    fn explore_open(&mut self, others: &mut Vec<Candidate>) {
        let mut paths = 1u32;
        while let Some(mut path) = self.open.pop() {
            paths += 1;
            if self.is_exhausted() {
                return;
            }
            if paths > limits::PATH_LIMIT || self.copied > limits::COPY_LIMIT {
                return self.give_up(Limit::Paths);
            }
            let shows = match &mut path {
                OpenPath::Running(candidate) => self.run(candidate),
                OpenPath::Answering(candidate, given) => {
                    let value = std::mem::replace(&mut given.value, Value::Absent);
                    let shows = unify::answer(self, candidate, GivenAnswer { value, ..*given });
                    if given.is_last { shows } else { shows.and_then(|()| self.run(candidate)) }
                }
            };
            let (OpenPath::Running(mut candidate) | OpenPath::Answering(mut candidate, _)) = path;
            match shows {
                Ok(()) => {
                    candidate.process.rest();
                    others.push(candidate);
                }
                Err(Infeasible) => self.context.spares.take(candidate),
            }
        }
    }

    /// Tests whether the current exchange has exceeded a limit on work or memory; the limit is noted.
    pub(super) fn is_exhausted(&mut self) -> bool {
        let exceeded = self.context.work.exceeded(&self.context.options, &self.context.solver);
        exceeded.is_some_and(|limit| {
            self.give_up(limit);
            true
        })
    }

    /// Notes that a limit cut paths off.
    pub(super) fn give_up(&mut self, limit: Limit) {
        self.findings.cut(limit, self.context.last_fork);
        self.is_exhaustive = false;
    }

    /// Tests whether the observed answer can still come after a place in the code.
    pub(super) fn may_show(&self, candidate: &Candidate, pc: Pc) -> bool {
        let Some(answer) = self.goal.only() else { return true };
        !self.context.options.reduces() || candidate.process.may_reply(&self.spec.program, pc, answer)
    }

    /// Tests whether a path that has met a choice can still show what was observed.
    pub(super) fn may_still_show(&self, candidate: &Candidate) -> bool {
        self.awaited().is_none_or(|answer| candidate.process.may_still_reply(&self.spec.program, answer))
    }

    /// The answer to which a path must come (`Some(None)`: it must give none), or else ends; `None` if paths that cannot show the observed
    /// answer run on.
    pub(super) fn awaited(&self) -> Option<Option<&'j Value>> {
        if self.context.options.reduces() && self.context.steps.touched.is_none() { self.goal.only() } else { None }
    }

    /// Counts the cost of a copy of a path, which deep recursion makes large. The path is cut off if that exceeds the limit on copies, or
    /// if the exchange has exceeded its own limits.
    pub(super) fn pay(&mut self, candidate: &Candidate) -> Result<(), Infeasible> {
        if self.is_exhausted() {
            return Err(Infeasible);
        }
        let cost = FORK_COST + candidate.process.size();
        self.copied = self.copied.saturating_add(cost);
        self.context.work.without_terms =
            self.context.work.without_terms.saturating_add(cost as u64 / limits::COPIES_PER_TERM);
        if self.copied <= limits::COPY_LIMIT {
            return Ok(());
        }
        self.give_up(Limit::Paths);
        Err(Infeasible)
    }

    /// Tests whether the observed answer can still come on one of several branches, and its element may be chosen.
    pub(super) fn may_go(&mut self, candidate: &Candidate, way: usize, site: Site) -> bool {
        let process = &candidate.process;
        let may_show = process.targets().get(way).is_none_or(|pc| self.may_show(candidate, *pc));
        may_show && process.elements().get(way).is_none_or(|one| self.context.steps.follow(one, site))
    }

    /// Takes one of several branches, and logs the choice.
    pub(super) fn go(&mut self, candidate: &mut Candidate, way: usize) {
        if self.context.options.keep_choices {
            let logged = match candidate.process.elements().get(way) {
                Some(element) => {
                    let guard = candidate.process.picks_where(&self.spec.program, way);
                    Logged::Element { value: element.clone(), guard }
                }
                None => Logged::Way(way),
            };
            self.context.log(candidate, || logged);
        }
        candidate.process.select(way);
    }
}
