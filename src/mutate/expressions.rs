//! Changes of expressions: operators, conditions, literals, variants and values.
//!
//! `q <= n` becomes `q < n` and `q > n`, `a && b` becomes `a || b`, `a` and `b`, `1` becomes `2` and `0`, and `NotFound` becomes the next
//! variant of its enum without fields.

use super::change::{ChangeWalk, Strength};
use crate::scalar::Int;
use crate::spec::check::Res;
use crate::spec::types::{BOOL, INT, STRING};
use crate::spec::{Type, TypeId};
use crate::syntax::AnyNode;
use crate::syntax::ast::{Arm, BinaryOp, Clause, Expr, ExprKind, Init, Name, Quantifier, Rest, TextLiteral, UnaryOp};

use Strength::{Other, Stronger, Weaker};

/// Adds the changes of an expression, without those of its parts.
pub(super) fn change(walk: &mut ChangeWalk<'_>, expr: &Expr) {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Text(_) | ExprKind::Bool(_) => change_literal(walk, expr),
        ExprKind::Binary(op, left, right) => change_binary(walk, expr, *op, [left, right]),
        ExprKind::Unary(UnaryOp::Not | UnaryOp::Neg, inner) => {
            let inner = walk.expr(inner);
            walk.replace(expr, inner, Other);
        }
        ExprKind::Name(name) => change_variant(walk, expr, "", name),
        ExprKind::Field(base, name) => {
            let base = format!("{}.", walk.expr(base));
            change_variant(walk, expr, &base, name);
        }
        ExprKind::Call { name, .. } => {
            change_variant(walk, expr, "", name);
            change_truth(walk, expr);
        }
        ExprKind::Method { receiver, name, .. } => {
            let before = walk.expr(receiver);
            change_variant(walk, expr, &format!("{before}."), name);
            if type_of(walk, receiver) == type_of(walk, expr) {
                walk.replace(expr, before, Other);
            }
            change_truth(walk, expr);
        }
        ExprKind::Record { qualifier, name, .. } => {
            let qualifier = qualifier.as_ref().map_or(String::new(), |qualifier| format!("{}.", qualifier.text));
            change_variant(walk, expr, &qualifier, name);
        }
        ExprKind::Is(..) => change_truth(walk, expr),
        ExprKind::Either(alternatives) => add_alternatives(walk, alternatives),
        ExprKind::ChooseWhere { ty, .. } => {
            let any = format!("choose {}", walk.source(ty.span));
            walk.replace(expr, any, Other);
        }
        ExprKind::PickWhere { over, .. } => {
            let any = format!("pick {}", walk.expr(over));
            walk.replace(expr, any, Other);
        }
        ExprKind::Quantified { .. } => change_quantifier(walk, expr),
        ExprKind::With { base, fields } => change_fields(walk, expr, base, fields),
        ExprKind::If { condition, .. } => negate(walk, condition),
        ExprKind::Match { arms, .. } => change_arms(walk, arms),
        ExprKind::ListComprehension { clauses, .. }
        | ExprKind::SetComprehension { clauses, .. }
        | ExprKind::MapComprehension { clauses, .. } => drop_conditions(walk, clauses),
        ExprKind::Gathered { parts, .. } => parts.iter().for_each(|part| drop_conditions(walk, &part.clauses)),
        ExprKind::Cell(_)
        | ExprKind::Choose(_)
        | ExprKind::Pick(_)
        | ExprKind::Range(..)
        | ExprKind::Index(..)
        | ExprKind::Tuple(_)
        | ExprKind::Paren(_)
        | ExprKind::List(_)
        | ExprKind::EmptyBraces
        | ExprKind::Set(_)
        | ExprKind::Map(_)
        | ExprKind::Let { .. }
        | ExprKind::PeerCall { .. }
        | ExprKind::PeerCalls { .. }
        | ExprKind::Error => {}
    }
}

fn type_of(walk: &ChangeWalk<'_>, expr: &Expr) -> TypeId {
    walk.checked.tables.type_of(expr.id)
}

/// Notes that replacing an alternative by another one is a mere deletion of the alternative.
fn add_alternatives(walk: &mut ChangeWalk<'_>, alternatives: &[Expr]) {
    let texts: Vec<String> = alternatives.iter().map(|one| walk.expr(one)).collect();
    for alternative in alternatives {
        texts.iter().for_each(|text| walk.add_idle(alternative, text.clone()));
    }
}

fn change_literal(walk: &mut ChangeWalk<'_>, expr: &Expr) {
    match &expr.kind {
        ExprKind::Int(number) => {
            let (one, larger) = (Int::from(1), walk.larger(expr));
            if !walk.replace(expr, number.add(&one).to_string(), larger) {
                walk.replace(expr, number.sub(&one).to_string(), larger.reversed());
            }
        }
        ExprKind::Text(TextLiteral { octets, .. }) => {
            let other = if octets.is_empty() { "\"x\"" } else { "\"\"" };
            walk.replace(expr, other.to_owned(), Other);
        }
        ExprKind::Bool(value) => {
            let strength = if *value { Stronger } else { Weaker };
            walk.replace(expr, (!value).to_string(), strength);
        }
        _ => {}
    }
}

/// The text of a number that is one less.
pub(super) fn lower(walk: &ChangeWalk<'_>, expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(number) => number.sub(&Int::from(1)).to_string(),
        _ => format!("{} - 1", walk.expr(expr)),
    }
}

/// The text of a number that is one more.
pub(super) fn higher(walk: &ChangeWalk<'_>, expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(number) => number.add(&Int::from(1)).to_string(),
        _ => format!("{} + 1", walk.expr(expr)),
    }
}

/// Notes the effect of larger operands on a comparison.
fn note_larger(walk: &mut ChangeWalk<'_>, op: BinaryOp, [left, right]: [&Expr; 2]) {
    let right_is_larger = match op {
        BinaryOp::Lt | BinaryOp::Le => Weaker,
        BinaryOp::Gt | BinaryOp::Ge => Stronger,
        _ => return,
    };
    walk.add_larger(right, right_is_larger);
    walk.add_larger(left, right_is_larger.reversed());
}

/// Replaces an operator by others, and the expression by its operands.
fn change_binary(walk: &mut ChangeWalk<'_>, expr: &Expr, op: BinaryOp, operands: [&Expr; 2]) {
    note_larger(walk, op, operands);
    let [left, right] = operands.map(|operand| walk.expr(operand));
    let with = |op: BinaryOp| format!("{left} {} {right}", op.sign());
    let others: &[(BinaryOp, Strength)] = match op {
        BinaryOp::Lt => &[(BinaryOp::Le, Weaker), (BinaryOp::Ge, Other)],
        BinaryOp::Le => &[(BinaryOp::Lt, Stronger), (BinaryOp::Gt, Other)],
        BinaryOp::Gt => &[(BinaryOp::Ge, Weaker), (BinaryOp::Le, Other)],
        BinaryOp::Ge => &[(BinaryOp::Gt, Stronger), (BinaryOp::Lt, Other)],
        BinaryOp::Eq => &[(BinaryOp::Ne, Other)],
        BinaryOp::Ne => &[(BinaryOp::Eq, Other)],
        BinaryOp::And => &[(BinaryOp::Or, Weaker)],
        BinaryOp::Or => &[(BinaryOp::And, Stronger)],
        BinaryOp::Add => &[(BinaryOp::Sub, Other)],
        BinaryOp::Sub | BinaryOp::Rem => &[(BinaryOp::Add, Other)],
        BinaryOp::Mul | BinaryOp::Div => &[(BinaryOp::Add, Other)],
        BinaryOp::Intersect => &[(BinaryOp::Add, Other), (BinaryOp::Sub, Other)],
        BinaryOp::In => &[],
    };
    for (other, strength) in others {
        let is_looser =
            matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Intersect) || op == BinaryOp::And;
        let changed = with(*other);
        let changed = if is_looser { format!("({changed})") } else { changed };
        walk.replace(expr, changed, *strength);
    }
    match op {
        BinaryOp::In if walk.is_negated(expr) => {}
        BinaryOp::In => _ = walk.replace(expr, format!("!({})", with(op)), Other),
        BinaryOp::And => [left, right].into_iter().for_each(|one| _ = walk.replace(expr, one, Weaker)),
        BinaryOp::Or => [left, right].into_iter().for_each(|one| _ = walk.replace(expr, one, Stronger)),
        BinaryOp::Intersect => [left, right].into_iter().for_each(|one| _ = walk.replace(expr, one, Other)),
        BinaryOp::Add if type_of(walk, expr) != INT => _ = walk.replace(expr, left, Other),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {}
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {}
    }
}

/// Replaces a variant by the next variant of its type without fields.
fn change_variant(walk: &mut ChangeWalk<'_>, expr: &Expr, qualifier: &str, name: &Name) {
    let Some(Res::Variant { ty, index }) = walk.checked.tables.resolution(name.id) else { return };
    let types = &walk.checked.types;
    let next = match types.get(ty) {
        Type::Option(_) if index == 1 => Some("None".to_owned()),
        Type::Enum(at) => {
            let variants = &types.enums[*at as usize].variants;
            let others = (1..variants.len()).map(|more| &variants[(index as usize + more) % variants.len()]);
            others
                .into_iter()
                .find(|variant| variant.fields.is_empty())
                .map(|variant| format!("{qualifier}{}", variant.name))
        }
        _ => None,
    };
    if let Some(next) = next {
        walk.replace(expr, next, Other);
    }
}

/// Negates a boolean expression.
fn change_truth(walk: &mut ChangeWalk<'_>, expr: &Expr) {
    if type_of(walk, expr) == BOOL && !is_constant(walk, expr) && !walk.is_negated(expr) {
        let written = walk.expr(expr);
        let contrary = if let ExprKind::Is(..) = expr.kind { format!("!({written})") } else { format!("!{written}") };
        walk.replace(expr, contrary, Other);
    }
}

fn is_constant(walk: &ChangeWalk<'_>, expr: &Expr) -> bool {
    let ExprKind::Name(name) = &expr.kind else { return false };
    matches!(walk.checked.tables.resolution(name.id), Some(Res::Const(_)))
}

/// Negates a condition that has no operator to change.
pub(super) fn negate(walk: &mut ChangeWalk<'_>, condition: &Expr) {
    if let ExprKind::Name(_) | ExprKind::Field(..) = condition.kind {
        change_truth(walk, condition);
    }
}

fn change_quantifier(walk: &mut ChangeWalk<'_>, expr: &Expr) {
    let ExprKind::Quantified { quantifier, .. } = &expr.kind else { return };
    let mut other = expr.clone();
    if let ExprKind::Quantified { quantifier: changed, .. } = &mut other.kind {
        *changed = match quantifier {
            Quantifier::Any => Quantifier::All,
            Quantifier::All => Quantifier::Any,
        };
    }
    let other = walk.expr(&other);
    walk.replace(expr, other, Other);
}

/// Leaves out each changed field of a `with`.
fn change_fields(walk: &mut ChangeWalk<'_>, expr: &Expr, base: &Expr, fields: &[Init]) {
    for left_out in 0..fields.len() {
        let mut fields = fields.to_vec();
        fields.remove(left_out);
        let kind = ExprKind::With { base: Box::new(base.clone()), fields: fields.clone() };
        let changed = if fields.is_empty() { walk.expr(base) } else { walk.expr(&Expr { kind, ..expr.clone() }) };
        walk.replace(expr, changed, Other);
    }
}

/// Swaps the results of two arms, or drops a guard.
fn change_arms(walk: &mut ChangeWalk<'_>, arms: &[Arm<Expr>]) {
    for pair in arms.windows(2) {
        let [one, other] = [&pair[0], &pair[1]].map(|arm| walk.expr(&arm.body));
        let firsts = [&pair[0], &pair[1]].map(|arm| {
            let guard = arm.guard.as_ref().map_or(String::new(), |guard| format!(" if {}", walk.expr(guard)));
            format!("{}{guard} =>", walk.written(AnyNode::Pattern(&arm.pattern)))
        });
        let span = crate::diagnostic::Span { end: pair[1].body.span.end, ..pair[0].span };
        let arms = |one: &str, other: &str| format!("{} {one}, {} {other}", firsts[0], firsts[1]);
        walk.replace_part(span, &arms(&one, &other), arms(&other, &one));
    }
    for guard in arms.iter().filter_map(|arm| arm.guard.as_ref()) {
        walk.replace(guard, "true".to_owned(), Other);
    }
}

/// Drops the conditions of a comprehension, so that it has all elements.
fn drop_conditions(walk: &mut ChangeWalk<'_>, clauses: &[Clause]) {
    for clause in clauses {
        if let Clause::If(condition) = clause {
            walk.replace(condition, "true".to_owned(), Other);
        }
    }
}

/// Replaces the value of an answer, an assignment or a `return`; literals have their own changes.
pub(super) fn change_shown(walk: &mut ChangeWalk<'_>, value: &Expr) {
    match &value.kind {
        ExprKind::Paren(inner) => change_shown(walk, inner),
        ExprKind::Call { name, args } if is_variant(walk, name) => args.iter().for_each(|arg| change_shown(walk, arg)),
        ExprKind::Method { name, args, .. } if is_variant(walk, name) => {
            args.iter().for_each(|arg| change_shown(walk, arg));
        }
        ExprKind::Record { fields, rest: Rest::Nothing | Rest::Choose(..), .. } => {
            fields.iter().for_each(|field| change_field(walk, field));
        }
        ExprKind::With { fields, .. } => fields.iter().for_each(|field| change_field(walk, field)),
        ExprKind::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|one| change_shown(walk, one)),
        ExprKind::Match { arms, .. } => arms.iter().for_each(|arm| change_shown(walk, &arm.body)),
        ExprKind::Either(all) | ExprKind::Tuple(all) => all.iter().for_each(|one| change_shown(walk, one)),
        ExprKind::Name(_)
        | ExprKind::Field(..)
        | ExprKind::Index(..)
        | ExprKind::Method { .. }
        | ExprKind::Call { .. } => {
            let written = walk.expr(value);
            if let Some(other) = other_value(walk, type_of(walk, value), &written) {
                walk.replace(value, other, Other);
            }
        }
        _ => {}
    }
}

fn change_field(walk: &mut ChangeWalk<'_>, field: &Init) {
    match &field.value {
        Some(value) => change_shown(walk, value),
        None => {
            let (name, ty) = (&field.name.text, walk.checked.tables.type_of(field.name.id));
            if let Some(other) = other_value(walk, ty, name) {
                walk.replace_part(field.name.span, name, format!("{name}: {other}"));
            }
        }
    }
}

fn is_variant(walk: &ChangeWalk<'_>, name: &Name) -> bool {
    matches!(walk.checked.tables.resolution(name.id), Some(Res::Variant { .. }))
}

/// The text of another value of the type, made from the text of a value.
fn other_value(walk: &ChangeWalk<'_>, ty: TypeId, value: &str) -> Option<String> {
    Some(match walk.checked.types.get(ty) {
        _ if ty == INT => format!("{value} + 1"),
        _ if ty == BOOL => format!("!{value}"),
        _ if ty == STRING => "\"\"".to_owned(),
        Type::Option(_) => "None".to_owned(),
        Type::List(_) => "[]".to_owned(),
        Type::Set(_) | Type::Map(..) => "{}".to_owned(),
        _ => return None,
    })
    .filter(|other| other != value)
}
