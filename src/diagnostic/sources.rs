//! The texts that spans refer to, and the conversion of offsets to lines and columns.
//!
//! In `"a\nbé!"` the offset of `!` is line 2, column 3: columns count code points.

use std::ops::Range;
use std::sync::Arc;

use super::{FileId, Span};

/// The texts that spans refer to.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    files: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: Arc<str>,
    text: Arc<str>,
    /// The offset of the first byte of each line; the first is 0.
    lines: Arc<[u32]>,
}

impl Sources {
    /// Adds a file under the name that messages show.
    pub fn add(&mut self, name: &str, text: &str) -> FileId {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(Source { name: name.into(), text: text.into(), lines });
        FileId(self.files.len() as u32 - 1)
    }

    /// A copy in which one part of a text is replaced. The text after this part stays on its lines if the new part has no more lines than
    /// the old one.
    #[must_use]
    pub fn replaced(&self, place: Span, with: &str) -> Sources {
        let (old, range) = (self.text(place.file), self.range(place));
        let lines = |text: &str| text.matches('\n').count();
        let ends = "\n".repeat(lines(&old[range.clone()]).saturating_sub(lines(with)));
        let text = [&old[..range.start], with, &ends, &old[range.end..]].concat();
        let mut replaced = Sources::default();
        for (file, source) in (0..).map(FileId).zip(&self.files) {
            replaced.add(&source.name, if file == place.file { &text } else { &source.text });
        }
        replaced
    }

    /// The names and texts of the files.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (&*file.name, &*file.text))
    }

    /// The number of files, which are numbered from 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Tests whether there are no files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The name under which a file was added.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// The text of a file.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].text
    }

    /// The line and column at which a place begins, both from 1; a column is a code point.
    #[must_use]
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let start = self.range(span).start;
        let line = self.line_of(span.file, start);
        let before = &self.text(span.file)[self.line_range(span.file, line).start..start];
        (line, before.chars().count() + 1)
    }

    /// The byte range of a span, clamped to character boundaries.
    pub(super) fn range(&self, span: Span) -> Range<usize> {
        let text = self.text(span.file);
        let start = floor(text, span.start as usize);
        start..floor(text, span.end as usize).max(start)
    }

    /// The line, from 1, that contains an offset.
    pub(super) fn line_of(&self, file: FileId, offset: usize) -> usize {
        self.files[file.0 as usize].lines.partition_point(|start| *start as usize <= offset)
    }

    /// The byte range of a line, from 1, without the line end.
    pub(super) fn line_range(&self, file: FileId, line: usize) -> Range<usize> {
        let Source { text, lines, .. } = &self.files[file.0 as usize];
        let start = lines.get(line - 1).map_or(text.len(), |start| *start as usize);
        let end = lines.get(line).map_or(text.len(), |next| *next as usize - 1);
        start..start + text[start..end].trim_end_matches('\r').len()
    }
}

/// The last character boundary that is not after the offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
