//! The lexical level of JSON (RFC 8259), pulled token by token from a text, without building anything.
//!
//! Strings without escapes are borrowed; numbers are handed out as their digits, so that no size is too large; values
//! that nobody asked for are checked and skipped without recursion, so that no depth is too large.
//!
//! ```
//! use mayhap::json::Scanner;
//! let mut scanner = Scanner::new(r#""\u00e9" 12345678901234567890"#);
//! assert_eq!(scanner.string()?, "é");
//! assert_eq!(scanner.number()?, "12345678901234567890");
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

use super::JsonError;
use smallvec::SmallVec;
use std::borrow::Cow;

type Scanned<T> = Result<T, JsonError>;

/// A place in a JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Stands before the first byte of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// How many bytes have been read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// What has not been read yet.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next byte that is not white space, which is skipped; it stays unread.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.byte() {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Where the next byte that is not white space stands.
    pub(super) fn here(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Reads `byte` if it comes next.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads `text` if it comes next, byte for byte.
    #[inline]
    pub(crate) fn eat_text(&mut self, text: &str) -> bool {
        let is_next = self.text.as_bytes()[self.at..].starts_with(text.as_bytes());
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Reads the key `name` of an object and its colon if that comes next as it stands, without escapes or white space.
    #[inline]
    pub(super) fn eat_key(&mut self, name: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let inside = rest.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(name.as_bytes()));
        let is_next = inside.is_some_and(|rest| rest.starts_with(b"\":")) && Scanner::new(name).plain() == name.len();
        self.at += if is_next { name.len() + 3 } else { 0 };
        is_next
    }

    /// Reads one byte, ASCII punctuation.
    ///
    /// # Errors
    /// Something else comes next.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Scanned<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    /// Checks that nothing but white space is left.
    ///
    /// # Errors
    /// Something is left.
    pub fn end(&mut self) -> Scanned<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("the end")) }
    }

    /// The error that `what` was expected at this place.
    #[cold]
    #[must_use]
    pub fn expected(&mut self, what: &str) -> JsonError {
        let found = self.found();
        JsonError::new(self.at, format!("expected {what}, found {found}"))
    }

    /// What comes next, in words.
    #[must_use]
    pub fn found(&mut self) -> String {
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
    #[inline]
    pub fn literal(&mut self, word: &str) -> bool {
        self.peek();
        let rest = &self.text.as_bytes()[self.at..];
        let ends = |next: Option<&u8>| next.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let is_next = rest.starts_with(word.as_bytes()) && ends(rest.get(word.len()));
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Reads a string.
    ///
    /// # Errors
    /// No string comes next, or it is not closed, holds a control character, a wrong escape or half a surrogate pair.
    #[inline]
    pub fn string(&mut self) -> Scanned<Cow<'a, str>> {
        let start = self.open_string()?;
        let plain = self.plain();
        if self.byte() == Some(b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(&self.text[start..start + plain]));
        }
        self.escaped_string(start).map(Cow::Owned)
    }

    /// Reads a number and returns its text.
    ///
    /// # Errors
    /// No number comes next, or its form is not JSON's (`01`, `1.`, `+1`).
    #[inline]
    pub fn number(&mut self) -> Scanned<&'a str> {
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

    /// Reads a whole number of up to 18 digits; everything else, wrong forms included, is left to [`Scanner::number`].
    #[inline]
    pub(super) fn small_number(&mut self) -> Option<i64> {
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

    /// Checks the next value, whatever it is, and returns its text.
    ///
    /// # Errors
    /// The text is not JSON there.
    #[inline]
    pub fn skip(&mut self) -> Scanned<&'a str> {
        if let Some(b'{' | b'[') = self.peek() {
            return self.skip_tree();
        }
        let start = self.at;
        self.skip_scalar()?;
        Ok(&self.text[start..self.at])
    }

    fn skip_tree(&mut self) -> Scanned<&'a str> {
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

    /// Goes into the value that comes next: the bracket that will close it, or nothing where it is over already.
    #[inline]
    fn enter(&mut self) -> Scanned<Option<u8>> {
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

    /// Goes out of what ends behind a value: true where that was everything, false where another value follows.
    #[inline]
    fn leave(&mut self, closers: &mut SmallVec<[u8; 32]>) -> Scanned<bool> {
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

    fn skip_key(&mut self, closer: u8) -> Scanned<()> {
        if closer == b']' {
            return Ok(());
        }
        self.skip_string("a key in double quotes")?;
        self.expect(b':')
    }

    #[inline]
    fn skip_scalar(&mut self) -> Scanned<()> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number().map(|_| ()),
            Some(b'"') => self.skip_string("a string"),
            _ if self.literal("null") || self.literal("true") || self.literal("false") => Ok(()),
            _ => Err(self.expected("a value")),
        }
    }

    fn skip_string(&mut self, what: &str) -> Scanned<()> {
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

    fn open_string(&mut self) -> Scanned<usize> {
        if !self.eat(b'"') {
            return Err(self.expected("a string"));
        }
        Ok(self.at)
    }

    /// Reads what needs no attention inside a string; how many bytes that were.
    #[inline]
    fn plain(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let (words, few) = rest.as_chunks::<8>();
        let told = words.iter().map(|word| special(u64::from_le_bytes(*word)));
        let plain = match told.enumerate().find(|(_, found)| *found != 0) {
            Some((word, found)) => word * 8 + found.trailing_zeros() as usize / 8,
            None => {
                let is_special = |&b: &u8| b == b'"' || b == b'\\' || b < 0x20;
                words.len() * 8 + few.iter().position(is_special).unwrap_or(few.len())
            }
        };
        self.at += plain;
        plain
    }

    #[cold]
    fn escaped_string(&mut self, start: usize) -> Scanned<String> {
        let mut owned = String::from(&self.text[start..self.at]);
        loop {
            match self.escape(start)? {
                Escape::Unit(unit) => owned.push(self.character(unit)?),
                Escape::Char(c) => owned.push(c),
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
    fn escape(&mut self, start: usize) -> Scanned<Escape> {
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
            Some(b'u') => return self.unit().map(Escape::Unit),
            Some(_) | None => {
                return Err(JsonError::new(at, r#"no such escape; JSON has \" \\ \/ \b \f \n \r \t \uXXXX"#));
            }
        };
        self.at += 2;
        Ok(Escape::Char(char))
    }

    /// Reads `\uXXXX`.
    fn unit(&mut self) -> Scanned<u16> {
        let digits = self.text.get(self.at + 2..self.at + 6).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|d| u16::from_str_radix(d, 16).ok()) else {
            return Err(JsonError::new(self.at, r"expected four hexadecimal digits after `\u`"));
        };
        self.at += 6;
        Ok(unit)
    }

    /// The character that begins with a UTF-16 unit, whose second half (if it needs one) comes next.
    fn character(&mut self, first: u16) -> Scanned<char> {
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

    fn fraction_and_exponent(&mut self) -> Scanned<()> {
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

    fn some_digits(&mut self) -> Scanned<()> {
        if self.digits() == 0 { Err(JsonError::new(self.at, "expected a digit")) } else { Ok(()) }
    }

    #[inline]
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

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// The lowest bit that is set is in the first octet of a word that needs attention inside a string: a quote, a backslash, a
/// control character; none is set where no octet does. (Subtracting borrows from higher octets only, so what is found behind
/// the first one means nothing.)
#[inline]
fn special(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let is = |octet: u8| below(word ^ (ONES * u64::from(octet)), 1);
    below(word, 0x20) | is(b'"') | is(b'\\')
}

enum Escape {
    Char(char),
    /// A UTF-16 code unit, perhaps half of a character.
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

    /// Eight octets at a time, the first that needs attention is found as one by one.
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
