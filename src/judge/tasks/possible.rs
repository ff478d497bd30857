//! The answers that a request may have, whatever the state is.
//!
//! ```text
//! abs: -9 may be answered 9, and nothing else        a register: a Read may be answered any value, and no Done
//! ```

use rustc_hash::FxHashMap;

use super::composed::Composed;
use crate::judge::candidate::Candidate;
use crate::judge::frontier::Judge;
use crate::judge::{Exchange, Observed};
use crate::value::Value;

/// A judge of single exchanges in any state, and what it found out.
pub(crate) struct PossibleAnswers {
    judge: Judge,
    any: Vec<Candidate>,
    /// By the request and the answer.
    known: FxHashMap<Value, FxHashMap<Value, bool>>,
}

impl PossibleAnswers {
    /// A judge, if packets may be lost to make room, and all that a handler does with a request is to answer it.
    pub(crate) fn of(judge: &Judge, composed: Composed<'_>) -> Option<PossibleAnswers> {
        let program = &composed.spec.program;
        let is_needed = composed.loses && composed.network.counts_packets() && composed.counts_requests;
        if !is_needed || !program.answers_at_once() || program.names_clients {
            return None;
        }
        let mut judge = Judge::of_any_state(&judge.spec, &judge.options);
        let any = judge.take_candidates();
        Some(PossibleAnswers { judge, any, known: FxHashMap::default() })
    }

    /// Tests whether a request may have an answer; true if that was not found out.
    pub(crate) fn may_be(&mut self, request: &Value, answer: &Value) -> bool {
        if !request.is_known() || !answer.is_known() {
            return true;
        }
        if let Some(known) = self.known.get(request).and_then(|of_request| of_request.get(answer)) {
            return *known;
        }
        let observed = Observed::Answer(answer.clone());
        let exchange = Exchange { line: 1, client: 0, request: request.clone(), observed };
        let after = self.judge.after(self.any.clone(), &exchange);
        let may_be = !after.is_empty() || !self.judge.rejects_the_rest();
        self.known.entry(request.clone()).or_default().insert(answer.clone(), may_be);
        may_be
    }
}
