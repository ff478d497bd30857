//! A validator statement by statement: the rules of Figure 3.1, applied to the source text of the handlers.
//!
//! `if c { reply x; } reply y;` becomes two cases: `cs  c`, `a = x`; and `cs  !(c)`, `a = y`. Loops stay loops.

use super::ValidatorPage;
use crate::diagnostic::{FileId, Span};
use crate::syntax::ast::{Arm, Block, Expr, Item, ItemKind, Member, MemberKind, NodeId};
use crate::syntax::ast::{Pattern, PatternKind, Statement, StatementKind, Trigger};
use crate::syntax::{AnyNode, choices, on_one_line, parse};

/// The greatest depth of statements that are translated; deeper ones are quoted as they are.
const DEPTH: usize = 40;

/// Writes the initial state, and each handler.
pub(super) fn write(page: &mut ValidatorPage<'_>) {
    let Some((file, item)) = protocol(page) else { return };
    let ItemKind::Protocol { members, .. } = &item.kind else { return };
    let mut rules = Rules { text: page.spec.sources.text(file), page };
    rules.members(members);
}

/// The rules of a protocol, as far as they are written to a page.
struct Rules<'p, 's> {
    page: &'p mut ValidatorPage<'s>,
    /// The source text that the positions in the protocol refer to.
    text: &'s str,
}
/// The syntax tree of the protocol, and its file.
fn protocol(page: &ValidatorPage<'_>) -> Option<(FileId, Item)> {
    let sources = &page.spec.sources;
    let mut items = (0..sources.len()).flat_map(|file| {
        let file = FileId(file as u32);
        parse(sources.text(file), file, NodeId(0)).file.items.into_iter().map(move |item| (file, item))
    });
    items.find(|(_, item)| match &item.kind {
        ItemKind::Protocol { name, .. } => name.text == page.spec.program.name,
        _ => false,
    })
}

impl Rules<'_, '_> {
    fn members(&mut self, members: &[Member]) {
        self.page.line("initially, one state; cs = {}");
        for member in members {
            if let MemberKind::Var { name, value, .. } = &member.kind {
                let text = format!("  vs!{} = {}", name.text, self.code(value));
                self.fresh(2, AnyNode::Expr(value));
                self.page.numbered(&text, value.span);
            }
        }
        self.page.line("");
        self.page.line("step (q, a), from each state (vs, cs); the first handler that fits q is taken");
        self.page.line("(a variable v of the server stands for #(vs!v), each fresh symbol for any value of its type)");
        for member in members {
            self.member(member);
        }
    }

    fn member(&mut self, member: &Member) {
        match &member.kind {
            MemberKind::On { trigger: Trigger::Request(pattern), from, guard, body } => {
                self.page.line("");
                let from = from.as_ref().map_or(String::new(), |name| format!(" from {}", name.text));
                self.page.line(format!("  on {}{from}", self.pattern(pattern)));
                if let Some(guard) = guard {
                    self.at(2, "cs", &self.code(guard), guard.span);
                }
                self.block(2, body);
            }
            MemberKind::On { trigger: Trigger::Restart(_), guard, body, .. } => {
                self.page.line("");
                self.page.line(format!("  {}", super::AT_RESTART));
                if let Some(guard) = guard {
                    self.page.line("    the state stays, unless");
                    self.at(2, "cs", &self.code(guard), guard.span);
                }
                self.block(2, body);
            }
            MemberKind::Proc { name, body, .. } => {
                self.page.line("");
                self.page.line(format!("  proc {}", name.text));
                self.block(2, body);
            }
            MemberKind::Step(body) => {
                self.page.line("");
                self.page.line("  by itself, any number of times before a request; the states before stay");
                self.block(2, body);
            }
            MemberKind::Request(_) | MemberKind::Response(_) | MemberKind::Var { .. } => {}
            MemberKind::On { .. } | MemberKind::Peer { .. } | MemberKind::Http(_) | MemberKind::Generate(_) => {}
        }
    }

    /// The expression on one line.
    fn code(&self, expr: &Expr) -> String {
        on_one_line(AnyNode::Expr(expr), self.text)
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        on_one_line(AnyNode::Pattern(pattern), self.text)
    }

    fn at(&mut self, depth: usize, what: &str, text: &str, span: Span) {
        self.page.numbered(&format!("{:indent$}{what:<8}{text}", "", indent = depth * 2), span);
    }

    /// Writes the fresh symbols for the choices in a node.
    fn fresh(&mut self, depth: usize, node: AnyNode<'_>) {
        let named = choices(node).into_iter().enumerate().map(|(at, word)| format!("#x{} for `{word}`", at + 1));
        let listed = named.collect::<Vec<_>>().join(", ");
        if !listed.is_empty() {
            self.page.line(format!("{:indent$}fresh   {listed}", "", indent = depth * 2));
        }
    }

    fn block(&mut self, depth: usize, block: &Block) {
        self.statements(depth, &block.statements);
    }

    fn statements(&mut self, depth: usize, statements: &[Statement]) {
        let Some((first, rest)) = statements.split_first() else { return };
        if depth > DEPTH {
            return self.page.line(format!("{:indent$}…", "", indent = depth * 2));
        }
        match &first.kind {
            StatementKind::If { condition, then, otherwise: None } if ends(then) => {
                self.case(depth, condition, then);
                self.at(depth, "cs", &opposite(&self.code(condition)), condition.span);
                self.statements(depth + 1, rest);
            }
            _ => {
                self.statement(depth, first);
                self.statements(depth, rest);
            }
        }
    }

    fn case(&mut self, depth: usize, condition: &Expr, block: &Block) {
        self.at(depth, "cs", &self.code(condition), condition.span);
        self.block(depth + 1, block);
    }

    fn statement(&mut self, depth: usize, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { .. } | StatementKind::Var { .. } => self.quoted(depth, "let", statement),
            StatementKind::Assign { place, value } => {
                self.fresh(depth, AnyNode::Expr(value));
                let text = format!("vs!{} := {}", on_one_line(AnyNode::Place(place), self.text), self.code(value));
                self.at(depth, "vs", &text, span);
            }
            StatementKind::Reply(answer) => {
                self.fresh(depth, AnyNode::Expr(answer));
                let text = format!("a = {}", self.code(answer));
                self.at(depth, "cs", &text, span);
            }
            StatementKind::ReplyThen { answer, then } => {
                self.fresh(depth, AnyNode::Expr(answer));
                let text = format!("a = {}", self.code(answer));
                self.at(depth, "cs", &text, span);
                self.block(depth, then);
            }
            StatementKind::Assume(condition) => self.at(depth, "cs", &self.code(condition), span),
            StatementKind::Expects(condition) => self.at(depth, "duty", &self.code(condition), span),
            StatementKind::If { condition, then, otherwise } => {
                self.case(depth, condition, then);
                self.at(depth, "cs", &opposite(&self.code(condition)), condition.span);
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
                let head = format!("{} in {}: each in turn", self.pattern(binder), self.code(over));
                self.at(depth, "for", &head, span);
                self.block(depth + 1, body);
            }
            StatementKind::While { condition, body } => {
                let head = format!("{}: once more, or its opposite and on", self.code(condition));
                self.at(depth, "while", &head, span);
                self.page.line(format!(
                    "{:indent$}        (without end: cut by a limit, unknown)",
                    "",
                    indent = depth * 2
                ));
                self.block(depth + 1, body);
            }
            StatementKind::ProcCall { .. } => self.quoted(depth, "run", statement),
            StatementKind::Return(_) => self.quoted(depth, "", statement),
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
        let subject = self.code(subject);
        for (at, arm) in arms.iter().enumerate() {
            let guard = arm.guard.as_ref().map_or(String::new(), |guard| format!(" && {}", self.code(guard)));
            let distinct =
                head(&arm.pattern).is_some_and(|own| arms[..at].iter().all(|arm| differs(&arm.pattern, own)));
            let before = if distinct || at == 0 { "" } else { ", and none of those before" };
            let text = format!("{subject} is {}{guard}{before}", self.pattern(&arm.pattern));
            self.at(depth, "cs", &text, arm.pattern.span);
            self.block(depth + 1, &arm.body);
        }
    }

    fn quoted(&mut self, depth: usize, what: &str, statement: &Statement) {
        let node = AnyNode::Statement(statement);
        self.fresh(depth, node);
        let printed = on_one_line(node, self.text);
        let code = printed.strip_suffix(';').unwrap_or(&printed);
        self.at(depth, what, code.strip_prefix("let ").unwrap_or(code), statement.span);
    }
}

/// Tests whether every path through a block ends the handler.
fn ends(block: &Block) -> bool {
    block.statements.last().is_some_and(|last| match &last.kind {
        StatementKind::Reply(_) | StatementKind::ReplyThen { .. } | StatementKind::Return(_) => true,
        StatementKind::If { then, otherwise, .. } => ends(then) && otherwise.as_ref().is_some_and(ends),
        StatementKind::Match { arms, .. } => arms.iter().all(|arm| ends(&arm.body)),
        StatementKind::Either(blocks) => blocks.iter().all(ends),
        _ => false,
    })
}

/// The variant that a pattern matches.
fn head(pattern: &Pattern) -> Option<&str> {
    match &pattern.kind {
        PatternKind::Name(name) if name.text.starts_with(char::is_uppercase) => Some(&name.text),
        PatternKind::Variant { name, .. } | PatternKind::Record { name, .. } => Some(&name.text),
        _ => None,
    }
}

/// Tests whether a pattern matches another variant than this one.
fn differs(pattern: &Pattern, other: &str) -> bool {
    head(pattern).is_some_and(|own| own != other)
}

fn opposite(code: &str) -> String {
    format!("!({code})")
}
