//! Relations of two literals about the same subject: one implies the other, they exclude each other, or they cover everything.
//!
//! For example `x = 1` implies `x != 2` and excludes `x >= 5`; `x <= 3` and `x >= 4` cover everything. A literal restricts its
//! subject, an atom or a sum, to a set of scalars, and two such sets are compared.

use super::{KeySet, Kind, Term, TextOp};
use crate::scalar::{Int, Scalar, text};

/// The relation that two conditions are known to have; all false if nothing is known.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The first implies the second.
    pub forward: bool,
    /// The second implies the first.
    pub backward: bool,
    /// They never hold together.
    pub disjoint: bool,
    /// One of them always holds.
    pub covers: bool,
}

/// The relation of two conditions, as far as it shows without looking into connectives.
pub fn relate(a: &Term, b: &Term) -> Relation {
    if a == b {
        return Relation { forward: true, backward: true, ..Relation::default() };
    }
    if a.var_range() != b.var_range() {
        return Relation::default();
    }
    match (a.kind(), b.kind()) {
        (Kind::Not(x), Kind::Not(y)) => reversed(relate_sets(x, y)),
        (Kind::Not(x), _) if x == b => COMPLEMENT,
        (_, Kind::Not(y)) if y == a => COMPLEMENT,
        (Kind::Not(x), _) => flipped(relate_sets(x, b)),
        (_, Kind::Not(y)) => flipped_second(relate_sets(a, y)),
        _ => relate_sets(a, b),
    }
}

const COMPLEMENT: Relation = Relation { forward: false, backward: false, disjoint: true, covers: true };

/// The relation of ¬a and ¬b, from that of a and b.
fn reversed(r: Relation) -> Relation {
    Relation { forward: r.backward, backward: r.forward, disjoint: r.covers, covers: r.disjoint }
}

/// The relation of ¬a and b, from that of a and b.
fn flipped(r: Relation) -> Relation {
    Relation { forward: r.covers, backward: r.disjoint, disjoint: r.backward, covers: r.forward }
}

/// The relation of a and ¬b, from that of a and b.
fn flipped_second(r: Relation) -> Relation {
    Relation { forward: r.disjoint, backward: r.covers, disjoint: r.forward, covers: r.backward }
}

fn relate_sets(a: &Term, b: &Term) -> Relation {
    let (Some((subject, p)), Some((other, q))) = (restriction(a), restriction(b)) else { return Relation::default() };
    let q = match subject.aligned(&other) {
        Alignment::Same => q,
        Alignment::Negated => match q.negated() {
            Some(q) => q,
            None => return Relation::default(),
        },
        Alignment::Different => return Relation::default(),
    };
    Relation { forward: p.inside(&q), backward: q.inside(&p), disjoint: p.outside(&q), covers: p.with(&q) }
}

/// The subject of a literal: the atom or the sum that it restricts.
enum Subject<'a> {
    Atom(&'a Term),
    Sum(&'a [(Term, Int)]),
}

enum Alignment {
    Same,
    Negated,
    Different,
}

impl Subject<'_> {
    fn aligned(&self, other: &Subject<'_>) -> Alignment {
        match (self, other) {
            (Subject::Atom(a), Subject::Atom(b)) if a == b => Alignment::Same,
            (Subject::Sum(a), Subject::Sum(b)) if a.len() == b.len() && a.iter().zip(*b).all(|(x, y)| x.0 == y.0) => {
                if a.iter().zip(*b).all(|(x, y)| x.1 == y.1) {
                    Alignment::Same
                } else if a.iter().zip(*b).all(|(x, y)| x.1 == y.1.neg()) {
                    Alignment::Negated
                } else {
                    Alignment::Different
                }
            }
            (Subject::Atom(_) | Subject::Sum(_), _) => Alignment::Different,
        }
    }
}

/// The scalars that a literal leaves to its subject.
enum Allowed {
    AtMost(Int),
    AtLeast(Int),
    Is(Scalar),
    In(KeySet),
    /// Texts that begin with this one; the next two: texts that end with it, texts that contain it.
    Begins(Scalar),
    Ends(Scalar),
    Has(Scalar),
    /// Texts before this one; the next one: texts after it.
    Below(Scalar),
    Above(Scalar),
}

use Allowed::{Above, AtLeast, AtMost, Begins, Below, Ends, Has, In, Is};

/// The subject of a literal and the scalars that the literal leaves to it: for an inequality, an equation with a constant, a
/// membership, or a prefix, suffix or part of a text.
fn restriction(literal: &Term) -> Option<(Subject<'_>, Allowed)> {
    match literal.kind() {
        Kind::Le0(linear) => Some(match linear.terms() {
            [(atom, c)] if c.signum() > 0 => (Subject::Atom(atom), AtMost(linear.constant().neg())),
            [(atom, _)] => (Subject::Atom(atom), AtLeast(linear.constant().clone())),
            terms => (Subject::Sum(terms), AtMost(linear.constant().neg())),
        }),
        Kind::Eq0(linear) => {
            let value = Is(Scalar::Int(linear.constant().neg()));
            Some(match linear.terms() {
                [(atom, _)] => (Subject::Atom(atom), value),
                terms => (Subject::Sum(terms), value),
            })
        }
        Kind::Eq(atom, known) => known.as_const().map(|scalar| (Subject::Atom(atom), Is(scalar.clone()))),
        Kind::Member(atom, set) => Some((Subject::Atom(atom), In(set.clone()))),
        Kind::Less(atom, known) if known.as_const().is_some() => {
            Some((Subject::Atom(atom), Below(known.as_const()?.clone())))
        }
        Kind::Less(known, atom) => Some((Subject::Atom(atom), Above(known.as_const()?.clone()))),
        Kind::Text(op, args) => about_text(*op, args),
        _ => None,
    }
}

fn about_text(op: TextOp, args: &[Term]) -> Option<(Subject<'_>, Allowed)> {
    let [atom, part] = args else { return None };
    let part = part.as_const()?.clone();
    let allowed = match op {
        TextOp::StartsWith => Begins(part),
        TextOp::EndsWith => Ends(part),
        TextOp::Contains => Has(part),
        _ => return None,
    };
    Some((Subject::Atom(atom), allowed))
}

impl Allowed {
    /// The set of the negations of these scalars, if they are integers with such a set.
    fn negated(&self) -> Option<Allowed> {
        match self {
            AtMost(k) => Some(AtLeast(k.neg())),
            AtLeast(k) => Some(AtMost(k.neg())),
            Is(Scalar::Int(k)) => Some(Is(Scalar::Int(k.neg()))),
            Is(_) | In(_) | Begins(_) | Ends(_) | Has(_) | Below(_) | Above(_) => None,
        }
    }

    fn admits(&self, scalar: &Scalar) -> bool {
        match (self, scalar) {
            (AtMost(k), Scalar::Int(value)) => value <= k,
            (AtLeast(k), Scalar::Int(value)) => value >= k,
            (AtMost(_) | AtLeast(_), _) => false,
            (Is(known), _) => known == scalar,
            (In(set), _) => set.contains(scalar),
            (Begins(part), _) => text::starts_with(scalar, part) == Some(true),
            (Ends(part), _) => text::ends_with(scalar, part) == Some(true),
            (Has(part), _) => text::contains(scalar, part) == Some(true),
            (Below(bound), _) => scalar < bound,
            (Above(bound), _) => scalar > bound,
        }
    }

    /// Tests whether this set is a subset of the other one; false if that takes more than a cheap look.
    fn inside(&self, other: &Allowed) -> bool {
        match (self, other) {
            (Is(scalar), _) => other.admits(scalar),
            (AtMost(j), AtMost(k)) => j <= k,
            (AtLeast(j), AtLeast(k)) => j >= k,
            (In(s), In(t)) => s == t,
            (Below(j), Below(k)) => j <= k,
            (Above(j), Above(k)) => j >= k,
            (Begins(p), Below(k)) => p < k && !other_begins(k, p),
            (Begins(p), Begins(_) | Has(_) | Above(_)) => other.admits(p),
            (Ends(p), Ends(_) | Has(_)) | (Has(p), Has(_)) => other.admits(p),
            (AtMost(_) | AtLeast(_) | In(_) | Begins(_) | Ends(_) | Has(_) | Below(_) | Above(_), _) => false,
        }
    }

    /// Tests whether the two sets are disjoint; false if that takes more than a cheap look.
    fn outside(&self, other: &Allowed) -> bool {
        match (self, other) {
            (Is(scalar), _) => !other.admits(scalar),
            (_, Is(scalar)) => !self.admits(scalar),
            (AtMost(j), AtLeast(k)) | (AtLeast(k), AtMost(j)) => j < k,
            (Below(j), Above(k)) | (Above(k), Below(j)) => *j <= next(k),
            (Begins(p), Begins(q)) | (Ends(p), Ends(q)) => !self.admits(q) && !other.admits(p),
            (Begins(p), Below(k)) | (Below(k), Begins(p)) => p >= k,
            (Begins(p), Above(k)) | (Above(k), Begins(p)) => p < k && !other_begins(k, p),
            (AtMost(_) | AtLeast(_) | In(_) | Begins(_) | Ends(_) | Has(_) | Below(_) | Above(_), _) => false,
        }
    }

    /// Tests whether the two sets together are everything; false if that takes more than a cheap look.
    fn with(&self, other: &Allowed) -> bool {
        match (self, other) {
            (AtMost(j), AtLeast(k)) | (AtLeast(k), AtMost(j)) => j.add(&Int::ONE) >= *k,
            (Below(j), Above(k)) | (Above(k), Below(j)) => k < j,
            (AtMost(_) | AtLeast(_) | Is(_) | In(_) | Begins(_) | Ends(_) | Has(_) | Below(_) | Above(_), _) => false,
        }
    }
}

/// Tests whether the known text begins with `prefix`.
fn other_begins(whole: &Scalar, prefix: &Scalar) -> bool {
    text::starts_with(whole, prefix) == Some(true)
}

/// The text directly after a known one: no text is between the two.
fn next(text: &Scalar) -> Scalar {
    let nul = if matches!(text, Scalar::Bytes(_)) { Scalar::bytes(b"\0") } else { Scalar::str("\0") };
    text::concat(text, &nul).unwrap_or_else(|| text.clone())
}
