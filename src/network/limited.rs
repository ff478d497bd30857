//! A network with room for few messages, or for few requests of each client.
//!
//! With `outstanding=1` a client sends the next request only if nothing is under way on its connection: it waits for each answer.

use super::{Network, Observation, PacketOrder, ServerMove};
use crate::process::{Port, Situation};

/// Limits on the number of packets that are under way.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PacketLimits {
    /// The most messages in each direction.
    pub capacity: Option<usize>,
    /// The most requests of one connection that were not read, are being handled, or have an answer that was not seen.
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
            // Without limits a packet takes no room, so a lost one is the same as one that is under way for ever.
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
