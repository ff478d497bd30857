//! The walk through a specification that collects changes.
//!
//! In `assume 0 <= n;` the condition is one that choices must satisfy: a change after which it holds less often is left out there.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{expressions, statements};
use crate::diagnostic::Span;
use crate::spec::Spec;
use crate::spec::check::Checked;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, ItemKind, MemberKind, NodeId, StatementKind, UnaryOp};
use crate::syntax::{AnyNode, on_one_line};

/// The longest text, in characters, that is told whole.
const TOLD: usize = 72;

/// A change of a text.
pub(super) struct Change {
    /// The place that is changed.
    pub span: Span,
    /// The text that stands there then.
    pub with: String,
    /// The change in words.
    pub words: String,
}

/// The effect of a change on how often a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strength {
    /// It holds more often.
    Weaker,
    /// It holds less often.
    Stronger,
    /// Neither is sure.
    Other,
}

impl Strength {
    /// The effect on the contrary.
    pub fn reversed(self) -> Strength {
        match self {
            Strength::Weaker => Strength::Stronger,
            Strength::Stronger => Strength::Weaker,
            Strength::Other => Strength::Other,
        }
    }
}

/// The changes that are left out at a place, as they only take choices away.
type LeftOut = Option<Strength>;

/// A place, as a key.
type Place = (u32, u32, u32);

fn key(span: Span) -> Place {
    (span.file.0, span.start, span.end)
}

/// Collects changes.
pub(super) struct ChangeWalk<'t> {
    pub spec: &'t Spec,
    pub checked: &'t Checked<'t>,
    /// The statements that are not left out: behind them a handler ends without an answer, or another alternative is the same without them.
    pub kept: FxHashSet<NodeId>,
    left_out: LeftOut,
    /// The operand of the last `!`.
    negated: Option<NodeId>,
    /// The texts that change nothing at a place: of another alternative, or of what the value is assigned to.
    idle: FxHashMap<Place, Vec<String>>,
    /// The effect of a larger number on the comparison that it stands in.
    larger: FxHashMap<Place, Strength>,
    /// The procs that may leave everything as it is.
    idle_procs: FxHashSet<&'t str>,
    found: Vec<Change>,
}

/// All changes of a specification, those included after which it does not compile.
pub(super) fn changes(spec: &Spec) -> Vec<Change> {
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
    // Equal changes of one place are told once, by what was found first.
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

    /// Tells a change of an expression, unless it only takes choices away, or changes nothing. Whether it is told.
    pub fn replace(&mut self, expr: &Expr, with: String, strength: Strength) -> bool {
        let is_idle = self.idle.get(&key(expr.span)).is_some_and(|idle| idle.contains(&with));
        let is_told = !is_idle && self.left_out.is_none_or(|left_out| left_out != strength);
        if is_told {
            let was = self.expr(expr);
            self.found.push(replaced(expr.span, &was, with));
        }
        is_told
    }

    /// Tells that a part becomes another one.
    pub fn replace_part(&mut self, span: Span, was: &str, with: String) {
        self.found.push(replaced(span, was, with));
    }

    /// Tells that a part is left out.
    pub fn delete(&mut self, node: AnyNode<'_>) {
        let was = self.written(node);
        self.found.push(Change { span: node.span(), with: String::new(), words: format!("delete `{}`", told(&was)) });
    }

    /// Tests whether an expression stands behind a `!`, which has the contrary.
    pub fn is_negated(&self, expr: &Expr) -> bool {
        self.negated == Some(expr.id)
    }

    /// Notes that this text changes nothing in the place of an expression.
    pub fn add_idle(&mut self, expr: &Expr, text: String) {
        self.idle.entry(key(expr.span)).or_default().push(text);
    }

    /// Notes the effect that a larger number in the place of an expression has on a condition.
    pub fn add_larger(&mut self, expr: &Expr, strength: Strength) {
        self.larger.insert(key(expr.span), strength);
    }

    /// The effect that a larger number in the place of an expression has on a condition.
    pub fn larger(&self, expr: &Expr) -> Strength {
        self.larger.get(&key(expr.span)).copied().unwrap_or(Strength::Other)
    }

    /// Tests whether a proc may leave everything as it is.
    pub fn may_be_idle(&self, proc: &str) -> bool {
        self.idle_procs.contains(proc)
    }

    /// A part as the formatter prints it, on one line.
    pub fn written(&self, node: AnyNode<'_>) -> String {
        on_one_line(node, self.spec.sources.text(node.span().file))
    }

    /// An expression as the formatter prints it, on one line.
    pub fn expr(&self, expr: &Expr) -> String {
        self.written(AnyNode::Expr(expr))
    }

    /// The text at a place, on one line.
    pub fn source(&self, span: Span) -> String {
        let text = self.spec.sources.text(span.file);
        let text = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn replaced(span: Span, was: &str, with: String) -> Change {
    let long = was.chars().count().max(with.chars().count()) > TOLD;
    let from = if long { differs_from(was, &with) } else { 0 };
    let dots = if from > 0 { "… " } else { "" };
    let words = format!("replace `{dots}{}` with `{dots}{}`", told(&was[from..]), told(&with[from..]));
    Change { span, words, with }
}

/// The beginning of the word before the one in which two texts differ first.
fn differs_from(one: &str, other: &str) -> usize {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map_or(0, |((at, _), _)| at);
    let words = one[..same].match_indices(' ').map(|(at, _)| at + 1);
    words.rev().nth(1).unwrap_or(0)
}

fn inside_parentheses(expr: &Expr) -> &Expr {
    if let ExprKind::Paren(inner) = &expr.kind { inside_parentheses(inner) } else { expr }
}

/// A text, its end left out where it is long.
pub(super) fn told(text: &str) -> String {
    match text.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// The changes that only take choices away in a part of a node, from those in the node.
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
            // A number that is compared: how the comparison changes is noted for it.
            ExprKind::Binary(..) if matches!(child.kind, ExprKind::Int(_)) => around,
            ExprKind::Quantified { body, .. } if std::ptr::eq(&**body, child) => around,
            ExprKind::If { condition, .. } if !std::ptr::eq(&**condition, child) => around,
            ExprKind::Unary(UnaryOp::Not, _) => around.map(Strength::reversed),
            _ => None,
        },
        AnyNode::Item(_) | AnyNode::Member(_) | AnyNode::Arm(_) | AnyNode::Place(_) | AnyNode::Pattern(_) => None,
    }
}

/// The ends of the range that something is picked from, where that is a child: only a wider one has more to pick.
fn picked_range<'t>(node: AnyNode<'t>, child: AnyNode<'t>) -> Option<[&'t Expr; 2]> {
    let (AnyNode::Expr(node), AnyNode::Expr(child)) = (node, child) else { return None };
    match (&node.kind, &child.kind) {
        (ExprKind::Pick(over) | ExprKind::PickWhere { over, .. }, ExprKind::Range(from, to)) => {
            std::ptr::eq(&**over, child).then_some([&**from, &**to])
        }
        _ => None,
    }
}
