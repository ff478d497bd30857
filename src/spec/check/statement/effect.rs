//! The effects of bodies on the world: reply, call a peer, yield, expect, send, close a connection.
//!
//! `step { p(); }` is an error at this statement if `proc p() { reply 0; }`. A step may have none of the first four effects. The handlers
//! of `on open` and `on close` may not reply, and `on restart` may have no effects. A proc may have the effects that all bodies which run
//! it may have. The block after `then` has no effect except on the state.

use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::report::{mistake, noted};

/// The kind of body that is being checked; it decides which statements may stand in it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum BodyKind {
    /// The body of a constant or function.
    #[default]
    Item,
    /// The initial value of the variable of that number.
    Initial(u32),
    Request,
    Connection,
    Proc,
    Step,
    Restart,
    /// The block that follows an answer, `reply e then { .. }`.
    Then,
}

/// An effect that a body may have on the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyEffect {
    Reply,
    Call,
    Yield,
    Expects,
    Send,
    Close,
}

impl BodyEffect {
    /// The word that has the effect.
    fn name(self) -> &'static str {
        match self {
            BodyEffect::Reply => "reply",
            BodyEffect::Call => "call",
            BodyEffect::Yield => "yield",
            BodyEffect::Expects => "expects",
            BodyEffect::Send => "send",
            BodyEffect::Close => "close",
        }
    }
}

const EFFECTS: [BodyEffect; 6] =
    [BodyEffect::Reply, BodyEffect::Call, BodyEffect::Yield, BodyEffect::Expects, BodyEffect::Send, BodyEffect::Close];

/// The effects of one body: its own, and the procs that it calls, whose effects it also has.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effects {
    /// The effects of its own statements (for procs only; other bodies are checked at once).
    pub(crate) own: Vec<(BodyEffect, Span)>,
    /// The procs that it calls.
    pub(crate) calls: Vec<(u32, Span)>,
}

/// The report of an effect in a body where it may not be.
pub(crate) fn forbidden(effect: BodyEffect, body: BodyKind, span: Span) -> Option<Diagnostic> {
    let place = match (body, effect) {
        (BodyKind::Restart, _) => return Some(forbidden_at_restart(effect, span)),
        (BodyKind::Then, _) => return Some(forbidden_after_answer(effect.name(), span)),
        (_, BodyEffect::Send | BodyEffect::Close) => return None,
        (BodyKind::Step, _) => "a `step`",
        (BodyKind::Connection, BodyEffect::Reply) => "`on open` and `on close`",
        (BodyKind::Connection, BodyEffect::Call | BodyEffect::Yield | BodyEffect::Expects) => return None,
        (BodyKind::Item | BodyKind::Initial(_) | BodyKind::Request | BodyKind::Proc, _) => return None,
    };
    let expected = match effect {
        BodyEffect::Reply => "a request to answer",
        BodyEffect::Call | BodyEffect::Yield => "a handler or proc: a step happens at once",
        BodyEffect::Expects => "a handler or proc: there is no client here",
        BodyEffect::Send | BodyEffect::Close => return None,
    };
    let name = effect.name();
    let report = mistake(span, format!("`{name}` is not allowed in {place}"), format!("expected {expected}"));
    let reply = effect == BodyEffect::Reply;
    Some(if reply { report.help("`send c, e;` sends a message without a request") } else { report })
}

/// The report of a statement that may not stand after `then`.
pub(crate) fn forbidden_after_answer(name: &str, span: Span) -> Diagnostic {
    let report =
        mistake(span, format!("`{name}` is not allowed after `then`"), "expected a statement that ends at once");
    report
        .help("`reply e then { … }` says what holds of the answer and what it changes: with `assume`, `:=` and choices")
}

/// The report of an effect in `on restart`: at a restart there is no connection and no request.
fn forbidden_at_restart(effect: BodyEffect, span: Span) -> Diagnostic {
    let expected = match effect {
        BodyEffect::Reply => "a request to answer: none is under way after a restart",
        BodyEffect::Call | BodyEffect::Yield => "a handler: a restart happens at once",
        BodyEffect::Expects => "a handler: no client asks for a restart",
        BodyEffect::Send | BodyEffect::Close => "a connection: none is open after a restart",
    };
    let name = effect.name();
    let report = mistake(span, format!("`{name}` is not allowed in `on restart`"), format!("expected {expected}"));
    report.help("`on restart` says what may be lost: with `:=`, `either`, `choose` and `assume`")
}

/// The reports of steps and connection handlers that call procs with forbidden effects, directly or through other procs.
pub(crate) fn forbidden_calls(procs: &[Effects], bodies: &[(BodyKind, Effects)]) -> Vec<Diagnostic> {
    let known = all_effects(procs);
    let mut reports = Vec::new();
    for (body, effects) in bodies {
        for &(callee, span) in &effects.calls {
            for &effect in &known[callee as usize] {
                let origin = procs[callee as usize].own.iter().find(|own| own.0 == effect).map(|own| own.1);
                let report = forbidden(effect, *body, span);
                reports.extend(report.map(|report| noted(report, origin, "the proc does it here")));
            }
        }
    }
    reports
}

/// The effects of each proc and of all procs that it calls: the least fixed point.
fn all_effects(procs: &[Effects]) -> Vec<Vec<BodyEffect>> {
    let has = |proc: &Effects, effect| proc.own.iter().any(|own| own.0 == effect);
    let own = |proc| EFFECTS.into_iter().filter(|&effect| has(proc, effect)).collect();
    let mut known: Vec<Vec<BodyEffect>> = procs.iter().map(own).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, proc) in procs.iter().enumerate() {
            for &(callee, _) in &proc.calls {
                for effect in known[callee as usize].clone() {
                    if !known[index].contains(&effect) {
                        known[index].push(effect);
                        changed = true;
                    }
                }
            }
        }
    }
    known
}
