//! HTTP/1.1 messages parsed from bytes that arrive in pieces of any length, and serialised to bytes (RFC 9112).
//!
//! ```
//! use mayhap::http::{Framing, MessageBuffer};
//! let mut buffer = MessageBuffer::default();
//! buffer.push(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
//! assert_eq!(buffer.answer(Framing::Whole)?, None);
//! buffer.push(b"lo");
//! let message = buffer.answer(Framing::Whole)?.ok_or("not whole")?;
//! assert_eq!((message.status(), message.body.as_deref()), (Some(200), Some(&b"hello"[..])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt::{self, Write as _};

/// The largest number of bytes of a message, so that a tested system cannot exhaust the memory.
const MAX_MESSAGE_BYTES: usize = 1 << 26;
/// The largest number of bytes before the content, so that a head without end is refused early.
const MAX_HEAD_BYTES: usize = 1 << 18;
/// The largest number of headers of a message; the parser keeps them in an array of this length.
const MAX_HEADERS: usize = 256;
/// The number of bytes of a message that a report shows, so that it stays readable.
const SHOWN: usize = 600;
/// The beginning of each answer.
const BEGINNING: &[u8] = b"HTTP/";

/// The first line of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HttpHead {
    /// The first line of a request.
    Request {
        /// The method.
        method: String,
        /// The path with the query string; an absolute URL in requests to a proxy.
        target: String,
    },
    /// The first line of an answer.
    Answer {
        /// The status, from 100 to 999.
        status: u16,
    },
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpMessage {
    /// The first line.
    pub head: HttpHead,
    /// The headers in their order, with their names as they were written.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The content; `None` stands for no content, which differs from content of no bytes.
    pub body: Option<Vec<u8>>,
    /// True if the connection may be used after this message.
    pub keeps_alive: bool,
}

/// The rule for the end of an answer, which depends on the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// The answer has content unless its status forbids it.
    Whole,
    /// The answer to a `HEAD` request ends after its headers.
    HeadersOnly,
}

/// Bytes that are no HTTP message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MalformedMessage {
    /// The reason.
    pub why: String,
    /// The first bytes of the message.
    pub bytes: Vec<u8>,
    /// The number of its bytes that were read.
    pub length: usize,
}

impl MalformedMessage {
    /// These bytes, with the reason why they are no message.
    #[must_use]
    pub fn of(why: &str, bytes: &[u8]) -> MalformedMessage {
        let first = &bytes[..bytes.len().min(SHOWN)];
        MalformedMessage { why: why.to_owned(), bytes: first.to_vec(), length: bytes.len() }
    }
}

impl fmt::Display for MalformedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.why, shown_bytes(&self.bytes, self.length))
    }
}

impl std::error::Error for MalformedMessage {}

impl HttpMessage {
    /// The status of an answer; none for a request.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self.head {
            HttpHead::Answer { status } => Some(status),
            HttpHead::Request { .. } => None,
        }
    }

    /// Tests whether this is a `HEAD` request, whose answer has no content.
    #[must_use]
    pub fn is_head(&self) -> bool {
        matches!(&self.head, HttpHead::Request { method, .. } if method == "HEAD")
    }

    /// Tests whether this is a request with a safe method, which changes nothing (RFC 9110, section 9.2.1).
    #[must_use]
    pub fn is_safe(&self) -> bool {
        let safe = ["GET", "HEAD", "OPTIONS", "TRACE"];
        matches!(&self.head, HttpHead::Request { method, .. } if safe.contains(&method.as_str()))
    }

    /// The value of a header; the values of a repeated header are joined by commas. Bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let mut found = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        let mut text = String::from_utf8_lossy(found.next()?).into_owned();
        for more in found {
            text.push_str(", ");
            text.push_str(&String::from_utf8_lossy(more));
        }
        Some(text)
    }

    /// Appends the message as bytes. Content is one chunk if the headers have a `Transfer-Encoding`, otherwise a `Content-Length` is added.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        match &self.head {
            HttpHead::Request { method, target } => {
                out.extend_from_slice(format!("{method} {target} HTTP/1.1\r\n").as_bytes());
            }
            HttpHead::Answer { status } => {
                out.extend_from_slice(format!("HTTP/1.1 {status} {}\r\n", reason(*status)).as_bytes());
            }
        }
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        let is_chunked = self.header("Transfer-Encoding").is_some();
        if let Some(body) = self.body.as_ref().filter(|_| !is_chunked) {
            out.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        // What the message says of its connection is left alone.
        if !self.keeps_alive && self.header("Connection").is_none() {
            out.extend_from_slice(b"Connection: close\r\n");
        }
        out.extend_from_slice(b"\r\n");
        match &self.body {
            Some(body) if is_chunked => {
                if !body.is_empty() {
                    out.extend_from_slice(format!("{:x}\r\n", body.len()).as_bytes());
                    out.extend_from_slice(body);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(b"0\r\n\r\n");
            }
            Some(body) => out.extend_from_slice(body),
            None => {}
        }
    }
}

/// The bytes received on a connection, from which complete messages are taken.
#[derive(Default, Debug)]
pub struct MessageBuffer {
    bytes: Vec<u8>,
    /// True once no more bytes come.
    is_ended: bool,
    /// The chunks that were read of a message whose content comes in chunks.
    chunked: Option<ChunkedContent>,
    /// The first bytes of the last message that was taken, and the length of that message.
    last: (Vec<u8>, usize),
    /// True if the last request that was taken is of HTTP/1.0.
    is_last_old: bool,
}

/// The beginning of content in chunks.
#[derive(Debug)]
struct ChunkedContent {
    body: Vec<u8>,
    /// The place of the next chunk, from the beginning of the message.
    next: usize,
}

/// The way in which the content of a message is delimited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentLength {
    Nothing,
    Bytes(usize),
    Chunks,
    UntilEnd,
}

impl MessageBuffer {
    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Notes that no more bytes come.
    pub fn end(&mut self) {
        self.is_ended = true;
    }

    /// The bytes after the last complete message.
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        &self.bytes
    }

    /// Tests whether the bytes after the last complete message may begin another one.
    #[must_use]
    pub fn may_begin_message(&self) -> bool {
        let begun = self.bytes.trim_ascii_start();
        let known = begun.len().min(BEGINNING.len());
        begun[..known] == BEGINNING[..known]
    }

    /// Tests whether the bytes are a complete answer if no more come.
    pub fn is_whole_at_end(&mut self, framing: Framing) -> bool {
        let was_ended = std::mem::replace(&mut self.is_ended, true);
        let is_whole = matches!(self.whole_answer(framing), Ok(Some(_)));
        self.is_ended = was_ended;
        is_whole
    }

    /// The next answer, if it is complete. Interim answers (1xx) are skipped, except 101, after which the connection speaks another
    /// protocol.
    ///
    /// # Errors
    /// The bytes are no answer.
    pub fn answer(&mut self, framing: Framing) -> Result<Option<HttpMessage>, MalformedMessage> {
        loop {
            let Some((length, message)) = self.whole_answer(framing)? else { return Ok(None) };
            self.drop_taken(length);
            if !message.status().is_some_and(|status| (100..200).contains(&status) && status != 101) {
                return Ok(Some(message));
            }
        }
    }

    /// The next request, if it is complete.
    ///
    /// # Errors
    /// The bytes are no request.
    pub fn request(&mut self) -> Result<Option<HttpMessage>, MalformedMessage> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut fields);
        let head = match parsed.parse(&self.bytes) {
            Ok(httparse::Status::Complete(head)) => head,
            Ok(httparse::Status::Partial) => return self.incomplete("a request"),
            Err(error) => return Err(self.malformed(&format!("this is no request of HTTP/1.1 ({error})"))),
        };
        let (method, target) = (parsed.method.unwrap_or_default(), parsed.path.unwrap_or_default());
        let line = HttpHead::Request { method: method.to_owned(), target: target.to_owned() };
        let is_old = parsed.version == Some(0);
        let message = message(line, parsed.version, parsed.headers);
        let length = match self.length(&message)? {
            ContentLength::UntilEnd => ContentLength::Nothing,
            length => length,
        };
        let Some((taken, message)) = self.with_body(head, length, message)? else { return Ok(None) };
        self.drop_taken(taken);
        self.is_last_old = is_old;
        Ok(Some(message))
    }

    /// Tests whether the last request that was taken is of HTTP/1.0: its sender does not know chunks, and closes the connection unless told
    /// otherwise.
    #[must_use]
    pub fn is_last_old(&self) -> bool {
        self.is_last_old
    }

    /// Tests whether the sender of the buffered head waits for an answer 100 before it sends the content (RFC 9110, section 10.1.1).
    #[must_use]
    pub fn awaits_continue(&self) -> bool {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut fields);
        let head = parsed.parse(&self.bytes);
        let expects = |field: &httparse::Header<'_>| {
            field.name.eq_ignore_ascii_case("Expect") && field.value.eq_ignore_ascii_case(b"100-continue")
        };
        head.is_ok_and(|head| head == httparse::Status::Complete(self.bytes.len()))
            && parsed.version == Some(1)
            && parsed.headers.iter().any(expects)
    }

    /// The first bytes of the last message that was taken, as [`shown_message`] shows them.
    #[must_use]
    pub fn shown(&self) -> String {
        shown_bytes(&self.last.0, self.last.1)
    }

    fn drop_taken(&mut self, length: usize) {
        self.last.0.clear();
        self.last.0.extend_from_slice(&self.bytes[..length.min(SHOWN)]);
        self.last.1 = length;
        self.bytes.drain(..length);
        self.chunked = None;
    }

    fn whole_answer(&mut self, framing: Framing) -> Result<Option<(usize, HttpMessage)>, MalformedMessage> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Response::new(&mut fields);
        let head = match parsed.parse(&self.bytes) {
            Ok(httparse::Status::Complete(head)) => head,
            Ok(httparse::Status::Partial) => return self.incomplete("an answer"),
            Err(error) => return Err(self.malformed(&format!("this is no answer of HTTP/1.1 ({error})"))),
        };
        let status = parsed.code.unwrap_or_default();
        let message = message(HttpHead::Answer { status }, parsed.version, parsed.headers);
        let has_none = framing == Framing::HeadersOnly || matches!(status, 100..=199 | 204 | 304);
        let length = if has_none { ContentLength::Nothing } else { self.length(&message)? };
        let message = HttpMessage { keeps_alive: message.keeps_alive && length != ContentLength::UntilEnd, ..message };
        self.with_body(head, length, message)
    }

    /// The delimitation of the content according to the headers of a message.
    fn length(&self, message: &HttpMessage) -> Result<ContentLength, MalformedMessage> {
        if let Some(coding) = message.header("Transfer-Encoding") {
            return match coding.trim().eq_ignore_ascii_case("chunked") {
                true => Ok(ContentLength::Chunks),
                false => Err(self.malformed(&format!("the transfer coding {coding:?} is not known"))),
            };
        }
        let Some(lengths) = message.header("Content-Length") else { return Ok(ContentLength::UntilEnd) };
        let mut lengths = lengths.split(',').map(str::trim);
        let first = lengths.next().unwrap_or_default();
        let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
        match first.parse().ok().filter(|length| is_number && *length <= MAX_MESSAGE_BYTES) {
            Some(length) if lengths.all(|other| other == first) => Ok(ContentLength::Bytes(length)),
            _ => Err(self.malformed(&format!("{first:?} is no Content-Length"))),
        }
    }

    /// The message with its content, and the number of bytes of both, if it is complete.
    fn with_body(
        &mut self,
        head: usize,
        length: ContentLength,
        message: HttpMessage,
    ) -> Result<Option<(usize, HttpMessage)>, MalformedMessage> {
        let rest = &self.bytes[head..];
        let (taken, body) = match length {
            ContentLength::Nothing => (head, None),
            ContentLength::Bytes(length) if rest.len() >= length => (head + length, Some(rest[..length].to_vec())),
            ContentLength::UntilEnd if self.is_ended => (self.bytes.len(), Some(rest.to_vec())),
            ContentLength::Chunks => match self.chunks(head)? {
                Some((taken, body)) => (taken, Some(body)),
                None => return self.incomplete("a message in chunks"),
            },
            ContentLength::Bytes(_) | ContentLength::UntilEnd => return self.incomplete("the content of a message"),
        };
        Ok(Some((taken, HttpMessage { body, ..message })))
    }

    /// The content in chunks, and the end of the chunks and trailers, if they are complete. Chunks that were read before are not read again.
    fn chunks(&mut self, head: usize) -> Result<Option<(usize, Vec<u8>)>, MalformedMessage> {
        let begun = self.chunked.take().unwrap_or(ChunkedContent { body: Vec::new(), next: head });
        let ChunkedContent { mut body, mut next } = begun;
        loop {
            let rest = &self.bytes[next..];
            let (line, size) = match httparse::parse_chunk_size(rest) {
                Ok(httparse::Status::Complete((line, size))) => (line, size as usize),
                Ok(httparse::Status::Partial) => break,
                Err(_) => return Err(self.malformed("the size of a chunk is no hexadecimal number")),
            };
            let rest = &rest[line..];
            if size == 0 {
                let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
                match httparse::parse_headers(rest, &mut fields) {
                    Ok(httparse::Status::Complete((trailers, _))) => return Ok(Some((next + line + trailers, body))),
                    Ok(httparse::Status::Partial) => break,
                    Err(error) => return Err(self.malformed(&format!("the trailers are no headers ({error})"))),
                }
            }
            if size > MAX_MESSAGE_BYTES {
                return Err(self.malformed(&format!("a chunk of {size} bytes is more than {MAX_MESSAGE_BYTES}")));
            }
            if rest.len() < size + 2 {
                break;
            }
            body.extend_from_slice(&rest[..size]);
            if &rest[size..size + 2] != b"\r\n" {
                return Err(self.malformed("a chunk does not end after its size"));
            }
            next += line + size + 2;
        }
        self.chunked = Some(ChunkedContent { body, next });
        Ok(None)
    }

    /// Returns no message, or an error if the message is too long or no more bytes come.
    fn incomplete<T>(&self, what: &str) -> Result<Option<T>, MalformedMessage> {
        if self.is_ended && !self.bytes.is_empty() {
            return Err(self.malformed(&format!("the connection ended in the middle of {what}")));
        }
        let has_head = memchr::memmem::find(&self.bytes, b"\r\n\r\n").is_some();
        let most = if has_head { MAX_MESSAGE_BYTES } else { MAX_HEAD_BYTES };
        if self.bytes.len() > most {
            return Err(self.malformed(&format!("{what} of more than {most} bytes")));
        }
        Ok(None)
    }

    fn malformed(&self, why: &str) -> MalformedMessage {
        MalformedMessage::of(why, &self.bytes)
    }
}

fn message(head: HttpHead, version: Option<u8>, fields: &[httparse::Header<'_>]) -> HttpMessage {
    let headers = fields.iter().map(|field| (field.name.to_owned(), field.value.to_vec())).collect();
    let message = HttpMessage { head, headers, body: None, keeps_alive: true };
    let connection = message.header("Connection").unwrap_or_default().to_ascii_lowercase();
    let says = |word: &str| connection.split(',').any(|option| option.trim() == word);
    let keeps_alive = if version == Some(0) { says("keep-alive") } else { !says("close") };
    HttpMessage { keeps_alive, ..message }
}

/// The reason phrase for a common status; empty for others.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        410 => "Gone",
        412 => "Precondition Failed",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

/// The bytes of a message on one line: control characters and invalid UTF-8 are escaped, and a long message is cut.
#[must_use]
pub fn shown_message(bytes: &[u8]) -> String {
    shown_bytes(&bytes[..bytes.len().min(SHOWN)], bytes.len())
}

/// The first bytes of a text on one line, and the number of its other bytes: control characters and invalid UTF-8 are escaped.
#[must_use]
pub fn shown_bytes(bytes: &[u8], length: usize) -> String {
    let mut out = String::from("`");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
        }
        for byte in chunk.invalid() {
            // Writing into a string cannot fail.
            _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('`');
    if length > bytes.len() {
        _ = write!(out, " and {} bytes more", length - bytes.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A status and the content of the answer.
    type Answer = (u16, Option<Vec<u8>>);

    fn answers(pieces: &[&[u8]], framing: Framing) -> Result<Vec<Answer>, String> {
        let (mut buffer, mut found) = (MessageBuffer::default(), Vec::new());
        let mut take = |buffer: &mut MessageBuffer| -> Result<(), String> {
            while let Some(message) = buffer.answer(framing).map_err(|error| error.why)? {
                found.push((message.status().unwrap_or_default(), message.body));
            }
            Ok(())
        };
        for piece in pieces {
            buffer.push(piece);
            take(&mut buffer)?;
        }
        buffer.end();
        take(&mut buffer)?;
        Ok(found)
    }

    #[test]
    fn messages_are_the_same_in_pieces_of_any_length() {
        let text: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab\
            HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n\
            HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nHTTP/1.0 200 OK\r\n\r\nrest";
        let body = |text: &[u8]| Some(text.to_vec());
        let all = vec![(200, body(b"ab")), (200, body(b"abc0123456789")), (204, None), (200, body(b"rest"))];
        for length in [1, 2, 7, text.len()] {
            let pieces: Vec<&[u8]> = text.chunks(length).collect();
            assert_eq!(answers(&pieces, Framing::Whole), Ok(all.clone()), "{length}");
        }
        let head: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 404 No\r\n\r\n";
        assert_eq!(answers(&[head], Framing::HeadersOnly), Ok(vec![(200, None), (404, None)]));
    }

    #[test]
    fn what_is_no_answer_is_said() {
        for (text, why) in [
            ("HELLO\r\n\r\n", "this is no answer of HTTP/1.1 (invalid HTTP version)"),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
                "the connection ended in the middle of the content of a message",
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nabcde", "\"+5\" is no Content-Length"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nabcde", "\"5\" is no Content-Length"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
                "the size of a chunk is no hexadecimal number",
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "the transfer coding \"gzip\" is not known"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
                "a chunk does not end after its size",
            ),
        ] {
            assert_eq!(answers(&[text.as_bytes()], Framing::Whole), Err(why.to_owned()), "{text}");
        }
    }
}
