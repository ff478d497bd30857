//! Strings of JSON and their escapes.
//!
//! ```
//! use mayhap::json::Scanner;
//! assert_eq!(Scanner::new(r#""\u00e9""#).string()?, "é");
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

use super::words::plain;
use crate::json::{Decoded, JsonError, Scanner};
use smallvec::SmallVec;
use std::borrow::Cow;

impl<'a> Scanner<'a> {
    /// Reads a string.
    ///
    /// # Errors
    /// No string comes next, or it is not closed, holds a control character, a wrong escape or half a surrogate pair.
    pub fn string(&mut self) -> Decoded<Cow<'a, str>> {
        let start = self.open_string()?;
        let plain = self.plain();
        if self.byte() == Some(b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(&self.text[start..start + plain]));
        }
        self.escaped_string(start).map(Cow::Owned)
    }

    pub(crate) fn skip_string(&mut self, what: &str) -> Decoded<()> {
        if self.peek() != Some(b'"') {
            return Err(self.expected(what));
        }
        let start = self.open_string()?;
        loop {
            self.plain();
            if self.byte() == Some(b'"') {
                self.at += 1;
                return Ok(());
            }
            self.escape(start)?;
        }
    }

    fn open_string(&mut self) -> Decoded<usize> {
        if !self.eat(b'"') {
            return Err(self.expected("a string"));
        }
        Ok(self.at)
    }

    /// Reads the octets of a string up to the next special one (quote, backslash, control character); returns their number.
    pub(crate) fn plain(&mut self) -> usize {
        let plain = plain(&self.text.as_bytes()[self.at..]);
        self.at += plain;
        plain
    }

    #[cold]
    fn escaped_string(&mut self, start: usize) -> Decoded<String> {
        let mut owned = String::from(&self.text[start..self.at]);
        loop {
            match self.escape(start)? {
                Unescaped::Unit(unit) => owned.push(self.character(unit)?),
                Unescaped::Char(c) => owned.push(c),
            }
            let from = self.at;
            self.plain();
            owned.push_str(&self.text[from..self.at]);
            if self.byte() == Some(b'"') {
                self.at += 1;
                return Ok(owned);
            }
        }
    }

    /// Reads one escape inside the string that began before `start`.
    fn escape(&mut self, start: usize) -> Decoded<Unescaped> {
        match self.byte() {
            None => return Err(JsonError::new(start - 1, "this string has no end")),
            Some(b'\\') => (),
            Some(_) => return Err(JsonError::new(self.at, "a control character in a string must be escaped")),
        }
        let at = self.at;
        let char = match self.text.as_bytes().get(at + 1) {
            Some(&c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unit().map(Unescaped::Unit),
            Some(_) | None => {
                return Err(JsonError::new(at, r#"no such escape; JSON has \" \\ \/ \b \f \n \r \t \uXXXX"#));
            }
        };
        self.at += 2;
        Ok(Unescaped::Char(char))
    }

    /// Reads `\uXXXX`.
    fn unit(&mut self) -> Decoded<u16> {
        let digits = self.text.get(self.at + 2..self.at + 6).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|d| u16::from_str_radix(d, 16).ok()) else {
            return Err(JsonError::new(self.at, r"expected four hexadecimal digits after `\u`"));
        };
        self.at += 6;
        Ok(unit)
    }

    /// The character that begins with a UTF-16 unit. If it is a surrogate pair, reads the second unit.
    fn character(&mut self, first: u16) -> Decoded<char> {
        let at = self.at - 6;
        let mut units = SmallVec::<[u16; 2]>::from_slice(&[first]);
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            units.push(self.unit()?);
        }
        match char::decode_utf16(units.iter().copied()).next() {
            Some(Ok(c)) => Ok(c),
            Some(Err(_)) | None => Err(JsonError::new(at, "half of a surrogate pair is no character")),
        }
    }
}

enum Unescaped {
    Char(char),
    /// A UTF-16 code unit, possibly half of a surrogate pair.
    Unit(u16),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(text: &str) -> Result<String, (usize, String)> {
        let mut scanner = Scanner::new(text);
        let result = scanner.string().map(Cow::into_owned).map_err(|e| (e.offset, e.message.clone()));
        if result.is_ok() {
            scanner.end().unwrap();
        }
        result
    }

    #[test]
    fn strings_and_their_escapes() {
        for (text, value) in [
            (r#""""#, ""),
            (r#"  "plain é" "#, "plain é"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#""a\u0041b\u{e9}""#.replace(r"\u{e9}", "é").as_str(), "aAbé"),
            (r#""\ud83d\ude00\u0000""#, "😀\0"),
        ] {
            assert_eq!(strings(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn strings_that_are_none() {
        for (text, offset) in [
            ("5", 0),
            (r#""abc"#, 0),
            (r#""abc\"#, 4),
            (r#""\x41""#, 1),
            (r#""a\u00g0""#, 2),
            (r#""\u00"#, 1),
            (r#""\u00é00""#, 1),
            (r#""\ud800""#, 1),
            (r#""\ud800\u0041""#, 1),
            (r#""\udc00x""#, 1),
            ("\"a\nb\"", 2),
        ] {
            assert_eq!(strings(text).map_err(|e| e.0), Err(offset), "{text}");
        }
    }

    /// The first special octet is found in words of eight octets as it is octet by octet.
    #[test]
    fn special_octets_are_found_wherever_they_stand() {
        for special in (0..128u8).map(char::from).chain(['\u{80}', 'é', '\u{2028}', '😀']) {
            for length in 0..20 {
                for at in 0..length {
                    let text: String =
                        (0..length).map(|i| if i == at { special } else { 'x' }).chain(['!', '"']).collect();
                    let expected = text.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20);
                    assert_eq!(Some(Scanner::new(&text).plain()), expected, "{text:?}");
                }
            }
        }
    }
}
