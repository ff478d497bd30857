//! Scripts as plans: each request with the answers that must come before it is sent.
//!
//! A request waits for each answer before it in the script, unless another one of these requests has waited for it already.

use rustc_hash::FxHashMap;

use super::{Plan, PlannedAnswer, PlannedAsk, RecordedOutcome, Script, ScriptStep};
use crate::trace::{PeerEvent, PeerMessage};
use crate::value::Value;

impl Script {
    /// The plan of the script. Each request has the answers that must come before it, and requests are sent in this order.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        // The answers that the next request waits for, and the answers that each earlier request has waited for.
        let mut awaited: Vec<u64> = Vec::new();
        let mut waited: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
        let mut barriers: FxHashMap<u64, (u32, f64)> = FxHashMap::default();
        let (mut delay, mut restart, mut closes, mut barrier) = (0.0, false, Vec::new(), 0);
        for step in &self.steps {
            match step {
                ScriptStep::Ask { label, client, request } => {
                    let released = barriers.get(label).copied();
                    plan.asks.push(PlannedAsk {
                        label: *label,
                        client: *client,
                        request: request.clone(),
                        after: awaited.clone(),
                        delay: std::mem::take(&mut delay) + released.map_or(0.0, |(_, offset)| offset),
                        barrier: released.map(|(number, _)| number),
                        restart: std::mem::take(&mut restart),
                        closes: std::mem::take(&mut closes),
                    });
                    waited.insert(*label, awaited.clone());
                }
                ScriptStep::Await { seen: RecordedOutcome::Nothing, .. } | ScriptStep::Seen { .. } => {}
                ScriptStep::Await { label, .. } => {
                    let before = waited.get(label).map_or(&[][..], Vec::as_slice);
                    awaited.retain(|other| !before.contains(other) && other != label);
                    awaited.push(*label);
                }
                ScriptStep::Wait(seconds) => delay += seconds,
                ScriptStep::Together { labels, offsets } => {
                    barrier += 1;
                    let wait = std::mem::take(&mut delay);
                    let seconds = offsets.iter().map(|offset| wait + offset / 1000.0);
                    barriers.extend(labels.iter().copied().zip(seconds.map(|seconds| (barrier, seconds))));
                }
                ScriptStep::Close { client, .. } => closes.push(*client),
                ScriptStep::Restart => restart = true,
                ScriptStep::Peer(event) => plan.answers.extend(self.planned_answer(event)),
            }
        }
        plan
    }

    /// The planned answer of a peer for the end of a call, if its call is in the script.
    fn planned_answer(&self, end: &PeerEvent<Value>) -> Option<PlannedAnswer> {
        let answer = match &end.message {
            PeerMessage::Answer(answer) | PeerMessage::Sent(answer) => Some(answer.clone()),
            PeerMessage::Lost => None,
            PeerMessage::Call(_) => return None,
        };
        let is_call = |event: &&PeerEvent<Value>| event.peer == end.peer && event.exchange == end.exchange;
        let events =
            self.steps.iter().filter_map(|step| if let ScriptStep::Peer(event) = step { Some(event) } else { None });
        let (key, request) = events.filter(is_call).find_map(|event| match &event.message {
            PeerMessage::Call(request) => Some((event.key.clone(), request.clone())),
            _ => None,
        })?;
        Some(PlannedAnswer { peer: end.peer.clone(), key, request, answer })
    }
}
