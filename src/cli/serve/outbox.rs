//! The way out to a client that is also told what it did not ask for: lines in their order, written by a thread of their own.
//!
//! ```text
//! answers, messages, refusals ──▶ outbox ──▶ thread ──▶ client        a client that takes nothing for too long is cut off
//! ```

use super::under_way::{UnderWay, UnderWayGuard};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The stack of a thread that reads and writes lines.
pub const STACK: usize = 1 << 18;

/// The number of lines that a client may leave untaken.
const LINES: usize = 10_000;

/// The way out to one client; it is closed when nobody has it any more.
#[derive(Clone)]
pub struct Outbox {
    lines: SyncSender<(String, UnderWayGuard)>,
    stream: Arc<TcpStream>,
    under_way: Arc<UnderWay>,
}

/// A connection whose client may be told what it did not ask for.
pub struct TalkingConnection {
    /// The way out to it.
    pub outbox: Outbox,
    /// Set if the trace knows of it.
    pub has_begun: bool,
    /// Set if the server has not taken notice of it, and is to do so.
    pub is_opening: bool,
    /// The line of the request that was written to the trace before it was begun, if one was.
    pub recorded: Option<u64>,
}

impl Outbox {
    /// Opens the way out of a connection.
    ///
    /// # Errors
    /// If the system has no thread left.
    pub fn open(stream: Arc<TcpStream>, under_way: Arc<UnderWay>) -> io::Result<Outbox> {
        let (lines, receiver) = sync_channel(LINES);
        let outbox = Outbox { lines, stream: stream.clone(), under_way };
        thread::Builder::new().stack_size(STACK).spawn(move || deliver(&receiver, &stream))?;
        Ok(outbox)
    }

    /// Puts a line after the others; a client that has left too many untaken is cut off.
    pub fn put(&self, line: String) {
        if self.lines.try_send((line, UnderWayGuard::new(&self.under_way))).is_err() {
            _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    /// Reads no more of the client.
    pub fn stop_reading(&self) {
        _ = self.stream.shutdown(Shutdown::Read);
    }
}

/// Writes the lines until nobody has any more for the client, or it takes none, and closes the connection.
fn deliver(lines: &Receiver<(String, UnderWayGuard)>, stream: &TcpStream) {
    for (line, _begun) in lines {
        if write(&mut &*stream, &line).is_err() {
            // Its reader notices, too.
            _ = stream.shutdown(Shutdown::Both);
            return;
        }
    }
    close(stream);
}

/// Writes a line at once, in one piece if the system takes it so.
pub fn write(output: &mut impl Write, line: &str) -> io::Result<()> {
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

/// Closes a connection after what was written. What has arrived is read first: a connection that is closed with
/// something unread takes back what was written last.
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
