//! Open lists, with stretches of unknown length or optional elements: length, positions, equality.
//!
//! `[..r, 5]` with `r` of length n has length n + 1 and begins with 5 where n is 0.

use super::{Ask, Lifted, Reach, Rest, Split, Truth, Value, embed, optional};
use crate::scalar::{Int, Scalar};
use crate::term::Term;

type List = im::Vector<Value>;

/// The length of a list.
pub(super) fn length(list: &List) -> Value {
    let mut certain = 0i64;
    let mut open: Option<Term> = None;
    let mut presences = Vec::new();
    for element in list.iter() {
        match element {
            Value::Rest(rest) => {
                open = Some(open.map_or_else(|| rest.length.clone(), |sum| Term::add(&sum, &rest.length)));
            }
            Value::Maybe(optional) => presences.push(optional.presence.clone()),
            _ => certain += 1,
        }
    }
    let present = optional::number(&presences);
    let open = match (open, present) {
        (Some(open), Some(present)) => Some(Term::add(&open, &present)),
        (open, present) => open.or(present),
    };
    match open {
        None => Value::from(certain),
        Some(open) => Value::of_term(Term::add(&open, &Term::constant(Scalar::Int(Int::from(certain))))),
    }
}

/// Makes sure that it is known which elements are at the places up to `last` (all, if `None`).
///
/// # Errors
/// The first stretch of unknown length, to be looked at, or the first presence, to be decided.
pub(super) fn plain(list: &List, last: Option<usize>) -> Lifted<()> {
    optional::all_there(list, last)?;
    looked_at(list, last)
}

/// Makes sure that none of the places up to `last` (all, if `None`) is a stretch of unknown length.
///
/// # Errors
/// The first such stretch, to be looked at.
pub(super) fn looked_at(list: &List, last: Option<usize>) -> Lifted<()> {
    let first =
        list.iter().take(last.map_or(usize::MAX, |last| last.saturating_add(1))).find_map(|element| match element {
            Value::Rest(rest) => Some(Rest::clone(rest)),
            _ => None,
        });
    first.map_or(Ok(()), |rest| Err(Split::Ask(Ask::Item(rest, Reach::Unbounded))))
}

/// Whether two lists, of which at least one is open, are equal.
pub(super) fn equal(a: &List, b: &List, reach: Reach) -> Lifted<Truth> {
    if a == b {
        return Ok(Truth::Known(true));
    }
    let are = |test: &dyn Fn(&Value) -> bool| a.iter().chain(b.iter()).any(test);
    if are(&|element| element.presence().is_some()) {
        if !are(&|element| matches!(element, Value::Rest(_))) {
            return embed::equal_lists(a, b);
        }
        if super::equal(&length(a), &length(b))?.is_false() {
            return Ok(Truth::Known(false));
        }
        optional::all_there(a, None)?;
        optional::all_there(b, None)?;
    }
    if reach == Reach::Bounded
        && let Some(awaited) = awaited(a, b)
    {
        return apart(a, b, Ask::Item(awaited, reach));
    }
    let pairs = || a.iter().zip(b.iter());
    let stretch = pairs().enumerate().find_map(|(at, (x, y))| Some((at, stretch(x, y)?)));
    let heads = pairs().take(stretch.as_ref().map_or(usize::MAX, |(at, _)| *at));
    let heads = super::equal::all_equal(heads.filter(|(x, _)| !matches!(x, Value::Rest(_))))?;
    match stretch {
        _ if heads.is_false() => return Ok(heads),
        Some((_, rest)) => return apart(a, b, Ask::Item(rest, reach)),
        None => {}
    }
    // What one of them has behind the end of the other must be empty.
    let longer = if a.len() > b.len() { a } else { b };
    let behind = length(&longer.iter().skip(a.len().min(b.len())).cloned().collect());
    Ok(heads.and(super::equal(&behind, &Value::from(0))?))
}

/// A stretch at the same place in both lists that is not the same one.
fn stretch(x: &Value, y: &Value) -> Option<Rest> {
    match (x, y) {
        (Value::Rest(x), Value::Rest(y)) if x.unknown == y.unknown => None,
        (Value::Rest(rest), _) | (_, Value::Rest(rest)) => Some(Rest::clone(rest)),
        _ => None,
    }
}

/// The stretch to be looked at before a list can be compared with one of known length, element by element. Where that shows
/// an unknown list whole, one element after the other is asked for: what is known by then is compared once, at the end.
fn awaited(a: &List, b: &List) -> Option<Rest> {
    for pair in a.iter().zip(b.iter()) {
        match pair {
            (Value::Rest(rest), _) | (_, Value::Rest(rest)) => return Some(Rest::clone(rest)),
            (Value::Scalar(x), Value::Scalar(y)) if x != y => return None,
            _ => {}
        }
    }
    None
}

/// Lists that differ in length for certain are not equal; else the stretch is looked at.
fn apart(a: &List, b: &List, ask: Ask) -> Lifted<Truth> {
    if super::equal(&length(a), &length(b))?.is_false() { Ok(Truth::Known(false)) } else { Err(Split::Ask(ask)) }
}
