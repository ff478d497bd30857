//! Printing the lines of an `http` block.
//!
//! `Put { key, value } => PUT "/kv/{key}" body json(value);` stays on one line if it fits; otherwise its fields and headers break.

use crate::diagnostic::Span;
use crate::syntax::ast::{
    HttpAnswer, HttpAnswerLine, HttpBody, HttpField, HttpFields, HttpHeader, HttpHeaderValue, HttpLine, HttpLineKind,
    HttpMethod, HttpRequestLine, HttpShape, HttpSource, HttpSourceKind, HttpStatus, HttpText, Name,
};

use super::layout::Doc;
use super::lists::{Brackets, Placed};
use super::patterns::literal;
use super::{Print, Printer, optional};

impl<'a> Print<'a> for HttpLine {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match &self.kind {
            HttpLineKind::Request(line) => docs!(p, line, ";"),
            HttpLineKind::Answer(line) => docs!(p, line, ";"),
        }
    }
}

impl<'a> Print<'a> for HttpRequestLine {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let mut doc = docs!(p, self.shape, " => ", self.method, " ", self.target);
        if let Some(last) = self.headers.last() {
            let end = last.place().end + 1;
            doc = docs!(p, doc, " ", p.list(Brackets::Spaced, &self.headers, end));
        }
        doc = docs!(p, doc, optional(p, " headers ", self.other_headers.as_ref()));
        optional_body(p, doc, self.body.as_ref())
    }
}

impl<'a> Print<'a> for HttpMethod {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match self {
            HttpMethod::Is(method) => method.print(p),
            HttpMethod::Field(field) => docs!(p, "{", field, "}"),
        }
    }
}

fn optional_body<'a>(p: &mut Printer<'a, '_>, doc: Doc<'a>, body: Option<&HttpBody>) -> Doc<'a> {
    match body {
        None => doc,
        Some(HttpBody::Whole(field)) => docs!(p, doc, " body ", field),
        Some(HttpBody::Members { codec, fields, span }) => {
            docs!(p, doc, " body ", codec, " ", p.list(Brackets::Spaced, fields, span.end))
        }
    }
}

impl<'a> Print<'a> for HttpHeader {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match &self.value {
            HttpHeaderValue::Fixed(text) => docs!(p, self.name, ": ", text),
            HttpHeaderValue::Field(field) => docs!(p, self.name, ": ", field),
        }
    }
}

impl Placed for HttpHeader {
    fn place(&self) -> Span {
        let end = match &self.value {
            HttpHeaderValue::Fixed(text) => text.span,
            HttpHeaderValue::Field(field) => field.name.span,
        };
        self.name.span.to(end)
    }
}

impl<'a> Print<'a> for HttpField {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match &self.codec {
            Some(codec) => docs!(p, codec, "(", self.name, ")"),
            None => self.name.print(p),
        }
    }
}

impl<'a> Print<'a> for HttpAnswerLine {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let mut doc = p.layout.nil();
        for (at, status) in self.statuses.iter().enumerate() {
            doc = docs!(p, doc, if at > 0 { ", " } else { "" }, status);
        }
        for (at, request) in self.to.iter().enumerate() {
            doc = docs!(p, doc, if at > 0 { ", " } else { " to " }, request);
        }
        match &self.value {
            HttpAnswer::Shape(shape) => docs!(p, doc, " => ", shape),
            HttpAnswer::Source(source) => docs!(p, doc, " => ", source),
        }
    }
}

impl<'a> Print<'a> for HttpStatus {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match self {
            HttpStatus::Is(number, _) => p.layout.text(number.to_string()),
            HttpStatus::Any(_) => p.layout.text("_"),
        }
    }
}

impl<'a> Print<'a> for HttpSource {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match &self.kind {
            HttpSourceKind::Status => p.layout.text("status"),
            HttpSourceKind::Header { name, codec } => docs!(p, "header ", name, optional(p, " as ", codec.as_ref())),
            HttpSourceKind::Headers => p.layout.text("headers"),
            HttpSourceKind::Body { codec } => docs!(p, "body", optional(p, " ", codec.as_ref())),
        }
    }
}

impl<'a, T: Print<'a> + Placed + PartialShape> Print<'a> for HttpShape<T> {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let end = self.span.end;
        match &self.fields {
            HttpFields::Unit => self.name.print(p),
            HttpFields::Tuple(slots) => docs!(p, self.name, p.list(Brackets::Round, slots, end)),
            HttpFields::Record(fields) => {
                let fields: Vec<SlotOf<'_, T>> = fields.iter().map(|(name, slot)| SlotOf { name, slot }).collect();
                docs!(p, self.name, " ", p.list(Brackets::Spaced, &fields, end))
            }
        }
    }
}

/// The thing that a shape has for a field; it is left out if it is the name of the field.
trait PartialShape {
    fn is_same(&self, name: &Name) -> bool;
}

impl PartialShape for Name {
    fn is_same(&self, name: &Name) -> bool {
        self.span == name.span
    }
}

impl PartialShape for HttpSource {
    fn is_same(&self, _: &Name) -> bool {
        false
    }
}

/// `f: slot`, or `f`
struct SlotOf<'s, T> {
    name: &'s Name,
    slot: &'s T,
}

impl<'a, T: Print<'a> + PartialShape> Print<'a> for SlotOf<'_, T> {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        if self.slot.is_same(self.name) { self.name.print(p) } else { docs!(p, self.name, ": ", self.slot) }
    }
}

impl<T: Placed> Placed for SlotOf<'_, T> {
    fn place(&self) -> Span {
        self.name.span.to(self.slot.place())
    }
}

impl Placed for Name {
    fn place(&self) -> Span {
        self.span
    }
}

impl<'a> Print<'a> for HttpText {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, p.comments_before(self.span.start), literal(p, &self.text, self.span))
    }
}
