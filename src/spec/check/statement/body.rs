//! Bodies: one expression in constants, functions and initial values, statements in the members of a protocol.
//!
//! If the body of `on q { reply x; }` has an error, it gets no warnings.

use super::duty::PatternCheck;
use super::effect::{BodyKind, Effects};
use super::locals::{Binder, Locals};
use super::unit;
use crate::diagnostic::Diagnostic;
use crate::spec::check::checked::Param;
use crate::spec::check::context::{Checker, Want};
use crate::syntax::ast::Expr;

/// Makes parameters visible.
pub(crate) fn bind_params<'a>(cx: &mut Checker<'a>, params: &[Param<'a>]) {
    for param in params {
        cx.bind(param.name, param.ty, Binder::Parameter);
    }
}

/// Checks the body of a constant or function.
pub(crate) fn item<'a>(cx: &mut Checker<'a>, params: &[Param<'a>], value: &'a Expr, want: Want) {
    body(cx, BodyKind::Item, |cx| {
        bind_params(cx, params);
        unit(cx, value, want);
    });
}

/// Checks a body in a scope of its own; returns its effects.
pub(crate) fn body<'a>(cx: &mut Checker<'a>, kind: BodyKind, work: impl FnOnce(&mut Checker<'a>)) -> Effects {
    let (reports, duties) = (cx.reports.len(), cx.duties.len());
    cx.locals = Locals::default();
    cx.body = kind;
    cx.tainted = false;
    cx.scoped(work);
    if cx.tainted || cx.reports[reports..].iter().any(Diagnostic::is_error) {
        let found = cx.reports.split_off(reports);
        cx.reports.extend(found.into_iter().filter(Diagnostic::is_error));
        let found = cx.duties.split_off(duties);
        cx.duties.extend(found.into_iter().filter(PatternCheck::is_error));
    }
    std::mem::take(&mut cx.effects)
}
