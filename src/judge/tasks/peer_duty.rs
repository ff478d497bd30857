//! The client's duty, looked at ahead of the end of a call: an `expects` of the task that waits for the peer may forbid an answer.
//!
//! ```text
//! let a = call source, q; expects a != Some(0);      the answer 0 breaks the duty, and 1 keeps it
//! ```

use super::composition::Composition;
use super::run_section;
use crate::judge::Judge;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::findings::Findings;
use crate::judge::section::request::SymbolicRequest;
use crate::network::{Network, ServerMove, ServerSection};
use crate::process::{Port, Stack};
use crate::value::Value;

/// The candidates that are tried, and the sections of each.
const TRIED: usize = 8;
/// The first number of the calls that no peer has seen, when they are answered ahead of time.
const UNSEEN: u64 = u64::MAX / 2;

impl Judge {
    /// Tests whether the client keeps its duty, as far as the next sections of the waiting task show, if the call that a peer has seen
    /// under this number ends with an answer, or (`None`) as the peer fails. If the task waits for other calls, too, some answers to
    /// these must keep the duty.
    #[must_use]
    pub(crate) fn keeps_duty(&self, network: &dyn Network, exchange: u64, answer: Option<&Value>) -> bool {
        let (mut context, spec) = (self.context.clone(), self.context.spec.clone());
        self.frontier.begin_exchange(&mut context);
        let options = context.options.clone();
        let composed = Composition::new(&spec, network, &options);
        let mut tried = self.candidates().iter().take(TRIED);
        tried.all(|candidate| is_kept(&mut context, composed, candidate, exchange, answer))
    }
}

fn is_kept(
    context: &mut Context,
    composed: Composition<'_>,
    candidate: &Candidate,
    exchange: u64,
    answer: Option<&Value>,
) -> bool {
    let waits = |task: &Stack| task.calls.iter().any(|call| call.exchange == Some(exchange));
    let Some(port) = candidate.process.situation().suspended.into_iter().find(waits).map(|task| task.port) else {
        return true;
    };
    context.findings = Findings::default();
    let mut next = candidate.clone();
    match answer {
        Some(answer) => next.process.send_answer(exchange, answer),
        None => next.process.answer_call(exchange, None),
    };
    let is_last = ready(&next, port).is_some();
    if !is_last {
        answer_others(context, composed, &mut next, port);
    }
    let mut open = vec![next];
    for _ in 0..TRIED {
        let mut after = Vec::new();
        for candidate in &open {
            if let Some(at) = ready(candidate, port) {
                let resumed = ServerSection::Move(ServerMove::Resume(at));
                after.append(&mut run_section::moved(context, composed, candidate, resumed));
            }
        }
        if context.findings.may_be_outside() && (is_last || after.is_empty()) {
            return false;
        }
        if after.is_empty() || !is_last {
            return true;
        }
        open = after;
    }
    true
}

/// The place of the task of a connection, if it can go on.
fn ready(candidate: &Candidate, port: Port) -> Option<usize> {
    candidate.process.situation().suspended.iter().position(|task| task.port == port && task.may_go_on())
}

/// Gives any answers to the other calls for which the task of a connection waits.
fn answer_others(context: &mut Context, composed: Composition<'_>, candidate: &mut Candidate, port: Port) {
    for number in UNSEEN.. {
        let mut unseen = candidate.process.unseen_calls().into_iter();
        let Some(place) = unseen.find(|place| candidate.process.waiting(*place) == Some(port)) else {
            break;
        };
        if candidate.process.take_call(place, number).is_none() {
            break;
        }
    }
    let tasks = candidate.process.situation().suspended;
    let calls = tasks.iter().filter(|task| task.port == port).flat_map(|task| &task.calls);
    for (exchange, peer) in
        calls.filter(|call| !call.is_answer_sent).filter_map(|call| Some((call.exchange?, call.peer)))
    {
        let response = composed.spec.program.peers[peer as usize].response;
        let Some(filled) = SymbolicRequest::of_type(&Value::Any, composed.spec, response, &mut context.fresh) else {
            return;
        };
        candidate.process.send_answer(exchange, &filled.request);
        // Nothing else is known of the answer, so some value keeps the conditions on it.
        _ = filled.assume(candidate, &mut context.solver);
    }
}
