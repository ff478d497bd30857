//! The vocabulary of HTTP: header fields with values that fit, methods and statuses (RFC 9110, RFC 9111).
//!
//! If a request has its other headers as a map, the map may be `{"max-forwards": "0"}`; a text in `"Range": range` may be `bytes=-2`.
//! A name comes with its own values, as a server may refuse others: Apache answers `Max-Forwards: a` with 400, and rightly so.

use crate::scalar::Scalar;
use crate::spec::http::is_framing;
use crate::value::Value;

/// The name of a header field, and some of its values. Those that are lists have one element, as an intermediary may write the blanks between
/// elements in another way: Apache passes `Vary: a, b` on as `Vary: a,b`.
pub(crate) type HeaderField = (&'static str, &'static [&'static str]);

/// A date of long ago, that of an example (RFC 9110, section 5.6.7), and a date to come.
const DATES: [&str; 3] =
    ["Thu, 01 Jan 1970 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"];
/// These dates, in seconds since 1970.
pub(crate) const SECONDS: [i64; 3] = [0, 784_111_777, 4_102_444_800];
/// The number of these dates that are past.
pub(crate) const PAST: usize = 2;

/// The fields of requests (RFC 9110, sections 7.6.2, 8, 10.1, 12.5, 13.1 and 14.2; RFC 9111, sections 5.2.1 and 5.4). `Expect` is left out,
/// as the client would have to wait. `Expires` comes with what is to be stored.
pub(crate) const OF_REQUESTS: [HeaderField; 17] = [
    ("accept", &["application/json", "text/*;q=0.5"]),
    ("accept-encoding", &["gzip", "identity", "*;q=0"]),
    ("accept-language", &["en", "de-CH;q=0.5", "*"]),
    ("cache-control", &["no-cache", "no-store", "max-age=0", "max-age=60"]),
    ("content-language", &["en", "de"]),
    ("content-type", &["application/json", "application/octet-stream", "text/plain;charset=utf-8"]),
    ("expires", &DATES),
    ("from", &["a@example.com"]),
    ("if-match", &["*", "\"a\"", "\"b\""]),
    ("if-modified-since", &DATES),
    ("if-none-match", &["*", "\"a\"", "W/\"a\""]),
    ("if-unmodified-since", &DATES),
    ("max-forwards", &["0", "1", "10"]),
    ("pragma", &["no-cache"]),
    ("range", &["bytes=0-0", "bytes=-2", "bytes=1-", "bytes=0-1,3-4"]),
    ("referer", &["http://example.com/a"]),
    ("user-agent", &["a/1.0 (b)"]),
];

/// The fields of answers (RFC 9110, sections 8, 10.2, 12.5.5 and 14.3; RFC 9111, section 5). `Content-Range` is left out, as it must fit the
/// content. A server knows no modification that is yet to come.
pub(crate) const OF_ANSWERS: [HeaderField; 15] = [
    ("accept-ranges", &["bytes", "none"]),
    ("age", &["0", "60"]),
    ("allow", &["GET", "PUT"]),
    ("cache-control", &["no-cache", "no-store", "max-age=0", "max-age=60", "private"]),
    ("content-language", &["en", "de"]),
    ("content-location", &["/a"]),
    ("content-type", &["application/json", "application/octet-stream", "text/plain;charset=utf-8"]),
    ("etag", &["\"a\"", "\"b\"", "W/\"a\""]),
    ("expires", &DATES),
    ("last-modified", &[DATES[0], DATES[1]]),
    ("location", &["/a", "http://example.com/a"]),
    ("retry-after", &["0", "1", DATES[1]]),
    ("server", &["a/1.0"]),
    ("vary", &["*", "accept", "accept-encoding"]),
    ("warning", &["110 - \"Response is Stale\""]),
];

/// The fields that go with something else in the message, as `TE` with an option of `Connection` (RFC 9110, section 10.1.4). Only if a
/// specification names one it knows when the field may be sent.
const IF_NAMED: [HeaderField; 6] = [
    ("date", &[DATES[1]]),
    ("if-range", &["\"a\"", DATES[1]]),
    ("keep-alive", &["timeout=5"]),
    ("proxy-connection", &["keep-alive", "close"]),
    ("te", &["trailers", "deflate;q=0.5"]),
    ("via", &["1.1 a", "1.0 b:80 (c)"]),
];

/// The methods of RFC 9110 and RFC 5789, but for `CONNECT` and `TRACE`, which few servers are meant to have.
pub(crate) const METHODS: [&str; 7] = ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"];

/// Statuses of an origin (RFC 9110, section 15). 206 is left out, as it goes with a `Content-Range`.
pub(crate) const STATUSES: [i64; 15] = [200, 201, 204, 301, 302, 304, 400, 403, 404, 410, 412, 416, 500, 503, 504];

/// A header field of the vocabulary that a map of headers may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownField {
    pub name: &'static str,
    pub values: &'static [&'static str],
    /// Set if the specification names the field, so that it may have other values, too.
    pub is_named: bool,
}

impl KnownField {
    /// The fields that a map of headers may have: these, and those that the specification names. `is_taken` says whether another part of the
    /// message is the field, and `names` whether the specification has a text.
    pub fn all(own: &[HeaderField], is_taken: &dyn Fn(&str) -> bool, names: &dyn Fn(&str) -> bool) -> Vec<KnownField> {
        let known = |&(name, values): &HeaderField| KnownField { name, values, is_named: names(name) };
        let others = IF_NAMED.iter().map(known).filter(|field| field.is_named);
        let fields = own.iter().map(known).chain(others);
        fields.filter(|field| !is_taken(field.name) && !is_framing(field.name)).collect()
    }

    /// Tests whether a header may be drawn as far as this field says.
    pub fn allows(&self, name: &Value, value: &Value) -> bool {
        let is = |value: &Value, text: &str| matches!(value, Value::Scalar(Scalar::Str(own)) if **own == *text);
        self.is_named || !is(name, self.name) || self.values.iter().any(|known| is(value, known))
    }
}

/// The values of a header, among these fields and those that go with something else.
pub(crate) fn values(own: &[HeaderField], name: &str) -> &'static [&'static str] {
    let mut fields = own.iter().chain(&IF_NAMED);
    fields.find(|(own, _)| own.eq_ignore_ascii_case(name)).map_or(&[][..], |(_, values)| *values)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::http::{HttpHead, HttpMessage, retry_after};
    use crate::spec::http::{is_header_name, is_header_text};

    #[test]
    fn fields_can_be_sent() {
        for (name, values) in OF_REQUESTS.iter().chain(&OF_ANSWERS).chain(&IF_NAMED) {
            assert!(is_header_name(name) && *name == name.to_ascii_lowercase(), "{name}");
            assert!(!values.is_empty() && values.iter().all(|value| is_header_text(value)), "{name}");
        }
        for (date, seconds) in DATES.into_iter().zip(SECONDS) {
            let headers = vec![("Retry-After".to_owned(), date.as_bytes().to_vec())];
            let message =
                HttpMessage { head: HttpHead::Answer { status: 503 }, headers, body: None, keeps_alive: true };
            let time = retry_after(&message, SystemTime::UNIX_EPOCH).map(|time| time.as_secs());
            assert_eq!(time, Some(seconds as u64), "{date}");
        }
    }
}
