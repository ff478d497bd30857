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

/// A recording, with what it is judged by.
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
    /// The request of a line, which no handler has begun.
    Request(u64),
    /// A task that is suspended after a section: its number among the sections, from 0.
    Task(usize),
    /// A message, which nobody has seen.
    Message(Port, Value),
}

/// A section of the server, or a message that was lost.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessSection {
    /// The line of the event after which it ran; 0 before the first.
    pub after: u64,
    /// The work that it belongs to.
    pub work: SectionWork,
    /// The choices of the server, as JSON.
    pub json: Vec<String>,
    /// The messages that it sent, in order, its answer among them.
    pub sent: Vec<WitnessMessage>,
    /// The connections that it ended.
    pub closed: Vec<Port>,
    /// The end of it.
    pub end: WitnessEnd,
}

/// The work that a section belongs to.
#[derive(Clone, PartialEq, Debug)]
pub enum SectionWork {
    /// The request of a line, the first section of which has the number 1.
    Request {
        /// The line of the request.
        line: u64,
        /// The number of the section, from 1.
        part: usize,
        /// The request, if a part of it was not known.
        filled: Option<Value>,
    },
    /// An internal step of the server: its number, and its place.
    Step(usize, Site),
    /// Taking notice of a connection that has begun; the number of the section, from 1.
    Opened(Port, usize),
    /// Taking notice of a connection that has ended; the number of the section, from 1.
    Left(Port, usize),
    /// Starting again, at the restart of this line.
    Restart(u64),
}

/// A message that the server sent.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessMessage {
    /// The connection that it was sent to.
    pub to: Port,
    /// The message.
    pub value: Value,
    /// Set if it is the answer that ends the section.
    pub is_answer: bool,
    /// The lines on which it was seen: one, or none; several if the network duplicates messages.
    pub seen: Vec<u64>,
}

/// The end of a section.
#[derive(Clone, PartialEq, Debug)]
pub enum WitnessEnd {
    /// The work was done.
    Done,
    /// It yielded, at this place.
    Yielded(Option<Site>),
    /// It called peers, and waits for this number of answers.
    Called(Vec<WitnessCall>, usize),
}

/// A call of a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct WitnessCall {
    /// The peer, the key and the request.
    pub call: PeerCall,
    /// The line on which it was seen, if it was.
    pub seen: Option<u64>,
}

impl NetworkWitness {
    /// The number of values that it has: choices, and sections.
    #[must_use]
    pub fn values(&self) -> usize {
        self.sections.iter().map(|section| 1 + section.json.len()).sum()
    }
}
