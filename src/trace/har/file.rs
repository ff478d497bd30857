//! The parts of a HAR file that are read, as browsers and proxies write them.
//!
//! An entry is read by itself: one that is odd makes no other one unreadable. Tools write null for what they do not know.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::json::RawJson;

#[derive(Deserialize)]
pub(super) struct HarFile {
    pub(super) log: HarLog,
}

#[derive(Deserialize)]
pub(super) struct HarLog {
    pub(super) entries: Vec<RawJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HarEntry {
    pub(super) started_date_time: String,
    /// The time from the request to its answer, in milliseconds.
    pub(super) time: Option<f64>,
    pub(super) request: HarRequest,
    pub(super) response: HarResponse,
    /// The mark of an answer from a cache, as Chrome writes it.
    #[serde(rename = "_fromCache")]
    pub(super) from_cache: Option<CacheMark>,
}

/// The address of an entry, and its time, if nothing else of it can be read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HarAddress {
    pub(super) started_date_time: Option<String>,
    pub(super) request: HarUrl,
}

#[derive(Deserialize)]
pub(super) struct HarUrl {
    pub(super) url: String,
}

/// The mark of an answer from a cache: a boolean, or the name of the cache.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum CacheMark {
    Is(bool),
    Named(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HarRequest {
    /// The method; none if the tool does not know it, as for a request that was not sent.
    pub(super) method: Option<String>,
    pub(super) url: String,
    pub(super) headers: Option<Vec<HarHeader>>,
    /// The number of bytes of the content; not positive if it is not known.
    pub(super) body_size: Option<f64>,
    pub(super) post_data: Option<HarContent>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HarResponse {
    pub(super) status: Option<f64>,
    pub(super) headers: Option<Vec<HarHeader>>,
    pub(super) content: Option<HarContent>,
    /// The number of bytes of the content as it was sent; not positive if it is not known, or if none was sent.
    pub(super) body_size: Option<f64>,
    /// The number of bytes that were sent, as Chrome writes it.
    #[serde(rename = "_transferSize")]
    pub(super) transfer_size: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct HarHeader {
    pub(super) name: String,
    pub(super) value: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HarContent {
    pub(super) text: Option<String>,
    pub(super) encoding: Option<String>,
    pub(super) mime_type: Option<String>,
    /// The form fields of a request.
    pub(super) params: Option<Vec<HarParam>>,
    /// The number of bytes without compression; not positive if it is not known.
    pub(super) size: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct HarParam {
    pub(super) name: String,
    pub(super) value: Option<String>,
}

/// The headers, without the pseudo-headers of HTTP/2, which replace the first line. Tools join the values of headers of one name by line
/// breaks.
pub(super) fn headers(headers: Option<&Vec<HarHeader>>) -> Vec<(String, Vec<u8>)> {
    let plain = headers.into_iter().flatten().filter(|header| !header.name.starts_with(':'));
    let values = |header: &HarHeader| {
        let value = header.value.clone().unwrap_or_default();
        let name = header.name.clone();
        value.split('\n').map(|value| (name.clone(), octets(value))).collect::<Vec<_>>()
    };
    plain.flat_map(values).collect()
}

/// The octets of a header: browsers show each octet as a character, whatever it means.
fn octets(value: &str) -> Vec<u8> {
    let shown = if value.is_ascii() { None } else { shown_octets(value) };
    shown.filter(|octets| str::from_utf8(octets).is_ok()).unwrap_or_else(|| value.as_bytes().to_vec())
}

/// The characters that stand for the octets from 0x80 on in windows-1252, in which browsers read texts of an unknown encoding; five octets
/// have none of their own.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// The octets of a text in which each character stands for one; none if it has other characters.
pub(super) fn shown_octets(text: &str) -> Option<Vec<u8>> {
    let octet = |letter: char| {
        let plain = u8::try_from(u32::from(letter)).ok();
        let named = || WINDOWS_1252.chars().zip(0x80..).find(|(own, _)| *own == letter).map(|(_, octet)| octet);
        plain.or_else(named)
    };
    text.chars().map(octet).collect()
}
