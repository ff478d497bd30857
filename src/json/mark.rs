//! Objects that are no values but say something about one: `{"$any": null}` is a hole, `{"$lit": v}` is v as it stands.

use super::Scanner;

/// An object that is not a value but says something about one.
pub(super) enum Marked {
    /// `{"$any": null}`, which has been read.
    Hole,
    /// `{"$lit": v}`, of which everything before `v` has been read.
    Literal,
}

/// Reads `{"$any": null}`, or the beginning of `{"$lit": v}`, if that comes next.
pub(super) fn mark(scanner: &mut Scanner<'_>) -> Option<Marked> {
    let may_be =
        scanner.peek() == Some(b'{') && !matches!(scanner.rest().as_bytes(), [_, b'"', first, ..] if *first != b'$');
    if may_be { mark_in_object(scanner) } else { None }
}

fn mark_in_object(scanner: &mut Scanner<'_>) -> Option<Marked> {
    let mut ahead = *scanner;
    if !ahead.eat(b'{') || ahead.peek() != Some(b'"') || !ahead.rest().starts_with("\"$") {
        return None;
    }
    let key = ahead.string().ok().filter(|_| ahead.eat(b':'))?;
    let inside = ahead;
    let value = ahead.skip().ok().filter(|_| ahead.eat(b'}'))?;
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
