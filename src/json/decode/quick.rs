//! Fast reading of values in their usual text: the fixed text of a [`Form`] is compared, only the gaps are parsed.
//!
//! Unusual text is left to the [decoder](crate::json::decode_recorded). If a part begins unusually (a hole, a string with escapes, a large
//! number), the decoder reads this part. If the text differs later, this template and all enclosing ones fail, and the decoder reads the
//! whole value. So both ways give the same value:
//!
//! ```
//! use mayhap::json::{Forms, Scanner, Spacing, decode_recorded};
//! use mayhap::spec::types::{BOOL, INT, Types};
//! let mut types = Types::new();
//! let pair = types.tuple(vec![INT, BOOL]);
//! let mut forms = Forms::new(&types, Spacing::Compact);
//! for text in ["[5,true]", "[5 , true]", "[\"5\",{\"$any\": null}]", "[5]"] {
//!     assert_eq!(forms.next(&types, pair, &mut Scanner::new(text)), decode_recorded(&types, pair, text).ok());
//! }
//! ```

use super::form::{Form, Forms, Gap, Templates};
use super::interner::Interner;
use super::words::{LastWord, digits, number, plain, special, word};
use super::{MAX_DEPTH, next_within};
use crate::json::Scanner;
use crate::scalar::{Int, Scalar, Token};
use crate::spec::types::{TypeId, Types};
use crate::value::Value;
use std::sync::Arc;

impl Forms {
    /// Reads the next recorded value of type `id`; none if there is an error, for which the decoder has the message.
    pub fn next(&mut self, types: &Types, id: TypeId, scanner: &mut Scanner<'_>) -> Option<Value> {
        let mut reading = self.reading(types, scanner.text);
        reading.rest = &scanner.text.as_bytes()[scanner.at..];
        let value = reading.next(id)?;
        *scanner = reading.scanner();
        Some(value)
    }

    /// A reader at the beginning of `text`.
    pub fn reading<'t, 'a>(&'t mut self, types: &'t Types, text: &'a str) -> FormReader<'t, 'a> {
        FormReader {
            types,
            forms: &self.by_type,
            known: &mut self.known,
            text,
            rest: text.as_bytes(),
            tail: LastWord::of(text.as_bytes()),
        }
    }
}

/// A position in a text, from which values are read in their usual text.
///
/// ```text
///   template   {"key":   ,"weak":   }          what is read of {"key":"a","weak":true} rest by rest:
///   gaps               str       bool          "a","weak":true}   ,"weak":true}   true}   }
/// ```
///
/// Invariant: `rest` is an end of the text. It is empty if reading went astray; the values read since then are meaningless, and the
/// outermost value is read again by the decoder.
#[derive(Debug)]
pub struct FormReader<'t, 'a> {
    types: &'t Types,
    forms: &'t [Form],
    known: &'t mut Interner,
    text: &'a str,
    /// The part of the text that has not been read.
    rest: &'a [u8],
    tail: LastWord,
}

impl<'t, 'a> FormReader<'t, 'a> {
    /// Reads the next recorded value of type `id`, as [`Forms::next`] does.
    pub fn next(&mut self, id: TypeId) -> Option<Value> {
        let here = self.rest;
        let value = self.part(id, 0);
        if self.is_astray() { self.in_full(here, id) } else { Some(value) }
    }

    /// Reads `text` if exactly these octets come next.
    pub fn eat_text(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text.as_bytes());
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Reads a number of at most 19 digits.
    pub fn natural(&mut self) -> Option<u64> {
        let length = self.rest.iter().take_while(|octet| octet.is_ascii_digit()).count();
        let (number, after) = self.rest.split_at(length);
        let is_plain = length == 1 || (2..20).contains(&length) && number[0] != b'0';
        self.rest = after;
        is_plain.then(|| number.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0')))
    }

    /// Tests whether nothing but white space is left.
    pub fn is_at_end(&self) -> bool {
        self.rest.iter().all(|octet| matches!(octet, b' ' | b'\t' | b'\n' | b'\r'))
    }

    #[cold]
    fn in_full(&mut self, here: &'a [u8], id: TypeId) -> Option<Value> {
        self.rest = here;
        let mut scanner = self.scanner();
        let value = next_within(self.types, id, &mut scanner, 0).ok()?;
        self.rest = scanner.rest().as_bytes();
        Some(value)
    }

    fn form(&self, id: TypeId) -> &'t Form {
        self.forms.get(id.number() as usize).unwrap_or(&Form::Other)
    }

    /// Reads a value at this depth of nesting; its result is meaningless if reading went astray.
    fn part(&mut self, id: TypeId, depth: usize) -> Value {
        match self.form(id) {
            form @ (Form::Data(_) | Form::List(_)) => self.tree(id, form, depth),
            Form::Int => self.int().map_or_else(|| self.general(id, depth), Value::from),
            _ => self.value(id, depth),
        }
    }

    /// Reads a value as [`FormReader::part`] does, for places at which most values are scalars.
    fn value(&mut self, id: TypeId, depth: usize) -> Value {
        let form = self.form(id);
        let scalar = match form {
            Form::Option(_) if depth < MAX_DEPTH && self.literal(b"null") => return Value::NONE,
            Form::Data(_) | Form::Option(_) | Form::List(_) => return self.tree(id, form, depth),
            Form::Str => self.string().map(Scalar::Str),
            Form::Bytes => self.plain().map(|text| Scalar::bytes(text.as_bytes())),
            Form::Token => self.token().map(Scalar::Token),
            Form::Int => self.int().map(|int| Scalar::Int(Int::small(int))),
            Form::Bool => self.truth().map(Scalar::Bool),
            Form::Other => None,
        };
        match scalar {
            Some(scalar) => Value::Scalar(scalar),
            None => self.general(id, depth),
        }
    }

    fn tree(&mut self, id: TypeId, form: &'t Form, depth: usize) -> Value {
        match form {
            _ if depth == MAX_DEPTH => self.general(id, depth),
            Form::Data(templates) => self.data(id, templates, depth),
            Form::Option(of) => match self.part(*of, depth + 1) {
                // A hole in the place of an option also leaves open whether there is a value.
                Value::Any => Value::Any,
                some => Value::some(some),
            },
            Form::List(of) => self.list(id, *of, depth),
            _ => self.general(id, depth),
        }
    }

    /// Reads a string without escapes.
    fn string(&mut self) -> Option<Arc<str>> {
        let inside = self.rest.strip_prefix(b"\"")?;
        let first = self.tail.word(inside);
        let bits = special(first).trailing_zeros() & !7;
        if bits == 64 || (first >> bits) as u8 != b'"' {
            return self.long_string();
        }
        let words = [first & !(u64::MAX << bits), 0];
        let length = bits as usize / 8;
        self.rest = inside.get(length + 1..).unwrap_or_default();
        if let Some(known) = self.known.get(words) {
            return Some(known);
        }
        let begin = self.text.len() - inside.len();
        Some(self.known.learn(words, self.text.get(begin..begin + length)?))
    }

    /// Reads a string of 8 octets or more without escapes.
    fn long_string(&mut self) -> Option<Arc<str>> {
        let text = self.plain()?;
        if !(8..16).contains(&text.len()) {
            return Some(text.into());
        }
        let words = [word(text.as_bytes()), word(&text.as_bytes()[8..])];
        match self.known.get(words) {
            None => Some(self.known.learn(words, text)),
            known => known,
        }
    }

    /// Reads the text of a string without escapes.
    fn plain(&mut self) -> Option<&'a str> {
        let inside = self.rest.strip_prefix(b"\"")?;
        let length = plain(inside);
        self.rest = inside.get(length..)?.strip_prefix(b"\"")?;
        let begin = self.text.len() - inside.len();
        self.text.get(begin..begin + length)
    }

    /// Reads an integer of up to 18 digits.
    #[inline]
    fn int(&mut self) -> Option<i64> {
        let minus = usize::from(self.rest.first() == Some(&b'-'));
        let unsigned = self.rest.get(minus..).unwrap_or_default();
        let next = self.tail.word(unsigned);
        let bits = digits(next);
        let is_plain = matches!(bits, 8..=56) && (bits == 8 || next as u8 != b'0');
        if !is_plain || !matches!((next >> bits) as u8, b',' | b']' | b'}') {
            return self.long_int();
        }
        self.rest = unsigned.get(bits as usize / 8..).unwrap_or_default();
        let value = number(next, bits) as i64;
        Some(if minus == 1 { -value } else { value })
    }

    /// Reads an integer that has more than 7 digits, or that is followed by unusual text.
    #[cold]
    fn long_int(&mut self) -> Option<i64> {
        let mut scanner = self.scanner();
        let value = scanner.small_number()?;
        self.rest = scanner.rest().as_bytes();
        Some(value)
    }

    fn truth(&mut self) -> Option<bool> {
        if self.literal(b"true") { Some(true) } else { self.literal(b"false").then_some(false) }
    }

    /// Reads this word if it comes next.
    fn literal(&mut self, word: &[u8]) -> bool {
        let after = self.rest.strip_prefix(word).filter(|after| !after.first().is_some_and(u8::is_ascii_alphanumeric));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn token(&mut self) -> Option<Token> {
        match self.rest {
            [b'"', ..] => self.string().map(Token::Text),
            _ => self.int().map(|int| Token::Number(Int::small(int))),
        }
    }

    fn list(&mut self, id: TypeId, of: TypeId, depth: usize) -> Value {
        if !self.eat(b'[') {
            return self.general(id, depth);
        }
        let mut elements = Vec::new();
        if self.eat(b']') {
            return Value::list(elements);
        }
        loop {
            elements.push(self.part(of, depth + 1));
            if !self.eat(b',') {
                break;
            }
            self.eat(b' ');
        }
        if !self.eat(b']') {
            self.go_astray();
        }
        Value::list(elements)
    }

    fn data(&mut self, id: TypeId, templates: &'t Templates, depth: usize) -> Value {
        let Some((tag, template, after)) = templates.find(self.rest, self.tail) else {
            return self.general(id, depth);
        };
        self.rest = after;
        let depth = depth + 1;
        let fields: Arc<[Value]> = match &*template.gaps {
            [] => return Value::unit(tag),
            [a] => Arc::new([self.field(a, depth)]),
            [a, b] => Arc::new([self.field(a, depth), self.field(b, depth)]),
            [a, b, c] => Arc::new([self.field(a, depth), self.field(b, depth), self.field(c, depth)]),
            gaps => gaps.iter().map(|gap| self.field(gap, depth)).collect(),
        };
        Value::data(tag, fields)
    }

    fn field(&mut self, gap: &Gap, depth: usize) -> Value {
        let value = self.value(gap.of, depth);
        self.rest = gap.text_after.rest_after(self.rest, self.tail).unwrap_or_default();
        value
    }

    fn eat(&mut self, octet: u8) -> bool {
        let after = self.rest.strip_prefix(&[octet]);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Reads a value with the decoder.
    #[cold]
    fn general(&mut self, id: TypeId, depth: usize) -> Value {
        if self.is_astray() {
            return Value::Absent;
        }
        let mut scanner = self.scanner();
        let value = next_within(self.types, id, &mut scanner, depth);
        self.rest = if value.is_ok() { scanner.rest().as_bytes() } else { &[] };
        value.unwrap_or(Value::Absent)
    }

    /// A scanner at the same position.
    fn scanner(&self) -> Scanner<'a> {
        Scanner { text: self.text, at: self.text.len() - self.rest.len() }
    }

    fn go_astray(&mut self) {
        self.rest = &[];
    }

    fn is_astray(&self) -> bool {
        self.rest.is_empty()
    }
}
