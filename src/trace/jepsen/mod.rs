//! Histories that Jepsen and its kin record: EDN, or the lines of `jepsen.log`.
//!
//! ```text
//!   bytes ──edn, log──▶ operations ──rules──▶ requests and answers as JSON ──pairing──▶ events
//! ```
//!
//! A process is a connection with at most one request under way. `:invoke` is its request, `:ok` the answer; `:fail` is an answer
//! too, or says that the request never happened; after `:info` nobody knows whether it had its effect, or will have.

mod edn;
mod event;
mod json;
mod log;
mod operation;
mod pairing;
mod rules;
mod trace;

pub use event::{JepsenCounts, JepsenEvent};
pub use pairing::ExchangePart;
pub use rules::{FailRule, JepsenRules, NilRule};
pub use trace::JepsenTrace;
