//! Conjunction and disjunction: flat, sorted, without duplicates; literals decide and shorten the parts beside them.
//!
//! For example `b and (not b or x = 1)` is `b and x = 1`, and `x = 1 and x != 2` is `x = 1`. Both connectives share one procedure by
//! duality: each part is compared with each other one, and a new round begins if one of them became superfluous or shorter. The
//! rounds for a conjunction of three parts:
//!
//! ```text
//! b    x >= 1    !b || x = 0      b excludes the first literal of the last part: x = 0 is left
//! b    x >= 1    x = 0            the last two exclude each other: false
//! ```

use super::node::make;
use super::relate::{Relation, relate};
use super::{Kind, Term, Terms};
use crate::scalar::Sort;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// At most this many parts are compared pair by pair; among more only duplicates and complements are found.
const PAIRWISE: usize = 16;

type Parts = SmallVec<[Term; 8]>;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Junction {
    And,
    Or,
}

/// The negation of a conjunction or disjunction, pushed inside. The negated parts need no simplification: by duality they are as
/// simple beside each other as the parts were.
pub(super) fn negated(term: &Term) -> Term {
    let (junction, parts) = match term.kind() {
        Kind::And(parts) => (Junction::Or, parts),
        Kind::Or(parts) => (Junction::And, parts),
        _ => return term.not(),
    };
    let mut list = Parts::new();
    for part in parts {
        if junction.push(&mut list, part.not()) {
            return junction.zero();
        }
    }
    list.sort_unstable();
    list.dedup();
    junction.node(list)
}

/// The join of two conditions, applied to the parts that they do not share, beside the shared ones: `(p and w) if c else p` is
/// `p and (w if c else true)`. The function `join` must allow that. `None` if the conditions share no part.
pub(super) fn with_common_parts(a: &Term, b: &Term, join: &dyn Fn(&Term, &Term) -> Term) -> Option<Term> {
    [Junction::And, Junction::Or].into_iter().find_map(|junction| {
        let (own, theirs) = (junction.parts_of(a), junction.parts_of(b));
        let (common, own): (Parts, Parts) = own.iter().cloned().partition(|part| theirs.contains(part));
        if common.is_empty() {
            return None;
        }
        let theirs = theirs.iter().filter(|part| !common.contains(part)).cloned();
        let joined = join(&junction.of(own), &junction.of(theirs));
        Some(junction.of(common.into_iter().chain([joined])))
    })
}

/// The effect of one part on another.
enum Effect {
    None,
    /// The other part is superfluous.
    Drop,
    /// The whole is the zero of the connective: false for *and*, true for *or*.
    Zero,
    /// The other part becomes this.
    Replace(Term),
}

impl Junction {
    /// The junction of these parts, simplified.
    pub(super) fn of(self, parts: impl IntoIterator<Item = Term>) -> Term {
        let mut list = Parts::new();
        for part in parts {
            if self.push(&mut list, part) {
                return self.zero();
            }
        }
        while list.len() > 1 {
            list.sort_unstable();
            list.dedup();
            match self.pass(&mut list) {
                Round::Zero => return self.zero(),
                Round::Stable => break,
                Round::Changed => {}
            }
        }
        self.node(list)
    }

    fn node(self, mut list: Parts) -> Term {
        match (list.len(), self) {
            (0, _) => self.unit(),
            (1, _) => list.remove(0),
            (_, Junction::And) => make(Kind::And(list.into_iter().collect()), Sort::Bool),
            (_, Junction::Or) => make(Kind::Or(list.into_iter().collect()), Sort::Bool),
        }
    }

    fn unit(self) -> Term {
        Term::from(self == Junction::And)
    }

    fn zero(self) -> Term {
        Term::from(self == Junction::Or)
    }

    /// The parts of a term of this connective.
    fn parts(self, term: &Term) -> Option<&Terms> {
        match (self, term.kind()) {
            (Junction::And, Kind::And(parts)) | (Junction::Or, Kind::Or(parts)) => Some(parts),
            _ => None,
        }
    }

    /// The parts of a term of this connective; any other is its only part.
    fn parts_of(self, term: &Term) -> &[Term] {
        self.parts(term).map_or(std::slice::from_ref(term), |parts| parts)
    }

    fn dual(self) -> Junction {
        if self == Junction::And { Junction::Or } else { Junction::And }
    }

    /// Adds a part, flattened; returns true if the part makes the whole the zero.
    fn push(self, list: &mut Parts, part: Term) -> bool {
        if let Some(value) = part.as_bool() {
            return value == (self == Junction::Or);
        }
        match self.parts(&part) {
            Some(inner) => list.extend(inner.iter().cloned()),
            None => list.push(part),
        }
        false
    }

    /// One round of simplification over sorted parts.
    fn pass(self, list: &mut Parts) -> Round {
        if list.len() > PAIRWISE {
            return if has_complement(list) { Round::Zero } else { Round::Stable };
        }
        for i in 0..list.len() {
            for j in 0..list.len() {
                if i == j {
                    continue;
                }
                match self.effect(&list[i], &list[j]) {
                    Effect::None => {}
                    Effect::Zero => return Round::Zero,
                    Effect::Drop => {
                        list.remove(j);
                        return Round::Changed;
                    }
                    Effect::Replace(part) => {
                        list.remove(j);
                        return if self.push(list, part) { Round::Zero } else { Round::Changed };
                    }
                }
            }
        }
        Round::Stable
    }

    fn effect(self, part: &Term, other: &Term) -> Effect {
        match (self.dual().parts(part), self.dual().parts(other)) {
            (None, None) => {
                let relation = relate(part, other);
                if self.excludes(relation) {
                    Effect::Zero
                } else if self.absorbs(relation) {
                    Effect::Drop
                } else {
                    Effect::None
                }
            }
            (None, Some(clause)) => self.shorten(part, clause),
            (Some(small), Some(large)) if small.len() <= large.len() => self.subsume(small, large),
            (Some(_), _) => Effect::None,
        }
    }

    /// The effect of a clause on a clause that is no shorter: subsumption, or resolution if they exclude each other in one literal,
    /// which the larger clause loses.
    fn subsume(self, small: &Terms, large: &Terms) -> Effect {
        let mut own = small.iter().filter(|literal| !large.contains(literal));
        match (own.next(), own.next()) {
            (None, _) => Effect::Drop,
            (Some(only), None) => {
                let opposed = |literal: &Term| !small.contains(literal) && self.excludes(relate(only, literal));
                match large.iter().position(opposed) {
                    Some(at) => {
                        let kept = large.iter().enumerate().filter(|(other, _)| *other != at);
                        Effect::Replace(self.dual().of(kept.map(|(_, literal)| literal.clone())))
                    }
                    None => Effect::None,
                }
            }
            (Some(_), Some(_)) => Effect::None,
        }
    }

    /// Tests whether the first of two related parts makes the second superfluous in this connective.
    fn absorbs(self, relation: Relation) -> bool {
        if self == Junction::And { relation.forward } else { relation.backward }
    }

    /// Tests whether two related parts together are the zero of this connective.
    fn excludes(self, relation: Relation) -> bool {
        if self == Junction::And { relation.disjoint } else { relation.covers }
    }

    /// The effect of a literal on a clause (dually: on a cube): absorption or unit propagation.
    fn shorten(self, literal: &Term, clause: &Terms) -> Effect {
        let mut kept = Parts::new();
        for part in clause {
            let relation = relate(literal, part);
            if self.absorbs(relation) {
                return Effect::Drop;
            }
            if !self.excludes(relation) {
                kept.push(part.clone());
            }
        }
        if kept.len() == clause.len() { Effect::None } else { Effect::Replace(self.dual().of(kept)) }
    }
}

enum Round {
    Stable,
    Changed,
    Zero,
}

fn has_complement(list: &Parts) -> bool {
    let known: FxHashSet<&Term> = list.iter().collect();
    list.iter().any(|part| matches!(part.kind(), Kind::Not(inner) if known.contains(inner)))
}
