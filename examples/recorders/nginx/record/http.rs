//! A persistent HTTP/1.1 connection for one GET after another.
//!
//! `GET /a` with `If-None-Match: "6553f100-3"` gives [`Answer::Ok`], [`Answer::NotModified`] or [`Answer::NotFound`].

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::exchange::{Answer, Tag};
use super::{PROGRAM, Trouble};

/// The longest wait for an answer; a local nginx needs microseconds.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most header fields of an answer; nginx sends eight.
const MAX_FIELDS: usize = 32;
/// The bytes that are read at once.
const CHUNK: usize = 4096;

/// A connection, with the bytes that were received and not used yet.
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// The head of an answer.
struct Head {
    /// The length of the head in bytes.
    length: usize,
    status: u16,
    tag: Option<String>,
    body: Option<usize>,
}

impl Connection {
    /// Connects to an address.
    pub fn open(address: SocketAddr) -> Result<Connection, Trouble> {
        let connect = || {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            Ok(stream)
        };
        let stream = connect().map_err(|error| Trouble::Io("connecting to nginx", error))?;
        Ok(Connection { stream, received: Vec::new() })
    }

    /// Asks for the file at `path`, with an `If-None-Match` header if one is given.
    pub fn get(&mut self, path: &str, if_none_match: Option<&str>) -> Result<Answer, Trouble> {
        let condition = if_none_match.map(|tags| format!("If-None-Match: {tags}\r\n")).unwrap_or_default();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{condition}\r\n");
        self.stream.write_all(request.as_bytes()).map_err(|error| Trouble::Io("sending to nginx", error))?;
        let head = self.read_head()?;
        let body = self.read_body(&head)?;
        answer(head, body)
    }

    fn read_head(&mut self) -> Result<Head, Trouble> {
        loop {
            if let Some(head) = parse(&self.received)? {
                return Ok(head);
            }
            self.receive()?;
        }
    }

    /// Takes the bytes of an answer, and returns those of the body.
    fn read_body(&mut self, head: &Head) -> Result<Vec<u8>, Trouble> {
        let length = match (head.status, head.body) {
            (304, _) => 0,
            (_, Some(length)) => length,
            (status, None) => return Err(bad(format!("{status} without Content-Length"))),
        };
        let end = head.length.saturating_add(length);
        while self.received.len() < end {
            self.receive()?;
        }
        let body = self.received[head.length..end].to_vec();
        self.received.drain(..end);
        Ok(body)
    }

    fn receive(&mut self) -> Result<(), Trouble> {
        let mut chunk = [0; CHUNK];
        let count = self.stream.read(&mut chunk).map_err(|error| Trouble::Io("receiving from nginx", error))?;
        if count == 0 {
            return Err(bad("by closing the connection".to_owned()));
        }
        self.received.extend_from_slice(&chunk[..count]);
        Ok(())
    }
}

/// Reads the head of an answer; `None` as long as it is not complete.
fn parse(octets: &[u8]) -> Result<Option<Head>, Trouble> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let parsed = response.parse(octets).map_err(|error| bad(format!("what is not HTTP: {error}")))?;
    let httparse::Status::Complete(length) = parsed else { return Ok(None) };
    let value = |name: &str| {
        let field = response.headers.iter().find(|field| field.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(field.value).ok()
    };
    let status = response.code.unwrap_or_default();
    let tag = value("etag").map(str::to_owned);
    let body = value("content-length").and_then(|text| text.parse().ok());
    Ok(Some(Head { length, status, tag, body }))
}

fn bad(what: String) -> Trouble {
    Trouble::BadAnswer(PROGRAM, what)
}

fn answer(head: Head, body: Vec<u8>) -> Result<Answer, Trouble> {
    let tag = match head.tag {
        None => None,
        Some(text) => Some(Tag::parse(&text).ok_or_else(|| bad(format!("the entity tag {text}")))?),
    };
    match (head.status, tag) {
        (200, Some(tag)) => {
            let content = String::from_utf8(body).map_err(|_| bad("what was never written".to_owned()))?;
            Ok(Answer::Ok { tag, content })
        }
        (200, None) => Err(bad("200 without an entity tag".to_owned())),
        (304, tag) => Ok(Answer::NotModified { tag }),
        (404, _) => Ok(Answer::NotFound),
        (status, _) => Err(bad(format!("with status {status}"))),
    }
}
