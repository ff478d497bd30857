//! *Could a server that follows this specification have done that?*
//!
//! A specification says what a server may do, as a small server of its own that is free to choose, in secret, whatever
//! the protocol leaves open: a fresh id, a tag, a number, whether to do it at all. This crate turns it inside out, into a
//! [`Validator`]: given what a real server was asked and answered, its [`Verdict`] is *accept* where some choices explain
//! every answer, and *reject*, with the first answer that none explain. Both are exact; where a question was too hard
//! the verdict is *unknown*, never *reject*.
//!
//! # First steps
//!
//! This is `examples/first_steps.rs`:
//!
//! ```
#![doc = include_str!("../examples/first_steps.rs")]
//! ```
//!
//! # Where to go next
//!
//! * **A test of your own server**: `examples/proptest_server.rs` is a property test in fifteen lines. What you ask and
//!   what it answers is anything that implements [`serde::Serialize`] as the specification's types are written in JSON.
//! * **Writing specifications**: `docs/HOWTO.md` has recipes, `docs/LANGUAGE.md` is the language, `specs/` has
//!   specifications to start from.
//! * **Recorded traces**: [`Trace::read`] reads NDJSON; [`validate::judge`] judges what is larger than memory, while it is
//!   read; the command `mayhap validate` does it without a program.
//! * **Programs with choices of their own**: [`choice::explore()`] runs a closure once for every run; it needs neither a
//!   specification nor a solver.
//! * **Why**: [`Trace::witness`] has the choices that explain an accepted trace, replayed; [`Trace::reason`] says in words
//!   why one is rejected.
//! * **The specification as a server**: [`server::Server`] runs it with drawn choices, a stand-in for the real one.
//! * **The validator itself**: [`report::dualized::dualized`] prints it; [`dualize`] is the algorithm, [`process`] what
//!   it runs, [`solve`] how it decides. `docs/ARCHITECTURE.md` is the map, `proofs-notes/` says why it is exact.
//!
//! # What a verdict can be
//!
//! | [`Verdict`] | meaning |
//! |---|---|
//! | `Accept` | some run of the specification shows all that was observed |
//! | `Reject` | none does; `event` is the first that cannot be explained |
//! | `Unknown` | the solver or a limit left it open, see [`Doubt`] |
//! | `Outside` | only a client that broke its duty (`expects`) explains it |
//! | `Fault` | the specification itself is wrong at a place that the trace reaches |
#![warn(missing_docs)]

pub mod choice;
pub mod diagnostic;
pub mod dualize;
pub mod evidence;
pub mod json;
pub mod network;
pub mod process;
mod recorded;
pub mod report;
pub mod scalar;
pub mod server;
pub mod solve;
pub mod spec;
pub mod symbolic;
pub mod syntax;
pub mod term;
pub mod trace;
pub mod validate;
pub mod value;

pub use dualize::{Counts, Doubt, Exchange, FaultReport, Observed, Options, Verdict};
pub use json::JsonError;
pub use recorded::Trace;
pub use spec::{Selection, Spec, SpecError};
pub use validate::Validator;
