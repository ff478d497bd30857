//! From the tree of what was written to what it means: types, resolution, checks, and the compiled form.
pub mod code;
pub mod heads;
pub mod types;

pub use crate::syntax::ast::NodeId as Site;
pub use types::{Type, TypeId, Types};
