//! The judge's policy: what a candidate on its way through a section does with each event.
//!
//! ```text
//! if q <= n { reply 0; } …     observed 0: #1 >= q is taken up; observed 1: the other side, #1 < q
//! ```

use smallvec::SmallVec;

use super::candidate::Candidate;
use super::goal::Goal;
use super::section::{Ended, Given, Open, Section};
use super::{bounds, choose, forget, fork, met, unify, ways};
use crate::process::{Event, Fault, Fresh, Limit};
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
        Ok(met::duty(self, candidate, duty, site)?)
    }

    fn fault(&mut self, candidate: &mut Candidate, wrong: Truth, fault: Fault) -> Result<(), Ended> {
        Ok(met::fault(self, candidate, wrong, fault)?)
    }

    fn cut(
        &mut self,
        candidate: &mut Candidate,
        reached: Truth,
        limit: Limit,
        site: Option<Site>,
    ) -> Result<(), Ended> {
        Ok(met::limit(self, candidate, reached, (limit, site))?)
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
