//! Scripts made from other scripts: with some of the requests, as a sequence, as they were observed, and in their final form.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::json;
use crate::script::{
    MessageKind, Messages, PlacedReference, RecordedOutcome, Reference, RequestTemplate, ScalarPart, Script,
    ScriptStep, changed, scalar_parts,
};
use crate::spec::Spec;
use crate::trace::PeerMessage;
use crate::value::Value;

/// The label of no message, for references whose message is gone; their value is looked up elsewhere.
const NOWHERE: u64 = 0;

/// The connections for a sequence of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClientConnections {
    /// The connections that the requests had.
    Own,
    /// One connection for all requests.
    One,
}

/// The requests of a script, in order: label, client and request of each.
pub(super) fn asks(script: &Script) -> impl DoubleEndedIterator<Item = (u64, u64, &RequestTemplate)> {
    script.steps.iter().filter_map(|step| match step {
        ScriptStep::Ask { label, client, request } => Some((*label, *client, request)),
        _ => None,
    })
}

/// The labels of the requests of a script.
pub(super) fn labels(script: &Script) -> Vec<u64> {
    asks(script).map(|(label, ..)| label).collect()
}

/// The label of the request that the last event of a script is about.
pub(super) fn last_asked(script: &Script) -> Option<u64> {
    script.steps.iter().rev().find_map(|step| match step {
        ScriptStep::Ask { label, .. } | ScriptStep::Await { label, .. } => Some(*label),
        ScriptStep::Seen { client, .. } => {
            asks(script).rev().find(|(_, own, _)| own == client).map(|(label, ..)| label)
        }
        ScriptStep::Close { .. } | ScriptStep::Wait(_) | ScriptStep::Together { .. } => None,
        ScriptStep::Restart | ScriptStep::Peer(_) => None,
    })
}

/// The label of the request whose answer is rejected; without this request there is no such event.
pub(super) fn rejected(script: &Script) -> Option<u64> {
    match script.steps.last()? {
        ScriptStep::Await { label, seen: RecordedOutcome::Answer(_) } => Some(*label),
        _ => None,
    }
}

/// The outcomes in a script, by the labels of their requests.
pub(super) fn answers(script: &Script) -> FxHashMap<u64, &RecordedOutcome> {
    let awaited = script.steps.iter().filter_map(|step| match step {
        ScriptStep::Await { label, seen } => Some((*label, seen)),
        _ => None,
    });
    awaited.collect()
}

/// The script with only these requests.
pub(super) fn keeping(script: &Script, kept: &FxHashSet<u64>) -> Script {
    let clients: FxHashSet<u64> =
        asks(script).filter(|(label, ..)| kept.contains(label)).map(|(_, client, _)| client).collect();
    let dropped = calls_without(script, kept);
    let steps = script.steps.iter().filter_map(|step| match step {
        ScriptStep::Peer(event) if dropped.contains(&(&event.peer, event.exchange)) => None,
        ScriptStep::Ask { label, .. } | ScriptStep::Await { label, .. } => kept.contains(label).then(|| step.clone()),
        ScriptStep::Seen { client, .. } | ScriptStep::Close { client, .. } => {
            clients.contains(client).then(|| step.clone())
        }
        ScriptStep::Together { labels, offsets } => together(labels, offsets, kept),
        ScriptStep::Wait(_) | ScriptStep::Restart | ScriptStep::Peer(_) => Some(step.clone()),
    });
    Script { header: script.header.clone(), steps: steps.collect() }
}

/// The calls of peers that the system certainly makes for requests that are not kept: none of the kept ones was under way. After all
/// answers a call counts as one for the last request.
fn calls_without<'s>(script: &'s Script, kept: &FxHashSet<u64>) -> FxHashSet<(&'s String, u64)> {
    let (mut under_way, mut last) = (Vec::new(), None);
    let mut calls = FxHashSet::default();
    for step in &script.steps {
        match step {
            ScriptStep::Ask { label, .. } => {
                under_way.push(*label);
                last = Some(*label);
            }
            ScriptStep::Await { label, .. } => under_way.retain(|other| other != label),
            ScriptStep::Restart => under_way.clear(),
            ScriptStep::Peer(event) if matches!(event.message, PeerMessage::Call(_)) => {
                let is_kept = |label: &u64| kept.contains(label);
                let may_be_kept =
                    if under_way.is_empty() { last.iter().any(is_kept) } else { under_way.iter().any(is_kept) };
                if !may_be_kept && last.is_some() {
                    calls.insert((&event.peer, event.exchange));
                }
            }
            _ => {}
        }
    }
    calls
}

/// The script with other sources for the references whose message was left out: a part of an earlier answer that has the same value, or
/// else the same part of the last earlier answer that has one.
pub(super) fn rebound(spec: &Arc<Spec>, mut script: Script) -> Script {
    let own: FxHashSet<u64> = labels(&script).into_iter().collect();
    let is_there = |label: u64| own.contains(&(label - (1 - label % 2).min(label)));
    let mut messages = Messages::new(spec);
    let mut answers: Vec<(u64, Value)> = Vec::new();
    for step in &mut script.steps {
        match step {
            ScriptStep::Ask { label, request, .. } => {
                for placed in &mut request.references {
                    if !is_there(placed.to.label)
                        && let Some(to) = other_source(spec, &messages, &answers, &request.value, placed)
                    {
                        placed.to = to;
                    }
                }
                messages.push(*label, MessageKind::Request, request.value.clone());
            }
            ScriptStep::Await { label, seen: RecordedOutcome::Answer(answer) } => {
                messages.push(*label + 1, MessageKind::Response, answer.clone());
                answers.push((*label + 1, answer.clone()));
            }
            _ => {}
        }
    }
    script
}

/// Another source for a reference: see [`rebound`].
fn other_source(
    spec: &Arc<Spec>,
    messages: &Messages,
    answers: &[(u64, Value)],
    request: &Value,
    placed: &PlacedReference,
) -> Option<Reference> {
    let (types, program) = (&spec.types, &spec.program);
    let mut place = None;
    _ = changed(types, program.request, request, &placed.at, &mut |ty, part| {
        place = Some((ty, part.clone()));
        part.clone()
    });
    let (wanted, value) = place?;
    let same_part = |label: u64| {
        let to = Reference { label, ..placed.to.clone() };
        to.evaluate_there(messages, wanted).map(|found| (found == value, to))
    };
    let mut same_parts = answers.iter().rev().filter_map(|(label, _)| same_part(*label));
    let last = same_parts.next();
    let equal = last.clone().into_iter().chain(same_parts).find(|(is_equal, _)| *is_equal);
    if let Some((_, equal)) = equal {
        return Some(equal);
    }
    let wanted = value.as_int().map_or(value.clone(), |int| Value::Scalar(int.sub(&placed.to.plus.into()).into()));
    let is_equal = |part: &ScalarPart<'_>| Value::Scalar(part.scalar.clone()) == wanted;
    let equal = placed.to.via.is_none().then(|| {
        answers.iter().rev().find_map(|(label, answer)| {
            let part = scalar_parts(types, program.response, answer).into_iter().find(is_equal)?;
            Some(Reference { label: *label, path: part.path, ..placed.to.clone() })
        })
    });
    equal.flatten().or(last.map(|(_, to)| to))
}

/// The script with a wait before each request but the first.
pub(super) fn paused(script: &Script, seconds: f64) -> Script {
    let mut is_first = true;
    let steps = script.steps.iter().flat_map(|step| {
        let is_later = matches!(step, ScriptStep::Ask { .. }) && !std::mem::replace(&mut is_first, false);
        is_later.then_some(ScriptStep::Wait(seconds)).into_iter().chain([step.clone()])
    });
    Script { header: script.header.clone(), steps: steps.collect() }
}

/// The script with waits that are a little longer, as requests that are left out took time, too; `None` if it has no waits.
pub(super) fn lengthened(script: &Script) -> Option<Script> {
    const FACTOR: f64 = 1.1;
    const SECONDS: f64 = 0.02;
    let mut longer = script.clone();
    for step in &mut longer.steps {
        if let ScriptStep::Wait(seconds) = step {
            *seconds = *seconds * FACTOR + SECONDS;
        }
    }
    (longer != *script).then_some(longer)
}

/// A barrier for the kept requests among these, if there are several.
fn together(labels: &[u64], offsets: &[f64], kept: &FxHashSet<u64>) -> Option<ScriptStep> {
    let there = labels.iter().zip(offsets).filter(|(label, _)| kept.contains(label));
    let (labels, offsets): (Vec<u64>, Vec<f64>) = there.map(|(label, offset)| (*label, *offset)).unzip();
    (labels.len() > 1).then_some(ScriptStep::Together { labels, offsets })
}

/// The requests one after another, each with its answer, in the order of the answers.
pub(super) fn sequential(script: &Script, connections: ClientConnections) -> Script {
    let answered = answers(script);
    let by_label: FxHashMap<u64, (u64, &RequestTemplate)> =
        asks(script).map(|(label, client, request)| (label, (client, request))).collect();
    let mut steps = Vec::new();
    let exchange = |label: u64, seen: RecordedOutcome, steps: &mut Vec<ScriptStep>| {
        let Some((client, request)) = by_label.get(&label) else { return };
        let client = if connections == ClientConnections::One { 1 } else { *client };
        steps.push(ScriptStep::Ask { label, client, request: (*request).clone() });
        steps.push(ScriptStep::Await { label, seen });
    };
    for step in &script.steps {
        match step {
            ScriptStep::Ask { label, .. } if !answered.contains_key(label) => {
                exchange(*label, RecordedOutcome::Lost, &mut steps);
            }
            ScriptStep::Await { label, seen } => exchange(*label, seen.clone(), &mut steps),
            ScriptStep::Close { noticed, .. } if connections == ClientConnections::One => {
                steps.push(ScriptStep::Close { client: 1, noticed: *noticed });
            }
            ScriptStep::Close { .. } | ScriptStep::Wait(_) | ScriptStep::Restart | ScriptStep::Peer(_) => {
                steps.push(step.clone());
            }
            ScriptStep::Ask { .. } | ScriptStep::Seen { .. } | ScriptStep::Together { .. } => {}
        }
    }
    relabelled(&Script { header: script.header.clone(), steps })
}

/// The script with its requests labelled 1, 3, 5 … in order.
pub(super) fn relabelled(script: &Script) -> Script {
    let numbers: FxHashMap<u64, u64> = labels(script).into_iter().zip((1..).step_by(2)).collect();
    let number = |label: u64| numbers.get(&label).copied();
    let message = |label: u64| match label % 2 {
        1 => number(label).unwrap_or(NOWHERE),
        _ => label.checked_sub(1).and_then(number).map_or(NOWHERE, |request| request + 1),
    };
    let template = |request: &RequestTemplate| {
        let references = request.references.iter().map(|PlacedReference { at, to }| PlacedReference {
            at: at.clone(),
            to: Reference { label: message(to.label), ..to.clone() },
        });
        RequestTemplate { value: request.value.clone(), references: references.collect() }
    };
    let steps = script.steps.iter().map(|step| match step {
        ScriptStep::Ask { label, client, request } => {
            ScriptStep::Ask { label: number(*label).unwrap_or(*label), client: *client, request: template(request) }
        }
        ScriptStep::Await { label, seen } => {
            ScriptStep::Await { label: number(*label).unwrap_or(*label), seen: seen.clone() }
        }
        ScriptStep::Together { labels, offsets } => ScriptStep::Together {
            labels: labels.iter().map(|label| number(*label).unwrap_or(*label)).collect(),
            offsets: offsets.clone(),
        },
        ScriptStep::Seen { .. } | ScriptStep::Close { .. } | ScriptStep::Wait(_) => step.clone(),
        ScriptStep::Restart | ScriptStep::Peer(_) => step.clone(),
    });
    Script { header: script.header.clone(), steps: steps.collect() }
}

/// The script with its requests changed.
pub(super) fn with_requests(
    script: &Script,
    change: &mut dyn FnMut(u64, &RequestTemplate) -> RequestTemplate,
) -> Script {
    let mut changed = script.clone();
    for step in &mut changed.steps {
        if let ScriptStep::Ask { label, request, .. } = step {
            *request = change(*label, request);
        }
    }
    changed
}

/// A run of a script as it was observed, with the references, waits and barriers of the script.
pub(super) fn merged(spec: &Arc<Spec>, script: &Script, observed: &Script) -> Script {
    let templates: FxHashMap<u64, &RequestTemplate> =
        asks(script).map(|(label, _, request)| (label, request)).collect();
    let (types, ty) = (&spec.types, spec.program.request);
    let observed = with_requests(observed, &mut |label, request| match templates.get(&label) {
        Some(template) => template.sent_as(types, ty, request.value.clone()),
        None => request.clone(),
    });
    let sent: FxHashSet<u64> = labels(&observed).into_iter().collect();
    let is_there = |kind: fn(&ScriptStep) -> bool| observed.steps.iter().any(kind);
    let has_waits = is_there(|step| matches!(step, ScriptStep::Wait(_)));
    let has_restarts = is_there(|step| matches!(step, ScriptStep::Restart));
    let has_barriers = is_there(|step| matches!(step, ScriptStep::Together { .. }));
    // The steps before a request in the script that are no events.
    let mut before: FxHashMap<u64, Vec<ScriptStep>> = FxHashMap::default();
    let mut pending = Vec::new();
    for step in &script.steps {
        match step {
            ScriptStep::Ask { label, .. } if sent.contains(label) => {
                before.insert(*label, std::mem::take(&mut pending));
            }
            ScriptStep::Wait(_) if !has_waits => pending.push(step.clone()),
            ScriptStep::Restart if !has_restarts => pending.push(step.clone()),
            ScriptStep::Together { labels, offsets } if !has_barriers => {
                pending.extend(together(labels, offsets, &sent))
            }
            _ => {}
        }
    }
    let mut steps = Vec::new();
    for step in observed.steps {
        if let ScriptStep::Ask { label, .. } = &step {
            steps.extend(before.remove(label).unwrap_or_default());
        }
        steps.push(step);
    }
    resolved(spec, &Script { header: script.header.clone(), steps })
}

/// The script with each reference set to the message in which its value was found. References whose value was found nowhere are
/// removed.
fn resolved(spec: &Arc<Spec>, script: &Script) -> Script {
    let mut messages = Messages::new(spec);
    let mut resolved = script.clone();
    for step in &mut resolved.steps {
        match step {
            ScriptStep::Ask { label, request, .. } => {
                request.references.retain_mut(|PlacedReference { at, to }| {
                    let mut found = None;
                    let (types, ty) = (&spec.types, spec.program.request);
                    _ = changed(types, ty, &request.value, at, &mut |wanted, part| {
                        found = to.evaluate(&messages, wanted).map(|(label, _)| label);
                        part.clone()
                    });
                    to.label = found.unwrap_or(to.label);
                    found.is_some()
                });
                messages.push(*label, MessageKind::Request, request.value.clone());
            }
            ScriptStep::Await { label, seen: RecordedOutcome::Answer(answer) } => {
                messages.push(*label + 1, MessageKind::Response, answer.clone());
            }
            _ => {}
        }
    }
    resolved
}

/// The script in its final form: references lead to existing messages, labels are 1, 3, 5 … and clients 1, 2, 3 …
pub(super) fn finished(spec: &Arc<Spec>, script: &Script) -> Script {
    let mut finished = relabelled(&resolved(spec, script));
    let mut clients: Vec<u64> = Vec::new();
    for (_, client, _) in asks(&finished) {
        if !clients.contains(&client) {
            clients.push(client);
        }
    }
    let number =
        |client: u64| (1..).zip(&clients).find(|(_, own)| **own == client).map_or(client, |(number, _)| number);
    for step in &mut finished.steps {
        let (ScriptStep::Ask { client, .. } | ScriptStep::Seen { client, .. } | ScriptStep::Close { client, .. }) =
            step
        else {
            continue;
        };
        *client = number(*client);
    }
    finished
}

/// The steps as text, without the answers and the values of references. Scripts with equal texts are the same experiment.
pub(super) fn steps_text(spec: &Spec, script: &Script) -> String {
    let mut out = String::new();
    for step in &relabelled(script).steps {
        let line = match step {
            ScriptStep::Ask { label, client, request } => format!("{label} c{client} {}", request_text(spec, request)),
            ScriptStep::Await { label, seen: RecordedOutcome::Nothing } => format!("{label} owes nothing"),
            ScriptStep::Await { label, .. } => format!("{label} answered"),
            ScriptStep::Wait(seconds) => format!("wait {seconds}"),
            ScriptStep::Together { labels, offsets } => format!("together {labels:?} {offsets:?}"),
            ScriptStep::Close { client, .. } => format!("close c{client}"),
            ScriptStep::Restart => "restart".to_owned(),
            ScriptStep::Peer(event) => match &event.message {
                PeerMessage::Call(_) => continue,
                PeerMessage::Answer(answer) | PeerMessage::Sent(answer) => format!("{} answers {answer:?}", event.peer),
                _ => format!("{} fails", event.peer),
            },
            ScriptStep::Seen { .. } => continue,
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn request_text(spec: &Spec, request: &RequestTemplate) -> String {
    let (types, ty) = (&spec.types, spec.program.request);
    let mut holed = request.value.clone();
    let mut text = String::new();
    for PlacedReference { at, to } in &request.references {
        holed = changed(types, ty, &holed, at, &mut |_, _| Value::Any).unwrap_or(holed);
        text.push_str(&format!(" {at:?}={}~{}", to.said(), to.via.as_deref().unwrap_or_default()));
    }
    json::encode(types, ty, &holed) + &text
}
