//! Builtins on strings and octets as terms: exact on known arguments, laws on unknown ones.
//!
//! For example `len("a" + #1)` is `len(#1) + 1`, and `"k" + #1 = "key"` is `#1 = "ey"`. A question that these laws decide needs no
//! solver. Lengths and positions count code points of strings and octets of bytes.

mod compare;
mod laws;
mod letters;
mod pieces;
mod trim;

pub(super) use compare::{simplify_eq, simplify_less};

use super::{Kind, Term, Terms, table};
use crate::scalar::{Int, Scalar, Sort, text as known};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// An operation on a conditional deeper than this is not done arm by arm.
const CHOICE_DEPTH: u32 = 12;

/// A builtin on strings or octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// The value of `s.to_int()`; 0 if [`TextOp::IsInt`] is false.
    ToInt,
    /// The test whether `s.to_int()` has a value.
    IsInt,
    /// `n.to_string()`
    FromInt,
    /// `s[from..to]`, ends clamped into the text (see [`crate::scalar::text::slice`]).
    Slice,
    /// `len(s.split(t))`
    Pieces,
    /// `s.split(t)[i]`; the empty text if there is no such piece.
    Piece,
}

impl TextOp {
    /// The sort of the result, given the first argument's.
    pub fn sort(self, first: Sort) -> Sort {
        match self {
            TextOp::Concat | TextOp::Lower | TextOp::Slice | TextOp::Piece => first,
            TextOp::Len | TextOp::ToInt | TextOp::Pieces => Sort::Int,
            TextOp::Contains | TextOp::StartsWith | TextOp::EndsWith | TextOp::IsInt => Sort::Bool,
            TextOp::FromInt => Sort::Str,
        }
    }

    /// The result on known arguments; `None` if they are of the wrong number or sort.
    pub fn apply(self, args: &[Scalar]) -> Option<Scalar> {
        self.apply_to(&args.iter().collect::<Vec<_>>())
    }

    /// The result on known arguments that are only borrowed, as [`TextOp::apply`] gives it.
    pub fn apply_to(self, args: &[&Scalar]) -> Option<Scalar> {
        match (self, args) {
            (TextOp::Concat, [first, rest @ ..]) => rest.iter().try_fold((*first).clone(), |s, t| known::concat(&s, t)),
            (TextOp::Len, [s]) => known::len(s).map(Scalar::Int),
            (TextOp::Contains, [s, t]) => known::contains(s, t).map(Scalar::Bool),
            (TextOp::StartsWith, [s, t]) => known::starts_with(s, t).map(Scalar::Bool),
            (TextOp::EndsWith, [s, t]) => known::ends_with(s, t).map(Scalar::Bool),
            (TextOp::Lower, [s]) => known::lower(s),
            (TextOp::ToInt, [s]) => s.as_str().map(|s| Scalar::Int(known::to_int(s).unwrap_or(Int::ZERO))),
            (TextOp::IsInt, [s]) => s.as_str().map(|s| Scalar::Bool(known::to_int(s).is_some())),
            (TextOp::FromInt, [n]) => n.as_int().map(|n| Scalar::str(&n.to_string())),
            (TextOp::Pieces, [s, t]) => known::split(s, t).map(|pieces| Scalar::int(pieces.len() as i64)),
            (TextOp::Piece, [s, t, at]) => {
                let at = at.as_int()?.to_usize();
                let piece = at.and_then(|at| known::split(s, t)?.into_iter().nth(at));
                Some(piece.unwrap_or_else(|| s.sort().simplest()))
            }
            (TextOp::Slice, [s, from, to]) => known::slice(s, from.as_int()?, to.as_int()?),
            _ => None,
        }
    }
}

/// The operands of a concatenation in normal form: flat, with neighbouring constants joined, and without empty ones, unless it is
/// the only one.
pub(super) fn joined(args: Terms) -> Terms {
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

/// A simpler term for an operation if not all its arguments are known.
pub(super) fn simplified(op: TextOp, args: &Terms) -> Option<Term> {
    over_choice(op, args).or_else(|| over_table(op, args)).or_else(|| laws::simplified(op, args))
}

/// Tests whether a term is known to be the empty text.
fn is_empty(term: &Term) -> bool {
    term.as_const().and_then(known::len).is_some_and(|n| n.is_zero())
}

/// The arguments of a term with this operation; `None` for other terms.
fn inner(op: TextOp, term: &Term) -> Option<&Terms> {
    if let Kind::Text(found, args) = term.kind() { (*found == op).then_some(args) } else { None }
}

/// The parts of a concatenation; any other text is its only part.
fn parts(term: &Term) -> Terms {
    inner(TextOp::Concat, term).cloned().unwrap_or_else(|| smallvec::smallvec![term.clone()])
}

/// The empty text of a sort.
fn empty(sort: Sort) -> Term {
    Term::constant(sort.simplest())
}

/// The length of a known text.
fn length(text: &Scalar) -> usize {
    known::len(text).and_then(|n| n.to_usize()).unwrap_or(0)
}

/// The part of a known text from one position to another.
fn cut(text: &Scalar, from: usize, to: usize) -> Scalar {
    known::slice(text, &Int::from(from), &Int::from(to)).unwrap_or_else(|| text.clone())
}

/// The result of an operation arm by arm, if its only unknown argument is a conditional with a known arm.
fn over_choice(op: TextOp, args: &Terms) -> Option<Term> {
    let mut unknown = args.iter().enumerate().filter(|(_, arg)| arg.as_const().is_none());
    let (at, choice) = unknown.next()?;
    let Kind::Ite(condition, yes, no) = choice.kind() else { return None };
    let simple = choice.depth() <= CHOICE_DEPTH && (yes.as_const().is_some() || no.as_const().is_some());
    if !simple || unknown.next().is_some() {
        return None;
    }
    let arm = |value: &Term| {
        let mut args = args.clone();
        args[at] = value.clone();
        Term::text(op, args)
    };
    Some(Term::ite(condition, &arm(yes), &arm(no)))
}

/// The result of an operation position by position, if its arguments are known or tables by one index.
fn over_table(op: TextOp, args: &Terms) -> Option<Term> {
    let args: SmallVec<[&Term; 3]> = args.iter().collect();
    table::pointwise(&args, &|values| op.apply(values))
}

/// The concatenation of any number of parts.
fn rejoined(parts: &[Term], sort: Sort) -> Term {
    if parts.is_empty() { empty(sort) } else { Term::text(TextOp::Concat, parts.iter().cloned()) }
}
