//! The parts of a conversation: everything that is under way between clients, peers and a server, and everything that waits.
//!
//! ```text
//! client 1 ── Read ─▶ server ── nil ─▶ client 1      server ── call 1: Get ─▶ peer ── answer ─▶ server
//! ```

use super::Stop;
use crate::process::Port;
use crate::value::Value;

/// A request under way to the server, or waiting there.
#[derive(Debug)]
pub(super) struct RequestPacket {
    /// The connection on which the request is sent.
    pub(super) port: Port,
    pub(super) request: Value,
    /// The number of the request's occurrence in the journal.
    pub(super) noted: u64,
    /// Set if the server has read the request, and the network delivers it again.
    pub(super) is_read: bool,
    /// The number of the server's state in which the request was last tried in vain.
    pub(super) tried: Option<u64>,
}

/// A message under way to a client.
#[derive(Debug)]
pub(super) struct MessagePacket {
    /// The connection that the message is sent on.
    pub(super) port: Port,
    pub(super) message: Value,
    /// The number of the request that the message answers; `None` if it is no answer.
    pub(super) answers: Option<u64>,
}

/// A call of a peer.
#[derive(Debug)]
pub(super) struct CallPacket {
    pub(super) exchange: u64,
    pub(super) peer: u32,
    pub(super) stage: CallStage,
}

/// The stage of a call of a peer.
#[derive(Debug)]
pub(super) enum CallStage {
    /// The peer has not seen the call: its key and its request.
    Unseen(Value, Value),
    /// The peer has not answered the call.
    Seen,
    /// The peer has answered or failed, in the occurrence with this number. The task that waits for the call does not know it
    /// yet.
    Answered(Option<Value>, u64),
}

/// A connection, as its client sees it.
#[derive(Debug)]
pub(super) struct ClientEnd {
    /// The number of the connection, which no other connection ever has.
    pub(super) port: Port,
    /// The numbers of the client's requests that may still be answered.
    pub(super) under_way: Vec<u64>,
    pub(super) gives_up: bool,
}

/// A suspended task.
#[derive(Debug)]
pub(super) struct OpenTask {
    /// The number of the request that the task handles; `None` if it handles the beginning or the end of a connection.
    pub(super) request: Option<u64>,
    /// The number of the server's state in which the task was last tried in vain.
    pub(super) tried: Option<u64>,
}

/// The beginning or the end of a connection that the server has not handled.
#[derive(Debug)]
pub(super) struct Notice {
    pub(super) port: Port,
    /// The number of the server's state in which the handler was last tried in vain.
    pub(super) tried: Option<u64>,
}

impl ClientEnd {
    pub(super) fn new(port: Port) -> ClientEnd {
        ClientEnd { port, under_way: Vec::new(), gives_up: false }
    }
}

impl Notice {
    pub(super) fn of(port: Port) -> Notice {
        Notice { port, tried: None }
    }
}

/// The record of what the server could not do.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// The number of the server's state, which changes with each section.
    pub(super) state: u64,
    /// Set if no section can be run.
    pub(super) is_blocked: bool,
    /// The number of times in a row that no section could be run, even after internal steps.
    pub(super) in_vain: usize,
    /// The reason why a section could not be run.
    pub(super) stop: Option<Stop>,
}

impl Waits {
    pub(super) fn progress(&mut self) {
        *self = Waits { state: self.state + 1, ..Waits::default() };
    }

    /// Passes on the outcome of a try; `None` if it failed in this state.
    pub(super) fn sift<T>(&mut self, done: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(stop @ (Stop::Stuck(_) | Stop::Outside(_))) => {
                self.stop = Some(stop);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }
}
