//! Settings of a specification's constants under which a mutant may show a difference that it hides otherwise.
//!
//! `const FRESH: bool = true;` is also tried as false, and `const LARGEST: int = 1048576;` as 4: some differences only show in a store that
//! was not emptied, or at a limit that no test reaches.

use crate::scalar::Int;
use crate::spec::Spec;
use crate::syntax::ast::{Expr, ExprKind, ItemKind, UnaryOp};

/// The largest integer that a test may reach by counting; larger constants are replaced.
const LARGE: i64 = 64;
/// The value of the smallest large constant in a setting; each larger constant gets twice the value of the previous one.
const SMALL: i64 = 4;

/// Constants with their new values.
pub type Setting = Vec<(String, String)>;

/// The settings to try besides the original: each boolean inverted on its own, and all large integers replaced together. Constants that
/// were set from outside stay.
pub(super) fn settings(spec: &Spec) -> Vec<Setting> {
    let mut settings = Vec::new();
    let mut large: Vec<(Int, bool, &str)> = Vec::new();
    for item in spec.trees().files.iter().flat_map(|file| &file.items) {
        let ItemKind::Const { name, value, .. } = &item.kind else { continue };
        if spec.constants_set_to().any(|(set, _)| *set == name.text) {
            continue;
        }
        match (&value.kind, number(value)) {
            (ExprKind::Bool(value), _) => settings.push(vec![(name.text.clone(), (!value).to_string())]),
            (_, Some((number, is_negative))) if number > Int::from(LARGE) => {
                large.push((number, is_negative, &name.text));
            }
            _ => {}
        }
    }
    large.sort();
    let mut next = SMALL;
    let small = large.iter().map(|(_, is_negative, name)| {
        let value = if *is_negative { -next } else { next };
        next *= 2;
        ((*name).to_owned(), value.to_string())
    });
    let small: Setting = small.collect();
    settings.extend((!small.is_empty()).then_some(small));
    settings
}

/// The absolute value of an integer literal, and whether it is negative.
fn number(expr: &Expr) -> Option<(Int, bool)> {
    match &expr.kind {
        ExprKind::Int(number) => Some((number.clone(), false)),
        ExprKind::Unary(UnaryOp::Neg, inner) => number(inner).map(|(number, is_negative)| (number, !is_negative)),
        _ => None,
    }
}
