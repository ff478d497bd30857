//! Connections over TCP, each served by a thread that does nothing but read lines and write them.
//!
//! A connection that is one too many is told so and closed; all others never notice it.

use super::connection::{Desk, Message};
use super::http;
use super::outbox::{Outbox, STACK, close, write};
use super::wire::{Refusal, Unanswered};
use crate::cli::terminal::files;
use mayhap::Spec;
use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The time to wait until the system may have room for another connection.
const PAUSE: Duration = Duration::from_millis(50);

/// The clients that there may be.
pub struct AllowedClients {
    /// The most clients at once.
    pub most: usize,
    /// The number of connections that there are.
    pub open: Arc<AtomicUsize>,
    /// The way in which they speak.
    pub speech: Speech,
}

/// The way in which clients speak.
#[derive(Clone)]
pub enum Speech {
    /// One line a request, one line an answer.
    Lines,
    /// Lines; a client may be told what it did not ask for, or be cut off.
    LinesAtAnyTime,
    /// HTTP, by the `http` block of this specification.
    Http(Arc<Spec>),
}

/// Begins to listen; the address has the port that it got.
///
/// # Errors
/// A message, one line: the address is none, or is taken.
pub fn listen(address: &str, clients: AllowedClients, desk: Desk) -> Result<SocketAddr, String> {
    let option = if matches!(clients.speech, Speech::Http(_)) { "--http" } else { "--tcp" };
    let failed = |cause: io::Error| match cause.kind() {
        ErrorKind::InvalidInput => format!("{option} {address}: {cause}; expected HOST:PORT, as in 127.0.0.1:7000"),
        _ => format!("{option} {address}: cannot listen: {}", files::reason(&cause)),
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let accepting = move || accept(&listener, &clients, &desk);
    thread::Builder::new().stack_size(STACK).spawn(accepting).map_err(failed)?;
    Ok(bound)
}

fn accept(listener: &TcpListener, clients: &AllowedClients, desk: &Desk) {
    for number in 1.. {
        let Some(stream) = next(listener) else { continue };
        if clients.open.load(Ordering::Relaxed) >= clients.most {
            turn_away(&stream, clients);
        } else if !serve(stream, number, clients, desk.clone()) {
            thread::sleep(PAUSE);
        }
    }
}

/// The next connection; nothing if this one failed before it began.
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
struct OpenConnection(Arc<AtomicUsize>, Desk, u64);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
        self.1.send(Message::Left(self.2));
    }
}

/// Serves a connection in a thread of its own; false if the system has none left, and the connection is closed.
fn serve(stream: TcpStream, number: u64, clients: &AllowedClients, desk: Desk) -> bool {
    let (open, speech) = (&clients.open, clients.speech.clone());
    open.fetch_add(1, Ordering::Relaxed);
    let counted = OpenConnection(open.clone(), desk.clone(), number);
    let serving = move || {
        let _counted = counted;
        // An answer leaves when it is there; if that cannot be asked for, it leaves later.
        _ = stream.set_nodelay(true);
        // A client that disappears is no trouble of anyone's.
        match speech {
            Speech::LinesAtAnyTime => _ = converse(number, stream, &desk),
            Speech::Lines => {
                _ = desk.serve(number, BufReader::new(&stream), |line| write(&mut &stream, &line));
                close(&stream);
            }
            Speech::Http(spec) => {
                _ = http::serve(number, &stream, &spec, &desk);
                close(&stream);
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(serving).is_ok()
}

/// Serves a client that may be told what it did not ask for.
fn converse(number: u64, stream: TcpStream, desk: &Desk) -> io::Result<()> {
    let stream = Arc::new(stream);
    let outbox = Outbox::open(stream.clone(), desk.under_way())?;
    desk.send(Message::Arrived(number, outbox.clone()));
    desk.serve(number, BufReader::new(&*stream), |line| {
        outbox.put(line);
        Ok(())
    })
}

fn turn_away(mut stream: &TcpStream, clients: &AllowedClients) {
    let why = format!("there are {} connections already, try again later", clients.most);
    match clients.speech {
        Speech::Http(_) => http::turn_away(stream, &why),
        Speech::Lines | Speech::LinesAtAnyTime => {
            let refusal = Refusal::new(Unanswered::Busy, why);
            _ = stream.write_all(format!("{refusal}\n").as_bytes());
        }
    }
    close(stream);
}
