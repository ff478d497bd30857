//! The explanation, in words, of why a recording that is judged event by event is rejected: the answers whose values rule out the
//! rejected event.
//!
//! ```text
//! no run of the server explains line 6
//!   these cannot all be so, whatever the values of all other answers were:
//!     line 3: client 2 asked 3
//!     line 4: client 2 was answered 2
//!     line 6: client 3 was answered 1
//! ```

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use super::{SHOWN, no_short_reason, one_of, shortened};
use crate::choice::counted;
use crate::evidence::{AnswerValues, Minimality};
use crate::json::encode;
use crate::judge::RecordedEvent;
use crate::network::{CallSeen, Observation};
use crate::process::Port;
use crate::reading::Observations;
use crate::spec::{Spec, TypeId};
use crate::value::Value;

/// The most answers that are named one by one.
const NAMED: usize = 12;

/// The most possible answers or calls that are shown.
pub const POSSIBLE: usize = 3;

/// The answers or calls that were possible instead of the event on a line, as JSON; a call of a peer with a key has both key and
/// request.
#[must_use]
pub fn possible(spec: &Spec, observed: &Observations, line: u64, values: &AnswerValues) -> Vec<String> {
    let rejected = observed.events.iter().find(|(own, _)| *own == line);
    let Some((_, Observation::Called(CallSeen { peer, .. }))) = rejected else {
        return values.possible.iter().map(|answer| encode(&spec.types, spec.program.response, answer)).collect();
    };
    let peer = &spec.program.peers[*peer as usize];
    let call = |call: &Value| {
        let [key, request] = call.fields() else { return None };
        let request = encode(&spec.types, peer.request, request);
        let key = peer.key.map(|ty| encode(&spec.types, ty, key));
        Some(key.map_or(request.clone(), |key| format!("{{\"key\":{key},\"request\":{request}}}")))
    };
    values.possible.iter().filter_map(call).collect()
}

fn each_shortened(possible: &[String]) -> Vec<String> {
    possible.iter().map(|one| shortened(one, SHOWN)).collect()
}

/// The explanation of a rejected event, line by line, with what was possible instead, if that is known.
#[must_use]
pub fn explain(
    spec: &Spec,
    observed: &Observations,
    line: u64,
    possible: &[String],
    values: &AnswerValues,
) -> Vec<String> {
    let places = &observed.places;
    let needed = values.needed();
    let omitted = needed.len().saturating_sub(NAMED);
    let possible = match possible.len() {
        0 => String::new(),
        1..=POSSIBLE => format!("; only {} was possible", one_of(&each_shortened(possible)).unwrap_or_default()),
        _ => format!(
            "; {} was possible, for example",
            one_of(&each_shortened(&possible[..POSSIBLE])).unwrap_or_default()
        ),
    };
    let mut lines = vec![format!("no run of the server explains {}{possible}", places.at(line))];
    if values.all_from.is_some() && needed.is_empty() {
        lines.push(format!("  {}", no_short_reason(places, line)));
        return lines;
    }
    let these = if values.lines.is_empty() { "that cannot be so" } else { "these cannot all be so" };
    let events = &observed.events;
    let before = events.iter().take_while(|(own, _)| *own < line);
    let others = match before
        .into_iter()
        .any(|(_, seen)| matches!(seen, Observation::CallAnswered(..) | Observation::AnswerSent(..)))
    {
        true => "whatever the values of all other answers to clients were, as the peers have answered",
        false => "whatever the values of all other answers were",
    };
    lines.push(format!("  {these}, {others}:"));
    if omitted > 0 {
        lines.push(format!("    … and {} before these", counted(omitted as u64, "answer")));
    }
    let rejected = (0..events.len()).filter(|at| events[*at].0 == line);
    let mut named: BTreeSet<usize> = needed[omitted..].iter().copied().chain(rejected).collect();
    let asked: Vec<usize> =
        asked_for(events).into_iter().filter_map(|(answer, asked)| named.contains(&answer).then_some(asked)).collect();
    named.extend(asked);
    for at in named {
        let is_any = values.is_any_rejected && events[at].0 == line && matches!(events[at].1, Observation::Answer(..));
        lines.extend(said(spec, observed, &events[at], is_any));
    }
    if let Some(from) = values.all_from {
        lines.push(format!("    all answers in {} (not reduced further)", places.between(from, line)));
    }
    if values.minimal == Minimality::CutOff {
        let what = "  (perhaps not minimal: fewer answers were neither found nor ruled out within the limits)";
        lines.push(what.to_owned());
    }
    lines
}

/// The positions of answers, each with the position of the first request of its connection that has no answer yet. If a server
/// answers each request once and in order, this is the request that the answer is for.
fn asked_for(events: &[RecordedEvent]) -> Vec<(usize, usize)> {
    let mut waiting: FxHashMap<Port, VecDeque<usize>> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (at, (_, observation)) in events.iter().enumerate() {
        match observation {
            Observation::Request(port, _) => waiting.entry(*port).or_default().push_back(at),
            Observation::Answer(port, _) => {
                pairs.extend(waiting.get_mut(port).and_then(VecDeque::pop_front).map(|asked| (at, asked)));
            }
            _ => {}
        }
    }
    pairs
}

/// The observation in words. If `is_any`, any other answer in its place is impossible, too, and only its existence is stated.
fn said(spec: &Spec, observed: &Observations, (line, observation): &RecordedEvent, is_any: bool) -> Option<String> {
    let program = &spec.program;
    let shown = |ty: TypeId, value: &Value| shortened(&encode(&spec.types, ty, value), SHOWN);
    let client = |port: &Port| format!("client {}", observed.client(*port));
    let what = match observation {
        Observation::Answer(port, Some(_)) if is_any => format!("{} was answered at all", client(port)),
        Observation::Answer(port, Some(answer)) => {
            format!("{} was answered {}", client(port), shown(program.response, answer))
        }
        Observation::Answer(port, None) => format!("{} was answered something", client(port)),
        Observation::Closed(port) => format!("{} saw the server end the connection", client(port)),
        Observation::Request(port, request) => format!("{} asked {}", client(port), shown(program.request, request)),
        Observation::Lost(port) => format!("{} gave up", client(port)),
        Observation::Noticed(port) => format!("the server took notice that {} had gone", client(port)),
        Observation::Called(CallSeen { exchange, peer, key, request }) => {
            let peer = &program.peers[*peer as usize];
            let key = peer.key.map_or_else(String::new, |ty| format!("({})", shown(ty, key)));
            let request = shown(peer.request, request);
            format!("the server called {}{key}, number {}: {request}", peer.name, observed.exchange(*exchange))
        }
        Observation::CallAnswered(exchange, _) | Observation::AnswerSent(exchange, _) => {
            format!("call {} was answered", observed.exchange(*exchange))
        }
        Observation::CallLost(exchange) => format!("call {} failed", observed.exchange(*exchange)),
        Observation::Restart => "the server was killed and started again".to_owned(),
        Observation::End => return None,
    };
    Some(format!("    {}: {what}", observed.places.at(*line)))
}
