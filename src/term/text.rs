//! Builtins on strings and octets as terms: exact on known arguments, a few laws on unknown ones.
//!
//! Lengths and positions count code points of strings and octets of bytes. For example `len("a" + #1)` is `len(#1) + 1`, and
//! `"k" + #1 = "key"` is `#1 = "ey"`.

use super::{Kind, Linear, Term, Terms};
use crate::scalar::{Int, Scalar, Sort, text as known};
use smallvec::smallvec;

/// A builtin on strings or octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextOp {
    /// `s + t + …`
    Concat,
    /// Number of code points or octets.
    Len,
    /// `s.contains(t)`
    Contains,
    /// `s.starts_with(t)`
    StartsWith,
    /// `s.ends_with(t)`
    EndsWith,
    /// `s.lower()`, ASCII only.
    Lower,
    /// The value of `s.to_int()`; 0 where [`TextOp::IsInt`] is false.
    ToInt,
    /// Whether `s.to_int()` has a value.
    IsInt,
    /// `n.to_string()`
    FromInt,
    /// `s[from..to]`, ends clamped into the text (see [`crate::scalar::text::slice`]).
    Slice,
}

impl TextOp {
    /// The sort of the result, given the first argument's.
    pub fn sort(self, first: Sort) -> Sort {
        match self {
            TextOp::Concat | TextOp::Lower | TextOp::Slice => first,
            TextOp::Len | TextOp::ToInt => Sort::Int,
            TextOp::Contains | TextOp::StartsWith | TextOp::EndsWith | TextOp::IsInt => Sort::Bool,
            TextOp::FromInt => Sort::Str,
        }
    }

    /// The result on known arguments; `None` where they are of the wrong number or sort.
    pub fn apply(self, args: &[Scalar]) -> Option<Scalar> {
        match (self, args) {
            (TextOp::Concat, [first, rest @ ..]) => rest.iter().try_fold(first.clone(), |s, t| known::concat(&s, t)),
            (TextOp::Len, [s]) => known::len(s).map(Scalar::Int),
            (TextOp::Contains, [s, t]) => known::contains(s, t).map(Scalar::Bool),
            (TextOp::StartsWith, [s, t]) => known::starts_with(s, t).map(Scalar::Bool),
            (TextOp::EndsWith, [s, t]) => known::ends_with(s, t).map(Scalar::Bool),
            (TextOp::Lower, [s]) => known::lower(s),
            (TextOp::ToInt, [s]) => s.as_str().map(|s| Scalar::Int(known::to_int(s).unwrap_or(Int::ZERO))),
            (TextOp::IsInt, [s]) => s.as_str().map(|s| Scalar::Bool(known::to_int(s).is_some())),
            (TextOp::FromInt, [n]) => n.as_int().map(|n| Scalar::str(&n.to_string())),
            (TextOp::Slice, [s, from, to]) => known::slice(s, from.as_int()?, to.as_int()?),
            _ => None,
        }
    }
}

impl Term {
    /// The result of `op` on `args`. Arguments of the wrong number or sort give a term without a value.
    pub fn text(op: TextOp, args: impl IntoIterator<Item = Term>) -> Term {
        let args: Terms = args.into_iter().collect();
        let args = if op == TextOp::Concat { joined(args) } else { args };
        let scalars: Option<Vec<Scalar>> = args.iter().map(|arg| arg.as_const().cloned()).collect();
        if let Some(result) = scalars.and_then(|scalars| op.apply(&scalars)) {
            return Term::constant(result);
        }
        simplified(op, &args).unwrap_or_else(|| {
            let sort = op.sort(args.first().map_or(Sort::Str, Term::sort));
            Term::text_node(op, args, sort)
        })
    }
}

/// Operands of a concatenation: flat, neighbouring constants joined, empty ones gone (but for one).
fn joined(args: Terms) -> Terms {
    let mut parts = Terms::new();
    for arg in args {
        match arg.kind() {
            Kind::Text(TextOp::Concat, inner) => inner.iter().for_each(|part| append(&mut parts, part.clone())),
            _ => append(&mut parts, arg),
        }
    }
    if parts.len() > 1 {
        parts.retain(|part| part.as_const().is_none_or(|s| known::len(s).is_none_or(|n| !n.is_zero())));
    }
    parts
}

fn append(parts: &mut Terms, part: Term) {
    if let (Some(last), Some(next)) = (parts.last().and_then(Term::as_const), part.as_const())
        && let Some(both) = known::concat(last, next)
    {
        parts.pop();
        parts.push(Term::constant(both));
        return;
    }
    parts.push(part);
}

fn is_empty(term: &Term) -> bool {
    term.as_const().and_then(known::len).is_some_and(|n| n.is_zero())
}

fn inner(op: TextOp, term: &Term) -> Option<&Terms> {
    if let Kind::Text(found, args) = term.kind() { (*found == op).then_some(args) } else { None }
}

/// Laws that hold for all arguments.
fn simplified(op: TextOp, args: &Terms) -> Option<Term> {
    match (op, &args[..]) {
        (TextOp::Concat, [only]) => Some(only.clone()),
        (TextOp::Len, [s]) => match s.kind() {
            Kind::Text(TextOp::Concat, parts) => Some(total_length(parts)),
            Kind::Text(TextOp::Lower, parts) => Some(Term::text(TextOp::Len, parts.clone())),
            _ => None,
        },
        (TextOp::Contains | TextOp::StartsWith | TextOp::EndsWith, [s, t]) if is_empty(t) || s == t => {
            Some(Term::truth())
        }
        (TextOp::Contains | TextOp::StartsWith | TextOp::EndsWith, [s, t]) if is_empty(s) => {
            Some(Term::eq(t, &Term::constant(t.sort().simplest())))
        }
        (TextOp::Lower, [s]) => {
            inner(TextOp::Lower, s).map(|_| s.clone()).or_else(|| inner(TextOp::FromInt, s).map(|_| s.clone()))
        }
        (TextOp::ToInt, [s]) => inner(TextOp::FromInt, s).map(|args| args[0].clone()),
        (TextOp::IsInt, [s]) => inner(TextOp::FromInt, s).map(|_| Term::truth()),
        _ => None,
    }
}

fn total_length(parts: &Terms) -> Term {
    let lengths = parts.iter().map(|part| Linear::of(&Term::text(TextOp::Len, [part.clone()])));
    lengths.fold(Linear::constant_of(Int::ZERO), |sum, length| sum.plus(&Int::ONE, &length)).into_term()
}

/// A shorter equation for two texts, where one side is a concatenation or a printed number.
pub(super) fn simplify_eq(a: &Term, b: &Term) -> Option<Term> {
    if let (Some(number), Some(text)) = (inner(TextOp::FromInt, a), b.as_const().and_then(Scalar::as_str)) {
        let value = Int::parse(text).filter(|value| value.to_string() == text);
        return Some(value.map_or_else(Term::falsity, |value| Term::eq(&number[0], &Term::int(value))));
    }
    if let (Some(x), Some(y)) = (inner(TextOp::FromInt, a), inner(TextOp::FromInt, b)) {
        return Some(Term::eq(&x[0], &y[0]));
    }
    if inner(TextOp::Concat, a).is_none() && inner(TextOp::Concat, b).is_none() {
        return None;
    }
    if is_empty(b) {
        return Some(Term::and_all(sides(a).iter().map(|part| Term::eq(part, b))));
    }
    let (mut left, mut right) = (sides(a), sides(b));
    let before = left.len() + right.len();
    let mut trimmed = false;
    for end in [End::Front, End::Back] {
        loop {
            match trim(&mut left, &mut right, end) {
                Trim::Nothing => break,
                Trim::Clash => return Some(Term::falsity()),
                Trim::Some => trimmed = true,
            }
        }
    }
    (trimmed && left.len() + right.len() <= before).then(|| Term::eq(&rejoin(left, a.sort()), &rejoin(right, a.sort())))
}

fn sides(term: &Term) -> Terms {
    inner(TextOp::Concat, term).cloned().unwrap_or_else(|| smallvec![term.clone()])
}

fn rejoin(parts: Terms, sort: Sort) -> Term {
    if parts.is_empty() { Term::constant(sort.simplest()) } else { Term::text(TextOp::Concat, parts) }
}

#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

enum Trim {
    Nothing,
    Some,
    Clash,
}

/// Removes what both sides share at one end.
fn trim(left: &mut Terms, right: &mut Terms, end: End) -> Trim {
    let at = |parts: &Terms| match end {
        End::Front => 0,
        End::Back => parts.len() - 1,
    };
    if left.is_empty() || right.is_empty() {
        return Trim::Nothing;
    }
    let (i, j) = (at(left), at(right));
    if left[i] == right[j] {
        left.remove(i);
        right.remove(j);
        return Trim::Some;
    }
    let (Some(s), Some(t)) = (left[i].as_const(), right[j].as_const()) else { return Trim::Nothing };
    match cut(s, t, end) {
        None => Trim::Clash,
        Some((s, t)) => {
            replace(left, i, s);
            replace(right, j, t);
            Trim::Some
        }
    }
}

fn replace(parts: &mut Terms, at: usize, rest: Scalar) {
    if known::len(&rest).is_some_and(|n| n.is_zero()) {
        parts.remove(at);
    } else {
        parts[at] = Term::constant(rest);
    }
}

/// What is left of two texts after their common part at one end is gone; `None` if they differ there.
fn cut(s: &Scalar, t: &Scalar, end: End) -> Option<(Scalar, Scalar)> {
    let (n, m) = (known::len(s)?, known::len(t)?);
    let shared = n.clone().min(m.clone());
    let halves = |text: &Scalar, length: &Int| match end {
        End::Front => Some((known::slice(text, &Int::ZERO, &shared)?, known::slice(text, &shared, length)?)),
        End::Back => {
            let middle = length.sub(&shared);
            Some((known::slice(text, &middle, length)?, known::slice(text, &Int::ZERO, &middle)?))
        }
    };
    let ((common, s), (other, t)) = (halves(s, &n)?, halves(t, &m)?);
    (common == other).then_some((s, t))
}
