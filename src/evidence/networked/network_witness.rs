//! A run that explains a recording event by event: the sections of the server, with what each chose, sent and called.
//!
//! ```text
//! the request of line 1, after line 2, chooses 7 and answers 1, which is seen on line 4
//! ```

use std::sync::Arc;

use crate::evidence::witness::Initial;
use crate::judge::{Options, RecordedEvent};
use crate::network::Network;
use crate::process::{PeerCall, Port};
use crate::spec::{Site, Spec};
use crate::value::Value;

/// A recording, and everything that it is judged by.
#[derive(Clone, Copy)]
pub struct NetworkRecording<'r> {
    /// The specification, for networks.
    pub spec: &'r Arc<Spec>,
    /// The network.
    pub network: &'r dyn Network,
    /// The observations, with their lines.
    pub events: &'r [RecordedEvent],
    /// The limits on what explains an event.
    pub options: &'r Options,
}

/// A run that explains a recording.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkWitness {
    /// The choices that made the initial state.
    pub initial: Initial,
    /// The sections, in order.
    pub sections: Vec<WitnessSection>,
    /// Everything that is under way after the last observation.
    pub under_way: Vec<PendingPart>,
}

/// Something that is under way.
#[derive(Clone, PartialEq, Debug)]
pub enum PendingPart {
    /// The request on this line, which no handler has begun to serve.
    Request(u64),
    /// A task that is suspended after a section: the number of the section, from 0.
    Task(usize),
    /// A message that nobody has seen.
    Message(Port, Value),
}

/// A section of the server, or the loss of a message.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessSection {
    /// The line of the event after which the section ran; 0 if it ran before the first event.
    pub after: u64,
    /// The work that the section belongs to.
    pub work: SectionWork,
    /// The choices of the server, as JSON.
    pub json: Vec<String>,
    /// The messages that the section sent, in order, its answer among them.
    pub sent: Vec<WitnessMessage>,
    /// The connections that the section ended.
    pub closed: Vec<Port>,
    /// The way in which the section ended.
    pub end: WitnessEnd,
}

/// The work that a section is a part of.
#[derive(Clone, PartialEq, Debug)]
pub enum SectionWork {
    /// The handling of a request.
    Request {
        /// The line of the request.
        line: u64,
        /// The number of the section within the work, from 1.
        part: usize,
        /// The request in full, if the recording has a hole in it.
        filled: Option<Value>,
    },
    /// An internal step of the server: its number, and its place.
    Step(usize, Site),
    /// The handling of a new connection, and the number of the section within it, from 1.
    Opened(Port, usize),
    /// The handling of the end of a connection, and the number of the section within it, from 1.
    Left(Port, usize),
    /// The handling of the restart on this line.
    Restart(u64),
}

/// A message that the server sent.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessMessage {
    /// The connection that the message was sent to.
    pub to: Port,
    /// The message.
    pub value: Value,
    /// Set if the message is the answer that ends the section.
    pub is_answer: bool,
    /// The lines on which the message was seen: at most one, unless the network duplicates messages.
    pub seen: Vec<u64>,
}

/// The end of a section.
#[derive(Clone, PartialEq, Debug)]
pub enum WitnessEnd {
    /// The work was done.
    Done,
    /// The section yielded at this place.
    Yielded(Option<Site>),
    /// The section called peers, and waits for this number of their answers.
    Called(Vec<WitnessCall>, usize),
}

/// A call of a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessCall {
    /// The peer, the key and the request.
    pub call: PeerCall,
    /// The line on which the call was seen; `None` if nobody saw the call.
    pub seen: Option<u64>,
}

impl NetworkWitness {
    /// The number of values: one for each section, and one for each choice.
    #[must_use]
    pub fn values(&self) -> usize {
        self.sections.iter().map(|section| 1 + section.json.len()).sum()
    }
}
