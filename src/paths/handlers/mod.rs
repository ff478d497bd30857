//! The paths of a specification: the branches that the handlers of some requests take, one request after the other.
//!
//! ```text
//! on Get { key } { if key in data { reply data[key]; } reply none; }      of two requests there are, with `on Put`:
//! on Put { key, value } { data[key] := value; reply done; }
//!
//! Get else · Get else     Get else · Put     Put · Get if     Put · Get else     Put · Put        `Get if` first is infeasible
//! ```
//!
//! A branch is what coverage counts: a handler, a side of an `if`, an arm of a `match`, an alternative of an `either`, the body of a loop.
//! [`HandlerGraph`] is the graph of all sequences of branches that the code has, and [`HandlerOracle`] follows them symbolically, with unknown
//! requests, from the initial state.

mod graph;
mod oracle;
mod recorded;
mod requests;
mod trial;
mod ways;

pub use graph::{BranchNumbers, HandlerGraph, NotSampled, PathBounds};
pub use oracle::{HandlerOracle, HandlerState};
