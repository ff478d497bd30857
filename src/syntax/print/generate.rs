//! Printing the lines of a `generate` block.

use crate::syntax::ast::{GenerateField, GenerateLine, GenerateTarget};

use super::layout::Doc;
use super::{Print, Printer};

impl<'a> Print<'a> for GenerateLine {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, self.kind.target, ": ", self.kind.value, ";")
    }
}

impl<'a> Print<'a> for GenerateTarget {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let of = match &self.field {
            None => self.owner.print(p),
            Some(field) => docs!(p, self.owner, ".", field),
        };
        if self.is_length { docs!(p, "len(", of, ")") } else { of }
    }
}

impl<'a> Print<'a> for GenerateField {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match self {
            GenerateField::Name(name) => name.print(p),
            GenerateField::Number(number, _) => p.layout.text(number.to_string()),
        }
    }
}
