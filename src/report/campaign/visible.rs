//! A harmless form of the text that a system sent, on one line: `a\u{1b}[31mb` is shown as `ab`, and the end of a line as `\n`.

/// The text without colours. Other characters that would act on a terminal, or hide text, are escaped.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = after_colour(rest).unwrap_or_else(|| {
            match c {
                '\t' => out.push_str("    "),
                c if c.is_control() || is_direction(c) => out.extend(c.escape_default()),
                c => out.push(c),
            }
            &rest[c.len_utf8()..]
        });
    }
    out
}

/// The text after an escape sequence of a terminal: `ESC [`, parameters, a letter.
fn after_colour(text: &str) -> Option<&str> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    parameters[end..].strip_prefix(|c: char| c.is_ascii_alphabetic())
}

/// Tests whether a character changes the direction of the text around it, or ends a line.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts() {
        let cases = [
            ("\u{1b}[1;31mred\u{1b}[0m é…", "red é…"),
            ("a\r\nb\tc", "a\\r\\nb    c"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{1b}[", "\\u{1b}["),
            ("\u{202e}x", "\\u{202e}x"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }
}
