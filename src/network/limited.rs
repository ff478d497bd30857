//! A network with room for few messages, or for few requests of each client.
//!
//! With one request outstanding a client sends the next one when nothing is under way on its connection any more, as one does that
//! waits for its answers.

use super::{Network, Observation, PacketOrder, ServerMove};
use crate::process::{Port, Situation};

/// PacketLimits on what is under way.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PacketLimits {
    /// So many messages each way.
    pub capacity: Option<usize>,
    /// So many requests of one connection that were not read, are being handled, or have an answer that was not seen.
    pub outstanding: Option<usize>,
}

/// Another network, within limits.
#[derive(Clone, Copy, Debug)]
pub struct Limited<N> {
    /// The network.
    pub network: N,
    /// The limits.
    pub limits: PacketLimits,
}

impl PacketLimits {
    /// Tests whether a client may send one request more.
    fn allow(&self, situation: &Situation, port: Port) -> bool {
        let Situation { arrived, suspended, sent, .. } = situation;
        let of_port = arrived.iter().chain(suspended.iter().map(|task| &task.port)).chain(sent);
        let outstanding = of_port.filter(|own| **own == port).count();
        self.capacity.is_none_or(|most| arrived.len() < most) && self.outstanding.is_none_or(|most| outstanding < most)
    }
}

impl<N: Network> Network for Limited<N> {
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool {
        let request = if let Observation::Request(port, _) = observation { Some(*port) } else { None };
        request.is_none_or(|port| self.limits.allow(situation, port)) && self.network.allows(situation, observation)
    }

    fn moves(&self, situation: &Situation, observation: &Observation) -> Vec<ServerMove> {
        let mut moves = self.network.moves(situation, observation);
        if self.limits == PacketLimits::default() {
            // What takes no room may as well be under way for ever.
            moves.retain(|next| !next.is_loss());
        }
        moves
    }

    fn order(&self) -> PacketOrder {
        self.network.order()
    }

    fn duplicates(&self) -> bool {
        self.network.duplicates()
    }

    fn loses(&self) -> bool {
        self.network.loses()
    }

    fn takes(&self, situation: &Situation) -> bool {
        self.limits.capacity.is_none_or(|most| situation.sent.len() <= most) && self.network.takes(situation)
    }

    fn counts_packets(&self) -> bool {
        self.limits != PacketLimits::default() || self.network.counts_packets()
    }
}
