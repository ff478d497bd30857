//! One client, whatever it is connected by: its lines are handed in one by one, and what comes back is written.
//!
//! A client waits for nobody but itself: while it does not take its answers, no further line of it is read. Requests of
//! all clients go through one channel; each client has at most one in it, so it holds no more than there are clients.

use super::wire::{Kind, Lines, MAX_REQUEST_BYTES, Piece, Refusal};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A message to the one that handles requests.
pub enum Message {
    /// A client asks.
    Request(Request),
    /// There will be no more requests; an error where the client could not be read or written.
    Ended(io::Result<()>),
    /// A client of several has left.
    Left,
    /// The user wants it to end.
    Interrupted,
}

/// A line of a client.
pub struct Request {
    /// Whose.
    pub client: u64,
    /// Which, from 1.
    pub line: u64,
    /// The bytes that stand in the line, without its end.
    pub text: Vec<u8>,
    /// The channel that gets the line by which the request is answered, or `None` if it is answered by none.
    pub back: SyncSender<Option<String>>,
}

/// The way by which clients reach the one that handles requests.
#[derive(Clone)]
pub struct Desk {
    messages: Sender<Message>,
    under_way: Arc<UnderWay>,
}

/// The number of requests that were handed in and are not answered in full yet.
#[derive(Default)]
pub struct UnderWay {
    count: Mutex<usize>,
    fewer: Condvar,
}

impl UnderWay {
    /// Waits until everything handed in is answered, but not for ever: a client may never take its answer.
    pub fn wait(&self, patience: Duration) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether it was in time makes no difference to anyone.
        _ = self.fewer.wait_timeout_while(count, patience, |count| *count > 0);
    }

    fn change(&self, by: impl FnOnce(usize) -> usize) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count = by(*count);
        self.fewer.notify_all();
    }
}

/// A request is under way as long as this is there.
struct Begun<'d>(&'d UnderWay);

impl<'d> Begun<'d> {
    fn new(under_way: &'d UnderWay) -> Begun<'d> {
        under_way.change(|count| count + 1);
        Begun(under_way)
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.change(|count| count - 1);
    }
}

/// The next thing that happens to a client.
enum Next {
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

    /// Tells something that is no request; nobody listens where all is over already.
    pub fn send(&self, message: Message) {
        _ = self.messages.send(message);
    }

    /// Serves a client to its end.
    ///
    /// # Errors
    /// Where it can be read or written no more.
    pub fn serve(&self, client: u64, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        let mut lines = Lines::new(input);
        loop {
            let piece = lines.next_piece()?;
            let _begun = Begun::new(&self.under_way);
            match self.next(client, lines.line(), piece) {
                Next::Write(line) => write(&mut output, &line)?,
                Next::Silence => {}
                Next::End => return Ok(()),
            }
        }
    }

    fn next(&self, client: u64, line: u64, piece: Piece) -> Next {
        let refused = |kind, message: String| Next::Write(Refusal::new(kind, message).of_line(line).to_string());
        match piece {
            Piece::Line(text) => self.ask(client, line, text),
            Piece::TooLong => refused(Kind::TooLong, format!("a line can have at most {MAX_REQUEST_BYTES} bytes")),
            Piece::CutOff => refused(Kind::CutOff, "the input ended in the middle of this line".into()),
            Piece::End => Next::End,
        }
    }

    fn ask(&self, client: u64, line: u64, text: Vec<u8>) -> Next {
        let (back, answer) = sync_channel(1);
        let request = Request { client, line, text, back };
        if self.messages.send(Message::Request(request)).is_err() {
            return Next::End;
        }
        match answer.recv() {
            Ok(Some(line)) => Next::Write(line),
            Ok(None) => Next::Silence,
            Err(_) => Next::End,
        }
    }
}

/// Writes a line at once, in one piece where the system takes it so.
fn write(output: &mut impl Write, line: &str) -> io::Result<()> {
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}
