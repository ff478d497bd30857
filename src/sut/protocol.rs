//! The lines between a tester and an adapter, in both directions.
//!
//! ```text
//!   → {"mayhap": 1, "spec": "kv", "clients": 3}      ← {"ready": true}
//!   → {"c": 1, "q": "Get"}                           ← {"c": 1, "a": "None"}, or "lost", "refused", "closed": true
//!   → {"c": 1, "connection": 2, "q": "Get"}          ← {"c": 1, "connection": 2, "a": "None"}, after the first one has ended
//!   → {"c": 1, "close": true}                        ← {"c": 1, "closed": true}, if the adapter is {"ready": true, "closes": true}
//!   → {"reset": 2}                                   ← {"ready": true}
//!   → {"end": true}
//! ```
//!
//! ```
//! use mayhap::sut::protocol::{AdapterLine, TesterLine};
//! let line = TesterLine::Hello { spec: "kv".into(), clients: 3 }.to_string();
//! assert_eq!(line, r#"{"mayhap": 1, "spec": "kv", "clients": 3}"#);
//! let ask = TesterLine::Ask { client: 1, connection: 1, request: "\"Get\"".into() };
//! assert_eq!(TesterLine::read(r#"{"c": 1, "q": "Get"}"#), Ok(ask));
//! assert_eq!(AdapterLine::read(r#"{"c": 1, "lost": true}"#), Ok(AdapterLine::Lost { client: 1, connection: None }));
//! assert_eq!(AdapterLine::read("listening").unwrap_err(), "expected `{`, found `listening`");
//! ```

use std::borrow::Cow;
use std::fmt;

use crate::json::{Scanner, members, quoted};

/// The version of the protocol.
const VERSION: &str = "1";

/// A line from a tester to an adapter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TesterLine<'a> {
    /// The first line; the adapter answers that it is ready.
    Hello {
        /// The name of the specification.
        spec: Cow<'a, str>,
        /// The number of clients.
        clients: u64,
    },
    /// A client sends a request.
    Ask {
        /// The client.
        client: u64,
        /// The number of its connection, from 1.
        connection: u64,
        /// The request, as JSON.
        request: Cow<'a, str>,
    },
    /// A client gives up its connection.
    Close {
        /// The client.
        client: u64,
    },
    /// Everything begins anew; the adapter answers that it is ready.
    Reset {
        /// The number of clients.
        clients: u64,
    },
    /// The tester sends nothing more.
    End,
}

/// A line from an adapter to a tester.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AdapterLine<'a> {
    /// The adapter is ready for requests.
    Ready {
        /// True if the adapter says `closed` once it has ended a connection that a client gives up, and the system has taken notice.
        closes: bool,
    },
    /// An answer.
    Answer {
        /// The client.
        client: u64,
        /// The number of its connection, if the adapter says it.
        connection: Option<u64>,
        /// The answer, as JSON.
        answer: &'a str,
    },
    /// No answer came; the request may have taken effect.
    Lost {
        /// The client.
        client: u64,
        /// The number of its connection, if the adapter says it.
        connection: Option<u64>,
    },
    /// The request certainly took no effect.
    Refused {
        /// The client.
        client: u64,
        /// The number of its connection, if the adapter says it.
        connection: Option<u64>,
    },
    /// This client's connection has ended: the system ended it, or the client gave it up.
    Closed {
        /// The client.
        client: u64,
        /// The number of its connection, if the adapter says it.
        connection: Option<u64>,
    },
}

impl<'a> TesterLine<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// The text is no line of a tester. The message says why.
    pub fn read(text: &'a str) -> Result<TesterLine<'a>, String> {
        let members = ObjectMembers::read(text)?;
        members.check_version()?;
        let known = members.only_one_of(&["spec", "q", "close", "reset", "end"])?;
        Ok(match known {
            ("spec", spec) => {
                let spec = Scanner::new(spec).string().map_err(|error| error.to_string())?;
                TesterLine::Hello { spec, clients: members.number("clients")? }
            }
            ("q", request) => {
                let connection = members.optional_number("connection")?.unwrap_or(1);
                TesterLine::Ask { client: members.number("c")?, connection, request: request.into() }
            }
            ("close", _) => TesterLine::Close { client: members.number("c")? },
            ("reset", _) => TesterLine::Reset { clients: members.number("reset")? },
            (_, _) => TesterLine::End,
        })
    }
}

impl fmt::Display for TesterLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TesterLine::Hello { spec, clients } => {
                write!(f, "{{\"mayhap\": {VERSION}, \"spec\": {}, \"clients\": {clients}}}", quoted(spec))
            }
            TesterLine::Ask { client, connection: 1, request } => write!(f, "{{\"c\": {client}, \"q\": {request}}}"),
            TesterLine::Ask { client, connection, request } => {
                write!(f, "{{\"c\": {client}, \"connection\": {connection}, \"q\": {request}}}")
            }
            TesterLine::Close { client } => write!(f, "{{\"c\": {client}, \"close\": true}}"),
            TesterLine::Reset { clients } => write!(f, "{{\"reset\": {clients}}}"),
            TesterLine::End => f.write_str("{\"end\": true}"),
        }
    }
}

impl<'a> AdapterLine<'a> {
    /// Reads a line; additional members are ignored.
    ///
    /// # Errors
    /// The text is no line of an adapter. The message says why.
    pub fn read(text: &'a str) -> Result<AdapterLine<'a>, String> {
        let members = ObjectMembers::read(text)?;
        members.check_version()?;
        let (name, value) = members.only_one_of(&["ready", "a", "lost", "refused", "closed"])?;
        if name != "a" && value != "true" {
            return Err(format!("expected true as the value of {name:?}, found {value}"));
        }
        if name == "ready" {
            return Ok(AdapterLine::Ready { closes: members.get("closes") == Some("true") });
        }
        let (client, connection) = (members.number("c")?, members.optional_number("connection")?);
        Ok(match name {
            "a" => AdapterLine::Answer { client, connection, answer: value },
            "lost" => AdapterLine::Lost { client, connection },
            "refused" => AdapterLine::Refused { client, connection },
            _ => AdapterLine::Closed { client, connection },
        })
    }
}

impl fmt::Display for AdapterLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (client, connection, name, value) = match self {
            AdapterLine::Ready { closes: false } => return f.write_str("{\"ready\": true}"),
            AdapterLine::Ready { closes: true } => return f.write_str("{\"ready\": true, \"closes\": true}"),
            AdapterLine::Answer { client, connection, answer } => (client, connection, "a", *answer),
            AdapterLine::Lost { client, connection } => (client, connection, "lost", "true"),
            AdapterLine::Refused { client, connection } => (client, connection, "refused", "true"),
            AdapterLine::Closed { client, connection } => (client, connection, "closed", "true"),
        };
        write!(f, "{{\"c\": {client}")?;
        if let Some(connection) = connection {
            write!(f, ", \"connection\": {connection}")?;
        }
        write!(f, ", \"{name}\": {value}}}")
    }
}

/// The members of an object, with their values as they are written.
pub(super) struct ObjectMembers<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> ObjectMembers<'a> {
    /// Reads an object.
    pub(super) fn read(text: &'a str) -> Result<ObjectMembers<'a>, String> {
        members(text).map(ObjectMembers).map_err(|error| error.to_string())
    }

    /// The value of a member, as it is written.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn only_one_of(&self, names: &[&'static str]) -> Result<(&'static str, &'a str), String> {
        let mut found = names.iter().filter_map(|name| Some((*name, self.get(name)?)));
        let one = found.next();
        match (one, found.next()) {
            (Some(one), None) => Ok(one),
            (Some((one, _)), Some((other, _))) => Err(format!("{one:?} and {other:?} cannot both be said")),
            (None, _) => Err(format!("it has none of the keys {}", names.join(", "))),
        }
    }

    fn number(&self, name: &str) -> Result<u64, String> {
        self.optional_number(name)?.ok_or_else(|| format!("it lacks the key {name:?}"))
    }

    fn optional_number(&self, name: &str) -> Result<Option<u64>, String> {
        let number = |value: &str| {
            value.parse().map_err(|_| format!("expected a number as the value of {name:?}, found {value}"))
        };
        self.get(name).map(number).transpose()
    }

    fn check_version(&self) -> Result<(), String> {
        match self.get("mayhap").filter(|version| *version != VERSION) {
            None => Ok(()),
            Some(other) => Err(format!("it speaks version {other} of the protocol, this program version {VERSION}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back() {
        let tester = [
            TesterLine::Hello { spec: "a \"b\"".into(), clients: 3 },
            TesterLine::Ask { client: 7, connection: 1, request: r#"{"Put": [1, "}"]}"#.into() },
            TesterLine::Ask { client: 7, connection: 2, request: "null".into() },
            TesterLine::Close { client: 1 },
            TesterLine::Reset { clients: 2 },
            TesterLine::End,
        ];
        for line in tester {
            assert_eq!(TesterLine::read(&line.to_string()), Ok(line.clone()));
        }
        let adapter = [
            AdapterLine::Ready { closes: false },
            AdapterLine::Ready { closes: true },
            AdapterLine::Answer { client: 1, connection: None, answer: "null" },
            AdapterLine::Answer { client: 1, connection: Some(2), answer: "null" },
            AdapterLine::Lost { client: 1, connection: Some(1) },
            AdapterLine::Refused { client: 2, connection: None },
            AdapterLine::Closed { client: 3, connection: Some(7) },
        ];
        for line in adapter {
            assert_eq!(AdapterLine::read(&line.to_string()), Ok(line.clone()));
        }
    }

    #[test]
    fn other_lines_are_none() {
        for (text, why) in [
            ("{}", "it has none of the keys ready, a, lost, refused, closed"),
            (r#"{"level": "info"}"#, "it has none of the keys ready, a, lost, refused, closed"),
            (r#"{"a": 1}"#, r#"it lacks the key "c""#),
            (r#"{"c": -1, "a": 1}"#, r#"expected a number as the value of "c", found -1"#),
            (r#"{"c": 1, "a": 1, "lost": true}"#, r#""a" and "lost" cannot both be said"#),
            (r#"{"c": 1, "connection": "1", "a": 1}"#, r#"expected a number as the value of "connection", found "1""#),
            (r#"{"c": 1, "lost": 1}"#, r#"expected true as the value of "lost", found 1"#),
            (r#"{"mayhap": 2, "ready": true}"#, "it speaks version 2 of the protocol, this program version 1"),
            (r#"{"ready": true} x"#, "expected the end, found `x`"),
        ] {
            assert_eq!(AdapterLine::read(text).map_err(|error| error.to_string()), Err(why.to_owned()), "{text}");
        }
    }
}
