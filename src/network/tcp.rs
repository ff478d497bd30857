//! Connections: messages on one connection arrive in order, after any delay, and nothing is lost. Connections do not affect each other.
//! Any number of requests may be under way on each.
//!
//! ```text
//! c1 Read ──────────▶ │ the server reads the requests of c1 in their order,
//! c1 Read ──────▶     │ before or after those of c2
//! c2 Read ───────────▶│
//! ```

use super::{Network, Observation, ServerMove};
use crate::process::Situation;

/// A connection for each client.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tcp;

impl Network for Tcp {
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool {
        if let Observation::Answer(port, _) = observation { situation.sent.contains(port) } else { true }
    }

    fn moves(&self, situation: &Situation, _: &Observation) -> Vec<ServerMove> {
        let received = situation.first_arrived().filter(|at| !situation.is_busy(situation.arrived[*at]));
        let resumed = (0..situation.suspended.len()).map(ServerMove::Resume);
        received.map(ServerMove::Receive).chain(resumed).chain([ServerMove::Step]).collect()
    }
}
