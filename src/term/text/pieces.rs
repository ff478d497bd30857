//! Laws of splitting at a separator.
//!
//! For example the second piece of `"set k" + #1`, split at a blank, is the first of `"k" + #1`. Pieces end at occurrences of the
//! separator, found from the left. So each occurrence that is found within a known beginning ends a piece of the whole text, too.

use super::{TextOp, empty, is_empty, parts, rejoined};
use crate::scalar::{Int, Scalar, text as known};
use crate::term::{Term, Terms};

/// A simpler term for the number of pieces.
pub(super) fn count(s: &Term, t: &Term) -> Option<Term> {
    if is_empty(t) || never_in(s, t) {
        return Some(Term::int(Int::ONE));
    }
    let (passed, rest) = known_beginning(s, t)?;
    Some(Term::text(TextOp::Pieces, [rest, t.clone()]).add(&Term::int(Int::from(passed.len()))))
}

/// A simpler term for a piece by its position.
pub(super) fn nth(s: &Term, t: &Term, at: &Int) -> Option<Term> {
    if at.signum() < 0 {
        return Some(empty(s.sort()));
    }
    if is_empty(t) || never_in(s, t) {
        return Some(if at.is_zero() { s.clone() } else { empty(s.sort()) });
    }
    let (passed, rest) = known_beginning(s, t)?;
    let found = at.to_usize().and_then(|at| passed.get(at));
    Some(match found {
        Some(piece) => Term::constant(piece.clone()),
        None => Term::text(TextOp::Piece, [rest, t.clone(), Term::int(at.sub(&Int::from(passed.len())))]),
    })
}

fn never_in(s: &Term, t: &Term) -> bool {
    Term::text(TextOp::Contains, [s.clone(), t.clone()]).as_bool() == Some(false)
}

/// The pieces that end within the known beginning of a text, and the text after them; `None` if there is no such piece.
fn known_beginning(s: &Term, t: &Term) -> Option<(Vec<Scalar>, Term)> {
    let mut all: Terms = parts(s);
    let mut pieces = known::split(all.first()?.as_const()?, t.as_const()?)?;
    let last = pieces.pop()?;
    if pieces.is_empty() {
        return None;
    }
    all[0] = Term::constant(last);
    Some((pieces, rejoined(&all, s.sort())))
}
