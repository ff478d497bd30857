//! The explanation, in words, of why a history of concurrent clients is rejected: the answers that cannot all be true, each with
//! its request and their lines.
//!
//! ```text
//! no ordering of the requests explains that line 6 answered 1; only 2 was possible
//!   these cannot all be so, whatever the initial state was, and even if nobody had seen any other answer:
//!     line 1: client 1 asked {"Write":1}
//!     line 2: client 1 was answered "Ok"
//!     …
//! ```

use super::reason::allowed;
use super::{SHOWN, difference, no_short_reason, one_of, shortened};
use crate::choice::counted;
use crate::evidence::{AnswerConflict, Minimality, OtherAnswers};
use crate::json::encode;
use crate::search::{History, RequestSpan, Timeline};
use crate::spec::{Spec, TypeId};
use crate::trace::Places;
use crate::value::Value;

/// The most answers of a conflict that are named one by one.
const ANSWERS: usize = 12;
/// The most requests under way that are named.
const NAMED: usize = 8;
/// The most other answers that are listed.
const LISTED: usize = 4;

/// The evidence for a rejected history, as far as it was found.
#[derive(Clone, Copy)]
pub struct FoundConflict<'f> {
    /// The answers that cannot all be true.
    pub conflict: &'f AnswerConflict,
    /// The answers that were possible instead.
    pub others: Option<&'f OtherAnswers>,
}

/// The explanation of a rejected history, line by line.
#[must_use]
pub fn explain(spec: &Spec, timeline: &Timeline, found: Option<FoundConflict<'_>>, under_way: &[u64]) -> Vec<String> {
    let rejected = timeline.requests.iter().find(|request| request.answered == timeline.rejected);
    let answer = rejected
        .map_or_else(String::new, |request| format!(" explains that {}", said(spec, &timeline.places, request)));
    let others = found.and_then(|found| found.others).map(possible).unwrap_or_default();
    let answer = if answer.is_empty() { " explains it".to_owned() } else { answer };
    let mut lines = vec![format!("no ordering of the requests{answer}{others}")];
    let answer = rejected.and_then(|request| request.answer.as_ref());
    if let (Some(answer), Some(others)) = (answer, found.and_then(|found| found.others)) {
        lines.extend(difference::of(spec, answer, &others.json).map(|said| format!("  {said}")));
    }
    if let Some(found) = found {
        lines.extend(together(spec, timeline, found.conflict));
    }
    // The rejected answer's own request was under way in any case.
    if under_way.iter().any(|line| rejected.is_none_or(|request| request.sent != *line)) {
        lines.extend(names_under_way(&timeline.places, under_way).map(|names| format!("  {names}")));
    }
    lines
}

/// The explanation of a rejected event that is no answer to a request.
#[must_use]
pub fn impossible(history: &History, line: u64) -> String {
    let place = history.places().at(line);
    if history.is_restart(line) {
        return format!(
            "{place} restarts the server, which `on restart` does not allow in any state that it may be in"
        );
    }
    match history.is_end(line) {
        true if history.places().is_unasked(line) => {
            "the system ends the connection, which no handler of the specification does".to_owned()
        }
        false if history.places().is_unasked(line) => {
            "the last answer is one that no request of its connection waits for".to_owned()
        }
        true => format!("{place} ends the connection, which no handler of the specification does"),
        false => format!("{place} is an answer, and no request of its connection waits for one"),
    }
}

/// The lines of the answers that cannot all be true, and of their requests.
fn together(spec: &Spec, timeline: &Timeline, conflict: &AnswerConflict) -> Vec<String> {
    let places = &timeline.places;
    let is_of_rest = |line: &u64| conflict.all_from.is_some_and(|from| *line >= from);
    let needed: Vec<u64> = conflict.lines.iter().copied().filter(|line| !is_of_rest(line)).collect();
    if let (Some(line), []) = (conflict.lines.last(), &needed[..])
        && conflict.all_from.is_some()
    {
        return vec![format!("  {}", no_short_reason(places, *line))];
    }
    let from = needed.len().saturating_sub(ANSWERS);
    let is_named = |request: &&RequestSpan| request.answered.is_some_and(|line| needed[from..].contains(&line));
    let named: Vec<&RequestSpan> = timeline.requests.iter().filter(is_named).collect();
    let first = timeline.requests.first().map_or(0, |request| request.sent);
    let even = match conflict.any_state_before {
        Some(line) if line <= first => "whatever the initial state was, and even if nobody had seen any other answer",
        Some(line) => {
            let before = places.at(line);
            &format!("whatever the state was before {before}, and even if nobody had seen any other answer since")
        }
        None => "even if nobody had seen any other answer",
    };
    let mut lines = match conflict.lines.len() {
        1 => vec![format!("  that cannot be so, {even}:")],
        _ => vec![format!("  these cannot all be so, {even}:")],
    };
    if from > 0 {
        lines.push(format!("    … and {} before these", counted(from as u64, "answer")));
    }
    let mut events: Vec<(u64, usize, String)> = Vec::new();
    for (at, request) in named.iter().enumerate() {
        let asked = format!("asked {}", shown(spec, spec.program.request, &request.request));
        let answered = format!("was answered {}", answer(spec, request));
        let line = |line: u64, what: &str| format!("    {}: client {} {what}", places.at(line), request.connection);
        match request.answered {
            Some(seen) if seen == request.sent => {
                events.push((seen, at, line(seen, &format!("{asked} and {answered}"))));
            }
            Some(seen) => {
                events.push((request.sent, at, line(request.sent, &asked)));
                events.push((seen, at, line(seen, &answered)));
            }
            None => {}
        }
    }
    let (first, last) = (events.iter().map(|(line, ..)| *line).min(), conflict.lines.last().copied());
    let is_between = |line: &&u64| first.is_some_and(|first| first < **line) && last.is_some_and(|last| **line < last);
    for restart in timeline.restarts.iter().filter(is_between) {
        events.push((*restart, 0, format!("    {}: the system was killed and started again", places.at(*restart))));
    }
    events.sort();
    lines.extend(events.into_iter().map(|(_, _, text)| text));
    lines.extend(conflict.all_from.map(|from| {
        let last = conflict.lines.last().copied().unwrap_or_default();
        format!("    all answers in {} (not reduced further)", places.between(from, last))
    }));
    if conflict.minimal == Minimality::CutOff {
        let what = "  (perhaps not minimal: fewer answers were neither found nor ruled out within the limits)";
        lines.push(what.to_owned());
    }
    lines
}

/// The statement that a request was answered with this answer.
fn said(spec: &Spec, places: &Places, request: &RequestSpan) -> String {
    let asked = shown(spec, spec.program.request, &request.request);
    let place = places.at(request.answered.unwrap_or_default());
    format!("{place} answered {} to {asked}", answer(spec, request))
}

fn answer(spec: &Spec, request: &RequestSpan) -> String {
    let known = request.answer.as_ref().map(|answer| shown(spec, spec.program.response, answer));
    known.unwrap_or_else(|| "something".to_owned())
}

fn shown(spec: &Spec, ty: TypeId, value: &Value) -> String {
    shortened(&encode(&spec.types, ty, value), SHOWN)
}

/// The statement that these answers were possible.
fn possible(others: &OtherAnswers) -> String {
    let known = others.json.iter().map(|json| shortened(json, SHOWN));
    let open = others.open.iter().map(|(possible, _)| allowed(possible));
    let listed: Vec<String> = known.chain(open).take(LISTED).collect();
    match one_of(&listed) {
        None => String::new(),
        Some(listed) if others.more || others.json.len() + others.open.len() > LISTED => {
            format!("; {listed} was possible, for example")
        }
        Some(listed) => format!("; only {listed} was possible"),
    }
}

/// The statement that these requests were under way; `None` if there are none.
#[must_use]
pub fn names_under_way(places: &Places, lines: &[u64]) -> Option<String> {
    let named = places.all(&lines[..lines.len().min(NAMED)]);
    let more = if lines.len() > NAMED { format!(" and {} more", lines.len() - NAMED) } else { String::new() };
    match lines {
        [] => None,
        [_] => Some(format!("requests under way: that of {named}")),
        _ => Some(format!("requests under way: those of {named}{more}")),
    }
}
