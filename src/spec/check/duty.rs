//! What must hold of patterns once all types are known: matches should be exhaustive and without dead arms, `let` and its
//! like must always fit, some request should not be left without a handler.
//!
//! `match o { None => 0 }` lacks `Some(_)`, and `let Some(x) = o;` is an error.

use super::checked::Protocol;
use super::context::Checker;
use crate::diagnostic::Span;
use crate::syntax::ast::{Arm, Expr, NodeId, Pattern, Trigger};

/// Whether a row takes all that its pattern fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taking {
    All,
    /// What its guard lets through.
    Some,
}

/// Something to look at when all types are known.
#[derive(Clone, Debug)]
pub(super) enum Duty<'a> {
    /// The arms of a `match` on the node.
    Arms { subject: NodeId, span: Span, rows: Vec<(&'a Pattern, Taking)> },
    /// The handlers of a protocol.
    Handlers { protocol: &'a crate::syntax::ast::Name, rows: Vec<(&'a Pattern, Taking)> },
    /// A pattern of `let`, `for`, a quantifier or a comprehension.
    AlwaysFits(&'a Pattern),
    /// The pattern of `is`.
    Is(&'a Pattern),
}

impl<'a> Duty<'a> {
    pub(super) fn arms<Body>(subject: NodeId, span: Span, arms: &'a [Arm<Body>]) -> Duty<'a> {
        let rows = arms.iter().map(|arm| (&arm.pattern, taking(arm.guard.as_ref()))).collect();
        Duty::Arms { subject, span, rows }
    }

    pub(super) fn handlers(protocol: &Protocol<'a>) -> Duty<'a> {
        let rows = protocol.handlers.iter().filter_map(|handler| match handler.trigger {
            Trigger::Request(pattern) => Some((pattern, taking(handler.guard))),
            Trigger::Open(_) | Trigger::Close(_) => None,
        });
        Duty::Handlers { protocol: protocol.name, rows: rows.collect() }
    }

    /// Whether not to fulfil it is an error.
    pub(super) fn is_error(&self) -> bool {
        matches!(self, Duty::AlwaysFits(_))
    }
}

fn taking(guard: Option<&Expr>) -> Taking {
    if guard.is_some() { Taking::Some } else { Taking::All }
}

impl Checker<'_> {
    pub(super) fn fulfil_duties(&mut self) {}
}
