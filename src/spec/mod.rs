//! The specification, from its syntax tree to the compiled form: types, name resolution, checks and code.
//!
//! For example `load` reads `kv.may` and the files that it uses, and `check` resolves every name in them.

pub mod analysis;
mod any_state;
pub mod check;
pub mod code;
mod compiled;
mod footprint;
pub mod generation;
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
