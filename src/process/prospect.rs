//! Where a suspended process is, and what it may still do.
//!
//! After `if q == 0 { reply 0; }` with `q` not 0 it cannot answer 0 any more, where nothing behind it replies so.

use super::{Process, Waiting};
use crate::spec::Site;
use crate::spec::code::{Pc, Program};
use crate::term::Term;
use crate::value::{self, Truth, Value};

impl Process {
    /// Whether the process may still answer so (`None`: not at all), if it goes on at `pc` of its innermost function.
    #[must_use]
    pub fn may_reply(&self, program: &Program, pc: Pc, answer: Option<&Value>) -> bool {
        if !self.task.running {
            return true;
        }
        let mut next = (self.task.frame.function, pc);
        let mut callers = self.task.callers.iter().rev();
        loop {
            let (function, pc) = next;
            let Some(heads) = program.functions[function as usize].heads.get(pc as usize) else { return true };
            if heads.admits(answer) {
                return true;
            }
            if !heads.returns {
                return false;
            }
            let Some(caller) = callers.next() else { return true };
            next = (caller.function, caller.pc);
        }
    }

    /// Where each way of an [`Event::Or`](super::Event::Or) goes on, if they differ in that.
    #[must_use]
    pub fn targets(&self) -> &[Pc] {
        match &self.task.waiting {
            Waiting::Target(targets) => targets,
            _ => &[],
        }
    }

    /// The elements that an [`Event::Or`](super::Event::Or) selects from, if it picks an element.
    #[must_use]
    pub fn elements(&self) -> &[Value] {
        match &self.task.waiting {
            Waiting::Element(_, elements, _) => elements,
            _ => &[],
        }
    }

    /// The condition on which picking one of these elements is a choice: under the guard of the arm, and where another one than it is
    /// there, too. `None` is always. A run whose only element it is picks without choosing, where no map starts unknown.
    #[must_use]
    pub fn picks_where(&self, program: &Program, way: usize) -> Option<Term> {
        let guard = self.path().cloned();
        let Waiting::Element(_, elements, Some(presences)) = &self.task.waiting else { return guard };
        if program.chooses_maps {
            return guard;
        }
        let differs = |other: &Value| match presences.are_distinct {
            true => value::equal(other, &elements[way]).map_or(Truth::Known(true), Truth::not),
            false => Truth::Known(true),
        };
        let others = presences.there.iter().zip(elements).enumerate().filter(|(at, _)| *at != way);
        let another = Term::or_all(others.map(|(_, (there, other))| there.clone().and(differs(other)).term()));
        Some(guard.map_or(another.clone(), |guard| Term::and(&guard, &another)))
    }

    /// The node of the instruction that was executed last.
    #[must_use]
    pub fn site(&self, program: &Program) -> Option<Site> {
        let frame = self.task.running.then_some(self.task.frame)?;
        let origin = &program.functions[frame.function as usize].origin;
        origin.get((frame.pc as usize).saturating_sub(1)).copied()
    }

    /// The condition of the arm that is being evaluated; `None` is always.
    #[must_use]
    pub fn path(&self) -> Option<&Term> {
        self.task.guards.last().map(|guard| &guard.path)
    }
}
