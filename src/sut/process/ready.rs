//! The signs that a started system is ready.
//!
//! ```
//! use mayhap::sut::process::ready::ReadySign;
//! assert!("tcp:127.0.0.1:7000".parse::<ReadySign>().is_ok() && "1.5".parse::<ReadySign>().is_ok());
//! let error = "ready".parse::<ReadySign>().unwrap_err();
//! assert_eq!(error, "expected tcp:HOST:PORT, http://HOST:PORT/PATH, line:REGEX, or a number of seconds, found \"ready\"");
//! ```

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use regex_lite::Regex;

use crate::limits::end;

/// The longest time of one attempt to connect.
const ATTEMPT: Duration = Duration::from_secs(2);
/// The least time for it, whenever the work is to end.
const LEAST: Duration = Duration::from_millis(1);

/// A sign that a system is ready.
#[derive(Clone, Debug)]
pub enum ReadySign {
    /// The system accepts connections at this address.
    Tcp(String),
    /// The system answers `GET` of a path at this address with a status below 400.
    Http {
        /// The host and the port.
        address: String,
        /// The path, with its query.
        path: String,
    },
    /// The system prints a line that matches.
    Line(Regex),
    /// This time has passed.
    After(Duration),
}

impl fmt::Display for ReadySign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadySign::Tcp(address) => write!(f, "tcp:{address}"),
            ReadySign::Http { address, path } => write!(f, "http://{address}{path}"),
            ReadySign::Line(regex) => write!(f, "line:{}", regex.as_str()),
            ReadySign::After(time) => write!(f, "{}", time.as_secs_f64()),
        }
    }
}

impl ReadySign {
    /// The address at which nobody may listen before the system is started.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        match self {
            ReadySign::Tcp(address) | ReadySign::Http { address, .. } => Some(address),
            ReadySign::Line(_) | ReadySign::After(_) => None,
        }
    }

    /// The missing sign in words.
    #[must_use]
    pub fn awaited(&self) -> String {
        match self {
            ReadySign::Tcp(address) => format!("nothing listened at {address}"),
            ReadySign::Http { address, path } => {
                format!("http://{address}{path} was not answered with a status below 400")
            }
            ReadySign::Line(regex) => format!("no line of its output matched {:?}", regex.as_str()),
            ReadySign::After(time) => format!("{} s had not passed", time.as_secs_f64()),
        }
    }
}

impl FromStr for ReadySign {
    type Err = String;

    fn from_str(text: &str) -> Result<ReadySign, String> {
        if let Some(pattern) = text.strip_prefix("line:") {
            let wrong = |error| format!("the regular expression {pattern:?} is wrong: {error}");
            return Regex::new(pattern).map(ReadySign::Line).map_err(wrong);
        }
        if let Some(address) = text.strip_prefix("tcp:") {
            return checked_address(address).map(ReadySign::Tcp);
        }
        if text.starts_with("https:") {
            return Err("a system behind https cannot be asked whether it is ready; use tcp:HOST:PORT".to_owned());
        }
        if let Some(url) = text.strip_prefix("http://").or(text.strip_prefix("http:")) {
            let (host, path) = url.split_at(url.find('/').unwrap_or(url.len()));
            let address = if has_port(host) { host.to_owned() } else { format!("{host}:80") };
            let path = if path.is_empty() { "/" } else { path }.to_owned();
            return Ok(ReadySign::Http { address: checked_address(&address)?, path });
        }
        let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        seconds.map(ReadySign::After).ok_or_else(|| {
            format!("expected tcp:HOST:PORT, http://HOST:PORT/PATH, line:REGEX, or a number of seconds, found {text:?}")
        })
    }
}

/// Checks that a text is a host and a port.
///
/// # Errors
/// The text is something else. The message says what was expected.
pub fn checked_address(text: &str) -> Result<String, String> {
    let wrong = || format!("expected HOST:PORT, such as 127.0.0.1:7000, found {text:?}");
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let plain = !host.is_empty() && (!host.contains(':') || host.starts_with('[') && host.ends_with(']'));
    let port = port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
    if plain && port { Ok(text.to_owned()) } else { Err(wrong()) }
}

/// Tests whether a host comes with a port.
pub(crate) fn has_port(host: &str) -> bool {
    host.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Connects to one of the addresses that a host stands for.
///
/// # Errors
/// None of the addresses accepts the connection, or the host has no address.
pub fn connect(address: &str) -> io::Result<TcpStream> {
    let mut error = io::Error::new(io::ErrorKind::NotFound, "this host has no address");
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, end::at_most(ATTEMPT).max(LEAST)) {
            // If nobody listens, the kernel may choose this very port for our end, and connect it to itself.
            Ok(stream) if stream.local_addr().ok() == stream.peer_addr().ok() => {
                error = io::ErrorKind::ConnectionRefused.into();
            }
            Ok(stream) => return Ok(stream),
            Err(failed) => error = failed,
        }
    }
    Err(error)
}

/// Asks for a path; returns whether the status is below 400.
///
/// # Errors
/// There is no answer.
pub fn http_answers(address: &str, path: &str) -> io::Result<bool> {
    let mut stream = connect(address)?;
    stream.set_read_timeout(Some(ATTEMPT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    // `HTTP/1.1 200`
    let mut status = [0; 12];
    stream.read_exact(&mut status)?;
    Ok(status.starts_with(b"HTTP/1.") && matches!(status[9], b'1'..=b'3'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_read() {
        let read = |text: &str| text.parse::<ReadySign>().map(|sign| sign.awaited());
        for (text, awaited) in [
            ("tcp:localhost:80", "nothing listened at localhost:80"),
            ("tcp:[::1]:80", "nothing listened at [::1]:80"),
            ("http://localhost:8080/up?x=1", "http://localhost:8080/up?x=1 was not answered with a status below 400"),
            ("http:localhost", "http://localhost:80/ was not answered with a status below 400"),
            ("line:^ready", "no line of its output matched \"^ready\""),
            ("0.5", "0.5 s had not passed"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(awaited), "{text}");
        }
        for text in
            ["tcp:", "tcp:80", "tcp:a:b", "tcp:a:0", "tcp:a:+7", "tcp:::1:80", "line:(", "-1", "", "https://a", "NaN"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
