//! A new condition compared with the kept constraints that share a variable with it, one at a time.
//!
//! For example with `to_int(#1 + "7") = 47`, the condition `to_string(to_int(#1 + "7")) = #1 + "7"` is `#1 = "4"`. One of the two
//! implies the other, they exclude each other, or one gives the value of a computed atom in the other. Only conditions about the
//! inside of texts, and inequalities, are compared.

use super::residual::{Id, Residual};
use crate::scalar::Int;
use crate::term::{Kind, Term, relate};
use smallvec::SmallVec;

/// The constraints that share the first variable of the condition, if they are not too many; else none.
fn beside<'r>(rest: &'r Residual, condition: &Term) -> impl Iterator<Item = (Id, &'r Term)> {
    let mut ids = SmallVec::new();
    condition.any_var(&mut |var| {
        ids = rest.few_of(var);
        true
    });
    ids.into_iter().filter_map(|id| Some((id, rest.terms.get(id)?)))
}

/// The condition with the value of a computed atom, if a kept constraint gives that value.
pub(super) fn with_known_values(rest: &Residual, condition: &Term) -> Option<Term> {
    let values = beside(rest, condition).filter_map(|(_, known)| value(known));
    values.map(|(atom, n)| put(condition, atom, &n)).find(|simpler| simpler != condition)
}

/// The kept constraints with a computed atom whose value the condition gives, each with its new form.
pub(super) fn with_value_of(rest: &Residual, condition: &Term) -> Vec<(Id, Term)> {
    let Some((atom, n)) = value(condition) else { return Vec::new() };
    let changed = |(id, old): (Id, &Term)| Some((id, put(old, atom, &n))).filter(|(_, new)| new != old);
    beside(rest, condition).filter_map(changed).collect()
}

/// Tests whether a single kept constraint implies the condition; `None` if one excludes it.
pub(super) fn implied(rest: &Residual, condition: &Term) -> Option<bool> {
    for (_, known) in beside(rest, condition) {
        let relation = relate(known, condition);
        if relation.disjoint {
            return None;
        }
        if relation.forward {
            return Some(true);
        }
    }
    Some(false)
}

/// The kept constraints that follow from the condition, and so say nothing any more: of `2 * #1 - 3 * #2 <= 9` and
/// `2 * #1 - 3 * #2 <= 7` the second is enough.
pub(super) fn weaker(rest: &Residual, condition: &Term) -> Vec<Id> {
    beside(rest, condition).filter(|(_, known)| relate(known, condition).backward).map(|(id, _)| id).collect()
}

/// The computed atom and its value, if the condition is an equation of the two.
fn value(equation: &Term) -> Option<(&Term, Int)> {
    let Kind::Eq0(linear) = equation.kind() else { return None };
    let [(atom, one)] = linear.terms() else { return None };
    let computed = matches!(atom.kind(), Kind::Text(..)) && *one == Int::ONE;
    computed.then(|| (atom, linear.constant().neg()))
}

/// The term with a number in the place of an atom.
fn put(term: &Term, atom: &Term, n: &Int) -> Term {
    term.replace(&|node| (node == atom).then(|| Term::int(n.clone())))
}

/// Tests whether a condition is about the inside of texts.
pub(super) fn is_about_text(literal: &Term) -> bool {
    let computed = |term: &Term| matches!(term.kind(), Kind::Text(..));
    match literal.kind() {
        Kind::Not(inner) => is_about_text(inner),
        Kind::Or(parts) => parts.iter().any(is_about_text),
        Kind::Text(..) | Kind::Less(..) => true,
        Kind::Eq(subject, _) | Kind::Member(subject, _) => computed(subject),
        Kind::Le0(linear) | Kind::Eq0(linear) => matches!(linear.terms(), [(atom, _)] if computed(atom)),
        _ => false,
    }
}
