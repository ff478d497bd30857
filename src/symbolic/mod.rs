//! Symbolic execution: a path through a handler, and the one loop that drives it (King 1976).
//!
//! A path is a process whose values may be symbols, with the store of what was assumed of them: the path condition. [`drive()`] advances
//! it from event to event. Uses of a specification differ in the [`Policy`], which says what happens at a choice, a fork, a duty or an
//! answer. The judge, the server that runs for real, its search for a run, and the printed validator are policies.
//!
//! ```text
//! n := choose x: int where x > 5; if n < q { reply 0; } …     #1: `#1 > 5`; a fork: `#1 < q` | `#1 >= q`; on the first path 0
//! ```

mod drive;
mod path;

pub use drive::{Chosen, Fork, Policy, drive, havoc};
pub use path::{Driven, Infeasible, Path};
