//! Printing expressions.
//!
//! `Ok { value: r.value, tag: either None or Some(choose) }` stays on a line where it fits; broken, each field has one.

use crate::diagnostic::Span;
use crate::syntax::ast::{Arm, Clause, Expr, ExprKind, Init, Pattern, Quantifier, Rest, TextLiteral};
use crate::syntax::literal;

use super::Printer;
use super::layout::{Doc, INDENT};
use super::lists::{Brackets, Part, Tail};

impl Part for Expr {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.expr(self)
    }
}

impl Part for Init {
    fn place(&self) -> Span {
        self.value.as_ref().map_or(self.name.span, |value| self.name.span.to(value.span))
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        let name = printer.name(&self.name);
        match &self.value {
            Some(value) => name.append(printer.string(": ")).append(printer.expr(value)),
            None => name,
        }
    }
}

/// An entry of a map.
impl Part for (Expr, Expr) {
    fn place(&self) -> Span {
        self.0.span.to(self.1.span)
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.expr(&self.0).append(printer.string(": ")).append(printer.expr(&self.1))
    }
}

impl Part for Arm<Expr> {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        let head = printer.arm_head(&self.pattern, self.guard.as_ref());
        head.append(printer.expr(&self.body))
    }
}

impl<'a> Printer<'a, '_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Doc<'a> {
        let before = self.comments_before(expr.span.start);
        before.append(self.expr_kind(expr))
    }

    fn expr_kind(&mut self, expr: &Expr) -> Doc<'a> {
        let end = expr.span.end;
        match &expr.kind {
            ExprKind::Int(value) => self.string(value.to_string()),
            ExprKind::Text(text) => self.literal(text, expr.span),
            ExprKind::Bool(value) => self.string(value.to_string()),
            ExprKind::Cell(number) => self.string(format!("!{number}")),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Choose(None) => self.string("choose"),
            ExprKind::Choose(Some(ty)) => self.string("choose ").append(self.type_expr(ty)),
            ExprKind::ChooseWhere { name, ty, condition } => {
                let head = self.string("choose ").append(self.name(name)).append(self.string(": "));
                let head = head.append(self.type_expr(ty));
                self.conditioned(head, " where ", condition)
            }
            ExprKind::Pick(over) => self.string("pick ").append(self.expr(over)),
            ExprKind::PickWhere { name, over, condition } => {
                let head = self.string("pick ").append(self.name(name)).append(self.string(" in "));
                let head = head.append(self.expr(over));
                self.conditioned(head, " where ", condition)
            }
            ExprKind::Either(alternatives) => self.either(alternatives),
            ExprKind::Quantified { quantifier, binder, over, body } => {
                let word = match quantifier {
                    Quantifier::Any => "any ",
                    Quantifier::All => "all ",
                };
                let head = self.string(word).append(self.pattern(binder)).append(self.string(" in "));
                let head = head.append(self.expr(over));
                self.conditioned(head, ": ", body)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(..) => self.binary(expr),
            ExprKind::Is(value, pattern) => self.expr(value).append(self.string(" is ")).append(self.pattern(pattern)),
            ExprKind::Range(from, to) => self.expr(from).append(self.string("..")).append(self.expr(to)),
            ExprKind::Field(base, name) => self.expr(base).append(self.string(".")).append(self.name(name)),
            ExprKind::Method { receiver, name, args } => {
                let head = self.expr(receiver).append(self.string(".")).append(self.name(name));
                head.append(self.list(Brackets::Round, args, end))
            }
            ExprKind::Index(base, index) => {
                let base = self.expr(base).append(self.string("["));
                base.append(self.expr(index)).append(self.string("]"))
            }
            ExprKind::Call { name, args } => self.name(name).append(self.list(Brackets::Round, args, end)),
            ExprKind::Tuple(elements) => self.list(Brackets::Round, elements, end),
            ExprKind::Paren(inner) => self.parenthesised(inner),
            ExprKind::Record { qualifier, name, fields, rest } => {
                let head = self.qualified(qualifier.as_ref(), name).append(self.string(" "));
                let tail = match rest {
                    Rest::Nothing => Tail::Nothing,
                    Rest::Choose(..) => Tail::Choose,
                };
                head.append(self.list_with_tail(Brackets::Spaced, fields, tail, end))
            }
            ExprKind::List(elements) => self.list(Brackets::Square, elements, end),
            ExprKind::EmptyBraces => self.list::<Expr>(Brackets::Curly, &[], end),
            ExprKind::Set(elements) => self.list(Brackets::Curly, elements, end),
            ExprKind::Map(entries) => self.list(Brackets::Curly, entries, end),
            ExprKind::With { base, fields } => self.with(base, fields, end),
            ExprKind::ListComprehension { element, clauses } => {
                let element = self.expr(element);
                self.comprehension(Brackets::Square, element, clauses)
            }
            ExprKind::SetComprehension { element, clauses } => {
                let element = self.expr(element);
                self.comprehension(Brackets::Curly, element, clauses)
            }
            ExprKind::MapComprehension { key, value, clauses } => {
                let element = self.expr(key).append(self.string(": ")).append(self.expr(value));
                self.comprehension(Brackets::Curly, element, clauses)
            }
            ExprKind::Let { bindings, body } => self.let_in(bindings, body),
            ExprKind::If { condition, then, otherwise } => self.if_expr(condition, then, otherwise, end).group(),
            ExprKind::Match { subject, arms } => {
                let head = self.string("match ").append(self.expr(subject)).append(self.string(" "));
                head.append(self.list(Brackets::Spaced, arms, end))
            }
            ExprKind::PeerCall { peer, args, message } => {
                let head = self.string("call ").append(self.name(peer));
                let head = head.append(self.list(Brackets::Round, args, message.span.start));
                head.append(self.string(", ")).append(self.expr(message))
            }
            ExprKind::Error => self.string("_"),
        }
    }

    /// A literal as it was written, if the text has it, else in the shortest escapes.
    pub(super) fn literal(&self, text: &TextLiteral, place: Span) -> Doc<'a> {
        let written = self.text.get(place.start as usize..place.end as usize).filter(|written| {
            let closed = written.len() > 1 && written.starts_with('"') && written.ends_with('"');
            let (decoded, flaws) = literal::decode(written);
            closed && flaws.is_empty() && decoded == *text
        });
        self.string(written.map_or_else(|| literal::encode(text), str::to_owned))
    }

    fn conditioned(&mut self, head: Doc<'a>, word: &str, condition: &Expr) -> Doc<'a> {
        let (before, word) = match word.strip_prefix(' ') {
            Some(word) => (self.layout.nil(), self.string(word)),
            None => (self.string(word.trim_end()), self.layout.nil()),
        };
        let rest = self.layout.line().append(word).append(self.expr(condition));
        head.append(before).append(rest.nest(INDENT)).group()
    }

    fn either(&mut self, alternatives: &[Expr]) -> Doc<'a> {
        let docs = alternatives.iter().map(|alternative| self.expr(alternative)).collect();
        let separator = self.layout.line().append(self.string("or "));
        self.string("either ").append(self.joined(docs, &separator).nest(INDENT)).group()
    }

    fn parenthesised(&mut self, inner: &Expr) -> Doc<'a> {
        let inner = self.layout.line_().append(self.expr(inner)).nest(INDENT);
        self.string("(").append(inner).append(self.layout.line_()).append(self.string(")")).group()
    }

    fn with(&mut self, base: &Expr, fields: &[Init], end: u32) -> Doc<'a> {
        let line = self.layout.line();
        let mut doc = line.clone().append(self.expr(base)).append(self.string(" with"));
        for (index, field) in fields.iter().enumerate() {
            let comma = if index + 1 == fields.len() { self.layout.if_broken(",") } else { self.string(",") };
            let limit = fields.get(index + 1).map_or(end, |next| next.place().start);
            doc = doc.append(line.clone()).append(field.doc(self)).append(comma);
            doc = doc.append(self.trailing_comment(field.place(), limit));
        }
        self.string("{").append(doc.nest(INDENT)).append(line).append(self.string("}")).group()
    }

    fn comprehension(&mut self, brackets: Brackets, element: Doc<'a>, clauses: &[Clause]) -> Doc<'a> {
        let (open, close) = if matches!(brackets, Brackets::Square) { ("[", "]") } else { ("{", "}") };
        let mut doc = self.layout.line_().append(element);
        for clause in clauses {
            doc = doc.append(self.layout.line()).append(self.clause(clause));
        }
        let doc = doc.nest(INDENT).append(self.layout.line_());
        self.string(open).append(doc).append(self.string(close)).group()
    }

    fn clause(&mut self, clause: &Clause) -> Doc<'a> {
        match clause {
            Clause::For { binder, over } => {
                let head = self.string("for ").append(self.pattern(binder)).append(self.string(" in "));
                head.append(self.expr(over))
            }
            Clause::If(condition) => self.string("if ").append(self.expr(condition)),
        }
    }

    fn let_in(&mut self, bindings: &[(Pattern, Expr)], body: &Expr) -> Doc<'a> {
        let line = self.layout.line();
        let mut doc = self.layout.nil();
        for (index, (pattern, value)) in bindings.iter().enumerate() {
            let limit = bindings.get(index + 1).map_or(body.span.start, |(next, _)| next.span.start);
            let before = line.clone().append(self.comments_before(pattern.span.start));
            let head = before.append(self.string("let ")).append(self.pattern(pattern)).append(self.string(" = "));
            doc = doc.append(head).append(self.expr(value)).append(self.string(";"));
            doc = doc.append(self.trailing_comment(value.span, limit));
        }
        let doc = doc.append(line.clone()).append(self.expr(body)).nest(INDENT);
        self.string("{").append(doc).append(line).append(self.string("}")).group()
    }

    /// Not a group yet: the branches of an `else if` break together. `end` is where all of it ends in the text.
    fn if_expr(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, end: u32) -> Doc<'a> {
        let head = self.string("if ").append(self.expr(condition)).append(self.string(" "));
        let doc = head.append(self.branch(then, otherwise.span.start)).append(self.string(" else "));
        if self.comment_is_before(otherwise.span.start) {
            return doc.append(self.braced(otherwise, end));
        }
        match &otherwise.kind {
            ExprKind::If { condition, then, otherwise } => doc.append(self.if_expr(condition, then, otherwise, end)),
            _ => doc.append(self.branch(otherwise, end)),
        }
    }

    fn branch(&mut self, value: &Expr, limit: u32) -> Doc<'a> {
        match &value.kind {
            ExprKind::Let { .. } if !self.comment_is_before(value.span.start) => self.expr(value),
            _ => self.braced(value, limit),
        }
    }

    fn braced(&mut self, value: &Expr, limit: u32) -> Doc<'a> {
        let inside = self.layout.line().append(self.expr(value));
        let inside = inside.append(self.trailing_comment(value.span, limit)).nest(INDENT);
        self.string("{").append(inside).append(self.layout.line()).append(self.string("}"))
    }

    /// `pattern if guard => `
    pub(super) fn arm_head(&mut self, pattern: &Pattern, guard: Option<&Expr>) -> Doc<'a> {
        let head = self.pattern(pattern);
        let head = match guard {
            Some(guard) => head.append(self.string(" if ")).append(self.expr(guard)),
            None => head,
        };
        head.append(self.string(" => "))
    }
}
