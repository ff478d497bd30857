//! Diagnostics as text, with carets, through `annotate-snippets`.
//!
//! A missing type in `var n: = 0;` is shown as
//!
//! ```text
//! error: expected a type, found `=`
//!  --> n.may:2:12
//!   |
//! 2 |     var n: = 0;
//!   |            ^ expected a type
//! ```
//!
//! Lines are made printable first: control characters are replaced by symbols, and very long lines are cut around the place. So the
//! renderer only gets harmless text.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, FileId, Severity, Sources, Span, SpanLabel};

/// The rule whether escape codes for terminals are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI colours.
    Always,
}

/// The number of bytes after which a line is cut before it is rendered (shorter lines are cut to the terminal's width by the renderer).
const LONG: usize = 2_000;

/// The number of characters of a long line that are kept before a place, and also after it.
const CONTEXT: usize = 50;

impl Sources {
    /// A diagnostic as several lines of text, each with a line end.
    #[must_use]
    pub fn render(&self, diagnostic: &Diagnostic, colour: Colour) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(printable(&diagnostic.message));
        let mut group = Group::with_title(title);
        for excerpt in self.excerpts(diagnostic) {
            let name = printable(self.name(excerpt.place.file));
            group = match excerpt.extent {
                Extent::Whole => group.element(excerpt.into_snippet().path(name)),
                Extent::Cut => group.element(self.origin(name, excerpt.place)).element(excerpt.into_snippet()),
            };
        }
        for help in &diagnostic.help {
            let lines: Vec<String> = help.lines().map(printable).collect();
            group = group.element(Level::HELP.message(lines.join("\n")));
        }
        let mut text = renderer(colour).render(&[group]);
        text.push('\n');
        text
    }

    fn origin(&self, name: String, place: Span) -> Origin<'static> {
        let (line, column) = self.line_column(place);
        Origin::path(name).line(line).char_column(column)
    }

    /// One excerpt for each file; that of the main place comes first.
    fn excerpts(&self, diagnostic: &Diagnostic) -> Vec<Excerpt> {
        let primary = std::iter::once((&diagnostic.primary, AnnotationKind::Primary));
        let secondary = diagnostic.secondary.iter().map(|label| (label, AnnotationKind::Context));
        let labels: Vec<(&SpanLabel, AnnotationKind)> = primary.chain(secondary).collect();
        let mut files: Vec<FileId> = Vec::new();
        for (label, _) in &labels {
            if !files.contains(&label.span.file) {
                files.push(label.span.file);
            }
        }
        let of_file = |file: FileId| labels.iter().filter(move |(label, _)| label.span.file == file);
        files.iter().map(|file| self.excerpt(*file, of_file(*file).copied().collect())).collect()
    }

    /// The excerpt with the lines from the first labelled one to the last.
    fn excerpt(&self, file: FileId, labels: Vec<(&SpanLabel, AnnotationKind)>) -> Excerpt {
        let place = labels[0].0.span;
        let marks: Vec<Mark> = labels.into_iter().map(|(label, kind)| self.mark(label, kind)).collect();
        let first = marks.iter().map(|mark| mark.line).min().unwrap_or(1);
        let last = marks.iter().map(|mark| mark.line).max().unwrap_or(1);
        let mut excerpt = Excerpt { place, first, extent: Extent::Whole, text: String::new(), annotations: Vec::new() };
        for line in first..=last {
            let marks: Vec<&Mark> = marks.iter().filter(|mark| mark.line == line).collect();
            excerpt.push(&self.text(file)[self.line_range(file, line)], &marks);
        }
        excerpt
    }

    fn mark<'l>(&self, label: &'l SpanLabel, kind: AnnotationKind) -> Mark<'l> {
        let (line, range) = self.on_line(label.span);
        Mark { line, range, text: &label.text, kind }
    }

    /// The line in which a place begins, and the range of the place in this line.
    fn on_line(&self, span: Span) -> (usize, Range<usize>) {
        let range = self.range(span);
        let line = self.line_of(span.file, range.start);
        let whole = self.line_range(span.file, line);
        let start = range.start.min(whole.end) - whole.start;
        (line, start..(range.end.min(whole.end) - whole.start).max(start))
    }
}

fn renderer(colour: Colour) -> Renderer {
    let renderer = match colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    };
    renderer.decor_style(DecorStyle::Ascii).term_width(120)
}

/// A mark in a line: a byte range, and the text about it.
struct Mark<'l> {
    line: usize,
    range: Range<usize>,
    text: &'l str,
    kind: AnnotationKind,
}

/// The extent of the lines of an excerpt. The renderer only knows the right columns if the lines are whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Cut,
}

/// Some lines of a file, made printable, with their marks.
struct Excerpt {
    place: Span,
    first: usize,
    extent: Extent,
    text: String,
    annotations: Vec<(Range<usize>, AnnotationKind, String)>,
}

impl Excerpt {
    /// Adds a line with its marks.
    fn push(&mut self, written: &str, marks: &[&Mark]) {
        let kept = marks.iter().map(|mark| mark.range.clone()).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
        let line = if written.len() > LONG { Line::cut(written, kept.unwrap_or(0..0)) } else { Line::whole(written) };
        if written.len() > LONG && !marks.is_empty() {
            self.extent = Extent::Cut;
        }
        for mark in marks {
            let start = self.text.len() + line.position(mark.range.start);
            let end = self.text.len() + line.position(mark.range.end);
            self.annotations.push((start..end, mark.kind, printable(mark.text)));
        }
        self.text.push_str(&line.text);
        self.text.push('\n');
    }

    fn into_snippet(self) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
        let annotations = self.annotations.into_iter().map(|(range, kind, label)| {
            let annotation = kind.span(range);
            if label.is_empty() { annotation } else { annotation.label(label) }
        });
        Snippet::source(self.text).line_start(self.first).annotations(annotations)
    }
}

/// A line made printable.
struct Line {
    text: String,
    /// Some offsets in the original line, in increasing order, each with the offset in `text`.
    positions: Vec<(usize, usize)>,
}

impl Line {
    fn whole(written: &str) -> Line {
        let mut line = Line { text: String::with_capacity(written.len()), positions: Vec::new() };
        line.take(written, 0..written.len());
        line
    }

    /// The part of a line near a range.
    fn cut(written: &str, kept: Range<usize>) -> Line {
        let mut line = Line { text: String::new(), positions: Vec::new() };
        let start = written[..kept.start].char_indices().rev().nth(CONTEXT - 1).map_or(0, |(at, _)| at);
        let width = 2 * CONTEXT + written[kept].chars().count().min(CONTEXT);
        let end = written[start..].char_indices().nth(width).map_or(written.len(), |(at, _)| start + at);
        line.text.push_str(if start > 0 { "…" } else { "" });
        line.take(written, start..end);
        line.text.push_str(if end < written.len() { "…" } else { "" });
        line
    }

    fn take(&mut self, written: &str, range: Range<usize>) {
        for (at, c) in written[range.clone()].char_indices() {
            self.positions.push((range.start + at, self.text.len()));
            self.text.push(visible(c));
        }
        self.positions.push((range.end, self.text.len()));
    }

    fn position(&self, written: usize) -> usize {
        let after = self.positions.partition_point(|(at, _)| *at < written);
        self.positions.get(after).map_or(self.text.len(), |(_, shown)| *shown)
    }
}

/// The character, or a visible symbol if it would move the cursor or be invisible. (Tabs are left to the renderer.)
fn visible(c: char) -> char {
    match c {
        '\t' => c,
        '\u{7f}' => '\u{2421}',
        c if c < ' ' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        c if c.is_control() || is_invisible(c) => '\u{fffd}',
        c => c,
    }
}

/// Tests for characters that reorder or hide the text around them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn printable(text: &str) -> String {
    text.chars().map(visible).collect()
}
