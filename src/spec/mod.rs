//! From the tree of what was written to what it means: types, resolution, checks, and the compiled form.
//!
//! For example `load` reads `kv.may` and what it uses, and `check` says what every name in it refers to.
mod any_state;
mod cells;
pub mod check;
pub mod code;
mod compiled;
mod dataflow;
pub mod entries;
mod facts;
mod footprint;
pub mod http;
mod instruction;
mod keyed;
pub mod links;
pub mod load;
mod lower;
mod operand;
mod order;
mod override_consts;
mod passes;
mod provenance;
pub mod pure;
mod reply_shapes;
pub mod section_ahead;
pub mod shown;
mod sinking;
mod traced;
pub mod types;
mod unordered;

pub use crate::syntax::ast::NodeId as Site;
pub use compiled::{Selection, Spec, SpecError};
pub use lower::{Tasks, network_notes};
pub use passes::{Code, names as passes};
pub use traced::{Traced, TracedWrite};
pub use types::{Type, TypeId, Types};
