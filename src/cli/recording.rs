//! The arguments that say how a trace was recorded, and what `mayhap convert --help` says of it.
//!
//! `--from jepsen-edn --fail drop` are the rules of a history whose failed requests never happened.

use super::values::trace_format;
use clap::{Args, ValueEnum};
use mayhap::trace::{FailRule, JepsenRules, NilRule, TraceFormat};

/// The examples and rules that its help shows.
pub const CONVERT_HELP: &str = r#"Examples:
  mayhap convert history.edn --for specs/cas_register.may --out trace.ndjson
  mayhap convert jepsen.log --nil null | mayhap validate specs/register.may -

An operation becomes an event of the connection that is numbered as its process:
  :invoke :cas [2 4]           {"c": 0, "q": {"Cas": [2, 4]}}
  :invoke :read nil            {"c": 0, "q": "Read"}
  :invoke :put "x", :key "k"   {"c": 0, "q": {"Put": ["k", "x"]}}
  :invoke :get nil, :key "k"   {"c": 0, "q": {"Get": "k"}}
  :ok :read 3                  {"c": 0, "a": {"Read": 3}}
  :fail :cas [2 4]             {"c": 0, "a": "Fail"}; with --fail drop, neither is there
  :info, :fail … :timed-out    {"c": 0, "lost": true}: takes effect now, later, or never

Keywords are strings. A map whose keys are no strings is an array of pairs. Other keys of an
operation (:time, :index) stay on its line. What no client did (:process :nemesis) is passed over
and counted.

Exit codes: 0, or 2 where the history is malformed, or has no operations."#;

/// The format in which a trace was recorded, and the rules by which it is read.
#[derive(Args, Debug)]
pub struct RecordedAs {
    /// Format of the trace: ndjson, jepsen-edn or jepsen-log (default: by its first bytes)
    #[arg(long, value_name = "FORMAT", value_parser = trace_format)]
    pub from: Option<TraceFormat>,
    /// Meaning of :fail in a Jepsen history
    #[arg(long, value_enum, default_value_t = FailArg::Answer)]
    pub fail: FailArg,
    /// Meaning of nil in an answer of a Jepsen history (default: as its type says)
    #[arg(long, value_enum)]
    pub nil: Option<NilArg>,
}

impl RecordedAs {
    /// The rules by which a Jepsen history is read.
    #[must_use]
    pub fn rules(&self) -> JepsenRules {
        let fail = match self.fail {
            FailArg::Answer => FailRule::Answer,
            FailArg::Drop => FailRule::Drop,
        };
        let nil = self.nil.map(|nil| match nil {
            NilArg::Null => NilRule::Null,
            NilArg::Any => NilRule::Any,
        });
        JepsenRules { fail, nil, spec: None }
    }
}

/// The meaning of `:fail`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailArg {
    /// The answer was Fail: the server refused
    Answer,
    /// The request never happened
    Drop,
}

/// The meaning of nil in an answer.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum NilArg {
    /// It is null
    Null,
    /// It is not known: anything
    Any,
}
