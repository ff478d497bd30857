//! One direction of a network: the packets that are under way, in lanes.
//!
//! Packets of one lane stay in their order, those of different lanes overtake each other. Over TCP each connection has a lane; a
//! `fifo` has one for all of them; over UDP each packet is alone in its own.
//!
//! ```text
//! tcp   1: Write(1) Read │ 2: Read        fifo   Write(1) Read Read        udp   Write(1) │ Read │ Read
//! ```

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// A carrier of packets between a server and its clients, by what overtakes what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carrier {
    /// The packets of one connection stay in their order.
    Tcp,
    /// Nothing overtakes anything.
    Fifo,
    /// Everything overtakes everything.
    Udp,
}

/// The packets that are under way in one direction.
///
/// 1. No lane is empty.
/// 2. `places` has the place of each lane, by its number.
#[derive(Debug)]
pub(super) struct Lanes<T> {
    carrier: Carrier,
    lanes: Vec<(u64, VecDeque<T>)>,
    places: FxHashMap<u64, usize>,
    /// The number of packets so far.
    sent: u64,
}

impl<T> Lanes<T> {
    pub(super) fn new(carrier: Carrier) -> Lanes<T> {
        Lanes { carrier, lanes: Vec::new(), places: FxHashMap::default(), sent: 0 }
    }

    /// Sends a packet from or to a client.
    pub(super) fn send(&mut self, client: u64, packet: T) {
        self.sent += 1;
        let lane = match self.carrier {
            Carrier::Tcp => client,
            Carrier::Fifo => 0,
            Carrier::Udp => self.sent,
        };
        let next = self.lanes.len();
        let place = *self.places.entry(lane).or_insert(next);
        if place == next {
            self.lanes.push((lane, VecDeque::new()));
        }
        self.lanes[place].1.push_back(packet);
    }

    /// The number of packets of which any may arrive next: the first of each lane.
    pub(super) fn open_lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The first packet of the lane at this place.
    pub(super) fn head(&mut self, place: usize) -> Option<&mut T> {
        self.lanes.get_mut(place).and_then(|(_, packets)| packets.front_mut())
    }

    /// Lets the first packet of the lane at this place arrive.
    pub(super) fn take(&mut self, place: usize) -> Option<T> {
        let packet = self.lanes.get_mut(place)?.1.pop_front();
        self.close_if_empty(place);
        packet
    }

    /// Drops the packets of which this is not to be kept; those of one lane are asked for in their order.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(&T) -> bool) {
        for place in (0..self.lanes.len()).rev() {
            self.lanes[place].1.retain(&mut keeps);
            self.close_if_empty(place);
        }
    }

    fn close_if_empty(&mut self, place: usize) {
        if !self.lanes[place].1.is_empty() {
            return;
        }
        let (closed, _) = self.lanes.swap_remove(place);
        self.places.remove(&closed);
        if let Some((moved, _)) = self.lanes.get(place) {
            self.places.insert(*moved, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packets in an order in which they arrive where the last lane is always taken from.
    fn arrivals(carrier: Carrier) -> Vec<(u64, u32)> {
        let mut lanes = Lanes::new(carrier);
        for (client, packet) in [(1, 1), (2, 2), (1, 3), (3, 4), (2, 5)] {
            lanes.send(client, (client, packet));
        }
        lanes.retain(|(client, _)| *client != 3);
        std::iter::from_fn(|| lanes.take(lanes.open_lanes().checked_sub(1)?)).collect()
    }

    #[test]
    fn packets_overtake_each_other_as_the_carrier_lets_them() {
        assert_eq!(arrivals(Carrier::Fifo), [(1, 1), (2, 2), (1, 3), (2, 5)]);
        assert_eq!(arrivals(Carrier::Tcp), [(2, 2), (2, 5), (1, 1), (1, 3)]);
        assert_eq!(arrivals(Carrier::Udp).len(), 4);
        assert_eq!(arrivals(Carrier::Udp)[0], (2, 5));
    }
}
