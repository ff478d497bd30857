//! Scalars in JSON: integers as numbers of any size (or strings), tokens as strings or numbers, bytes as text or base64.
//!
//! ```
//! use mayhap::json::decode;
//! use mayhap::spec::types::{BYTES, INT, Types};
//! let types = Types::new();
//! assert_eq!(decode(&types, INT, "\"-7\""), decode(&types, INT, "-7"));
//! assert_eq!(decode(&types, BYTES, r#"{"$bytes": "YQ=="}"#), decode(&types, BYTES, r#""a""#));
//! ```

use super::decode::Marks;
use super::error::JsonError;
use super::{Decoded, Scanner};
use crate::scalar::{Int, Scalar, Token};
use crate::spec::types::{TypeId, Types};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

impl Scanner<'_> {
    pub(super) fn int(&mut self) -> Decoded<Scalar> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.whole_number().map(Scalar::Int),
            Some(b'"') => self.int_in_string().map(Scalar::Int),
            _ => Err(self.expected("int")),
        }
    }

    fn int_in_string(&mut self) -> Decoded<Int> {
        let at = self.here();
        let text = self.string()?;
        Int::parse(&text)
            .ok_or_else(|| JsonError::new(at, format!("expected int, found the string {}", shortened(&text))))
    }

    fn whole_number(&mut self) -> Decoded<Int> {
        if let Some(small) = self.small_number() {
            return Ok(Int::small(small));
        }
        let at = self.here();
        let text = self.number()?;
        Int::parse(text).ok_or_else(|| {
            let found = shortened(text);
            let written = "an integer is written without a point or an exponent, as in 1000";
            JsonError::new(at, format!("expected a whole number, found {found}: {written}"))
        })
    }

    pub(super) fn bool(&mut self) -> Decoded<Scalar> {
        self.truth().map(Scalar::Bool).ok_or_else(|| self.expected("bool"))
    }

    pub(super) fn truth(&mut self) -> Option<bool> {
        if self.literal("true") { Some(true) } else { self.literal("false").then_some(false) }
    }

    pub(super) fn str(&mut self) -> Decoded<Scalar> {
        Ok(Scalar::Str(self.text("string")?.as_ref().into()))
    }

    fn text(&mut self, what: &str) -> Decoded<Cow<'_, str>> {
        if self.peek() == Some(b'"') { self.string() } else { Err(self.expected(what)) }
    }

    pub(super) fn client(&mut self) -> Decoded<Scalar> {
        let Some(b'-' | b'0'..=b'9') = self.peek() else { return Err(self.expected("client (a number)")) };
        let at = self.here();
        let client = self.number()?.parse();
        client
            .map(Scalar::Client)
            .map_err(|_| JsonError::new(at, format!("expected a client's number, 0 to {}", u64::MAX)))
    }

    pub(super) fn token(&mut self, types: &Types, id: TypeId) -> Decoded<Scalar> {
        match self.peek() {
            Some(b'"') => self.string().map(|text| Scalar::Token(Token::Text(text.as_ref().into()))),
            Some(b'-' | b'0'..=b'9') => self.whole_number().map(|number| Scalar::Token(Token::Number(number))),
            _ => Err(self.expected(&format!("{} (a string or number)", types.name(id)))),
        }
    }

    pub(super) fn bytes(&mut self) -> Decoded<Scalar> {
        match self.peek() {
            Some(b'"') => self.string().map(|text| Scalar::bytes(text.as_bytes())),
            Some(b'[') => self.octets(),
            Some(b'{') => self.base64(),
            _ => Err(self.expected("bytes (a string or {\"$bytes\": …})")),
        }
    }

    /// Reads `[104, 105]`, as serde writes a `Vec<u8>`.
    fn octets(&mut self) -> Decoded<Scalar> {
        self.expect(b'[')?;
        let mut octets = Vec::new();
        while octets.is_empty() && self.peek() != Some(b']') || !octets.is_empty() && self.eat(b',') {
            let at = self.here();
            let octet = self.number()?.parse::<u8>();
            octets.push(octet.map_err(|_| JsonError::new(at, "expected an octet, 0 to 255"))?);
        }
        self.expect(b']')?;
        Ok(Scalar::bytes(&octets))
    }

    fn base64(&mut self) -> Decoded<Scalar> {
        self.expect(b'{')?;
        let at = self.here();
        if self.text("the key \"$bytes\"")? != "$bytes" {
            return Err(JsonError::new(at, "expected the key \"$bytes\""));
        }
        self.expect(b':')?;
        let at = self.here();
        let decoded = STANDARD.decode(self.text("base64 in a string")?.as_bytes());
        let octets = decoded.map_err(|error| JsonError::new(at, format!("this is no base64: {error}")))?;
        self.expect(b'}')?;
        Ok(Scalar::bytes(&octets))
    }
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    format!("{shown:?}{}", if shown.len() < text.len() { "…" } else { "" })
}

/// Appends a scalar as JSON.
pub(super) fn write(out: &mut String, scalar: &Scalar, marks: Marks) {
    match scalar {
        Scalar::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Scalar::Int(value) | Scalar::Token(Token::Number(value)) => match value.to_i64() {
            Some(small) => out.push_str(itoa::Buffer::new().format(small)),
            None => out.push_str(&value.to_string()),
        },
        Scalar::Str(text) | Scalar::Token(Token::Text(text)) => super::text::quote(out, text),
        Scalar::Json(json) => super::opaque::write(out, json, marks),
        Scalar::Client(client) => out.push_str(itoa::Buffer::new().format(*client)),
        Scalar::Bytes(octets) => match std::str::from_utf8(octets) {
            Ok(text) => super::text::quote(out, text),
            Err(_) => {
                out.push_str("{\"$bytes\": \"");
                STANDARD.encode_string(octets, out);
                out.push_str("\"}");
            }
        },
    }
}
