//! Printing statements and blocks.
//!
//! A block stays on one line if it holds one statement that does and all blocks of its statement fit there together:
//! `either { n := n + 1; } or {}`. A `match` never does; an `if` in a block may hold simple statements only.

use crate::diagnostic::Span;
use crate::syntax::ast::{Arm, Block, Expr, Place, PlaceRoot, PlaceStep, Statement, StatementKind, TypeExpr};

use super::Printer;
use super::layout::{Doc, INDENT};
use super::lists::{Brackets, Part};

/// The number of blocks that may stand within each other on one line.
const INLINE_BLOCKS: u32 = 2;

impl Part for Statement {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        printer.statement(self)
    }
}

impl Part for Arm<Block> {
    fn place(&self) -> Span {
        self.span
    }

    fn doc<'a>(&self, printer: &mut Printer<'a, '_>) -> Doc<'a> {
        let head = printer.arm_head(&self.pattern, self.guard.as_ref());
        head.append(printer.block(&self.body)).group()
    }
}

impl<'a> Printer<'a, '_> {
    /// Not a group: blocks of one statement break together.
    pub(super) fn block(&mut self, block: &Block) -> Doc<'a> {
        let first = block.statements.first().map_or(block.span.end, |statement| statement.span.start);
        let brace = Span { end: block.span.start + 1, ..block.span };
        let pending = self.comments.len();
        let comment = self.trailing_comment(brace, first);
        let open = self.string("{").append(comment);
        let Some(lines) = self.lines(&block.statements, block.span.end) else {
            let commented = self.comments.len() < pending;
            let end = if commented { self.layout.hardline() } else { self.layout.nil() };
            return open.append(end).append(self.string("}"));
        };
        let inline = fits_inline(block, INLINE_BLOCKS);
        let edge = if inline { self.layout.line() } else { self.layout.hardline() };
        let lines = edge.clone().append(lines).nest(INDENT).append(edge);
        open.append(lines).append(self.string("}"))
    }

    fn statement(&mut self, statement: &Statement) -> Doc<'a> {
        match &statement.kind {
            StatementKind::Let { pattern, ty, value } => {
                let head = self.string("let ").append(self.pattern(pattern));
                let head = self.annotated(head, ty.as_ref());
                self.ended(head.append(self.string(" = ")), value)
            }
            StatementKind::Var { name, ty, value } => {
                let head = self.string("var ").append(self.name(name));
                let head = self.annotated(head, ty.as_ref());
                self.ended(head.append(self.string(" = ")), value)
            }
            StatementKind::Assign { place, value } => {
                let head = self.assigned(place).append(self.string(" := "));
                self.ended(head, value)
            }
            StatementKind::ProcCall { name, args } => {
                let head = self.name(name);
                head.append(self.list(Brackets::Round, args, statement.span.end)).append(self.string(";"))
            }
            StatementKind::PeerCall(call) => self.ended(self.layout.nil(), call),
            StatementKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_ref()).group()
            }
            StatementKind::Match { subject, arms } => self.match_statement(subject, arms, statement.span.end),
            StatementKind::For { binder, over, body } => {
                let head = self.string("for ").append(self.pattern(binder)).append(self.string(" in "));
                head.append(self.head(over)).append(self.block(body)).group()
            }
            StatementKind::While { condition, body } => {
                let head = self.string("while ").append(self.head(condition));
                head.append(self.block(body)).group()
            }
            StatementKind::Either(blocks) => {
                let docs = blocks.iter().map(|block| self.block(block)).collect();
                let separator = self.string(" or ");
                self.string("either ").append(self.joined(docs, &separator)).group()
            }
            StatementKind::Assume(condition) => self.ended(self.string("assume "), condition),
            StatementKind::Expects(condition) => self.ended(self.string("expects "), condition),
            StatementKind::Reply(value) => self.ended(self.string("reply "), value),
            StatementKind::Close(client) => self.ended(self.string("close "), client),
            StatementKind::Send { to, message } => {
                let head = self.string("send ").append(self.expr(to)).append(self.string(", "));
                self.ended(head, message)
            }
            StatementKind::Yield => self.string("yield;"),
            StatementKind::Return => self.string("return;"),
            StatementKind::Error => self.string("_;"),
        }
    }

    /// Prints a head, and then the expression and the `;` that end it.
    pub(super) fn ended(&mut self, head: Doc<'a>, value: &Expr) -> Doc<'a> {
        head.append(self.expr(value)).append(self.string(";"))
    }

    fn annotated(&mut self, head: Doc<'a>, ty: Option<&TypeExpr>) -> Doc<'a> {
        match ty {
            Some(ty) => head.append(self.string(": ")).append(self.type_expr(ty)),
            None => head,
        }
    }

    /// The head of a block, and the space after it.
    pub(super) fn head(&mut self, head: &Expr) -> Doc<'a> {
        self.expr(head).nest(INDENT).append(self.string(" "))
    }

    fn assigned(&mut self, place: &Place) -> Doc<'a> {
        let mut doc = match &place.root {
            PlaceRoot::Name(name) => self.name(name),
            PlaceRoot::Cell(number, _) => self.string(format!("!{number}")),
        };
        for step in &place.path {
            doc = match step {
                PlaceStep::Field(name) => doc.append(self.string(".")).append(self.name(name)),
                PlaceStep::Index(key) => doc.append(self.string("[")).append(self.expr(key)).append(self.string("]")),
            };
        }
        doc
    }

    /// Not a group yet: the blocks of an `else if` break together.
    fn if_statement(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Block>) -> Doc<'a> {
        let head = self.string("if ").append(self.head(condition));
        let doc = head.append(self.block(then));
        let Some(otherwise) = otherwise else { return doc };
        let doc = doc.append(self.string(" else "));
        match otherwise.statements.as_slice() {
            [Statement { kind: StatementKind::If { condition, then, otherwise: last }, span, .. }]
                if !self.has_comments_around(*span, otherwise.span) =>
            {
                doc.append(self.if_statement(condition, then, last.as_ref()))
            }
            _ => doc.append(self.block(otherwise)),
        }
    }

    /// Tests whether comments stand in a block outside its only statement.
    fn has_comments_around(&self, statement: Span, block: Span) -> bool {
        let inside = self.comments.iter().take_while(|comment| comment.span.start < block.end.max(statement.start));
        inside.into_iter().any(|comment| comment.span.start < statement.start || comment.span.start >= statement.end)
    }

    fn match_statement(&mut self, subject: &Expr, arms: &[Arm<Block>], end: u32) -> Doc<'a> {
        let head = self.string("match ").append(self.head(subject)).append(self.string("{"));
        let first = arms.first().map_or(end, |arm| arm.span.start);
        let head = head.append(self.trailing_comment(subject.span, first));
        match self.lines(arms, end) {
            Some(lines) => {
                let hardline = self.layout.hardline();
                let lines = hardline.clone().append(lines).nest(INDENT).append(hardline);
                head.append(lines).append(self.string("}"))
            }
            None => head.append(self.layout.line_()).append(self.string("}")).group(),
        }
    }
}

/// Tests whether a block may stand on one line, with at most this many blocks within each other: itself included, empty ones not
/// counted.
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
        | StatementKind::Return
        | StatementKind::Error => true,
    }
}
