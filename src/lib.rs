//! mayhap: could a server that follows this specification have done that?
#![warn(missing_docs)]

pub mod choice;
pub mod cli;
pub mod diagnostic;
pub mod dualize;
pub mod evidence;
pub mod json;
pub mod process;
pub mod report;
pub mod scalar;
pub mod server;
pub mod solve;
pub mod spec;
pub mod syntax;
pub mod term;
pub mod trace;
pub mod validate;
pub mod value;

pub use dualize::{Exchange, Observed, Verdict};
pub use spec::Spec;
pub use validate::Validator;
