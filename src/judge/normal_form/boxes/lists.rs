//! Lists with optional elements: one such list stands for several lists (`proofs-notes/frontier.md`, *Lists*).
//!
//! `[1, 2]` and `[1, 2, 3]` are `[1, 2, 3?]`; this and `[1, 2, 3, 3]` are `[1, 2, 3?, 3?]`. Elements that two lists have in common at
//! the front and at the end stay. For the elements between, a union is tried, and taken if it stands for the same lists.

use rustc_hash::FxHashSet;

use crate::scalar::Sort;
use crate::term::{Term, Var};
use crate::value::{self, OpenItem, Truth, Value};

/// The elements in which two lists may differ, to become one with optional elements.
const LENGTH: usize = 8;

/// An element of a list, certain or optional.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Element {
    pub(crate) value: Value,
    /// Set if it may also be missing.
    pub(crate) is_optional: bool,
}

/// The elements of a known list.
pub(crate) fn elements(value: &Value) -> Option<Vec<Element>> {
    let Value::List(list) = value else { return None };
    Some(list.iter().map(|value| Element { value: value.clone(), is_optional: false }).collect())
}

/// The list that stands for all that two lists stand for, if there is one.
pub(crate) fn union(one: &[Element], two: &[Element]) -> Option<Vec<Element>> {
    let (front, mine, theirs, after) = apart(one, two);
    let (long, short) = if mine.len() < theirs.len() { (theirs, mine) } else { (mine, theirs) };
    if long.len() > LENGTH {
        return None;
    }
    let wanted: FxHashSet<Vec<&Value>> = language(long).union(&language(short)).cloned().collect();
    let optional = |element: &Element| Element { value: element.value.clone(), is_optional: true };
    let all: Vec<Element> = long.iter().map(optional).collect();
    let between = [long, &all[..]].into_iter().find(|between| language(between) == wanted)?;
    Some([front, between, after].concat())
}

/// Each of the lists that a list stands for.
fn language(list: &[Element]) -> FxHashSet<Vec<&Value>> {
    let mut lists: FxHashSet<Vec<&Value>> = FxHashSet::default();
    lists.insert(Vec::new());
    for element in list {
        let longer: Vec<Vec<&Value>> =
            lists.iter().map(|list| list.iter().copied().chain([&element.value]).collect()).collect();
        if !element.is_optional {
            lists.clear();
        }
        lists.extend(longer);
    }
    lists
}

/// Tests whether a list stands for all that another one stands for; `false` also if this cannot be seen.
///
/// The elements that they have in common at the front and at the end are left out: if the special list can be found in the general one,
/// it can be found with these elements matched with themselves.
pub(crate) fn includes(general: &[Element], special: &[Element]) -> bool {
    if special.len() > general.len() {
        return false;
    }
    let (_, general, special, _) = apart(general, special);
    let is_optional = |element: &Element| element.is_optional;
    match special {
        [] => general.iter().all(is_optional),
        _ => general.iter().any(is_optional) && value::includes(&numbered(general), &numbered(special)),
    }
}

/// The elements that two lists have in common at the front, those between of each list, and those that they have in common at the end.
fn apart<'e>(one: &'e [Element], two: &'e [Element]) -> (&'e [Element], &'e [Element], &'e [Element], &'e [Element]) {
    let front = one.iter().zip(two).take_while(|(one, two)| one == two).count();
    let (one_rest, two_rest) = (&one[front..], &two[front..]);
    let after = one_rest.iter().rev().zip(two_rest.iter().rev()).take_while(|(one, two)| one == two).count();
    let (mine, back) = one_rest.split_at(one_rest.len() - after);
    (&one[..front], mine, &two_rest[..two_rest.len() - after], back)
}

/// A list with a variable for the presence of each optional element, numbered from 1.
fn numbered(list: &[Element]) -> Value {
    let mut last = 0;
    of(list, &mut || {
        last += 1;
        Term::var(Var { id: last, sort: Sort::Bool })
    })
}

/// A list with the given conditions as presences.
pub(crate) fn of(list: &[Element], presence: &mut dyn FnMut() -> Term) -> Value {
    let element = |element: &Element| {
        let there = if element.is_optional { Truth::Term(presence()) } else { Truth::Known(true) };
        OpenItem::under(there, element.value.clone())
    };
    Value::sequence(list.iter().filter_map(element).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;

    fn random(next: &mut dyn FnMut(u64) -> u64) -> Vec<Element> {
        (0..next(5)).map(|_| Element { value: Value::from(next(2) as i64), is_optional: next(2) == 1 }).collect()
    }

    #[test]
    fn a_union_stands_for_what_both_stand_for() {
        let mut next = numbers(5);
        let (mut united, mut included) = (0, 0);
        for _ in 0..5_000 {
            let [one, two] = [(); 2].map(|()| random(&mut next));
            let both: FxHashSet<Vec<&Value>> = language(&one).union(&language(&two)).cloned().collect();
            if let Some(list) = union(&one, &two) {
                assert_eq!(language(&list), both, "{one:?} {two:?}");
                united += 1;
            }
            if includes(&one, &two) {
                assert!(language(&two).is_subset(&language(&one)), "{one:?} {two:?}");
                included += 1;
            }
        }
        assert!(united > 300 && included > 300, "{united} united, {included} included");
    }
}
