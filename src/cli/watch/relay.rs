//! Connections that are passed on to a server: each byte as it comes, in both directions. What passes is heard by one listener.
//!
//! ```text
//! client ──bytes──▶ relay ──the same bytes──▶ server
//!                     └──copies──▶ the one that listens
//! ```
//!
//! A copy is handed over before its bytes are passed on. So the listener hears a request before its answer, and an answer before any
//! request that its client sends because of it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// The bytes that are read at a time.
const CHUNK: usize = 1 << 16;
/// The most bytes that wait for the listener. Beyond that, bytes are passed on only as fast as they are heard.
const MOST_WAITING: usize = 1 << 26;
/// The pause before it is looked again whether there is room.
const PAUSE: Duration = Duration::from_millis(1);

/// Something that was heard on a connection; connections have numbers from 1.
pub struct Overheard {
    /// The connection.
    pub connection: u64,
    /// The thing that was heard.
    pub what: OverheardKind,
}

/// The things that are heard on a connection.
pub enum OverheardKind {
    /// A client made the connection.
    Begun(SocketAddr),
    /// The server takes no connection.
    Unreachable(io::Error),
    /// Bytes of the client.
    Asked(Vec<u8>),
    /// Bytes of the server.
    Answered(Vec<u8>),
    /// The client says nothing more.
    ClientEnded,
    /// The server says nothing more.
    ServerEnded,
    /// Neither says anything more.
    Over,
}

/// The ear of the listener at a connection.
#[derive(Clone)]
pub struct Ear {
    connection: u64,
    heard: Sender<Overheard>,
    waiting: Arc<AtomicUsize>,
    is_over: Arc<RwLock<bool>>,
}

impl Ear {
    /// The ear at no connection yet.
    pub fn new(heard: Sender<Overheard>) -> Ear {
        Ear { connection: 0, heard, waiting: Arc::default(), is_over: Arc::default() }
    }

    /// The number of bytes that wait for the listener.
    pub fn waiting(&self) -> &Arc<AtomicUsize> {
        &self.waiting
    }

    /// Passes nothing on any more; all that was passed on has been handed over.
    pub fn close(&self) {
        *self.is_over.write().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Hands over what was heard, once there is room; false if nothing is passed on any more.
    fn hear(&self, what: OverheardKind) -> bool {
        let length = length(&what);
        while length > 0 && self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
            thread::sleep(PAUSE);
        }
        // Until it is handed over, the end has to wait: nothing is passed on that was not heard.
        let is_over = self.is_over.read().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_add(length, Ordering::Relaxed);
        !*is_over && self.heard.send(Overheard { connection: self.connection, what }).is_ok()
    }
}

/// The number of bytes that were heard.
pub fn length(what: &OverheardKind) -> usize {
    match what {
        OverheardKind::Asked(bytes) | OverheardKind::Answered(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Takes connections and passes them on to a server, for ever.
pub fn relay(listener: &TcpListener, server: &str, ear: &Ear) {
    let mut connection = 0;
    for stream in listener.incoming() {
        let Ok(client) = stream else {
            // There are too many open files, most probably: trying again at once would only be busy.
            thread::sleep(PAUSE);
            continue;
        };
        connection += 1;
        let ear = Ear { connection, ..ear.clone() };
        let server = server.to_owned();
        // If there is no thread left, the connection is closed.
        _ = thread::Builder::new().spawn(move || pass_on(client, &server, ear));
    }
}

/// Passes a connection on to its end.
fn pass_on(client: TcpStream, server: &str, ear: Ear) {
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
                // It never panics, and its end is all that is waited for.
                _ = asking.join();
            }
        }
        Err(error) => _ = ear.hear(OverheardKind::Unreachable(error)),
    }
    ear.hear(OverheardKind::Over);
}

/// Another handle of the client's connection, and a connection to the server.
fn joined(client: &TcpStream, server: &str) -> io::Result<(TcpStream, TcpStream)> {
    let server = TcpStream::connect(server)?;
    for stream in [client, &server] {
        stream.set_nodelay(true)?;
    }
    Ok((client.try_clone()?, server))
}

/// Passes bytes on until there are no more. If nobody takes them, the connection ends in both directions.
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
                // It was cut off, and so is the other side.
                end = Shutdown::Both;
                break;
            }
        }
    }
    hear_end();
    _ = to.shutdown(end);
}
