//! Programs that are written as graphs: vertices, and edges with conditions and assignments.
//!
//! ```text
//! int x, y
//! entry begin
//! end done
//! begin -> larger if x > y
//! begin -> done if x <= y
//! larger -> done do y := x
//! ```
//!
//! A path is an edge after the other from the entry to the end. It is feasible if there are values of the variables at the entry with which
//! all its conditions hold.

mod file;
mod formula;
mod run;
mod state;
mod variables;

pub use file::FlowProgram;
pub use state::{FlowInput, FlowOracle, FlowState};
pub use variables::FlowType;
