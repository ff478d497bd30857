//! From the tree of what was written to what it means: types, resolution, checks, and the compiled form.
//!
//! For example `load` reads `kv.may` and what it uses, and `check` says what every name in it refers to.

pub mod analysis;
mod any_state;
pub mod check;
pub mod code;
mod compiled;
mod footprint;
pub mod http;
mod instruction;
pub mod load;
mod lower;
mod operand;
mod order;
mod override_consts;
mod passes;
mod traced;
pub mod types;

pub use crate::syntax::ast::NodeId as Site;
pub use compiled::{Selection, Spec, SpecError};
pub use lower::{Tasks, network_notes};
pub use passes::{Code, names as passes};
pub use traced::{Traced, TracedWrite};
pub use types::{Type, TypeId, Types};
