//! One client, whatever it is connected by: its lines are handed in one by one, and what comes back is written.
//!
//! A client waits for nobody but itself: while it does not take its answers, no further line of it is read. Requests of
//! all clients go through one channel; each client has at most one in it, so it holds no more than there are clients.

use super::outbox::Outbox;
use super::under_way::{UnderWay, UnderWayGuard};
use super::wire::{Arrival, Lines, MAX_REQUEST_BYTES, Refusal, Unanswered};
use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};

/// A message to the one that handles requests.
pub enum Message {
    /// A client asks.
    Request(ClientLine),
    /// There will be no more requests; an error if the client could not be read or written.
    Ended(io::Result<()>),
    /// A client of several is there, which may be told what it did not ask for.
    Arrived(u64, Outbox),
    /// A client of several has left.
    Left(u64),
    /// A peer has answered a call, or failed.
    CallEnded(CallEnd),
    /// The user wants it to end.
    Interrupted,
}

/// A line of a client.
pub struct ClientLine {
    /// Whose.
    pub client: u64,
    /// Which, from 1.
    pub line: u64,
    /// The bytes that stand in the line, without its end.
    pub text: Vec<u8>,
    /// The channel that gets the line by which the request is answered, or `None` if it is answered by none.
    pub back: SyncSender<Option<String>>,
}

/// The end of a call: the answer, or why there is none.
pub struct CallEnd {
    /// The number of the call.
    pub exchange: u64,
    /// The number of the peer.
    pub peer: u32,
    /// The line of the peer, or a reason.
    pub line: Result<String, String>,
}

/// The way by which clients reach the one that handles requests.
#[derive(Clone)]
pub struct Desk {
    messages: Sender<Message>,
    under_way: Arc<UnderWay>,
}

/// The next thing that happens to a client.
enum ClientEvent {
    /// It is written this line.
    Write(String),
    /// It is owed nothing.
    Silence,
    /// It is served no more.
    End,
}

impl Desk {
    /// A way to hand in messages.
    pub fn new(messages: Sender<Message>) -> Desk {
        Desk { messages, under_way: Arc::default() }
    }

    /// Returns the shared count of what was handed in and is not answered yet.
    pub fn under_way(&self) -> Arc<UnderWay> {
        self.under_way.clone()
    }

    /// Tells something that is no request; nobody listens if all is over already.
    pub fn send(&self, message: Message) {
        _ = self.messages.send(message);
    }

    /// Serves a client to its end; what it is told is written.
    ///
    /// # Errors
    /// If it can be read or written no more.
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

    /// The line by which a request of a client is answered or refused; none if it is answered by none, or all is over.
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
