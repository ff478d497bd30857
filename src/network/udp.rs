//! Datagrams: requests and answers overtake each other, and may never arrive; with `duplication` one may arrive several times.
//!
//! ```text
//! c1 Put(1)   c1 Put(2) ──▶ Put(2), Put(1)          a lost message is one that is under way for ever
//! ```

use super::{Network, Observation, PacketOrder, ServerMove};
use crate::process::Situation;

/// Datagrams between the server and its clients.
#[derive(Clone, Copy, Default, Debug)]
pub struct Udp {
    /// Set if a message may be seen, and a request be read, any number of times.
    pub duplication: bool,
}

impl Network for Udp {
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool {
        if let Observation::Answer(port, _) = observation { situation.sent.contains(port) } else { true }
    }

    fn moves(&self, situation: &Situation, _: &Observation) -> Vec<ServerMove> {
        let arrived = (0..situation.arrived.len()).filter(|at| !situation.is_busy(situation.arrived[*at]));
        let received = arrived.map(ServerMove::Receive);
        let resumed = (0..situation.suspended.len()).map(ServerMove::Resume);
        received.chain(resumed).chain([ServerMove::Step]).collect()
    }

    fn order(&self) -> PacketOrder {
        PacketOrder::Free
    }

    fn loses(&self) -> bool {
        true
    }

    fn duplicates(&self) -> bool {
        self.duplication
    }
}
