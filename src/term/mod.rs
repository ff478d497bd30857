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
pub(crate) use display::VariableNames;
pub use keyset::{KeySet, ScalarSet};
pub use linear::Linear;
pub(crate) use node::count_walked;
pub use node::{Term, made};
pub(crate) use relate::relate;
pub use table::column::{Column, Scalars};
pub use table::without_tables;
pub use text::TextOp;

use crate::scalar::{Scalar, Sort};
use smallvec::SmallVec;

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
