//! Running a candidate through a section against an observed answer.

use super::Verdict;
use super::candidate::{Alive, Candidate, Logged};
use super::fork::{COPY_LIMIT, Fork, decide_arm};
use super::frontier::{Judge, PATH_LIMIT, Perhaps};
use super::goal::Goal;
use super::verdict::{Doubt, FaultReport, Place};
use crate::process::{Answered, Event, Fault, Limit};
use crate::solve::Answer;
use crate::spec::code::{FaultKind, Pc, Program};
use crate::spec::{Site, Spec};
use crate::term::Term;
use crate::value::{Lifted, Split, Truth, Value};

/// Why it is not known whether the specification is faulty, or the client broke its duty.
const PERHAPS: Doubt = Doubt::Limit(Limit::Undecidable);

/// The last time that the client broke its duty on some path; of one exchange, the first place.
#[derive(Clone, Debug)]
pub(super) struct Breach {
    /// The event and the statement.
    at: Place,
    /// The state in which it did.
    state: Box<Candidate>,
}

/// A path that is not at its end yet.
#[derive(Clone, Debug)]
pub(super) enum Open {
    /// In the middle of its section.
    Running(Candidate),
    /// At its answer, which is still to be compared.
    Answering(Candidate, Value, Site),
}

impl Judge {
    /// Runs a candidate through its section, in place along the first path that shows what was observed; whether that one
    /// does. The candidates of other such paths are added to `others`.
    pub(super) fn explore(
        &mut self,
        spec: &Spec,
        candidate: &mut Candidate,
        goal: Goal<'_>,
        others: &mut Vec<Candidate>,
    ) -> Alive {
        self.copied = 0;
        let mut open = std::mem::take(&mut self.open);
        let alive = self.run(spec, candidate, goal, &mut open);
        self.explore_open(spec, goal, &mut open, others);
        self.open = open;
        alive
    }

    /// Runs paths to their ends; the candidates of those that show what was observed are added to `others`.
    pub(super) fn explore_open(
        &mut self,
        spec: &Spec,
        goal: Goal<'_>,
        open: &mut Vec<Open>,
        others: &mut Vec<Candidate>,
    ) {
        let mut paths = 1u32;
        while let Some(mut path) = open.pop() {
            paths += 1;
            if self.is_exhausted() {
                break;
            }
            if paths > PATH_LIMIT || self.copied > COPY_LIMIT {
                self.give_up(Limit::Paths);
                self.whole = false;
                break;
            }
            let alive = match &mut path {
                Open::Running(candidate) => self.run(spec, candidate, goal, open),
                Open::Answering(candidate, answer, site) => {
                    let answer = std::mem::replace(answer, Value::Absent);
                    self.unify(spec, candidate, (answer, *site), goal, open)
                }
            };
            let (Open::Running(mut candidate) | Open::Answering(mut candidate, ..)) = path;
            match alive {
                Alive::Yes => {
                    candidate.process.rest();
                    others.push(candidate);
                }
                Alive::No => self.spares.take(candidate),
            }
        }
        open.clear();
    }

    /// Runs one path to its end; whether it explains the observation.
    fn run(&mut self, spec: &Spec, candidate: &mut Candidate, goal: Goal<'_>, open: &mut Vec<Open>) -> Alive {
        let program = &spec.program;
        debug_assert!(self.deferred.is_none(), "the condition of another path");
        loop {
            let event = self.advance(program, candidate);
            self.worked += 1;
            if self.is_exhausted() {
                self.deferred = None;
                return Alive::No;
            }
            if self.deferred.is_some()
                && !matches!(event, Event::Send(..))
                && self.assume_deferred(candidate) == Alive::No
            {
                return Alive::No;
            }
            self.notice(program, candidate);
            let alive = match event {
                Event::Choose { choice, guard, site } => self.choose(spec, candidate, (choice, guard, site), goal),
                Event::Look { look, site } => self.look(spec, candidate, &look, site),
                Event::Branch { condition, sides, site } => {
                    self.branch(program, candidate, Fork { condition: &condition, sides, site }, goal, open)
                }
                Event::Guard { condition, path } => {
                    let decided = decide_arm(&candidate.store, &condition, path.as_ref());
                    candidate.process.guard(decided);
                    Alive::Yes
                }
                Event::Or { ways, site } => self.select(program, candidate, (ways, site), goal, open),
                Event::Assume(condition, site) => {
                    candidate.process.proceed();
                    self.whole &= matches!(condition, Truth::Known(true));
                    self.assume_last(candidate, condition, self.place(site))
                }
                Event::Expects(condition, site) => self.expects(candidate, condition, site),
                Event::Fault(condition, fault) => self.fault(candidate, condition, fault),
                Event::Cut(condition, limit) => {
                    let site = candidate.process.site(program);
                    self.cut_off(candidate, condition, limit, site)
                }
                Event::Send(answer, site) => {
                    candidate.replied = Some(site);
                    return self.unify(spec, candidate, (answer, site), goal, open);
                }
                Event::End => {
                    self.whole &= goal == Goal::Lost;
                    let silent = matches!(goal, Goal::Nothing | Goal::Lost | Goal::Section);
                    return if silent { Alive::Yes } else { Alive::No };
                }
                Event::Yield if goal == Goal::Section => {
                    candidate.process.suspend();
                    return Alive::Yes;
                }
                Event::Yield => {
                    candidate.process.proceed();
                    Alive::Yes
                }
                Event::Recv => return Alive::No,
            };
            if alive == Alive::No {
                return Alive::No;
            }
        }
    }

    /// A node of the specification, now.
    pub(super) fn place(&self, site: Site) -> Place {
        Place { event: self.event, site }
    }

    /// Compares an answer with the observed one.
    fn unify(
        &mut self,
        spec: &Spec,
        candidate: &mut Candidate,
        (mut answer, site): (Value, Site),
        goal: Goal<'_>,
        open: &mut Vec<Open>,
    ) -> Alive {
        let in_parts =
            matches!((&answer, goal), (Value::Data { fields: Some(_), .. } | Value::Union(_), Goal::Answer(_)));
        if self.deferred.is_some() && !in_parts && self.assume_deferred(candidate) == Alive::No {
            return Alive::No;
        }
        let expected = match goal {
            Goal::Answer(expected) => expected,
            Goal::Section => {
                candidate.process.send(answer, site);
                return Alive::Yes;
            }
            Goal::Any | Goal::Lost => {
                candidate.answer = self.options.keep_answers.then_some(answer);
                return Alive::Yes;
            }
            Goal::Nothing => return Alive::No,
        };
        let at = self.place(site);
        match (&answer, expected) {
            (Value::Scalar(answer), Value::Scalar(expected)) if answer == expected => return Alive::Yes,
            (Value::Term(term), Value::Scalar(known)) => {
                if let Some(told) = self.tell_value(candidate, term, known, at) {
                    return told;
                }
            }
            _ => {}
        }
        loop {
            let ask = match self.shows(candidate, &mut answer, expected, at) {
                Ok(alive) => return alive,
                Err(Split::On(condition)) if condition.as_bool().is_none() => {
                    self.fork_answer(candidate, (answer, site), &condition, open);
                    return Alive::No;
                }
                Err(Split::On(_)) => {
                    return self.cut_off(candidate, Truth::Known(true), Limit::Undecidable, Some(site));
                }
                Err(Split::Uncounted) => {
                    let fault = Fault { kind: FaultKind::Uncounted, site };
                    return self.fault(candidate, Truth::Known(true), fault);
                }
                Err(Split::Ask(ask)) => ask,
            };
            match candidate.process.ask(&spec.program, &ask) {
                Answered::Part(part) => match answer.filled(&part) {
                    Some(filled) => answer = filled,
                    None => return self.cut_off(candidate, Truth::Known(true), Limit::Undecidable, Some(site)),
                },
                Answered::Look(look) => {
                    if self.look(spec, candidate, &look, site) == Alive::No {
                        return Alive::No;
                    }
                }
                Answered::Branch(condition) => {
                    self.fork_answer(candidate, (answer, site), &condition, open);
                    return Alive::No;
                }
                Answered::Cut(limit) => return self.cut_off(candidate, Truth::Known(true), limit, Some(site)),
            }
        }
    }

    /// Whether an answer is the observed one, and on a condition that was deferred; that one is assumed in any case.
    fn shows(&mut self, candidate: &mut Candidate, answer: &mut Value, expected: &Value, at: Place) -> Lifted<Alive> {
        let deferred = self.deferred.take();
        let more = deferred.as_ref().map(|(condition, _)| condition);
        let shown = candidate.shows(answer, expected, more, at, &mut self.solver);
        match (&shown, deferred) {
            (Err(_), Some((condition, at))) => match candidate.assume(&condition, Some(at), &mut self.solver) {
                Alive::Yes => shown,
                Alive::No => Ok(Alive::No),
            },
            _ => shown,
        }
    }

    /// Both sides of a condition on which it depends what an answer is.
    fn fork_answer(
        &mut self,
        candidate: &Candidate,
        (answer, site): (Value, Site),
        condition: &Term,
        open: &mut Vec<Open>,
    ) {
        for holds in [true, false] {
            let mut side = self.spares.copy(candidate);
            side.process.branch(holds);
            let side_condition = if holds { condition.clone() } else { Term::not(condition) };
            if side.assume(&side_condition, Some(self.place(site)), &mut self.solver) == Alive::Yes {
                open.push(Open::Answering(side, answer.decide(condition, holds), site));
            }
        }
    }

    fn select(
        &mut self,
        program: &Program,
        candidate: &mut Candidate,
        (ways, site): (usize, Site),
        goal: Goal<'_>,
        open: &mut Vec<Open>,
    ) -> Alive {
        let mut first = None;
        for way in (0..ways).rev() {
            if !self.may_go(program, candidate, (way, site), goal) {
                continue;
            }
            if let Some(other) = first.replace(way)
                && self.go_too(candidate, (other, site), open) == Alive::No
            {
                return Alive::No;
            }
        }
        let Some(first) = first else {
            self.whole = false;
            return Alive::No;
        };
        self.go(candidate, first);
        Alive::Yes
    }

    /// Whether the observed answer can still come that way.
    fn may_go(&mut self, program: &Program, candidate: &Candidate, (way, site): (usize, Site), goal: Goal<'_>) -> bool {
        let process = &candidate.process;
        let may_show = process.targets().get(way).is_none_or(|pc| self.may_show(program, candidate, *pc, goal));
        may_show && process.elements().get(way).is_none_or(|one| self.wants(one, site))
    }

    /// A copy of a candidate takes one of several ways.
    fn go_too(&mut self, candidate: &Candidate, (way, site): (usize, Site), open: &mut Vec<Open>) -> Alive {
        if self.pay(candidate) == Alive::No {
            return Alive::No;
        }
        self.count_fork(site);
        let mut other = self.spares.copy(candidate);
        self.go(&mut other, way);
        open.push(Open::Running(other));
        Alive::Yes
    }

    /// Takes one of several ways.
    fn go(&mut self, candidate: &mut Candidate, way: usize) {
        if self.options.keep_choices {
            let logged = match candidate.process.elements().get(way) {
                Some(element) => Logged::Element { value: element.clone(), guard: candidate.process.path().cloned() },
                None => Logged::Way(way),
            };
            self.log(candidate, || logged);
        }
        candidate.process.select(way);
    }

    /// Whether the observed answer can still come if the process goes on there.
    pub(super) fn may_show(&self, program: &Program, candidate: &Candidate, pc: Pc, goal: Goal<'_>) -> bool {
        let Some(answer) = goal.only() else { return true };
        !self.options.directed || candidate.process.may_reply(program, pc, answer)
    }

    fn expects(&mut self, candidate: &mut Candidate, condition: Truth, site: Site) -> Alive {
        candidate.process.proceed();
        let (broken, at) = (condition.clone().not(), self.place(site));
        match candidate.allows(&broken, &mut self.solver) {
            Answer::Unsat => return Alive::Yes,
            Answer::Sat if candidate.is_clean() => self.breach(candidate, broken, at),
            Answer::Sat | Answer::Unknown(_) => {
                self.perhaps.outside.get_or_insert(at);
            }
        }
        self.whole = false;
        candidate.require(condition, Some(at), &mut self.solver)
    }

    /// Keeps where the client broke its duty last, and the state in which it did: up to there another run explains the trace.
    fn breach(&mut self, candidate: &Candidate, broken: Truth, at: Place) {
        if self.outside.as_ref().is_none_or(|last| last.at.event < at.event) {
            let mut state = candidate.clone();
            state.require(broken, Some(at), &mut self.solver);
            self.outside = Some(Breach { at, state: Box::new(state) });
        }
    }

    fn fault(&mut self, candidate: &mut Candidate, condition: Truth, fault: Fault) -> Alive {
        candidate.process.proceed();
        self.whole = false;
        let at = self.place(fault.site);
        match candidate.allows(&condition, &mut self.solver) {
            Answer::Unsat => {}
            Answer::Sat if candidate.is_clean() => self.report(candidate, &condition, fault),
            Answer::Sat | Answer::Unknown(_) => {
                self.perhaps.faulty.get_or_insert(at);
            }
        }
        candidate.require(condition.not(), Some(at), &mut self.solver)
    }

    /// Keeps the first fault, with the state in which it is met.
    fn report(&mut self, candidate: &Candidate, condition: &Truth, fault: Fault) {
        if self.fault.is_none() {
            // What is wrong with the initial state shows at the first event.
            self.fault = Some(FaultReport { fault, event: self.event.max(1) });
            let mut faulty = candidate.clone();
            faulty.require(condition.clone(), Some(self.place(fault.site)), &mut self.solver);
            self.faulty = Some(Box::new(faulty));
        }
    }

    fn cut_off(&mut self, candidate: &mut Candidate, condition: Truth, limit: Limit, site: Option<Site>) -> Alive {
        candidate.process.proceed();
        self.whole = false;
        let at = site.map(|site| self.place(site));
        if candidate.allows(&condition, &mut self.solver) != Answer::Unsat {
            self.cut.get_or_insert((limit, at));
        }
        candidate.require(condition.not(), at, &mut self.solver)
    }

    /// The verdict on everything observed so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.candidates.iter().any(Candidate::is_clean) || self.event == 0 {
            return Verdict::Accept { warning: self.fault.clone() };
        }
        if let Some((doubt, _)) = self.undecided() {
            return Verdict::Unknown { doubt, warning: self.fault.clone() };
        }
        if let Some(fault) = &self.fault {
            return Verdict::Fault(fault.clone());
        }
        if let (Some(&Breach { at: Place { event, site }, .. }), None) = (self.outside.as_ref(), self.perhaps.faulty) {
            return Verdict::Outside { event, site };
        }
        if self.perhaps != Perhaps::default() {
            return Verdict::Unknown { doubt: PERHAPS, warning: None };
        }
        let event_from = self.clean_died.filter(|from| *from < self.event);
        Verdict::Reject { event: self.event, event_from }
    }

    /// Why the verdict is unknown, where it is, and where the question was asked.
    #[must_use]
    pub fn doubt(&self) -> Option<(Doubt, Option<Place>)> {
        let Perhaps { faulty, outside } = self.perhaps;
        self.undecided().or_else(|| faulty.or(outside).map(|at| (PERHAPS, Some(at))))
    }

    /// Why something clean may explain everything, though nothing is known to.
    fn undecided(&self) -> Option<(Doubt, Option<Place>)> {
        if let Some(candidate) = self.candidates.first() {
            return Some((candidate.doubt.clone()?, candidate.doubted));
        }
        self.cut.map(|(limit, at)| (Doubt::Limit(limit), at))
    }

    /// The state in which the fault that was found first is met, with what leads there.
    #[must_use]
    pub fn faulty(&self) -> Option<&Candidate> {
        self.faulty.as_deref()
    }

    /// The state in which the client last broke its duty, if it did on some path.
    #[must_use]
    pub fn breached(&self) -> Option<&Candidate> {
        self.outside.as_ref().map(|breach| &*breach.state)
    }
}
