//! The relay of connections to a server: it passes each byte on as it comes, in both directions, and hands a copy to one
//! listener.
//!
//! ```text
//! client ──bytes──▶ relay ──the same bytes──▶ server
//!                     └──copies──▶ listener
//! ```
//!
//! A copy is handed over before its bytes are passed on. So the listener gets a request before its answer, and an answer before
//! any request that the client sends because of this answer.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// The bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// The most bytes that wait for the listener. Beyond this, bytes are passed on only as fast as the listener takes them.
const MOST_WAITING: usize = 1 << 26;
/// The pause between two tests whether there is room.
const PAUSE: Duration = Duration::from_millis(1);

/// A message to the listener about a connection; connections have numbers from 1.
pub struct Overheard {
    /// The number of the connection.
    pub connection: u64,
    /// The message.
    pub what: OverheardKind,
}

/// The messages about a connection.
pub enum OverheardKind {
    /// A client made the connection.
    Begun(SocketAddr),
    /// The server accepts no connection.
    Unreachable(io::Error),
    /// Bytes from the client.
    Asked(Vec<u8>),
    /// Bytes from the server.
    Answered(Vec<u8>),
    /// The client has ended its direction.
    ClientEnded,
    /// The server has ended its direction.
    ServerEnded,
    /// Both directions have ended.
    Over,
}

/// The sender of messages about a connection to the listener.
#[derive(Clone)]
pub struct ListenerHandle {
    connection: u64,
    heard: Sender<Overheard>,
    waiting: Arc<AtomicUsize>,
    is_over: Arc<RwLock<bool>>,
}

impl ListenerHandle {
    /// A sender that has no connection yet.
    pub fn new(heard: Sender<Overheard>) -> ListenerHandle {
        ListenerHandle { connection: 0, heard, waiting: Arc::default(), is_over: Arc::default() }
    }

    /// The number of bytes that wait for the listener.
    pub fn waiting(&self) -> &Arc<AtomicUsize> {
        &self.waiting
    }

    /// Stops passing bytes on. Everything that was passed on was handed over before.
    pub fn close(&self) {
        *self.is_over.write().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Hands a message over when there is room. Returns false if nothing is passed on any more.
    fn hear(&self, what: OverheardKind) -> bool {
        let length = length(&what);
        while length > 0 && self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
            thread::sleep(PAUSE);
        }
        // The lock delays the end until the message is handed over, so that nothing is passed on that was not handed over.
        let is_over = self.is_over.read().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_add(length, Ordering::Relaxed);
        !*is_over && self.heard.send(Overheard { connection: self.connection, what }).is_ok()
    }
}

/// The number of bytes in a message.
pub fn length(what: &OverheardKind) -> usize {
    match what {
        OverheardKind::Asked(bytes) | OverheardKind::Answered(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Accepts connections and relays them to a server, for ever.
pub fn relay(listener: &TcpListener, server: &str, ear: &ListenerHandle) {
    let mut connection = 0;
    for stream in listener.incoming() {
        let Ok(client) = stream else {
            // Most probably there are too many open files, and trying again at once would only waste time.
            thread::sleep(PAUSE);
            continue;
        };
        connection += 1;
        let ear = ListenerHandle { connection, ..ear.clone() };
        let server = server.to_owned();
        // If no thread can be started, the connection is closed.
        _ = thread::Builder::new().spawn(move || pass_on(client, &server, ear));
    }
}

/// Relays a connection to its end.
fn pass_on(client: TcpStream, server: &str, ear: ListenerHandle) {
    let Ok(address) = client.peer_addr() else { return };
    if !ear.hear(OverheardKind::Begun(address)) {
        return;
    }
    match joined(&client, server) {
        Ok((own, server)) => {
            let (ear_of_client, server_in) = (ear.clone(), server.try_clone());
            let asking = thread::Builder::new().spawn(move || {
                let Ok(server) = server_in else { return };
                let hear = |bytes| ear_of_client.hear(OverheardKind::Asked(bytes));
                pass(own, server, hear, || {}, || _ = ear_of_client.hear(OverheardKind::ClientEnded));
            });
            let hear = |bytes| ear.hear(OverheardKind::Answered(bytes));
            let client_gone = || _ = ear.hear(OverheardKind::ClientEnded);
            pass(server, client, hear, client_gone, || _ = ear.hear(OverheardKind::ServerEnded));
            if let Ok(asking) = asking {
                // The thread does not panic, and only its end matters.
                _ = asking.join();
            }
        }
        Err(error) => _ = ear.hear(OverheardKind::Unreachable(error)),
    }
    ear.hear(OverheardKind::Over);
}

/// Another handle of the client's connection, and a new connection to the server.
fn joined(client: &TcpStream, server: &str) -> io::Result<(TcpStream, TcpStream)> {
    let server = TcpStream::connect(server)?;
    for stream in [client, &server] {
        stream.set_nodelay(true)?;
    }
    Ok((client.try_clone()?, server))
}

/// Passes bytes on until their end. If they cannot be written, the connection ends in both directions.
fn pass(
    mut from: TcpStream,
    mut to: TcpStream,
    hear: impl Fn(Vec<u8>) -> bool,
    hear_gone: impl Fn(),
    hear_end: impl Fn(),
) {
    let mut end = Shutdown::Write;
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => {
                if !hear(chunk[..count].to_vec()) {
                    end = Shutdown::Both;
                    break;
                }
                if to.write_all(&chunk[..count]).is_err() {
                    hear_gone();
                    _ = from.shutdown(Shutdown::Both);
                    break;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => {
                // One side was cut off, and so is the other one.
                end = Shutdown::Both;
                break;
            }
        }
    }
    hear_end();
    _ = to.shutdown(end);
}
