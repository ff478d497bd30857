//! The lexical level of JSON (RFC 8259): tokens are pulled from a text, and no tree is built.
//!
//! Strings without escapes are borrowed. Numbers are returned as their digits, so they may have any size. Values that are not needed are
//! checked and skipped without recursion, so they may have any depth.
//!
//! ```
//! use mayhap::json::Scanner;
//! let mut scanner = Scanner::new(r#""\u00e9" 12345678901234567890"#);
//! assert_eq!(scanner.string()?, "é");
//! assert_eq!(scanner.number()?, "12345678901234567890");
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

use crate::json::{Decoded, JsonError};
use smallvec::SmallVec;

/// A position in a JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner at the beginning of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// The number of bytes that have been read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The part of the text that has not been read yet.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space and returns the next byte, which stays unread.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.byte() {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Skips white space; returns the offset of the next byte.
    pub(crate) fn here(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Reads `byte` if it comes next.
    pub fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads the key `name` of an object and its colon, if exactly these bytes come next, without escapes or white space.
    pub(crate) fn eat_key(&mut self, name: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let inside = rest.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(name.as_bytes()));
        let is_next = inside.is_some_and(|rest| rest.starts_with(b"\":")) && Scanner::new(name).plain() == name.len();
        self.at += if is_next { name.len() + 3 } else { 0 };
        is_next
    }

    /// Reads a given byte of ASCII punctuation.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn expect(&mut self, byte: u8) -> Decoded<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    /// Checks that nothing but white space is left.
    ///
    /// # Errors
    /// Something is left.
    pub fn end(&mut self) -> Decoded<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("the end")) }
    }

    /// Reads elements between two brackets, separated by commas; `each` reads an element.
    ///
    /// # Errors
    /// A bracket, a comma or an element is missing or malformed.
    pub fn several(
        &mut self,
        open: u8,
        close: u8,
        mut each: impl FnMut(&mut Scanner<'a>) -> Decoded<()>,
    ) -> Decoded<()> {
        self.expect(open)?;
        if self.eat(close) {
            return Ok(());
        }
        loop {
            each(self)?;
            if self.eat(close) {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.expected(&format!("`,` or `{}`", char::from(close))));
            }
        }
    }

    /// The error that `what` was expected at this place.
    #[cold]
    #[must_use]
    pub fn expected(&mut self, what: &str) -> JsonError {
        let found = self.found();
        JsonError::new(self.at, format!("expected {what}, found {found}"))
    }

    /// Describes the next token in words.
    fn found(&mut self) -> String {
        match self.peek() {
            None => "the end".into(),
            Some(b'"') => "a string".into(),
            Some(b'-' | b'0'..=b'9') => "a number".into(),
            Some(b'{') => "an object".into(),
            Some(b'[') => "an array".into(),
            Some(_) => match self.word() {
                "" => format!("`{}`", self.text[self.at..].chars().next().unwrap_or(' ').escape_debug()),
                word => format!("`{word}`"),
            },
        }
    }

    /// Reads a word such as `true` if it comes next.
    pub fn literal(&mut self, word: &str) -> bool {
        self.peek();
        let rest = &self.text.as_bytes()[self.at..];
        let ends = |next: Option<&u8>| next.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let is_next = rest.starts_with(word.as_bytes()) && ends(rest.get(word.len()));
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Reads a number and returns its text.
    ///
    /// # Errors
    /// No number comes next, or its form is not JSON's (`01`, `1.`, `+1`).
    pub fn number(&mut self) -> Decoded<&'a str> {
        self.peek();
        let start = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        let leading = self.byte();
        match self.digits() {
            0 => return Err(self.bad_number(start)),
            1 => (),
            _ if leading == Some(b'0') => return Err(JsonError::new(start, "a number has no leading zeros")),
            _ => (),
        }
        if let Some(b'.' | b'e' | b'E') = self.byte() {
            self.fraction_and_exponent()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// Reads an integer of up to 18 digits; other numbers and malformed ones are left to [`Scanner::number`].
    pub(crate) fn small_number(&mut self) -> Option<i64> {
        self.peek();
        let rest = self.rest().as_bytes();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = &rest[sign..];
        let (mut length, mut value) = (0, 0_i64);
        while let Some(digit) = digits.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            if length == 18 {
                return None;
            }
            value = value * 10 + i64::from(digit);
            length += 1;
        }
        let leading_zero = digits.first() == Some(&b'0') && length > 1;
        if length == 0 || leading_zero || matches!(digits.get(length), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.at += sign + length;
        Some(if sign == 1 { -value } else { value })
    }

    /// Checks the next value, of any kind, and returns its text.
    ///
    /// # Errors
    /// The text is not JSON there.
    pub fn skip(&mut self) -> Decoded<&'a str> {
        if let Some(b'{' | b'[') = self.peek() {
            return self.skip_tree();
        }
        let start = self.at;
        self.skip_scalar()?;
        Ok(&self.text[start..self.at])
    }

    fn skip_tree(&mut self) -> Decoded<&'a str> {
        let start = self.at;
        let mut closers: SmallVec<[u8; 32]> = SmallVec::new();
        loop {
            match self.enter()? {
                Some(closer) => closers.push(closer),
                None if self.leave(&mut closers)? => return Ok(&self.text[start..self.at]),
                None => (),
            }
        }
    }

    /// Enters the next value: returns the bracket that will close it, or none if the value is complete already.
    fn enter(&mut self) -> Decoded<Option<u8>> {
        let closer = match self.peek() {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            _ => return self.skip_scalar().map(|()| None),
        };
        self.at += 1;
        if self.eat(closer) {
            return Ok(None);
        }
        self.skip_key(closer)?;
        Ok(Some(closer))
    }

    /// Leaves the brackets that close after a value: true if the outermost is closed, false if another value follows.
    fn leave(&mut self, closers: &mut SmallVec<[u8; 32]>) -> Decoded<bool> {
        while let Some(&closer) = closers.last() {
            if self.eat(b',') {
                self.skip_key(closer)?;
                return Ok(false);
            }
            if !self.eat(closer) {
                return Err(self.expected(&format!("`,` or `{}`", char::from(closer))));
            }
            closers.pop();
        }
        Ok(true)
    }

    fn skip_key(&mut self, closer: u8) -> Decoded<()> {
        if closer == b']' {
            return Ok(());
        }
        self.skip_string("a key in double quotes")?;
        self.expect(b':')
    }

    fn skip_scalar(&mut self) -> Decoded<()> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number().map(|_| ()),
            Some(b'"') => self.skip_string("a string"),
            _ if self.literal("null") || self.literal("true") || self.literal("false") => Ok(()),
            _ => Err(self.expected("a value")),
        }
    }

    fn fraction_and_exponent(&mut self) -> Decoded<()> {
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            self.some_digits()?;
        }
        Ok(())
    }

    fn some_digits(&mut self) -> Decoded<()> {
        if self.digits() == 0 { Err(JsonError::new(self.at, "expected a digit")) } else { Ok(()) }
    }

    fn digits(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let digits = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        self.at += digits;
        digits
    }

    fn bad_number(&mut self, start: usize) -> JsonError {
        if self.at > start { JsonError::new(self.at, "expected a digit") } else { self.expected("a number") }
    }

    fn word(&self) -> &'a str {
        let rest = &self.text[self.at..];
        let letters = rest.bytes().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
        &rest[..letters]
    }

    pub(crate) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size() {
        let long = "9".repeat(10_000);
        for text in ["0", "-0", "17", "-3.25", "1e9", "1E-9", "0.5e+1", long.as_str()] {
            assert_eq!(Scanner::new(text).number().as_deref(), Ok(text));
        }
        for (text, offset) in
            [("-", 1), ("01", 0), ("-012", 0), ("1.", 2), ("1e", 2), ("1e+", 3), ("+1", 0), (".5", 0), ("x", 0)]
        {
            assert_eq!(Scanner::new(text).number().map_err(|e| e.offset), Err(offset), "{text}");
        }
    }

    #[test]
    fn values_are_skipped_whole() {
        for text in ["null", "[]", "{}", "[[],{}]", r#"{"a": [1, {"b": "]}"}], "c": true}"#, r#""\"""#] {
            let padded = format!(" {text} ,");
            assert_eq!(Scanner::new(&padded).skip().as_deref(), Ok(text));
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Scanner::new(&deep).skip().map(str::len), Ok(200_000));
    }

    #[test]
    fn what_is_not_json() {
        for (text, offset, message) in [
            ("", 0, "expected a value, found the end"),
            ("[1, 2", 5, "expected `,` or `]`, found the end"),
            ("[1 2]", 3, "expected `,` or `]`, found a number"),
            ("[1,]", 3, "expected a value, found `]`"),
            ("{1: 2}", 1, "expected a key in double quotes, found a number"),
            ("{\"a\" 2}", 5, "expected `:`, found a number"),
            ("{\"a\": nul}", 6, "expected a value, found `nul`"),
            ("[tru]", 1, "expected a value, found `tru`"),
            ("[é]", 1, "expected a value, found `é`"),
            ("{\"a\": 1]", 7, "expected `,` or `}`, found `]`"),
            ("[\"abc", 1, "this string has no end"),
        ] {
            assert_eq!(Scanner::new(text).skip(), Err(JsonError::new(offset, message)), "{text}");
        }
    }
}
