//! The result of testing a live system, as data: the work, the covered branches of the specification, and each failure with a few
//! requests that show it.
//!
//! ```
//! use mayhap::report::campaign::{CampaignReport, text};
//! let report = CampaignReport { spec: "kv".into(), seed: 8213, clients: 3, requests: 500, runs: 2, ..Default::default() };
//! assert!(text::text(&report).starts_with("seed 8213 · 3 clients"));
//! ```
//!
//! The harness fills a [`CampaignReport`], and one file for each format writes it. Each struct serialises as `--report json:`
//! shows it.

pub mod baseline;
pub mod github;
#[cfg(feature = "cli")]
pub mod html;
pub mod json;
#[cfg(feature = "cli")]
pub mod junit;
pub mod mermaid;
pub mod notation;
pub mod paths;
pub mod rust;
pub mod shell;
pub mod tested;
pub mod text;
pub mod visible;
#[cfg(feature = "cli")]
pub mod wanted;

pub use paths::{CoveredPaths, TestedPaths};

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::json::{RawJson, encode};
use crate::judge::Exchange;
use crate::spec::{Spec, TypeId};
use crate::value::Value;

/// The version of the JSON format of a report.
pub const CAMPAIGN_SCHEMA: u32 = 1;

/// The report on one campaign against one system.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CampaignReport {
    /// The version of the format: [`CAMPAIGN_SCHEMA`].
    pub schema: u32,
    /// The name of the specification.
    pub spec: String,
    /// The seed of all random choices.
    pub seed: u64,
    /// The number of requests, without those of regressions and of shrinking.
    pub requests: u64,
    /// The number of runs; each begins with a reset.
    pub runs: u64,
    /// The duration in seconds, which only the formats JSON and JUnit show.
    pub seconds: f64,
    /// The verdict.
    pub verdict: CampaignVerdict,
    /// The coverage of the specification.
    pub coverage: ReportedCoverage,
    /// The share of answers, from 0 to 1, that were forced: the specification left only one possible. `None` if there was no
    /// answer.
    pub sharpness: Option<f64>,
    /// Set if the specification forced no answer, so that only the form of HTTP answers was tested.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_form: bool,
    /// The failures, in the order in which they were found.
    pub failures: Vec<FoundFailure>,
    /// The comparison with the known causes, if a baseline was given.
    pub baseline: Option<BaselineReport>,
    /// The path of the specification.
    pub file: String,
    /// The number of clients.
    pub clients: u64,
    /// The name of the network: `tcp`.
    pub net: String,
    /// The number of scripts that the campaign began with.
    pub corpus: u64,
    /// The regressions with their outcomes.
    pub regressions: Vec<RegressionRun>,
    /// The runs in which some events were too hard to decide, with the reason.
    pub undecided: Vec<String>,
    /// The reason why the campaign ended early: `interrupted`, `the time of 60 s is over`.
    pub stopped: Option<String>,
    /// The requests of all runs, by constructor, and how often each was answered in which way.
    pub answers: Vec<RequestCount>,
    /// The requests of which some were refused, by constructor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<RefusedRequests>,
    /// The end of a campaign that went on until all branches were taken: `covered=10: every branch was taken so often`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The feasible paths that were run instead of drawn requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<TestedPaths>,
    /// The first exchanges of the runs, of each run that began with so many, one after the other.
    #[serde(skip)]
    pub beginnings: Vec<Vec<Exchange>>,
    /// The number of feasible paths of two requests, and how many of them the first requests of the runs took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_paths: Option<CoveredPaths>,
    /// The files of the specification, for pages that show them.
    #[serde(skip)]
    pub texts: Vec<SpecText>,
}

impl CampaignReport {
    /// Tests whether nothing failed and nothing was left open. A failure of a regression is shown once only, so it counts, too.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty() && self.undecided.is_empty() && !self.regressions.iter().any(RegressionRun::fails)
    }

    /// Counts regressions that fail in the verdict.
    pub fn judge_regressions(&mut self) {
        if matches!(self.verdict, CampaignVerdict::Pass | CampaignVerdict::Unknown)
            && self.regressions.iter().any(RegressionRun::fails)
        {
            self.verdict = CampaignVerdict::Violation;
        }
    }
}

/// The requests of one constructor, and how many of them the system refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RefusedRequests {
    /// The name of the constructor.
    pub request: String,
    /// The number of answered requests.
    pub answered: u64,
    /// The number of refusals among the answers.
    pub refused: u64,
}

/// The requests of one constructor, and their answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RequestCount {
    /// The name of the constructor.
    pub request: String,
    /// The number of requests that were sent; some may have no answer.
    pub sent: u64,
    /// The answers that came, and those that a statement of the specification gives and that did not come.
    pub answers: Vec<AnswerCount>,
}

/// The answers of one constructor, and over HTTP of one status, to the requests of one constructor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AnswerCount {
    /// The name of the constructor.
    pub answer: String,
    /// The status over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The number of the answers.
    pub count: u64,
    /// Set if the answer is a refusal.
    pub refusal: bool,
    /// The lines of the statements that give the answer, if they are known.
    pub places: Vec<SpecPlace>,
    /// Set if every way to these statements takes a branch that was taken less than ten times, which is named, too.
    #[serde(skip)]
    pub in_seldom_branches: bool,
}

/// The verdict on a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CampaignVerdict {
    /// No failure, and something was tested.
    Pass,
    /// The system did something that no server may do that follows the specification.
    Violation,
    /// The system crashed, hung, sent garbage, refused a connection, or its adapter broke its protocol.
    Broken,
    /// No answer was forced: nothing was tested.
    Untested,
    /// No failure, but some events were too hard to decide.
    Unknown,
    /// Interrupted before a failure was found.
    Interrupted,
}

/// The coverage of a specification by the explanations.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ReportedCoverage {
    /// The number of branches.
    pub branches: u64,
    /// The number of branches that some explanation took.
    pub covered: u64,
    /// The number of pairs of branches that can follow each other.
    pub pairs: u64,
    /// The places of the branches that no explanation took.
    pub never: Vec<SpecPlace>,
    /// Of so many runs, every branch is known that was taken less than ten times. Branches of other runs may be missing.
    pub runs: u64,
    /// Set if a branch counts once for each run that took it, not for each request.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub counts_runs: bool,
    /// The number of pairs that some explanation took.
    pub covered_pairs: u64,
    /// The branches, each with its extent and its count.
    pub counts: Vec<BranchCount>,
}

/// A branch of a specification, with the number of times that it was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BranchCount {
    /// The place at which the branch begins.
    #[serde(rename = "place")]
    pub at: SpecPlace,
    /// The column at which the branch begins, from 1, in characters.
    pub column: u64,
    /// The line on which the branch ends.
    pub end_line: u64,
    /// The first column after the branch.
    pub end_column: u64,
    /// The condition under which the branch is taken, in words: `on Put`, `if …`, `else`, `Some(r)`.
    pub what: String,
    /// The number of times that the branch was taken. From ten on it is the least number of times, as not all runs are looked at then.
    pub count: u64,
}

/// A line of a specification; in JSON it is a text, `kv_etag.may:48`.
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
    /// The name of the file, as places show it.
    pub file: String,
    /// The text of the file.
    pub text: String,
}

/// A failure that was found, shrunk as far as possible.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FoundFailure {
    /// The cause, which tells failures apart: `kv_etag.may:48 Put NoContent`.
    pub cause: String,
    /// The line of the script at which the failure shows.
    pub event: Option<u64>,
    /// The number of requests of the campaign before the failure was found.
    pub requests_to_find: u64,
    /// The script, as a regression file holds it: one JSON object a line.
    pub script: String,
    /// The number of requests in the script.
    pub shrunk_requests: u64,
    /// The number of runs of the system for shrinking.
    pub runs_to_shrink: u64,
    /// The number of runs of the script that failed, and the number of all its runs.
    pub fails: (u64, u64),
    /// The reason, line by line.
    pub explanation: Vec<String>,
    /// The path of the regression file.
    pub file: Option<String>,
    /// The command that runs this file again.
    pub again: Option<String>,
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The line of the specification that forbids the answer.
    pub place: Option<SpecPlace>,
    /// The number of the run in which the failure was found, from 1.
    pub run: u64,
    /// The number of requests in the script before shrinking.
    pub original_requests: u64,
    /// Set if no request can be left out and none be made simpler.
    pub minimal: bool,
    /// Set if the cause is in the baseline.
    pub known: bool,
    /// The script with what happened, line by line.
    pub steps: Vec<ShownStep>,
    /// The last lines of the system's output.
    pub last_output: Vec<String>,
    /// The other requests and answers at which the same cause showed: `Get NotFound`.
    pub also: Vec<String>,
}

/// The kinds of failures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// The system did something that no server may do that follows the specification.
    Violation,
    /// The system ended by itself.
    Crash,
    /// The system did not answer in time.
    Hang,
    /// The system sent something that is no answer.
    Garbage,
    /// The system refused a connection.
    Refused,
    /// The system could not be started, or was not ready in time.
    Start,
    /// The adapter broke its protocol.
    Adapter,
}

/// A step of a script, with what happened and what is known after it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShownStep {
    /// The action.
    #[serde(flatten)]
    pub act: ShownAct,
    /// The remarks on the step, one a line: `only PreconditionFailed was possible`.
    pub notes: Vec<String>,
    /// The line of the specification that the remarks are about.
    pub place: Option<SpecPlace>,
    /// Set if the failure shows at this step.
    pub failing: bool,
    /// The state after the step, as far as it is known.
    pub believed: Vec<Belief>,
}

/// An action in a script.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownAct {
    /// A client sends a request.
    Ask {
        /// The label of the request, an odd number.
        label: u64,
        /// The client.
        client: u64,
        /// The request.
        request: ShownValue,
        /// The references in the request, each with its place: `if_match = 4@Ok@tag`.
        references: Vec<String>,
    },
    /// A request of a client ends. Directly after the request the two share a row.
    Answer {
        /// The label of the request.
        label: u64,
        /// The client.
        client: u64,
        /// The outcome of the request.
        outcome: ShownOutcome,
    },
    /// Nothing happens for this many seconds.
    Wait(f64),
    /// The next requests, which have these labels, are released at once.
    Together {
        /// The labels of the requests.
        labels: Vec<u64>,
        /// The delay of each request, in milliseconds.
        offsets: Vec<f64>,
    },
    /// A client ends its connection.
    Close {
        /// The client.
        client: u64,
        /// Set if the client saw that the system took notice.
        noticed: bool,
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
        /// The answer; `None` if the call fails.
        answer: Option<ShownValue>,
    },
}

/// The outcome of a request.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownOutcome {
    /// The request was answered.
    Answer(ShownValue),
    /// No answer came; the request may have taken effect.
    Lost,
    /// The request certainly took no effect.
    Refused,
    /// The system ended the connection.
    Closed,
    /// No answer is owed.
    Nothing,
    /// No answer came before the deadline.
    Missing,
    /// Bytes that are no answer, in readable form.
    Garbage(String),
}

/// A request or an answer, in full and in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ShownValue {
    /// The JSON of the value, on one line.
    pub json: RawJson,
    /// The short form of the value, in the [`notation`] for people.
    pub short: String,
}

/// A variable of the specification, and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Belief {
    /// The name of the variable.
    pub variable: String,
    /// The knowledge, in words or as a value.
    pub known: String,
}

/// A regression that was run again.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RegressionRun {
    /// The path of the script's file.
    pub file: String,
    /// The cause of the failure when it was found.
    pub cause: String,
    /// The outcome.
    pub outcome: RegressionOutcome,
    /// Set if the baseline has the cause.
    pub known: bool,
    /// The failure that it shows, if it fails for its own cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Box<FoundFailure>>,
}

impl RegressionRun {
    /// Tests whether the regression fails for a cause that the baseline does not have.
    #[must_use]
    pub fn fails(&self) -> bool {
        matches!(self.outcome, RegressionOutcome::Fails(..) | RegressionOutcome::Otherwise(_)) && !self.known
    }
}

/// The outcome of a regression.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RegressionOutcome {
    /// The system does what the specification allows.
    Pass,
    /// The system fails as it did before: the number of runs that failed, and of all runs.
    Fails(u64, u64),
    /// The system fails for this other cause.
    Otherwise(String),
    /// The script was not run to its end, as a request of it may break the client's duty: which one, and where the duty stands.
    Outside(String),
    /// The script does not fail, but some of what was observed could not be judged, for this reason.
    Undecided(String),
    /// The script could not be run, for this reason.
    Error(String),
}

/// The causes of a campaign, compared with those of a baseline.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct BaselineReport {
    /// The causes that both have.
    pub known: Vec<String>,
    /// The causes that only the campaign has.
    pub new: Vec<String>,
    /// The causes that only the baseline has.
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
            answers: Vec::new(),
            refusals: Vec::new(),
            failures: Vec::new(),
            baseline: None,
            file: String::new(),
            clients: 1,
            net: "tcp".into(),
            corpus: 0,
            regressions: Vec::new(),
            undecided: Vec::new(),
            stopped: None,
            until: None,
            paths: None,
            beginnings: Vec::new(),
            covered_paths: None,
            texts: Vec::new(),
        }
    }
}

impl FoundFailure {
    /// A failure of which only the kind and the cause are known yet.
    #[must_use]
    pub fn new(kind: FailureKind, cause: String) -> FoundFailure {
        FoundFailure {
            cause,
            also: Vec::new(),
            event: None,
            requests_to_find: 0,
            script: String::new(),
            shrunk_requests: 0,
            runs_to_shrink: 0,
            fails: (1, 1),
            explanation: Vec::new(),
            file: None,
            again: None,
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
    /// All names of the cause: the first one, and those of other requests and answers at which it showed.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.cause].into_iter().chain(&self.also).map(String::as_str)
    }

    /// The number of each step, as explanations name it: the number of its request, from 1.
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
    /// The word for the kind.
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
    /// The client that acts, or sees the outcome.
    #[must_use]
    pub fn client(&self) -> Option<u64> {
        match self {
            ShownAct::Ask { client, .. } | ShownAct::Answer { client, .. } | ShownAct::Close { client, .. } => {
                Some(*client)
            }
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
