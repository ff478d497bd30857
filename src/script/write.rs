//! The writer of scripts: a request and its answer share a line if nothing comes between them.

use rustc_hash::FxHashMap;

use super::part::changed;
use super::{PlacedReference, RecordedOutcome, RequestTemplate, Script, ScriptHeader, ScriptStep};
use crate::json::{self, quoted};
use crate::spec::Spec;
use crate::trace::{EventKind, PeerEvent, PeerMessage, TraceEvent};
use crate::value::Value;

/// A hole as JSON, in the place of a reference until that is written.
const HOLE: &str = "{\"$any\": null}";

impl Script {
    /// The script as text, one line for each step or exchange, as [`Script::read`] reads it.
    #[must_use]
    pub fn write(&self, spec: &Spec) -> String {
        let mut out = self.header.written();
        let mut clients = FxHashMap::default();
        let mut steps = self.steps.iter().enumerate().peekable();
        while let Some((at, step)) = steps.next() {
            match step {
                ScriptStep::Ask { label, client, request } => {
                    clients.insert(*label, *client);
                    let next = steps.peek().and_then(|(_, next)| outcome_of(next, *label));
                    let is_exchange = next.is_some_and(|seen| is_beside_request(seen, *client));
                    let seen = next.filter(|_| is_exchange);
                    if is_exchange {
                        steps.next();
                    }
                    let client = Some(*client).filter(|_| seen != Some(&RecordedOutcome::Nothing));
                    write_start(&mut out, Some(*label), client);
                    out.push_str(", \"q\": ");
                    out.push_str(&request.written(spec));
                    write_outcome(&mut out, spec, seen);
                }
                ScriptStep::Await { seen: RecordedOutcome::Nothing, .. } => continue,
                ScriptStep::Await { label, seen } => {
                    let client = clients.get(label).copied();
                    // A connection ends only once.
                    let before = at.checked_sub(1).map(|before| &self.steps[before]);
                    let is_again = before.is_some_and(|before| match before {
                        ScriptStep::Await { label, seen: other } => {
                            clients.get(label).copied() == client && ends(other) && other == seen
                        }
                        _ => false,
                    });
                    if is_again {
                        continue;
                    }
                    write_start(&mut out, Some(label + 1), client);
                    write_outcome(&mut out, spec, Some(seen));
                }
                ScriptStep::Seen { client, seen } => {
                    write_start(&mut out, None, Some(*client));
                    write_outcome(&mut out, spec, Some(seen));
                }
                ScriptStep::Close { client, noticed } => {
                    write_start(&mut out, None, Some(*client));
                    out.push_str(if *noticed { ", \"left\": true" } else { ", \"lost\": true" });
                }
                ScriptStep::Wait(seconds) => out.push_str(&format!("{{\"wait\": {seconds}")),
                ScriptStep::Together { labels, offsets } => {
                    out.push_str(&format!("{{\"together\": {labels:?}, \"offset_ms\": {}", listed(offsets)));
                }
                ScriptStep::Restart => out.push_str("{\"restart\": true"),
                ScriptStep::Peer(event) => {
                    write_peer(&mut out, spec, event);
                    continue;
                }
            }
            out.push_str("}\n");
        }
        out
    }
}

/// Writes a message between the system and a peer, as a whole line.
fn write_peer(out: &mut String, spec: &Spec, event: &PeerEvent<Value>) {
    let Some(peer) = spec.program.peers.iter().find(|peer| peer.name == event.peer) else { return };
    let typed = |ty, value: &Value| json::encode(&spec.types, ty, value);
    let message = match &event.message {
        PeerMessage::Call(request) => PeerMessage::Call(typed(peer.request, request)),
        PeerMessage::Answer(answer) => PeerMessage::Answer(typed(peer.response, answer)),
        PeerMessage::Sent(answer) => PeerMessage::Sent(typed(peer.response, answer)),
        _ => PeerMessage::Lost,
    };
    let key = event.key.as_ref().zip(peer.key).map(|(key, ty)| typed(ty, key));
    let event = PeerEvent { peer: event.peer.clone(), key, exchange: event.exchange, message };
    out.push_str(&TraceEvent { line: 0, client: None, kind: EventKind::Peer(event) }.to_string());
    out.push('\n');
}

fn listed(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

/// The outcome of this request, if the step awaits it.
fn outcome_of(step: &ScriptStep, asked: u64) -> Option<&RecordedOutcome> {
    match step {
        ScriptStep::Await { label, seen } if *label == asked => Some(seen),
        _ => None,
    }
}

/// Tests whether an outcome is written on the line of its request. If no answer is owed, the line has no client.
fn is_beside_request(seen: &RecordedOutcome, client: u64) -> bool {
    match seen {
        RecordedOutcome::Answer(_) | RecordedOutcome::Lost => true,
        RecordedOutcome::Closed => false,
        RecordedOutcome::Nothing => client == 1,
    }
}

fn ends(seen: &RecordedOutcome) -> bool {
    matches!(seen, RecordedOutcome::Lost | RecordedOutcome::Closed)
}

fn write_start(out: &mut String, label: Option<u64>, client: Option<u64>) {
    let label = label.map(|label| format!("\"n\": {label}"));
    let client = client.map(|client| format!("\"c\": {client}"));
    let parts: Vec<String> = label.into_iter().chain(client).collect();
    out.push('{');
    out.push_str(&parts.join(", "));
}

fn write_outcome(out: &mut String, spec: &Spec, seen: Option<&RecordedOutcome>) {
    match seen {
        Some(RecordedOutcome::Answer(answer)) => {
            out.push_str(", \"a\": ");
            json::encode_into(out, &spec.types, spec.program.response, answer);
        }
        Some(RecordedOutcome::Lost) => out.push_str(", \"lost\": true"),
        Some(RecordedOutcome::Closed) => out.push_str(", \"closed\": true"),
        Some(RecordedOutcome::Nothing) | None => {}
    }
}

impl ScriptHeader {
    fn written(&self) -> String {
        let mut out = String::from("{\"mayhap\": 1");
        if !self.spec.is_empty() {
            out.push_str(&format!(", \"spec\": {}", quoted(&self.spec)));
        }
        if !self.set.is_empty() {
            let set: Vec<String> = self.set.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
            out.push_str(&format!(", \"set\": {{{}}}", set.join(", ")));
        }
        if let Some(cause) = &self.cause {
            out.push_str(&format!(", \"cause\": {}", quoted(cause)));
        }
        if let Some((failed, runs)) = self.failed {
            out.push_str(&format!(", \"failed\": [{failed}, {runs}]"));
        }
        for (name, value) in &self.other {
            out.push_str(&format!(", {}: {value}", quoted(name)));
        }
        out.push_str("}\n");
        out
    }
}

impl RequestTemplate {
    /// The request as JSON, with its references. A reference that cannot be written in its place is written as its value.
    #[must_use]
    pub fn written(&self, spec: &Spec) -> String {
        let (types, ty) = (&spec.types, spec.program.request);
        let mut places: Vec<&PlacedReference> = self.references.iter().collect();
        places.sort_by(|a, b| a.at.cmp(&b.at));
        // A reference inside of another one is a part of its value.
        places.dedup_by(|inner, outer| inner.at.starts_with(&outer.at));
        let mut holed = self.value.clone();
        let mut references = Vec::new();
        for PlacedReference { at, to } in places {
            let mut was = String::new();
            let found = changed(types, ty, &holed, at, &mut |ty, part| {
                was = json::encode(types, ty, part);
                Value::Any
            });
            let Some(found) = found else { continue };
            holed = found;
            let via = to.via.as_ref().map(|via| format!(", \"via\": {}", quoted(via))).unwrap_or_default();
            let plus = if to.plus == 0 { String::new() } else { format!(", \"plus\": {}", to.plus) };
            references.push(format!("{{\"$ref\": {}, \"was\": {was}{via}{plus}}}", quoted(&to.to_string())));
        }
        let text = json::encode(types, ty, &holed);
        // A request with values that look like a hole is written without references.
        if text.matches(HOLE).count() != references.len() {
            return json::encode(types, ty, &self.value);
        }
        let mut parts = text.split(HOLE);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for (reference, part) in references.iter().zip(parts) {
            out.push_str(reference);
            out.push_str(part);
        }
        out
    }
}
