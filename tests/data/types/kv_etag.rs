//! The types of `kv_etag`, as `mayhap types` prints them. Requests are of type `Request`, answers of type `Response`.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    Get {
        key: String,
        if_none_match: Option<Tag>,
    },
    Put {
        key: String,
        value: String,
        if_match: Option<Tag>,
    },
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    pub weak: bool,
    pub opaque: Opaque,
}

pub type Opaque = String;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Response {
    Ok {
        value: String,
        tag: Option<Tag>,
    },
    NotModified,
    NotFound,
    PreconditionFailed,
    NoContent,
}
