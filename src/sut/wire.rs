//! Values on the wire: requests as lines, and lines as answers, with the types of a specification.
//!
//! ```
//! use mayhap::{Spec, sut::wire::LineCodec, value::Value};
//! let spec = Spec::from_text("protocol p { request int; response bool; on q { reply q > 0; } }")?;
//! let (mut codec, mut line) = (LineCodec::new(&spec), String::new());
//! codec.write_request(&mut line, &Value::from(5));
//! assert_eq!((line.as_str(), codec.answer(b"true")), ("5", Ok(Value::from(true))));
//! assert_eq!(codec.answer(b"maybe").unwrap_err().what, "`maybe` is no answer: expected bool, found `maybe`");
//! # Ok::<(), mayhap::error::SpecError>(())
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use super::protocol::ObjectMembers;
use super::{SutFailure, SutFailureKind};
use crate::http::shown_bytes;
use crate::json::{FormReader, Forms, Scanner, Spacing, decode, encode_into};
use crate::spec::Spec;
use crate::spec::types::TypeId;
use crate::value::Value;

/// The texts around the client and the answer in a line of an adapter, for each spacing.
const AROUND: [[&str; 4]; 2] =
    [["{\"c\":", ",\"connection\":", ",\"a\":", "}"], ["{\"c\": ", ", \"connection\": ", ", \"a\": ", "}"]];
/// The most bytes of a line that are shown.
const SHOWN: usize = 200;

/// A codec for the types of a specification, which writes requests and reads answers.
#[derive(Debug)]
pub struct LineCodec {
    spec: Arc<Spec>,
    forms: [Forms; 2],
    /// The index of the spacing of the last answer, which is tried first.
    usual: usize,
}

impl LineCodec {
    /// A codec for the types of a specification.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> LineCodec {
        let forms = [Spacing::Compact, Spacing::Spaced].map(|spacing| Forms::new(&spec.types, spacing));
        LineCodec { spec: spec.clone(), forms, usual: 0 }
    }

    /// The specification.
    #[must_use]
    pub fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    /// Appends a request, without the end of its line.
    pub fn write_request(&self, out: &mut String, request: &Value) {
        encode_into(out, &self.spec.types, self.spec.program.request, request);
    }

    /// Reads an answer from a line.
    ///
    /// # Errors
    /// The line is no value of the type of answers.
    pub fn answer(&mut self, line: &[u8]) -> Result<Value, SutFailure> {
        let text = str::from_utf8(line).map_err(|_| garbage(line, "it is not UTF-8"))?;
        self.quickly(text).map_or_else(|| self.in_full(text), Ok)
    }

    /// Reads the client, its connection if it is said, and the answer from a line of an adapter, if it is an answer in usual spacing.
    pub fn answer_of_client(&mut self, text: &str) -> Option<(u64, Option<u64>, Value)> {
        self.as_usual(text, |reading, response, [client, connection, answer, end]| {
            let client = if reading.eat_text(client) { reading.natural()? } else { return None };
            let connection = if reading.eat_text(connection) { Some(reading.natural()?) } else { None };
            let value = if reading.eat_text(answer) { reading.next(response)? } else { return None };
            reading.eat_text(end).then_some((client, connection, value))
        })
    }

    /// Reads an answer in usual spacing.
    fn quickly(&mut self, text: &str) -> Option<Value> {
        self.as_usual(text, |reading, response, _| reading.next(response))
    }

    /// Reads a whole line in the last spacing, or in the other one. `read` gets the texts around an adapter's answer in this
    /// spacing.
    fn as_usual<T>(
        &mut self,
        text: &str,
        read: impl Fn(&mut FormReader<'_, '_>, TypeId, &[&str; 4]) -> Option<T>,
    ) -> Option<T> {
        // `$any` is a hole, and only recordings may have holes.
        if memchr::memchr(b'$', text.as_bytes()).is_some() {
            return None;
        }
        for turn in 0..2 {
            let at = (self.usual + turn) % 2;
            let mut reading = self.forms[at].reading(&self.spec.types, text);
            let found = read(&mut reading, self.spec.program.response, &AROUND[at]);
            if found.is_some() && reading.is_at_end() {
                self.usual = at;
                return found;
            }
        }
        None
    }

    fn in_full(&self, text: &str) -> Result<Value, SutFailure> {
        let decoded = decode(&self.spec.types, self.spec.program.response, text);
        decoded.map_err(|error| match reported_error(text) {
            Some((kind, message)) if kind == "busy" || kind == "stopping" => {
                SutFailure::new(SutFailureKind::Refused, format!("the system refuses clients ({kind}): {message}"))
            }
            Some((kind, message)) => {
                let what = format!("the system answered with an error ({kind}): {message}");
                SutFailure::new(SutFailureKind::Garbage, what)
            }
            None => garbage(text.as_bytes(), &error.to_string()),
        })
    }
}

/// The failure that a line is no answer.
#[must_use]
pub fn garbage(line: &[u8], why: &str) -> SutFailure {
    SutFailure::new(SutFailureKind::Garbage, format!("{} is no answer: {why}", shown(line)))
}

/// A line as text, with invalid bytes escaped, and cut if it is long.
#[must_use]
pub fn shown(line: &[u8]) -> String {
    shown_bytes(&line[..line.len().min(SHOWN)], line.len())
}

/// The kind and the message of `{"$error": KIND, "message": …}`, with which `mayhap serve` reports a request that it cannot
/// answer.
fn reported_error(text: &str) -> Option<(String, String)> {
    let members = ObjectMembers::read(text).ok()?;
    let string = |name: &str| Scanner::new(members.get(name)?).string().ok().map(Cow::into_owned);
    Some((string("$error")?, string("message").unwrap_or_default()))
}
