//! Laws of the text operations that hold for all arguments.
//!
//! For example `("ab" + #1).starts_with("abc")` is `#1.starts_with("c")`, `"ab".starts_with(#1)` is `#1 in {"", "a", "ab"}`,
//! and `("ab" + #1)[2..n]` is `#1[0..n - 2]`.

use super::trim::{Endpoint, Sides};
use super::{TextOp, cut, empty, inner, is_empty, length, letters, parts, pieces, rejoined};
use crate::scalar::{Int, Scalar, text as known};
use crate::term::{KeySet, Kind, Linear, Term, Terms};

/// The prefixes, or suffixes, of a known text of at most this length are listed as a set.
const ENDS: usize = 64;
/// The parts of a known text of at most this length are listed as a set: their number is about half its square.
const INNER: usize = 12;

/// A simpler term for an operation, by the first law that applies.
pub(super) fn simplified(op: TextOp, args: &Terms) -> Option<Term> {
    match (op, &args[..]) {
        (TextOp::Concat, [only]) => Some(only.clone()),
        (TextOp::Len, [s]) => len(s),
        (TextOp::StartsWith, [s, t]) => occurs(op, s, t).or_else(|| at_end(op, Endpoint::Front, s, t)),
        (TextOp::EndsWith, [s, t]) => occurs(op, s, t).or_else(|| at_end(op, Endpoint::Back, s, t)),
        (TextOp::Contains, [s, t]) => occurs(op, s, t).or_else(|| within(s, t)),
        (TextOp::Lower, [s]) => lower(s),
        (TextOp::ToInt, [s]) => inner(TextOp::FromInt, s).map(|args| args[0].clone()),
        (TextOp::IsInt, [s]) => is_int(s),
        (TextOp::Slice, [s, from, to]) => slice(s, from, to),
        (TextOp::Pieces, [s, t]) => pieces::count(s, t),
        (TextOp::Piece, [s, t, at]) => pieces::nth(s, t, at.as_int()?),
        _ => None,
    }
}

fn len(s: &Term) -> Option<Term> {
    match s.kind() {
        Kind::Text(TextOp::Concat, parts) => Some(total_length(parts).into_term()),
        Kind::Text(TextOp::Lower, parts) => Some(Term::text(TextOp::Len, parts.clone())),
        _ => None,
    }
}

/// The length of a concatenation.
pub(super) fn total_length(parts: &Terms) -> Linear {
    let lengths = parts.iter().map(|part| Linear::of(&Term::text(TextOp::Len, [part.clone()])));
    lengths.fold(Linear::constant_of(Int::ZERO), |sum, length| sum.plus(&Int::ONE, &length))
}

/// A simpler condition by the laws that prefixes, suffixes and inner parts have in common; `None` if none applies.
fn occurs(op: TextOp, s: &Term, t: &Term) -> Option<Term> {
    if is_empty(t) || s == t {
        return Some(Term::truth());
    }
    if is_empty(s) {
        return Some(Term::eq(t, &empty(t.sort())));
    }
    match (s.as_const(), t.as_const()) {
        (Some(whole), None) if inner(TextOp::Concat, t).is_none() => known_whole(op, whole, t),
        (None, Some(part)) => known_part(op, s, part),
        _ => None,
    }
}

/// The condition that the unknown `t` is one of the prefixes, suffixes or parts of a known text.
fn known_whole(op: TextOp, whole: &Scalar, t: &Term) -> Option<Term> {
    let n = length(whole);
    let parts: Vec<Scalar> = match op {
        TextOp::StartsWith if n <= ENDS => (0..=n).map(|to| cut(whole, 0, to)).collect(),
        TextOp::EndsWith if n <= ENDS => (0..=n).map(|from| cut(whole, from, n)).collect(),
        TextOp::Contains if n <= INNER => {
            (0..=n).flat_map(|to| (0..=to).map(move |from| (from, to))).map(|(from, to)| cut(whole, from, to)).collect()
        }
        _ => return None,
    };
    Some(Term::member(t, &KeySet::of(parts)))
}

/// A simpler condition for a known `part` that occurs in a text in lower case, or in a printed number.
fn known_part(op: TextOp, s: &Term, part: &Scalar) -> Option<Term> {
    if let Some(text) = inner(TextOp::Lower, s) {
        if letters::has_upper(part) {
            return Some(Term::falsity());
        }
        if letters::is_caseless(part) {
            return Some(Term::text(op, [text[0].clone(), Term::constant(part.clone())]));
        }
    }
    if let Some(number) = inner(TextOp::FromInt, s) {
        let octets = letters::octets(part);
        let sign_first = op != TextOp::EndsWith || octets.len() > 1;
        let fits = |(at, octet): (usize, &u8)| octet.is_ascii_digit() || (at == 0 && sign_first && *octet == b'-');
        if !octets.iter().enumerate().all(fits) {
            return Some(Term::falsity());
        }
        return (op == TextOp::StartsWith).then(|| first_digits(&number[0], octets)).flatten();
    }
    None
}

/// A simpler condition for a printed number that begins with these octets: with a sign only if it is negative, with a zero only if
/// it is zero.
fn first_digits(number: &Term, octets: &[u8]) -> Option<Term> {
    match octets {
        b"-" => Some(Term::lt(number, &Term::int(Int::ZERO))),
        b"0" => Some(Term::eq(number, &Term::int(Int::ZERO))),
        [b'0', ..] | [b'-', b'0', ..] => Some(Term::falsity()),
        _ => None,
    }
}

/// The condition that `t` is a prefix (or suffix) of `s`, without the parts that both share at that end.
fn at_end(op: TextOp, end: Endpoint, s: &Term, t: &Term) -> Option<Term> {
    let mut sides = Sides::of(s, t);
    if sides.trim(end).is_err() {
        return Some(Term::falsity());
    }
    sides.trimmed.then(|| {
        let (s, t) = sides.rejoined(s.sort());
        Term::text(op, [s, t])
    })
}

/// A simpler condition for `t` in a concatenation: true if a known part has it; a single code point is in one of the parts, or in
/// none.
fn within(s: &Term, t: &Term) -> Option<Term> {
    let parts = inner(TextOp::Concat, s)?;
    let Some(wanted) = t.as_const() else { return parts.contains(t).then(Term::truth) };
    let seen = |part: &Term| part.as_const().is_some_and(|part| known::contains(part, wanted) == Some(true));
    if parts.iter().any(seen) {
        return Some(Term::truth());
    }
    (length(wanted) == 1)
        .then(|| Term::or_all(parts.iter().map(|part| Term::text(TextOp::Contains, [part.clone(), t.clone()]))))
}

fn lower(s: &Term) -> Option<Term> {
    match s.kind() {
        Kind::Text(TextOp::Lower | TextOp::FromInt, _) => Some(s.clone()),
        Kind::Text(TextOp::Concat, parts) => {
            let lowered = parts.iter().map(|part| Term::text(TextOp::Lower, [part.clone()]));
            Some(Term::text(TextOp::Concat, lowered))
        }
        _ => None,
    }
}

/// A simpler condition that a text is a number: false if a known part has another letter than digits and a `-` in front.
fn is_int(s: &Term) -> Option<Term> {
    if inner(TextOp::FromInt, s).is_some() {
        return Some(Term::truth());
    }
    let odd = |part: &Term| {
        let text = part.as_const().and_then(Scalar::as_str).unwrap_or_default();
        !text.bytes().enumerate().all(|(at, octet)| octet.is_ascii_digit() || (at == 0 && octet == b'-'))
    };
    parts(s).iter().any(odd).then(Term::falsity)
}

/// A simpler slice: known parts at the front are cut, or passed over; a slice of the whole text is the text.
fn slice(s: &Term, from: &Term, to: &Term) -> Option<Term> {
    if from == to || is_empty(s) {
        return Some(empty(s.sort()));
    }
    let start = from.as_int()?;
    if start.signum() < 0 {
        return Some(Term::text(TextOp::Slice, [s.clone(), Term::int(Int::ZERO), to.clone()]));
    }
    if to.as_int().is_some_and(|to| to <= start) {
        return Some(empty(s.sort()));
    }
    if start.is_zero() { slice_front(s, to) } else { slice_later(s, start, to) }
}

/// A simpler term for `s[0..to]`.
fn slice_front(s: &Term, to: &Term) -> Option<Term> {
    let all = parts(s);
    let beyond = Linear::of(to).plus(&Int::MINUS_ONE, &total_length(&all));
    if beyond.terms().is_empty() && beyond.constant().signum() >= 0 {
        return Some(s.clone());
    }
    let (first, end) = (all[0].as_const()?, to.as_int()?);
    let n = Int::from(length(first));
    if *end <= n {
        return known::slice(first, &Int::ZERO, end).map(Term::constant);
    }
    let rest = rejoined(&all[1..], s.sort());
    let tail = Term::text(TextOp::Slice, [rest, Term::int(Int::ZERO), Term::int(end.sub(&n))]);
    Some(Term::text(TextOp::Concat, [all[0].clone(), tail]))
}

/// A simpler term for `s[start..to]`, with a start after the first position.
fn slice_later(s: &Term, start: &Int, to: &Term) -> Option<Term> {
    let all = parts(s);
    let first = all[0].as_const()?;
    let n = length(first);
    let passed = start.to_usize().map_or(n, |start| start.min(n));
    if passed == 0 {
        return None;
    }
    let mut left: Terms = all.clone();
    left[0] = Term::constant(cut(first, passed, n));
    let passed = Int::from(passed);
    let args = [rejoined(&left, s.sort()), Term::int(start.sub(&passed)), to.sub(&Term::int(passed))];
    Some(Term::text(TextOp::Slice, args))
}
