//! Terms: symbolic scalars. A term stands for the scalar that it evaluates to under an assignment of its variables.
//!
//! Implements `e^vs` and the conditions of Figure 3.1: what a server computed from its choices, and what was learned of it.
//! Smart constructors are the only way to build a term and the only place that simplifies; each keeps the meaning under
//! every assignment. Integer terms are in linear normal form over atoms; conditions are in a shallow negation normal form.
//!
//! ```
//! use mayhap::scalar::{Scalar, Sort};
//! use mayhap::term::{Term, Var};
//! let n = Term::var(Var { id: 2, sort: Sort::Int });
//! let five = Term::constant(Scalar::int(5));
//! assert_eq!(Term::le(&five, &n).to_string(), "#2 >= 5");
//! assert_eq!(Term::le(&n.add(&five), &n), Term::falsity());
//! ```

mod arith;
mod arm;
mod bits;
mod bound;
mod build;
mod column;
mod display;
mod junction;
mod keyset;
mod linear;
mod node;
mod relate;
mod table;
mod text;
mod walk;

pub use bound::{Bound, Condition, Side};
pub use column::{Column, Scalars};
pub(crate) use display::VariableNames;
pub use keyset::{KeySet, ScalarSet};
pub use linear::Linear;
pub(crate) use node::count_walked;
pub use node::made;
pub(crate) use relate::relate;
pub use text::TextOp;

use crate::scalar::{Int, Scalar, Sort};
use node::Node;
use smallvec::SmallVec;
use std::sync::Arc;

/// A variable: one internal choice, one unknown, one name for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var {
    /// Its number, unique within a candidate. Renumbering that keeps the order keeps every normal form.
    pub id: u64,
    /// The sort that it ranges over.
    pub sort: Sort,
}

/// Operands of an associative connective or of a text operation.
pub type Terms = SmallVec<[Term; 3]>;

/// A symbolic scalar: immutable, shared, compared by structure (pointer and cached hash first).
#[derive(Clone)]
pub struct Term(Arc<Node>);

/// The way in which a term is made. Matching on it is free; building goes through the constructors of [`Term`]. Sums are
/// kept apart: most terms are variables.
#[derive(Clone, PartialEq, Eq)]
pub enum Kind {
    /// A known scalar.
    Const(Scalar),
    /// A variable.
    Var(Var),
    /// Negation of an atom (never of a constant, a negation or an inequality).
    Not(Term),
    /// Conjunction of two or more, none a conjunction or constant, in order, without duplicates.
    And(Terms),
    /// Disjunction of two or more, none a disjunction or constant, in order, without duplicates.
    Or(Terms),
    /// Equality of two terms of one sort other than int; a constant stands on the right.
    Eq(Term, Term),
    /// `linear = 0`; coefficients without common divisor, the first one positive.
    Eq0(Box<Linear>),
    /// `linear <= 0`; coefficients without common divisor.
    Le0(Box<Linear>),
    /// Strictly before, in the order of code points (strings) or octets (bytes).
    Less(Term, Term),
    /// The term is an element of a known set.
    Member(Term, KeySet),
    /// A sum that is not a single atom: constant plus coefficient times atom.
    Linear(Box<Linear>),
    /// A product of two terms that are not constant.
    Mul(Term, Term),
    /// Quotient towards minus infinity, `x / 0 = 0`.
    Div(Term, Term),
    /// Remainder, `x = y * (x / y) + x % y`.
    Mod(Term, Term),
    /// `if` condition, then, else; the arms are not boolean.
    Ite(Term, Term, Term),
    /// The scalar of a column (not of truth values, not all equal) at a position; beyond both ends the last one.
    Table(Term, Column),
    /// A builtin on strings or octets.
    Text(TextOp, Terms),
}

impl Term {
    /// The way in which this term is made.
    #[inline]
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Its sort ([`Sort::ANY_TOKEN`] where only known tokens are involved).
    #[inline]
    pub fn sort(&self) -> Sort {
        self.0.sort
    }

    /// The known scalar, if it is one.
    #[inline]
    pub fn as_const(&self) -> Option<&Scalar> {
        if let Kind::Const(scalar) = self.kind() { Some(scalar) } else { None }
    }

    /// The known truth value, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        self.as_const().and_then(Scalar::as_bool)
    }

    /// The known integer, if it is one.
    #[inline]
    pub fn as_int(&self) -> Option<&Int> {
        self.as_const().and_then(Scalar::as_int)
    }

    /// The variable, if it is one.
    #[inline]
    pub fn as_var(&self) -> Option<Var> {
        if let Kind::Var(var) = self.kind() { Some(*var) } else { None }
    }

    /// Tests whether it is a variable, or one negated.
    pub fn is_literal(&self) -> bool {
        match self.kind() {
            Kind::Var(_) => true,
            Kind::Not(inner) => inner.as_var().is_some(),
            _ => false,
        }
    }

    /// Number of nodes, counted as a tree; saturating.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// Length of the longest path to a leaf; saturating.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The smallest and the largest variable number in it, if it has any.
    pub fn var_range(&self) -> Option<(u64, u64)> {
        (self.0.first <= self.0.last).then_some((self.0.first, self.0.last))
    }

    /// Tests whether the two are one and the same node.
    #[inline]
    pub fn same(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Tests whether there is another reference to its node. There may be equal terms in any case.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Hash of the structure, the same in every run.
    pub fn structural_hash(&self) -> u64 {
        self.0.hash
    }

    /// Hash of the structure without the numbers of variables: equal for terms that differ by renaming.
    pub fn shape_hash(&self) -> u64 {
        self.0.shape
    }

    /// A number that identifies the node while it lives.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

/// True or false.
impl From<bool> for Term {
    fn from(value: bool) -> Term {
        if value { Term::truth() } else { Term::falsity() }
    }
}
