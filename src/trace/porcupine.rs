//! Operations in the shape of Porcupine, one JSON object after another, as the robustness tests of etcd write `operations.json`.
//!
//! ```text
//! {"ClientId": 0, "Input": {"Op": "put", "Key": "a"}, "Call": 10, "Output": {"Revision": 2, "Error": ""}, "Return": 25}
//! ```
//!
//! `Input` is the request and `Output` the answer, as Go writes values of the specification's types: members that the types do not have
//! are passed over, a missing member is zero, and a null list is empty. `Call` and `Return` are times; an operation overlaps each one
//! that was called before it returned. Whether an operation with an error (`Output.Error`), or without a time of return, had its effect
//! is not known. If it is known only that it had (`Output.Persisted`), its answer is a hole. Files of several clients may be joined.

use std::collections::{BTreeMap, VecDeque};
use std::io::BufRead;
use std::sync::Arc;

use serde::Deserialize;

use super::error::TraceError;
use super::event::{EventKind, TraceEvent};
use super::places::{EventPlace, Places};
use crate::json::{self, Decoded, JsonError, MAX_DEPTH, RawJson, Scanner, decode_recorded};
use crate::spec::{Spec, Type, TypeId, Types};
use crate::value::Value;

/// A reader of the events of a file of operations.
#[derive(Debug)]
pub struct PorcupineTrace<R> {
    spec: Arc<Spec>,
    input: Option<R>,
    events: VecDeque<TraceEvent<Value>>,
    places: Places,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WrittenOperation {
    client_id: u64,
    input: RawJson,
    call: i64,
    output: Option<RawJson>,
    r#return: Option<i64>,
}

/// The members of an answer that say whether there was one.
#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct AnswerMembers {
    error: Option<String>,
    client_error: Option<String>,
    persisted: Option<bool>,
}

/// An operation with its place in the file.
struct PlacedOperation {
    client: u64,
    called: i64,
    /// The time of the answer, with the answer; none if no answer is known to have come.
    answered: Option<(i64, Value)>,
    request: Value,
    place: EventPlace,
}

impl<R: BufRead> PorcupineTrace<R> {
    /// A reader that reads the file when the first event is asked for.
    pub fn open(spec: &Arc<Spec>, input: R) -> PorcupineTrace<R> {
        PorcupineTrace { spec: spec.clone(), input: Some(input), events: VecDeque::new(), places: Places::default() }
    }

    /// The next event; none after the last.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is no operation of the specification.
    pub fn next_event(&mut self) -> Result<Option<TraceEvent<Value>>, TraceError> {
        if let Some(mut input) = self.input.take() {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(|cause| TraceError::unreadable(1, &cause))?;
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            let text = str::from_utf8(bytes).map_err(|error| {
                let line = newlines(&bytes[..error.valid_up_to()]) + 1;
                TraceError::in_all(line, "this is not UTF-8")
            })?;
            for (number, (event, place)) in (1..).zip(in_order(self.operations(text)?)) {
                self.places.note(number, place);
                self.events.push_back(TraceEvent { line: number, ..event });
            }
        }
        Ok(self.events.pop_front())
    }

    /// The places of the events.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The operations of a text: a list, or one after another.
    fn operations(&self, text: &str) -> Result<Vec<PlacedOperation>, TraceError> {
        let mut scanner = Scanner::new(text);
        let mut found: Vec<PlacedOperation> = Vec::new();
        let (mut line, mut counted, mut nth) = (1, 0, 0);
        let is_list = scanner.eat(b'[');
        while scanner.peek().is_some() {
            if is_list && (scanner.eat(b',') || scanner.eat(b']')) {
                continue;
            }
            let start = scanner.offset();
            let breaks = newlines(&text.as_bytes()[counted..start]);
            (line, counted) = (line + breaks, start);
            nth = if breaks > 0 { 1 } else { nth + 1 };
            let place = EventPlace::OnLine { line, nth };
            let read = scanner
                .skip()
                .and_then(|operation| self.operation(operation, place).map_err(|error| error.shifted_by(start)));
            found.push(read.map_err(|error| flaw(text, &error))?);
        }
        Ok(found)
    }

    fn operation(&self, text: &str, place: EventPlace) -> Decoded<PlacedOperation> {
        let WrittenOperation { client_id, input, call, output, r#return } = json::from_text(text)?;
        let (types, program) = (&self.spec.types, &self.spec.program);
        let part = |name: &str, ty: TypeId, part: &RawJson| {
            let value = fitted(types, ty, &part.0, 0).and_then(|text| decode_recorded(types, ty, &text));
            value.map_err(|error| JsonError::new(0, format!("the {name} of this operation: {error}")))
        };
        let request = part("Input", program.request, &input)?;
        let output = output.unwrap_or_else(|| RawJson("null".to_owned()));
        let outcome: AnswerMembers = json::from_text(&output.0).unwrap_or_default();
        let is_said = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        let returned = r#return.filter(|time| *time > call && !is_said(&outcome.error));
        let has_client_error =
            || types.fields(program.response, 0).iter().any(|(name, _)| *name == Some("ClientError"));
        let is_hole = outcome.persisted == Some(true) || (is_said(&outcome.client_error) && !has_client_error());
        let answered = match returned {
            None => None,
            Some(time) if is_hole => Some((time, Value::Any)),
            Some(time) => Some((time, part("Output", program.response, &output)?)),
        };
        Ok(PlacedOperation { client: client_id, called: call, answered, request, place })
    }
}

/// The events of operations in the order of their times; of events at one time, calls come first.
fn in_order(mut operations: Vec<PlacedOperation>) -> Vec<(TraceEvent<Value>, EventPlace)> {
    operations.sort_by_key(|operation| operation.called);
    let mut moments = Vec::with_capacity(2 * operations.len());
    // The time of the last answer to each client.
    let mut busy: BTreeMap<u64, i64> = BTreeMap::new();
    let mut more = operations.iter().map(|operation| operation.client).max().map_or(0, |last| last.saturating_add(1));
    for PlacedOperation { client, called, answered, request, place } in operations {
        let is_free = busy.get(&client).is_none_or(|until| *until < called);
        let number = if is_free { client } else { more };
        more = more.saturating_add(u64::from(!is_free));
        let event = |kind| (TraceEvent { line: 0, client: Some(number), kind }, place.clone());
        moments.push((called, false, event(EventKind::Request(request))));
        match answered {
            Some((time, answer)) => {
                busy.insert(number, time);
                moments.push((time, true, event(EventKind::Answer(answer))));
            }
            // It may take effect at any later time.
            None => moments.push((called, false, event(EventKind::Lost))),
        }
    }
    moments.sort_by_key(|(time, is_answer, _)| (*time, *is_answer));
    moments.into_iter().map(|(.., event)| event).collect()
}

/// The JSON of a Go value, as a value of a type is written.
fn fitted(types: &Types, ty: TypeId, text: &str, depth: usize) -> Decoded<String> {
    let text = text.trim();
    if depth > MAX_DEPTH {
        return Err(JsonError::new(0, format!("nested more deeply than {MAX_DEPTH} levels")));
    }
    match types.get(ty) {
        Type::Option(of) if text != "null" => fitted(types, *of, text, depth + 1),
        Type::List(_) | Type::Set(_) if text == "null" => Ok("[]".to_owned()),
        Type::Map(..) if text == "null" => Ok("{}".to_owned()),
        Type::List(of) | Type::Set(of) if text.starts_with('[') => {
            let mut parts = Vec::new();
            let mut scanner = Scanner::new(text);
            scanner.several(b'[', b']', |scanner| {
                parts.push(fitted(types, *of, scanner.skip()?, depth + 1)?);
                Ok(())
            })?;
            Ok(format!("[{}]", parts.join(", ")))
        }
        Type::Struct(_) if text.starts_with('{') => {
            let members = json::members(text)?;
            let mut parts = Vec::new();
            for (name, of) in types.fields(ty, 0) {
                let name = name.unwrap_or_default();
                let own = members.iter().find(|(member, _)| member == name);
                let part = match own {
                    Some((_, text)) => fitted(types, of, text, depth + 1)?,
                    None => zero(types, of, depth + 1)?,
                };
                parts.push(format!("{}: {part}", json::quoted(name)));
            }
            Ok(format!("{{{}}}", parts.join(", ")))
        }
        _ => Ok(text.to_owned()),
    }
}

/// The JSON of Go's zero value of a type.
fn zero(types: &Types, ty: TypeId, depth: usize) -> Decoded<String> {
    Ok(match types.get(ty) {
        Type::Int => "0".to_owned(),
        Type::Bool => "false".to_owned(),
        Type::Str => "\"\"".to_owned(),
        Type::Struct(_) => fitted(types, ty, "{}", depth)?,
        _ => fitted(types, ty, "null", depth)?,
    })
}

/// The error at a byte of a text of several lines.
fn flaw(text: &str, error: &JsonError) -> TraceError {
    let at = (0..=error.offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let whole = text[start..].lines().next().unwrap_or_default();
    TraceError::in_line(newlines(before.as_bytes()) + 1, whole.as_bytes(), at - start, error.to_string())
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
