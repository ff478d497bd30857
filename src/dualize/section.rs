//! The paths of a candidate through one section, each of them followed to its end.

use super::candidate::{Candidate, Logged};
use super::findings::Findings;
use super::frontier::Judge;
use super::goal::Goal;
use crate::process::{Limit, Process};
use crate::solve::Store;
use crate::spec::code::Pc;
use crate::spec::{Site, Spec};
use crate::symbolic::{Driven, Infeasible, drive};
use crate::value::Value;

/// The number of paths of one request beyond which the judge gives up on the others.
pub const PATH_LIMIT: u32 = 20_000;
/// What the copies of the paths of one request may cost together, in copied values.
pub(super) const COPY_LIMIT: usize = 20_000_000;

/// A path that is not at its end yet.
#[derive(Clone, Debug)]
pub(super) enum Open {
    /// In the middle of its section.
    Running(Candidate),
    /// At its answer, which is still to be compared.
    Answering(Candidate, Value, Site),
}

/// The paths of a candidate through one section.
pub(super) struct Section<'j> {
    pub(super) judge: &'j mut Judge,
    pub(super) spec: &'j Spec,
    pub(super) goal: Goal<'j>,
    /// Paths that are not at their end yet.
    pub(super) open: Vec<Open>,
    /// What was met on the way.
    pub(super) findings: Findings,
    /// What the copies of paths cost so far.
    pub(super) copied: usize,
}

/// The result of a section.
pub(super) struct Explored {
    /// Whether the first path shows what was observed.
    pub(super) first: Result<(), Infeasible>,
    /// Set where every state that entered the section left it with an answer.
    pub(super) is_exhaustive: bool,
}

/// The end of a path.
pub(super) enum Ended {
    /// It shows what was observed.
    Shows,
    /// No run that shows it comes this way.
    Infeasible,
}

impl From<Infeasible> for Ended {
    fn from(_: Infeasible) -> Ended {
        Ended::Infeasible
    }
}

impl Driven for Candidate {
    #[inline]
    fn parts(&mut self) -> (&mut Process, &Store) {
        let state = &mut **self;
        (&mut state.process, &state.store)
    }
}

impl Judge {
    /// Runs a candidate through its section, in place along the first path that shows what was observed. The candidates of other
    /// such paths are added to `others`.
    pub(super) fn explore(
        &mut self,
        spec: &Spec,
        candidate: &mut Candidate,
        goal: Goal<'_>,
        others: &mut Vec<Candidate>,
    ) -> Explored {
        let mut section = Section::new(self, spec, goal);
        let first = section.run(candidate);
        if !section.open.is_empty() {
            section.explore_open(others);
        }
        let is_exhaustive = section.findings.is_exhaustive;
        let findings = section.findings;
        self.findings.merge(findings);
        Explored { first, is_exhaustive }
    }

    /// Compares an answer that a section gave before with the observed one.
    pub(super) fn explore_answer(
        &mut self,
        spec: &Spec,
        answering: (Candidate, Value, Site),
        goal: Goal<'_>,
        shown: &mut Vec<Candidate>,
    ) {
        let mut section = Section::new(self, spec, goal);
        section.open.push(Open::Answering(answering.0, answering.1, answering.2));
        section.explore_open(shown);
        let findings = section.findings;
        self.findings.merge(findings);
    }
}

impl<'j> Section<'j> {
    fn new(judge: &'j mut Judge, spec: &'j Spec, goal: Goal<'j>) -> Section<'j> {
        Section { judge, spec, goal, open: Vec::new(), findings: Findings::default(), copied: 0 }
    }

    /// Runs one path to its end.
    fn run(&mut self, candidate: &mut Candidate) -> Result<(), Infeasible> {
        match drive(self.spec, self, candidate) {
            Ended::Shows => Ok(()),
            Ended::Infeasible => Err(Infeasible),
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
            if paths > PATH_LIMIT || self.copied > COPY_LIMIT {
                return self.give_up(Limit::Paths);
            }
            let shows = match &mut path {
                Open::Running(candidate) => self.run(candidate),
                Open::Answering(candidate, answer, site) => {
                    let answer = std::mem::replace(answer, Value::Absent);
                    self.unify(candidate, answer, *site)
                }
            };
            let (Open::Running(mut candidate) | Open::Answering(mut candidate, ..)) = path;
            match shows {
                Ok(()) => {
                    candidate.process.rest();
                    others.push(candidate);
                }
                Err(Infeasible) => self.judge.spares.take(candidate),
            }
        }
    }

    /// Tests whether the exchange has taken more than it may.
    pub(super) fn is_exhausted(&mut self) -> bool {
        let exceeded = self.judge.work.exceeded(&self.judge.options, &self.judge.solver);
        exceeded.is_some_and(|limit| {
            self.give_up(limit);
            true
        })
    }

    /// Notes that a limit cut paths off.
    pub(super) fn give_up(&mut self, limit: Limit) {
        self.findings.cut(limit, self.judge.forks.last());
        self.findings.is_exhaustive = false;
    }

    /// Tests whether the observed answer can still come from there.
    pub(super) fn may_show(&self, candidate: &Candidate, pc: Pc) -> bool {
        let Some(answer) = self.goal.only() else { return true };
        !self.judge.options.directed || candidate.process.may_reply(&self.spec.program, pc, answer)
    }

    /// Tests whether the observed answer can still come that way.
    pub(super) fn may_go(&mut self, candidate: &Candidate, way: usize, site: Site) -> bool {
        let process = &candidate.process;
        let may_show = process.targets().get(way).is_none_or(|pc| self.may_show(candidate, *pc));
        may_show && process.elements().get(way).is_none_or(|one| self.wants(one, site))
    }

    /// Takes one of several ways.
    pub(super) fn go(&mut self, candidate: &mut Candidate, way: usize) {
        if self.judge.options.keep_choices {
            let logged = match candidate.process.elements().get(way) {
                Some(element) => {
                    let guard = candidate.process.picks_where(&self.spec.program, way);
                    Logged::Element { value: element.clone(), guard }
                }
                None => Logged::Way(way),
            };
            self.judge.log(candidate, || logged);
        }
        candidate.process.select(way);
    }
}
