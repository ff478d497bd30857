//! Connections over TCP, each served by a thread that does nothing but read lines and write them.
//!
//! A connection that is one too many is told so and closed; all others never notice it.

use super::connection::{Desk, Message};
use super::wire::{Refusal, Unanswered};
use crate::cli::files;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The stack of a thread that reads and writes lines.
const STACK: usize = 1 << 18;

/// The time to wait until the system may have room for another connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Begins to listen; the address has the port that it got, and `open` will say how many connections there are.
///
/// # Errors
/// A message, one line: the address is none, or is taken.
pub fn listen(address: &str, most: usize, open: Arc<AtomicUsize>, desk: Desk) -> Result<SocketAddr, String> {
    let failed = |cause: io::Error| match cause.kind() {
        ErrorKind::InvalidInput => format!("--tcp {address}: {cause}; expected HOST:PORT, as in 127.0.0.1:7000"),
        _ => format!("--tcp {address}: cannot listen: {}", files::reason(&cause)),
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let accepting = move || accept(&listener, most, &open, &desk);
    thread::Builder::new().stack_size(STACK).spawn(accepting).map_err(failed)?;
    Ok(bound)
}

fn accept(listener: &TcpListener, most: usize, open: &Arc<AtomicUsize>, desk: &Desk) {
    for number in 1.. {
        let Some(stream) = next(listener) else { continue };
        if open.load(Ordering::Relaxed) >= most {
            turn_away(&stream, most);
        } else if !serve(stream, number, open, desk.clone()) {
            thread::sleep(PAUSE);
        }
    }
}

/// The next connection; nothing where this one failed before it began.
fn next(listener: &TcpListener) -> Option<TcpStream> {
    match listener.accept() {
        Ok((stream, _)) => Some(stream),
        Err(_) => {
            // There are too many open files, most probably: trying again at once would only be busy.
            thread::sleep(PAUSE);
            None
        }
    }
}

/// Counted as long as it is there; that it is gone is told.
struct OpenConnection(Arc<AtomicUsize>, Desk);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
        self.1.send(Message::Left);
    }
}

/// Serves a connection in a thread of its own; false where the system has none left, and the connection is closed.
fn serve(stream: TcpStream, number: u64, open: &Arc<AtomicUsize>, desk: Desk) -> bool {
    open.fetch_add(1, Ordering::Relaxed);
    let counted = OpenConnection(open.clone(), desk.clone());
    let serving = move || {
        let _counted = counted;
        // An answer leaves when it is there; where that cannot be asked for, it leaves later.
        _ = stream.set_nodelay(true);
        // A client that disappears is no trouble of anyone's.
        _ = desk.serve(number, BufReader::new(&stream), &stream);
        close(&stream);
    };
    thread::Builder::new().stack_size(STACK).spawn(serving).is_ok()
}

fn turn_away(mut stream: &TcpStream, most: usize) {
    let refusal = Refusal::new(Unanswered::Busy, format!("there are {most} connections already, try again later"));
    _ = stream.write_all(format!("{refusal}\n").as_bytes());
    close(stream);
}

/// Closes a connection after what was written. What has arrived is read first: a connection that is closed with
/// something unread takes back what was written last.
fn close(mut stream: &TcpStream) {
    _ = stream.shutdown(Shutdown::Write);
    _ = stream.set_nonblocking(true);
    let mut unread = [0; 1 << 14];
    for _ in 0..64 {
        if !matches!(stream.read(&mut unread), Ok(1..)) {
            break;
        }
    }
}
