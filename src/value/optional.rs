//! Optional elements of lists: present under a condition.
//!
//! `[1, 2?p, 3]` is `[1, 2, 3]` if p holds, and `[1, 3]` if it does not: the contents of a queue that may have lost the 2. Only open
//! lists have optional elements. An operation that walks over the elements does not fork on them: each comes with its presence. If
//! an operation needs the element at a position, the first presence before the position is decided.

use std::sync::Arc;

use super::{ListItems, OpenItem, OpenList, Truth, Value};
use crate::scalar::Scalar;
use crate::term::Term;

/// An element of a list that may or may not be present.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Optional {
    /// The condition under which the element is present: a boolean term, never a constant.
    pub presence: Term,
    /// The value of the element.
    pub value: Value,
}

/// The list that is the longer of two if a condition holds, else the shorter: `[1, 2, 3]` and `[1, 3]` become `[1, 2?p, 3]`.
///
/// `None` if the longer list is not the shorter one with one more element (optional elements must be the same in both), or one of
/// the values is no list. [`Value::decide`] with the condition gives either list back.
#[must_use]
pub fn with_optional(longer: &Value, shorter: &Value, presence: &Truth) -> Option<Value> {
    let (more, fewer) = (ListItems::of(longer)?, ListItems::of(shorter)?);
    if more.count() != fewer.count() + 1 {
        return None;
    }
    let same = more.iter().zip(fewer.iter()).take_while(|(a, b)| a == b).count();
    if more.iter().skip(same + 1).ne(fewer.iter().skip(same)) {
        return None;
    }
    let (there, value) = more.get(same)?.element()?;
    let mut list = more.to_open();
    change_at(&mut list, same, OpenItem::under(presence.clone().and(there), value.clone()));
    Some(Value::sequence(list))
}

/// Tests whether the general list stands for every list that the special one stands for: `[1?p, 2, 3?q]` includes `[1?r, 2]`.
///
/// The presences of the general list must be distinct variables that nothing else mentions; all values must be known. So the
/// general list stands for its certain elements with any of its optional ones. It includes the special list if the elements of the
/// special one, in order, can be matched with equal elements of the general one, so that each certain element of the general list is
/// matched with a certain element. Then for any presences of the special list, the general one can have just the matched elements.
///
/// The test is exact if the value of no certain element occurs twice in the general list, and the presences of the special list are
/// independent. For if the special list is included, so is its longest list. That one matches all certain elements of the general
/// list, each with the only element of its value. This element is certain, since every included list has its value. In other cases
/// the test may return false for a list that is included.
#[must_use]
pub fn includes(general: &Value, special: &Value) -> bool {
    let known = |list: ListItems<'_>| list.iter().all(|item| item.value().is_some_and(Value::is_known));
    let known = |value| ListItems::of(value).filter(|list| known(*list));
    let (Some(general), Some(special)) = (known(general), known(special)) else { return false };
    // At n: set if the elements of the special list so far match among the first n elements of the general one.
    let mut found = vec![true];
    found.extend(general.iter().map(|_| false));
    let passed = |found: &mut Vec<bool>| {
        for (at, item) in general.iter().enumerate() {
            found[at + 1] |= found[at] && item.presence().is_some();
        }
    };
    passed(&mut found);
    for item in special.iter() {
        let (value, certain) = (item.value(), item.presence().is_none());
        let mut next = vec![false; found.len()];
        for (at, place) in general.iter().enumerate() {
            next[at + 1] = found[at] && (certain || place.presence().is_some()) && place.value() == value;
        }
        found = next;
        passed(&mut found);
    }
    found.last() == Some(&true)
}

/// The number of optional elements that are present, as a sum of bits; `None` if there are no optional elements.
pub(super) fn number(presences: &[Term]) -> Option<Term> {
    let one = |presence: &Term| Term::ite(presence, &Term::int(1), &Term::int(0));
    match presences {
        [] => None,
        [presence] => Some(one(presence)),
        more => {
            let (first, second) = more.split_at(more.len() / 2);
            number(first).zip(number(second)).map(|(first, second)| Term::add(&first, &second))
        }
    }
}

/// The condition that a list of `certain` elements, and optional ones, has at least `wanted` elements; `None` if it takes arithmetic
/// to say.
fn at_least(certain: usize, presences: &[Term], wanted: usize) -> Option<Truth> {
    match wanted.checked_sub(certain) {
        None | Some(0) => Some(Truth::Known(true)),
        Some(missing) if missing > presences.len() => Some(Truth::Known(false)),
        Some(missing) if missing == presences.len() => Some(Truth::of(Term::and_all(presences.iter().cloned()))),
        Some(1) => Some(Truth::of(Term::or_all(presences.iter().cloned()))),
        Some(_) => None,
    }
}

/// The condition that a list has at least `wanted` elements; `None` if its length must be added up.
#[must_use]
pub fn has_at_least(list: &OpenList, wanted: usize) -> Option<Truth> {
    let (certain, presences) = counted(list, wanted)?;
    at_least(certain, &presences, wanted)
}

/// The condition that a list has exactly `wanted` elements; `None` if its length must be added up.
#[must_use]
pub fn has_exactly(list: &OpenList, wanted: usize) -> Option<Truth> {
    let (certain, presences) = counted(list, wanted + 1)?;
    let more = at_least(certain, &presences, wanted + 1)?;
    if more.is_true() {
        return Some(Truth::Known(false));
    }
    Some(at_least(certain, &presences, wanted)?.and(more.not()))
}

/// The number of certain elements, and the presences of the optional ones, up to the certain element number `most`; `None` if a
/// stretch of unknown length comes before that.
fn counted(list: &OpenList, most: usize) -> Option<(usize, Vec<Term>)> {
    let (mut certain, mut presences) = (0, Vec::new());
    for item in list.iter() {
        match item {
            OpenItem::Rest(_) => return None,
            OpenItem::Maybe(optional) => presences.push(optional.presence.clone()),
            OpenItem::One(_) => certain += 1,
        }
        if certain >= most {
            break;
        }
    }
    Some((certain, presences))
}

#[doc(hidden)]
impl Value {
    /// Applies the decision of a condition to the first element of an open list that it changes; returns false if it changes none.
    pub fn decide_next(&mut self, condition: &Term, holds: bool) -> bool {
        let Value::Open(list) = self else { return false };
        let decision = Decision::of(condition, holds);
        let mut changes = list.iter().enumerate().filter_map(|(at, item)| Some((at, decision.item(item)?)));
        let Some((at, change)) = changes.next() else { return false };
        drop(changes);
        change_at(Arc::make_mut(list), at, change);
        self.close();
        true
    }
}

/// The list after a condition was decided; `None` if nothing changed.
pub(super) fn decided(list: &OpenList, condition: &Term, holds: bool) -> Option<OpenList> {
    let decision = Decision::of(condition, holds);
    let changes = list.iter().enumerate().filter_map(|(at, item)| Some((at, decision.item(item)?)));
    let changes: Vec<(usize, Option<OpenItem>)> = changes.collect();
    (!changes.is_empty()).then(|| changed(list, changes))
}

/// The list with some items replaced, or removed (`None`), their places in ascending order.
pub(super) fn changed(list: &OpenList, changes: Vec<(usize, Option<OpenItem>)>) -> OpenList {
    let mut list = list.clone();
    changes.into_iter().rev().for_each(|(at, change)| change_at(&mut list, at, change));
    list
}

/// Replaces the item at a place, or removes it (`None`).
fn change_at(list: &mut OpenList, at: usize, change: Option<OpenItem>) {
    match change {
        Some(item) => drop(list.set(at, item)),
        None if at == 0 => drop(list.pop_front()),
        None => drop(list.remove(at)),
    }
}

/// A condition that was decided.
struct Decision<'c> {
    condition: &'c Term,
    negated: Term,
    holds: bool,
}

impl<'c> Decision<'c> {
    fn of(condition: &'c Term, holds: bool) -> Decision<'c> {
        Decision { condition, negated: Term::not(condition), holds }
    }

    /// The item of a list after the decision: `Some(None)` if it is removed, `None` if it stays as it is.
    fn item(&self, item: &OpenItem) -> Option<Option<OpenItem>> {
        let changed = |value: &Value| match value {
            Value::Scalar(_) => None,
            other => Some(other.decide(self.condition, self.holds)).filter(|decided| decided != other),
        };
        if let OpenItem::Maybe(optional) = item
            && let Some(presence) = self.on(&optional.presence)
        {
            let value = changed(&optional.value).unwrap_or_else(|| optional.value.clone());
            return Some(OpenItem::under(presence, value));
        }
        item.changed(changed).map(Some)
    }

    /// The presence after the decision; `None` if it stays as it is.
    fn on(&self, presence: &Term) -> Option<Truth> {
        if presence == self.condition {
            return Some(Truth::Known(self.holds));
        }
        if *presence == self.negated {
            return Some(Truth::Known(!self.holds));
        }
        if presence.as_var().is_some() {
            return None;
        }
        let (var, holds) = match (self.condition.as_var(), self.negated.as_var()) {
            (Some(var), _) => (var, self.holds),
            (None, Some(var)) => (var, !self.holds),
            (None, None) => return None,
        };
        let known = Term::constant(Scalar::Bool(holds));
        presence.mentions(var).then(|| Truth::of(presence.substitute(&mut |own| (own == var).then(|| known.clone()))))
    }
}
