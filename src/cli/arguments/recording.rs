//! The arguments that say how a recording was made, with the help on them for `mayhap convert`.
//!
//! `--from jepsen-edn --fail drop` reads a history in which failed requests never happened.

use super::values::trace_format;
use clap::{Args, ValueEnum};
use mayhap::Spec;
use mayhap::diagnostic::suggest;
use mayhap::reading::FormatRules;
use mayhap::trace::{FailRule, Header, JepsenRules, NilRule, TraceFormat};
use std::str::FromStr;
use std::sync::Arc;

/// The examples and rules that its help shows.
pub const CONVERT_HELP: &str = r#"Examples:
  mayhap convert history.edn --for specs/cas_register.may --out trace.ndjson
  mayhap convert history.json --for append.may --fail read=drop
  mayhap convert jepsen.log --nil null | mayhap validate specs/register.may -

An operation becomes an event of the connection that is numbered as its process:
  :invoke :cas [2 4]           {"c": 0, "q": {"Cas": [2, 4]}}
  :invoke :read nil            {"c": 0, "q": "Read"}
  :invoke :put "x", :key "k"   {"c": 0, "q": {"Put": ["k", "x"]}}
  :invoke :get nil, :key "k"   {"c": 0, "q": {"Get": "k"}}
  :ok :read 3                  {"c": 0, "a": {"Read": 3}}
  :fail :cas [2 4]             {"c": 0, "a": "Fail"}; with --fail cas=drop, neither is there
  :info, :fail … :timed-out    {"c": 0, "lost": true}: takes effect now, later, or never

With --for, what follows a name is a variant of the specification's types:
  :ok :txn [[:append 7 1] [:r 8 2]]   {"c": 0, "a": {"Txn": [{"Append": [7, 1]}, {"Read": [8, 2]}]}}
  :ok :read [7 3]                     {"c": 0, "a": {"Read": [7, 3]}}, or {"Read": 3} without a key
Names are compared without case and punctuation; r and w are short for read and write. Without :f,
an operation is the only variant of the request, or a Txn. Without :process, all operations are of
one client. In a history without :invoke, each request is sent as early as it may have been.

Keywords are strings. A map whose keys are no strings is an array of pairs. Other keys of an
operation (:time, :index) stay on its line. Operations that no client did (:process :nemesis) are
passed over and counted.

Exit codes: 0, or 2 if the history is malformed, or has no operations."#;

/// The format of a recording, and the rules by which it is read.
#[derive(Args, Debug)]
pub struct RecordedAs {
    /// Format of the recording: ndjson, jepsen-edn, jepsen-json, jepsen-log, har or porcupine (default: by its first bytes)
    #[arg(long, value_name = "FORMAT", value_parser = trace_format)]
    pub from: Option<TraceFormat>,
    /// Meaning of :fail in a Jepsen history, as in `drop`, or of one function, as in `read=drop` (can be repeated, and with commas)
    ///
    /// answer (the default): the answer was Fail, as the server refused. drop: the request never happened.
    #[arg(long, value_name = "[NAME=]RULE", value_delimiter = ',')]
    pub fail: Vec<FailArg>,
    /// Meaning of nil in an answer of a Jepsen history (default: as its type says)
    #[arg(long, value_enum)]
    pub nil: Option<NilArg>,
    /// Beginning of the URLs of a HAR file that count: the server, and the path before that of each request
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// State of the server when the recording begins (default: as its first line says; any for a HAR file)
    #[arg(long, value_enum)]
    pub start: Option<StartArg>,
}

impl RecordedAs {
    /// The options of the format. Those of a Jepsen history depend on the specification, if it is known.
    ///
    /// # Errors
    /// A function is no request of the specification. The message is ready to be shown.
    pub fn rules(&self, spec: Option<&Arc<Spec>>) -> Result<FormatRules, String> {
        let of_all = self.fail.iter().rev().find(|fail| fail.function.is_none());
        let fail = of_all.map(|fail| fail.rule).unwrap_or_default();
        let fail_of = self.fail.iter().filter_map(|fail| Some((fail.function.clone()?, fail.rule))).collect();
        let nil = self.nil.map(|nil| match nil {
            NilArg::Null => NilRule::Null,
            NilArg::Any => NilRule::Any,
        });
        let rules = JepsenRules { fail, fail_of, nil, spec: spec.cloned() };
        match (rules.unknown_function(), spec) {
            (Some((unknown, known)), Some(spec)) => {
                let (name, known) = (&spec.program.name, named(unknown, &known));
                Err(format!("error: --fail {unknown}=…: {name} has no request `{unknown}`, only {known}\n"))
            }
            _ => Ok(FormatRules { jepsen: rules, url: self.url.clone() }),
        }
    }

    /// The first line of a recording, or the one that is assumed if there is none, with the state of the server at the beginning.
    pub fn header(&self, own: Header, format: TraceFormat) -> Header {
        let is_har = format == TraceFormat::Har;
        let begins_in_any_state = match self.start {
            Some(start) => start == StartArg::Any,
            None => own.begins_in_any_state || is_har,
        };
        Header { begins_in_any_state, restarts_in_any_state: own.restarts_in_any_state || is_har, ..own }
    }
}

/// The specification that judges a recording with this first line.
///
/// # Errors
/// The server may be in any state, and the specification cannot be judged from any state. The message is ready to be shown.
pub fn as_recorded(spec: &Arc<Spec>, header: &Header) -> Result<Arc<Spec>, String> {
    let mut spec = spec.clone();
    let not = |_| "the server may be in any state, and the specification cannot be judged from any state".to_owned();
    if header.begins_in_any_state {
        spec = spec.in_any_state().map_err(not)?;
    }
    if header.restarts_in_any_state {
        spec = spec.in_any_state_after_restarts().map_err(not)?;
    }
    Ok(spec)
}

/// The state of the server when a recording begins.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartArg {
    /// The server has just been started: it is as the specification begins
    Fresh,
    /// The server was in use before: it is in any state
    Any,
}

/// A list of the known names, with the one that was probably meant, regardless of case.
pub fn named(unknown: &str, known: &[&str]) -> String {
    let plain: Vec<String> = known.iter().map(|name| name.to_lowercase()).collect();
    let near = suggest(&unknown.to_lowercase(), plain.iter().map(String::as_str)).map(|near| near.to_owned());
    let near = known.iter().zip(&plain).find(|(_, plain)| near.as_ref() == Some(*plain));
    let near = near.map(|(name, _)| format!("; did you mean `{name}`?")).unwrap_or_default();
    format!("{}{near}", known.join(", "))
}

/// The meaning of `:fail`, for all functions or for one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailArg {
    /// The function; `None` for all functions.
    pub function: Option<String>,
    /// The meaning.
    pub rule: FailRule,
}

impl FromStr for FailArg {
    type Err = String;

    fn from_str(text: &str) -> Result<FailArg, String> {
        let (function, rule) = text.split_once('=').map_or((None, text), |(name, rule)| (Some(name), rule));
        let function = function.map(|name| name.trim_start_matches(':').to_owned());
        let rule = match rule {
            "answer" => FailRule::Answer,
            "drop" => FailRule::Drop,
            _ => return Err("expected answer or drop, or one of them for a function, as in read=drop".to_owned()),
        };
        match function.as_deref() {
            Some("") => Err("expected the name of a function before `=`, as in read=drop".to_owned()),
            _ => Ok(FailArg { function, rule }),
        }
    }
}

/// The meaning of nil in an answer.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum NilArg {
    /// It is null
    Null,
    /// It is not known: anything
    Any,
}
