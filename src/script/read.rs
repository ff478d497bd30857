//! The reader of scripts: each line is an event of a trace with a label, or says how the script is to be run.
//!
//! Everything is checked against the specification. A value that does not fit is reported with its place.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::part::{PathEnd, changed, may_agree, path_end};
use super::{JsonTree, PlacedReference, RecordedOutcome, Reference, RequestTemplate, Script, ScriptHeader, ScriptStep};
use crate::json::{self, Decoded, JsonError};
use crate::reading::decoded_message;
use crate::spec::{Spec, Type, TypeId, Types};
use crate::trace::{EventKind, PeerEvent, PeerMessage, Raw, Response, TraceError, TraceLine, TraceReader};
use crate::value::Value;

impl Script {
    /// Reads a script. A trace of requests without labels is a script, too: its requests get the next odd numbers.
    ///
    /// # Errors
    /// A line is no line of a script, or does not fit the specification.
    pub fn read(spec: &Arc<Spec>, text: &str) -> Result<Script, TraceError> {
        let (script, asked, barriers) = (Script::default(), Vec::new(), Vec::new());
        let mut reader = ScriptReader { spec, script, last: 0, asked, barriers, first: true };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            reader.line(number, line)?;
            reader.first = false;
        }
        reader.check_barriers()?;
        Ok(reader.script)
    }
}

impl ScriptHeader {
    /// Reads the first line of a script of any specification; an empty header if there is none.
    ///
    /// # Errors
    /// The line is no first line of a script.
    pub fn said(text: &str) -> Result<ScriptHeader, TraceError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = (1..).zip(text.lines());
        let Some((number, line)) = lines.into_iter().find(|(_, line)| !line.trim().is_empty()) else {
            return Ok(ScriptHeader::default());
        };
        let members = LineMembers::of(line).map_err(|_| no_event(number, line))?;
        if !members.has("mayhap") {
            return Ok(ScriptHeader::default());
        }
        let spec = TraceReader::new(line.as_bytes());
        let spec = named_spec(spec).map_err(|error| error.on_line(number))?;
        let error = |error: JsonError| TraceError::in_line(number, line.as_bytes(), error.offset, error.to_string());
        header(&members, spec).map_err(error)
    }

    /// The text under another key of the header, if there is one.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        let (_, value) = self.other.iter().find(|(own, _)| own == key)?;
        Some(json::Scanner::new(value).string().ok()?.into_owned())
    }
}

/// The name of the specification in the header of a trace.
fn named_spec(mut reader: TraceReader<&[u8]>) -> Result<String, TraceError> {
    reader.next_line()?;
    Ok(reader.header().and_then(|header| header.spec.clone()).unwrap_or_default())
}

/// The state of reading a script.
struct ScriptReader<'s> {
    spec: &'s Arc<Spec>,
    script: Script,
    /// The label of the last request.
    last: u64,
    /// The requests so far.
    asked: Vec<AskedOfScript>,
    /// The labels that are released together, each with its line and the number of the line.
    barriers: Vec<(Vec<u64>, u64, String)>,
    /// Set before the first line was read.
    first: bool,
}

/// A request of a script that has been read.
struct AskedOfScript {
    label: u64,
    client: u64,
    is_open: bool,
}

impl ScriptReader<'_> {
    fn line(&mut self, number: u64, line: &str) -> Result<(), TraceError> {
        let error = |error: JsonError| TraceError::in_line(number, line.as_bytes(), error.offset, error.to_string());
        let begin = LineMembers::of(line).map_err(|_| no_event(number, line))?;
        if self.first && begin.has("mayhap") {
            return self.header(&begin, number, line);
        }
        match begin.first() {
            Some("wait") => self.wait(&begin).map_err(error),
            Some("together") => {
                let labels = self.together(&begin).map_err(error)?;
                self.barriers.push((labels, number, line.to_owned()));
                Ok(())
            }
            _ => {
                let mut reader = TraceReader::new(line.as_bytes());
                match reader.next_line().map_err(|error| error.on_line(number))? {
                    Some(event) => self.event(&event, &begin).map_err(error),
                    None => Err(error(JsonError::new(0, "the line that names the format must be the first line"))),
                }
            }
        }
    }

    fn header(&mut self, members: &LineMembers<'_>, number: u64, line: &str) -> Result<(), TraceError> {
        let spec = named_spec(TraceReader::new(line.as_bytes())).map_err(|error| error.on_line(number))?;
        let own = &self.spec.program.name;
        let error = |error: JsonError| TraceError::in_line(number, line.as_bytes(), error.offset, error.to_string());
        if !spec.is_empty() && spec != *own {
            let message = format!("this script is of the specification `{spec}`, not of `{own}`");
            return Err(error(JsonError::new(members.offset("spec"), message)));
        }
        self.script.header = header(members, spec).map_err(error)?;
        Ok(())
    }

    fn wait(&mut self, members: &LineMembers<'_>) -> Decoded<()> {
        members.only(&["wait"])?;
        self.script.steps.push(ScriptStep::Wait(number_of(members.get("wait"))?));
        Ok(())
    }

    fn together(&mut self, members: &LineMembers<'_>) -> Decoded<Vec<u64>> {
        members.only(&["together", "offset_ms"])?;
        let labels = elements_of(members.get("together"))?;
        let labels = labels.iter().map(|raw| label_of(*raw)).collect::<Decoded<Vec<u64>>>()?;
        let offsets = match members.get("offset_ms") {
            None => vec![0.0; labels.len()],
            raw => {
                let offsets = elements_of(raw)?;
                offsets.into_iter().map(|raw| number_of(Some(raw))).collect::<Decoded<Vec<f64>>>()?
            }
        };
        let at = members.offset("offset_ms").max(members.offset("together"));
        if offsets.len() != labels.len() {
            let message = format!("expected {} offsets, one for each request, found {}", labels.len(), offsets.len());
            return Err(JsonError::new(at, message));
        }
        if let Some(label) = labels.iter().find(|label| **label <= self.last || **label % 2 == 0) {
            let message = format!("expected the labels of requests that come later, found {label}");
            return Err(JsonError::new(members.offset("together"), message));
        }
        self.script.steps.push(ScriptStep::Together { labels: labels.clone(), offsets });
        Ok(labels)
    }

    /// Checks that all requests of a joint release exist, and that none is released twice.
    fn check_barriers(&self) -> Result<(), TraceError> {
        let mut seen = FxHashSet::default();
        for (labels, number, line) in &self.barriers {
            for label in labels {
                let is_there = self.asked.iter().any(|asked| asked.label == *label);
                let what = match (is_there, seen.insert(*label)) {
                    (true, true) => continue,
                    (true, false) => "is released twice",
                    (false, _) => "is not there",
                };
                let offset = line.find(&label.to_string()).unwrap_or(0);
                return Err(TraceError::in_line(*number, line.as_bytes(), offset, format!("request {label} {what}")));
            }
        }
        Ok(())
    }

    fn event(&mut self, line: &TraceLine<'_>, members: &LineMembers<'_>) -> Decoded<()> {
        let client = line.event.client.unwrap_or(1);
        let label = members.get("n").map(label_of).transpose()?.map(|label| (label, members.offset("n")));
        match &line.event.kind {
            EventKind::Exchange { query, reply } => {
                let seen = match reply {
                    Response::Answer(answer) => RecordedOutcome::Answer(self.answer(answer)?),
                    Response::NotOwed => RecordedOutcome::Nothing,
                    Response::Lost => RecordedOutcome::Lost,
                };
                let label = self.ask(label, client, query)?;
                self.answered(label, client, seen);
                Ok(())
            }
            EventKind::Request(query) => self.ask(label, client, query).map(|_| ()),
            EventKind::Answer(answer) => {
                let seen = RecordedOutcome::Answer(self.answer(answer)?);
                self.seen(label, client, seen)
            }
            EventKind::Lost => self.seen(label, client, RecordedOutcome::Lost),
            EventKind::Closed => self.seen(label, client, RecordedOutcome::Closed),
            EventKind::Left => {
                self.left(client);
                Ok(())
            }
            EventKind::Restart => {
                self.script.steps.push(ScriptStep::Restart);
                self.asked.iter_mut().for_each(|asked| asked.is_open = false);
                Ok(())
            }
            EventKind::Peer(event) => self.peer(event),
        }
    }

    /// Reads a message between the system and a peer. The end of a call must come after the call.
    fn peer(&mut self, event: &PeerEvent<Raw<'_>>) -> Decoded<()> {
        let event = decoded_message(self.spec, event)?;
        let (name, number) = (&event.peer, event.exchange);
        let is_it = |step: &ScriptStep| matches!(step, ScriptStep::Peer(other) if other.peer == *name && other.exchange == number);
        let seen = self.script.steps.iter().filter(|step| is_it(step)).count();
        let is_call = matches!(event.message, PeerMessage::Call(_));
        match (is_call, seen) {
            (true, 0) | (false, 1) => {}
            (true, _) => return Err(JsonError::new(0, format!("a second call of {name:?} with the number {number}"))),
            (false, 0) => return Err(JsonError::new(0, format!("no call of {name:?} has the number {number}"))),
            (false, _) => return Err(JsonError::new(0, format!("the call {number} of {name:?} has ended already"))),
        }
        self.script.steps.push(ScriptStep::Peer(event));
        Ok(())
    }

    fn answer(&self, answer: &Raw<'_>) -> Decoded<Value> {
        let ty = self.spec.program.response;
        json::decode_recorded(&self.spec.types, ty, answer.text).map_err(|error| error.shifted_by(answer.offset))
    }

    /// Reads a request, and returns its label.
    fn ask(&mut self, label: Option<(u64, usize)>, client: u64, query: &Raw<'_>) -> Decoded<u64> {
        let least = if self.asked.is_empty() { 1 } else { self.last + 2 };
        let (label, at) = label.unwrap_or((least, 0));
        if label % 2 == 0 || label < least {
            let message = format!("expected an odd number from {least} as the label of a request, found {label}");
            return Err(JsonError::new(at, message));
        }
        if label > u64::MAX - 4 {
            return Err(JsonError::new(at, "this label is too large"));
        }
        let request = self.template(label, query).map_err(|error| error.shifted_by(query.offset))?;
        self.script.steps.push(ScriptStep::Ask { label, client, request });
        self.asked.push(AskedOfScript { label, client, is_open: true });
        self.last = label;
        Ok(label)
    }

    fn template(&self, label: u64, query: &Raw<'_>) -> Decoded<RequestTemplate> {
        let (types, ty) = (&self.spec.types, self.spec.program.request);
        let value = json::decode_recorded(types, ty, query.text)?;
        if value.has_holes() {
            return Err(JsonError::new(0, "a script's request must be known whole: a hole cannot be sent"));
        }
        let mut references = Vec::new();
        for found in json::references(query.text) {
            let error = |message: String| JsonError::new(found.range.start, message);
            let mut to = Reference::read(&found.to)
                .ok_or_else(|| error(format!("expected a reference such as \"4@Ok@tag\", found {:?}", found.to)))?;
            (to.via, to.plus) = (found.via.map(|via| via.into_owned()), found.plus);
            let text = &query.text;
            let holed = format!("{}{{\"$any\": null}}{}", &text[..found.range.start], &text[found.range.end..]);
            let holed = json::decode_recorded(types, ty, &holed);
            let at = holed.ok().and_then(|value| hole_of(&value));
            let at =
                at.ok_or_else(|| error("a reference cannot stand for an element of a set, nor for a key".into()))?;
            let mut wanted = ty;
            changed(types, ty, &value, &at, &mut |ty, part| {
                wanted = ty;
                part.clone()
            });
            self.check_reference(label, &to, wanted).map_err(error)?;
            references.push(PlacedReference { at, to });
        }
        Ok(RequestTemplate { value, references })
    }

    /// Checks that a reference may stand for a value of this type.
    fn check_reference(&self, own: u64, to: &Reference, wanted: TypeId) -> Result<(), String> {
        let (types, program) = (&self.spec.types, &self.spec.program);
        let request = to.label - (1 - to.label % 2).min(to.label);
        if !self.asked.iter().any(|asked| asked.label == request) {
            let when = if to.label >= own { "comes later" } else { "is not there" };
            return Err(format!("expected a reference to an earlier message: message {} {when}", to.label));
        }
        if to.plus != 0 && !may_be_int(types, wanted) {
            return Err(format!("only to an integer a number can be added, and {} is none", types.name(wanted)));
        }
        let ty = if to.label % 2 == 1 { program.request } else { program.response };
        let found = match path_end(types, ty, &to.path) {
            PathEnd::Of(found) => Some(found),
            PathEnd::Open => None,
            PathEnd::Nowhere => return Err(format!("{} has no part {to}", types.name(ty))),
        };
        let disagree = |found: TypeId, wanted: TypeId, what: &str| {
            Err(format!("{what} is of type {}, expected {}", types.name(found), types.name(wanted)))
        };
        match (&to.via, found) {
            (None, Some(found)) if !may_agree(types, found, wanted) => disagree(found, wanted, &to.to_string()),
            (None, _) => Ok(()),
            (Some(via), found) => {
                let Some((parameter, result)) = self.spec.pure_function(via) else {
                    return Err(format!(
                        "the specification has no function `{via}` of one parameter that chooses nothing"
                    ));
                };
                match found {
                    Some(found) if !may_agree(types, found, parameter) => disagree(found, parameter, &to.to_string()),
                    _ if !may_agree(types, result, wanted) => disagree(result, wanted, &format!("the result of {via}")),
                    _ => Ok(()),
                }
            }
        }
    }

    fn answered(&mut self, label: u64, client: u64, seen: RecordedOutcome) {
        let ends = matches!(seen, RecordedOutcome::Lost | RecordedOutcome::Closed);
        for asked in self.asked.iter_mut().filter(|asked| asked.is_open && asked.client == client) {
            if asked.label == label || ends {
                asked.is_open = false;
                self.script.steps.push(ScriptStep::Await { label: asked.label, seen: seen.clone() });
            }
        }
    }

    /// Reads that a client ended its connection, which ends its open requests, too.
    fn left(&mut self, client: u64) {
        self.answered(0, client, RecordedOutcome::Lost);
        self.script.steps.push(ScriptStep::Close { client, noticed: true });
    }

    /// Reads what a client sees: the outcome of its first open request, or, if it has none, something else.
    fn seen(&mut self, label: Option<(u64, usize)>, client: u64, seen: RecordedOutcome) -> Decoded<()> {
        let open = self.asked.iter().find(|asked| asked.is_open && asked.client == client).map(|asked| asked.label);
        if let (Some((label, at)), Some(open)) = (label, open)
            && label != open + 1
        {
            let message = format!("expected {}, the answer of request {open}, found {label}", open + 1);
            return Err(JsonError::new(at, message));
        }
        match (open, label) {
            (Some(open), _) => self.answered(open, client, seen),
            (None, None) if seen == RecordedOutcome::Lost => {
                self.script.steps.push(ScriptStep::Close { client, noticed: false });
            }
            (None, None) => self.script.steps.push(ScriptStep::Seen { client, seen }),
            (None, Some((label, at))) => {
                let message =
                    format!("message {label} answers nothing: connection {client} has no request without an answer");
                return Err(JsonError::new(at, message));
            }
        }
        Ok(())
    }
}

/// Tests whether the values of a type are integers, perhaps in options.
fn may_be_int(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Option(of) => may_be_int(types, *of),
        kind => *kind == Type::Int,
    }
}

/// The place of the only hole in a value.
fn hole_of(value: &Value) -> Option<Vec<usize>> {
    let within = |at: usize, part: &Value| {
        let mut place = hole_of(part)?;
        place.insert(0, at);
        Some(place)
    };
    match value {
        Value::Any => Some(Vec::new()),
        Value::List(list) => list.iter().enumerate().find_map(|(at, part)| within(at, part)),
        Value::Map(map) => {
            let entries = map.entries().ok()?;
            entries.iter().enumerate().find_map(|(at, (_, entry))| within(at, &entry.value))
        }
        _ => value.fields().iter().enumerate().find_map(|(at, part)| within(at, part)),
    }
}

/// The error for a line that is not even an object, with the reader's message for traces.
fn no_event(number: u64, line: &str) -> TraceError {
    let message = "expected an object on one line, such as {\"n\": 1, \"c\": 1, \"q\": …, \"a\": …}";
    let read = TraceReader::new(line.as_bytes()).next_line().err();
    let error = read.unwrap_or_else(|| TraceError::in_line(number, line.as_bytes(), 0, message));
    error.on_line(number)
}

fn header(members: &LineMembers<'_>, spec: String) -> Decoded<ScriptHeader> {
    let mut header = ScriptHeader { spec, ..ScriptHeader::default() };
    for (name, raw) in &members.0 {
        let wrong = |what: &str| JsonError::new(raw.offset, format!("expected {what}"));
        match (name.as_str(), JsonTree::read(raw.text)?) {
            ("mayhap" | "spec", _) => {}
            ("set", JsonTree::Object(values)) => {
                header.set = values.into_iter().map(|(name, value)| (name, value.text())).collect();
            }
            ("set", _) => return Err(wrong("an object: the constants that were set")),
            ("cause", JsonTree::Leaf(_)) => {
                header.cause = Some(
                    json::Scanner::new(raw.text).string().map_err(|error| error.shifted_by(raw.offset))?.into_owned(),
                );
            }
            ("cause", _) => return Err(wrong("a string")),
            ("failed", tree) => {
                let number = |tree: &JsonTree| tree.text().parse::<u64>().ok();
                let counts = tree.elements().map(|counts| counts.iter().map(number).collect::<Vec<_>>());
                match counts.as_deref() {
                    Some([Some(failed), Some(runs)]) if failed <= runs => header.failed = Some((*failed, *runs)),
                    _ => return Err(wrong("[k, n]: of n runs, k failed")),
                }
            }
            (_, tree) => header.other.push((name.clone(), tree.text())),
        }
    }
    Ok(header)
}

/// The members of the object on a line, as they are written.
struct LineMembers<'a>(Vec<(String, Raw<'a>)>);

impl<'a> LineMembers<'a> {
    fn of(line: &'a str) -> Decoded<LineMembers<'a>> {
        let mut scanner = json::Scanner::new(line);
        let mut members = Vec::new();
        scanner.expect(b'{')?;
        while !members.is_empty() || scanner.peek() != Some(b'}') {
            let name = scanner.string()?.into_owned();
            scanner.expect(b':')?;
            let text = scanner.skip()?;
            let offset = scanner.offset() - text.len();
            if members.iter().any(|(own, _)| *own == name) {
                return Err(JsonError::new(offset, format!("duplicate key {name:?}")));
            }
            members.push((name, Raw { text, offset }));
            if !scanner.eat(b',') {
                break;
            }
        }
        scanner.expect(b'}')?;
        scanner.end()?;
        Ok(LineMembers(members))
    }

    fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, raw)| *raw)
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn first(&self) -> Option<&str> {
        self.0.first().map(|(name, _)| name.as_str())
    }

    fn offset(&self, name: &str) -> usize {
        self.get(name).map_or(0, |raw| raw.offset)
    }

    /// Checks that there are no members with other names.
    fn only(&self, names: &[&str]) -> Decoded<()> {
        match self.0.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, raw)) => {
                let message = format!("expected nothing but {} on this line, found {name:?}", names.join(" and "));
                Err(JsonError::new(raw.offset, message))
            }
        }
    }
}

/// Reads a number that is not negative.
fn number_of(raw: Option<Raw<'_>>) -> Decoded<f64> {
    let (text, offset) = raw.map_or(("", 0), |raw| (raw.text, raw.offset));
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| JsonError::new(offset, "expected a number that is not negative"))
}

fn label_of(raw: Raw<'_>) -> Decoded<u64> {
    raw.text.parse().map_err(|_| JsonError::new(raw.offset, "expected a label, a whole number from 1"))
}

/// The elements of an array, as they are written.
fn elements_of(raw: Option<Raw<'_>>) -> Decoded<Vec<Raw<'_>>> {
    let Some(Raw { text, offset: begin }) = raw else { return Err(JsonError::new(0, "expected an array")) };
    let mut scanner = json::Scanner::new(text);
    let mut elements = Vec::new();
    scanner.expect(b'[').map_err(|error| error.shifted_by(begin))?;
    while !elements.is_empty() || scanner.peek() != Some(b']') {
        let text = scanner.skip()?;
        elements.push(Raw { text, offset: begin + scanner.offset() - text.len() });
        if !scanner.eat(b',') {
            break;
        }
    }
    Ok(elements)
}
