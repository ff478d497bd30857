//! Changes of statements: one is deleted, two arms swap their bodies, a guard is dropped, another entry is written.
//!
//! `data[k] := v;` is deleted, or writes `data[k + "x"]`. `reply 0;` is deleted if another answer comes after it.

use rustc_hash::FxHashSet;

use super::change::{ChangeWalk, Strength};
use super::expressions;
use crate::spec::types::{INT, STRING};
use crate::syntax::AnyNode;
use crate::syntax::ast::{
    Arm, BinaryOp, Block, Expr, ExprKind, NodeId, PlaceExpr, PlaceRoot, PlaceStep, Statement, StatementKind,
};

/// Adds the answers with which a body ends, on each path.
pub(super) fn last_answers(body: &Block, last: &mut FxHashSet<NodeId>) {
    let Some(statement) = body.statements.last() else { return };
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => {
            [Some(then), otherwise.as_ref()].into_iter().flatten().for_each(|block| last_answers(block, last));
        }
        StatementKind::Match { arms, .. } => arms.iter().for_each(|arm| last_answers(&arm.body, last)),
        StatementKind::Either(blocks) => blocks.iter().for_each(|block| last_answers(block, last)),
        _ => _ = last.insert(statement.id),
    }
}

/// Adds the changes of a statement, without those of its parts.
pub(super) fn change(walk: &mut ChangeWalk<'_>, statement: &Statement) {
    match &statement.kind {
        StatementKind::Assign { place, value } => {
            if !may_stay(place, value) {
                delete(walk, statement);
            }
            change_key(walk, place);
            let same = walk.written(AnyNode::Place(place));
            walk.add_idle(value, same);
            expressions::change_shown(walk, value);
        }
        StatementKind::Reply(value) => {
            delete(walk, statement);
            expressions::change_shown(walk, value);
        }
        StatementKind::ReplyThen { answer, .. } => expressions::change_shown(walk, answer),
        StatementKind::ProcCall { name, .. } if walk.may_be_idle(&name.text) => {}
        StatementKind::ProcCall { .. }
        | StatementKind::PeerCall(_)
        | StatementKind::For { .. }
        | StatementKind::While { .. }
        | StatementKind::Assume(_)
        | StatementKind::Close(_)
        | StatementKind::Send { .. } => delete(walk, statement),
        StatementKind::If { condition, .. } => expressions::negate(walk, condition),
        StatementKind::Match { arms, .. } => {
            for pair in arms.windows(2) {
                change_bodies(walk, &pair[0], &pair[1]);
            }
        }
        StatementKind::Return(Some(value)) => expressions::change_shown(walk, value),
        StatementKind::Either(blocks) => keep_alone(walk, blocks),
        StatementKind::Let { .. }
        | StatementKind::Var { .. }
        | StatementKind::Expects(_)
        | StatementKind::Yield
        | StatementKind::Return(None)
        | StatementKind::Error => {}
    }
}

fn delete(walk: &mut ChangeWalk<'_>, statement: &Statement) {
    if !walk.kept.contains(&statement.id) {
        walk.delete(AnyNode::Statement(statement));
    }
}

/// Keeps the only statement of each alternative if another alternative is empty: the deletion would only take a choice away.
fn keep_alone(walk: &mut ChangeWalk<'_>, blocks: &[Block]) {
    if blocks.iter().any(|block| block.statements.is_empty()) {
        let alone = blocks.iter().filter(|block| block.statements.len() == 1);
        walk.kept.extend(alone.flat_map(|block| &block.statements).map(|statement| statement.id));
    }
}

/// Tests whether a body may change nothing.
pub(super) fn may_be_idle(body: &Block) -> bool {
    body.statements.iter().all(|statement| match &statement.kind {
        StatementKind::Assume(_) => true,
        StatementKind::Assign { place, value } => may_stay(place, value),
        _ => false,
    })
}

/// Drops the guard of an arm.
pub(super) fn change_guard(walk: &mut ChangeWalk<'_>, arm: &Arm<Block>) {
    if let Some(guard) = &arm.guard {
        walk.replace(guard, "true".to_owned(), Strength::Weaker);
    }
}

/// Swaps the bodies of two arms.
fn change_bodies(walk: &mut ChangeWalk<'_>, one: &Arm<Block>, other: &Arm<Block>) {
    let span = crate::diagnostic::Span { end: other.span.end, ..one.span };
    let [was, is] = [[one, other], [other, one]].map(|[body, next]| {
        let swapped =
            [Arm { body: body.body.clone(), ..one.clone() }, Arm { body: next.body.clone(), ..other.clone() }];
        swapped.map(|arm| walk.written(AnyNode::Arm(&arm))).join(" ")
    });
    walk.replace_part(span, &was, is);
}

/// Writes another entry of a map.
fn change_key(walk: &mut ChangeWalk<'_>, place: &PlaceExpr) {
    if let Some(PlaceStep::Index(key)) = place.path.first() {
        let ty = walk.checked.tables.type_of(key.id);
        let more = if ty == INT { "1" } else { "\"x\"" };
        if ty == INT || ty == STRING {
            let changed = format!("{} + {more}", walk.expr(key));
            walk.replace(key, changed, Strength::Other);
        }
    }
}

/// Tests whether an assignment may store the previous value: deleting it then only takes choices away.
fn may_stay(place: &PlaceExpr, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Choose(_) | ExprKind::Cell(0) => true,
        ExprKind::Paren(inner) => may_stay(place, inner),
        ExprKind::Either(alternatives) => alternatives.iter().any(|one| may_stay(place, one)),
        ExprKind::If { then, otherwise, .. } => may_stay(place, then) && may_stay(place, otherwise),
        ExprKind::Name(name) => {
            matches!(&place.root, PlaceRoot::Name(root) if place.path.is_empty() && root.text == name.text)
        }
        ExprKind::ChooseWhere { name, condition, .. } => match &place.root {
            PlaceRoot::Name(root) if place.path.is_empty() => holds_between_equals(condition, [&name.text, &root.text]),
            PlaceRoot::Name(_) | PlaceRoot::Cell(..) => false,
        },
        _ => false,
    }
}

/// Tests whether a condition certainly holds if these two names have the same value.
fn holds_between_equals(condition: &Expr, names: [&str; 2]) -> bool {
    let is_one = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if names.contains(&name.text.as_str()));
    match &condition.kind {
        ExprKind::Paren(inner) => holds_between_equals(inner, names),
        ExprKind::Binary(BinaryOp::And, a, b) => holds_between_equals(a, names) && holds_between_equals(b, names),
        ExprKind::Binary(BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq, a, b) => is_one(a) && is_one(b),
        _ => false,
    }
}
