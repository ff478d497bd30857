//! The engine that judges a recording, and a recording that is there as a whole: the one place where this is decided.
//!
//! | events | specification | engine |
//! |---|---|---|
//! | whole exchanges, one after another (`sync`) | only answers | *exchanges*: step by step (`judge/step.rs`); if that is too hard, one run is looked for, deepest first |
//! | over TCP, or a network that behaves like it for these events | answers each request once, without steps of its own | *order*: an order of service (`search`) |
//! | all others | any | *network*: event by event (`judge/tasks`) |
//!
//! A [`Session`](super::Session) judges events one by one, with the engine that its network has. What is too hard so is judged once more when
//! the whole recording is there, as later answers are then known at each event.

use std::sync::Arc;

use super::proof::{ConcurrentEvidence, NetworkedEvidence, Proof};
use crate::judge::{Options, Verdict, judge_recorded, judge_within};
use crate::limits;
use crate::network::{NetworkChoice, most_outstanding};
use crate::reading::Observations;
use crate::search::{self, History};
use crate::spec::Spec;
use crate::trace::TraceEvent;
use crate::value::Value;

/// The engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    /// Step by step.
    Exchanges,
    /// An order of service.
    Order,
    /// Event by event.
    Network,
}

impl EngineKind {
    /// The engine that judges events over a network as they come.
    #[must_use]
    pub fn of(spec: &Arc<Spec>, net: NetworkChoice) -> EngineKind {
        if net.is_sync() && spec.asynchronous().is_empty() {
            EngineKind::Exchanges
        } else if net == NetworkChoice::TCP && is_order(&spec.for_networks()) {
            EngineKind::Order
        } else {
            EngineKind::Network
        }
    }
}

/// Tests whether an order of the requests explains everything that a server does over connections. The specification is compiled
/// for networks.
#[must_use]
pub fn is_order(spec: &Spec) -> bool {
    // An internal step may meet a fault at any time, so the search for an order would reject nothing.
    spec.program.steps.is_empty() && search::is_judged(spec)
}

/// Judges a recording over a network as a whole, for its verdict and evidence. The specification is compiled for networks.
pub(super) fn judged(
    spec: &Arc<Spec>,
    net: NetworkChoice,
    observed: Observations,
    options: &Options,
) -> Box<dyn Proof> {
    match as_history(spec, net, &observed) {
        Some(history) => Box::new(ConcurrentEvidence::of(spec, net, history, options)),
        None => Box::new(NetworkedEvidence::of(spec, net, observed, options)),
    }
}

/// The verdict on events as a whole that were too hard one by one; `None` if that decides nothing more.
pub fn judged_as_whole(
    spec: &Arc<Spec>,
    net: NetworkChoice,
    events: impl Iterator<Item = TraceEvent<Value>>,
    options: &Options,
) -> Option<Verdict> {
    let kind = EngineKind::of(spec, net);
    let composed = spec.for_networks();
    let observed = Observations::of(&composed, events).ok()?;
    if kind == EngineKind::Exchanges {
        return NetworkedEvidence::explained(&composed, net, observed, options).map(|found| found.judge.verdict());
    }
    if let Some(history) = as_history(&composed, net, &observed) {
        return Some(search::judge(spec, &history, options).verdict);
    }
    let (network, work) = (net.network(), options.effort.saturating_mul(limits::HISTORY_EFFORT));
    match judge_within(&composed, &*network, &observed.events, work, options).verdict() {
        // The first event that nothing explains may be a later one.
        Verdict::Reject { .. } => Some(judge_recorded(&composed, &*network, &observed.events, options).verdict()),
        verdict => Some(verdict),
    }
}

/// The observations as a history, if an order of requests alone explains them: the server answers each request once, and the
/// network behaves like TCP for them.
fn as_history(spec: &Arc<Spec>, net: NetworkChoice, observed: &Observations) -> Option<History> {
    let most = most_outstanding(observed.events.iter().map(|(_, observation)| observation));
    (is_order(spec) && net.is_like_tcp(most)).then(|| observed.history(spec))
}
