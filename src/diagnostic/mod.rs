//! Places in source texts, diagnostics as values, and their rendering with carets.
//!
//! A diagnostic is data: a severity, a message, a labelled place, further places, and help. Tests compare it as a value;
//! [`Sources::render`] makes it text at the very end. For example an `Error` at bytes 4..6 of `kv.may`, with the label "expected a type",
//! is shown as the line of the file with two carets and these words under them.

mod render;
mod sources;
mod suggest;

pub use render::Colour;
pub use sources::Sources;
pub use suggest::suggest;

/// A source file among [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u32);

/// A half-open range of byte offsets in one source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The file that the offsets belong to.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; the file is `self`'s.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The file has no meaning.
    Error,
    /// The file has a meaning that is probably not the intended one.
    Warning,
    /// Nothing is wrong; the diagnostic is information about the file.
    Note,
}

/// A place with a text about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpanLabel {
    /// The place in the source text.
    pub span: Span,
    /// The text; may be empty.
    pub text: String,
}

/// One finding about a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The message, on one line.
    pub message: String,
    /// The main place, with a text that says what was expected there.
    pub primary: SpanLabel,
    /// Other places, with their texts.
    pub secondary: Vec<SpanLabel>,
    /// The `help:` lines, such as suggested names.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, span, message.into())
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, span, message.into())
    }

    fn new(severity: Severity, span: Span, message: String) -> Diagnostic {
        Diagnostic {
            severity,
            message,
            primary: SpanLabel { span, text: String::new() },
            secondary: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Sets the text at the main place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(SpanLabel { span, text: text.into() });
        self
    }

    /// Adds a `help:` line.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Tests whether this is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
