//! The service of one client, on any kind of connection: its lines are handed in one by one, and the answers are written.
//!
//! As long as a client does not take its answers, no further line of this client is read; other clients are not affected. The
//! requests of all clients go through one channel. Each client has at most one request in it, which bounds its length.

use super::outbox::Outbox;
use super::under_way::{UnderWay, UnderWayGuard};
use super::wire::{Arrival, Lines, MAX_REQUEST_BYTES, Refusal, Unanswered};
use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};

/// A message to the thread that handles requests.
pub enum Message {
    /// A client sends a request.
    Request(ClientLine),
    /// There will be no more requests; an error if reading from or writing to the client failed.
    Ended(io::Result<()>),
    /// A client has connected that may get messages without asking.
    Arrived(u64, Outbox),
    /// Such a client has left.
    Left(u64),
    /// A peer has answered a call, or has failed.
    CallEnded(CallEnd),
    /// The user wants the server to end.
    Interrupted,
}

/// A line from a client.
pub struct ClientLine {
    /// The number of the client.
    pub client: u64,
    /// The number of the line, from 1.
    pub line: u64,
    /// The bytes of the line, without its end.
    pub text: Vec<u8>,
    /// The channel for the line of the answer; it gets `None` if there is no answer.
    pub back: SyncSender<Option<String>>,
}

/// The end of a call: the answer, or the reason why there is none.
pub struct CallEnd {
    /// The number of the call.
    pub exchange: u64,
    /// The number of the peer.
    pub peer: u32,
    /// The line of the peer, or the reason.
    pub line: Result<String, String>,
}

/// The access of clients to the thread that handles requests.
#[derive(Clone)]
pub struct RequestChannel {
    messages: Sender<Message>,
    under_way: Arc<UnderWay>,
}

/// The next event for a client.
enum ClientEvent {
    /// This line is written to the client.
    Write(String),
    /// The client gets no answer, as none is owed.
    Silence,
    /// The client is no longer served.
    End,
}

impl RequestChannel {
    /// The access through this channel.
    pub fn new(messages: Sender<Message>) -> RequestChannel {
        RequestChannel { messages, under_way: Arc::default() }
    }

    /// The shared count of everything that is under way.
    pub fn under_way(&self) -> Arc<UnderWay> {
        self.under_way.clone()
    }

    /// Sends a message that is no request. Nobody receives it if the server has ended.
    pub fn send(&self, message: Message) {
        _ = self.messages.send(message);
    }

    /// Serves a client to its end, and writes its answers.
    ///
    /// # Errors
    /// Reading from or writing to the client fails.
    pub fn serve(
        &self,
        client: u64,
        input: impl BufRead,
        mut write: impl FnMut(String) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut lines = Lines::new(input);
        loop {
            let piece = lines.next_piece()?;
            let _begun = UnderWayGuard::new(&self.under_way);
            match self.next(client, lines.line(), piece) {
                ClientEvent::Write(line) => write(line)?,
                ClientEvent::Silence => {}
                ClientEvent::End => return Ok(()),
            }
        }
    }

    fn next(&self, client: u64, line: u64, piece: Arrival) -> ClientEvent {
        let refused = |kind, message: String| ClientEvent::Write(Refusal::new(kind, message).of_line(line).to_string());
        match piece {
            Arrival::Line(text) => self.ask(client, line, text),
            Arrival::TooLong => {
                refused(Unanswered::TooLong, format!("a line can have at most {MAX_REQUEST_BYTES} bytes"))
            }
            Arrival::CutOff => refused(Unanswered::CutOff, "the input ended in the middle of this line".into()),
            Arrival::End => ClientEvent::End,
        }
    }

    /// The line that answers or refuses a request of a client; `None` if it gets no answer, or the server has ended.
    pub fn answer_to(&self, client: u64, line: u64, request: String) -> Option<String> {
        let _begun = UnderWayGuard::new(&self.under_way);
        match self.ask(client, line, request.into_bytes()) {
            ClientEvent::Write(line) => Some(line),
            ClientEvent::Silence | ClientEvent::End => None,
        }
    }

    fn ask(&self, client: u64, line: u64, text: Vec<u8>) -> ClientEvent {
        let (back, answer) = sync_channel(1);
        let request = ClientLine { client, line, text, back };
        if self.messages.send(Message::Request(request)).is_err() {
            return ClientEvent::End;
        }
        match answer.recv() {
            Ok(Some(line)) => ClientEvent::Write(line),
            Ok(None) => ClientEvent::Silence,
            Err(_) => ClientEvent::End,
        }
    }
}
