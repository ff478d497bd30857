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

/// Makes a choice, under the guard of the arm that it is made in.
pub(super) fn make(section: &mut Section<'_>, candidate: &mut Candidate, chosen: Chosen) -> Result<(), Infeasible> {
    let Section { spec, goal, .. } = *section;
    if let (Goal::Answer(answer), None, true) = (goal, &chosen.guard, section.judge.options.shown)
        && let Some(value @ Value::Scalar(_)) = candidate.process.shown(&spec.program, answer)
    {
        resume(section, candidate, value.clone(), None);
        return Ok(());
    }
    if !section.may_still_show(candidate) {
        return Err(Infeasible);
    }
    if let (Choice::Alternatives(2), None) = (&chosen.choice, &chosen.guard)
        && let Some(optional) = optional(section, candidate)
    {
        return choose_optional(section, candidate, &optional, chosen.site);
    }
    if let (Choice::Element(over, _), None) = (&chosen.choice, &chosen.guard)
        && let Some(wanted) = section.judge.steps.only_element(over, chosen.site)
    {
        let (there, only) = wanted?;
        candidate.require(there, None, &mut section.judge.solver)?;
        resume(section, candidate, only, None);
        return Ok(());
    }
    choose_any(section, candidate, chosen)
}

/// Chooses anything of what a choice ranges over.
fn choose_any(section: &mut Section<'_>, candidate: &mut Candidate, chosen: Chosen) -> Result<(), Infeasible> {
    let before = section.judge.fresh.last;
    let (value, restrictions) = havoc(&mut section.judge.fresh, &section.spec.types, &chosen);
    candidate.growth.count_choice(section.judge.fresh.last - before);
    // A range or a collection may be empty.
    section.findings.is_exhaustive &= !matches!(chosen.choice, Choice::Range(..) | Choice::Element(..));
    take_up(section, candidate, &restrictions, chosen.site)?;
    candidate.require(section.judge.steps.follow_where(&value, chosen.site), None, &mut section.judge.solver)?;
    resume(section, candidate, value, chosen.guard);
    Ok(())
}

/// Goes on with what was chosen.
fn resume(section: &mut Section<'_>, candidate: &mut Candidate, value: Value, guard: Option<Term>) {
    section.judge.log(candidate, || Logged::Value { value: value.clone(), guard });
    candidate.process.resume(value);
}

/// The optional value that a choice begins, where nobody wants to know of the two choices in it.
fn optional(section: &Section<'_>, candidate: &Candidate) -> Option<Optional> {
    let options = &section.judge.options;
    let unwatched = options.optional && !options.keep_choices && section.judge.steps.wanted.is_none();
    if unwatched { candidate.process.optional(&section.spec.program) } else { None }
}

/// Chooses whether there is a value, and which.
fn choose_optional(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    optional: &Optional,
    site: Site,
) -> Result<(), Infeasible> {
    let before = section.judge.fresh.last;
    let (value, restrictions) = havoc_optional(&mut section.judge.fresh, &section.spec.types, optional);
    // Each variable counts: where many options are kept, few are ever asked for.
    (before..section.judge.fresh.last).for_each(|_| candidate.growth.count_choice(1));
    candidate.process.resume_optional(value, optional);
    take_up(section, candidate, &restrictions, site)
}

/// Assumes what restricts fresh variables.
pub(super) fn take_up(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    facts: &[Term],
    site: Site,
) -> Result<(), Infeasible> {
    let at = Some(section.judge.place(site));
    candidate.assume_each(facts, at, &mut section.judge.solver)
}
