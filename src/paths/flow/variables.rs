//! The variables of graphs and their types: `int x`, `bool[] b`.

use crate::diagnostic::{Diagnostic, Span, suggest};

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowType {
    /// An integer of any size.
    Int,
    /// A boolean.
    Bool,
    /// An array of integers, with an element for each integer.
    Ints,
    /// An array of booleans.
    Bools,
}

impl FlowType {
    /// The type with its article, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            FlowType::Int => "an integer",
            FlowType::Bool => "a boolean",
            FlowType::Ints | FlowType::Bools => "an array",
        }
    }

    pub(super) fn element(self) -> Option<FlowType> {
        match self {
            FlowType::Ints => Some(FlowType::Int),
            FlowType::Bools => Some(FlowType::Bool),
            FlowType::Int | FlowType::Bool => None,
        }
    }
}

/// The variables that are known.
pub(super) struct FlowScope {
    pub variables: Vec<(String, FlowType)>,
}

impl FlowScope {
    fn find(&self, name: &str, span: Span) -> Result<(usize, FlowType), Diagnostic> {
        let found = self.variables.iter().position(|(known, _)| known == name);
        let names = self.variables.iter().map(|(name, _)| &**name);
        found.map(|at| (at, self.variables[at].1)).ok_or_else(|| unknown_name("variable", name, span, names))
    }

    /// The number and the type of a variable.
    pub fn variable(&self, name: &str, span: Span) -> Result<(usize, FlowType), Diagnostic> {
        self.find(name, span)
    }

    /// The number of an array, and the type of its elements.
    pub fn array(&self, name: &str, span: Span) -> Result<(usize, FlowType), Diagnostic> {
        let (number, ty) = self.find(name, span)?;
        let element = ty.element().ok_or_else(|| Diagnostic::error(span, format!("`{name}` is {}", ty.name())))?;
        Ok((number, element))
    }
}

/// The finding that a name is unknown, with the name that was probably meant.
fn unknown_name<'n>(what: &str, name: &str, span: Span, known: impl Iterator<Item = &'n str>) -> Diagnostic {
    let finding = Diagnostic::error(span, format!("unknown {what} `{name}`"));
    match suggest(name, known) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding,
    }
}
