//! Systems under test: a small trait, and an implementation for each kind of system.
//!
//! A [`System`] is one live system with all its clients. The harness sees none of its sockets and processes.
//!
//! | file | its one job |
//! |---|---|
//! | `tcp/mod.rs` | a connection for each client |
//! | `tcp/dialect.rs` | how requests and answers are written; `tcp:HOST:PORT`, one JSON value on each line |
//! | `tcp/http.rs` | `http://HOST:PORT`, `https://HOST`: HTTP/1.1, by the `http` block of the specification |
//! | `tcp/stream.rs`, `tcp/tls.rs` | a connection, with or without TLS |
//! | `wire.rs`, `lines.rs` | values on lines, and lines from bytes |
//! | `peers.rs`, `played.rs` | the peers that a system calls: their addresses, and the calls to them |
//! | `stdio.rs`, `protocol.rs` | `stdio:COMMAND`: an adapter in any language, and the lines of its protocol |
//! | `trial.rs`, `kinds.rs` | a trial of an adapter, with one request of each kind |
//! | `process/mod.rs`, `process/ready.rs` | starting a system, waiting until it is ready, resetting it |
//! | `process/group.rs`, `tail.rs` | a command with all processes that it starts, and its last output |
//! | `address.rs` | the addresses for `--sut` |
//! | `in_process/mod.rs`, `in_process/threads.rs` | a system in this process, with a thread for each client |
//! | `in_process/ask.rs`, `in_process/asynchronous.rs` | requests as method calls, and as futures |
//! | `adapter.rs` | a system in Rust as an adapter, which is a program of its own |

pub mod lines;
pub mod tail;
pub mod wire;

mod adapter;
#[cfg(unix)]
mod address;
mod in_process;
pub mod kinds;
pub mod numbered;
#[cfg(unix)]
mod peers;
#[cfg(unix)]
mod played;
#[cfg(unix)]
pub mod process;
pub mod protocol;
#[cfg(unix)]
pub mod stdio;
#[cfg(unix)]
pub mod tcp;

#[cfg(unix)]
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use crate::value::Value;

pub use adapter::{serve, serve_stdio};
#[cfg(unix)]
pub use address::{SutAddress, open};
pub use in_process::InProcess;
pub use in_process::ask::{Sut, SutAnswer};
pub use in_process::asynchronous::{AsyncSut, Awaiting, Executor, OwnThread};
pub use kinds::request_kinds;
#[cfg(unix)]
pub use peers::{PeerAddress, PeerSpeech};

/// A live system, with the connections of its clients. Clients have numbers from 1.
///
/// A request may wait in a buffer until [`System::next`] is called.
pub trait System {
    /// Sends a request. If the client has no connection, makes one. While the client has not been told that its connection has ended,
    /// the request is lost with the connection.
    ///
    /// # Errors
    /// The system cannot be reached.
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure>;

    /// Waits for the next event of a client; `None` if none comes before `until`.
    ///
    /// # Errors
    /// The system broke down.
    fn next(&mut self, until: Instant) -> Result<Option<SutEvent>, SutFailure>;

    /// Gives the answer of a peer to a call; `None` lets the peer fail. Returns false if the answer cannot be given, as it has no
    /// form on the wire, or the system no longer waits for it.
    fn answer_call(&mut self, _call: u64, answer: Option<&Value>) -> bool {
        answer.is_none()
    }

    /// Tests whether calls for requests that have their answers may still come after the next reset.
    fn leaves_calls(&self) -> bool {
        false
    }

    /// Lets a client give up its connection.
    ///
    /// # Errors
    /// The system broke down.
    fn close(&mut self, client: u64) -> Result<(), SutFailure>;

    /// Tests whether a client can end its connection in a way in which the system takes notice of it.
    fn can_leave(&self) -> bool {
        false
    }

    /// Lets a client that has no request under way end its connection, and waits for some time until the system has taken notice of this.
    ///
    /// # Errors
    /// The system broke down.
    fn leave(&mut self, _client: u64, _longest: Duration) -> Result<Leave, SutFailure> {
        Ok(Leave::NotThere)
    }

    /// Resets the system as far as possible to its first state, with this number of clients.
    ///
    /// # Errors
    /// The system cannot be started.
    fn reset(&mut self, clients: u64) -> Result<(), SutFailure>;

    /// Kills the system and starts it again; its stored state is kept. All connections are lost.
    ///
    /// # Errors
    /// The system was not started here, or cannot be started again.
    fn crash(&mut self) -> Result<(), SutFailure>;

    /// The moment before which the system wants no requests, if it has asked for a pause.
    fn paused(&self) -> Option<Instant> {
        None
    }

    /// Looks, at the end of a run, for what the system sent after the last answers although nobody asked for it.
    ///
    /// # Errors
    /// The system sent something.
    fn check_silence(&mut self) -> Result<(), SutFailure> {
        Ok(())
    }

    /// The failure that the system has ended by itself, if it was started here and ends within this time.
    fn ended_within(&mut self, _longest: Duration) -> Option<SutFailure> {
        None
    }

    /// The last lines of output of the system or the adapter, of those that came since a moment if one is given.
    fn last_output(&mut self, since: Option<Instant>) -> Vec<String>;
}

/// Tests whether one of these events, which are not handed out yet, tells a client that its connection has ended.
#[cfg(unix)]
fn ends_connection<'e>(client: u64, events: impl IntoIterator<Item = &'e Result<SutEvent, SutFailure>>) -> bool {
    let is_end = |kind: &SutEventKind| matches!(kind, SutEventKind::Lost | SutEventKind::Closed);
    events.into_iter().flatten().any(|event| event.client == client && is_end(&event.kind))
}

/// Forgets the events of a client that are not handed out yet.
#[cfg(unix)]
fn forget_client(client: u64, events: &mut VecDeque<Result<SutEvent, SutFailure>>) {
    events.retain(|event| !matches!(event, Ok(event) if event.client == client));
}

/// The end of a connection by its client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    /// The client has no connection, or the system has ended it.
    NotThere,
    /// The client has ended its connection; the system may take notice at any later time.
    Unnoticed,
    /// The client has ended its connection, and the system has ended it, too.
    Noticed,
}

/// An event that a client sees.
#[derive(Clone, PartialEq, Debug)]
pub struct SutEvent {
    /// The client.
    pub client: u64,
    /// The event.
    pub kind: SutEventKind,
}

/// The events that a client sees.
#[derive(Clone, PartialEq, Debug)]
pub enum SutEventKind {
    /// The answer to the client's first open request.
    Answer(Value),
    /// The client's first open request got no answer, and may have taken effect. There are no further events for the requests
    /// after it.
    Lost,
    /// The client's first open request certainly took no effect.
    Refused,
    /// The client's first open request has no form on the wire, so it was not sent.
    Unsent,
    /// The system ended the connection. There are no further events for the client's open requests.
    Closed,
    /// The system calls a peer. No client sees this.
    Called(SutCall),
}

/// A call of a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct SutCall {
    /// The number of the call.
    pub number: u64,
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The key, which tells peers of one kind apart.
    pub key: Option<Value>,
    /// The request.
    pub request: Value,
}

/// The kinds of failures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SutFailureKind {
    /// The system ended by itself.
    Crash,
    /// No answer came before the deadline.
    Hang,
    /// The system sent something that is no answer.
    Garbage,
    /// The system sent something that is no value of the specification's type of answers.
    Violation,
    /// The system refused a connection.
    Refused,
    /// The system could not be started, or was not ready in time.
    Start,
    /// The adapter violates its protocol.
    Adapter,
}

/// A failure of the system, or of the way to it.
#[derive(Clone, PartialEq, Debug)]
pub struct SutFailure {
    /// The kind of the failure.
    pub kind: SutFailureKind,
    /// The client on whose connection the failure was seen, if it was seen on one.
    pub client: Option<u64>,
    /// The description, in words.
    pub what: String,
    /// True if the failure is about the last answer to this client, and not about an open request.
    pub is_of_last_answer: bool,
    /// The answer that does not fit the specification, if the failure is about one.
    pub unfit: Option<UnfitAnswer>,
}

/// An answer over HTTP that does not fit the specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnfitAnswer {
    /// Its status.
    pub status: u16,
    /// The reason why it does not fit, in words.
    pub why: String,
}

impl SutFailure {
    /// A failure that was seen on no particular connection.
    #[must_use]
    pub fn new(kind: SutFailureKind, what: impl Into<String>) -> SutFailure {
        SutFailure { kind, client: None, what: what.into(), is_of_last_answer: false, unfit: None }
    }

    /// The failure that a client got no answer before the deadline.
    #[must_use]
    pub fn hang(client: u64, deadline: Duration) -> SutFailure {
        let what = format!("client {client} got no answer within {} s", deadline.as_secs_f64());
        SutFailure::new(SutFailureKind::Hang, what).of_client(client)
    }

    /// The failure, as one that was seen on the connection of a client.
    #[must_use]
    pub fn of_client(self, client: u64) -> SutFailure {
        SutFailure { client: Some(client), ..self }
    }

    /// The failure, as one of the last answer to its client.
    #[must_use]
    pub fn of_last_answer(self) -> SutFailure {
        SutFailure { is_of_last_answer: true, ..self }
    }
}

impl fmt::Display for SutFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for SutFailure {}
