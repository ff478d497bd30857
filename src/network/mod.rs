//! Networks: models of the medium between a server and its clients, which decides what may be observed when.
//!
//! Judging works with observations, one after another, in their order. A [`Network`] says when an observation may be made, and what the
//! server may do before it. Over [`Sync`] a client sends a request only if nothing is under way:
//!
//! ```
//! use mayhap::network::{ServerMove, Network, Observation, Sync};
//! use mayhap::process::{Port, Situation};
//! use mayhap::value::Value;
//! let request = Observation::Request(Port(1), Value::from(5));
//! let mut situation = Situation::default();
//! assert!(Sync.allows(&situation, &request));
//! situation.arrived.push(Port(2));
//! assert!(!Sync.allows(&situation, &request));
//! assert_eq!(Sync.moves(&situation, &request), [ServerMove::Receive(0), ServerMove::Step]);
//! ```
//!
//! A network is a type that implements the trait, in this crate or outside of it.

mod fifo;
pub mod moves;
mod named;
mod outstanding;
mod sync;
mod tcp;
mod udp;

pub use fifo::Fifo;
pub use moves::ServerSection;
pub use named::NetworkChoice;
pub use outstanding::most_outstanding;
pub use sync::Sync;
pub use tcp::Tcp;
pub use udp::Udp;

use crate::process::{Port, Situation};
use crate::value::Value;

/// An event that a client, or a peer of the server, observes.
#[derive(Clone, PartialEq, Debug)]
pub enum Observation {
    /// A client sends a request.
    Request(Port, Value),
    /// A client sees this answer; `None` is an answer that is not known.
    Answer(Port, Option<Value>),
    /// A client gives up its connection.
    Lost(Port),
    /// A client sees that the server has ended its connection.
    Closed(Port),
    /// A client sees that the server has taken notice of the end of its connection, which it has given up before.
    Noticed(Port),
    /// A peer sees that the server calls it.
    Called(CallSeen),
    /// The server has got the answer of a peer to the call of this number.
    CallAnswered(u64, Value),
    /// A peer has sent its answer to the call of this number. The server gets it at some later time, perhaps after answers that other
    /// peers send later.
    AnswerSent(u64, Value),
    /// A peer has failed to answer the call of this number.
    CallLost(u64),
    /// The server was killed and started again: everything under way is lost, and later observations are on other connections.
    Restart,
    /// Nobody observes anything any more.
    End,
}

/// A call that a peer has seen.
#[derive(Clone, PartialEq, Debug)]
pub struct CallSeen {
    /// The number under which it is answered.
    pub exchange: u64,
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The key by which the peers of that name are told apart.
    pub key: Value,
    /// The request.
    pub request: Value,
}

impl Observation {
    /// The connection, to be given another number.
    pub(crate) fn port_mut(&mut self) -> Option<&mut Port> {
        match self {
            Observation::Request(port, _) | Observation::Answer(port, _) => Some(port),
            Observation::Lost(port) | Observation::Closed(port) | Observation::Noticed(port) => Some(port),
            _ => None,
        }
    }

    /// The connection on which the observation is made, if there is one. What is observed after the end of a connection is on none.
    #[must_use]
    pub fn port(&self) -> Option<Port> {
        match self {
            Observation::Request(port, _) | Observation::Answer(port, _) => Some(*port),
            Observation::Lost(port) | Observation::Closed(port) => Some(*port),
            Observation::Called(_) | Observation::CallAnswered(..) | Observation::AnswerSent(..) => None,
            Observation::Noticed(_) | Observation::CallLost(_) | Observation::Restart | Observation::End => None,
        }
    }
}

/// A move of the server, or the loss of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerMove {
    /// The server begins to handle the request at this place among those that have arrived.
    Receive(usize),
    /// The server goes on with the task at this place among those that are suspended, unless the task waits for a peer.
    Resume(usize),
    /// The server takes an internal step, if the specification has one.
    Step,
}

/// The order in which the messages of one direction are seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketOrder {
    /// Any order.
    Free,
    /// On each connection, the order in which they were sent.
    Connection,
    /// The order in which they were sent, on all connections together.
    Global,
}

/// A model of the medium between the server and its clients.
pub trait Network {
    /// Tests whether an observation may be made in a situation: a request sent, an answer seen, or the recording ended. An answer may
    /// be observed only if a message was sent on its port; it is the first of these messages, unless the order is free.
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool;

    /// The moves that the server may make before an observation. A move that it may as well make after the observation can be left out.
    fn moves(&self, situation: &Situation, observation: &Observation) -> Vec<ServerMove>;

    /// The order in which messages to clients are seen.
    fn order(&self) -> PacketOrder {
        PacketOrder::Connection
    }

    /// Tests whether a message may be seen, and a request be read, any number of times.
    fn duplicates(&self) -> bool {
        false
    }

    /// Tests whether any packet may be lost. A lost packet is one that stays under way for ever, so no packet may be in the way of anything.
    fn loses(&self) -> bool {
        false
    }

    /// Tests whether what the network allows depends on the number of messages under way, including those that nobody will see.
    fn counts_packets(&self) -> bool {
        false
    }
}
