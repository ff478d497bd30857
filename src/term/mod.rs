//! Terms: symbolic scalars. A term stands for the scalar that it evaluates to under an assignment of its variables.
//!
//! A term is a value that a server computed from its choices, or a condition on a path: the expressions and constraints of
//! Figure 3.1 in Li's *Testing by Dualization*. Smart constructors are the only way to build a term and the only place that
//! simplifies; each keeps the meaning under every assignment. Integer terms are in linear normal form over atoms; conditions are in
//! a shallow negation normal form.
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
mod lookup;
mod node;
mod relate;
mod table;
mod text;
mod walk;

pub use bound::{Bound, Condition, Side};
pub(crate) use display::VariableNames;
pub use keyset::{Identity, KeySet, MapIdentity, ScalarSet};
pub use linear::Linear;
pub use lookup::{Dictionary, ScalarMap};
pub(crate) use node::count_walked;
pub use node::{Term, made};
pub(crate) use relate::relate;
pub use table::column::{Column, Scalars};
pub use table::without_tables;
pub use text::TextOp;

use crate::scalar::{Scalar, Sort};
use smallvec::SmallVec;

/// A variable: an internal choice, an unknown, or a name for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var {
    /// The number of the variable, unique within a candidate. Renumbering that keeps the order keeps every normal form.
    pub id: u64,
    /// The sort of its values.
    pub sort: Sort,
}

/// Operands of an associative connective or of a text operation.
pub type Terms = SmallVec<[Term; 3]>;

/// The outermost operation of a term, with its operands. Matching on it is free; building goes through the constructors of
/// [`Term`]. Sums are boxed, so that the many terms that are variables stay small.
#[derive(Clone, PartialEq, Eq)]
pub enum Kind {
    /// A known scalar.
    Const(Scalar),
    /// A variable.
    Var(Var),
    /// Negation of an atom, or of a deep connective (never of a constant, a negation or an inequality).
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
    /// A sum that is neither a constant nor a single atom: a constant plus coefficients times atoms.
    Linear(Box<Linear>),
    /// A product of two terms that are not constant.
    Mul(Term, Term),
    /// Quotient towards minus infinity, `x / 0 = 0`.
    Div(Term, Term),
    /// Remainder, such that `x = y * (x / y) + x % y`.
    Mod(Term, Term),
    /// `if` condition, then, else; the arms are not boolean.
    Ite(Term, Term, Term),
    /// The scalar of a column at a position; beyond both ends the last one. The column is not boolean, and its scalars are not all
    /// equal.
    Table(Term, Column),
    /// The scalar of a dictionary under a key. The scalars are not boolean, and not all equal.
    Lookup(Term, Dictionary),
    /// A builtin on strings or octets.
    Text(TextOp, Terms),
}
