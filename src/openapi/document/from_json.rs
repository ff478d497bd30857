//! Parsing of JSON into trees with places.
//!
//! For example `{"a": [1]}` is an object whose member `a` is a list.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::diagnostic::{Diagnostic, FileId, Span};
use crate::json::{Decoded, JsonError, Scanner};

use super::tree::{Described, MAX_LEVELS, ScalarText, Tree, TreeKind, TreeMember};

/// Parses a JSON text into a tree.
///
/// # Errors
/// The text is not JSON.
pub fn tree_of_json(text: &str, file: FileId) -> Described<Rc<Tree>> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let reader = JsonTrees { file, before: mark };
    let mut scanner = Scanner::new(&text[mark..]);
    let read = reader.value(&mut scanner, 0).and_then(|tree| scanner.end().map(|()| tree));
    read.map_err(|error| {
        let span = reader.span(error.offset, error.offset + 1);
        Box::new(Diagnostic::error(span, "this is no JSON").label(error.to_string()))
    })
}

/// A builder of trees, whose places are in one file.
struct JsonTrees {
    file: FileId,
    /// The number of bytes of the byte order mark before the text.
    before: usize,
}

impl JsonTrees {
    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: (self.before + start) as u32, end: (self.before + end) as u32 }
    }

    fn value(&self, scanner: &mut Scanner<'_>, level: usize) -> Decoded<Rc<Tree>> {
        let next = scanner.peek();
        let start = scanner.offset();
        if level > MAX_LEVELS {
            return Err(JsonError::new(start, format!("this is nested more than {MAX_LEVELS} levels deep")));
        }
        let kind = match next {
            Some(b'{') => self.object(scanner, level)?,
            Some(b'[') => {
                let mut elements = Vec::new();
                scanner.several(b'[', b']', |scanner| {
                    elements.push(self.value(scanner, level + 1)?);
                    Ok(())
                })?;
                TreeKind::List(elements)
            }
            Some(b'"') => TreeKind::Scalar(ScalarText { text: scanner.string()?.into_owned(), is_quoted: true }),
            _ => TreeKind::Scalar(ScalarText { text: scanner.skip()?.to_owned(), is_quoted: false }),
        };
        // A report on an object or a list points to its beginning only.
        let end = if matches!(kind, TreeKind::Scalar(_)) { scanner.offset() } else { start + 1 };
        Ok(Rc::new(Tree { kind, span: self.span(start, end) }))
    }

    fn object(&self, scanner: &mut Scanner<'_>, level: usize) -> Decoded<TreeKind> {
        let (mut members, mut known) = (Vec::new(), FxHashSet::default());
        scanner.several(b'{', b'}', |scanner| {
            if scanner.peek() != Some(b'"') {
                return Err(scanner.expected("a key in double quotes"));
            }
            let start = scanner.offset();
            let key = scanner.string()?.into_owned();
            let span = self.span(start, scanner.offset());
            scanner.expect(b':')?;
            if !known.insert(key.clone()) {
                return Err(JsonError::new(
                    start,
                    format!("a second member `{key}`, expected each key once in an object"),
                ));
            }
            members.push(TreeMember { key, span, value: self.value(scanner, level + 1)? });
            Ok(())
        })?;
        Ok(TreeKind::Object(members))
    }
}
