//! Feasible paths, drawn uniformly and without repetition, with inputs that take them.
//!
//! ```text
//! draw a path of the graph ─▶ follow it symbolically ─┬─▶ feasible: it is returned, and never drawn again
//!        ▲                                            └─▶ its shortest infeasible beginning is forbidden ─┐
//!        └────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! [`FeasiblePaths`] is this loop, over any [`PathOracle`]. At every moment each feasible path that was not drawn yet is equally likely to be
//! the next one (`proofs-notes/uniform-paths.md`). [`flow`] are programs that are written as graphs, [`handlers`] those of
//! specifications.

mod feasible;
pub mod flow;
pub mod handlers;

pub use feasible::{FeasiblePaths, FollowedStep, PathCounts, PathOracle, SampledPath};
