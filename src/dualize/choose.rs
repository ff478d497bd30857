//! An internal choice of a candidate: a fresh variable, or what the observed answer says that was chosen.
//!
//! `let id = choose Id; reply Fresh(id);` observed to answer `Fresh("a")` chose `"a"`.

use std::sync::Arc;

use super::candidate::{Alive, Candidate, Logged};
use super::frontier::Judge;
use super::goal::Goal;
use crate::process::{Choice, Fresh, Look};
use crate::scalar::Sort;
use crate::spec::code::Program;
use crate::spec::optional::{Arm, Optional};
use crate::spec::{Site, Spec, Types};
use crate::term::Term;
use crate::value::{Alternatives, Pattern, Value};

/// An optional value of fresh variables, and what restricts it.
fn made_now(fresh: &mut Fresh, types: &Types, optional: &Optional) -> (Alternatives, Vec<Term>) {
    let first = fresh.variable(Sort::Bool);
    let (inner, restrictions) = fresh.havoc(types, &Choice::Type(optional.ty));
    let (none, some) = (Value::unit(optional.none), Value::data(optional.some, [inner]));
    let second = Term::not(&first);
    let (there, then, otherwise) = match optional.first {
        Arm::None => (&second, none, some),
        Arm::Some => (&first, some, none),
    };
    let restrictions = restrictions.iter().map(|restriction| Term::implies(there, restriction)).collect();
    ([(first, then), (second, otherwise)].into_iter().collect(), restrictions)
}

impl Judge {
    /// Makes a choice, under the guard of the arm that it is made in.
    pub(super) fn choose(
        &mut self,
        spec: &Spec,
        candidate: &mut Candidate,
        (choice, guard, site): (Choice, Option<Term>, Site),
        goal: Goal<'_>,
    ) -> Alive {
        if let (Goal::Answer(answer), None, true) = (goal, &guard, self.options.shown)
            && let Some(value @ Value::Scalar(_)) = candidate.process.shown(&spec.program, answer)
        {
            self.log(candidate, || Logged::Value { value: value.clone(), guard: None });
            candidate.process.resume(value.clone());
            return Alive::Yes;
        }
        if !self.may_still_show(&spec.program, candidate, goal) {
            return Alive::No;
        }
        if let (Choice::Alternatives(2), None, Some(optional)) =
            (&choice, &guard, self.optional(&spec.program, candidate))
        {
            return self.choose_optional(spec, candidate, &optional, site);
        }
        if let (Choice::Element(over, _), None) = (&choice, &guard)
            && let Some((value, alive)) = self.wanted_element(candidate, over, site)
        {
            self.log(candidate, || Logged::Value { value: value.clone(), guard });
            candidate.process.resume(value);
            return alive;
        }
        let before = self.fresh.last;
        let (value, restrictions) = self.fresh.havoc(&spec.types, &choice);
        candidate.count_choice(self.fresh.last - before);
        // A range or a collection may be empty.
        self.whole &= !matches!(choice, Choice::Range(..) | Choice::Element(..));
        let mut alive = self.restrict_choice(candidate, restrictions, guard.as_ref(), site);
        if alive == Alive::Yes {
            alive = self.want(candidate, &value, site);
        }
        self.log(candidate, || Logged::Value { value: value.clone(), guard });
        candidate.process.resume(value);
        alive
    }

    /// The optional value that a choice begins, where nobody wants to know of the two choices in it.
    fn optional(&self, program: &Program, candidate: &Candidate) -> Option<Optional> {
        let unwatched = self.options.optional && !self.options.keep_choices && self.wanted.is_none();
        if unwatched { candidate.process.optional(program) } else { None }
    }

    /// Chooses whether there is a value, and which.
    fn choose_optional(&mut self, spec: &Spec, candidate: &mut Candidate, optional: &Optional, site: Site) -> Alive {
        let before = self.fresh.last;
        let (alternatives, restrictions) = match self.pattern(&spec.types, optional) {
            Some(pattern) => {
                self.fresh.last += pattern.variables();
                (pattern.behind(before), Vec::new())
            }
            None => made_now(&mut self.fresh, &spec.types, optional),
        };
        // Each variable counts: where many options are kept, few are ever asked for.
        (before..self.fresh.last).for_each(|_| candidate.count_choice(1));
        candidate.process.resume_optional(Value::Union(alternatives), optional);
        self.restrict_choice(candidate, restrictions, None, site)
    }

    /// What an optional value is like, where nothing restricts it: it is made when it is looked at.
    fn pattern(&mut self, types: &Types, optional: &Optional) -> Option<Arc<Pattern>> {
        if !self.options.by_need {
            return None;
        }
        if let Some((_, known)) = self.patterns.iter().find(|(of, _)| of == optional) {
            return known.clone();
        }
        let mut fresh = Fresh::default();
        let (alternatives, restrictions) = made_now(&mut fresh, types, optional);
        let pattern = Pattern::of(&alternatives, fresh.last).filter(|_| restrictions.is_empty()).map(Arc::new);
        self.patterns.push((*optional, pattern.clone()));
        pattern
    }

    /// Assumes what restricts a choice, under the guard of the arm that it is made in.
    fn restrict_choice(
        &mut self,
        candidate: &mut Candidate,
        restrictions: Vec<Term>,
        guard: Option<&Term>,
        site: Site,
    ) -> Alive {
        for restriction in restrictions {
            let guarded = match guard {
                Some(guard) => Term::implies(guard, &restriction),
                None => restriction,
            };
            if candidate.assume(&guarded, Some(self.place(site)), &mut self.solver) == Alive::No {
                return Alive::No;
            }
        }
        Alive::Yes
    }

    /// Makes a part of an unknown value out of fresh variables.
    pub(super) fn look(&mut self, spec: &Spec, candidate: &mut Candidate, look: &Look, site: Site) -> Alive {
        let before = self.fresh.last;
        let facts = candidate.process.look(&mut self.fresh, &spec.types, look);
        candidate.count_choice(self.fresh.last - before);
        self.restrict_choice(candidate, facts, None, site)
    }
}
