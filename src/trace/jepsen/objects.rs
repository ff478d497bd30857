//! Operations as JSON objects: `{"type": "invoke", "f": "read", "process": 0, "value": null}`.
//!
//! An object is converted to the operation's form in EDN; the names of its keys become strings.

use super::edn::{Edn, EdnForm, number};
use crate::json::{Decoded, JsonError, MAX_DEPTH, Scanner};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A key and a value.
pub(super) type ObjectField<'a> = (EdnForm<'a>, EdnForm<'a>);

/// The fields of the object at the beginning of a text, and the length of the object. The place of an error is in the text.
pub(super) fn fields(text: &str) -> Decoded<(Vec<ObjectField<'_>>, usize)> {
    let mut scanner = Scanner::new(text);
    let mut fields = Vec::new();
    let read = scanner.several(b'{', b'}', |scanner| {
        let (key, value) = (key(scanner)?, value(scanner, 1)?);
        fields.push((key, value));
        Ok(())
    });
    // If the object is incomplete, the error is at the end of the text, so that it is read again with more.
    let read = read.map_err(|error| if is_whole(text) { error } else { JsonError::new(text.len(), error.to_string()) });
    read.map(|()| (fields, scanner.offset()))
}

/// Tests whether the brackets at the beginning of a text are closed in it.
fn is_whole(text: &str) -> bool {
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    text.bytes().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' | b'[' if !is_string => depth += 1,
            b'}' | b']' if !is_string => depth = depth.saturating_sub(1),
            _ => return false,
        }
        depth == 0
    })
}

fn key<'a>(scanner: &mut Scanner<'a>) -> Decoded<EdnForm<'a>> {
    scanner.peek();
    let offset = scanner.offset();
    let value = Edn::Str(Cow::Owned(scanner.string()?.into_owned()));
    scanner.expect(b':')?;
    Ok(EdnForm { value, offset })
}

fn value<'a>(scanner: &mut Scanner<'a>, depth: usize) -> Decoded<EdnForm<'a>> {
    let next = scanner.peek();
    let offset = scanner.offset();
    if depth > MAX_DEPTH {
        return Err(JsonError::new(offset, format!("nested more deeply than {MAX_DEPTH} levels")));
    }
    let value = match next {
        Some(b'[') => {
            let mut elements = Vec::new();
            scanner.several(b'[', b']', |scanner| {
                elements.push(self::value(scanner, depth + 1)?.value);
                Ok(())
            })?;
            Edn::Vector(elements)
        }
        Some(b'{') => {
            let mut entries = BTreeMap::new();
            scanner.several(b'{', b'}', |scanner| {
                let (key, value) = (key(scanner)?, self::value(scanner, depth + 1)?);
                match entries.insert(key.value, value.value) {
                    None => Ok(()),
                    Some(_) => Err(JsonError::new(key.offset, "a key stands twice in this object")),
                }
            })?;
            Edn::Map(entries)
        }
        Some(b'"') => Edn::Str(Cow::Owned(scanner.string()?.into_owned())),
        _ if scanner.literal("null") => Edn::Nil,
        _ if scanner.literal("true") => Edn::Bool(true),
        _ if scanner.literal("false") => Edn::Bool(false),
        _ => {
            let digits = scanner.number()?;
            number(digits).ok_or_else(|| JsonError::new(offset, "expected a number"))?
        }
    };
    Ok(EdnForm { value, offset })
}
