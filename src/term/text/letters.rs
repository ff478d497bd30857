//! Upper and lower case, ASCII only.
//!
//! For example the texts that are `"a1"` in lower case are `"A1"` and `"a1"`, and none is `"A"` in lower case.

use crate::scalar::Scalar;
use crate::term::{KeySet, Term};

/// Texts with more letters than this are not written out in all their cases.
const LETTERS: usize = 6;

/// `lower(text) = wanted`, without `lower` if there are few ways to write it.
pub(super) fn lower_is(text: &Term, wanted: &Scalar) -> Option<Term> {
    if has_upper(wanted) {
        return Some(Term::falsity());
    }
    Some(Term::member(text, &KeySet::of(spellings(wanted)?)))
}

/// The octets of a text.
pub(super) fn octets(text: &Scalar) -> &[u8] {
    match text {
        Scalar::Str(text) => text.as_bytes(),
        Scalar::Bytes(data) => data,
        Scalar::Bool(_) | Scalar::Int(_) | Scalar::Token(_) | Scalar::Client(_) | Scalar::Json(_) => &[],
    }
}

/// Tests whether `lower` would change the text.
pub(super) fn has_upper(text: &Scalar) -> bool {
    octets(text).iter().any(u8::is_ascii_uppercase)
}

/// Tests whether the text has no letter.
pub(super) fn is_caseless(text: &Scalar) -> bool {
    !octets(text).iter().any(u8::is_ascii_alphabetic)
}

/// All texts that are `lower` in lower case, if they are not too many.
fn spellings(lower: &Scalar) -> Option<Vec<Scalar>> {
    let letters: Vec<usize> = (0..octets(lower).len()).filter(|at| octets(lower)[*at].is_ascii_lowercase()).collect();
    if letters.len() > LETTERS {
        return None;
    }
    Some((0..1usize << letters.len()).filter_map(|choice| spelling(lower, &letters, choice)).collect())
}

/// The text with those of its letters in upper case that the bits of `choice` tell.
fn spelling(lower: &Scalar, letters: &[usize], choice: usize) -> Option<Scalar> {
    let mut octets = octets(lower).to_vec();
    for (bit, at) in letters.iter().enumerate() {
        if choice >> bit & 1 == 1 {
            octets[*at].make_ascii_uppercase();
        }
    }
    match lower {
        Scalar::Bytes(_) => Some(Scalar::bytes(&octets)),
        _ => String::from_utf8(octets).ok().map(|text| Scalar::str(&text)),
    }
}
