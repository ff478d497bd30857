//! The subject of a choice: the name of the variable, field or statement that it is for, to be shown to readers.
//!
//! In `n := choose int;` the subject is `n`, in `Tag { weak: choose }` it is `weak`, and in `reply choose int;` it is `reply`.

use super::emit::Emitter;
use crate::spec::code::Operand;
use crate::syntax::ast::{Expr, Pattern, PatternKind, PlaceExpr, PlaceRoot, PlaceStep};

/// Emits an expression whose choices have this subject.
pub(super) fn expr_for(e: &mut Emitter, subject: impl Into<String>, expr: &Expr) -> Operand {
    let outer = std::mem::replace(&mut e.subject, subject.into());
    let operand = e.expr(expr);
    e.subject = outer;
    operand
}

/// Notes the subject of the choice of the next instruction; `otherwise` if there is none.
pub(super) fn note_choice(e: &mut Emitter, otherwise: &str) {
    let subject = if e.subject.is_empty() { otherwise } else { &e.subject };
    e.context.subjects.insert(e.site, subject.to_owned());
}

/// The subject for a pattern: the names that it binds.
pub(super) fn of_pattern(pattern: &Pattern) -> String {
    match &pattern.kind {
        PatternKind::Name(name) => name.text.clone(),
        PatternKind::Tuple(parts) => format!("({})", parts.iter().map(of_pattern).collect::<Vec<_>>().join(", ")),
        PatternKind::Wildcard => "_".into(),
        _ => "let".into(),
    }
}

/// The subject for a place, such as `table[…].tag`.
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
