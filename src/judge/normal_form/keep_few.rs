//! Following few explanations after there were too many: what these explain is accepted, and all else is unknown.
//!
//! For example, if 4,096 sets of messages may be left in a queue, 32 of them are followed, spread over all. If these
//! still cost much, or stand for many states each, fewer are followed, and single states of them.

use super::forget;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::limits;
use crate::process::Limit;
use crate::term::Term;

/// Keeps few candidates if a limit on explanations has cut others off, and only clean ones if there are any.
pub(crate) fn keep(context: &mut Context, candidates: &mut Vec<Candidate>) {
    let is_too_many = |limit: Limit| matches!(limit, Limit::Effort | Limit::Memory(_) | Limit::Paths | Limit::Steps);
    if candidates.is_empty() || !context.findings.limit().is_some_and(|(limit, _)| is_too_many(limit)) {
        return;
    }
    if candidates.iter().any(Candidate::is_clean) {
        candidates.retain(Candidate::is_clean);
    }
    let costs_much = context.work.is_much(&context.solver);
    let (number, all) = (context.work.few(&context.solver), candidates.len());
    if all > number {
        let mut at = 0;
        candidates.retain(|_| {
            at += 1;
            // Spread evenly over all of them, from the first one on.
            (at - 1) * number % all < number
        });
    }
    if costs_much {
        candidates.iter_mut().for_each(|candidate| keep_one_state(context, candidate));
    }
}

/// Reduces a candidate to one of its states, if one is found.
fn keep_one_state(context: &mut Context, candidate: &mut Candidate) {
    let live = candidate.process.live(0).vars;
    // Any state will do: each exchange and each variable takes another one.
    let mut turn = context.counts.events as usize;
    let mut pick = |ways: usize| {
        turn += 1;
        turn % ways.max(1)
    };
    let Ok(model) = candidate.store.model(&[], &mut context.solver, &mut pick) else { return };
    let mut single = candidate.clone();
    for var in live {
        // A variable with many values is not guessed: an answer will say its value.
        let Some(value) = model.get(var).filter(|_| candidate.store.few_values(var, limits::CASES).is_some()) else {
            continue;
        };
        let is_value = Term::eq(&Term::var(var), &Term::constant(value.clone()));
        if single.assume(&is_value, None, &mut context.solver).is_err() {
            return;
        }
    }
    if single.is_clean() || !candidate.is_clean() {
        forget::dead(context, &mut single);
        *candidate = single;
    }
}
