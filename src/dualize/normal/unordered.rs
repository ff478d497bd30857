//! Lists of which only the elements matter, as sets: each element is a cell, which says whether it is there.
//!
//! `[5?p, 3, 5?q]` does the same as `{3, 5?p||q}` wherever the variable is read ([`Program::unordered`]).
//!
//! [`Program::unordered`]: crate::spec::code::Program

use std::collections::BTreeMap;

use super::super::candidate::Candidate;
use crate::value::{Entry, Map, Presence, Truth, Value};

/// Makes sets of such lists.
pub(in crate::dualize) fn to_sets(candidates: &mut [Candidate], unordered: &[bool]) {
    change(candidates, unordered, set);
}

/// Makes lists of such sets, each element once and in its order.
pub(in crate::dualize) fn to_lists(candidates: &mut [Candidate], unordered: &[bool]) {
    change(candidates, unordered, list);
}

fn change(candidates: &mut [Candidate], unordered: &[bool], to: fn(&Value) -> Option<Value>) {
    for slot in (0..unordered.len()).filter(|slot| unordered[*slot]) {
        for candidate in candidates.iter_mut() {
            if let Some(changed) = to(&candidate.process.memory[slot]) {
                candidate.process.memory[slot] = changed;
            }
        }
    }
}

/// The set of the elements of a list, where they are known.
fn set(list: &Value) -> Option<Value> {
    let (Value::List(list) | Value::Open(list)) = list else { return None };
    let mut elements: BTreeMap<&Value, Truth> = BTreeMap::new();
    for (presence, value) in list.iter().map(Value::as_element) {
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
    let element = |(value, entry): (&Value, &Entry)| Value::maybe(entry.truth(), value.clone());
    Some(Value::sequence(elements.into_iter().filter_map(element).collect()))
}
