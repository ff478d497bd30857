//! A fast reader for lines in the most common forms: `{"q": 5, "a": 1}`, `{"c": 2, "q": 5}`, `{"c": 2, "a": 1}`.
//!
//! It fails on any other line, which the general reader then reads again, with full messages.

use crate::json::{FormReader, Forms, Spacing};
use crate::spec::Spec;
use crate::spec::types::Types;
use crate::trace::{EventKind, Response, TraceEvent};
use crate::value::Value;

/// A reader of lines in these forms.
#[derive(Debug)]
pub(super) struct PlainLines {
    spaced: Forms,
    compact: Forms,
}

/// The texts between the values of a line.
struct Words {
    query_first: &'static str,
    client_first: &'static str,
    query: &'static str,
    answer: &'static str,
}

const SPACED: Words =
    Words { query_first: "{\"q\": ", client_first: "{\"c\": ", query: ", \"q\": ", answer: ", \"a\": " };
const COMPACT: Words = Words { query_first: "{\"q\":", client_first: "{\"c\":", query: ",\"q\":", answer: ",\"a\":" };

impl PlainLines {
    pub(super) fn new(types: &Types) -> PlainLines {
        PlainLines { spaced: Forms::new(types, Spacing::Spaced), compact: Forms::new(types, Spacing::Compact) }
    }

    /// The request and the answer of a line without a client.
    pub(super) fn exchange(&mut self, spec: &Spec, text: &str) -> Option<(Value, Value)> {
        let (reading, words) = self.reading(spec, text);
        exchange(spec, reading, words)
    }

    /// The request of a line that begins with it.
    pub(super) fn request(&mut self, spec: &Spec, text: &str) -> Option<Value> {
        let (mut reading, words) = self.reading(spec, text);
        reading.eat_text(words.query_first).then_some(())?;
        reading.next(spec.program.request)
    }

    /// The event of a line.
    pub(super) fn event(&mut self, spec: &Spec, text: &str, line: u64) -> Option<TraceEvent<Value>> {
        let (mut reading, words) = self.reading(spec, text);
        if !reading.eat_text(words.client_first) {
            let (query, answer) = exchange(spec, reading, words)?;
            let kind = EventKind::Exchange { query, reply: Response::Answer(answer) };
            return Some(TraceEvent { line, client: None, kind });
        }
        let client = Some(reading.natural()?);
        let query = reading.eat_text(words.query).then(|| reading.next(spec.program.request));
        let answer = reading.eat_text(words.answer).then(|| reading.next(spec.program.response));
        let kind = match (query, answer) {
            (Some(query), None) => EventKind::Request(query?),
            (None, Some(answer)) => EventKind::Answer(answer?),
            (Some(query), Some(answer)) => EventKind::Exchange { query: query?, reply: Response::Answer(answer?) },
            (None, None) => return None,
        };
        ends(reading).then_some(TraceEvent { line, client, kind })
    }

    fn reading<'t, 'a>(&'t mut self, spec: &'t Spec, text: &'a str) -> (FormReader<'t, 'a>, &'static Words) {
        // The first key is one letter long, and a space may follow the colon after it.
        match text.as_bytes().get(5) {
            Some(b' ') => (self.spaced.reading(&spec.types, text), &SPACED),
            _ => (self.compact.reading(&spec.types, text), &COMPACT),
        }
    }
}

/// The request and the answer of a line that begins with the request.
fn exchange(spec: &Spec, mut reading: FormReader<'_, '_>, words: &Words) -> Option<(Value, Value)> {
    reading.eat_text(words.query_first).then_some(())?;
    let request = reading.next(spec.program.request)?;
    reading.eat_text(words.answer).then_some(())?;
    let answer = reading.next(spec.program.response)?;
    ends(reading).then_some((request, answer))
}

/// Tests whether the object ends here, and nothing follows it.
fn ends(mut reading: FormReader<'_, '_>) -> bool {
    reading.eat_text("}") && reading.is_at_end()
}
