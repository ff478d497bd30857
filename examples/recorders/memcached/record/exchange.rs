//! The requests and answers of `specs/memcached.may`: as commands of the text protocol, and as values of the trace.
//!
//! `incr a 5` is `{"Incr": {"key": "a", "delta": 5}}`, and its answer `7` is `{"Number": 7}`.

use serde::{Deserialize, Serialize};

use super::Trouble;
use crate::recorder::connection::Connection;

/// A request to memcached.
#[derive(Serialize, Deserialize)]
pub enum Request {
    Get(Vec<String>),
    Gets(Vec<String>),
    Set { key: String, flags: u32, exptime: i64, data: String },
    Add { key: String, flags: u32, exptime: i64, data: String },
    Replace { key: String, flags: u32, exptime: i64, data: String },
    Append { key: String, data: String },
    Prepend { key: String, data: String },
    Cas { key: String, flags: u32, exptime: i64, data: String, unique: u64 },
    Delete { key: String },
    Incr { key: String, delta: i128 },
    Decr { key: String, delta: i128 },
    Touch { key: String, exptime: i64 },
    FlushAll,
}

/// An answer of memcached.
#[derive(Serialize)]
pub enum Answer {
    Values(Vec<Entry>),
    Stored,
    NotStored,
    Exists,
    NotFound,
    Deleted,
    Touched,
    Number(u64),
    NotANumber,
    BadDelta,
    TooLarge,
    Ok,
}

/// An item in an answer.
#[derive(Serialize)]
pub struct Entry {
    pub key: String,
    pub flags: u32,
    pub data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique: Option<u64>,
}

impl Request {
    /// The command to send; with `noreply` it asks for no answer.
    pub fn command(&self, noreply: bool) -> String {
        let end = if noreply { " noreply\r\n" } else { "\r\n" };
        let store = |name: &str, key: &str, numbers: String, data: &str| {
            format!("{name} {key} {numbers} {}{end}{data}\r\n", data.len())
        };
        match self {
            Request::Get(keys) => format!("get {}\r\n", keys.join(" ")),
            Request::Gets(keys) => format!("gets {}\r\n", keys.join(" ")),
            Request::Set { key, flags, exptime, data } => store("set", key, format!("{flags} {exptime}"), data),
            Request::Add { key, flags, exptime, data } => store("add", key, format!("{flags} {exptime}"), data),
            Request::Replace { key, flags, exptime, data } => store("replace", key, format!("{flags} {exptime}"), data),
            Request::Append { key, data } => store("append", key, "0 0".to_owned(), data),
            Request::Prepend { key, data } => store("prepend", key, "0 0".to_owned(), data),
            Request::Cas { key, flags, exptime, data, unique } => {
                let size = data.len();
                format!("cas {key} {flags} {exptime} {size} {unique}{end}{data}\r\n")
            }
            Request::Delete { key } => format!("delete {key}{end}"),
            Request::Incr { key, delta } => format!("incr {key} {delta}{end}"),
            Request::Decr { key, delta } => format!("decr {key} {delta}{end}"),
            Request::Touch { key, exptime } => format!("touch {key} {exptime}{end}"),
            Request::FlushAll => format!("flush_all{end}"),
        }
    }
}

/// Reads the answer to `request`.
pub fn read_answer(request: &Request, connection: &mut Connection) -> Result<Answer, Trouble> {
    match request {
        Request::Get(_) | Request::Gets(_) => read_values(connection),
        _ => {
            let line = connection.line()?;
            status(&line).ok_or_else(|| connection.bad(&line))
        }
    }
}

fn status(line: &str) -> Option<Answer> {
    Some(match line {
        "STORED" => Answer::Stored,
        "NOT_STORED" => Answer::NotStored,
        "EXISTS" => Answer::Exists,
        "NOT_FOUND" => Answer::NotFound,
        "DELETED" => Answer::Deleted,
        "TOUCHED" => Answer::Touched,
        "OK" => Answer::Ok,
        "CLIENT_ERROR cannot increment or decrement non-numeric value" => Answer::NotANumber,
        "CLIENT_ERROR invalid numeric delta argument" => Answer::BadDelta,
        "SERVER_ERROR object too large for cache" => Answer::TooLarge,
        number => Answer::Number(number.parse().ok()?),
    })
}

/// Reads lines `VALUE key flags length [unique]`, each with its data, up to `END`.
fn read_values(connection: &mut Connection) -> Result<Answer, Trouble> {
    let mut entries = Vec::new();
    loop {
        let line = connection.line()?;
        if line == "END" {
            return Ok(Answer::Values(entries));
        }
        let (entry, length) = head(&line).ok_or_else(|| connection.bad(&line))?;
        entries.push(Entry { data: connection.block(length)?, ..entry });
    }
}

fn head(line: &str) -> Option<(Entry, usize)> {
    let words: Vec<&str> = line.split(' ').collect();
    let ["VALUE", key, flags, length, unique @ ..] = &words[..] else { return None };
    let unique = match unique {
        [] => None,
        [unique] => Some(unique.parse().ok()?),
        _ => return None,
    };
    let entry = Entry { key: (*key).to_owned(), flags: flags.parse().ok()?, data: String::new(), unique };
    Some((entry, length.parse().ok()?))
}
