//! A reverse proxy that plants a mistake in a web server of files that are read and written under conditions.
//!
//! With `Plant::ShortBody`, the last byte of each file is missing; with none, the proxy changes nothing.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mayhap::http::{Framing, HttpHead, HttpMessage, MessageBuffer};

/// Longer than a server on this machine takes to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plant {
    /// `DELETE` does not look at `If-Match`.
    SkippedCondition,
    /// `PUT` compares the tags of `If-Match` weakly.
    WeakComparison,
    /// `PUT` answers 200 for a new file.
    StatusOff,
    /// The last byte of each file is missing.
    ShortBody,
    /// The last byte of each file of more than five bytes is missing.
    ShortBeyond,
    /// A file keeps its first strong tag.
    StuckTag,
    /// `PUT` writes the next file, too.
    Neighbour,
    /// `PUT` writes although it answers 412.
    FailedButWritten,
    /// `If-Modified-Since` is compared the wrong way round.
    DateWrongWay,
    /// The tag of an answer to `GET` has a letter more.
    AlteredTag,
    /// The first byte of what is written is another one.
    AlteredByte,
    /// Between the test of a condition and the write there is time for others.
    Race,
}

impl Plant {
    /// All mistakes.
    pub const ALL: [Plant; 12] = [
        Plant::SkippedCondition,
        Plant::WeakComparison,
        Plant::StatusOff,
        Plant::ShortBody,
        Plant::ShortBeyond,
        Plant::StuckTag,
        Plant::Neighbour,
        Plant::FailedButWritten,
        Plant::DateWrongWay,
        Plant::AlteredTag,
        Plant::AlteredByte,
        Plant::Race,
    ];
}

/// Starts a proxy on a free port, which runs until the tests end; returns its address as the beginning of a URL.
pub fn start(plant: Option<Plant>, server: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let first_tags = Arc::new(Mutex::new(BTreeMap::new()));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (server, first_tags) = (server.clone(), first_tags.clone());
            // A client or a server that leaves early ends the connection.
            thread::spawn(move || serve(&stream, plant, &server, &first_tags));
        }
    });
    address
}

/// The first strong tag of each file.
type FirstTags = Mutex<BTreeMap<String, Vec<u8>>>;

fn serve(mut stream: &TcpStream, plant: Option<Plant>, server: &str, first_tags: &FirstTags) -> io::Result<()> {
    _ = stream.set_nodelay(true);
    let mut origin = Origin::connect(server)?;
    let (mut buffer, mut chunk) = (MessageBuffer::default(), [0; 4096]);
    loop {
        let Some(request) = buffer.request().map_err(io::Error::other)? else {
            match stream.read(&mut chunk)? {
                0 => return Ok(()),
                length => buffer.push(&chunk[..length]),
            }
            continue;
        };
        let answer = match plant {
            Some(plant) => planted(plant, request, &mut origin, first_tags)?,
            None => origin.ask(request)?,
        };
        let mut bytes = Vec::new();
        unframed(answer).write_to(&mut bytes);
        stream.write_all(&bytes)?;
    }
}

/// The connection to the server.
struct Origin {
    stream: TcpStream,
    buffer: MessageBuffer,
}

impl Origin {
    fn connect(server: &str) -> io::Result<Origin> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Origin { stream, buffer: MessageBuffer::default() })
    }

    fn ask(&mut self, request: HttpMessage) -> io::Result<HttpMessage> {
        let framing = if request.is_head() { Framing::HeadersOnly } else { Framing::Whole };
        let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
        unframed(request).write_to(&mut bytes);
        self.stream.write_all(&bytes)?;
        loop {
            if let Some(answer) = self.buffer.answer(framing).map_err(io::Error::other)? {
                return Ok(answer);
            }
            match self.stream.read(&mut chunk)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length => self.buffer.push(&chunk[..length]),
            }
        }
    }

    /// A file as it is now, without its content.
    fn head(&mut self, target: &str) -> io::Result<HttpMessage> {
        self.ask(request("HEAD", target, &[]))
    }
}

/// The message without the length of its content, which is written with it.
fn unframed(mut message: HttpMessage) -> HttpMessage {
    let has_body = message.body.is_some();
    message.headers.retain(|(name, _)| !(has_body && name.eq_ignore_ascii_case("Content-Length")));
    message
}

fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> HttpMessage {
    let head = HttpHead::Request { method: method.to_owned(), target: target.to_owned() };
    let headers = [("Host", "localhost")].iter().chain(headers);
    let headers = headers.map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    HttpMessage { head, headers, body: None, keeps_alive: true }
}

fn without(mut message: HttpMessage, names: &[&str]) -> HttpMessage {
    message.headers.retain(|(own, _)| !names.iter().any(|name| own.eq_ignore_ascii_case(name)));
    message
}

const CONDITIONS: [&str; 4] = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"];

/// The answer of a server with a mistake.
fn planted(plant: Plant, asked: HttpMessage, origin: &mut Origin, first_tags: &FirstTags) -> io::Result<HttpMessage> {
    let HttpHead::Request { method, target } = asked.head.clone() else { return origin.ask(asked) };
    let method = method.as_str();
    match plant {
        Plant::SkippedCondition if method == "DELETE" => origin.ask(without(asked, &["If-Match"])),
        Plant::WeakComparison if method == "PUT" => {
            match (asked.header("If-Match"), origin.head(&target)?.header("ETag")) {
                (Some(tags), Some(own)) if tags.contains(own.trim_start_matches("W/")) => {
                    origin.ask(without(asked, &["If-Match"]))
                }
                _ => origin.ask(asked),
            }
        }
        Plant::FailedButWritten if method == "PUT" => {
            let answer = origin.ask(asked.clone())?;
            if answer.status() == Some(412) {
                origin.ask(without(asked, &CONDITIONS))?;
            }
            Ok(answer)
        }
        Plant::Neighbour if method == "PUT" => {
            let answer = origin.ask(asked.clone())?;
            let next = if target == "/a" { "/b" } else { "/a" };
            let head = HttpHead::Request { method: "PUT".to_owned(), target: next.to_owned() };
            origin.ask(without(HttpMessage { head, ..asked }, &CONDITIONS))?;
            Ok(answer)
        }
        Plant::DateWrongWay if method == "GET" && asked.header("If-None-Match").is_none() => {
            date_wrong_way(asked, &target, origin)
        }
        Plant::Race if method == "PUT" && CONDITIONS.iter().any(|name| asked.header(name).is_some()) => {
            let mut test = asked.clone();
            test.head = HttpHead::Request { method: "HEAD".to_owned(), target };
            test.body = None;
            // A file that is not there is answered 404 before its conditions are looked at.
            let is_met = match origin.ask(without(test, &["Content-Length"]))?.status() {
                Some(200) => true,
                Some(404) => asked.header("If-Match").is_none(),
                _ => false,
            };
            thread::sleep(Duration::from_millis(1));
            origin.ask(if is_met { without(asked, &CONDITIONS) } else { asked })
        }
        Plant::AlteredByte if method == "PUT" => {
            let body = asked.body.clone().map(|mut body| {
                body.iter_mut().take(1).for_each(|byte| *byte ^= 1);
                body
            });
            origin.ask(HttpMessage { body, ..asked })
        }
        _ => origin.ask(asked).map(|answer| altered(plant, method, &target, answer, first_tags)),
    }
}

/// The answer to a `GET` whose date is compared the wrong way round.
fn date_wrong_way(asked: HttpMessage, target: &str, origin: &mut Origin) -> io::Result<HttpMessage> {
    let seconds = |text: Option<String>| httpdate_seconds(&text?);
    let own = seconds(origin.head(target)?.header("Last-Modified"));
    match (own, seconds(asked.header("If-Modified-Since"))) {
        (Some(own), Some(asked_for)) if own > asked_for => {
            let mut asked = without(asked, &["If-Modified-Since"]);
            asked.headers.push(("If-None-Match".to_owned(), b"*".to_vec()));
            origin.ask(asked)
        }
        (Some(_), Some(_)) => origin.ask(without(asked, &["If-Modified-Since"])),
        _ => origin.ask(asked),
    }
}

fn altered(plant: Plant, method: &str, target: &str, mut answer: HttpMessage, first_tags: &FirstTags) -> HttpMessage {
    let is_read = method == "GET" && answer.status() == Some(200);
    let longest = if plant == Plant::ShortBeyond { 5 } else { 0 };
    match plant {
        Plant::StatusOff if method == "PUT" && answer.status() == Some(201) => {
            answer.head = HttpHead::Answer { status: 200 };
        }
        Plant::ShortBody | Plant::ShortBeyond if is_read => {
            _ = answer.body.as_mut().filter(|body| body.len() > longest).and_then(Vec::pop);
        }
        Plant::StuckTag | Plant::AlteredTag => {
            let tags = answer.headers.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case("ETag"));
            for (_, tag) in tags.filter(|(_, tag)| !tag.starts_with(b"W/")) {
                if plant == Plant::StuckTag {
                    tag.clone_from(first_tags.lock().unwrap().entry(target.to_owned()).or_insert_with(|| tag.clone()));
                } else if is_read {
                    tag.insert(1, b'x');
                }
            }
        }
        _ => {}
    }
    answer
}

/// The seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn httpdate_seconds(text: &str) -> Option<i64> {
    let mut words = text.split([' ', ':']).skip(1);
    let day: i64 = words.next()?.parse().ok()?;
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = words.next()?;
    let month = months.iter().position(|name| *name == month)? as i64 + 1;
    let mut number = || words.next()?.parse::<i64>().ok();
    let (year, hour, minute, second) = (number()?, number()?, number()?, number()?);
    let (year, month) = if month <= 2 { (year - 1, month + 12) } else { (year, month) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 719_469;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}
