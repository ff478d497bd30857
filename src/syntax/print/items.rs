//! Printing files, items and the members of protocols.
//!
//! The body of a function moves to the next line if it fits there on one line; otherwise it begins on the line of its head.

use crate::diagnostic::Span;
use crate::syntax::ast::{
    Expr, Field, File, Item, ItemKind, Member, MemberKind, PatternKind, Payload, Purity, Scheduling, Trigger, Variant,
};

use super::layout::{Doc, INDENT, WIDTH};
use super::lists::{Brackets, Placed, Tail};
use super::statements::head;
use super::{Print, Printer, optional};

impl<'a> Print<'a> for File {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match p.lines(&self.items, u32::MAX) {
            Some(lines) => lines.append(p.layout.hardline()),
            None => p.layout.nil(),
        }
    }
}

impl<'a> Print<'a> for Field {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, self.name, ": ", self.ty)
    }
}

impl Placed for Field {
    fn place(&self) -> Span {
        self.name.span.to(self.ty.span)
    }
}

impl<'a> Print<'a> for Variant {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let end = self.span.end;
        match &self.payload {
            Payload::Unit => self.name.print(p),
            Payload::Tuple(types) => docs!(p, self.name, p.list(Brackets::Round, types, end)),
            Payload::Record(fields) => {
                docs!(p, self.name, " ", p.list_with_tail(Brackets::Spaced, fields, Tail::of(self.openness), end))
            }
        }
    }
}

impl Placed for Variant {
    fn place(&self) -> Span {
        self.span
    }
}

impl<'a> Print<'a> for Item {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let end = self.span.end;
        match &self.kind {
            ItemKind::Use(name) => docs!(p, "use ", name, ";"),
            ItemKind::Const { name, ty, value } => docs!(p, "const ", name, ": ", ty, " = ", value, ";"),
            ItemKind::Alias { name, ty } => docs!(p, "type ", name, " = ", ty, ";"),
            ItemKind::Token(name) => docs!(p, "token ", name, ";"),
            ItemKind::Struct { name, fields, openness } => {
                let tail = Tail::of(*openness);
                docs!(p, "struct ", name, " ", p.list_with_tail(Brackets::Spaced, fields, tail, end))
            }
            ItemKind::Enum { name, variants } => {
                docs!(p, "enum ", name, " ", p.list(Brackets::Spaced, variants, end))
            }
            ItemKind::Function { purity, name, params, result, body } => {
                let word = match purity {
                    Purity::Fn => "fn ",
                    Purity::Def => "def ",
                };
                let head = docs!(p, word, name, p.list(Brackets::Round, params, result.span.start), ": ", result, " =");
                function(p, head, body)
            }
            ItemKind::Machine { name, body } => {
                let brace = Span { end: body.span.start + 1, ..body.span };
                docs!(p, "machine ", name, " ", p.below(brace, &body.statements, body.span.end))
            }
            ItemKind::Protocol { scheduling, name, members } => {
                let word = match scheduling {
                    Scheduling::Concurrent => "protocol ",
                    Scheduling::Serial => "serial protocol ",
                };
                docs!(p, word, name, " ", p.below(name.span, members, end))
            }
        }
    }
}

fn function<'a>(p: &mut Printer<'a, '_>, head: Doc<'a>, body: &Expr) -> Doc<'a> {
    let body = docs!(p, body, ";");
    let fits_below = p.layout.flat_width(&body).is_some_and(|width| width + INDENT as usize <= WIDTH);
    if fits_below {
        return head.append(p.layout.line().append(body).nest(INDENT)).group();
    }
    docs!(p, head, " ", body)
}

impl<'a> Print<'a> for Member {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match &self.kind {
            MemberKind::Request(ty) => docs!(p, "request ", ty, ";"),
            MemberKind::Response(ty) => docs!(p, "response ", ty, ";"),
            MemberKind::Var { name, ty, value } => docs!(p, "var ", name, ": ", ty, " = ", value, ";"),
            MemberKind::On { trigger, from, guard, body } => {
                let doc = docs!(p, "on ", trigger, optional(p, " from ", from.as_ref()), " ");
                let doc = match guard {
                    Some(guard) => docs!(p, doc, "if ", head(p, guard)),
                    None => doc,
                };
                docs!(p, doc, body).group()
            }
            MemberKind::Proc { name, params, result, body } => {
                let limit = result.as_ref().map_or(body.span.start, |result| result.span.start);
                let head = docs!(p, "proc ", name, p.list(Brackets::Round, params, limit));
                docs!(p, head, optional(p, ": ", result.as_ref()), " ", body).group()
            }
            MemberKind::Step(body) => docs!(p, "step ", body).group(),
            MemberKind::Peer { name, key, request, response } => {
                let name = match key {
                    Some(key) => docs!(p, name, "(", key, ")"),
                    None => name.print(p),
                };
                docs!(p, "peer ", name, ": ", request, " -> ", response, ";")
            }
            MemberKind::Http(lines) => {
                let word = Span { end: self.span.start + "http".len() as u32, ..self.span };
                docs!(p, "http ", p.below(word, lines, self.span.end))
            }
            MemberKind::Generate(lines) => {
                let word = Span { end: self.span.start + "generate".len() as u32, ..self.span };
                docs!(p, "generate ", p.below(word, lines, self.span.end))
            }
        }
    }
}

impl<'a> Print<'a> for Trigger {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match self {
            Trigger::Open(_) => p.layout.text("open"),
            Trigger::Close(_) => p.layout.text("close"),
            Trigger::Restart(_) => p.layout.text("restart"),
            Trigger::Request(pattern) => match &pattern.kind {
                // Without backquotes these would be the handlers of a new connection and of a restart.
                PatternKind::Name(name) if name.text == "open" => p.layout.text("`open`"),
                PatternKind::Name(name) if name.text == "restart" => p.layout.text("`restart`"),
                _ => pattern.print(p),
            },
        }
    }
}
