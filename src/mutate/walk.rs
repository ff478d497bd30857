//! The walk over a specification that collects changes.
//!
//! In `assume 0 <= n;` the condition restricts choices: changes after which it holds in fewer cases are left out there.

use rustc_hash::{FxHashMap, FxHashSet};

use super::change::{ChangeWalk, LeftOut, Strength, TextChange, key};
use super::{expressions, statements};
use crate::spec::Spec;
use crate::syntax::AnyNode;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, ItemKind, MemberKind, StatementKind, UnaryOp};

/// All changes of a specification, including those after which it does not compile.
pub(super) fn changes(spec: &Spec) -> Vec<TextChange> {
    let (checked, _) = spec.trees().check();
    let mut walk = ChangeWalk {
        spec,
        checked: &checked,
        kept: FxHashSet::default(),
        left_out: None,
        negated: None,
        idle: FxHashMap::default(),
        larger: FxHashMap::default(),
        idle_procs: FxHashSet::default(),
        found: Vec::new(),
    };
    for item in spec.trees().files.iter().flat_map(|file| &file.items) {
        match &item.kind {
            ItemKind::Function { .. } => walk.visit(AnyNode::Item(item)),
            ItemKind::Machine { name, body } if name.text == spec.program.name => {
                statements::last_answers(body, &mut walk.kept);
                walk.visit(AnyNode::Item(item));
            }
            ItemKind::Protocol { name, members, .. } if name.text == spec.program.name => {
                for member in members {
                    if let MemberKind::On { body, .. } | MemberKind::Proc { body, .. } = &member.kind {
                        statements::last_answers(body, &mut walk.kept);
                    }
                    if let MemberKind::Proc { name, body, .. } = &member.kind
                        && statements::may_be_idle(body)
                    {
                        walk.idle_procs.insert(&name.text);
                    }
                }
                walk.visit(AnyNode::Item(item));
            }
            ItemKind::Machine { .. } | ItemKind::Protocol { .. } | ItemKind::Use(_) | ItemKind::Const { .. } => {}
            ItemKind::Alias { .. } | ItemKind::Token(_) | ItemKind::Struct { .. } | ItemKind::Enum { .. } => {}
        }
    }
    // Of equal changes at one place, only the first is kept.
    let mut known = FxHashSet::default();
    walk.found.retain(|change| known.insert((key(change.span), change.with.clone())));
    walk.found
}
impl<'t> ChangeWalk<'t> {
    fn visit(&mut self, node: AnyNode<'t>) {
        if let AnyNode::Statement(statement) = node {
            if let StatementKind::Expects(_) = statement.kind {
                return;
            }
            statements::change(self, statement);
        }
        if let AnyNode::Arm(arm) = node {
            statements::change_guard(self, arm);
        }
        if let AnyNode::Expr(expr) = node {
            expressions::change(self, expr);
        }
        if let AnyNode::Expr(Expr { kind: ExprKind::Unary(UnaryOp::Not, inner), .. }) = node {
            self.negated = Some(inside_parentheses(inner).id);
        }
        let around = self.left_out;
        for child in node.children() {
            self.left_out = inside(node, child, around);
            match picked_range(node, child) {
                Some([from, to]) => {
                    let [lower, higher] = [expressions::lower(self, from), expressions::higher(self, to)];
                    self.replace(from, lower, Strength::Weaker);
                    self.replace(to, higher, Strength::Weaker);
                }
                None => self.visit(child),
            }
        }
        self.left_out = around;
    }
}

fn inside_parentheses(expr: &Expr) -> &Expr {
    if let ExprKind::Paren(inner) = &expr.kind { inside_parentheses(inner) } else { expr }
}

/// The changes to leave out in a part of a node, computed from those to leave out in the node.
fn inside(node: AnyNode<'_>, child: AnyNode<'_>, around: LeftOut) -> LeftOut {
    let AnyNode::Expr(child) = child else { return None };
    match node {
        AnyNode::Statement(statement) => match &statement.kind {
            StatementKind::Assume(_) => Some(Strength::Stronger),
            _ => None,
        },
        AnyNode::Expr(expr) => match &expr.kind {
            ExprKind::ChooseWhere { condition, .. } | ExprKind::PickWhere { condition, .. } => {
                std::ptr::eq(&**condition, child).then_some(Strength::Stronger)
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) | ExprKind::Paren(_) => around,
            // A compared number: its effect on the comparison is noted for it.
            ExprKind::Binary(..) if matches!(child.kind, ExprKind::Int(_)) => around,
            ExprKind::Quantified { body, .. } if std::ptr::eq(&**body, child) => around,
            ExprKind::If { condition, .. } if !std::ptr::eq(&**condition, child) => around,
            ExprKind::Unary(UnaryOp::Not, _) => around.map(Strength::reversed),
            _ => None,
        },
        AnyNode::Item(_) | AnyNode::Member(_) | AnyNode::Arm(_) | AnyNode::Place(_) | AnyNode::Pattern(_) => None,
    }
}

/// The ends of the range that `pick` takes an element from, if the child is this range: only widening a range allows more.
fn picked_range<'t>(node: AnyNode<'t>, child: AnyNode<'t>) -> Option<[&'t Expr; 2]> {
    let (AnyNode::Expr(node), AnyNode::Expr(child)) = (node, child) else { return None };
    match (&node.kind, &child.kind) {
        (ExprKind::Pick(over) | ExprKind::PickWhere { over, .. }, ExprKind::Range(from, to)) => {
            std::ptr::eq(&**over, child).then_some([&**from, &**to])
        }
        _ => None,
    }
}
