//! Two concatenations without the parts that they share at one end.
//!
//! For example `"ab" + #1` and `"ac" + #2` clash, and `"a" + #1` and `"abc"` leave `#1` and `"bc"`. Cancelling a common first (last)
//! part keeps equality, order (first parts only) and being a prefix (suffix).

use super::{cut, empty, length, parts};
use crate::scalar::Sort;
use crate::term::{Term, TextOp};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// The end at which trimming begins.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Endpoint {
    Front,
    Back,
}

/// The parts that are left of two texts.
pub(super) struct Sides {
    pub(super) left: VecDeque<Term>,
    pub(super) right: VecDeque<Term>,
    /// Set if a common part was taken away.
    pub(super) trimmed: bool,
}

/// A clash of two known parts that differ, with their order (of use at the front only).
pub(super) struct Clash(pub(super) Ordering);

impl Sides {
    pub(super) fn of(left: &Term, right: &Term) -> Sides {
        Sides { left: parts(left).into_iter().collect(), right: parts(right).into_iter().collect(), trimmed: false }
    }

    /// Takes away all parts that both share at one end.
    pub(super) fn trim(&mut self, end: Endpoint) -> Result<(), Clash> {
        while let (Some(a), Some(b)) = (peek(&self.left, end), peek(&self.right, end)) {
            if a == b {
                pop(&mut self.left, end);
                pop(&mut self.right, end);
            } else {
                let (Some(s), Some(t)) = (a.as_const(), b.as_const()) else { return Ok(()) };
                let (n, m) = (length(s), length(t));
                let shared = n.min(m);
                if shared == 0 {
                    return Ok(());
                }
                let ((common, s), (other, t)) = match end {
                    Endpoint::Front => ((cut(s, 0, shared), cut(s, shared, n)), (cut(t, 0, shared), cut(t, shared, m))),
                    Endpoint::Back => {
                        ((cut(s, n - shared, n), cut(s, 0, n - shared)), (cut(t, m - shared, m), cut(t, 0, m - shared)))
                    }
                };
                if common != other {
                    return Err(Clash(common.cmp(&other)));
                }
                replace(&mut self.left, end, Term::constant(s), n == shared);
                replace(&mut self.right, end, Term::constant(t), m == shared);
            }
            self.trimmed = true;
        }
        Ok(())
    }

    /// Both as terms again.
    pub(super) fn rejoined(self, sort: Sort) -> (Term, Term) {
        (rejoin(self.left, sort), rejoin(self.right, sort))
    }
}

fn peek(parts: &VecDeque<Term>, end: Endpoint) -> Option<&Term> {
    if end == Endpoint::Front { parts.front() } else { parts.back() }
}

fn pop(parts: &mut VecDeque<Term>, end: Endpoint) {
    if end == Endpoint::Front {
        parts.pop_front()
    } else {
        parts.pop_back()
    };
}

fn replace(parts: &mut VecDeque<Term>, end: Endpoint, rest: Term, used_up: bool) {
    pop(parts, end);
    match end {
        _ if used_up => {}
        Endpoint::Front => parts.push_front(rest),
        Endpoint::Back => parts.push_back(rest),
    }
}

fn rejoin(parts: VecDeque<Term>, sort: Sort) -> Term {
    if parts.is_empty() { empty(sort) } else { Term::text(TextOp::Concat, parts) }
}
