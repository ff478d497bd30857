//! Open lists, with stretches of unknown length or optional elements: their length, and checks that positions are known.
//!
//! `[..r, 5]` with `r` of length n has length n + 1, and begins with 5 if n is 0.

use super::{Ask, Lifted, List, Reach, Split, Unseen, Value, optional};
use crate::scalar::{Int, Scalar};
use crate::term::Term;

/// A position up to this one is reached element by element.
const NEAR: usize = 256;

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

/// Checks that the elements at the places up to `last` (all, if `None`) are known.
///
/// # Errors
/// The first stretch of unknown length, to be looked at, or the first presence, to be decided.
pub(super) fn plain(list: &List, last: Option<usize>) -> Lifted<()> {
    optional::all_there(list, last)?;
    looked_at(list, last)
}

/// Checks that no stretch of unknown length is among the places up to `last` (all, if `None`).
///
/// # Errors
/// The first such stretch, to be looked at.
pub(super) fn looked_at(list: &List, last: Option<usize>) -> Lifted<()> {
    let first =
        list.iter().take(last.map_or(usize::MAX, |last| last.saturating_add(1))).find_map(|element| match element {
            Value::Rest(rest) => Some(Unseen::clone(rest)),
            _ => None,
        });
    // As many elements as a known position needs are no guess.
    let reach = if last.is_some_and(|last| last < NEAR) { Reach::Bounded } else { Reach::Unbounded };
    first.map_or(Ok(()), |rest| Err(Split::Ask(Ask::Item(rest, reach))))
}
