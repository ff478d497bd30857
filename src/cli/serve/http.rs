//! The service of one client over HTTP: its messages are handed in as the lines that they stand for, and the answers are written
//! as messages.
//!
//! With `Get { key } => GET "/kv/{key}";` the message `GET /kv/a` is handed in as `{"Get": {"key": "a"}}`.

use super::connection::RequestChannel;
use mayhap::Spec;
use mayhap::http::{HttpHead, HttpMessage, MessageBuffer, message_of_answer, request_of};
use mayhap::json::{decode, encode, from_line, members, quoted};
use mayhap::value::Value;
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// The bytes that are read at once.
const CHUNK: usize = 1 << 14;

/// Serves a client to its end.
///
/// # Errors
/// Reading from or writing to the client fails.
pub fn serve(client: u64, mut stream: &TcpStream, spec: &Spec, desk: &RequestChannel) -> io::Result<()> {
    let (mut buffer, mut chunk, mut count) = (MessageBuffer::default(), vec![0; CHUNK], 0);
    let mut is_bidden = false;
    loop {
        let message = match buffer.request() {
            Ok(Some(message)) => message,
            Ok(None) => {
                if !is_bidden && buffer.awaits_continue() {
                    stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
                    is_bidden = true;
                }
                match stream.read(&mut chunk)? {
                    0 if buffer.rest().is_empty() => return Ok(()),
                    0 => buffer.end(),
                    length => buffer.push(&chunk[..length]),
                }
                continue;
            }
            Err(malformed) => {
                let answer = HttpMessage { keeps_alive: false, ..refusal(400, "malformed", &malformed.why) };
                return write(stream, &answer, false);
            }
        };
        (count, is_bidden) = (count + 1, false);
        let answer = match request_of(spec, &message) {
            Ok(request) => match desk.answer_to(client, count, encode(&spec.types, spec.program.request, &request)) {
                Some(line) => message_of_line(spec, &request, &line),
                // The server gives no answer to the request, or has ended.
                None => return Ok(()),
            },
            Err((status, why)) => refusal(status, "malformed", &why),
        };
        let keeps_alive = message.keeps_alive && answer.keeps_alive;
        let answer = HttpMessage { keeps_alive, ..answer };
        let answer = if buffer.is_last_old() { for_old_client(answer) } else { answer };
        write(stream, &answer, message.is_head())?;
        if !keeps_alive {
            return Ok(());
        }
    }
}

/// The answer for a client of HTTP/1.0, which knows no chunks, and expects the connection to close unless told otherwise.
fn for_old_client(mut answer: HttpMessage) -> HttpMessage {
    answer.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Transfer-Encoding"));
    if answer.keeps_alive && answer.header("Connection").is_none() {
        answer.headers.push(("Connection".to_owned(), b"keep-alive".to_vec()));
    }
    answer
}

/// Tells a client that there are too many clients.
pub fn turn_away(stream: &TcpStream, why: &str) {
    // A client that disappears is no problem.
    _ = write(stream, &HttpMessage { keeps_alive: false, ..refusal(503, "busy", why) }, false);
}

/// The message for the line that answers or refuses a request.
fn message_of_line(spec: &Spec, request: &Value, line: &str) -> HttpMessage {
    if let Ok(answer) = decode(&spec.types, spec.program.response, line) {
        return message_of_answer(spec, request, &answer).unwrap_or_else(|| {
            refusal(500, "unwritten", &format!("no line of the http block writes the answer {line}"))
        });
    }
    let said = members(line).unwrap_or_default();
    let value = |name: &str| said.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
    let text = |name: &str| value(name).and_then(|value| from_line::<String>(value).ok()).unwrap_or_default();
    let (kind, message) = (text("$error"), text("message"));
    let status = match kind.as_str() {
        "malformed" | "outside" | "too_long" => 400,
        "busy" | "stopping" | "stuck" => 503,
        _ => 500,
    };
    let keeps_alive = kind != "stopping";
    HttpMessage { keeps_alive, ..refusal(status, &kind, &message) }
}

/// A message that says why there is no answer.
fn refusal(status: u16, kind: &str, why: &str) -> HttpMessage {
    let body = format!("{{\"$error\": {}, \"message\": {}}}\n", quoted(kind), quoted(why));
    let headers = vec![("Content-Type".to_owned(), b"application/json".to_vec())];
    HttpMessage { head: HttpHead::Answer { status }, headers, body: Some(body.into_bytes()), keeps_alive: true }
}

/// Writes an answer at once, without its content if it answers `HEAD`.
fn write(mut stream: &TcpStream, answer: &HttpMessage, is_head: bool) -> io::Result<()> {
    let mut bytes = Vec::new();
    answer.write_to(&mut bytes);
    let length = answer.body.as_ref().map_or(0, Vec::len);
    let written = if is_head { bytes.len() - length } else { bytes.len() };
    stream.write_all(&bytes[..written])
}
