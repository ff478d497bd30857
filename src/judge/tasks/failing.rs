//! Failing runs over a network: following those that explain later observations.
//!
//! ```text
//! c1 Add    c2 Take    c1 6        `c1 5` was sent, then `Take` broke its duty: `c1 6` is not seen before `c1 5`
//! ```
//!
//! A run may do anything once the client has broken its duty, or the specification was faulty; but the messages that it had sent stay
//! sent (proofs-notes/tasks.md, *Failing runs*).

use super::composition::Composition;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::tasks;
use crate::network::{Network, Observation, PacketOrder, moves};
use crate::process::Port;

/// Goes on with the failing runs that explain an observation.
pub(crate) fn observe(context: &mut Context, network: &dyn Network, observation: &Observation) {
    if context.findings.has_failure() {
        let spec = context.spec.clone();
        let composed = Composition::new(&spec, network, &context.options);
        let mut findings = std::mem::take(&mut context.findings);
        findings.follow(|state| following(context, composed, state, observation));
        // Comparing a message with the observed one may have been too hard.
        findings.merge(std::mem::take(&mut context.findings));
        context.findings = findings;
    }
}

/// The states of a failing run after an observation; none if it does not explain the observation.
fn following(
    context: &mut Context,
    composed: Composition<'_>,
    mut state: Candidate,
    observation: &Observation,
) -> Vec<Candidate> {
    let network = composed.network;
    if state.process.sent().is_empty() || network.duplicates() {
        // All that is under way may have been seen before, or never be.
        return vec![state];
    }
    match observation {
        Observation::Answer(port, answer) if is_awaited(composed, &state, *port) => {
            if !moves::may_be_made(network, &state.process.situation(), observation) {
                return Vec::new();
            }
            tasks::with_shown(context, composed, vec![state], *port, answer.as_ref())
        }
        Observation::Closed(port) if network.order() != PacketOrder::Free && is_awaited(composed, &state, *port) => {
            Vec::new()
        }
        Observation::Lost(port) | Observation::Closed(port) => {
            state.process.drop_sent(*port);
            vec![state]
        }
        Observation::Restart => {
            state.process.replace_sent(Vec::new());
            vec![state]
        }
        _ => vec![state],
    }
}

/// Tests whether a message that was sent must be seen before anything else on a connection.
fn is_awaited(composed: Composition<'_>, state: &Candidate, port: Port) -> bool {
    let is_global = composed.network.order() == PacketOrder::Global;
    state.process.sent().iter().any(|message| !message.is_endless && (is_global || message.port == port))
}
