//! JSON as a tree in which paths are looked up, as scripts refer to parts of messages.
//!
//! ```
//! use mayhap::script::JsonTree;
//! let tree = JsonTree::read(r#"{"Ok": [1, {"b": null}]}"#)?;
//! assert_eq!(tree.member("Ok").map(JsonTree::text).as_deref(), Some(r#"[1, {"b": null}]"#));
//! # Ok::<(), mayhap::json::JsonError>(())
//! ```

use crate::json::{Decoded, JsonError, MAX_DEPTH, Scanner, quoted};

/// A JSON value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JsonTree {
    /// A string, a number, a truth value or null, as it is written.
    Leaf(String),
    /// An array.
    Array(Vec<JsonTree>),
    /// An object.
    Object(Vec<(String, JsonTree)>),
}

impl JsonTree {
    /// Reads a JSON value.
    ///
    /// # Errors
    /// The text is no JSON, or is nested more deeply than [`MAX_DEPTH`].
    pub fn read(text: &str) -> Decoded<JsonTree> {
        let mut scanner = Scanner::new(text);
        let tree = next(&mut scanner, 0)?;
        scanner.end()?;
        Ok(tree)
    }

    /// The value as JSON on one line.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            JsonTree::Leaf(text) => out.push_str(text),
            JsonTree::Array(elements) => {
                out.push('[');
                for (index, element) in elements.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    element.write(out);
                }
                out.push(']');
            }
            JsonTree::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    out.push_str(&quoted(name));
                    out.push_str(": ");
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// The member with this name, if the value is an object that has one.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&JsonTree> {
        match self {
            JsonTree::Object(members) => members.iter().find(|(own, _)| own == name).map(|(_, value)| value),
            JsonTree::Leaf(_) | JsonTree::Array(_) => None,
        }
    }

    /// The elements, if the value is an array.
    #[must_use]
    pub fn elements(&self) -> Option<&[JsonTree]> {
        match self {
            JsonTree::Array(elements) => Some(elements),
            JsonTree::Leaf(_) | JsonTree::Object(_) => None,
        }
    }
}

fn next(scanner: &mut Scanner<'_>, depth: usize) -> Decoded<JsonTree> {
    if depth > MAX_DEPTH {
        return Err(JsonError::new(scanner.offset(), format!("nested more deeply than {MAX_DEPTH} levels")));
    }
    match scanner.peek() {
        Some(b'[') => {
            let mut elements = Vec::new();
            scanner.several(b'[', b']', |scanner| {
                elements.push(next(scanner, depth + 1)?);
                Ok(())
            })?;
            Ok(JsonTree::Array(elements))
        }
        Some(b'{') => {
            let mut members = Vec::new();
            scanner.several(b'{', b'}', |scanner| {
                let name = scanner.string()?.into_owned();
                scanner.expect(b':')?;
                members.push((name, next(scanner, depth + 1)?));
                Ok(())
            })?;
            Ok(JsonTree::Object(members))
        }
        _ => scanner.skip().map(|text| JsonTree::Leaf(text.to_owned())),
    }
}
