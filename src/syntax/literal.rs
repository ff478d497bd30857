//! String literals: the escapes of JSON, and `\xNN` for single octets.
//!
//! `"a\u00e9\xff"` is the octets `61 c3 a9 ff`; since `\x` occurs, it can only have the type `bytes`.

use std::ops::Range;
use std::str::Utf8Chunk;

use super::ast::TextLiteral;

/// An error inside a literal: a byte range relative to its opening quote, and a message.
pub(super) struct Flaw {
    pub start: usize,
    pub end: usize,
    pub message: &'static str,
}

/// One unit of the decoded literal.
enum CodeUnit {
    Char(char),
    Octet(u8),
}

/// Decodes a literal as it is written, with its quotes (the closing one may be missing). Flawed parts are left out.
pub(super) fn decode(written: &str) -> (TextLiteral, Vec<Flaw>) {
    let mut literal = TextLiteral { octets: Vec::with_capacity(written.len()), escapes_octets: false };
    let (mut at, mut flaws) = (1, Vec::new());
    while let Some(c) = written.get(at..).and_then(|rest| rest.chars().next()).filter(|c| *c != '"') {
        let (length, unit) = match c {
            '\\' => escape(&written[at..]),
            c if c < ' ' => (1, Err("a control character in a string must be an escape, such as `\\t` or `\\u0001`")),
            c => (c.len_utf8(), Ok(CodeUnit::Char(c))),
        };
        match unit {
            Ok(CodeUnit::Char(c)) => literal.octets.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Ok(CodeUnit::Octet(octet)) => {
                literal.octets.push(octet);
                literal.escapes_octets = true;
            }
            Err(message) => flaws.push(Flaw { start: at, end: at + length, message }),
        }
        at += length;
    }
    (literal, flaws)
}

/// Decodes the escape at the beginning of a text; returns the number of its bytes, and its unit or an error.
fn escape(text: &str) -> (usize, Result<CodeUnit, &'static str>) {
    let Some(c) = text[1..].chars().next() else { return (1, Err("expected an escape after `\\`")) };
    let meant = match c {
        '"' | '\\' | '/' => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(text),
        'x' => {
            let octet = hex(text, 2..4).ok_or("expected two hexadecimal digits after `\\x`");
            return (if octet.is_ok() { 4 } else { 2 }, octet.map(|octet| CodeUnit::Octet(octet as u8)));
        }
        c => {
            let message = "unknown escape: use \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX, or \\xNN in bytes";
            return (1 + c.len_utf8(), Err(message));
        }
    };
    (2, Ok(CodeUnit::Char(meant)))
}

/// Decodes `\uXXXX`, or two of them that form a surrogate pair.
fn unicode(text: &str) -> (usize, Result<CodeUnit, &'static str>) {
    let Some(unit) = hex(text, 2..6) else { return (2, Err("expected four hexadecimal digits after `\\u`")) };
    if let Some(c) = char::from_u32(unit) {
        return (6, Ok(CodeUnit::Char(c)));
    }
    let low = text.get(6..8).filter(|next| *next == "\\u").and_then(|_| hex(text, 8..12));
    match low.and_then(|low| char::decode_utf16([unit as u16, low as u16]).next()) {
        Some(Ok(c)) => (12, Ok(CodeUnit::Char(c))),
        _ => (6, Err("unpaired surrogate: expected \\uD800–\\uDBFF and then \\uDC00–\\uDFFF")),
    }
}

fn hex(text: &str, digits: Range<usize>) -> Option<u32> {
    let digits = text.get(digits)?;
    if digits.bytes().all(|b| b.is_ascii_hexdigit()) { u32::from_str_radix(digits, 16).ok() } else { None }
}

/// Encodes a literal with its quotes, such that [`decode`] returns it.
pub(super) fn encode(literal: &TextLiteral) -> String {
    let escaped = |octets: &[u8]| octets.iter().map(|octet| format!("\\x{octet:02x}")).collect::<String>();
    let chunk =
        |chunk: Utf8Chunk<'_>| chunk.valid().chars().map(encode_char).collect::<String>() + &escaped(chunk.invalid());
    let mut text: String = literal.octets.utf8_chunks().map(chunk).collect();
    if literal.escapes_octets && !text.contains("\\x") {
        text = escaped(&literal.octets);
    }
    format!("\"{text}\"")
}

fn encode_char(c: char) -> String {
    match c {
        '"' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c if c.is_control() => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    }
}
