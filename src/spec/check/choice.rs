//! Choices: their forms, and the constructs in which none may stand.
//!
//! `choose n: int where n > 0` is of type `int`; in its condition, in `any` and `all`, in a `fn`, a `const` and the guard
//! of a handler a choice is an error.

use super::collection::{Runs, elements};
use super::context::Checker;
use super::denote::denote;
use super::infer::Origin;
use super::locals::Binder;
use super::pattern::binder;
use super::report::mistake;
use crate::diagnostic::Span;
use crate::spec::types::TypeId;
use crate::syntax::ast::{Expr, Name, Pattern, Quantifier, TypeExpr};

/// The names of constructs in which no choice may stand, as a report gives them.
const ANY: &str = "an `any`";
const ALL: &str = "an `all`";

const PICKS: Runs = Runs::ListsAndSets("`pick`");

/// Reports a choice where none may stand.
pub(super) fn chooses(cx: &mut Checker, span: Span) {
    cx.watched.chooses = true;
    if let Some(place) = cx.choiceless {
        let message = format!("choices are not allowed in {place}");
        let report = mistake(span, message, "expected an expression that does not choose");
        cx.report(report.help(match place {
            ANY | ALL => {
                "choose first, and then use the value: `let x = choose int;`, or `let ys = [choose int for x in xs];`"
            }
            _ => "choices are allowed in handlers, procs, steps, `def`s and initial values",
        }));
    }
}

/// Checks something in which no choice may stand; the outermost such construct is the one that is reported.
pub(super) fn without_choices<'a>(cx: &mut Checker<'a>, place: &'static str, work: impl FnOnce(&mut Checker<'a>)) {
    let before = cx.choiceless;
    cx.choiceless = before.or(Some(place));
    work(cx);
    cx.choiceless = before;
}

/// `choose` and `choose T`
pub(super) fn choose(cx: &mut Checker, ty: Option<&TypeExpr>, span: Span) -> TypeId {
    chooses(cx, span);
    match ty {
        Some(written) => denote(cx, written),
        None => cx.infer.fresh(Origin::Choose, span),
    }
}

/// `choose x: T where e`
pub(super) fn choose_where<'a>(
    cx: &mut Checker<'a>,
    name: &'a Name,
    ty: &TypeExpr,
    condition: &'a Expr,
    span: Span,
) -> TypeId {
    let ty = choose(cx, Some(ty), span);
    chosen_where(cx, name, ty, condition)
}

/// `pick e`
pub(super) fn pick<'a>(cx: &mut Checker<'a>, over: &'a Expr, span: Span) -> TypeId {
    chooses(cx, span);
    elements(cx, over, PICKS)
}

/// `pick x in e where p`
pub(super) fn pick_where<'a>(
    cx: &mut Checker<'a>,
    name: &'a Name,
    over: &'a Expr,
    condition: &'a Expr,
    span: Span,
) -> TypeId {
    let ty = pick(cx, over, span);
    chosen_where(cx, name, ty, condition)
}

fn chosen_where<'a>(cx: &mut Checker<'a>, name: &'a Name, ty: TypeId, condition: &'a Expr) -> TypeId {
    cx.scoped(|cx| {
        cx.bind(name, ty, Binder::Binding);
        without_choices(cx, "a `where`", |cx| cx.condition(condition));
    });
    ty
}

/// `any x in e: p` and `all x in e: p`
pub(super) fn quantified<'a>(
    cx: &mut Checker<'a>,
    quantifier: Quantifier,
    element: &'a Pattern,
    over: &'a Expr,
    body: &'a Expr,
) {
    let place = if quantifier == Quantifier::Any { ANY } else { ALL };
    without_choices(cx, place, |cx| {
        let ty = elements(cx, over, Runs::ListsAndSets("`any` and `all`"));
        cx.scoped(|cx| {
            binder(cx, element, ty);
            cx.condition(body);
        });
    });
}
