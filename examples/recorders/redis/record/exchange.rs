//! The requests and answers of `specs/redis_strings.may`: as commands and replies of RESP, and as values of the trace.
//!
//! `INCR a` is `{"Incr": {"key": "a"}}`, and its reply `:1` is `{"Number": 1}`.

use serde::{Deserialize, Serialize};

use super::Trouble;
use crate::recorder::connection::Connection;

/// A request to Redis.
#[derive(Serialize, Deserialize)]
pub enum Request {
    Get { key: String },
    Set { key: String, value: String },
    SetNx { key: String, value: String },
    GetSet { key: String, value: String },
    Incr { key: String },
    Decr { key: String },
    Append { key: String, value: String },
    Strlen { key: String },
    Del(Vec<String>),
    Exists(Vec<String>),
    Expire { key: String, seconds: i64 },
    Persist { key: String },
    Ttl { key: String },
    FlushAll,
}

/// An answer of Redis.
#[derive(Serialize)]
pub enum Answer {
    Ok,
    Text(Option<String>),
    Number(i64),
    NotAnInteger,
    Overflow,
}

impl Request {
    /// The command to send: an array of texts, each with its length.
    pub fn command(&self) -> String {
        let words = self.words();
        let texts = words.iter().map(|word| format!("${}\r\n{word}\r\n", word.len()));
        format!("*{}\r\n{}", words.len(), texts.collect::<String>())
    }

    fn words(&self) -> Vec<String> {
        let (name, arguments): (&str, &[&String]) = match self {
            Request::Get { key } => ("GET", &[key]),
            Request::Set { key, value } => ("SET", &[key, value]),
            Request::SetNx { key, value } => ("SETNX", &[key, value]),
            Request::GetSet { key, value } => ("GETSET", &[key, value]),
            Request::Incr { key } => ("INCR", &[key]),
            Request::Decr { key } => ("DECR", &[key]),
            Request::Append { key, value } => ("APPEND", &[key, value]),
            Request::Strlen { key } => ("STRLEN", &[key]),
            Request::Del(keys) => ("DEL", &keys.iter().collect::<Vec<_>>()),
            Request::Exists(keys) => ("EXISTS", &keys.iter().collect::<Vec<_>>()),
            Request::Expire { key, seconds } => ("EXPIRE", &[key, &seconds.to_string()]),
            Request::Persist { key } => ("PERSIST", &[key]),
            Request::Ttl { key } => ("TTL", &[key]),
            Request::FlushAll => ("FLUSHALL", &[]),
        };
        std::iter::once(name.to_owned()).chain(arguments.iter().map(|word| (*word).clone())).collect()
    }
}

/// Reads a reply: a status, an error, an integer, a text with its length, or nil.
pub fn read_answer(connection: &mut Connection) -> Result<Answer, Trouble> {
    let line = connection.line()?;
    let Some((kind, rest)) = line.split_at_checked(1) else { return Err(connection.bad("nothing")) };
    match (kind, rest) {
        ("+", "OK") => Ok(Answer::Ok),
        ("-", "ERR value is not an integer or out of range") => Ok(Answer::NotAnInteger),
        ("-", "ERR increment or decrement would overflow") => Ok(Answer::Overflow),
        (":", number) => number.parse().map(Answer::Number).map_err(|_| connection.bad(&line)),
        ("$", "-1") => Ok(Answer::Text(None)),
        ("$", length) => {
            let length = length.parse().map_err(|_| connection.bad(&line))?;
            connection.block(length).map(|text| Answer::Text(Some(text)))
        }
        _ => Err(connection.bad(&line)),
    }
}
