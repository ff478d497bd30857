//! Unifying an answer with the observed one: what is symbolic in it is assumed to be equal.
//!
//! `reply Pair(#1, 2)` where `Pair(5, 2)` was observed says `#1 = 5`; where `Pair(5, 3)` was, the path ends.

use super::candidate::Candidate;
use super::goal::Goal;
use super::section::{Ended, Open, Section};
use crate::process::{Answered, Fault, Limit};
use crate::spec::Site;
use crate::spec::code::FaultKind;
use crate::symbolic::{Infeasible, Policy};
use crate::term::Term;
use crate::value::{Ask, Split, Truth, Value};

impl Section<'_> {
    /// Compares an answer with the observed one.
    pub(super) fn unify(&mut self, candidate: &mut Candidate, mut answer: Value, site: Site) -> Result<(), Infeasible> {
        let expected = match self.goal {
            Goal::Answer(expected) => expected,
            Goal::Section => {
                candidate.process.send(answer, site);
                return Ok(());
            }
            Goal::Any | Goal::Lost => {
                candidate.answer = self.judge.options.keep_answers.then_some(answer);
                return Ok(());
            }
            Goal::Nothing => return Err(Infeasible),
        };
        let at = self.judge.place(site);
        match (&answer, expected) {
            (Value::Scalar(answer), Value::Scalar(expected)) if answer == expected => return Ok(()),
            (Value::Term(term), Value::Scalar(known)) => {
                if let Some(told) = self.judge.tell_value(candidate, term, known, at) {
                    return told;
                }
            }
            _ => {}
        }
        loop {
            let split = match candidate.shows(&answer, expected, at, &mut self.judge.solver) {
                Ok(shows) => return shows,
                Err(split) => split,
            };
            answer = self.told_apart(candidate, answer, split, site)?;
        }
    }

    /// An answer of which more is known, so that the comparison gets further.
    fn told_apart(
        &mut self,
        candidate: &mut Candidate,
        answer: Value,
        split: Split,
        site: Site,
    ) -> Result<Value, Infeasible> {
        match split {
            Split::On(condition) if condition.as_bool().is_none() => {
                self.fork_answer(candidate, answer, site, &condition)
            }
            Split::On(_) => self.is_beyond(candidate, Limit::Undecidable, site),
            Split::Uncounted => {
                let fault = Fault { kind: FaultKind::Uncounted, site };
                _ = self.fault(candidate, Truth::Known(true), fault);
                Err(Infeasible)
            }
            Split::Ask(ask) => self.asked(candidate, answer, &ask, site),
        }
    }

    /// An answer with a part of what is unknown in it.
    fn asked(&mut self, candidate: &mut Candidate, answer: Value, ask: &Ask, site: Site) -> Result<Value, Infeasible> {
        let spec = self.spec;
        match candidate.process.ask(&spec.program, ask) {
            Answered::Part(part) => match answer.filled(&part) {
                Some(filled) => Ok(filled),
                None => self.is_beyond(candidate, Limit::Undecidable, site),
            },
            Answered::Look(look) => match self.look(spec, candidate, &look, site) {
                Ok(()) => Ok(answer),
                Err(Ended::Shows | Ended::Infeasible) => Err(Infeasible),
            },
            Answered::Branch(condition) => self.fork_answer(candidate, answer, site, &condition),
            Answered::Cut(limit) => self.is_beyond(candidate, limit, site),
        }
    }

    /// Ends a path at a limit.
    fn is_beyond<T>(&mut self, candidate: &mut Candidate, limit: Limit, site: Site) -> Result<T, Infeasible> {
        _ = self.cut(candidate, Truth::Known(true), limit, Some(site));
        Err(Infeasible)
    }

    /// Opens both sides of a condition on which it depends what an answer is, in the place of their path.
    fn fork_answer<T>(
        &mut self,
        candidate: &Candidate,
        answer: Value,
        site: Site,
        condition: &Term,
    ) -> Result<T, Infeasible> {
        for holds in [true, false] {
            let mut side = self.judge.spares.copy(candidate);
            side.process.branch(holds);
            let side_condition = if holds { condition.clone() } else { Term::not(condition) };
            let at = Some(self.judge.place(site));
            if side.assume(&side_condition, at, &mut self.judge.solver).is_ok() {
                self.open.push(Open::Answering(side, answer.decide(condition, holds), site));
            }
        }
        Err(Infeasible)
    }
}
