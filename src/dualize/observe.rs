//! The judge's policy: what a candidate on its way through a section does with each event.
//!
//! ```text
//! if q <= n { reply 0; } …     observed 0: #1 >= q is taken up; observed 1: the other side, #1 < q
//! ```

use smallvec::SmallVec;

use super::candidate::Candidate;
use super::goal::Goal;
use super::section::{Ended, Given, Open, Section};
use super::verdict::FaultReport;
use super::{bounds, choose, forget, fork, unify, ways};
use crate::process::{Event, Fault, Fresh, Limit};
use crate::solve::Answer;
use crate::spec::{Site, Spec};
use crate::symbolic::{Chosen, Fork, Policy};
use crate::term::Term;
use crate::value::{Truth, Value};

impl Policy for Section<'_> {
    type Path = Candidate;
    type Stopped = Ended;

    fn fresh(&mut self) -> &mut Fresh {
        &mut self.judge.fresh
    }

    #[inline]
    fn advance(&mut self, spec: &Spec, candidate: &mut Candidate) -> Result<Event, Ended> {
        let event = bounds::advance(self, &spec.program, candidate);
        self.judge.work.without_terms += 1;
        if self.is_exhausted() {
            return Err(Ended::Infeasible);
        }
        self.judge.steps.notice(&spec.program, candidate);
        Ok(event)
    }

    fn restrict(&mut self, path: &mut Candidate, facts: Vec<Term>, variables: u64, site: Site) -> Result<(), Ended> {
        path.growth.count_choice(variables);
        Ok(choose::take_up(self, path, &facts, site)?)
    }

    fn choose(&mut self, candidate: &mut Candidate, chosen: Chosen) -> Result<(), Ended> {
        Ok(choose::make(self, candidate, chosen)?)
    }

    fn fork(&mut self, candidate: &mut Candidate, fork: Fork) -> Result<(), Ended> {
        Ok(fork::follow(self, candidate, &fork)?)
    }

    fn select(&mut self, candidate: &mut Candidate, ways: usize, site: Site) -> Result<(), Ended> {
        let mut followed: SmallVec<[usize; 8]> = (0..ways).rev().collect();
        followed.retain(|way| self.may_go(candidate, *way, site));
        if ways::take_together(self, candidate, &followed) {
            return Ok(());
        }
        let Some(first) = followed.pop() else {
            self.findings.is_exhaustive = false;
            return Err(Ended::Infeasible);
        };
        for way in followed {
            self.pay(candidate)?;
            self.judge.count_fork(site);
            let mut other = self.judge.spares.copy(candidate);
            self.go(&mut other, way);
            self.open.push(Open::Running(other));
        }
        self.go(candidate, first);
        Ok(())
    }

    fn assume(&mut self, candidate: &mut Candidate, condition: Truth, site: Site) -> Result<(), Ended> {
        self.findings.is_exhaustive &= matches!(condition, Truth::Known(true));
        let at = self.judge.place(site);
        Ok(forget::assume_last(self.judge, candidate, condition, at)?)
    }

    fn expects(&mut self, candidate: &mut Candidate, duty: Truth, site: Site) -> Result<(), Ended> {
        let (broken, at) = (duty.clone().not(), self.judge.place(site));
        match candidate.allows(&broken, &mut self.judge.solver) {
            Answer::Unsat => return Ok(()),
            Answer::Sat if candidate.is_clean() => {
                let state = || candidate.where_holds(broken, at, &mut self.judge.solver);
                self.findings.breach(&self.judge.findings, at, state);
            }
            Answer::Sat | Answer::Unknown(_) => self.findings.perhaps_outside(at),
        }
        self.findings.is_exhaustive = false;
        Ok(candidate.require(duty, Some(at), &mut self.judge.solver)?)
    }

    fn fault(&mut self, candidate: &mut Candidate, wrong: Truth, fault: Fault) -> Result<(), Ended> {
        self.findings.is_exhaustive = false;
        let at = self.judge.place(fault.site);
        match candidate.allows(&wrong, &mut self.judge.solver) {
            Answer::Unsat => {}
            Answer::Sat if candidate.is_clean() => {
                // What is wrong with the initial state shows at the first event.
                let report = FaultReport { fault, event: self.judge.event.max(1) };
                let state = || candidate.where_holds(wrong.clone(), at, &mut self.judge.solver);
                self.findings.fault(&self.judge.findings, report, state);
            }
            Answer::Sat | Answer::Unknown(_) => self.findings.perhaps_faulty(at),
        }
        Ok(candidate.require(wrong.not(), Some(at), &mut self.judge.solver)?)
    }

    fn cut(
        &mut self,
        candidate: &mut Candidate,
        reached: Truth,
        limit: Limit,
        site: Option<Site>,
    ) -> Result<(), Ended> {
        self.findings.is_exhaustive = false;
        let at = site.map(|site| self.judge.place(site));
        if candidate.allows(&reached, &mut self.judge.solver) != Answer::Unsat {
            self.findings.cut(limit, at);
        }
        Ok(candidate.require(reached.not(), at, &mut self.judge.solver)?)
    }

    fn pause(&mut self, candidate: &mut Candidate) -> Result<(), Ended> {
        if self.goal == Goal::Section {
            candidate.process.suspend();
            return Err(Ended::Shows);
        }
        candidate.process.proceed();
        Ok(())
    }

    fn end(&mut self, candidate: &mut Candidate, answer: Option<(Value, Site)>) -> Ended {
        let shows = match answer {
            Some((answer, site)) => {
                candidate.replied = Some(site);
                unify::answer(self, candidate, Given { value: answer, site }).is_ok()
            }
            None => {
                self.findings.is_exhaustive &= self.goal == Goal::Lost;
                matches!(self.goal, Goal::Nothing | Goal::Lost | Goal::Section)
            }
        };
        if shows { Ended::Shows } else { Ended::Infeasible }
    }
}
