//! The parts of a conversation: what is under way between clients, peers and a server, and what waits.
//!
//! ```text
//! client 1 ── Read ─▶ server ── nil ─▶ client 1      server ── call 1: Get ─▶ peer ── answer ─▶ server
//! ```

use super::Stop;
use crate::process::Port;
use crate::value::Value;

/// A request that has arrived at the server, or is on the way to it.
#[derive(Debug)]
pub(super) struct RequestPacket {
    /// The connection that it came on.
    pub(super) port: Port,
    pub(super) request: Value,
    /// The number of its occurrence.
    pub(super) noted: u64,
    /// Set if the server has read it, and the network brings it again.
    pub(super) is_read: bool,
    /// The server's state in which it was tried in vain.
    pub(super) tried: Option<u64>,
}

/// A message under way to a client.
#[derive(Debug)]
pub(super) struct MessagePacket {
    /// The connection that it is sent on.
    pub(super) port: Port,
    pub(super) message: Value,
    /// The number of the request that it answers, if it answers one.
    pub(super) answers: Option<u64>,
}

/// A call of a peer.
#[derive(Debug)]
pub(super) struct CallPacket {
    pub(super) exchange: u64,
    pub(super) peer: u32,
    pub(super) stage: CallStage,
}

/// The stage that a call of a peer has come to.
#[derive(Debug)]
pub(super) enum CallStage {
    /// The peer has not seen it: its key and the request.
    Unseen(Value, Value),
    /// The peer has not answered.
    Seen,
    /// The peer has answered, or failed; the occurrence of that has this number. The task that waits for it does not know it yet.
    Answered(Option<Value>, u64),
}

/// A connection, as its client sees it.
#[derive(Debug)]
pub(super) struct ClientEnd {
    /// The number by which the server knows it: each connection has another one.
    pub(super) port: Port,
    /// The numbers of its requests that may get an answer yet.
    pub(super) under_way: Vec<u64>,
    pub(super) gives_up: bool,
}

/// A suspended task.
#[derive(Debug)]
pub(super) struct OpenTask {
    /// The number of the request that it handles; none if it takes notice of a connection.
    pub(super) request: Option<u64>,
    /// The server's state in which it was tried in vain.
    pub(super) tried: Option<u64>,
}

/// A connection that has begun or ended, of which the server has not taken notice.
#[derive(Debug)]
pub(super) struct Notice {
    pub(super) port: Port,
    /// The server's state in which that was tried in vain.
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

/// A record of what the server could not do.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// The number of the server's state: each section leads to another one.
    pub(super) state: u64,
    /// Set if nothing that is there can go on.
    pub(super) is_blocked: bool,
    /// The number of times in a row that nothing could go on, though the server did what it may do by itself.
    pub(super) in_vain: usize,
    /// Why something could not go on.
    pub(super) stop: Option<Stop>,
}

impl Waits {
    pub(super) fn progress(&mut self) {
        *self = Waits { state: self.state + 1, ..Waits::default() };
    }

    /// Passes on the outcome of an attempt; nothing if it failed in this state, which is noted.
    pub(super) fn sift<T>(&mut self, done: Result<T, Stop>, tried: &mut Option<u64>) -> Result<Option<T>, Stop> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(stop @ (Stop::Stuck(_) | Stop::Outside(_))) => {
                *tried = Some(self.state);
                self.stop = Some(stop);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }
}
