//! The other headers of a message as a map: those that no field of the form is taken from, without those that delimit the message.
//!
//! For example `X-A: 1`, `Host: h`, `x-a: 2` is `{"x-a": "1, 2"}`.

use std::collections::BTreeSet;

use super::message::HttpMessage;
use crate::scalar::Scalar;
use crate::spec::http::{is_header_name, is_header_text};
use crate::value::{Entry, Map, Value};

/// The headers that are never in a map: they name the server, or delimit the message.
const NEVER: [&str; 3] = ["Host", "Content-Length", "Transfer-Encoding"];

/// The headers for a map; none if one of them has no form on the wire. Names must be in lower case, as the case of a header's name has no
/// meaning.
pub(super) fn headers_of_map(value: &Value, named: &[&str]) -> Option<Vec<(String, Vec<u8>)>> {
    let Value::Map(map) = value else { return None };
    let text = |value: &Value| match value {
        Value::Scalar(Scalar::Str(text)) => Some(text.to_string()),
        _ => None,
    };
    let header = |(key, entry): &(&Value, &Entry)| {
        let (name, value) = (text(key)?, text(&entry.value)?);
        let is_name = is_header_name(&name) && !name.bytes().any(|byte| byte.is_ascii_uppercase());
        let is_said = is_name && !is_elsewhere(&name, named) && is_header_text(&value) && may_be_said(&name, &value);
        is_said.then(|| (name, value.into_bytes()))
    };
    map.entries().ok()?.iter().map(header).collect()
}

/// The map of the headers of a message; the values of a repeated header are joined by commas.
pub(super) fn map_of_headers(message: &HttpMessage, named: &[&str]) -> Value {
    let names: BTreeSet<String> = message.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    let said = names.into_iter().filter(|name| !is_elsewhere(name, named));
    let entry = |name: String| (Value::str(&name), Value::str(message.header(&name).unwrap_or_default().trim()));
    Value::Map(Map::of(said.map(entry)))
}

/// Tests whether a header may have this value. The options of `Connection` must be tokens, as a reader could not separate others.
pub(super) fn may_be_said(name: &str, value: &str) -> bool {
    !name.eq_ignore_ascii_case("Connection") || value.split(", ").all(is_header_name)
}

/// Tests whether a header belongs to another field or is never in a map.
fn is_elsewhere(name: &str, named: &[&str]) -> bool {
    NEVER.iter().chain(named).any(|other| other.eq_ignore_ascii_case(name))
}
