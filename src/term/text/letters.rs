//! Upper and lower case, ASCII only.
//!
//! For example `"A1"` and `"a1"` have the lower case `"a1"`, and no text has the lower case `"A"`.

use crate::scalar::Scalar;
use crate::term::{KeySet, Term};

/// The spellings of a text with more letters than this are not listed: each letter doubles their number.
const LETTERS: usize = 6;

/// The condition `lower(text) = wanted` without `lower`, if it has few spellings.
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

/// All texts with the lower case `lower`, if they are not too many.
fn spellings(lower: &Scalar) -> Option<Vec<Scalar>> {
    let letters: Vec<usize> = (0..octets(lower).len()).filter(|at| octets(lower)[*at].is_ascii_lowercase()).collect();
    if letters.len() > LETTERS {
        return None;
    }
    Some((0..1usize << letters.len()).filter_map(|choice| spelling(lower, &letters, choice)).collect())
}

/// The spelling in which the letters whose bits are set in `choice` are in upper case.
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
