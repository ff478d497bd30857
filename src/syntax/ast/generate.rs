//! The lines of a `generate` block: what tests draw for requests, and how often.
//!
//! `Put: 5;` is the weight of a request, `Put.key: ["a", "b"];` lists values, `len(Put.body): 0..4096;` lists lengths.

use crate::diagnostic::Span;

use super::{Expr, Name, Spanned};

/// A line of a `generate` block.
pub type GenerateLine = Spanned<GenerateLineKind>;

/// The parts of a line of a `generate` block.
#[derive(Clone, PartialEq, Debug)]
pub struct GenerateLineKind {
    /// The thing that the line is about.
    pub target: GenerateTarget,
    /// A weight, or a list.
    pub value: Expr,
}

/// The thing that a line of a `generate` block is about: `Put`, `string`, `Put.key`, `Put.0`, `len(Put.body)`.
#[derive(Clone, PartialEq, Debug)]
pub struct GenerateTarget {
    /// Set if the line lists lengths: `len(…)`.
    pub is_length: bool,
    /// A request or another variant, or a type.
    pub owner: Name,
    /// The field, if the line is about a field.
    pub field: Option<GenerateField>,
    /// Its place.
    pub span: Span,
}

/// A field of a variant or struct.
#[derive(Clone, PartialEq, Debug)]
pub enum GenerateField {
    /// `key`
    Name(Name),
    /// `0`: the first of the fields without names.
    Number(u32, Span),
}

impl GenerateField {
    /// Its place.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            GenerateField::Name(name) => name.span,
            GenerateField::Number(_, span) => *span,
        }
    }
}
