//! The content of the messages of a HAR file, as far as the file says it.
//!
//! ```text
//! "bodySize": 3, "text": "x\u00fc"          the three bytes x, 0xC3, 0xBC: the text is UTF-8
//! "bodySize": 3, "text": "x\u00c3\u00bc"    the same bytes: mitmproxy shows each byte as a character
//! "bodySize": 5, "text": ""                 five bytes that nobody knows: a hole
//! ```

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::file::{HarContent, HarParam, HarRequest, HarResponse, shown_octets};
use crate::http::HttpMessage;

/// The content of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum KnownContent {
    /// None at all.
    Nothing,
    /// These bytes.
    Bytes(Vec<u8>),
    /// Content that was not recorded.
    Unknown,
}

impl KnownContent {
    /// The bytes, if they are known.
    pub(super) fn bytes(self) -> Option<Vec<u8>> {
        match self {
            KnownContent::Bytes(bytes) => Some(bytes),
            KnownContent::Nothing | KnownContent::Unknown => None,
        }
    }
}

/// A number of bytes that a file may say; one that is negative is not known.
fn said_size(size: Option<f64>) -> Option<usize> {
    size.filter(|size| *size >= 0.0).map(|size| size as usize)
}

fn said_length(headers: &HttpMessage) -> Option<usize> {
    headers.header("Content-Length").and_then(|length| length.trim().parse().ok())
}

/// Tests whether the content of a message is compressed, so that its length says nothing of the text.
fn is_encoded(headers: &HttpMessage) -> bool {
    headers.header("Content-Encoding").is_some_and(|coding| !coding.trim().eq_ignore_ascii_case("identity"))
}

/// The content of a request; `headers` is the request without content.
///
/// # Errors
/// The content is not base64 although the file says so, or has an unknown encoding.
pub(super) fn of_request(request: &HarRequest, headers: &HttpMessage) -> Result<KnownContent, String> {
    // Some tools write 0 where they do not know the size, even beside a text.
    let size = said_size(request.body_size).filter(|size| *size > 0);
    let said = if is_encoded(headers) { size } else { said_length(headers).or(size) };
    let Some(data) = &request.post_data else {
        let is_sent = said.is_some_and(|said| said > 0)
            || headers.header("Transfer-Encoding").is_some()
            || (is_encoded(headers) && said_length(headers).is_some_and(|length| length > 0));
        return Ok(if is_sent { KnownContent::Unknown } else { KnownContent::Nothing });
    };
    if is_encoded(headers) && data.encoding.as_deref() == Some("base64") {
        return Ok(KnownContent::Unknown);
    }
    match &data.text {
        Some(text) if !text.is_empty() => decoded(data, text, said),
        _ if said == Some(0) => Ok(KnownContent::Bytes(Vec::new())),
        _ => Ok(form(data, said).map_or(KnownContent::Unknown, KnownContent::Bytes)),
    }
}

/// The content of form fields of which the file has no text, if it has as many bytes as were sent.
fn form(data: &HarContent, said: Option<usize>) -> Option<Vec<u8>> {
    let is_form = data.mime_type.as_deref().is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let params = data.params.as_ref().filter(|params| is_form && !params.is_empty())?;
    let value = |param: &HarParam| param.value.clone().unwrap_or_default();
    let as_written: Vec<String> = params.iter().map(|param| format!("{}={}", param.name, value(param))).collect();
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    params.iter().for_each(|param| _ = encoded.append_pair(&param.name, &value(param)));
    // Tools write the fields as they were sent, or decoded.
    let mut texts = vec![as_written.join("&"), encoded.finish()];
    texts.dedup();
    texts.retain(|text| Some(text.len()) == said);
    match &texts[..] {
        [only] => Some(only.clone().into_bytes()),
        _ => None,
    }
}

/// The content of an answer that may have some; `headers` is the answer without content.
///
/// # Errors
/// The content is not base64 although the file says so, or has an unknown encoding.
pub(super) fn of_answer(response: &HarResponse, headers: &HttpMessage) -> Result<KnownContent, String> {
    let sent = said_size(response.body_size).filter(|size| *size > 0);
    let length = said_length(headers);
    let is_sent = sent.or(length).is_some_and(|size| size > 0);
    let missing = || if is_sent { KnownContent::Unknown } else { KnownContent::Bytes(Vec::new()) };
    let Some(content) = &response.content else { return Ok(missing()) };
    let size = said_size(content.size).filter(|size| *size > 0);
    match &content.text {
        Some(text) if !text.is_empty() && is_encoded(headers) => decoded(content, text, text_size(text, size)),
        Some(text) if !text.is_empty() => {
            // The number of bytes that were sent may count the marks of chunks, too.
            let octets = shown_octets(text).map(|octets| octets.len());
            let sent = sent.filter(|sent| *sent == text.len() || Some(*sent) == octets);
            decoded(content, text, length.or(sent).or_else(|| text_size(text, size)))
        }
        _ if size.is_some() => Ok(KnownContent::Unknown),
        // A size of -1 is not known, unless an empty text is written as one that was read.
        None if content.size.is_some_and(|size| size < 0.0) => Ok(KnownContent::Unknown),
        _ => Ok(missing()),
    }
}

/// The size of the content of an answer, as far as it says something of its text: some tools write the size of compressed content, and
/// some the size of a text that they read in the wrong encoding.
fn text_size(text: &str, size: Option<usize>) -> Option<usize> {
    let is_utf8_of = |octets: Vec<u8>| str::from_utf8(&octets).is_ok();
    let may_be_misread = !text.is_ascii() && shown_octets(text).is_some_and(is_utf8_of);
    match size {
        Some(size) if size == text.len() && may_be_misread => Some(usize::MAX),
        size => size.filter(|size| *size >= text.len() || !text.is_ascii()),
    }
}

/// The bytes of a text, of which the file says how many there are.
fn decoded(content: &HarContent, text: &str, said: Option<usize>) -> Result<KnownContent, String> {
    match content.encoding.as_deref() {
        Some("base64") => {
            let bytes = BASE64_STANDARD.decode(text);
            return bytes.map(KnownContent::Bytes).map_err(|error| format!("the content is not base64: {error}"));
        }
        Some("") | None => {}
        Some(other) => return Err(format!("the encoding {other:?} of the content is not known; expected \"base64\"")),
    }
    let plain = || KnownContent::Bytes(text.as_bytes().to_vec());
    Ok(match said {
        Some(said) if said != text.len() => match shown_octets(text) {
            Some(octets) if octets.len() == said && !text.is_ascii() => KnownContent::Bytes(octets),
            _ => KnownContent::Unknown,
        },
        // A replacement character stands for bytes that are no text.
        _ if text.contains('\u{fffd}') => KnownContent::Unknown,
        _ => plain(),
    })
}
