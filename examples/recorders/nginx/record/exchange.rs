//! The requests and answers of `specs/static_etag.may`: as HTTP headers, and as values of the trace.
//!
//! The header `W/"6553f100-3"` is the tag `{"weak": true, "opaque": "6553f100-3"}`.

use std::fmt;
use std::time::SystemTime;

use serde::Serialize;

/// An entity tag.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Tag {
    /// True if the tag is marked with `W/`.
    pub weak: bool,
    /// The text between the quotes.
    pub opaque: String,
}

impl Tag {
    /// Reads the value of a header: `"x"` or `W/"x"`; `None` for anything else.
    pub fn parse(header: &str) -> Option<Tag> {
        let (weak, quoted) = match header.strip_prefix("W/") {
            Some(rest) => (true, rest),
            None => (false, header),
        };
        let opaque = quoted.strip_prefix('"')?.strip_suffix('"')?;
        Some(Tag { weak, opaque: opaque.to_owned() })
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\"{}\"", if self.weak { "W/" } else { "" }, self.opaque)
    }
}

/// The condition in an `If-None-Match` header.
#[derive(Serialize)]
pub enum Condition {
    /// `*`: any tag.
    Any,
    /// A list of tags, which is not empty.
    OneOf(Vec<Tag>),
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

/// A request to the server, or a change of its files.
#[derive(Serialize)]
pub enum Request {
    /// `GET path`, with an `If-None-Match` header if there is a condition.
    Get { path: String, if_none_match: Option<Condition> },
    /// The file gets this content, and a time that is not in the trace.
    Write {
        path: String,
        content: String,
        #[serde(skip)]
        modified: SystemTime,
    },
    /// The file is removed.
    Remove { path: String },
}

/// The answer to a request, or the end of a change.
#[derive(Serialize)]
pub enum Answer {
    /// The status 200.
    Ok { tag: Tag, content: String },
    /// The status 304.
    NotModified { tag: Option<Tag> },
    /// The status 404.
    NotFound,
    /// The change was made.
    Done,
}
