//! A witness as lines of JSON: for each event what the server chose, and what it replied.
//!
//! ```text
//! {"line":1,"choices":[7],"a":1}
//! {"line":2,"choices":[],"a":0}
//! ```
//!
//! What made the initial state stands under line 0. A request that was lost before it had any effect is `"skipped"`.

use crate::evidence::{Witness, WitnessStep};
use crate::json::{self, Written, encode};
use crate::server::Reply;
use crate::spec::Spec;
use serde::Serialize;

/// What one event needed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Step {
    /// The line of the trace; 0 is the initial state.
    pub line: u64,
    /// What the server chose, in order.
    pub choices: Vec<Written>,
    /// Its answer, which fills a hole in the trace.
    #[serde(rename = "a", skip_serializing_if = "Option::is_none")]
    pub answer: Option<Written>,
    /// The request never had an effect.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
}

/// The steps of a witness.
#[must_use]
pub fn steps(spec: &Spec, witness: &Witness) -> Vec<Step> {
    let initial = Step { line: 0, choices: written(&witness.initial_json), answer: None, skipped: false };
    let initial = Some(initial).filter(|step| !step.choices.is_empty());
    initial.into_iter().chain(witness.steps.iter().map(|made| step(spec, made))).collect()
}

fn step(spec: &Spec, made: &WitnessStep) -> Step {
    let answer = match &made.reply {
        Reply::Answer(answer) => Some(Written(encode(&spec.types, spec.program.response, answer))),
        Reply::Nothing => None,
    };
    Step { line: made.line, choices: written(&made.json), answer, skipped: made.skipped }
}

fn written(choices: &[String]) -> Vec<Written> {
    choices.iter().cloned().map(Written).collect()
}

/// The steps as NDJSON.
#[must_use]
pub fn ndjson(steps: &[Step]) -> String {
    steps.iter().map(|step| json::line(step).unwrap_or_default() + "\n").collect()
}
