//! Sets with unknown elements, against plain ones for every assignment.
//!
//! A set to which 1 and an unknown element were added, and from which 2 was removed, has 1, and 2 if that is not the unknown one's
//! removal: it is what a plain set is for each value of the unknown.

use std::collections::BTreeSet;

use mayhap::scalar::{Scalar, Sort};
use mayhap::term::{Term, Var};
use mayhap::value::{Entry, Map, Truth, Value};

/// A write to a set: of a known element, or of one of two unknown ones.
#[derive(Clone, Copy, Debug)]
enum Write {
    Add(i64),
    AddUnknown(u64),
    Remove(i64),
    RemoveUnknown(u64),
}

const WRITES: [Write; 6] = [
    Write::Add(1),
    Write::Add(2),
    Write::AddUnknown(1),
    Write::AddUnknown(2),
    Write::Remove(1),
    Write::RemoveUnknown(1),
];

fn variable(id: u64) -> Term {
    Term::var(Var { id, sort: Sort::Int })
}

fn written(writes: &[Write]) -> Map {
    let (mut set, there) = (Map::default(), || Some(Entry::always(Value::UNIT)));
    for write in writes {
        match write {
            Write::Add(element) => set.set_in_place(&Value::from(*element), there()),
            Write::AddUnknown(id) => set.set_in_place(&Value::Term(variable(*id)), there()),
            Write::Remove(element) => set.set_in_place(&Value::from(*element), None),
            Write::RemoveUnknown(id) => set.set_in_place(&Value::Term(variable(*id)), None),
        }
    }
    set
}

fn plainly(writes: &[Write], values: [i64; 2]) -> BTreeSet<i64> {
    let mut set = BTreeSet::new();
    for write in writes {
        match write {
            Write::Add(element) => set.insert(*element),
            Write::AddUnknown(id) => set.insert(values[*id as usize - 1]),
            Write::Remove(element) => set.remove(element),
            Write::RemoveUnknown(id) => set.remove(&values[*id as usize - 1]),
        };
    }
    set
}

/// Whether a set has an element, under an assignment.
fn has(set: &Map, element: i64, values: [i64; 2]) -> bool {
    let there = match set.contains(&Value::from(element)).expect("no split") {
        Truth::Known(known) => return known,
        Truth::Term(term) => term,
    };
    let value = there.eval(&mut |var| Some(Scalar::int(values[var.id as usize - 1])));
    value.and_then(|value| value.as_bool()).expect("a truth value")
}

#[test]
fn sets_agree_with_plain_ones() {
    let all = WRITES.len();
    for number in 0..all.pow(5) {
        let writes: Vec<Write> = (0..5).map(|at| WRITES[number / all.pow(at) % all]).collect();
        let set = written(&writes);
        for values in [[1, 1], [1, 2], [2, 1], [3, 2], [3, 3]] {
            let plain = plainly(&writes, values);
            for element in 1..=3 {
                assert_eq!(has(&set, element, values), plain.contains(&element), "{element} in {writes:?} {values:?}");
            }
        }
    }
}

#[test]
fn known_elements_do_not_wait_behind_unknown_ones() {
    let set = written(&[Write::Add(1), Write::AddUnknown(1), Write::Add(2), Write::AddUnknown(2), Write::Add(3)]);
    assert!([1, 2, 3].iter().all(|element| set.seen_entry(&Value::from(*element)).is_some()));
}
