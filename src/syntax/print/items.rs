//! Printing files, items and the members of protocols.
//!
//! The body of a function goes to the next line where that keeps it on one, else it begins on the line of its head.

use crate::diagnostic::Span;
use crate::syntax::ast::{
    Block, Expr, Field, File, Item, ItemKind, Member, MemberKind, Name, Pattern, PatternKind, Payload, Purity,
    Scheduling, Trigger, TypeExpr, Variant,
};

use super::Printer;
use super::layout::{Doc, INDENT, WIDTH};
use super::lists::{Brackets, Part};
use super::patterns::dots;

impl Part for Item {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.item(self)
    }
}

impl Part for Member {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.member(self)
    }
}

impl Part for Field {
    fn place(&self) -> Span {
        self.name.span.to(self.ty.span)
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.typed(&self.name, &self.ty)
    }
}

impl Part for Variant {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        let name = printer.name(&self.name);
        let end = self.span.end;
        match &self.payload {
            Payload::Unit => name,
            Payload::Tuple(types) => name.append(printer.list(Brackets::Round, types, end)),
            Payload::Record(fields) => {
                let fields = printer.list_with_tail(Brackets::Spaced, fields, dots(self.openness), end);
                name.append(printer.string(" ")).append(fields)
            }
        }
    }
}

impl<'a> Printer<'a, '_> {
    pub(super) fn file(&mut self, file: &File) -> Doc<'a> {
        match self.lines(&file.items, u32::MAX) {
            Some(lines) => lines.append(self.layout.hardline()),
            None => self.layout.nil(),
        }
    }

    fn typed(&mut self, name: &Name, ty: &TypeExpr) -> Doc<'a> {
        self.name(name).append(self.string(": ")).append(self.type_expr(ty))
    }

    fn item(&mut self, item: &Item) -> Doc<'a> {
        let end = item.span.end;
        match &item.kind {
            ItemKind::Use(name) => self.named("use ", name).append(self.string(";")),
            ItemKind::Const { name, ty, value } => {
                let head = self.string("const ").append(self.typed(name, ty)).append(self.string(" = "));
                self.ended(head, value)
            }
            ItemKind::Alias { name, ty } => {
                let head = self.named("type ", name).append(self.string(" = "));
                head.append(self.type_expr(ty)).append(self.string(";"))
            }
            ItemKind::Token(name) => self.named("token ", name).append(self.string(";")),
            ItemKind::Struct { name, fields, openness } => {
                let head = self.named("struct ", name).append(self.string(" "));
                head.append(self.list_with_tail(Brackets::Spaced, fields, dots(*openness), end))
            }
            ItemKind::Enum { name, variants } => {
                let head = self.named("enum ", name).append(self.string(" "));
                head.append(self.list(Brackets::Spaced, variants, end))
            }
            ItemKind::Function { purity, name, params, result, body } => {
                let word = match purity {
                    Purity::Fn => "fn ",
                    Purity::Def => "def ",
                };
                let head = self.named(word, name);
                let head = head.append(self.list(Brackets::Round, params, result.span.start));
                let head = head.append(self.string(": ")).append(self.type_expr(result)).append(self.string(" ="));
                self.function(head, body)
            }
            ItemKind::Machine { name, body } => {
                self.named("machine ", name).append(self.string(" ")).append(self.open_block(body))
            }
            ItemKind::Protocol { scheduling, name, members } => {
                let word = match scheduling {
                    Scheduling::Concurrent => "protocol ",
                    Scheduling::Serial => "serial protocol ",
                };
                let head = self.named(word, name).append(self.string(" "));
                head.append(self.below(name.span, members, end))
            }
        }
    }

    fn named(&mut self, word: &str, name: &Name) -> Doc<'a> {
        self.string(word).append(self.name(name))
    }

    fn function(&mut self, head: Doc<'a>, body: &Expr) -> Doc<'a> {
        let body = self.expr(body).append(self.string(";"));
        let fits_below = self.layout.flat_width(&body).is_some_and(|width| width + INDENT as usize <= WIDTH);
        if fits_below {
            return head.append(self.layout.line().append(body).nest(INDENT)).group();
        }
        head.append(self.string(" ")).append(body)
    }

    /// Braces with parts one below the other, whatever the width; `after` is what the opening brace follows.
    fn below<T: Part>(&mut self, after: Span, parts: &[T], end: u32) -> Doc<'a> {
        let first = parts.first().map_or(end, |part| part.place().start);
        let comment = self.trailing_comment(after, first);
        let open = self.string("{").append(comment);
        match self.lines(parts, end) {
            Some(lines) => {
                let hardline = self.layout.hardline();
                open.append(hardline.clone().append(lines).nest(INDENT)).append(hardline).append(self.string("}"))
            }
            None => open.append(self.layout.line_()).append(self.string("}")).group(),
        }
    }

    /// The body of a machine.
    fn open_block(&mut self, body: &Block) -> Doc<'a> {
        let brace = Span { end: body.span.start + 1, ..body.span };
        self.below(brace, &body.statements, body.span.end)
    }

    fn member(&mut self, member: &Member) -> Doc<'a> {
        match &member.kind {
            MemberKind::Request(ty) => self.string("request ").append(self.type_expr(ty)).append(self.string(";")),
            MemberKind::Response(ty) => self.string("response ").append(self.type_expr(ty)).append(self.string(";")),
            MemberKind::Var { name, ty, value } => {
                let head = self.string("var ").append(self.typed(name, ty)).append(self.string(" = "));
                self.ended(head, value)
            }
            MemberKind::On { trigger, from, guard, body } => {
                let head = self.string("on ").append(self.trigger(trigger)).append(self.string(" "));
                let head = match from {
                    Some(client) => {
                        head.append(self.string("from ")).append(self.name(client)).append(self.string(" "))
                    }
                    None => head,
                };
                let head = match guard {
                    Some(guard) => head.append(self.string("if ")).append(self.head(guard)),
                    None => head,
                };
                head.append(self.block(body)).group()
            }
            MemberKind::Proc { name, params, body } => {
                let head = self.named("proc ", name);
                let head = head.append(self.list(Brackets::Round, params, body.span.start));
                head.append(self.string(" ")).append(self.block(body)).group()
            }
            MemberKind::Step(body) => self.string("step ").append(self.block(body)).group(),
            MemberKind::Peer { name, key, request, response } => {
                let head = self.named("peer ", name).append(self.string("(")).append(key.doc(self));
                let head = head.append(self.string("): ")).append(self.type_expr(request));
                head.append(self.string(" -> ")).append(self.type_expr(response)).append(self.string(";"))
            }
        }
    }

    fn trigger(&mut self, trigger: &Trigger) -> Doc<'a> {
        match trigger {
            Trigger::Open(_) => self.string("open"),
            Trigger::Close(_) => self.string("close"),
            Trigger::Request(pattern) if is_named_open(pattern) => self.string("`open`"),
            Trigger::Request(pattern) => self.pattern(pattern),
        }
    }
}

/// Tests whether a pattern would read as `on open`, the handler of a new connection.
fn is_named_open(pattern: &Pattern) -> bool {
    matches!(&pattern.kind, PatternKind::Name(name) if name.text == "open")
}
