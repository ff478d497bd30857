//! The clients of a real server under test, each with a connection that is made when it is needed.
//!
//! `clients.ask(1, b"get a\r\n", |connection| connection.line())` is `Is("END")`, or `Closed` if the server ended this
//! connection.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use mayhap::sut::SutAnswer;

use super::connection::Connection;
use super::{Program, Trouble};

/// The time after the end of a connection within which the server may show that it has ended.
const DYING: Duration = Duration::from_millis(100);

/// The connections of all clients.
pub struct Clients {
    program: Program,
    address: SocketAddr,
    open: Mutex<HashMap<u64, Connection>>,
}

impl Clients {
    /// No connections yet.
    pub fn new(program: Program, address: SocketAddr) -> Clients {
        Clients { program, address, open: Mutex::default() }
    }

    /// Sends the command of a client, and reads the answer.
    ///
    /// # Panics
    /// The server has ended, or its answer makes no sense: this is no answer to be judged.
    pub fn ask<A>(
        &self,
        client: u64,
        command: &[u8],
        read: impl FnOnce(&mut Connection) -> Result<A, Trouble>,
    ) -> SutAnswer<A> {
        let known = self.open().remove(&client);
        let connection = known.map_or_else(|| Connection::open(self.program, self.address), Ok);
        let mut connection = connection.unwrap_or_else(|trouble| panic!("{}: {trouble}", self.program.name));
        match connection.send(command).and_then(|()| read(&mut connection)) {
            Ok(answer) => {
                self.open().insert(client, connection);
                SutAnswer::Is(answer)
            }
            Err(Trouble::Io(_, error)) if is_late(&error) => SutAnswer::Lost,
            Err(Trouble::Io(_, error)) => {
                sleep(DYING);
                assert!(TcpStream::connect(self.address).is_ok(), "{} is gone: {error}", self.program.name);
                SutAnswer::Closed
            }
            Err(trouble) => panic!("{trouble}"),
        }
    }

    /// Closes the connection of a client.
    pub fn close(&self, client: u64) {
        self.open().remove(&client);
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Connection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The address of a server from the command line: a port on this machine, or HOST:PORT.
///
/// # Errors
/// The argument is something else; the message says what was expected.
pub fn address() -> Result<SocketAddr, String> {
    let usage = || "usage: PORT, or ADDRESS:PORT, of a server that runs".to_owned();
    let text = std::env::args().nth(1).ok_or_else(usage)?;
    let text = if text.contains(':') { text } else { format!("127.0.0.1:{text}") };
    text.parse().map_err(|_| usage())
}
