//! An internal choice of a candidate: a fresh variable, or what the observed answer says that was chosen.
//!
//! `let id = choose Id; reply Fresh(id);` observed to answer `Fresh("a")` chose `"a"`.

use super::candidate::{Candidate, Logged};
use super::goal::Goal;
use super::section::Section;
use crate::process::Choice;
use crate::spec::Site;
use crate::symbolic::{Chosen, Infeasible, havoc};
use crate::term::Term;
use crate::value::Value;

/// Makes a choice, under the guard of the arm that it is made in.
pub(super) fn make(section: &mut Section<'_>, candidate: &mut Candidate, chosen: Chosen) -> Result<(), Infeasible> {
    let Section { spec, goal, .. } = *section;
    if let (Goal::Answer(answer), None, true) = (goal, &chosen.guard, section.judge.options.provenance)
        && let Some(value @ Value::Scalar(_)) = candidate.process.shown_by(&spec.program, answer)
    {
        resume(section, candidate, value.clone(), None);
        return Ok(());
    }
    if !section.may_still_show(candidate) {
        return Err(Infeasible);
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
