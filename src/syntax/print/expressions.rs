//! Printing expressions.
//!
//! `Ok { value: r.value, tag: either None or Some(choose) }` stays on one line if it fits; otherwise each field gets a line.

use crate::diagnostic::Span;
use crate::syntax::ast::{
    Arm, Clause, Expr, ExprKind, GatheredKind, GatheredPart, Init, Name, Pattern, Quantifier, Rest,
};
use crate::syntax::lexer::is_word;

use super::layout::{Doc, INDENT};
use super::lists::{Brackets, Placed, Tail, limit};
use super::operators::{binary, unary};
use super::patterns::{literal, qualified};
use super::{Print, Printer, optional};

impl<'a> Print<'a> for Init {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, self.name, optional(p, ": ", self.value.as_ref()))
    }
}

impl Placed for Init {
    fn place(&self) -> Span {
        self.value.as_ref().map_or(self.name.span, |value| self.name.span.to(value.span))
    }
}

/// An entry of a map.
impl<'a> Print<'a> for (Expr, Expr) {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, self.0, ": ", self.1)
    }
}

impl Placed for (Expr, Expr) {
    fn place(&self) -> Span {
        self.0.span.to(self.1.span)
    }
}

impl<'a> Print<'a> for GatheredPart {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let head = docs!(p, self.element, optional(p, ": ", self.value.as_ref()));
        if self.clauses.is_empty() {
            return head;
        }
        let nothing = p.layout.nil();
        let rest = self.clauses.iter().fold(nothing, |rest, clause| docs!(p, rest, p.layout.line(), clause));
        head.append(rest.nest(INDENT)).group()
    }
}

impl Placed for GatheredPart {
    fn place(&self) -> Span {
        let last = match self.clauses.last() {
            Some(Clause::For { over: last, .. } | Clause::If(last)) => last,
            None => self.value.as_ref().unwrap_or(&self.element),
        };
        self.element.span.to(last.span)
    }
}

impl<'a> Print<'a> for Arm<Expr> {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, self.pattern, optional(p, " if ", self.guard.as_ref()), " => ", self.body)
    }
}

impl<'a> Print<'a> for Clause {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match self {
            Clause::For { binder, over } => docs!(p, "for ", binder, " in ", over),
            Clause::If(condition) => docs!(p, "if ", condition),
        }
    }
}

impl<'a> Print<'a> for Expr {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, p.comments_before(self.span.start), kind(p, self))
    }
}

fn kind<'a>(p: &mut Printer<'a, '_>, expr: &Expr) -> Doc<'a> {
    let end = expr.span.end;
    match &expr.kind {
        ExprKind::Int(value) => p.layout.text(value.to_string()),
        ExprKind::Text(text) => literal(p, text, expr.span),
        ExprKind::Bool(value) => p.layout.text(value.to_string()),
        ExprKind::Cell(number) => p.layout.text(format!("!{number}")),
        ExprKind::Name(name) => name.print(p),
        ExprKind::Choose(None) => p.layout.text("choose"),
        ExprKind::Choose(Some(ty)) => docs!(p, "choose ", ty),
        ExprKind::ChooseWhere { name, ty, condition } => {
            let head = docs!(p, "choose ", name, ": ", ty);
            hanging(p, head, "where ", condition)
        }
        ExprKind::Pick(over) => docs!(p, "pick ", over),
        ExprKind::PickWhere { name, over, condition } => {
            let head = docs!(p, "pick ", name, " in ", over);
            hanging(p, head, "where ", condition)
        }
        ExprKind::Either(alternatives) => {
            let separator = docs!(p, p.layout.line(), "or ");
            docs!(p, "either ", p.joined(alternatives, separator).nest(INDENT)).group()
        }
        ExprKind::Quantified { quantifier, binder, over, body } => {
            let word = match quantifier {
                Quantifier::Any => "any ",
                Quantifier::All => "all ",
            };
            let head = docs!(p, word, binder, " in ", over, ":");
            hanging(p, head, "", body)
        }
        ExprKind::Unary(op, operand) => unary(p, *op, operand),
        ExprKind::Binary(..) => binary(p, expr),
        ExprKind::Is(value, pattern) => docs!(p, value, " is ", pattern),
        ExprKind::Range(from, to) => docs!(p, from, "..", to),
        ExprKind::Field(base, name) => docs!(p, base, ".", name),
        ExprKind::Method { receiver, name, args } => {
            docs!(p, receiver, ".", member(p, name), p.list(Brackets::Round, args, end))
        }
        ExprKind::Index(base, index) => docs!(p, base, "[", index, "]"),
        ExprKind::Call { name, args } => docs!(p, name, p.list(Brackets::Round, args, end)),
        ExprKind::Tuple(elements) => p.list(Brackets::Round, elements, end),
        ExprKind::Paren(inner) => {
            let inner = inner.print(p);
            p.enclosed(Brackets::Round, vec![inner])
        }
        ExprKind::Record { qualifier, name, fields, rest } => {
            let tail = match rest {
                Rest::Nothing => Tail::Nothing,
                Rest::Choose(..) => Tail::Choose,
            };
            let head = qualified(p, qualifier.as_ref(), name);
            docs!(p, head, " ", p.list_with_tail(Brackets::Spaced, fields, tail, end))
        }
        ExprKind::List(elements) => p.list(Brackets::Square, elements, end),
        ExprKind::EmptyBraces => p.list::<Expr>(Brackets::Curly, &[], end),
        ExprKind::Set(elements) => p.list(Brackets::Curly, elements, end),
        ExprKind::Map(entries) => p.list(Brackets::Curly, entries, end),
        ExprKind::Gathered { of: GatheredKind::List, parts } => p.list(Brackets::Square, parts, end),
        ExprKind::Gathered { parts, .. } => p.list(Brackets::Curly, parts, end),
        ExprKind::With { base, fields } => with(p, base, fields, end),
        ExprKind::ListComprehension { element, clauses } => {
            let element = element.print(p);
            comprehension(p, Brackets::Square, element, clauses)
        }
        ExprKind::SetComprehension { element, clauses } => {
            let element = element.print(p);
            comprehension(p, Brackets::Curly, element, clauses)
        }
        ExprKind::MapComprehension { key, value, clauses } => {
            let element = docs!(p, key, ": ", value);
            comprehension(p, Brackets::Curly, element, clauses)
        }
        ExprKind::Let { bindings, body } => let_in(p, bindings, body),
        ExprKind::If { condition, then, otherwise } => if_expr(p, condition, then, otherwise, end).group(),
        ExprKind::Match { subject, arms } => {
            docs!(p, "match ", subject, " ", p.list(Brackets::Spaced, arms, end))
        }
        ExprKind::PeerCall { peer, args, message } => {
            let peer = match args.as_slice() {
                [] => peer.print(p),
                args => docs!(p, peer, p.list(Brackets::Round, args, message.span.start)),
            };
            docs!(p, "call ", peer, ", ", message)
        }
        ExprKind::PeerCalls { least, peer, args, clauses, message } => {
            let head = match least {
                Some(least) => docs!(p, "call any ", least, " of ", peer),
                None => docs!(p, "call all ", peer),
            };
            let limit = clauses.first().map_or(message.span.start, begin);
            let head = docs!(p, head, p.list(Brackets::Round, args, limit));
            let rest = clauses.iter().fold(p.layout.nil(), |rest, clause| docs!(p, rest, p.layout.line(), clause));
            docs!(p, head, docs!(p, rest, ", ", message).nest(INDENT)).group()
        }
        ExprKind::Error => p.layout.text("_"),
    }
}

/// The name of a method; a reserved word needs no backquotes there.
fn member<'a>(p: &mut Printer<'a, '_>, name: &Name) -> Doc<'a> {
    if is_word(&name.text) {
        docs!(p, p.comments_before(name.span.start), p.layout.text(name.text.clone()))
    } else {
        name.print(p)
    }
}

/// The place at which the first part of a clause begins.
fn begin(clause: &Clause) -> u32 {
    match clause {
        Clause::For { binder, .. } => binder.span.start,
        Clause::If(condition) => condition.span.start,
    }
}

/// A head, and a rest that moves to the next line if both do not fit on one.
fn hanging<'a>(p: &mut Printer<'a, '_>, head: Doc<'a>, word: &str, rest: &Expr) -> Doc<'a> {
    let rest = docs!(p, p.layout.line(), word, rest);
    head.append(rest.nest(INDENT)).group()
}

fn with<'a>(p: &mut Printer<'a, '_>, base: &Expr, fields: &[Init], end: u32) -> Doc<'a> {
    let mut inside = vec![docs!(p, base, " with")];
    for (index, field) in fields.iter().enumerate() {
        let comma = if index + 1 == fields.len() { p.layout.if_broken(",") } else { p.layout.text(",") };
        inside.push(docs!(p, field, comma, p.trailing_comment(field.place(), limit(fields, index, end))));
    }
    p.enclosed(Brackets::Spaced, inside)
}

fn comprehension<'a>(p: &mut Printer<'a, '_>, brackets: Brackets, element: Doc<'a>, clauses: &[Clause]) -> Doc<'a> {
    let mut inside = vec![element];
    inside.extend(clauses.iter().map(|clause| clause.print(p)));
    p.enclosed(brackets, inside)
}

fn let_in<'a>(p: &mut Printer<'a, '_>, bindings: &[(Pattern, Expr)], body: &Expr) -> Doc<'a> {
    let mut inside = Vec::new();
    for (index, (pattern, value)) in bindings.iter().enumerate() {
        let limit = bindings.get(index + 1).map_or(body.span.start, |(next, _)| next.span.start);
        let binding = docs!(p, p.comments_before(pattern.span.start), "let ", pattern, " = ", value, ";");
        inside.push(binding.append(p.trailing_comment(value.span, limit)));
    }
    inside.push(body.print(p));
    p.enclosed(Brackets::Spaced, inside)
}

/// An `if` expression, without a group, as the branches of an `else if` break together. `end` is the offset at which the text of the
/// expression ends.
fn if_expr<'a>(p: &mut Printer<'a, '_>, condition: &Expr, then: &Expr, otherwise: &Expr, end: u32) -> Doc<'a> {
    let doc = docs!(p, "if ", condition, " ", branch(p, then, otherwise.span.start), " else ");
    match &otherwise.kind {
        ExprKind::If { condition, then, otherwise: last } if !p.comment_is_before(otherwise.span.start) => {
            doc.append(if_expr(p, condition, then, last, end))
        }
        _ => doc.append(branch(p, otherwise, end)),
    }
}

fn branch<'a>(p: &mut Printer<'a, '_>, value: &Expr, limit: u32) -> Doc<'a> {
    if matches!(value.kind, ExprKind::Let { .. }) && !p.comment_is_before(value.span.start) {
        return value.print(p);
    }
    let inside = docs!(p, p.layout.line(), value, p.trailing_comment(value.span, limit));
    docs!(p, "{", inside.nest(INDENT), p.layout.line(), "}")
}
