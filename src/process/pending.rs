//! Everything that is under way between two sections: requests that have arrived, tasks that are suspended, messages that were sent,
//! and connections that begin or end.
//!
//! ```text
//! arrived: c2 Take(3)      suspended: c1, behind its `yield`      sent: c3 Taken      closed: c4
//! ```
//!
//! What has one port is in the order in which it came. A network that keeps no order between ports has all in the order of ports.

use super::event::PeerCall;
use super::task::{Frame, Port};
use crate::spec::Site;
use crate::spec::code::Register;
use crate::value::Value;

/// A task between two of its sections.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Suspended {
    pub(super) stack: Stack,
    pub(super) registers: Vec<Value>,
    /// The call whose answer it waits for.
    pub(super) call: Option<OpenCall>,
}

/// A call of a peer that has no answer yet.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct OpenCall {
    /// The key and the request; nothing is left of them once they were seen.
    pub(super) call: PeerCall,
    /// The register of the innermost function that gets the answer.
    pub(super) result: Register,
    /// The number under which the peer has seen it, if it has.
    pub(super) exchange: Option<u64>,
}

/// The connections that the server has not taken notice of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionList {
    /// Those that have begun.
    Opening,
    /// Those that have ended.
    Leaving,
}

impl OpenCall {
    pub(super) fn state(&self) -> CallState {
        CallState { peer: self.call.peer, exchange: self.exchange }
    }
}

/// Whom a task answers, and where it goes on: its frames, the outermost first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// Whom it answers.
    pub port: Port,
    /// The state of the call that it waits for; where there is none, it can be resumed.
    pub call: Option<CallState>,
    pub(super) frames: Vec<Frame>,
}

/// A call that has no answer yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallState {
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The number under which the peer has seen it, if it has.
    pub exchange: Option<u64>,
}

/// A message under way to a client.
#[derive(Clone, PartialEq, Debug)]
pub struct Sent {
    /// The client that it is for.
    pub port: Port,
    /// The message; absent where it is known to be the one that is seen.
    pub value: Value,
    /// The statement that sent it.
    pub site: Site,
}

/// Everything that is under way; there is none where nothing is.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Pending {
    pub(super) arrived: Vec<(Port, Value)>,
    pub(super) suspended: Vec<Suspended>,
    pub(super) sent: Vec<Sent>,
    /// Connections that the server has ended, which was not seen yet.
    pub(super) closed: Vec<Port>,
    /// Connections that have begun, which the server has not taken notice of.
    pub(super) opening: Vec<Port>,
    /// Connections that have ended, which the server has not taken notice of.
    pub(super) leaving: Vec<Port>,
}

/// The situation of everything that is under way, without its values: candidates in which this differs are different.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Situation {
    /// The ports of the requests that have arrived.
    pub arrived: Vec<Port>,
    /// The places at which the suspended tasks go on.
    pub suspended: Vec<Stack>,
    /// The ports of the messages that were sent.
    pub sent: Vec<Port>,
    /// The connections that the server has ended, which was not seen yet.
    pub closed: Vec<Port>,
    /// The connections that have begun, for which `on open` has not run.
    pub opening: Vec<Port>,
    /// The connections that have ended, for which `on close` has not run.
    pub leaving: Vec<Port>,
}

impl Situation {
    /// Tests whether a task of a port is suspended.
    #[must_use]
    pub fn is_busy(&self, port: Port) -> bool {
        self.suspended.iter().any(|task| task.port == port)
    }

    /// The places of the requests that are the first to have arrived on their port.
    pub fn first_arrived(&self) -> impl Iterator<Item = usize> {
        (0..self.arrived.len()).filter(|at| !self.arrived[..*at].contains(&self.arrived[*at]))
    }
}

impl Pending {
    pub(super) fn situation(&self) -> Situation {
        Situation {
            arrived: self.arrived.iter().map(|(port, _)| *port).collect(),
            suspended: self.suspended.iter().map(|task| task.stack.clone()).collect(),
            sent: self.sent.iter().map(|message| message.port).collect(),
            closed: self.closed.clone(),
            opening: self.opening.clone(),
            leaving: self.leaving.clone(),
        }
    }

    pub(super) fn suspend(&mut self, suspended: Suspended) {
        let at = self.suspended.partition_point(|other| other.stack.port <= suspended.stack.port);
        self.suspended.insert(at, suspended);
    }

    /// Ends a connection from the server's side: its requests that were not read are dropped, and nothing more is sent on it.
    pub(super) fn close(&mut self, port: Port) {
        self.arrived.retain(|(own, _)| *own != port);
        self.opening.retain(|own| *own != port);
        add(&mut self.closed, port);
    }

    /// Forgets what was sent on a connection: nobody sees it.
    pub(super) fn drop_sent(&mut self, port: Port) {
        self.sent.retain(|message| message.port != port);
        self.closed.retain(|own| *own != port);
    }

    /// Brings what was sent and has arrived into the order of ports.
    pub(super) fn order_by_port(&mut self) {
        self.arrived.sort_by_key(|(port, _)| *port);
        self.sent.sort_by_key(|message| message.port);
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let packets =
            self.arrived.iter().map(|(_, request)| request).chain(self.sent.iter().map(|message| &message.value));
        packets.chain(self.suspended.iter().flat_map(|task| {
            let called = task.call.iter().flat_map(|open| [&open.call.key, &open.call.request]);
            task.registers.iter().chain(called)
        }))
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let Pending { arrived, suspended, sent, .. } = self;
        let messages = sent.iter_mut().map(|message| &mut message.value);
        let packets = arrived.iter_mut().map(|(_, request)| request).chain(messages);
        packets.chain(suspended.iter_mut().flat_map(|task| {
            let called = task.call.iter_mut().flat_map(|open| [&mut open.call.key, &mut open.call.request]);
            task.registers.iter_mut().chain(called)
        }))
    }
}

/// Adds a port to a list in order, once.
pub(super) fn add(ports: &mut Vec<Port>, port: Port) {
    if let Err(at) = ports.binary_search(&port) {
        ports.insert(at, port);
    }
}
