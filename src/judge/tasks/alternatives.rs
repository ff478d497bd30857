//! The messages and calls that could have been seen in the place of a rejected event.
//!
//! ```text
//! c1 Take    c2 Take    c1 2        the server may have answered c1 with 1 only: `2` is impossible, and `1` was possible
//! ```

use std::sync::Arc;

use super::composition::Composition;
use super::wire::RecordedEvent;
use crate::judge::Judge;
use crate::judge::candidate::Candidate;
use crate::judge::options::Options;
use crate::judge::tasks;
use crate::network::{Network, Observation, PacketOrder, moves};
use crate::process::PeerCall;
use crate::spec::Spec;
use crate::value::Value;

/// The answers that could have been seen in the place of a rejected one; for a rejected call, the calls of that peer, each its key with
/// its request. `None` if they are not all known, or not all found with this much work, in made terms.
#[must_use]
pub fn possible_instead(
    spec: &Arc<Spec>,
    network: &dyn Network,
    (before, (line, rejected)): (&[RecordedEvent], &RecordedEvent),
    (options, work): (&Options, u64),
) -> Option<Vec<Value>> {
    let options = &Options { effort: options.effort.min(work), ..options.clone() };
    let mut judge = Judge::new(spec.clone(), options.clone());
    for (line, observation) in before {
        judge.observe_over(network, *line, observation);
        if judge.is_cut() || judge.work_done() > work {
            return None;
        }
    }
    let Judge { mut context, mut frontier } = judge;
    let candidates = frontier.begin(&mut context, *line)?;
    let composed = Composition::new(spec, network, options);
    let ready = tasks::before(&mut context, composed, candidates, rejected);
    // A run that fails may show anything.
    if context.findings.found().is_some() || !ready.iter().all(Candidate::is_clean) {
        return None;
    }
    let mut possible: Vec<Value> = ready.iter().flat_map(|candidate| shown(composed, candidate, rejected)).collect();
    possible.sort_unstable();
    possible.dedup();
    possible.iter().all(Value::is_known).then_some(possible)
}

/// The messages or calls of a candidate that may be seen next in the place of an observation.
fn shown(composed: Composition<'_>, candidate: &Candidate, observation: &Observation) -> Vec<Value> {
    let process = &candidate.process;
    match observation {
        Observation::Answer(port, _) if moves::may_be_made(composed.network, &process.situation(), observation) => {
            let on_port = process.sent().iter().filter(|message| message.port == *port);
            let first = if composed.network.order() == PacketOrder::Free { usize::MAX } else { 1 };
            on_port.take(first).map(|message| message.value.clone()).collect()
        }
        Observation::Called(seen) => {
            let call = |place| process.clone().take_call(place, seen.exchange);
            let calls = process.unseen_calls().into_iter().filter_map(call).filter(|call| call.peer == seen.peer);
            calls.map(|PeerCall { key, request, .. }| Value::data(0, [key, request])).collect()
        }
        _ => Vec::new(),
    }
}
