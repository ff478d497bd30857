//! Stores of constraints: is this still possible? Three answers, from the cheapest exact tier that has one.
//!
//! Implements the constraint sets of validation states (Figure 3.1) and *Forgetting, exactly*. Tiers, in order: folding and
//! bindings; the domain of one variable; the cached model still satisfies; propagation and small case splits within the
//! connected component; Z3 on that component, its answers remembered. Each is exact if it answers.
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

mod beside;
mod differences;
mod domains;
pub mod entail;
mod facts;
mod forgetting;
mod model;
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

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason why a question was not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Why {
    /// It multiplies or divides unknown integers.
    NonLinear,
    /// It is about the inside of unknown strings or bytes.
    Text,
    /// It exceeded the deterministic limits of the solver.
    Effort,
    /// It ran into the wall-clock limit of the solver.
    Time,
    /// Solving is switched off.
    SwitchedOff,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::NonLinear => "a condition that multiplies or divides unknown integers could not be decided",
            Why::Text => "a condition on the inside of unknown strings or bytes could not be decided",
            Why::Effort => "a condition was too hard for the solver's limit of effort",
            Why::Time => "a condition was too hard for the solver's time limit",
            Why::SwitchedOff => "a condition needs the external solver, which is switched off",
        })
    }
}

/// The answer to the question whether there is an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is one.
    Sat,
    /// There is none.
    Unsat,
    /// Not decided; nothing may be concluded.
    Unknown(Why),
}

/// The answer for a component: a model of it, that there is none, or why it was not decided.
#[derive(Clone)]
enum Solved {
    Sat(Model),
    Unsat,
    Unknown(Why),
}
