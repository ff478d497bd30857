//! A witness as lines of JSON: for each event the choices of the server, and its reply.
//!
//! ```text
//! {"line":1,"choices":[7],"a":1}
//! {"line":2,"choices":[],"a":0}
//! ```
//!
//! If clients are concurrent, the lines are in the order in which the requests were served. Each has the line of the event after
//! which its request was served: `{"line":1,"after":2,"choices":[7],"a":1}`.
//!
//! The choices of the initial state have line 0. A restart has a line with the choices of its handler. A request that was lost
//! before it took effect is `"skipped"`. The internal steps before the request are `"before":[{"step":1,"choices":["t3"]}]`, with
//! the `step`s of the protocol numbered from 1.

use super::place;
use crate::evidence::{Initial, WitnessOwn, WitnessStep};
use crate::json::{self, RawJson, encode, encode_into};
use crate::server::Reply;
use crate::spec::Spec;
use crate::trace::Places;
use serde::Serialize;
use std::fmt::Write as _;

/// The line of a witness for one event.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StepLine {
    /// The line of the trace; 0 is the initial state.
    pub line: u64,
    /// The line of the event after which the request was served, if clients are concurrent; the lines of the witness are then in
    /// the order of service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The internal steps that the server took before the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Own>,
    /// The request in full, if the trace has a hole in it.
    #[serde(rename = "q", skip_serializing_if = "Option::is_none")]
    pub request: Option<RawJson>,
    /// The choices of the server, in order.
    pub choices: Vec<RawJson>,
    /// The answer, which fills a hole in the trace.
    #[serde(rename = "a", skip_serializing_if = "Option::is_none")]
    pub answer: Option<RawJson>,
    /// Set if the request never took effect.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
}

/// An internal step of the server.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Own {
    /// The number of the `step` in the specification, from 1.
    pub step: usize,
    /// The choices of the server, in order.
    pub choices: Vec<RawJson>,
}

/// The line of the initial state; `None` if nothing was chosen for it.
#[must_use]
pub fn initial(made: &Initial) -> Option<StepLine> {
    let (before, choices) = (Vec::new(), written(&made.json));
    let step = StepLine { line: 0, after: None, before, request: None, choices, answer: None, skipped: false };
    Some(step).filter(|step| !step.choices.is_empty())
}

/// The line for one event of a witness.
#[must_use]
pub fn step(spec: &Spec, made: &WitnessStep) -> StepLine {
    let answer = match &made.reply {
        Reply::Answer(answer) => Some(RawJson(encode(&spec.types, spec.program.response, answer))),
        Reply::Nothing => None,
    };
    let own = |own: &WitnessOwn| Own { step: own.step + 1, choices: written(&own.json) };
    let before = made.before.iter().map(own).collect();
    let request = made.request.as_ref().map(|request| RawJson(encode(&spec.types, spec.program.request, request)));
    let choices = written(&made.json);
    StepLine { line: made.line, after: made.after, before, request, choices, answer, skipped: made.skipped }
}

fn written(choices: &[String]) -> Vec<RawJson> {
    choices.iter().cloned().map(RawJson).collect()
}

/// The most internal steps that are listed in words.
pub const LISTED: usize = 5;

/// The first internal steps of the server, in words.
#[must_use]
pub fn own(spec: &Spec, places: &Places, steps: &[WitnessStep]) -> Vec<String> {
    let did = steps.iter().flat_map(|step| step.before.iter().map(move |own| (step.line, own)));
    did.take(LISTED).map(|(line, own)| in_words(spec, &places.at(line), own)).collect()
}

fn in_words(spec: &Spec, event: &str, own: &WitnessOwn) -> String {
    let chosen = if own.json.is_empty() { String::new() } else { format!(" with {}", own.json.join(", ")) };
    format!("before {event} the server took an internal step{chosen}: {}", place(spec, own.site))
}

impl StepLine {
    /// The number of values in the line: one for each choice, and one for each internal step.
    #[must_use]
    pub fn values(&self) -> usize {
        self.choices.len() + self.before.iter().map(|own| 1 + own.choices.len()).sum::<usize>()
    }
}

/// Appends the line for one event of a witness, as NDJSON.
pub fn write_line(out: &mut String, spec: &Spec, made: &WitnessStep) {
    let _ = write!(out, "{{\"line\":{}", made.line);
    if let Some(after) = made.after {
        let _ = write!(out, ",\"after\":{after}");
    }
    for (at, own) in made.before.iter().enumerate() {
        let begin = if at == 0 { ",\"before\":[" } else { "," };
        let _ = write!(out, "{begin}{{\"step\":{},\"choices\":", own.step + 1);
        write_choices(out, &own.json);
        out.push('}');
    }
    if !made.before.is_empty() {
        out.push(']');
    }
    if let Some(request) = &made.request {
        out.push_str(",\"q\":");
        encode_into(out, &spec.types, spec.program.request, request);
    }
    out.push_str(",\"choices\":");
    write_choices(out, &made.json);
    if let Reply::Answer(answer) = &made.reply {
        out.push_str(",\"a\":");
        encode_into(out, &spec.types, spec.program.response, answer);
    }
    out.push_str(if made.skipped { ",\"skipped\":true}\n" } else { "}\n" });
}

fn write_choices(out: &mut String, choices: &[String]) {
    out.push('[');
    for (at, choice) in choices.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        out.push_str(choice);
    }
    out.push(']');
}

/// The line as NDJSON.
#[must_use]
pub fn line(step: &StepLine) -> String {
    json::line(step).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::{line, step, write_line};
    use crate::evidence::{WitnessOwn, WitnessStep};
    use crate::server::{Given, Reply};
    use crate::spec::{Site, Spec};
    use crate::value::Value;

    #[test]
    fn a_line_is_what_a_report_has() {
        let spec = Spec::from_text("protocol echo { request int; response int; on q { reply q; } }").unwrap();
        let own = |json: &[&str]| WitnessOwn {
            step: 0,
            site: Site(0),
            choices: json.iter().map(|_| Given::Way(1)).collect(),
            json: json.iter().map(|text| (*text).to_owned()).collect(),
        };
        let plain = WitnessStep {
            line: 7,
            after: None,
            before: Vec::new(),
            choices: Vec::new(),
            json: Vec::new(),
            request: None,
            reply: Reply::Answer(Value::from(5)),
            skipped: false,
        };
        let full = WitnessStep {
            before: vec![own(&[]), own(&["1", "{\"a\":\"\\n\"}"])],
            json: vec!["2".to_owned(), "[3]".to_owned()],
            request: Some(Value::from(-1)),
            ..plain.clone()
        };
        let skipped = WitnessStep { reply: Reply::Nothing, skipped: true, ..plain.clone() };
        let served = WitnessStep { after: Some(9), ..plain.clone() };
        for made in [plain, full, skipped, served] {
            let mut written = String::new();
            write_line(&mut written, &spec, &made);
            assert_eq!(written, line(&step(&spec, &made)));
        }
    }
}
