//! Marks: objects that stand for a value instead of being one. `{"$any": null}` is a hole, `{"$lit": v}` is the value v itself.
//!
//! `{"$ref": "4@Ok@tag", "was": v}` is a reference to a part of an earlier message; this part had the value v in the recording (see
//! `script`).

use super::Scanner;
use std::borrow::Cow;
use std::ops::Range;

/// An object that stands for a value instead of being one.
pub(super) enum Marked<'a> {
    /// A hole `{"$any": null}`, which has been read.
    Hole,
    /// A literal `{"$lit": v}`, of which everything before `v` has been read.
    Literal,
    /// A reference `{"$ref": …, "was": v}`, which has been read; the scanner is before `v`.
    Reference(Scanner<'a>),
}

/// Reads `{"$any": null}`, a reference, or the beginning of `{"$lit": v}`, if one of them comes next.
pub(super) fn mark<'a>(scanner: &mut Scanner<'a>) -> Option<Marked<'a>> {
    let may_be =
        scanner.peek() == Some(b'{') && !matches!(scanner.rest().as_bytes(), [_, b'"', first, ..] if *first != b'$');
    if may_be { mark_in_object(scanner) } else { None }
}

fn mark_in_object<'a>(scanner: &mut Scanner<'a>) -> Option<Marked<'a>> {
    let mut ahead = *scanner;
    if !ahead.eat(b'{') || ahead.peek() != Some(b'"') || !ahead.rest().starts_with("\"$") {
        return None;
    }
    let key = ahead.string().ok().filter(|_| ahead.eat(b':'))?;
    let inside = ahead;
    let value = ahead.skip().ok()?;
    if key == "$ref" {
        let was = members_of_reference(value, &mut ahead)?;
        *scanner = ahead;
        return Some(Marked::Reference(was));
    }
    if !ahead.eat(b'}') {
        return None;
    }
    match (key.as_ref(), value) {
        ("$any", "null") => {
            *scanner = ahead;
            Some(Marked::Hole)
        }
        ("$lit", _) => {
            *scanner = inside;
            Some(Marked::Literal)
        }
        _ => None,
    }
}

/// Reads the rest of a reference after its path: `was`, and `via` and `plus` if they are there; returns the place of the value of `was`.
fn members_of_reference<'a>(path: &str, scanner: &mut Scanner<'a>) -> Option<Scanner<'a>> {
    let (mut was, mut via, mut plus) = (None, None, None);
    while scanner.eat(b',') {
        let key = scanner.string().ok().filter(|_| scanner.eat(b':'))?;
        let place = *scanner;
        let value = scanner.skip().ok()?;
        let is_new = match key.as_ref() {
            "was" => was.replace(place).is_none(),
            "via" => value.starts_with('"') && via.replace(place).is_none(),
            "plus" => value.parse::<i64>().is_ok() && plus.replace(place).is_none(),
            _ => false,
        };
        if !is_new {
            return None;
        }
    }
    was.filter(|_| path.starts_with('"') && scanner.eat(b'}'))
}

/// A reference in a recorded text: `{"$ref": …, "was": …, "via": …, "plus": …}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedReference<'a> {
    /// The range of its octets in the text.
    pub range: Range<usize>,
    /// The path that it refers to.
    pub to: Cow<'a, str>,
    /// The name of the function that is applied to the referenced value.
    pub via: Option<Cow<'a, str>>,
    /// The number that is added to the referenced value.
    pub plus: i64,
}

/// The references in a JSON text, from left to right, except those inside of a literal or of another reference.
#[must_use]
pub fn references(text: &str) -> Vec<RecordedReference<'_>> {
    let (mut found, mut scanner) = (Vec::new(), Scanner::new(text));
    while let Some(byte) = scanner.peek() {
        let begin = scanner.offset();
        let skipped = match (byte, mark(&mut scanner)) {
            (_, Some(Marked::Reference(_))) => {
                let range = begin..scanner.offset();
                found.extend(reference(text, range));
                continue;
            }
            (_, Some(Marked::Literal)) => scanner.skip().is_ok(),
            (b'"', _) => scanner.string().is_ok(),
            _ => false,
        };
        if !skipped {
            let length = scanner.rest().chars().next().map_or(1, char::len_utf8);
            scanner.at += length;
        }
    }
    found
}

fn reference(text: &str, range: Range<usize>) -> Option<RecordedReference<'_>> {
    let mut scanner = Scanner { text, at: range.start };
    let (mut to, mut via, mut plus) = (None, None, 0);
    let mut open = b'{';
    while scanner.eat(open) {
        let key = scanner.string().ok().filter(|_| scanner.eat(b':'))?;
        match key.as_ref() {
            "$ref" => to = scanner.string().ok(),
            "via" => via = scanner.string().ok(),
            "plus" => plus = scanner.skip().ok()?.parse().ok()?,
            _ => _ = scanner.skip().ok()?,
        }
        open = b',';
    }
    Some(RecordedReference { range, to: to?, via, plus })
}
