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

mod sync;

pub use sync::Sync;

use crate::process::{Port, Situation};
use crate::value::Value;

/// Something that a client sends or sees.
#[derive(Clone, PartialEq, Debug)]
pub enum Observation {
    /// It sends a request.
    Request(Port, Value),
    /// It sees an answer: this one, or one that is not known.
    Answer(Port, Option<Value>),
    /// Nobody observes anything any more.
    End,
}

/// The next thing that the server does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerMove {
    /// It begins to handle the request at this place among those that have arrived.
    Receive(usize),
    /// It goes on with the task at this place among those that are suspended.
    Resume(usize),
    /// It does something by itself, if the specification has a `step`.
    Step,
}

/// A model of what is between the server and its clients.
pub trait Network {
    /// Tests whether an observation may be made where this is under way. An answer may only be observed where one was sent on its
    /// port.
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool;

    /// The moves that the server has where an observation may not be made yet. One that it may make as well after the observation can be
    /// left out.
    fn moves(&self, situation: &Situation, observation: &Observation) -> Vec<ServerMove>;
}
