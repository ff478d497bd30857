//! Histories of Jepsen and similar tools: EDN, JSON, or the lines of `jepsen.log`.
//!
//! ```text
//!   bytes ──maps, log──▶ operations ──rules──▶ requests and answers as JSON ──pairing──▶ events
//! ```
//!
//! A process is a connection with at most one request under way. `:invoke` is its request and `:ok` the answer. `:fail` is an answer too,
//! or means that the request never happened. After `:info` it is unknown whether the request has had its effect, or will have it.

mod arguments;
mod completions;
mod edn;
mod event;
mod json;
mod log;
mod maps;
mod names;
mod objects;
mod operation;
mod pairing;
mod rules;
mod trace;

pub use event::{ExchangePart, JepsenCounts, JepsenEvent};
pub use rules::{FailRule, JepsenRules, NilRule};
pub use trace::JepsenTrace;
