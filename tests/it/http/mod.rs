//! A small HTTP server on this machine: it keeps what is put under a path.
//!
//! `PUT /a` is answered 204, then `GET /a` 200 with what was put; before, it is 404 with a text. At `/slow` a request
//! takes effect and is not answered.

mod connections;
mod forms;
mod freedoms;
mod har;
mod har_content;
mod mistakes;
mod openapi;
pub mod planted;
pub mod testing;
mod tls;
mod waits;
mod wire;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Longer than a client on this machine takes to send what it has begun.
const PATIENCE: Duration = Duration::from_secs(20);

/// The server, which runs until the tests end.
pub struct Kept(SocketAddr);

impl Kept {
    /// Starts one on a free port.
    pub fn start() -> Kept {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let mut data = BTreeMap::new();
            for stream in listener.incoming().flatten() {
                // A client that leaves early is not missed.
                _ = serve(stream, &mut data);
            }
        });
        Kept(address)
    }

    /// Where it is, as the beginning of a URL.
    pub fn address(&self) -> String {
        format!("http://{}", self.0)
    }
}

/// Handles one request, and ends the connection.
fn serve(stream: TcpStream, data: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut body = vec![0; length(&mut reader)?];
    reader.read_exact(&mut body)?;
    let (status, text) = match method {
        "PUT" => {
            data.insert(path.to_owned(), body);
            ("204 No Content", Vec::new())
        }
        _ => data.get(path).map_or(("404 Not Found", b"nothing here".to_vec()), |kept| ("200 OK", kept.clone())),
    };
    let mut stream = reader.into_inner();
    if path == "/slow" {
        return Ok(());
    }
    let length = if method == "PUT" { String::new() } else { format!("Content-Length: {}\r\n", text.len()) };
    write!(stream, "HTTP/1.1 {status}\r\n{length}Connection: close\r\n\r\n")?;
    stream.write_all(&text)
}

/// Reads the header fields, and returns the length of the body.
fn length(reader: &mut BufReader<TcpStream>) -> std::io::Result<usize> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            return Ok(length);
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
}
