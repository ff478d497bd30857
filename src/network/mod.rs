//! Networks: models of what is between a server and its clients, as far as it decides what may be observed when.
//!
//! Judging works with observations, one after the other, in their order. A [`Network`] says when one may be made, and what the
//! server may do before it. Over [`Sync`] a client sends a request only when nothing is under way:
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
mod limited;
pub mod moves;
mod named;
mod outstanding;
mod sync;
mod tcp;
mod udp;

pub use fifo::Fifo;
pub use limited::{Limited, PacketLimits};
pub use moves::ServerSection;
pub use named::NetworkChoice;
pub use outstanding::MostOutstanding;
pub use sync::Sync;
pub use tcp::Tcp;
pub use udp::Udp;

use crate::process::{Port, Situation};
use crate::value::Value;

/// Something that a client, or a peer of the server, sends or sees.
#[derive(Clone, PartialEq, Debug)]
pub enum Observation {
    /// A client sends a request.
    Request(Port, Value),
    /// It sees an answer: this one, or one that is not known.
    Answer(Port, Option<Value>),
    /// It gives up its connection.
    Lost(Port),
    /// It sees that the server has ended its connection.
    Closed(Port),
    /// A peer sees that the server calls it.
    Called(CallSeen),
    /// It has answered the call that it has seen under this number.
    CallAnswered(u64, Value),
    /// It has failed to answer the call.
    CallLost(u64),
    /// The server was killed and started again: everything under way is lost, and what comes later is on other connections.
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
    /// The key that says which of the peers of that name.
    pub key: Value,
    /// The request.
    pub request: Value,
}

impl Observation {
    /// The connection that it is of, if it is of one.
    #[must_use]
    pub fn port(&self) -> Option<Port> {
        match self {
            Observation::Request(port, _) | Observation::Answer(port, _) => Some(*port),
            Observation::Lost(port) | Observation::Closed(port) => Some(*port),
            Observation::Called(_) | Observation::CallAnswered(..) | Observation::CallLost(_) => None,
            Observation::Restart | Observation::End => None,
        }
    }
}

/// The next thing that the server does, or that befalls a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerMove {
    /// It begins to handle the request at this place among those that have arrived.
    Receive(usize),
    /// It goes on with the task at this place among those that are suspended, unless that waits for a peer.
    Resume(usize),
    /// It does something by itself, if the specification has a `step`.
    Step,
    /// The message at this place among those that were sent is lost.
    Lose(usize),
    /// The request at this place among those that have arrived is lost.
    LoseRequest(usize),
}

impl ServerMove {
    /// Tests whether a packet is lost.
    #[must_use]
    pub fn is_loss(self) -> bool {
        matches!(self, ServerMove::Lose(_) | ServerMove::LoseRequest(_))
    }
}

/// The order in which messages that go one way come to be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketOrder {
    /// Any.
    Free,
    /// That in which they were sent, on each connection.
    Connection,
    /// That in which they were sent.
    Global,
}

/// A model of what is between the server and its clients.
pub trait Network {
    /// Tests whether a request may be sent, an answer be seen or a recording end where this is under way. An answer may only be
    /// observed where one was sent on its port, and is the first there unless the order is free.
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool;

    /// The moves that the server has where an observation may not be made yet. One that it may make as well after the observation can be
    /// left out.
    fn moves(&self, situation: &Situation, observation: &Observation) -> Vec<ServerMove>;

    /// The order in which messages to clients come to be seen.
    fn order(&self) -> PacketOrder {
        PacketOrder::Connection
    }

    /// Tests whether a message may be seen, and a request be read, any number of times.
    fn duplicates(&self) -> bool {
        false
    }

    /// Tests whether any packet may be lost at any time: [`moves`](Network::moves) lists that. Then with fewer packets of the same kinds under way as
    /// much may be observed and done, but for what needs one of those that are missing.
    fn loses(&self) -> bool {
        false
    }

    /// Tests whether there is room for all that is under way behind a section of the server; else it does not come to its end.
    fn takes(&self, _situation: &Situation) -> bool {
        true
    }

    /// Tests whether what it allows depends on the number of messages under way, those that nobody will see among them.
    fn counts_packets(&self) -> bool {
        false
    }
}
