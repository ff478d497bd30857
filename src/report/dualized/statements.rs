//! A validator statement by statement: the rules of Figure 3.1 applied to the handlers as they are written.
//!
//! `if c { reply x; } reply y;` becomes two cases: `cs  c`, `a = x`; and `cs  !(c)`, `a = y`. Loops stay loops.

use super::Page;
use crate::diagnostic::{FileId, Span};
use crate::syntax::ast::{Arm, Block, Expr, Item, ItemKind, Member, MemberKind, NodeId};
use crate::syntax::ast::{Pattern, PatternKind, Statement, StatementKind, Trigger};
use crate::syntax::{on_one_line, parse};

/// Statements nested deeper than this are quoted as they stand.
const DEPTH: usize = 40;

/// Writes the initial state, and each handler.
pub(super) fn write(page: &mut Page<'_>) {
    let Some(item) = protocol(page) else { return };
    let ItemKind::Protocol { members, .. } = &item.kind else { return };
    page.line("initially, one state; cs = {}");
    for member in members {
        if let MemberKind::Var { name, value, .. } = &member.kind {
            let text = format!("  vs!{} = {}", name.text, page.code(value.span));
            page.fresh(2, value.span);
            page.numbered(&text, value.span);
        }
    }
    page.line("");
    page.line("step (q, a), from each state (vs, cs); the first handler that fits q is taken");
    page.line("(a variable v of the server stands for #(vs!v), each fresh symbol for any value of its type)");
    for member in members {
        page.member(member);
    }
}

/// The protocol's tree.
fn protocol(page: &Page<'_>) -> Option<Item> {
    let sources = &page.spec.sources;
    let mut items = (0..sources.len()).flat_map(|file| {
        let file = FileId(file as u32);
        parse(sources.text(file), file, NodeId(0)).file.items
    });
    items.find(|item| match &item.kind {
        ItemKind::Protocol { name, .. } => name.text == page.spec.program.name,
        _ => false,
    })
}

impl Page<'_> {
    fn member(&mut self, member: &Member) {
        match &member.kind {
            MemberKind::On { trigger: Trigger::Request(pattern), from, guard, body } => {
                self.line("");
                let from = from.as_ref().map_or(String::new(), |name| format!(" from {}", name.text));
                self.line(format!("  on {}{from}", self.code(pattern.span)));
                if let Some(guard) = guard {
                    self.at(2, "cs", &self.code(guard.span), guard.span);
                }
                self.block(2, body);
            }
            MemberKind::Proc { name, body, .. } => {
                self.line("");
                self.line(format!("  proc {}", name.text));
                self.block(2, body);
            }
            MemberKind::Step(body) => {
                self.line("");
                self.line("  by itself, any number of times before a request; the states before stay");
                self.block(2, body);
            }
            MemberKind::Request(_) | MemberKind::Response(_) | MemberKind::Var { .. } => {}
            MemberKind::On { .. } | MemberKind::Peer { .. } => {}
        }
    }

    /// The code at a place, on one line, without comments.
    fn code(&self, span: Span) -> String {
        on_one_line(self.spec.sources.snippet(span))
    }

    fn at(&mut self, depth: usize, what: &str, text: &str, span: Span) {
        self.numbered(&format!("{:indent$}{what:<8}{text}", "", indent = depth * 2), span);
    }

    /// Tells which fresh symbols an expression brings.
    fn fresh(&mut self, depth: usize, span: Span) {
        let code = self.code(span);
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let choices: Vec<&str> = words.filter(|word| matches!(*word, "choose" | "pick" | "either")).collect();
        if !choices.is_empty() {
            let listed: Vec<String> =
                choices.iter().enumerate().map(|(at, word)| format!("#x{} for `{word}`", at + 1)).collect();
            self.line(format!("{:indent$}fresh   {}", "", listed.join(", "), indent = depth * 2));
        }
    }

    fn block(&mut self, depth: usize, block: &Block) {
        self.statements(depth, &block.statements);
    }

    fn statements(&mut self, depth: usize, statements: &[Statement]) {
        let Some((first, rest)) = statements.split_first() else { return };
        if depth > DEPTH {
            return self.line(format!("{:indent$}…", "", indent = depth * 2));
        }
        match &first.kind {
            StatementKind::If { condition, then, otherwise: None } if ends(then) => {
                self.case(depth, condition, then);
                self.at(depth, "cs", &opposite(&self.code(condition.span)), condition.span);
                self.statements(depth + 1, rest);
            }
            _ => {
                self.statement(depth, first);
                self.statements(depth, rest);
            }
        }
    }

    fn case(&mut self, depth: usize, condition: &Expr, block: &Block) {
        self.at(depth, "cs", &self.code(condition.span), condition.span);
        self.block(depth + 1, block);
    }

    fn statement(&mut self, depth: usize, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { .. } | StatementKind::Var { .. } => self.quoted(depth, "let", statement),
            StatementKind::Assign { place, value } => {
                self.fresh(depth, value.span);
                let text = format!("vs!{} := {}", self.code(place.span), self.code(value.span));
                self.at(depth, "vs", &text, span);
            }
            StatementKind::Reply(answer) => {
                self.fresh(depth, answer.span);
                let text = format!("a = {}", self.code(answer.span));
                self.at(depth, "cs", &text, span);
            }
            StatementKind::Assume(condition) => self.at(depth, "cs", &self.code(condition.span), span),
            StatementKind::Expects(condition) => self.at(depth, "duty", &self.code(condition.span), span),
            StatementKind::If { condition, then, otherwise } => {
                self.case(depth, condition, then);
                self.at(depth, "cs", &opposite(&self.code(condition.span)), condition.span);
                if let Some(block) = otherwise {
                    self.block(depth + 1, block);
                }
            }
            StatementKind::Match { subject, arms } => self.arms(depth, subject, arms),
            StatementKind::Either(blocks) => {
                for (way, block) in blocks.iter().enumerate() {
                    self.at(depth, "way", &(way + 1).to_string(), block.span);
                    self.block(depth + 1, block);
                }
            }
            StatementKind::For { binder, over, body } => {
                let head = format!("{} in {}: each in turn", self.code(binder.span), self.code(over.span));
                self.at(depth, "for", &head, span);
                self.block(depth + 1, body);
            }
            StatementKind::While { condition, body } => {
                let head = format!("{}: once more, or its opposite and on", self.code(condition.span));
                self.at(depth, "while", &head, span);
                self.line(format!("{:indent$}        (without end: cut by a limit, unknown)", "", indent = depth * 2));
                self.block(depth + 1, body);
            }
            StatementKind::ProcCall { .. } => self.quoted(depth, "run", statement),
            StatementKind::Return => self.quoted(depth, "", statement),
            StatementKind::PeerCall(_)
            | StatementKind::Close(_)
            | StatementKind::Send { .. }
            | StatementKind::Yield => {
                self.quoted(depth, "", statement);
            }
            StatementKind::Error => {}
        }
    }

    fn arms(&mut self, depth: usize, subject: &Expr, arms: &[Arm<Block>]) {
        let subject = self.code(subject.span);
        for (at, arm) in arms.iter().enumerate() {
            let guard = arm.guard.as_ref().map_or(String::new(), |guard| format!(" && {}", self.code(guard.span)));
            let distinct =
                head(&arm.pattern).is_some_and(|own| arms[..at].iter().all(|arm| differs(&arm.pattern, own)));
            let before = if distinct || at == 0 { "" } else { ", and none of those before" };
            let text = format!("{subject} is {}{guard}{before}", self.code(arm.pattern.span));
            self.at(depth, "cs", &text, arm.pattern.span);
            self.block(depth + 1, &arm.body);
        }
    }

    fn quoted(&mut self, depth: usize, what: &str, statement: &Statement) {
        self.fresh(depth, statement.span);
        let code = self.code(statement.span);
        let code = code.strip_prefix("let ").unwrap_or(&code).trim_end_matches(';').to_owned();
        self.at(depth, what, &code, statement.span);
    }
}

/// Tests whether every way through a block ends the handler.
fn ends(block: &Block) -> bool {
    block.statements.last().is_some_and(|last| match &last.kind {
        StatementKind::Reply(_) | StatementKind::Return => true,
        StatementKind::If { then, otherwise, .. } => ends(then) && otherwise.as_ref().is_some_and(ends),
        StatementKind::Match { arms, .. } => arms.iter().all(|arm| ends(&arm.body)),
        StatementKind::Either(blocks) => blocks.iter().all(ends),
        _ => false,
    })
}

/// The variant that a pattern asks for.
fn head(pattern: &Pattern) -> Option<&str> {
    match &pattern.kind {
        PatternKind::Name(name) if name.text.starts_with(char::is_uppercase) => Some(&name.text),
        PatternKind::Variant { name, .. } | PatternKind::Record { name, .. } => Some(&name.text),
        _ => None,
    }
}

/// Tests whether a pattern asks for another variant than this one.
fn differs(pattern: &Pattern, other: &str) -> bool {
    head(pattern).is_some_and(|own| own != other)
}

fn opposite(code: &str) -> String {
    format!("!({code})")
}
