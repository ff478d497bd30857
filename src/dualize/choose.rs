//! An internal choice of a candidate: a fresh variable, or what the observed answer says that was chosen.
//!
//! `let id = choose Id; reply Fresh(id);` observed to answer `Fresh("a")` chose `"a"`.

use super::candidate::{Candidate, Logged};
use super::goal::Goal;
use super::section::Section;
use crate::process::{Choice, Fresh};
use crate::scalar::Sort;
use crate::spec::optional::{Arm, Optional};
use crate::spec::{Site, Types};
use crate::symbolic::{Chosen, Infeasible, havoc};
use crate::term::Term;
use crate::value::Value;

/// An optional value of fresh variables, and what restricts it.
fn havoc_optional(fresh: &mut Fresh, types: &Types, optional: &Optional) -> (Value, Vec<Term>) {
    let first = fresh.variable(Sort::Bool);
    let (inner, restrictions) = fresh.havoc(types, &Choice::Type(optional.ty));
    let (none, some) = (Value::unit(optional.none), Value::data(optional.some, [inner]));
    let second = Term::not(&first);
    let (there, then, otherwise) = match optional.first {
        Arm::None => (&second, none, some),
        Arm::Some => (&first, some, none),
    };
    let restrictions = restrictions.iter().map(|restriction| Term::implies(there, restriction)).collect();
    (Value::Union([(first, then), (second, otherwise)].into_iter().collect()), restrictions)
}

impl Section<'_> {
    /// Makes a choice, under the guard of the arm that it is made in.
    pub(super) fn make(&mut self, candidate: &mut Candidate, chosen: Chosen) -> Result<(), Infeasible> {
        let Section { spec, goal, .. } = *self;
        if let (Goal::Answer(answer), None, true) = (goal, &chosen.guard, self.judge.options.shown)
            && let Some(value @ Value::Scalar(_)) = candidate.process.shown(&spec.program, answer)
        {
            self.resume(candidate, value.clone(), None);
            return Ok(());
        }
        if !self.may_still_show(candidate) {
            return Err(Infeasible);
        }
        if let (Choice::Alternatives(2), None) = (&chosen.choice, &chosen.guard)
            && let Some(optional) = self.optional(candidate)
        {
            return self.choose_optional(candidate, &optional, chosen.site);
        }
        if let (Choice::Element(over, _), None) = (&chosen.choice, &chosen.guard)
            && let Some(wanted) = self.wanted_element(candidate, over, chosen.site)
        {
            self.resume(candidate, wanted?, None);
            return Ok(());
        }
        self.choose_any(candidate, chosen)
    }

    /// Chooses anything of what a choice ranges over.
    fn choose_any(&mut self, candidate: &mut Candidate, chosen: Chosen) -> Result<(), Infeasible> {
        let before = self.judge.fresh.last;
        let (value, restrictions) = havoc(&mut self.judge.fresh, &self.spec.types, &chosen);
        candidate.growth.count_choice(self.judge.fresh.last - before);
        // A range or a collection may be empty.
        self.findings.is_exhaustive &= !matches!(chosen.choice, Choice::Range(..) | Choice::Element(..));
        self.take_up(candidate, &restrictions, chosen.site)?;
        self.want(candidate, &value, chosen.site)?;
        self.resume(candidate, value, chosen.guard);
        Ok(())
    }

    /// Goes on with what was chosen.
    fn resume(&mut self, candidate: &mut Candidate, value: Value, guard: Option<Term>) {
        self.judge.log(candidate, || Logged::Value { value: value.clone(), guard });
        candidate.process.resume(value);
    }

    /// The optional value that a choice begins, where nobody wants to know of the two choices in it.
    fn optional(&self, candidate: &Candidate) -> Option<Optional> {
        let options = &self.judge.options;
        let unwatched = options.optional && !options.keep_choices && self.judge.wanted.is_none();
        if unwatched { candidate.process.optional(&self.spec.program) } else { None }
    }

    /// Chooses whether there is a value, and which.
    fn choose_optional(
        &mut self,
        candidate: &mut Candidate,
        optional: &Optional,
        site: Site,
    ) -> Result<(), Infeasible> {
        let before = self.judge.fresh.last;
        let (value, restrictions) = havoc_optional(&mut self.judge.fresh, &self.spec.types, optional);
        // Each variable counts: where many options are kept, few are ever asked for.
        (before..self.judge.fresh.last).for_each(|_| candidate.growth.count_choice(1));
        candidate.process.resume_optional(value, optional);
        self.take_up(candidate, &restrictions, site)
    }

    /// Assumes what restricts fresh variables.
    pub(super) fn take_up(&mut self, candidate: &mut Candidate, facts: &[Term], site: Site) -> Result<(), Infeasible> {
        let at = Some(self.judge.place(site));
        candidate.assume_each(facts, at, &mut self.judge.solver)
    }
}
