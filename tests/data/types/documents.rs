//! The types of `documents`, as `mayhap types` prints them. Requests are of type `Request`, answers of type `Response`.

use serde::{Deserialize, Serialize};

fn present<'de, D: serde::Deserializer<'de>>(json: D) -> Result<Option<serde_json::Value>, D::Error> {
    Ok(Some(Deserialize::deserialize(json)?))
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Request {
    pub method: Method,
    pub path: Path,
    pub if_match: Option<Etag>,
    pub if_none_match: Option<Etag>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub body: Option<serde_json::Value>,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum Method {
    GET,
    HEAD,
    POST,
    PUT,
    DELETE,
    OPTIONS,
    TRACE,
    PATCH,
}

pub type Path = String;

pub type Etag = String;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Response {
    pub status: i64,
    pub location: Option<Path>,
    pub etag: Option<Etag>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub body: Option<serde_json::Value>,
}
