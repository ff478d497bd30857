//! Optional elements of lists: present under a condition.
//!
//! `[1, 2?p, 3]` is `[1, 2, 3]` if p holds, and `[1, 3]` if it does not: the contents of a queue that may have lost the 2. Only open
//! lists have optional elements. An operation that walks over the elements does not fork on them: each comes with its presence. If
//! an operation needs the element at a position, the first presence before the position is decided.

use std::sync::Arc;

use super::{Lifted, List, Split, Truth, Value};
use crate::scalar::Scalar;
use crate::term::Term;

/// An element of a list that may or may not be present.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Optional {
    /// The condition under which the element is present: a boolean term, never a constant.
    pub presence: Term,
    /// The value of the element; not optional itself.
    pub value: Value,
}

impl Optional {
    /// Another value under the same condition.
    pub(super) fn with(&self, value: Value) -> Option<Value> {
        Value::maybe(Truth::Term(self.presence.clone()), value)
    }
}

#[doc(hidden)]
impl Value {
    /// An element of a list that is present under a condition: the value itself if the condition is known to hold, nothing if it cannot.
    #[must_use]
    pub fn maybe(presence: Truth, value: Value) -> Option<Value> {
        let presence = match presence {
            Truth::Known(true) => return Some(value),
            Truth::Known(false) => return None,
            Truth::Term(presence) => presence,
        };
        match value {
            Value::Maybe(inner) => {
                let both = Truth::of(Term::and(&presence, &inner.presence));
                Value::maybe(both, inner.value.clone())
            }
            value => Some(Value::Maybe(Arc::new(Optional { presence, value }))),
        }
    }

    /// The presence of an element of a list, and its value if it is present.
    #[must_use]
    pub fn as_element(&self) -> (Truth, &Value) {
        match self {
            Value::Maybe(optional) => (Truth::Term(optional.presence.clone()), &optional.value),
            certain => (Truth::Known(true), certain),
        }
    }

    /// The presence of an optional element.
    #[must_use]
    pub fn presence(&self) -> Option<&Term> {
        match self {
            Value::Maybe(optional) => Some(&optional.presence),
            _ => None,
        }
    }
}

/// The list that is the longer of two if a condition holds, else the shorter: `[1, 2, 3]` and `[1, 3]` become `[1, 2?p, 3]`.
///
/// `None` if the longer list is not the shorter one with one more element (optional elements must be the same in both), or one of
/// the values is no list. [`Value::decide`] with the condition gives either list back.
#[must_use]
pub fn with_optional(longer: &Value, shorter: &Value, presence: &Truth) -> Option<Value> {
    let (Value::List(more) | Value::Open(more), Value::List(fewer) | Value::Open(fewer)) = (longer, shorter) else {
        return None;
    };
    if more.len() != fewer.len() + 1 {
        return None;
    }
    let same = more.iter().zip(fewer.iter()).take_while(|(a, b)| a == b).count();
    if more.iter().skip(same + 1).ne(fewer.iter().skip(same)) || matches!(more[same], Value::Rest(_)) {
        return None;
    }
    let mut list = (**more).clone();
    match Value::maybe(presence.clone(), more[same].clone()) {
        Some(element) => drop(list.set(same, element)),
        None => drop(list.remove(same)),
    }
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
    let (Value::List(general) | Value::Open(general), Value::List(special) | Value::Open(special)) = (general, special)
    else {
        return false;
    };
    let known = |list: &List| list.iter().all(|element| element.as_element().1.is_known());
    if !known(general) || !known(special) {
        return false;
    }
    // At n: set if the elements of the special list so far match among the first n elements of the general one.
    let mut found = vec![true];
    found.extend(general.iter().map(|_| false));
    let passed = |found: &mut Vec<bool>| {
        for (at, element) in general.iter().enumerate() {
            found[at + 1] |= found[at] && element.presence().is_some();
        }
    };
    passed(&mut found);
    for element in special.iter() {
        let (value, certain) = (element.as_element().1, element.presence().is_none());
        let mut next = vec![false; found.len()];
        for (at, place) in general.iter().enumerate() {
            next[at + 1] = found[at] && (certain || place.presence().is_some()) && place.as_element().1 == value;
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
pub fn has_at_least(list: &List, wanted: usize) -> Option<Truth> {
    let (certain, presences) = counted(list, wanted)?;
    at_least(certain, &presences, wanted)
}

/// The condition that a list has exactly `wanted` elements; `None` if its length must be added up.
#[must_use]
pub fn has_exactly(list: &List, wanted: usize) -> Option<Truth> {
    let (certain, presences) = counted(list, wanted + 1)?;
    let more = at_least(certain, &presences, wanted + 1)?;
    if more.is_true() {
        return Some(Truth::Known(false));
    }
    Some(at_least(certain, &presences, wanted)?.and(more.not()))
}

/// The number of certain elements, and the presences of the optional ones, up to the certain element number `most`; `None` if a
/// stretch of unknown length comes before that.
fn counted(list: &List, most: usize) -> Option<(usize, Vec<Term>)> {
    let (mut certain, mut presences) = (0, Vec::new());
    for element in list.iter() {
        match element {
            Value::Rest(_) => return None,
            Value::Maybe(optional) => presences.push(optional.presence.clone()),
            _ => certain += 1,
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
        let mut changes = list.iter().enumerate().filter_map(|(at, element)| Some((at, decision.element(element)?)));
        let Some((at, change)) = changes.next() else { return false };
        drop(changes);
        let mut own = std::mem::take(list);
        change_at(Arc::make_mut(&mut own), at, change);
        let is_open = own.iter().any(|element| matches!(element, Value::Rest(_) | Value::Maybe(_)));
        *self = if is_open { Value::Open(own) } else { Value::List(own) };
        true
    }
}

/// The list after a condition was decided; `None` if nothing changed.
pub(super) fn decided(list: &List, condition: &Term, holds: bool) -> Option<List> {
    let decision = Decision::of(condition, holds);
    let changes = list.iter().enumerate().filter_map(|(at, element)| Some((at, decision.element(element)?)));
    let changes: Vec<(usize, Option<Value>)> = changes.collect();
    (!changes.is_empty()).then(|| changed(list, changes))
}

/// The list with some elements replaced, or removed (`None`), their places in ascending order.
pub(super) fn changed(list: &List, changes: Vec<(usize, Option<Value>)>) -> List {
    let mut list = list.clone();
    changes.into_iter().rev().for_each(|(at, change)| change_at(&mut list, at, change));
    list
}

/// Replaces the element at a place, or removes it (`None`).
fn change_at(list: &mut List, at: usize, change: Option<Value>) {
    match change {
        Some(element) => drop(list.set(at, element)),
        None if at == 0 => drop(list.pop_front()),
        None => drop(list.remove(at)),
    }
}

/// Checks that no optional element is among the places up to `last` (all, if `None`).
///
/// # Errors
/// The first presence, to be decided.
pub(super) fn all_there(list: &List, last: Option<usize>) -> Lifted<()> {
    let mut before = list.iter().take(last.map_or(usize::MAX, |last| last.saturating_add(1)));
    before.find_map(Value::presence).map_or(Ok(()), |presence| Err(Split::On(presence.clone())))
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

    /// The element of a list after the decision: `Some(None)` if it is removed, `None` if it stays as it is.
    fn element(&self, element: &Value) -> Option<Option<Value>> {
        let changed = |value: &Value| match value {
            Value::Scalar(_) | Value::Rest(_) => None,
            other => Some(other.decide(self.condition, self.holds)).filter(|decided| decided != other),
        };
        let Value::Maybe(optional) = element else { return changed(element).map(Some) };
        match (self.on(&optional.presence), changed(&optional.value)) {
            (None, None) => None,
            (None, Some(value)) => Some(optional.with(value)),
            (Some(presence), value) => Some(Value::maybe(presence, value.unwrap_or_else(|| optional.value.clone()))),
        }
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
