//! Requests that may fail: in some state the specification is faulty, or the client breaks its duty.
//!
//! `if balances.get_or(from, -1) < amount { reply Fail; } balances[from] := balances[from] - amount;` is never faulty if
//! `amount >= 0`: the code alone does not show that, but a judge that starts in an unknown state does.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::options::Options;
use crate::judge::{Exchange, Judge, Observed};
use crate::limits;
use crate::spec::Spec;
use crate::spec::analysis::pure::RequestFacts;
use crate::value::Value;

/// The requests that may fail, and are kept apart; with more, any run may fail.
const REQUESTS: usize = 4_096;

/// The requests of a history whose service may fail.
pub(crate) struct Failures {
    spec: Arc<Spec>,
    /// The requests whose code may fail, with their client if it matters; each with whether it does fail, once that was asked.
    known: FxHashMap<(u64, Value), Option<bool>>,
    /// The context and the candidates of a judge that knows nothing of the state; made when it is first asked.
    any: Option<(Context, Vec<Candidate>)>,
}

impl Failures {
    /// No requests yet, of a specification.
    pub(crate) fn new(spec: &Arc<Spec>) -> Failures {
        Failures { spec: spec.clone(), known: FxHashMap::default(), any: None }
    }

    /// Notes a request of a client that is, or will be, served.
    pub(crate) fn note(&mut self, facts: &mut RequestFacts<'_>, client: u64, request: &Value) {
        if facts.may_fail(request) && self.known.len() <= REQUESTS {
            let client = if self.spec.program.names_clients { client } else { 0 };
            self.known.entry((client, request.clone())).or_default();
        }
    }

    /// Tests whether serving one of the requests that were noted may fail in some state.
    pub(crate) fn may_fail(&mut self) -> bool {
        if self.known.is_empty() {
            return false;
        }
        if self.known.len() > REQUESTS || RequestFacts::new(&self.spec.program).steps_may_fail() {
            return true;
        }
        let (spec, any) = (&self.spec, &mut self.any);
        self.known.iter_mut().any(|((client, request), fails)| {
            *fails.get_or_insert_with(|| {
                let (context, states) = any.get_or_insert_with(|| of_every_state(spec));
                let mut asked = context.clone();
                let exchange = Exchange { line: 1, client: *client, request: request.clone(), observed: Observed::Any };
                asked.after(states.clone(), &exchange);
                !asked.rejects_the_rest()
            })
        })
    }
}

fn of_every_state(spec: &Arc<Spec>) -> (Context, Vec<Candidate>) {
    let options = Options::default();
    Judge::of_any_state(spec, &Options { effort: options.effort / limits::TRIAL_SHARE, ..options }).into_parts()
}
