//! The members of a JSON object, each with the text of its value.

use std::borrow::Cow;

use super::{Decoded, Scanner};

/// Reads a text that is one object: its keys, each with the text of its value.
///
/// ```
/// let members = mayhap::json::members(r#"{"a": [1, 2], "b": null}"#)?;
/// assert_eq!(members, [("a".into(), "[1, 2]"), ("b".into(), "null")]);
/// # Ok::<(), mayhap::json::JsonError>(())
/// ```
///
/// # Errors
/// The text is not a JSON object.
pub fn members(text: &str) -> Decoded<Vec<(Cow<'_, str>, &str)>> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    scanner.expect(b'{')?;
    if !scanner.eat(b'}') {
        loop {
            let key = scanner.string()?;
            scanner.expect(b':')?;
            found.push((key, scanner.skip()?));
            if !scanner.eat(b',') {
                break;
            }
        }
        scanner.expect(b'}')?;
    }
    scanner.end()?;
    Ok(found)
}
