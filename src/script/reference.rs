//! References as text, and their evaluation, which is loose: a script keeps its meaning if steps are left out.
//!
//! If an element is missing, or the rest of the path fails in it, the other elements are tried. If a message is missing, or the
//! path fails in it, the other messages are tried.
//!
//! ```
//! use mayhap::script::{JsonTree, Reference, evaluated};
//! let messages = [(2, JsonTree::read(r#"[{"foo": 21}, {"bar": 22}]"#)?)];
//! let reference = Reference::read("6#2@foo").unwrap();
//! assert_eq!(evaluated(&reference, &messages).map(JsonTree::text).as_deref(), Some("21"));
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

use std::fmt;

use super::{JsonTree, PathStep, Reference};
use crate::json::{Scanner, quoted};

impl Reference {
    /// Reads a reference: `4@Ok@tag#2`. Names with other characters than letters, digits, `_` and `-` are in quotes, as in JSON.
    #[must_use]
    pub fn read(text: &str) -> Option<Reference> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let label = text[..digits].parse().ok()?;
        Some(Reference { label, path: read_path(&text[digits..])?, via: None, plus: 0 })
    }
}

impl Reference {
    /// The reference for people, with the number that is added: `4@Ok@modified + 1`.
    #[must_use]
    pub fn said(&self) -> String {
        match self.plus {
            0 => self.to_string(),
            plus => format!("{self} {} {}", if plus < 0 { '-' } else { '+' }, plus.unsigned_abs()),
        }
    }
}

/// Reads a path: `@Ok#2`; it may begin with `this`.
#[must_use]
pub fn read_path(text: &str) -> Option<Vec<PathStep>> {
    let mut rest = text.strip_prefix("this").unwrap_or(text);
    let mut path = Vec::new();
    while let Some(sign) = rest.chars().next() {
        rest = &rest[sign.len_utf8()..];
        let (step, length) = match sign {
            '@' if rest.starts_with('"') => {
                let mut scanner = Scanner::new(rest);
                let name = scanner.string().ok()?.into_owned();
                (PathStep::Field(name), scanner.offset())
            }
            '@' => {
                let length = rest.find(|sign: char| !is_plain(sign)).unwrap_or(rest.len());
                (PathStep::Field(Some(&rest[..length]).filter(|name| !name.is_empty())?.to_owned()), length)
            }
            '#' => {
                let length = rest.bytes().take_while(u8::is_ascii_digit).count();
                (PathStep::Element(rest[..length].parse().ok().filter(|number| *number > 0)?), length)
            }
            _ => return None,
        };
        path.push(step);
        rest = &rest[length..];
    }
    Some(path)
}

/// Tests whether a character of a name needs no quotes.
fn is_plain(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '-'
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathStep::Field(name) if !name.is_empty() && name.chars().all(is_plain) => write!(f, "@{name}"),
            PathStep::Field(name) => write!(f, "@{}", quoted(name)),
            PathStep::Element(number) => write!(f, "#{number}"),
        }
    }
}

/// Writes the label and the path, without the function and the number that is added.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.label)?;
        self.path.iter().try_for_each(|step| step.fmt(f))
    }
}

/// The part that a reference stands for, among labelled messages in the order of a trace, without its function applied.
#[must_use]
pub fn evaluated<'m>(reference: &Reference, messages: &'m [(u64, JsonTree)]) -> Option<&'m JsonTree> {
    let own = messages.iter().filter(|(label, _)| *label == reference.label);
    let others = messages.iter().filter(|(label, _)| *label != reference.label);
    own.chain(others).find_map(|(_, message)| first_part(message, &reference.path, &mut Some))
}

/// The first result of `accept` on the parts of a value that a path may stand for. Other elements are tried after the named one.
pub(super) fn first_part<'m, T>(
    value: &'m JsonTree,
    path: &[PathStep],
    accept: &mut dyn FnMut(&'m JsonTree) -> Option<T>,
) -> Option<T> {
    let Some((step, rest)) = path.split_first() else { return accept(value) };
    match step {
        PathStep::Field(name) => first_part(value.member(name)?, rest, accept),
        PathStep::Element(number) => {
            let elements = value.elements()?;
            let meant = number.checked_sub(1).filter(|at| *at < elements.len());
            let others = (0..elements.len()).filter(|at| Some(*at) != meant);
            meant.into_iter().chain(others).find_map(|at| first_part(&elements[at], rest, accept))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const J2: &str = r#"[{"foo": 21}, {"bar": 22}]"#;
    const J3: &str = r#"[{"bar": 31}, {"baz": 32}, {"foo": 33}]"#;
    const Q1: &str = r#"{"q": [1, 2]}"#;
    const Q2: &str = "\"Read\"";

    fn tree(text: &str) -> JsonTree {
        JsonTree::read(text).unwrap()
    }

    #[test]
    fn elements_that_are_not_there_are_others() {
        for (path, value, part) in [
            ("this#3@\"bar\"", J2, Some("22")),
            ("this#3@\"bar\"", J3, Some("31")),
            ("this#3@bar", J3, Some("31")),
            ("this#2", J3, Some(r#"{"baz": 32}"#)),
            ("this", "5", Some("5")),
            ("#1#2@a", r#"[[{"b": 1}], [{"b": 2}, {"a": 3}]]"#, Some("3")),
            ("#2#1", "[[1], []]", Some("1")),
            ("@foo", J2, None),
            ("#1", "[]", None),
            ("#1@foo", "{}", None),
            ("@foo", "[1]", None),
        ] {
            let found = first_part(&tree(value), &read_path(path).unwrap(), &mut |part| Some(part.text()));
            assert_eq!(found.as_deref(), part, "{path} of {value}");
        }
    }

    #[test]
    fn messages_that_are_not_there_are_others() {
        type LabelledTexts<'t> = &'t [(u64, &'t str)];
        let traces: [(LabelledTexts<'_>, Option<&str>); 4] = [
            (&[(1, Q1), (2, J2), (5, Q2)], Some("21")),
            (&[(3, Q1), (4, J3), (5, Q2), (6, r#"{"an": "object"}"#)], Some("33")),
            (&[(4, J2), (6, J3)], Some("33")),
            (&[(1, Q1), (5, Q2)], None),
        ];
        for (trace, part) in traces {
            let messages: Vec<_> = trace.iter().map(|(label, text)| (*label, tree(text))).collect();
            let found = evaluated(&Reference::read("6#2@foo").unwrap(), &messages);
            assert_eq!(found.map(JsonTree::text).as_deref(), part, "{trace:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["4", "4@Ok@tag", "12#1#20@a-b_c", "3@\"a b\"#7", "3@\"@#\\\"\"", "4@é"] {
            assert_eq!(Reference::read(text).map(|read| read.to_string()).as_deref(), Some(text));
        }
        for text in ["", "@Ok", "4Ok", "4@", "4#", "4#0", "4#x", "4@\"a", "4@a b", "-4", "99999999999999999999@a"] {
            assert_eq!(Reference::read(text), None, "{text}");
        }
    }
}
