//! *Could a server that follows this specification have done that?*
//!
//! A specification says what a server may do, as a small server of its own that is free to choose, in secret, whatever
//! the protocol leaves open: a fresh id, a tag, a number, whether to do it at all. This crate turns it inside out, into a
//! [`Validator`]: given what a real server was asked and answered, its [`Verdict`] is *accept* if some choices explain
//! every answer, and *reject*, with the first answer that none explain. Both are exact; if a question was too hard
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
//! * **A test of your own server**: `examples/proptest_server.rs` is a property test in fifteen lines. Requests and answers are
//!   any types that implement [`serde::Serialize`] and have the JSON form of the specification's types.
//!   With the feature `proptest`, `requests` is a strategy of the requests of a specification: `examples/proptest_requests.rs`.
//! * **Writing specifications**: `docs/HOWTO.md` has recipes, `docs/LANGUAGE.md` is the language, `specs/` has
//!   specifications to start from.
//! * **Recorded traces**: [`Trace::read`] reads NDJSON and keeps it; the command `mayhap validate` judges a recording while
//!   it is read, even one that is larger than memory.
//! * **Programs with choices of their own**: [`choice::explore()`] runs a closure once for each sequence of choices; it needs
//!   neither a specification nor a solver.
//! * **Why**: [`Trace::witness`] has the choices that explain an accepted trace, replayed; [`Trace::reason`] says in words
//!   why one is rejected.
//! * **The specification as a server**: [`server::Server`] runs it with drawn choices, a stand-in for the real one.
//! * **How it works**: `docs/ARCHITECTURE.md` is the map of the modules that are not shown here, `proofs-notes/` says why
//!   their algorithms are exact.
//!
//! # What a verdict can be
//!
//! | [`Verdict`] | meaning |
//! |---|---|
//! | `Accept` | some run of the specification shows all that was observed |
//! | `Reject` | no run does; `event` is the first that cannot be explained |
//! | `Unknown` | the solver or a limit left it open, see [`details::Doubt`] |
//! | `Outside` | only a client that broke its duty (`expects`) explains it |
//! | `Fault` | the specification itself is wrong at a place that the trace reaches |
#![warn(missing_docs)]

#[doc(inline)]
pub use mayhap_choice as choice;
#[cfg(feature = "interface")]
pub mod interface;
pub mod server;

/// Doctests of the examples in `docs/CHOICES.md`, `docs/PATHS.md` and the readme: they compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../docs/CHOICES.md")]
#[doc = include_str!("../docs/PATHS.md")]
#[doc = include_str!("../README.md")]
struct Pages;

// Internal modules: only the command and the tests, which are crates of their own, should use them.
#[doc(hidden)]
pub mod coverage;
#[doc(hidden)]
pub mod diagnostic;
#[doc(hidden)]
pub mod evidence;
#[doc(hidden)]
pub mod generate;
#[doc(hidden)]
pub mod harness;
#[doc(hidden)]
pub mod http;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod judge;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod mutate;
#[doc(hidden)]
pub mod network;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod openapi;
#[doc(hidden)]
pub mod paths;
#[doc(hidden)]
pub mod process;
#[doc(hidden)]
pub mod reading;
mod recorded;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod scalar;
#[doc(hidden)]
pub mod script;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod session;
#[doc(hidden)]
pub mod shrink;
#[doc(hidden)]
pub mod solve;
#[doc(hidden)]
pub mod spec;
#[doc(hidden)]
pub mod sut;
#[doc(hidden)]
pub mod symbolic;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
pub mod term;
#[doc(hidden)]
pub mod trace;
#[doc(hidden)]
pub mod validate;
#[doc(hidden)]
pub mod value;

pub use crate::judge::{Exchange, Options, Verdict};
pub use harness::{SystemTest, test};
#[cfg(feature = "interface")]
pub use interface::check_interface;
#[cfg(feature = "interface")]
pub use mayhap_macros::interface;
pub use recorded::Trace;
pub use session::{Session, SessionProgress};
#[cfg(feature = "proptest")]
pub use shrink::requests;
pub use spec::Spec;
pub use sut::{AsyncSut, Sut, SutAnswer as Answer};
pub use validate::Validator;

/// The errors that the functions of this crate return.
pub mod error {
    pub use crate::evidence::WitnessError;
    pub use crate::json::{JsonError, JsonFlaw};
    pub use crate::session::EventError;
    pub use crate::spec::SpecError;
    pub use crate::trace::TraceError;
}

/// The types that specifications, observations, verdicts and evidence consist of.
pub mod details {
    pub use crate::diagnostic::{Colour, Diagnostic, FileId, Severity, Sources, Span, SpanLabel};
    pub use crate::evidence::{Budget, Witness, WitnessOwn, WitnessStep};
    pub use crate::judge::{Counts, Doubt, FaultReport, Observed, Patience, Place};
    pub use crate::network::NetworkChoice;
    pub use crate::process::{Fault, Limit};
    pub use crate::report::campaign::{
        AnswerCount, BaselineReport, Belief, BranchCount, CampaignReport, CampaignVerdict, CoveredPaths, FailureKind,
        FoundFailure, RefusedRequests, RegressionOutcome, RegressionRun, ReportedCoverage, RequestCount, ShownAct,
        ShownOutcome, ShownStep, ShownValue, SpecPlace, SpecText, TestedPaths,
    };
    pub use crate::report::reason::Explanation;
    pub use crate::scalar::{Int, Scalar, Sort};
    pub use crate::session::{NamedStatement, SessionEvidence, UnknownPart};
    pub use crate::solve::{Limits, Tiers, Why};
    pub use crate::spec::code::FaultKind;
    pub use crate::spec::{Selection, Site};
    pub use crate::sut::{
        Awaiting, Executor, Leave, OwnThread, SutCall, SutEvent, SutEventKind, SutFailure, SutFailureKind, System,
        UnfitAnswer,
    };
    pub use crate::trace::{EventKind, PeerEvent, PeerMessage, Response, TraceEvent};
    pub use crate::value::Value;
}
