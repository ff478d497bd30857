//! Strings in JSON: quotes, backslashes and control characters are escaped, all else is unchanged.
//!
//! ```
//! assert_eq!(mayhap::json::quoted("a \"é\"\n"), r#""a \"é\"\n""#);
//! ```

use std::fmt::Write;

/// `text` as a JSON string.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote(&mut out, text);
    out
}

/// Appends `text` as a JSON string.
pub fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20) {
        out.push_str(&rest[..at]);
        escape(out, rest.as_bytes()[at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// The length of the JSON string at the beginning of a text, with its quotes.
#[must_use]
pub fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

fn escape(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        // Writing into a string cannot fail.
        control => _ = write!(out, "\\u{control:04x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scanner;
    use super::*;

    #[test]
    fn what_is_quoted_reads_back() {
        let every: String = (0..0x250).chain(0x1f600..0x1f610).filter_map(char::from_u32).collect();
        assert_eq!(Scanner::new(&quoted(&every)).string().as_deref(), Ok(every.as_str()));
        assert_eq!(quoted("\0\u{1f}\\"), r#""\u0000\u001f\\""#);
    }
}
