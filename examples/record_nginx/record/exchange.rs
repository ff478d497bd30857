//! The requests and answers of `specs/static_etag.may`: as HTTP headers, and as lines of a trace.
//!
//! The header `W/"6553f100-3"` is the tag `{"weak": true, "opaque": "6553f100-3"}`.

use std::fmt;
use std::time::SystemTime;

use serde_json::{Value, json};

/// An entity tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// Whether it is marked `W/`.
    pub weak: bool,
    /// What stands between the quotes.
    pub opaque: String,
}

impl Tag {
    /// Reads a header's value: `"x"` or `W/"x"`; `None` for anything else.
    pub fn parse(header: &str) -> Option<Tag> {
        let (weak, quoted) = match header.strip_prefix("W/") {
            Some(rest) => (true, rest),
            None => (false, header),
        };
        let opaque = quoted.strip_prefix('"')?.strip_suffix('"')?;
        Some(Tag { weak, opaque: opaque.to_owned() })
    }

    fn json(&self) -> Value {
        json!({"weak": self.weak, "opaque": self.opaque})
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\"{}\"", if self.weak { "W/" } else { "" }, self.opaque)
    }
}

/// What an `If-None-Match` header says.
pub enum Condition {
    /// `*`
    Any,
    /// A list of tags, not empty.
    OneOf(Vec<Tag>),
}

impl Condition {
    fn json(&self) -> Value {
        match self {
            Condition::Any => json!("Any"),
            Condition::OneOf(tags) => json!({"OneOf": tags.iter().map(Tag::json).collect::<Vec<_>>()}),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Any => write!(f, "*"),
            Condition::OneOf(tags) => {
                let tags: Vec<String> = tags.iter().map(Tag::to_string).collect();
                write!(f, "{}", tags.join(", "))
            }
        }
    }
}

/// What is asked of the server, or done to its files.
pub enum Request {
    /// `GET path`, with an `If-None-Match` header where there is a condition.
    Get { path: String, condition: Option<Condition> },
    /// The file gets this content and this time.
    Write { path: String, content: String, modified: SystemTime },
    /// The file goes away.
    Remove { path: String },
}

impl Request {
    fn json(&self) -> Value {
        match self {
            Request::Get { path, condition } => {
                json!({"Get": {"path": path, "if_none_match": condition.as_ref().map(Condition::json)}})
            }
            Request::Write { path, content, modified: _ } => json!({"Write": {"path": path, "content": content}}),
            Request::Remove { path } => json!({"Remove": {"path": path}}),
        }
    }
}

/// What came back.
pub enum Answer {
    /// 200
    Ok { tag: Tag, content: String },
    /// 304
    NotModified { tag: Option<Tag> },
    /// 404
    NotFound,
    /// The change has been made.
    Done,
}

impl Answer {
    fn json(&self) -> Value {
        match self {
            Answer::Ok { tag, content } => json!({"Ok": {"tag": tag.json(), "content": content}}),
            Answer::NotModified { tag } => json!({"NotModified": {"tag": tag.as_ref().map(Tag::json)}}),
            Answer::NotFound => json!("NotFound"),
            Answer::Done => json!("Done"),
        }
    }
}

/// The line of the trace for one exchange.
pub fn line(request: &Request, answer: &Answer) -> String {
    json!({"q": request.json(), "a": answer.json()}).to_string()
}
