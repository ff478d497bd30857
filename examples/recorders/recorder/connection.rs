//! A connection to a server, on which commands are sent, and answers are read by lines and by lengths.
//!
//! After `send(b"get a\r\n")`, `line()` is `VALUE a 0 5`, `block(5)` is `hello`, and `line()` is `END`.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::{Program, Trouble};

/// The longest wait for an answer; a local server needs microseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection, with the bytes that were received and not used yet.
pub struct Connection {
    program: Program,
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects to the server at an address.
    pub fn open(program: Program, address: SocketAddr) -> Result<Connection, Trouble> {
        let connect = || {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            Ok(BufReader::new(stream))
        };
        let stream = connect().map_err(|error| Trouble::Io("connecting to the server", error))?;
        Ok(Connection { program, stream })
    }

    /// Sends a command.
    pub fn send(&mut self, command: &[u8]) -> Result<(), Trouble> {
        self.stream.get_mut().write_all(command).map_err(|error| Trouble::Io("sending to the server", error))
    }

    /// The next line, without its end.
    pub fn line(&mut self) -> Result<String, Trouble> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).map_err(receiving)?;
        match line.strip_suffix(b"\r\n") {
            Some(line) => self.text(line.to_vec()),
            None => Err(receiving(io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection"))),
        }
    }

    /// The next `length` bytes as text. The end of the line after them is dropped.
    pub fn block(&mut self, length: usize) -> Result<String, Trouble> {
        let mut octets = vec![0; length.saturating_add(2)];
        self.stream.read_exact(&mut octets).map_err(receiving)?;
        if octets.split_off(length) != b"\r\n" {
            return Err(self.bad("more than it had said"));
        }
        self.text(octets)
    }

    /// The trouble with an answer that makes no sense here.
    pub fn bad(&self, what: &str) -> Trouble {
        Trouble::BadAnswer(self.program, what.to_owned())
    }

    fn text(&self, octets: Vec<u8>) -> Result<String, Trouble> {
        String::from_utf8(octets).map_err(|_| self.bad("what was never written"))
    }
}

fn receiving(error: io::Error) -> Trouble {
    Trouble::Io("receiving from the server", error)
}
