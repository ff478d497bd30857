//! Conjunction and disjunction: flat, sorted, without duplicates; literals decide and shorten what stands beside them.
//!
//! For example `b and (not b or x = 1)` is `b and x = 1`, and `x = 1 and x != 2` is `x = 1`.
//! Both connectives share one procedure by duality: each part is held against each other one, and the round begins anew if it
//! made one superfluous, or shorter. Of the conjunction of these it is
//!
//! ```text
//! b    x >= 1    !b || x = 0      b opposes the first literal of the last part: x = 0 is left of it
//! b    x >= 1    x = 0            the last two exclude each other: false
//! ```

use super::node::make;
use super::relate::{Relation, relate};
use super::{Kind, Term, Terms};
use crate::scalar::Sort;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Pairs are compared up to this many parts; beyond it only duplicates and complements are seen.
const PAIRWISE: usize = 16;

type Parts = SmallVec<[Term; 8]>;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Junction {
    And,
    Or,
}

/// Negation of a conjunction or disjunction, pushed inside: the parts of the dual one need no second look, since what one
/// part does to another is dual too.
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

/// Joins two conditions by a function that may as well be applied to what they do not have in common, and puts the
/// common parts beside the result: for example `(p and w) if c else p` is `p and (w if c else true)`. `None` if they
/// have nothing in common.
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
    /// The other part says nothing new.
    Drop,
    /// The whole is the connective's zero.
    Zero,
    /// The other part becomes this.
    Replace(Term),
}

impl Junction {
    /// The parts joined, simplified.
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

    /// Adds a part, flattened; true if it makes the whole the zero.
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

    /// A part beside a larger one: absorption, and if they oppose each other in one literal, that is superfluous in the larger.
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

    /// Within this connective, the first part makes the second superfluous.
    fn absorbs(self, relation: Relation) -> bool {
        if self == Junction::And { relation.forward } else { relation.backward }
    }

    /// Within this connective, the two together are the zero.
    fn excludes(self, relation: Relation) -> bool {
        if self == Junction::And { relation.disjoint } else { relation.covers }
    }

    /// A literal beside a clause (or, dually, beside a cube): absorption and unit propagation.
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
