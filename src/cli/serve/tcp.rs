//! TCP connections, each served by a thread that only reads and writes lines.
//!
//! A connection beyond the limit is told so and closed; the other connections are not affected.

use super::connection::{Message, RequestChannel};
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

/// The wait until the system may have room for another connection.
const PAUSE: Duration = Duration::from_millis(50);

/// The limit on clients, and their protocol.
pub struct AllowedClients {
    /// The most clients at one time.
    pub most: usize,
    /// The number of open connections.
    pub open: Arc<AtomicUsize>,
    /// The protocol of the clients.
    pub speech: Speech,
}

/// The protocol of clients.
#[derive(Clone)]
pub enum Speech {
    /// One line for each request, and one line for each answer.
    Lines,
    /// Lines; clients may also get messages without asking, or be disconnected.
    LinesAtAnyTime,
    /// HTTP, by the `http` block of this specification.
    Http(Arc<Spec>),
}

/// Starts to listen, and returns the address with its actual port.
///
/// # Errors
/// The address is wrong or in use; the message has one line.
pub fn listen(address: &str, clients: AllowedClients, desk: RequestChannel) -> Result<SocketAddr, String> {
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

fn accept(listener: &TcpListener, clients: &AllowedClients, desk: &RequestChannel) {
    for number in 1.. {
        let Some(stream) = next(listener) else { continue };
        if clients.open.load(Ordering::Relaxed) >= clients.most {
            turn_away(&stream, clients);
        } else if !serve(stream, number, clients, desk.clone()) {
            thread::sleep(PAUSE);
        }
    }
}

/// The next connection; `None` if it failed before it began.
fn next(listener: &TcpListener) -> Option<TcpStream> {
    match listener.accept() {
        Ok((stream, _)) => Some(stream),
        Err(_) => {
            // Most probably there are too many open files, and trying again at once would only waste time.
            thread::sleep(PAUSE);
            None
        }
    }
}

/// The count of an open connection. At its end the client's departure is reported.
struct OpenConnection(Arc<AtomicUsize>, RequestChannel, u64);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
        self.1.send(Message::Left(self.2));
    }
}

/// Serves a connection in a thread of its own. Returns false if the system cannot start one; the connection is closed then.
fn serve(stream: TcpStream, number: u64, clients: &AllowedClients, desk: RequestChannel) -> bool {
    let (open, speech) = (&clients.open, clients.speech.clone());
    open.fetch_add(1, Ordering::Relaxed);
    let counted = OpenConnection(open.clone(), desk.clone(), number);
    let serving = move || {
        let _counted = counted;
        // Answers are to leave at once. If this cannot be set, they leave a little later.
        _ = stream.set_nodelay(true);
        // A client that disappears is no problem.
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

/// Serves a client that may get messages without asking.
fn converse(number: u64, stream: TcpStream, desk: &RequestChannel) -> io::Result<()> {
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
