//! Printing statements and blocks.
//!
//! `either { n := n + 1; } or {}` stays on one line. In general a block does if it holds one statement that may be on one line, and all
//! blocks of the statement fit there together. A `match` never stays on one line; an `if` in a block may only hold simple statements.

use crate::diagnostic::Span;
use crate::syntax::ast::{Arm, Block, Expr, PlaceExpr, PlaceRoot, PlaceStep, Statement, StatementKind};

use super::layout::{Doc, INDENT};
use super::lists::Brackets;
use super::{Print, Printer, optional};

/// The largest number of nested blocks on one line.
const INLINE_BLOCKS: u32 = 2;

impl<'a> Print<'a> for Arm<Block> {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        docs!(p, self.pattern, optional(p, " if ", self.guard.as_ref()), " => ", self.body).group()
    }
}

/// Not a group, as the blocks of one statement break together.
impl<'a> Print<'a> for Block {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let first = self.statements.first().map_or(self.span.end, |statement| statement.span.start);
        let brace = Span { end: self.span.start + 1, ..self.span };
        let pending = p.comments.len();
        let open = docs!(p, "{", p.trailing_comment(brace, first));
        let Some(lines) = p.lines(&self.statements, self.span.end) else {
            let commented = p.comments.len() < pending;
            let end = if commented { p.layout.hardline() } else { p.layout.nil() };
            return docs!(p, open, end, "}");
        };
        let edge = if fits_inline(self, INLINE_BLOCKS) { p.layout.line() } else { p.layout.hardline() };
        let inside = edge.clone().append(lines).nest(INDENT);
        docs!(p, open, inside, edge, "}")
    }
}

impl<'a> Print<'a> for PlaceExpr {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        let root = match &self.root {
            PlaceRoot::Name(name) => name.print(p),
            PlaceRoot::Cell(number, _) => p.layout.text(format!("!{number}")),
        };
        self.path.iter().fold(root, |place, step| match step {
            PlaceStep::Field(name) => docs!(p, place, ".", name),
            PlaceStep::Index(key) => docs!(p, place, "[", key, "]"),
        })
    }
}

impl<'a> Print<'a> for Statement {
    fn print(&self, p: &mut Printer<'a, '_>) -> Doc<'a> {
        match &self.kind {
            StatementKind::Let { pattern, ty, value } => {
                docs!(p, "let ", pattern, optional(p, ": ", ty.as_ref()), " = ", value, ";")
            }
            StatementKind::Var { name, ty, value } => {
                docs!(p, "var ", name, optional(p, ": ", ty.as_ref()), " = ", value, ";")
            }
            StatementKind::Assign { place, value } => docs!(p, place, " := ", value, ";"),
            StatementKind::ProcCall { name, args } => {
                docs!(p, name, p.list(Brackets::Round, args, self.span.end), ";")
            }
            StatementKind::PeerCall(call) => docs!(p, call, ";"),
            StatementKind::If { condition, then, otherwise } => {
                if_statement(p, condition, then, otherwise.as_ref()).group()
            }
            StatementKind::Match { subject, arms } => {
                docs!(p, "match ", head(p, subject), p.below(subject.span, arms, self.span.end))
            }
            StatementKind::For { binder, over, body } => docs!(p, "for ", binder, " in ", head(p, over), body).group(),
            StatementKind::While { condition, body } => docs!(p, "while ", head(p, condition), body).group(),
            StatementKind::Either(blocks) => {
                let separator = p.layout.text(" or ");
                docs!(p, "either ", p.joined(blocks, separator)).group()
            }
            StatementKind::Assume(condition) => docs!(p, "assume ", condition, ";"),
            StatementKind::Expects(condition) => docs!(p, "expects ", condition, ";"),
            StatementKind::Reply(value) => docs!(p, "reply ", value, ";"),
            StatementKind::ReplyThen { answer, then } => docs!(p, "reply ", answer, " then ", then).group(),
            StatementKind::Close(client) => docs!(p, "close ", client, ";"),
            StatementKind::Send { to, message } => docs!(p, "send ", to, ", ", message, ";"),
            StatementKind::Yield => p.layout.text("yield;"),
            StatementKind::Return(value) => docs!(p, "return", optional(p, " ", value.as_ref()), ";"),
            StatementKind::Error => p.layout.text("_;"),
        }
    }
}

/// The head of a block, and the space after it.
pub(super) fn head<'a>(p: &mut Printer<'a, '_>, head: &Expr) -> Doc<'a> {
    docs!(p, head.print(p).nest(INDENT), " ")
}

/// An `if` statement, without a group, as the blocks of an `else if` break together.
fn if_statement<'a>(p: &mut Printer<'a, '_>, condition: &Expr, then: &Block, otherwise: Option<&Block>) -> Doc<'a> {
    let doc = docs!(p, "if ", head(p, condition), then);
    let Some(otherwise) = otherwise else { return doc };
    let doc = docs!(p, doc, " else ");
    match otherwise.statements.as_slice() {
        [Statement { kind: StatementKind::If { condition, then, otherwise: last }, span, .. }]
            if !has_comments_around(p, *span, otherwise.span) =>
        {
            doc.append(if_statement(p, condition, then, last.as_ref()))
        }
        _ => docs!(p, doc, otherwise),
    }
}

/// Tests whether there are comments in a block outside of its only statement.
fn has_comments_around(p: &Printer<'_, '_>, statement: Span, block: Span) -> bool {
    let mut inside = p.comments.iter().take_while(|comment| comment.span.start < block.end.max(statement.start));
    inside.any(|comment| comment.span.start < statement.start || comment.span.start >= statement.end)
}

/// Tests whether a block may be on one line, with at most `blocks` nested blocks, itself included and empty ones not counted.
fn fits_inline(block: &Block, blocks: u32) -> bool {
    match block.statements.as_slice() {
        [] => true,
        [only] => blocks > 0 && statement_fits_inline(&only.kind, blocks - 1),
        _ => false,
    }
}

fn statement_fits_inline(statement: &StatementKind, blocks: u32) -> bool {
    match statement {
        StatementKind::If { then, otherwise, .. } => {
            fits_inline(then, blocks) && otherwise.as_ref().is_none_or(|block| fits_inline(block, blocks))
        }
        StatementKind::For { body, .. } | StatementKind::While { body, .. } => fits_inline(body, blocks),
        StatementKind::Either(alternatives) => alternatives.iter().all(|block| fits_inline(block, blocks)),
        StatementKind::ReplyThen { then, .. } => fits_inline(then, blocks),
        StatementKind::Match { .. } => false,
        StatementKind::Let { .. }
        | StatementKind::Var { .. }
        | StatementKind::Assign { .. }
        | StatementKind::ProcCall { .. }
        | StatementKind::PeerCall(_)
        | StatementKind::Assume(_)
        | StatementKind::Expects(_)
        | StatementKind::Reply(_)
        | StatementKind::Close(_)
        | StatementKind::Send { .. }
        | StatementKind::Yield
        | StatementKind::Return(_)
        | StatementKind::Error => true,
    }
}
