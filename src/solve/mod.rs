//! Stores of constraints: the cheapest tier that can tell says whether an assignment is left (yes, no, or unknown).
//!
//! Implements the constraint set of a candidate (a validation state in Figure 3.1 of Li's *Testing by Dualization*). A question
//! goes through these tiers until one answers: folding and bindings; the domain of one variable; the cached model, changed in
//! one value if need be; propagation and small case splits within the connected component; Z3 on that component. Each answer is
//! exact (`proofs-notes/solver-tiers.md`).
//!
//! ```
//! use mayhap::scalar::Sort;
//! use mayhap::solve::{Answer, Solver, Store};
//! use mayhap::term::{Term, Var};
//! let mut solver = Solver::default();
//! let mut store = Store::default();
//! let n = Term::var(Var { id: 1, sort: Sort::Int });
//! assert_eq!(store.assume(&Term::le(&Term::int(5), &n), &mut solver), Answer::Sat);
//! assert_eq!(store.decide(&Term::le(&n, &Term::int(4))), Some(false));
//! assert_eq!(store.assume(&Term::lt(&n, &Term::int(5)), &mut solver), Answer::Unsat);
//! ```

mod differences;
mod domains;
pub mod entail;
mod facts;
mod forgetting;
mod model;
pub mod numbered;
mod pairwise;
mod part;
mod persistent;
mod residual;
mod solver;
mod store;
mod tiers;

pub use differences::zone::Zone;
pub use differences::{Differences, set_zone};
pub use domains::domain::Domain;
pub use domains::literal::listed;
pub use forgetting::sum;
pub use forgetting::trail::{Elimination, Trail};
pub use model::{Model, Open};
pub use part::Connections;
pub use persistent::past::{Moved, Past};
pub use solver::{Limits, Solver, Statistics, Tiers};
pub use store::Store;
pub use tiers::z3::unsupported as unsupported_z3;

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason why a question was not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Why {
    /// The question multiplies or divides unknown integers.
    NonLinear,
    /// The question is about the inside of unknown strings or bytes.
    Text,
    /// The question exceeded the deterministic limits of the solver.
    Effort,
    /// The question ran into the wall-clock limit of the solver.
    Time,
    /// Solving is switched off.
    SwitchedOff,
    /// The library of Z3 is too old, so nothing is asked of it.
    OldZ3,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::NonLinear => "a condition that multiplies or divides unknown integers could not be decided",
            Why::Text => "a condition on the inside of unknown strings or bytes could not be decided",
            Why::Effort => "a condition was too hard for the solver's limit of effort",
            Why::Time => "a condition was too hard for the solver's time limit",
            Why::SwitchedOff => "a condition needs the external solver, which is switched off",
            Why::OldZ3 => "a condition needs Z3, and the library of Z3 that is loaded is too old",
        })
    }
}

/// The answer to the question whether an assignment satisfies all conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An assignment satisfies them.
    Sat,
    /// No assignment satisfies them.
    Unsat,
    /// The question was not decided; nothing may be concluded.
    Unknown(Why),
}

/// The answer for a component: a model of it, that it has none, or the reason why that was not decided.
#[derive(Clone)]
enum Solved {
    Sat(Model),
    Unsat,
    Unknown(Why),
}
