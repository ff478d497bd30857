//! The lines for a client that may get messages without asking, in their order, which a thread of their own writes.
//!
//! ```text
//! answers, messages, refusals ──▶ outbox ──▶ thread ──▶ client        a client that takes nothing for too long is disconnected
//! ```

use super::under_way::{UnderWay, UnderWayGuard};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The stack of a thread that reads or writes lines, in bytes.
pub const STACK: usize = 1 << 18;

/// The most lines that may wait for a client before it is disconnected.
const LINES: usize = 10_000;

/// The outbox of one client; it is closed when nobody has it any more.
#[derive(Clone)]
pub struct Outbox {
    lines: SyncSender<(String, UnderWayGuard)>,
    stream: Arc<TcpStream>,
    under_way: Arc<UnderWay>,
}

/// The connection of a client that may get messages without asking.
pub struct TalkingConnection {
    /// The outbox of the client.
    pub outbox: Outbox,
    /// Set if the trace has an event of the connection.
    pub has_begun: bool,
    /// Set if the server must still handle the beginning of the connection.
    pub is_opening: bool,
    /// The line of the request in the trace, if a request was written there before it was begun.
    pub recorded: Option<u64>,
}

impl Outbox {
    /// Opens the outbox of a connection.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn open(stream: Arc<TcpStream>, under_way: Arc<UnderWay>) -> io::Result<Outbox> {
        let (lines, receiver) = sync_channel(LINES);
        let outbox = Outbox { lines, stream: stream.clone(), under_way };
        thread::Builder::new().stack_size(STACK).spawn(move || deliver(&receiver, &stream))?;
        Ok(outbox)
    }

    /// Adds a line. A client with too many waiting lines is disconnected.
    pub fn put(&self, line: String) {
        if self.lines.try_send((line, UnderWayGuard::new(&self.under_way))).is_err() {
            _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    /// Stops reading from the client.
    pub fn stop_reading(&self) {
        _ = self.stream.shutdown(Shutdown::Read);
    }
}

/// Writes the lines, until nobody has more for the client or it takes none, and closes the connection.
fn deliver(lines: &Receiver<(String, UnderWayGuard)>, stream: &TcpStream) {
    for (line, _begun) in lines {
        if write(&mut &*stream, &line).is_err() {
            // The thread that reads from the client notices this, too.
            _ = stream.shutdown(Shutdown::Both);
            return;
        }
    }
    close(stream);
}

/// Writes a line at once, in one piece if possible.
pub fn write(output: &mut impl Write, line: &str) -> io::Result<()> {
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

/// Closes a connection after everything was written. What has arrived is read first, as closing with unread bytes would discard
/// what was written last.
pub fn close(mut stream: &TcpStream) {
    _ = stream.shutdown(Shutdown::Write);
    _ = stream.set_nonblocking(true);
    let mut unread = [0; 1 << 14];
    for _ in 0..64 {
        if !matches!(stream.read(&mut unread), Ok(1..)) {
            break;
        }
    }
}
