//! Quoting: the node of a tree at a place, printed on one line and without comments.
//!
//! For the place of the `0` in `if q <= n { reply 0; } // small` the quoted line is `if q <= n { reply 0; }`, and the quoted head is
//! `reply 0;`.

use super::ast::{
    Arm, Block, Clause, Expr, ExprKind, File, GatheredPart, Init, Item, ItemKind, Member, MemberKind, Pattern,
    PlaceExpr, PlaceStep, Rest, Statement, StatementKind,
};
use super::print::print_part;
use crate::diagnostic::Span;

/// A node of any kind.
#[derive(Clone, Copy)]
pub(crate) enum AnyNode<'t> {
    Item(&'t Item),
    Member(&'t Member),
    Statement(&'t Statement),
    Arm(&'t Arm<Block>),
    Place(&'t PlaceExpr),
    Pattern(&'t Pattern),
    Expr(&'t Expr),
}

/// The line of a file that a place is on: the outermost node that begins on it, up to a block that breaks.
pub(crate) fn quoted_line(file: &File, text: &str, place: Span) -> String {
    let around = around(file, place);
    let begins = |node: &&AnyNode<'_>| {
        let before = text.get(node.span().start as usize..place.start as usize);
        before.is_some_and(|before| !before.contains('\n'))
    };
    let node = around.iter().find(begins).or(around.last());
    node.map_or_else(String::new, |node| print_node(*node, text).lines().next().unwrap_or_default().to_owned())
}

/// The statement, arm or handler around a place, without its blocks.
pub(crate) fn quoted_head(file: &File, text: &str, place: Span) -> String {
    let around = around(file, place);
    let innermost = around.iter().rev().find(|node| !matches!(node, AnyNode::Expr(_) | AnyNode::Item(_)));
    match innermost.or(around.last()) {
        Some(AnyNode::Statement(statement)) => head(AnyNode::Statement(&without_blocks(statement)), text),
        Some(AnyNode::Arm(arm)) => {
            let body = Block { statements: Vec::new(), span: arm.body.span };
            head(AnyNode::Arm(&Arm { body, ..Arm::clone(arm) }), text)
        }
        Some(node) => print_node(*node, text).lines().next().unwrap_or_default().trim_end_matches(" {").to_owned(),
        None => String::new(),
    }
}

/// A node with empty blocks, printed without them.
fn head(node: AnyNode<'_>, text: &str) -> String {
    let printed = on_one_line(node, text);
    printed.strip_suffix(" {}").unwrap_or(&printed).to_owned()
}

fn without_blocks(statement: &Statement) -> Statement {
    let mut head = statement.clone();
    match &mut head.kind {
        StatementKind::If { then, otherwise, .. } => {
            then.statements.clear();
            *otherwise = None;
        }
        StatementKind::For { body, .. } | StatementKind::While { body, .. } => body.statements.clear(),
        StatementKind::ReplyThen { then, .. } => then.statements.clear(),
        StatementKind::Match { arms, .. } => arms.clear(),
        StatementKind::Either(blocks) => {
            blocks.truncate(1);
            blocks.iter_mut().for_each(|block| block.statements.clear());
        }
        _ => {}
    }
    head
}

/// The whole node on one line.
pub(crate) fn on_one_line(node: AnyNode<'_>, text: &str) -> String {
    print_node(node, text).lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The words of the choices in a node, in their order: `choose`, `pick` or `either`.
pub(crate) fn choices(node: AnyNode<'_>) -> Vec<&'static str> {
    let mut found = Vec::new();
    add_choices(node, &mut found);
    found
}

fn add_choices(node: AnyNode<'_>, found: &mut Vec<&'static str>) {
    let kind = if let AnyNode::Expr(expr) = node { Some(&expr.kind) } else { None };
    found.extend(match kind {
        Some(ExprKind::Choose(_) | ExprKind::ChooseWhere { .. }) => Some("choose"),
        Some(ExprKind::Pick(_) | ExprKind::PickWhere { .. }) => Some("pick"),
        Some(ExprKind::Either(_)) => Some("either"),
        _ => None,
    });
    node.children().into_iter().for_each(|child| add_choices(child, found));
    if let Some(ExprKind::Record { rest: Rest::Choose(..), .. }) = kind {
        found.push("choose");
    }
}

/// The nodes around a place, the outermost first, without protocols and machines.
fn around(file: &File, place: Span) -> Vec<AnyNode<'_>> {
    let mut around = Vec::new();
    let mut level: Vec<AnyNode<'_>> = file.items.iter().map(AnyNode::Item).collect();
    let contains = |node: &AnyNode<'_>| node.span().start <= place.start && place.end <= node.span().end;
    while let Some(node) = level.into_iter().find(contains) {
        level = node.children();
        let has_parts =
            matches!(node, AnyNode::Item(Item { kind: ItemKind::Protocol { .. } | ItemKind::Machine { .. }, .. }));
        around.extend((!has_parts).then_some(node));
    }
    around
}

fn print_node(node: AnyNode<'_>, text: &str) -> String {
    match node {
        AnyNode::Item(item) => print_part(item, text),
        AnyNode::Member(member) => print_part(member, text),
        AnyNode::Statement(statement) => print_part(statement, text),
        AnyNode::Arm(arm) => print_part(arm, text),
        AnyNode::Place(place) => print_part(place, text),
        AnyNode::Pattern(pattern) => print_part(pattern, text),
        AnyNode::Expr(expr) => print_part(expr, text),
    }
}

impl<'t> AnyNode<'t> {
    /// The place of the node.
    pub(crate) fn span(self) -> Span {
        match self {
            AnyNode::Item(item) => item.span,
            AnyNode::Member(member) => member.span,
            AnyNode::Statement(statement) => statement.span,
            AnyNode::Arm(arm) => arm.span,
            AnyNode::Place(place) => place.span,
            AnyNode::Pattern(pattern) => pattern.span,
            AnyNode::Expr(expr) => expr.span,
        }
    }

    /// The nodes directly inside of it; patterns and types are left out.
    pub(crate) fn children(self) -> Vec<AnyNode<'t>> {
        match self {
            AnyNode::Item(item) => match &item.kind {
                ItemKind::Const { value, .. } | ItemKind::Function { body: value, .. } => vec![AnyNode::Expr(value)],
                ItemKind::Machine { body, .. } => statements(body),
                ItemKind::Protocol { members, .. } => members.iter().map(AnyNode::Member).collect(),
                _ => Vec::new(),
            },
            AnyNode::Member(member) => match &member.kind {
                MemberKind::Var { value, .. } => vec![AnyNode::Expr(value)],
                MemberKind::On { guard, body, .. } => guarded(guard.as_ref(), body),
                MemberKind::Proc { body, .. } | MemberKind::Step(body) => statements(body),
                MemberKind::Generate(lines) => lines.iter().map(|line| AnyNode::Expr(&line.kind.value)).collect(),
                MemberKind::Request(_) | MemberKind::Response(_) | MemberKind::Peer { .. } | MemberKind::Http(_) => {
                    Vec::new()
                }
            },
            AnyNode::Statement(statement) => of_statement(statement),
            AnyNode::Arm(arm) => guarded(arm.guard.as_ref(), &arm.body),
            AnyNode::Place(place) => place.path.iter().filter_map(key).map(AnyNode::Expr).collect(),
            AnyNode::Pattern(_) => Vec::new(),
            AnyNode::Expr(expr) => of_expression(expr).into_iter().map(AnyNode::Expr).collect(),
        }
    }
}

fn statements(block: &Block) -> Vec<AnyNode<'_>> {
    block.statements.iter().map(AnyNode::Statement).collect()
}

fn guarded<'t>(guard: Option<&'t Expr>, body: &'t Block) -> Vec<AnyNode<'t>> {
    guard.map(AnyNode::Expr).into_iter().chain(statements(body)).collect()
}

fn key(step: &PlaceStep) -> Option<&Expr> {
    if let PlaceStep::Index(key) = step { Some(key) } else { None }
}

fn of_statement(statement: &Statement) -> Vec<AnyNode<'_>> {
    match &statement.kind {
        StatementKind::Let { value, .. } | StatementKind::Var { value, .. } => vec![AnyNode::Expr(value)],
        StatementKind::Assign { place, value } => vec![AnyNode::Place(place), AnyNode::Expr(value)],
        StatementKind::ProcCall { args, .. } => args.iter().map(AnyNode::Expr).collect(),
        StatementKind::If { condition, then, otherwise } => {
            let blocks = [Some(then), otherwise.as_ref()].into_iter().flatten();
            std::iter::once(AnyNode::Expr(condition)).chain(blocks.flat_map(statements)).collect()
        }
        StatementKind::Match { subject, arms } => {
            std::iter::once(AnyNode::Expr(subject)).chain(arms.iter().map(AnyNode::Arm)).collect()
        }
        StatementKind::For { over, body, .. } => guarded(Some(over), body),
        StatementKind::ReplyThen { answer, then } => guarded(Some(answer), then),
        StatementKind::While { condition, body } => guarded(Some(condition), body),
        StatementKind::Either(blocks) => blocks.iter().flat_map(statements).collect(),
        StatementKind::Send { to, message } => vec![AnyNode::Expr(to), AnyNode::Expr(message)],
        StatementKind::PeerCall(value)
        | StatementKind::Assume(value)
        | StatementKind::Expects(value)
        | StatementKind::Reply(value)
        | StatementKind::Close(value) => vec![AnyNode::Expr(value)],
        StatementKind::Return(value) => value.iter().map(AnyNode::Expr).collect(),
        StatementKind::Yield | StatementKind::Error => Vec::new(),
    }
}

/// The expressions directly inside of an expression, in the order of the text.
fn of_expression(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Text(_)
        | ExprKind::Bool(_)
        | ExprKind::Cell(_)
        | ExprKind::Name(_)
        | ExprKind::Choose(_)
        | ExprKind::EmptyBraces
        | ExprKind::Error => Vec::new(),
        ExprKind::ChooseWhere { condition: only, .. }
        | ExprKind::Pick(only)
        | ExprKind::Unary(_, only)
        | ExprKind::Is(only, _)
        | ExprKind::Field(only, _)
        | ExprKind::Paren(only) => vec![only],
        ExprKind::PickWhere { over: a, condition: b, .. }
        | ExprKind::Quantified { over: a, body: b, .. }
        | ExprKind::Binary(_, a, b)
        | ExprKind::Range(a, b)
        | ExprKind::Index(a, b) => vec![a, b],
        ExprKind::Either(all) | ExprKind::Tuple(all) | ExprKind::List(all) | ExprKind::Set(all) => all.iter().collect(),
        ExprKind::Call { args, .. } => args.iter().collect(),
        ExprKind::Method { receiver, args, .. } => std::iter::once(&**receiver).chain(args).collect(),
        ExprKind::Record { fields, .. } => values(fields).collect(),
        ExprKind::With { base, fields } => std::iter::once(&**base).chain(values(fields)).collect(),
        ExprKind::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
        ExprKind::ListComprehension { element, clauses } | ExprKind::SetComprehension { element, clauses } => {
            std::iter::once(&**element).chain(clauses.iter().map(asked)).collect()
        }
        ExprKind::MapComprehension { key, value, clauses } => {
            [&**key, &**value].into_iter().chain(clauses.iter().map(asked)).collect()
        }
        ExprKind::Gathered { parts, .. } => parts.iter().flat_map(of_part).collect(),
        ExprKind::Let { bindings, body } => bindings.iter().map(|(_, value)| value).chain([&**body]).collect(),
        ExprKind::If { condition, then, otherwise } => vec![condition, then, otherwise],
        ExprKind::Match { subject, arms } => {
            let arms = arms.iter().flat_map(|arm| arm.guard.iter().chain([&arm.body]));
            std::iter::once(&**subject).chain(arms).collect()
        }
        ExprKind::PeerCall { args, message, .. } => args.iter().chain([&**message]).collect(),
        ExprKind::PeerCalls { least, args, clauses, message, .. } => {
            let least = least.as_deref().into_iter();
            least.chain(args).chain(clauses.iter().map(asked)).chain([&**message]).collect()
        }
    }
}

fn values(fields: &[Init]) -> impl Iterator<Item = &Expr> {
    fields.iter().filter_map(|field| field.value.as_ref())
}

fn of_part(part: &GatheredPart) -> impl Iterator<Item = &Expr> {
    [&part.element].into_iter().chain(&part.value).chain(part.clauses.iter().map(asked))
}

fn asked(clause: &Clause) -> &Expr {
    match clause {
        Clause::For { over, .. } => over,
        Clause::If(condition) => condition,
    }
}
