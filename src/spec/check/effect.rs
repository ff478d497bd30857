//! The effects of bodies on the world: reply, call a peer, yield, expect. A step may do none of these, what runs when a
//! connection opens or closes may not reply; a proc may do what the bodies that run it may do.
//!
//! `step { p(); }` is an error if `proc p() { reply 0; }`, at the step's statement.

use super::context::{Body, Checker};
use crate::diagnostic::{Diagnostic, Span};

/// An effect that a body may have on the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Reply,
    Call,
    Yield,
    Expects,
}

const EFFECTS: [Effect; 4] = [Effect::Reply, Effect::Call, Effect::Yield, Effect::Expects];

/// The effects of one body: its own, and the procs that it runs, whose effects it has too.
#[derive(Clone, Default, Debug)]
pub(super) struct Effects {
    /// In its own statements (of procs only; others are judged at once).
    pub(super) own: Vec<(Effect, Span)>,
    /// The procs that it runs.
    pub(super) calls: Vec<(u32, Span)>,
}

impl Effect {
    fn name(self) -> &'static str {
        match self {
            Effect::Reply => "`reply`",
            Effect::Call => "`call`",
            Effect::Yield => "`yield`",
            Effect::Expects => "`expects`",
        }
    }
}

/// The name of a body in which an effect may not be.
fn forbidding(effect: Effect, body: Body) -> Option<&'static str> {
    match (body, effect) {
        (Body::Step, _) => Some("a `step`"),
        (Body::Connection, Effect::Reply) => Some("`on open` and `on close`"),
        (Body::Connection, Effect::Call | Effect::Yield | Effect::Expects) => None,
        (Body::Item | Body::Initial(_) | Body::Guard | Body::Request | Body::Proc(_), _) => None,
    }
}

/// The report of an effect in a body where it may not be.
pub(super) fn forbidden(effect: Effect, body: Body, span: Span) -> Option<Diagnostic> {
    let place = forbidding(effect, body)?;
    let report = Diagnostic::error(span, format!("{} is not allowed in {place}", effect.name()));
    Some(match effect {
        Effect::Reply => {
            report.label("expected a request to answer").help("`send c, e;` sends a message without a request")
        }
        Effect::Call | Effect::Yield => report.label("expected a handler or proc: a step happens at once"),
        Effect::Expects => report.label("expected a handler or proc: there is no client here"),
    })
}

impl Checker<'_> {
    /// Judges the procs that steps and connection handlers run, through the procs that these run.
    pub(super) fn check_effects(&mut self, procs: &[Effects], bodies: &[(Body, Effects)]) {
        let mut known: Vec<Vec<Effect>> =
            procs.iter().map(|proc| EFFECTS.into_iter().filter(|&effect| does(proc, effect)).collect()).collect();
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
        for (body, effects) in bodies {
            self.judge(*body, effects, &known, procs);
        }
    }

    fn judge(&mut self, body: Body, effects: &Effects, known: &[Vec<Effect>], procs: &[Effects]) {
        for &(callee, span) in &effects.calls {
            for &effect in &known[callee as usize] {
                let Some(report) = forbidden(effect, body, span) else { continue };
                let origin = procs[callee as usize].own.iter().find(|own| own.0 == effect);
                self.report(match origin {
                    Some(&(_, place)) => report.also(place, "the proc does it here"),
                    None => report,
                });
            }
        }
    }
}

fn does(proc: &Effects, effect: Effect) -> bool {
    proc.own.iter().any(|own| own.0 == effect)
}
