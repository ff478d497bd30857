//! Equality and order of texts.
//!
//! For example `#1 + "a" = "ba"` is `#1 = "b"`, `"a" + #1 < "b" + #2` is true, `to_string(#1) = "12"` is `#1 = 12`, and
//! `lower(#1) = "ok"` is `#1 in {"OK", "Ok", "oK", "ok"}`.

use super::laws::total_length;
use super::letters;
use super::trim::{Clash, Endpoint, Sides};
use super::{TextOp, cut, inner, is_empty, length, parts};
use crate::scalar::{Int, Scalar, text as known};
use crate::term::{Linear, Term};
use std::cmp::Ordering;

/// A simpler condition for `a = b` on texts, if one side is a concatenation, a printed number, a slice or in lower case.
pub(in crate::term) fn simplify_eq(a: &Term, b: &Term) -> Option<Term> {
    if let Some(number) = inner(TextOp::FromInt, a) {
        if let Some(text) = b.as_const().and_then(Scalar::as_str) {
            return Some(printed(&number[0], text));
        }
        if let Some(other) = inner(TextOp::FromInt, b) {
            return Some(Term::eq(&number[0], &other[0]));
        }
    }
    if let (Some(text), Some(wanted)) = (inner(TextOp::Lower, a), b.as_const()) {
        return letters::lower_is(&text[0], wanted);
    }
    if let (Some(args), Some(wanted)) = (inner(TextOp::Slice, a), b.as_const())
        && let Some(simpler) = sliced(args, wanted)
    {
        return Some(simpler);
    }
    if inner(TextOp::Concat, a).is_none() && inner(TextOp::Concat, b).is_none() {
        return None;
    }
    concatenations(a, b)
}

/// The condition that a number is printed as this text: false for `"-0"`, `"01"` and `"+1"`, which are never printed.
fn printed(number: &Term, text: &str) -> Term {
    let value = Int::parse(text).filter(|value| value.to_string() == text);
    value.map_or_else(Term::falsity, |value| Term::eq(number, &Term::int(value)))
}

/// A simpler condition for `text[from..to] = wanted`, if the text or both ends are known. A slice is at most `to - from` long; one
/// from the beginning that is shorter is the whole text.
fn sliced(args: &[Term], wanted: &Scalar) -> Option<Term> {
    let [text, from, to] = args else { return None };
    if let (Some(whole), Some(from), None) = (text.as_const(), from.as_int(), to.as_int()) {
        return from.is_zero().then(|| prefix_is(whole, to, wanted));
    }
    let (from, to) = (from.as_int()?, to.as_int()?);
    match (Int::from(length(wanted)).cmp(&to.sub(from)), from.is_zero()) {
        (Ordering::Greater, _) => Some(Term::falsity()),
        (Ordering::Equal, true) => Some(Term::text(TextOp::StartsWith, [text.clone(), Term::constant(wanted.clone())])),
        (Ordering::Less, true) => Some(Term::eq(text, &Term::constant(wanted.clone()))),
        (Ordering::Equal | Ordering::Less, false) => None,
    }
}

/// The condition on `to` that `whole[0..to] = wanted`, for a known text that is not empty: `to` is the length of `wanted`, or beyond
/// an end of the text.
fn prefix_is(whole: &Scalar, to: &Term, wanted: &Scalar) -> Term {
    let (all, n) = (length(whole), length(wanted));
    if cut(whole, 0, n.min(all)) != *wanted {
        return Term::falsity();
    }
    let at = Term::int(Int::from(n));
    match (n == 0, n == all) {
        (true, _) => Term::le(to, &at),
        (false, true) => Term::le(&at, to),
        (false, false) => Term::eq(to, &at),
    }
}

fn concatenations(a: &Term, b: &Term) -> Option<Term> {
    if is_empty(b) {
        return Some(Term::and_all(parts(a).iter().map(|part| Term::eq(part, b))));
    }
    let gap = total_length(&parts(a)).plus(&Int::MINUS_ONE, &total_length(&parts(b)));
    if impossible(&gap) || missing(a, b) {
        return Some(Term::falsity());
    }
    let mut sides = Sides::of(a, b);
    let before = sides.left.len() + sides.right.len();
    if sides.trim(Endpoint::Front).and_then(|()| sides.trim(Endpoint::Back)).is_err() {
        return Some(Term::falsity());
    }
    let shorter = sides.trimmed && sides.left.len() + sides.right.len() <= before;
    shorter.then(|| {
        let (left, right) = sides.rejoined(a.sort());
        Term::eq(&left, &right)
    })
}

/// Tests whether texts with this difference of lengths cannot be equal: it is never zero.
fn impossible(gap: &Linear) -> bool {
    let sign = gap.constant().signum();
    sign != 0 && gap.terms().iter().all(|(_, coefficient)| coefficient.signum() == sign)
}

/// Tests whether `b` is known and lacks a known part of `a`.
fn missing(a: &Term, b: &Term) -> bool {
    let Some(whole) = b.as_const() else { return false };
    parts(a).iter().filter_map(Term::as_const).any(|part| known::contains(whole, part) == Some(false))
}

/// A simpler condition for `a < b` on texts, if their first parts decide it or have a common beginning.
pub(in crate::term) fn simplify_less(a: &Term, b: &Term) -> Option<Term> {
    if is_empty(a) {
        return Some(Term::ne(b, a));
    }
    let mut sides = Sides::of(a, b);
    match sides.trim(Endpoint::Front) {
        Err(Clash(order)) => Some(Term::from(order == Ordering::Less)),
        Ok(()) if sides.trimmed => {
            let (left, right) = sides.rejoined(a.sort());
            Some(Term::less(&left, &right))
        }
        Ok(()) => None,
    }
}
