//! One queue in each direction: everything arrives in the order in which it was sent, from or to any client, after any delay, and nothing
//! is lost.
//!
//! ```text
//! c1 Read   c2 Read ──▶ the server reads the request of c1 first; its answer to c1 is seen before a later answer to c2
//! ```

use super::{Network, Observation, PacketOrder, ServerMove};
use crate::process::Situation;

/// A queue of requests and one of messages to clients.
#[derive(Clone, Copy, Default, Debug)]
pub struct Fifo;

impl Network for Fifo {
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool {
        if let Observation::Answer(port, _) = observation { situation.sent.first() == Some(port) } else { true }
    }

    fn moves(&self, situation: &Situation, observation: &Observation) -> Vec<ServerMove> {
        if let (Observation::Answer(port, _), Some(first)) = (observation, situation.sent.first())
            && first != port
        {
            // The first message stays the first, whatever the server does.
            return Vec::new();
        }
        let first = situation.arrived.first().filter(|port| !situation.is_busy(**port));
        let received = first.map(|_| ServerMove::Receive(0)).into_iter();
        received.chain((0..situation.suspended.len()).map(ServerMove::Resume)).chain([ServerMove::Step]).collect()
    }

    fn order(&self) -> PacketOrder {
        PacketOrder::Global
    }
}
