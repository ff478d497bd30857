//! The witness of a recording that is judged event by event, as lines of JSON: one for each section of the server, in order.
//!
//! ```text
//! {"line":1,"after":2,"choices":[7],"sends":[{"c":2,"a":"Taken","seen":[3]}],"yields":"queue.may:12"}
//! {"line":1,"part":2,"after":3,"choices":[],"a":7,"seen":[4]}
//! {"step":1,"after":4,"choices":["t3"]}
//! ```
//!
//! `line` is the line of the request that the section serves, or of the restart at which it runs. If a task has several sections,
//! `part` is the number of the section. `after` is the line of the event after which the section ran, and `seen` has the lines on
//! which its message was seen. The choices of the initial state have line 0.

use super::{SHOWN, located, place, shortened, witness};
use crate::choice::counted;
use crate::evidence::{
    NetworkWitness, PendingPart, SectionWork, WitnessCall, WitnessEnd, WitnessMessage, WitnessSection,
};
use crate::json::{self, RawJson, encode};
use crate::process::{PeerCall, Port};
use crate::reading::Observations;
use crate::spec::{Spec, TypeId};
use crate::value::Value;
use serde::Serialize;

/// The witness in a report: a line for each request, or for each section.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum WitnessLines {
    /// A line for each request, in the format of [`super::witness`].
    Requests(Vec<witness::StepLine>),
    /// A line for each section of the server.
    Sections(Vec<SectionLine>),
}

/// A section of the server.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct SectionLine {
    /// The line of the request that the section serves, or of the restart; 0 is the initial state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The number of the `step` of the specification, from 1, if the section is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The client whose connection has begun, if the section handles that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened: Option<u64>,
    /// The client whose connection has ended, if the section handles that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// The number of the section within its task, if it is not the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// The line of the event after which the section ran; 0 if it ran before the first event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The request in full, if the trace has a hole in it.
    #[serde(rename = "q", skip_serializing_if = "Option::is_none")]
    pub request: Option<RawJson>,
    /// The choices of the server, in order.
    pub choices: Vec<RawJson>,
    /// The messages that the section sent besides its answer, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sends: Vec<MessageLine>,
    /// The clients whose connections the section ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closes: Vec<u64>,
    /// The answer with which the task ended.
    #[serde(rename = "a", skip_serializing_if = "Option::is_none")]
    pub answer: Option<RawJson>,
    /// The lines on which the answer was seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<u64>,
    /// The place of the `yield` that ended the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yields: Option<String>,
    /// The calls with which the section ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallLine>,
    /// The number of answers that the section waits for, if these are not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<usize>,
}

/// A message that the server sent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MessageLine {
    /// The client that the message was for.
    pub c: u64,
    /// The message.
    pub a: RawJson,
    /// The lines on which the message was seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<u64>,
}

/// A call of a peer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CallLine {
    /// The peer.
    pub peer: String,
    /// The key that tells the peers of one kind apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<RawJson>,
    /// The request.
    pub q: RawJson,
    /// The line on which the call was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
}

/// The lines of a witness.
#[must_use]
pub fn lines(spec: &Spec, observed: &Observations, found: &NetworkWitness) -> Vec<SectionLine> {
    let choices: Vec<RawJson> = found.initial.json.iter().cloned().map(RawJson).collect();
    let initial = (!choices.is_empty()).then(|| SectionLine { line: Some(0), choices, ..SectionLine::default() });
    let texts = SectionTexts { spec, observed };
    initial.into_iter().chain(found.sections.iter().map(|section| texts.section(section))).collect()
}

/// The first internal steps of the server, in words, and the number of the others.
#[must_use]
pub fn own(spec: &Spec, observed: &Observations, found: &NetworkWitness) -> Vec<String> {
    let steps = found.sections.iter().filter_map(|section| match section.work {
        SectionWork::Step(_, site) => Some((section, site)),
        _ => None,
    });
    let mut lines: Vec<String> = steps
        .map(|(WitnessSection { after, json, .. }, site)| {
            let chosen = if json.is_empty() { String::new() } else { format!(" with {}", json.join(", ")) };
            let after = observed.places.at(*after);
            format!("after {after} the server did by itself{chosen}: {}", place(spec, site))
        })
        .collect();
    let more = lines.len().saturating_sub(witness::LISTED);
    if more > 0 {
        lines.truncate(witness::LISTED);
        lines.push(format!("… and {} by itself", counted(more as u64, "more step")));
    }
    lines
}

/// The most things under way that are named.
const NAMED: usize = 8;

/// Everything that is under way in a run that explains the lines before an event, in words.
#[must_use]
pub fn under_way(spec: &Spec, observed: &Observations, found: &NetworkWitness) -> Vec<String> {
    let texts = SectionTexts { spec, observed };
    let mut lines: Vec<String> = found.under_way.iter().take(NAMED).map(|one| texts.under_way(found, one)).collect();
    if found.under_way.len() > NAMED {
        lines.push(format!("  … and {} more", found.under_way.len() - NAMED));
    }
    if !lines.is_empty() {
        lines.insert(0, "what came before is explained, for example, with this under way:".to_owned());
    }
    lines
}

/// The section as a line of NDJSON.
#[must_use]
pub fn line(section: &SectionLine) -> String {
    json::line(section).unwrap_or_default() + "\n"
}

/// The values of sections, written as in the trace.
struct SectionTexts<'s> {
    spec: &'s Spec,
    observed: &'s Observations,
}

impl SectionTexts<'_> {
    fn section(&self, section: &WitnessSection) -> SectionLine {
        let WitnessSection { after, work, json, sent, closed, end } = section;
        let other = sent.iter().filter(|message| !message.is_answer);
        let answer = sent.iter().find(|message| message.is_answer);
        let line = SectionLine {
            after: Some(*after),
            choices: json.iter().cloned().map(RawJson).collect(),
            sends: other.map(|message| self.message(message)).collect(),
            closes: closed.iter().map(|port| self.client(*port)).collect(),
            answer: answer.map(|message| self.raw(self.spec.program.response, &message.value)),
            seen: answer.map(|message| message.seen.clone()).unwrap_or_default(),
            ..SectionLine::default()
        };
        self.ended(self.working(line, work), end)
    }

    /// Adds the work that a section is a part of.
    fn working(&self, line: SectionLine, work: &SectionWork) -> SectionLine {
        let later = |part: usize| Some(part).filter(|part| *part > 1);
        match work {
            SectionWork::Request { line: sent, part, filled } => {
                let request = filled.as_ref().filter(|_| *part == 1);
                let request = request.map(|request| self.raw(self.spec.program.request, request));
                SectionLine { line: Some(*sent), part: later(*part), request, ..line }
            }
            SectionWork::Step(step, _) => SectionLine { step: Some(step + 1), ..line },
            SectionWork::Opened(port, part) => {
                SectionLine { opened: Some(self.client(*port)), part: later(*part), ..line }
            }
            SectionWork::Left(port, part) => SectionLine { left: Some(self.client(*port)), part: later(*part), ..line },
            SectionWork::Restart(own) => SectionLine { line: Some(*own), ..line },
        }
    }

    /// Adds the end of a section.
    fn ended(&self, line: SectionLine, end: &WitnessEnd) -> SectionLine {
        match end {
            WitnessEnd::Done => line,
            WitnessEnd::Yielded(site) => {
                let yields = site.map(|site| located(self.spec, site).0);
                SectionLine { yields: Some(yields.unwrap_or_default()), ..line }
            }
            WitnessEnd::Called(calls, wanted) => {
                let waits = Some(*wanted).filter(|wanted| *wanted < calls.len());
                SectionLine { calls: calls.iter().map(|call| self.call(call)).collect(), waits, ..line }
            }
        }
    }

    fn call(&self, WitnessCall { call, seen }: &WitnessCall) -> CallLine {
        let PeerCall { peer, key, request, .. } = call;
        let peer = &self.spec.program.peers[*peer as usize];
        let (key, q) = (peer.key.map(|ty| self.raw(ty, key)), self.raw(peer.request, request));
        CallLine { peer: peer.name.clone(), key, q, seen: *seen }
    }

    fn under_way(&self, found: &NetworkWitness, one: &PendingPart) -> String {
        let section = match one {
            PendingPart::Request(line) => return format!("  {}, which is not begun", self.request(*line)),
            PendingPart::Message(port, value) => {
                let message = shortened(&self.raw(self.spec.program.response, value).0, SHOWN);
                return format!("  {message}, sent to client {}", self.client(*port));
            }
            PendingPart::Task(at) => &found.sections[*at],
        };
        let whose = match &section.work {
            SectionWork::Request { line, .. } => self.request(*line),
            SectionWork::Opened(port, _) => format!("what is done when client {} opens", self.client(*port)),
            SectionWork::Left(port, _) => format!("what is done when client {} has left", self.client(*port)),
            SectionWork::Step(..) | SectionWork::Restart(_) => String::new(),
        };
        match &section.end {
            WitnessEnd::Yielded(Some(site)) => format!("  {whose}, which has yielded {}", place(self.spec, *site)),
            WitnessEnd::Called(calls, _) => {
                let call = calls.first().map_or_else(String::new, |made| place(self.spec, made.call.site));
                format!("  {whose}, which waits for its call {call}")
            }
            WitnessEnd::Yielded(None) | WitnessEnd::Done => format!("  {whose}"),
        }
    }

    fn request(&self, line: u64) -> String {
        format!("the request of {}", self.observed.places.at(line))
    }

    fn message(&self, message: &WitnessMessage) -> MessageLine {
        let a = self.raw(self.spec.program.response, &message.value);
        MessageLine { c: self.client(message.to), a, seen: message.seen.clone() }
    }

    fn raw(&self, ty: TypeId, value: &Value) -> RawJson {
        RawJson(encode(&self.spec.types, ty, value))
    }

    fn client(&self, port: Port) -> u64 {
        self.observed.client(port)
    }
}
