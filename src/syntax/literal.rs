//! String literals: JSON's escapes, and `\xNN` for single octets.
//!
//! `"a\u00e9\xff"` is the octets `61 c3 a9 ff`, and since `\x` occurs it can only be of type `bytes`.

use super::ast::TextLiteral;

/// Something wrong inside a literal: a byte range relative to its opening quote, and what is wrong there.
pub(super) struct Flaw {
    pub start: usize,
    pub end: usize,
    pub message: &'static str,
}

/// Reads a literal as it was written, quotes included (the closing one may be missing). What is flawed is left out.
pub(super) fn decode(written: &str) -> (TextLiteral, Vec<Flaw>) {
    let inner = written.strip_prefix('"').unwrap_or(written);
    let mut decoder =
        Decoder { text: inner, at: 0, octets: Vec::with_capacity(inner.len()), escapes_octets: false, flaws: vec![] };
    decoder.run();
    let literal = TextLiteral { octets: decoder.octets, escapes_octets: decoder.escapes_octets };
    (literal, decoder.flaws)
}

struct Decoder<'t> {
    text: &'t str,
    at: usize,
    octets: Vec<u8>,
    escapes_octets: bool,
    flaws: Vec<Flaw>,
}

impl Decoder<'_> {
    fn run(&mut self) {
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                '"' => return,
                '\\' => self.escape(),
                c if c < ' ' => {
                    self.flaw(1, "a control character in a string must be an escape, such as `\\t` or `\\u0001`")
                }
                c => self.push(c, c.len_utf8()),
            }
        }
    }

    fn push(&mut self, c: char, written: usize) {
        self.octets.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        self.at += written;
    }

    fn flaw(&mut self, written: usize, message: &'static str) {
        let start = self.at + 1;
        self.flaws.push(Flaw { start, end: start + written, message });
        self.at += written;
    }

    fn escape(&mut self) {
        let Some(c) = self.text[self.at + 1..].chars().next() else {
            return self.flaw(1, "expected an escape after `\\`");
        };
        match c {
            '"' | '\\' | '/' => self.push(c, 2),
            'b' => self.push('\u{8}', 2),
            'f' => self.push('\u{c}', 2),
            'n' => self.push('\n', 2),
            'r' => self.push('\r', 2),
            't' => self.push('\t', 2),
            'u' => self.unicode(),
            'x' => self.octet(),
            c => self.flaw(
                1 + c.len_utf8(),
                "unknown escape: use \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX, or \\xNN in bytes",
            ),
        }
    }

    fn octet(&mut self) {
        match self.hex(self.at + 2, 2) {
            Some(octet) => {
                self.octets.push(octet as u8);
                self.escapes_octets = true;
                self.at += 4;
            }
            None => self.flaw(2, "expected two hexadecimal digits after `\\x`"),
        }
    }

    fn unicode(&mut self) {
        let Some(unit) = self.hex(self.at + 2, 4) else {
            return self.flaw(2, "expected four hexadecimal digits after `\\u`");
        };
        if let Some(c) = char::from_u32(unit) {
            return self.push(c, 6);
        }
        match self.low_surrogate().and_then(|low| pair(unit, low)) {
            Some(c) => self.push(c, 12),
            None => self.flaw(6, "unpaired surrogate: expected \\uD800–\\uDBFF and then \\uDC00–\\uDFFF"),
        }
    }

    fn low_surrogate(&self) -> Option<u32> {
        let next = self.text.get(self.at + 6..self.at + 8)?;
        if next == "\\u" { self.hex(self.at + 8, 4) } else { None }
    }

    fn hex(&self, at: usize, digits: usize) -> Option<u32> {
        let digits = self.text.get(at..at + digits)?;
        if digits.bytes().all(|b| b.is_ascii_hexdigit()) { u32::from_str_radix(digits, 16).ok() } else { None }
    }
}

fn pair(high: u32, low: u32) -> Option<char> {
    let fits = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    if fits { char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)) } else { None }
}

/// Writes a literal, quotes included, such that [`decode`] gives it back.
pub(super) fn encode(literal: &TextLiteral) -> String {
    let mut out = String::from("\"");
    for chunk in literal.octets.utf8_chunks() {
        chunk.valid().chars().for_each(|c| encode_char(c, &mut out));
        chunk.invalid().iter().for_each(|octet| out.push_str(&format!("\\x{octet:02x}")));
    }
    if literal.escapes_octets && !out.contains("\\x") {
        out = literal.octets.iter().map(|octet| format!("\\x{octet:02x}")).collect::<String>();
        out.insert(0, '"');
    }
    out.push('"');
    out
}

fn encode_char(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
        c => out.push(c),
    }
}
