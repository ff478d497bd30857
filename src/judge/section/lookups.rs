//! Lookups that wait for the answer (proofs-notes/answers.md).
//!
//! ```text
//! let t = tag; assume past.get_or(t, body) == body; reply t;     tag = #1 and 5,000 entries, observed "t7"
//! ```
//!
//! The lookup waits: its value is a fresh #2, and the condition is `#2 == body`. The answer gives `#1 = "t7"`, so #2 is what `past` has
//! under "t7", and no condition over all entries is made. Waiting lookups are also settled before a fault, a broken duty or a limit of
//! the path is noted, and before a fork on such a value.

use super::{Goal, PathOutcome, Section};
use crate::judge::candidate::Candidate;
use crate::process::{Choice, Limit, Lookup};
use crate::spec::{Site, Spec, Type};
use crate::symbolic::{Infeasible, Policy};
use crate::term::Condition;
use crate::value::{self, Truth, Value};

/// Lets a lookup wait if an answer is to come and the map is large, and makes it at once otherwise.
pub(crate) fn look_up(
    section: &mut Section<'_>,
    spec: &Spec,
    candidate: &mut Candidate,
    lookup: Lookup,
    site: Site,
) -> Result<(), PathOutcome> {
    let of = match spec.types.get(lookup.ty) {
        Type::Map(_, of) if !spec.types.is_opaque(lookup.ty) && !spec.types.holds_maps(*of) => *of,
        _ => {
            candidate.process.look_up_at_once();
            return Ok(());
        }
    };
    if !matches!(section.goal, Goal::Answer(_)) || !section.context.options.waits_for(lookup.map.bound()) {
        candidate.process.look_up_at_once();
        return Ok(());
    }
    let before = section.context.fresh.last;
    let (value, facts) = section.context.fresh.havoc(&spec.types, &Choice::Type(of));
    let variables = section.context.fresh.last - before;
    candidate.process.look_up_later(lookup, value, site);
    section.restrict(candidate, facts, variables, site)
}

/// Settles the waiting lookups: assumes that each one's value is what the map has under its key.
pub(crate) fn settle(section: &mut Section<'_>, candidate: &mut Candidate) -> Result<(), Infeasible> {
    for lookup in candidate.process.take_waiting_lookups() {
        let key = Value::of_term(candidate.store.resolve(&lookup.key));
        let found = lookup.map.get(&key).and_then(|(there, found)| Ok((there, value::equal(&lookup.value, &found)?)));
        match found {
            Ok((there, same)) => candidate.require(there.not().or(same), None, &mut section.context.solver)?,
            Err(_) => {
                _ = section.cut(candidate, Truth::Known(true), Limit::Undecidable, Some(lookup.site));
                return Err(Infeasible);
            }
        }
    }
    Ok(())
}

/// Tests whether a condition mentions the value of a waiting lookup.
pub(crate) fn is_open(candidate: &Candidate, condition: &Condition) -> bool {
    let mut is_open = false;
    for lookup in candidate.process.waiting_lookups() {
        let condition = condition.term();
        lookup.value.visit_variables(&mut |var| is_open |= condition.mentions(var));
    }
    is_open
}
