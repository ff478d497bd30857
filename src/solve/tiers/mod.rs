//! The tiers that check that a model is left after facts changed, the cheapest first; each is exact if it answers.
//!
//! For example `#1 != #2` for a fresh #2 costs one value that differs. The tiers, in order: no constrained variable changed; the
//! cached model still satisfies; a change of one of its values does ([`repair`]); each touched component is decided by itself
//! ([`Solver::decide`]), by closure of differences, case splits, or Z3.

pub(crate) mod repair;
pub(crate) mod search;
pub(crate) mod texts;
pub(crate) mod theories;
pub(crate) mod z3;

use super::facts::{Conflict, Facts, Touched};
use super::residual::Id;
use super::{Solved, Solver, Tiers};
use crate::term::Var;
use std::collections::BTreeSet;

/// Checks that the facts, which had a model before they were touched, have one still; components that no tier decides become
/// open.
pub(super) fn check(facts: &mut Facts, touched: &Touched, solver: &mut Solver) -> Result<(), Conflict> {
    let asked_again = facts.rest.as_ref().is_some_and(|rest| rest.gained && !rest.open.is_empty());
    if facts.rest.is_none() || touched.added.is_empty() && touched.vars.is_empty() && !asked_again {
        solver.statistics.by_domain += 1;
        return Ok(());
    }
    let cached = solver.limits.tiers != Tiers::OnlyZ3 && !asked_again;
    if cached && (repair::model_stays(facts, touched) || repair::repair(facts, touched)) {
        solver.statistics.by_model += 1;
        return Ok(());
    }
    search(facts, touched, solver)
}

/// Decides the touched components, each by itself.
fn search(facts: &mut Facts, touched: &Touched, solver: &mut Solver) -> Result<(), Conflict> {
    let Some(rest) = facts.rest.clone() else { return Ok(()) };
    let mut seeds: BTreeSet<Id> = touched.added.iter().copied().collect();
    seeds.extend(touched.vars.iter().filter_map(|var| Some(rest.of_var.get(var)?.first()?.0)));
    while let Some(seed) = seeds.pop_first() {
        let component = facts.component([seed]);
        seeds.retain(|id| !component.ids.contains(id));
        let undecided = component.ids.iter().find_map(|id| rest.open.get(id)).filter(|_| !rest.gained);
        let solved = solver.decide(&facts.part(&component), undecided.copied());
        let rest = facts.rest_mut();
        match solved {
            Solved::Unsat => return Err(Conflict),
            Solved::Sat(model) => {
                rest.searched = rest.searched.saturating_add(component.ids.len() as u32);
                component.ids.iter().for_each(|id| _ = rest.open.remove(id));
                let value = |var: &Var| (*var, model.get(*var).cloned().unwrap_or_else(|| var.sort.simplest()));
                rest.model.extend(component.vars.iter().map(value));
            }
            Solved::Unknown(why) => rest.open.extend(component.ids.iter().map(|id| (*id, why))),
        }
    }
    facts.rest_mut().gained = false;
    Ok(())
}
