//! Consequences of one constraint about the inside of texts for another: it implies or excludes it, or gives a value in it.
//! Inequalities are compared with other constraints, too.
//!
//! For example beside `to_int(#1 + "7") = 47`, the condition `to_string(to_int(#1 + "7")) = #1 + "7"` is `#1 = "4"`.

use super::facts::{Conflict, Facts, Id, Pending, REVISITED};
use super::table::Set;
use crate::scalar::Int;
use crate::term::{Kind, Term, relate};

impl Facts {
    /// Constraints that share a variable with the condition, if they are not too many.
    fn beside(&self, condition: &Term) -> impl Iterator<Item = (Id, &Term)> {
        let mut first = None;
        condition.any_var(&mut |var| {
            first = Some(var);
            true
        });
        let rest = self.rest.as_deref();
        let ids = rest.zip(first).and_then(|(rest, var)| rest.of_var.get(var)).filter(|ids| ids.len() <= REVISITED);
        ids.into_iter().flat_map(Set::keys).filter_map(move |id| Some((id, rest?.terms.get(id)?)))
    }

    /// The condition, where a computed atom has a known value by a constraint that is there.
    pub(super) fn with_known_values(&self, condition: &Term) -> Option<Term> {
        let values = self.beside(condition).filter_map(|(_, known)| value(known));
        values.map(|(atom, n)| put(condition, atom, &n)).find(|simpler| simpler != condition)
    }

    /// The value that the condition gives to a computed atom replaces it in the constraints that are there.
    pub(super) fn unify_value(&mut self, condition: &Term, pending: &mut Pending) {
        let Some((atom, n)) = value(condition) else { return };
        let changed = |(id, term): (Id, &Term)| (id, put(term, atom, &n), term.clone());
        let all: Vec<(Id, Term, Term)> =
            self.beside(condition).map(changed).filter(|(_, new, old)| new != old).collect();
        for (id, new, _) in all {
            self.rest_mut().remove(id);
            pending.push(new);
        }
    }

    /// Tests whether a single constraint that is there implies the condition; returns `Err` where one excludes it.
    pub(super) fn follows_from_one(&self, condition: &Term) -> Result<bool, Conflict> {
        for (_, known) in self.beside(condition) {
            let relation = relate(known, condition);
            if relation.disjoint {
                return Err(Conflict);
            }
            if relation.forward {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Facts {
    /// Constraints that are there and follow from the condition say nothing any more: of `2 * #1 - 3 * #2 <= 9` and `<= 7` the
    /// second one is enough.
    pub(super) fn drop_what_follows_from(&mut self, condition: &Term) {
        let weaker: Vec<Id> =
            self.beside(condition).filter(|(_, known)| relate(known, condition).backward).map(|(id, _)| id).collect();
        for id in weaker {
            self.rest_mut().remove(id);
        }
    }
}

/// The computed atom of which an equation tells the value.
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

/// A condition about the inside of texts.
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
