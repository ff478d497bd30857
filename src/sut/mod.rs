//! Systems under test: a small trait, and one file an adapter.
//!
//! A [`System`] is one live system with all its clients. It is the only part that touches sockets and processes.
//!
//! | file | its one job |
//! |---|---|
//! | `tcp.rs` | one connection a client |
//! | `dialect.rs` | what is said on it: `tcp:HOST:PORT`, one JSON value a line |
//! | `http.rs` | `http://HOST:PORT`, `https://HOST`: HTTP/1.1, by the `http` block of the specification |
//! | `stream.rs`, `tls.rs` | a connection, in the clear or with TLS |
//! | `peers.rs`, `played.rs` | the peers that a system calls: where they are, and what it sends there |
//! | `stdio.rs`, `protocol.rs` | `stdio:COMMAND`: an adapter in any language, and the lines that it and we say |
//! | `trial.rs` | a trial of an adapter |
//! | `wire.rs`, `lines.rs` | values on lines, lines out of bytes |
//! | `process.rs`, `ready.rs` | starting a system, waiting for it, resetting it |
//! | `group.rs`, `tail.rs` | a command with all that it starts, and what it prints |
//! | `address.rs` | what `--sut` names |
//! | `ask.rs`, `in_process.rs`, `asynchronous.rs` | systems in Rust: asked in this process, with futures, too |
//! | `adapter.rs` | such a system as an adapter, a program of its own |
//! | `threads.rs` | the clients of such a system |
//! | `kinds.rs` | one request of each kind |

mod adapter;
#[cfg(unix)]
mod address;
mod in_process;
pub mod kinds;
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
pub mod trial;

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
pub use trial::{AdapterTrial, check_adapter};

/// A live system, and the connections of its clients, which have numbers from 1.
///
/// What was sent may wait in a buffer until [`System::next`] is called.
pub trait System {
    /// Sends a request; a connection is made if the client has none.
    ///
    /// # Errors
    /// The system cannot be reached.
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure>;

    /// The next thing that a client sees; `None` if there is none until then.
    ///
    /// # Errors
    /// The system broke down.
    fn next(&mut self, until: Instant) -> Result<Option<SutEvent>, SutFailure>;

    /// Gives the answer of a peer to a call, or lets the peer fail. Returns false if that is not possible: the answer has no form on the
    /// wire, or the system waits no more.
    fn answer_call(&mut self, _call: u64, answer: Option<&Value>) -> bool {
        answer.is_none()
    }

    /// A client gives up its connection.
    ///
    /// # Errors
    /// The system broke down.
    fn close(&mut self, client: u64) -> Result<(), SutFailure>;

    /// Begins anew: with this number of clients, and the system as if it had just been started, as far as it can be reset.
    ///
    /// # Errors
    /// The system cannot be started.
    fn reset(&mut self, clients: u64) -> Result<(), SutFailure>;

    /// Kills the system and starts it again; its stored state is kept. All connections are lost.
    ///
    /// # Errors
    /// The system was not started here, or cannot be started again.
    fn crash(&mut self) -> Result<(), SutFailure>;

    /// The moment before which the system has asked to be asked nothing, if it has.
    fn paused(&self) -> Option<Instant> {
        None
    }

    /// The failure that the system has ended by itself, if it was started here and ends within the given time.
    fn ended_within(&mut self, _longest: Duration) -> Option<SutFailure> {
        None
    }

    /// The last lines of the system's or the adapter's own output.
    fn last_output(&mut self) -> Vec<String>;
}

/// Something that a client sees.
#[derive(Clone, PartialEq, Debug)]
pub struct SutEvent {
    /// The client.
    pub client: u64,
    /// The thing that it sees.
    pub kind: SutEventKind,
}

/// The kinds of things that a client sees.
#[derive(Clone, PartialEq, Debug)]
pub enum SutEventKind {
    /// An answer to its earliest request that has none.
    Answer(Value),
    /// No answer came to its earliest request that has none; the request may have taken effect. Nothing more is said of those that it
    /// has sent since.
    Lost,
    /// Its earliest request that has no answer surely took no effect.
    Refused,
    /// The system ended the connection. Nothing more is said of what the client has sent.
    Closed,
    /// The system calls a peer; that is seen by no client.
    Called(SutCall),
}

/// A call of a peer.
#[derive(Clone, PartialEq, Debug)]
pub struct SutCall {
    /// Its number.
    pub number: u64,
    /// The number of the peer in the specification.
    pub peer: u32,
    /// The key that says which of several it is.
    pub key: Option<Value>,
    /// The request.
    pub request: Value,
}

/// The kinds of failures that are no violation of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SutFailureKind {
    /// The system ended by itself.
    Crash,
    /// No answer came before the deadline.
    Hang,
    /// It sent something that is no answer.
    Garbage,
    /// It sent what no server of the specification sends, and what is no value of its answers.
    Violation,
    /// It refused a connection.
    Refused,
    /// It could not be started, or was not ready in time.
    Start,
    /// The adapter does not keep to its protocol.
    Adapter,
}

/// A failure of the system or of what is between it and us.
#[derive(Clone, PartialEq, Debug)]
pub struct SutFailure {
    /// Its kind.
    pub kind: SutFailureKind,
    /// The client on whose connection it was met, if it was met on one.
    pub client: Option<u64>,
    /// The description, in words.
    pub what: String,
}

impl SutFailure {
    /// A failure that was met on no connection in particular.
    #[must_use]
    pub fn new(kind: SutFailureKind, what: impl Into<String>) -> SutFailure {
        SutFailure { kind, client: None, what: what.into() }
    }

    /// The failure that a client got no answer before the deadline.
    #[must_use]
    pub fn hang(client: u64, deadline: Duration) -> SutFailure {
        let what = format!("client {client} got no answer within {} s", deadline.as_secs_f64());
        SutFailure::new(SutFailureKind::Hang, what).of_client(client)
    }

    /// The failure as one met on the connection of a client.
    #[must_use]
    pub fn of_client(self, client: u64) -> SutFailure {
        SutFailure { client: Some(client), ..self }
    }
}

impl fmt::Display for SutFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for SutFailure {}
