//! The name of what a choice is for, as a reader of the specification would say it.
//!
//! In `n := choose int;` that is `n`, in `Tag { weak: choose }` it is `weak`, and in `reply choose int;` it is `reply`.

use super::emit::Emitter;
use crate::spec::code::Operand;
use crate::syntax::ast::{Expr, Pattern, PatternKind, PlaceExpr, PlaceRoot, PlaceStep};

/// Emits an expression whose choices are for what has this name.
pub(super) fn expr_for(e: &mut Emitter, subject: impl Into<String>, expr: &Expr) -> Operand {
    let outer = std::mem::replace(&mut e.subject, subject.into());
    let operand = e.expr(expr);
    e.subject = outer;
    operand
}

/// Notes what the choice of the next instruction is for; `otherwise` if nothing has said so.
pub(super) fn note_choice(e: &mut Emitter, otherwise: &str) {
    let subject = if e.subject.is_empty() { otherwise } else { &e.subject };
    e.context.subjects.insert(e.site, subject.to_owned());
}

/// The names that a pattern binds.
pub(super) fn of_pattern(pattern: &Pattern) -> String {
    match &pattern.kind {
        PatternKind::Name(name) => name.text.clone(),
        PatternKind::Tuple(parts) => format!("({})", parts.iter().map(of_pattern).collect::<Vec<_>>().join(", ")),
        PatternKind::Wildcard => "_".into(),
        _ => "let".into(),
    }
}

/// The place: `table[…].tag`.
pub(super) fn of_place(place: &PlaceExpr) -> String {
    let root = match &place.root {
        PlaceRoot::Name(name) => name.text.clone(),
        PlaceRoot::Cell(number, _) => format!("!{number}"),
    };
    place.path.iter().fold(root, |path, step| match step {
        PlaceStep::Field(name) => format!("{path}.{}", name.text),
        PlaceStep::Index(_) => format!("{path}[…]"),
    })
}
