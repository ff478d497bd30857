//! Lists of which only the elements matter, as sets: each element is a cell, which is there or not.
//!
//! `[5?p, 3, 5?q]` does the same as `{3, 5?p||q}` wherever the variable is read ([`Program::unordered`]).
//!
//! [`Program::unordered`]: crate::spec::code::Program

use std::collections::BTreeMap;

use crate::judge::candidate::Candidate;
use crate::value::{Entry, ListItems, Map, OpenItem, Presence, Truth, Value};

/// Turns such lists into sets, for a variable in all candidates or in none: only values of one kind can be put together.
pub(in crate::judge) fn to_sets(candidates: &mut [Candidate], unordered: &[bool]) {
    change(candidates, unordered, set);
}

/// Turns such sets into lists, with each element once and in its order.
pub(in crate::judge) fn to_lists(candidates: &mut [Candidate], unordered: &[bool]) {
    change(candidates, unordered, list);
}

fn change(candidates: &mut [Candidate], unordered: &[bool], to: fn(&Value) -> Option<Value>) {
    for slot in (0..unordered.len()).filter(|slot| unordered[*slot]) {
        let changed: Option<Vec<Value>> =
            candidates.iter().map(|candidate| to(&candidate.process.memory[slot])).collect();
        for (candidate, changed) in candidates.iter_mut().zip(changed.into_iter().flatten()) {
            candidate.process.memory[slot] = changed;
        }
    }
}

/// The set of the elements of a list, if they are known.
fn set(list: &Value) -> Option<Value> {
    let mut elements: BTreeMap<&Value, Truth> = BTreeMap::new();
    for item in ListItems::of(list)?.iter() {
        let (presence, value) = item.element()?;
        if !value.is_known() {
            return None;
        }
        let there = elements.remove(value).unwrap_or(Truth::Known(false));
        elements.insert(value, there.or(presence));
    }
    let mut set = Map::default();
    for (value, presence) in elements {
        set.set_in_place(value, Presence::of(presence).map(|presence| Entry { presence, value: Value::UNIT }));
    }
    Some(Value::Map(set))
}

/// The list of the elements of a set.
fn list(set: &Value) -> Option<Value> {
    let Value::Map(set) = set else { return None };
    let elements = set.entries().ok()?;
    let element = |(value, entry): (&Value, &Entry)| OpenItem::under(entry.truth(), value.clone());
    Some(Value::sequence(elements.into_iter().filter_map(element).collect()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::choice::numbers;
    use crate::scalar::{Scalar, Sort};
    use crate::term::{Term, Var};
    use crate::value::ListItem;

    /// The elements that are there, in a world.
    fn elements(list: &Value, world: u64) -> BTreeSet<Value> {
        let bit = |var: Var| Some(Scalar::Bool(world >> var.id & 1 == 1));
        let there =
            |(presence, _): &(Truth, &Value)| presence.clone().term().eval(&mut { bit }) == Some(Scalar::Bool(true));
        let list = ListItems::of(list).expect("a list");
        list.iter().filter_map(ListItem::element).filter(there).map(|(_, value)| value.clone()).collect()
    }

    #[test]
    fn a_list_and_its_set_have_the_same_elements() {
        let mut next = numbers(9);
        for _ in 0..500 {
            let presence = |n: u64| match n {
                0..3 => Truth::Term(Term::var(Var { id: n, sort: Sort::Bool })),
                3 => Truth::Term(Term::not(&Term::var(Var { id: 0, sort: Sort::Bool }))),
                _ => Truth::Known(true),
            };
            let element = |_| OpenItem::under(presence(next(6)), Value::from(next(3) as i64));
            let before = Value::sequence((0..5).filter_map(element).collect());
            let after = list(&set(&before).expect("known elements")).expect("a set");
            for world in 0..8 {
                assert_eq!(elements(&before, world), elements(&after, world), "{before:?} {after:?}");
            }
            assert!(ListItems::of(&after).is_some_and(|list| list.count() <= 3), "{after:?}");
        }
    }
}
