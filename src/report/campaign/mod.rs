//! The result of testing a live system, as data: what was tried, which branches of the specification were covered, and each failure
//! with the few requests that show it.
//!
//! ```
//! use mayhap::report::campaign::{CampaignReport, text};
//! let report = CampaignReport { spec: "kv".into(), seed: 8213, clients: 3, requests: 500, runs: 2, ..Default::default() };
//! assert!(text::text(&report).starts_with("seed 8213 · 3 clients"));
//! ```
//!
//! The harness fills a [`CampaignReport`]; one file a format turns it into bytes. Each struct serialises as `--report json:` shows it.

pub mod baseline;
pub mod github;
#[cfg(feature = "cli")]
pub mod html;
pub mod json;
#[cfg(feature = "cli")]
pub mod junit;
pub mod mermaid;
pub mod notation;
pub mod text;
pub mod visible;
#[cfg(feature = "cli")]
pub mod wanted;

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::json::{RawJson, encode};
use crate::spec::{Spec, TypeId};
use crate::value::Value;

/// The version of the form that a report has as JSON.
pub const CAMPAIGN_SCHEMA: u32 = 1;

/// Everything that is said about one campaign against one system.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CampaignReport {
    /// [`CAMPAIGN_SCHEMA`].
    pub schema: u32,
    /// The name of the specification.
    pub spec: String,
    /// The seed of all chance.
    pub seed: u64,
    /// The requests that were sent, without those of regressions and of shrinking.
    pub requests: u64,
    /// The runs that they were in; each begins with a reset.
    pub runs: u64,
    /// The time that it took. No other format than JSON and JUnit shows it.
    pub seconds: f64,
    /// The verdict.
    pub verdict: CampaignVerdict,
    /// The branches of the specification that were taken.
    pub coverage: ReportedCoverage,
    /// The share of answers of which the specification left only one possible, from 0 to 1; nothing if there was no answer.
    pub sharpness: Option<f64>,
    /// Set if the specification left each answer several possibilities, so that only the form of HTTP answers was tested.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_form: bool,
    /// The failures, in the order in which they were found.
    pub failures: Vec<FoundFailure>,
    /// The comparison with the known causes, if a file of these was given.
    pub baseline: Option<BaselineReport>,
    /// The path of the specification.
    pub file: String,
    /// The number of clients.
    pub clients: u64,
    /// The network: `tcp`.
    pub net: String,
    /// The number of scripts that the campaign began with.
    pub corpus: u64,
    /// The regressions, each as it ended.
    pub regressions: Vec<RegressionRun>,
    /// The runs in which it was too hard to decide about some events, and why.
    pub undecided: Vec<String>,
    /// The reason for which the campaign ended early: `interrupted`, `the time of 60 s is over`.
    pub stopped: Option<String>,
    /// The files of the specification, for pages that show them.
    #[serde(skip)]
    pub texts: Vec<SpecText>,
}

/// The verdict on a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CampaignVerdict {
    /// No failure, and something was tested.
    Pass,
    /// The system did what no server that follows the specification could.
    Violation,
    /// The system crashed, hung, sent garbage, refused a connection, or its adapter broke its protocol.
    Broken,
    /// No answer was ever forced: nothing was tested.
    Untested,
    /// No failure, but some events were too hard to decide.
    Unknown,
    /// Interrupted before there was a failure.
    Interrupted,
}

/// The part of a specification that the explanations took.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ReportedCoverage {
    /// The branches that there are.
    pub branches: u64,
    /// Those of them that were taken.
    pub covered: u64,
    /// The pairs of branches that can follow each other.
    pub pairs: u64,
    /// The branches that no explanation took.
    pub never: Vec<SpecPlace>,
    /// The pairs that were taken.
    pub covered_pairs: u64,
    /// The branches with their extents and counts.
    pub counts: Vec<BranchCount>,
}

/// A branch of a specification, and how often it was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BranchCount {
    /// The place where it begins.
    #[serde(rename = "place")]
    pub at: SpecPlace,
    /// The column at which it begins, from 1, in characters.
    pub column: u64,
    /// The line on which it ends.
    pub end_line: u64,
    /// The first column after it.
    pub end_column: u64,
    /// The condition under which it is taken, in words: `on Put`, `if …`, `else`, `Some(r)`.
    pub what: String,
    /// The number of times that it was taken.
    pub count: u64,
}

/// A line of a specification; as JSON it is a text, `kv_etag.may:48`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpecPlace {
    /// The file, as messages show it.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
}

/// A file of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecText {
    /// Its name, as the places show it.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// A failure that was found, shrunk as far as that went.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FoundFailure {
    /// The cause, by which failures are told apart: `kv_etag.may:48 Put NoContent`.
    pub cause: String,
    /// The line of the script at which it shows.
    pub event: Option<u64>,
    /// The requests of the campaign until it was found.
    pub requests_to_find: u64,
    /// The script, as a regression file holds it: one JSON object a line.
    pub script: String,
    /// The requests of the script.
    pub shrunk_requests: u64,
    /// The runs of the system that shrinking took.
    pub runs_to_shrink: u64,
    /// The runs of the script that failed, and all that were made.
    pub fails: (u64, u64),
    /// The reason, line by line.
    pub explanation: Vec<String>,
    /// The path of the regression file.
    pub file: Option<String>,
    /// Its kind.
    pub kind: FailureKind,
    /// The line of the specification that it is about.
    pub place: Option<SpecPlace>,
    /// The number of the run in which it was found, from 1.
    pub run: u64,
    /// The requests of the script before it was shrunk.
    pub original_requests: u64,
    /// Set if no request can be left out and nothing be made simpler.
    pub minimal: bool,
    /// Set if the baseline has the cause.
    pub known: bool,
    /// The script as what happened, line by line.
    pub steps: Vec<ShownStep>,
    /// The last lines of the system's own output.
    pub last_output: Vec<String>,
}

/// The kinds of failures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// It did what no server that follows the specification could.
    Violation,
    /// It ended by itself.
    Crash,
    /// It did not answer in time.
    Hang,
    /// It sent what is no answer.
    Garbage,
    /// It refused a connection.
    Refused,
    /// It could not be started, or was not ready in time.
    Start,
    /// The adapter broke its protocol.
    Adapter,
}

/// A line of a script, with what happened and what is known after it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShownStep {
    /// The thing that happens.
    #[serde(flatten)]
    pub act: ShownAct,
    /// The remarks on it, each a line: `only PreconditionFailed was possible`.
    pub notes: Vec<String>,
    /// The line of the specification that the remarks are about.
    pub place: Option<SpecPlace>,
    /// Set if the failure shows here.
    pub failing: bool,
    /// The state after it, as far as it is known.
    pub believed: Vec<Belief>,
}

/// The things that happen in a script.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownAct {
    /// A client sends a request.
    Ask {
        /// Its label; odd.
        label: u64,
        /// The client.
        client: u64,
        /// The request.
        request: ShownValue,
        /// The references in it, with their places in words: `if_match = 4@Ok@tag`.
        references: Vec<String>,
    },
    /// A client has the end of a request. Directly after its request the two are one row.
    Answer {
        /// The label of the request.
        label: u64,
        /// The client.
        client: u64,
        /// The end.
        outcome: ShownOutcome,
    },
    /// Nothing happens for this many seconds.
    Wait(f64),
    /// The requests of these labels, which come next, are released at once.
    Together {
        /// Their labels.
        labels: Vec<u64>,
        /// The delay of each, in milliseconds.
        offsets: Vec<f64>,
    },
    /// The system is killed and started again.
    Restart,
    /// The system calls a peer.
    Call {
        /// The peer, with its key if it has one.
        peer: String,
        /// The request.
        request: ShownValue,
    },
    /// A peer ends a call.
    CallEnd {
        /// The peer, with its key if it has one.
        peer: String,
        /// The answer; none if it fails.
        answer: Option<ShownValue>,
    },
}

/// The ends of a request.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownOutcome {
    /// This answer.
    Answer(ShownValue),
    /// None came; it may have happened.
    Lost,
    /// It surely did not happen.
    Refused,
    /// The system ended the connection.
    Closed,
    /// None is owed.
    Nothing,
    /// None came before the deadline.
    Missing,
    /// Octets that are no answer, as they can be shown.
    Garbage(String),
}

/// A request or an answer, whole and in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ShownValue {
    /// Its JSON, on one line.
    pub json: RawJson,
    /// The [`notation`] of it.
    pub short: String,
}

/// A variable of the specification, and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Belief {
    /// The variable.
    pub variable: String,
    /// The knowledge, in words or as a value.
    pub known: String,
}

/// A regression that was run again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RegressionRun {
    /// The path of its file.
    pub file: String,
    /// The cause for which it failed once.
    pub cause: String,
    /// The end of it.
    pub outcome: RegressionOutcome,
    /// Set if its cause is one that a baseline knows.
    pub known: bool,
}

impl RegressionRun {
    /// Tests whether it fails, for a cause that no baseline knows.
    #[must_use]
    pub fn fails(&self) -> bool {
        matches!(self.outcome, RegressionOutcome::Fails(..) | RegressionOutcome::Otherwise(_)) && !self.known
    }
}

/// The ends that a regression can have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RegressionOutcome {
    /// The system does what the specification allows.
    Pass,
    /// It fails as it did: the number of runs in which it failed, and of all runs.
    Fails(u64, u64),
    /// It fails for another cause.
    Otherwise(String),
    /// It could not be run: why.
    Error(String),
}

/// The causes of a campaign beside those of a baseline.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct BaselineReport {
    /// The causes that both have.
    pub known: Vec<String>,
    /// Those that only the campaign has.
    pub new: Vec<String>,
    /// Those that only the baseline has.
    pub unseen: Vec<String>,
}

impl Default for CampaignReport {
    fn default() -> CampaignReport {
        CampaignReport {
            schema: CAMPAIGN_SCHEMA,
            spec: String::new(),
            seed: 0,
            requests: 0,
            runs: 0,
            seconds: 0.0,
            verdict: CampaignVerdict::Pass,
            coverage: ReportedCoverage::default(),
            sharpness: None,
            only_form: false,
            failures: Vec::new(),
            baseline: None,
            file: String::new(),
            clients: 1,
            net: "tcp".into(),
            corpus: 0,
            regressions: Vec::new(),
            undecided: Vec::new(),
            stopped: None,
            texts: Vec::new(),
        }
    }
}

impl FoundFailure {
    /// A failure of which nothing else is known yet.
    #[must_use]
    pub fn new(kind: FailureKind, cause: String) -> FoundFailure {
        FoundFailure {
            cause,
            event: None,
            requests_to_find: 0,
            script: String::new(),
            shrunk_requests: 0,
            runs_to_shrink: 0,
            fails: (1, 1),
            explanation: Vec::new(),
            file: None,
            kind,
            place: None,
            run: 1,
            original_requests: 0,
            minimal: false,
            known: false,
            steps: Vec::new(),
            last_output: Vec::new(),
        }
    }
}

impl FoundFailure {
    /// The number of each step, as explanations name it: that of its request among the requests, from 1.
    #[must_use]
    pub fn numbers(&self) -> Vec<Option<usize>> {
        let asked = self.steps.iter().filter_map(|step| match &step.act {
            ShownAct::Ask { label, .. } => Some(*label),
            _ => None,
        });
        let asked: BTreeMap<u64, usize> = asked.zip(1..).collect();
        let number = |step: &ShownStep| match &step.act {
            ShownAct::Ask { label, .. } | ShownAct::Answer { label, .. } => asked.get(label).copied(),
            _ => None,
        };
        self.steps.iter().map(number).collect()
    }
}

impl FailureKind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            FailureKind::Violation => "violation",
            FailureKind::Crash => "crash",
            FailureKind::Hang => "hang",
            FailureKind::Garbage => "garbled answer",
            FailureKind::Refused => "refused connection",
            FailureKind::Start => "failed start",
            FailureKind::Adapter => "failure of the adapter",
        }
    }
}

impl ShownAct {
    /// The client that does it, or sees it.
    #[must_use]
    pub fn client(&self) -> Option<u64> {
        match self {
            ShownAct::Ask { client, .. } | ShownAct::Answer { client, .. } => Some(*client),
            ShownAct::Wait(_) | ShownAct::Together { .. } | ShownAct::Restart => None,
            ShownAct::Call { .. } | ShownAct::CallEnd { .. } => None,
        }
    }
}

impl ShownStep {
    /// A step without remarks.
    #[must_use]
    pub fn plain(act: ShownAct) -> ShownStep {
        ShownStep { act, notes: Vec::new(), place: None, failing: false, believed: Vec::new() }
    }
}

impl ShownValue {
    /// A request of this specification.
    #[must_use]
    pub fn request(spec: &Spec, value: &Value) -> ShownValue {
        ShownValue::typed(spec, spec.program.request, value)
    }

    /// An answer of this specification.
    #[must_use]
    pub fn answer(spec: &Spec, value: &Value) -> ShownValue {
        ShownValue::typed(spec, spec.program.response, value)
    }

    /// A value of this type.
    #[must_use]
    pub fn typed(spec: &Spec, id: TypeId, value: &Value) -> ShownValue {
        let json = RawJson(encode(&spec.types, id, value));
        ShownValue { json, short: notation::short(&spec.types, id, value) }
    }
}

impl std::fmt::Display for SpecPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Serialize for SpecPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
