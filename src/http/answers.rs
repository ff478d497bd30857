//! Answers of a specification ⇄ HTTP messages, by the answer lines of the `http` block.
//!
//! For example, by `200 => Ok { value: body json };` a message with the status 200 and the content `5` is the answer
//! `{"Ok": {"value": 5}}`.

use crate::scalar::{Int, Scalar};
use crate::spec::http::{AnswerForm, AnswerPart, AnswerSource, HttpCodec, HttpForms};
use crate::spec::{Spec, Type};
use crate::value::Value;

use super::body::content_of;
use super::headers::{headers_of_map, map_of_headers, may_be_said};
use super::message::{Framing, HttpHead, HttpMessage, MessageBuffer};
use super::parts::{value_of_body, value_of_header};
use super::requests::{message_of_request, method_of_request, tag_of};
use super::texts::text_of;

/// The answer that a message stands for, as a reply to `request`.
///
/// # Errors
/// The message stands for no answer of the specification; the error says why.
pub fn answer_of(spec: &Spec, request: &Value, message: &HttpMessage) -> Result<Value, String> {
    let Some(forms) = spec.http.as_deref() else { return Err("there is no http block".to_owned()) };
    let status = message.status().unwrap_or_default();
    let tag = tag_of(spec.types.get(spec.program.request), request);
    let form = form_of_status(&forms.answers, tag, status);
    let form = form.ok_or_else(|| format!("no line of the http block is about the status {status}"))?;
    let mut fields = Vec::with_capacity(form.sources.len());
    for source in &form.sources {
        fields.push(match source {
            None => Value::NONE,
            Some(source) => value_of_source(spec, source, message, &names(form))?,
        });
    }
    match form.tag {
        Some(tag) => Ok(Value::data(tag, fields)),
        None => fields.pop().ok_or_else(|| "the answer is empty".to_owned()),
    }
}

/// The form for an answer with this status to this request. A form that names the status precedes one for any status; among equals, a form
/// that names the request precedes one for all requests.
fn form_of_status(forms: &[AnswerForm], request: Option<u32>, status: u16) -> Option<&AnswerForm> {
    let is_to = |form: &AnswerForm| request.is_some_and(|tag| form.to.contains(&tag));
    let find = |to_it: bool, status: Option<u16>| {
        let fits = |form: &&AnswerForm| if to_it { is_to(form) } else { form.to.is_empty() };
        forms.iter().find(|form| fits(form) && form.statuses.contains(&status))
    };
    let known = Some(status);
    find(true, known).or_else(|| find(false, known)).or_else(|| find(true, None)).or_else(|| find(false, None))
}

fn value_of_source(spec: &Spec, source: &AnswerSource, message: &HttpMessage, named: &[&str]) -> Result<Value, String> {
    let types = &spec.types;
    match &source.part {
        AnswerPart::Status => {
            Ok(Value::Scalar(Scalar::Int(Int::from(i64::from(message.status().unwrap_or_default())))))
        }
        AnswerPart::Header(name) => value_of_header(types, source.codec, source.ty, name, message),
        AnswerPart::Headers => Ok(map_of_headers(message, named)),
        AnswerPart::Body => {
            let value = value_of_body(types, source.codec, source.ty, message.body.as_deref());
            value.map_err(|why| {
                let name = types.name(source.ty);
                format!("the content is not `{name}` as {}: {why}", source.codec.name())
            })
        }
    }
}

/// The message for an answer to a request; none if no line of the `http` block writes a message that is read as this answer again.
#[must_use]
pub fn message_of_answer(spec: &Spec, request: &Value, answer: &Value) -> Option<HttpMessage> {
    let forms = spec.http.as_deref()?;
    let tag = tag_of(spec.types.get(spec.program.request), request);
    let own = tag_of(spec.types.get(spec.program.response), answer);
    let is_head = method_of_request(spec, request).as_deref() == Some("HEAD");
    let framing = if is_head { Framing::HeadersOnly } else { Framing::Whole };
    let fits = |form: &&AnswerForm| form.tag == own || form.tag.is_none();
    let lines = forms.answers.iter().filter(fits);
    let written = lines.flat_map(|form| {
        let statuses = statuses(&forms.answers, form, tag, answer).into_iter();
        statuses.filter_map(|status| written(spec, form, status, framing, answer))
    });
    written.into_iter().find(|message| is_read_as(spec, request, message, framing, answer))
}

/// The statuses with which a form can write an answer: those for which readers choose this form.
fn statuses(forms: &[AnswerForm], form: &AnswerForm, request: Option<u32>, answer: &Value) -> Vec<u16> {
    let is_own = |status: &u16| {
        (200..1000).contains(status)
            && form_of_status(forms, request, *status).is_some_and(|other| std::ptr::eq(other, form))
    };
    let is_status =
        |source: &Option<AnswerSource>| source.iter().any(|source| matches!(source.part, AnswerPart::Status));
    if let Some(at) = form.sources.iter().position(is_status) {
        let said = field(form, answer, at).as_int().and_then(|status| u16::try_from(status.to_i64()?).ok());
        return said.into_iter().filter(is_own).collect();
    }
    let any = form.statuses.contains(&None).then(|| (500..1000).chain(200..500).find(is_own)).flatten();
    form.statuses.iter().copied().flatten().filter(is_own).chain(any).collect()
}

/// The value of a field of an answer; the answer itself if the form has no constructor.
fn field(form: &AnswerForm, answer: &Value, at: usize) -> Value {
    match form.tag {
        Some(tag) => answer.field(tag, at as u32),
        None => answer.clone(),
    }
}

/// Tests whether a receiver reads a message as this answer.
fn is_read_as(spec: &Spec, request: &Value, message: &HttpMessage, framing: Framing, answer: &Value) -> bool {
    let (mut bytes, mut buffer) = (Vec::new(), MessageBuffer::default());
    message.write_to(&mut bytes);
    buffer.push(&bytes);
    let read = buffer.answer(framing).ok().flatten();
    let read = read.and_then(|message| answer_of(spec, request, &message).ok());
    read.as_ref() == Some(answer) && buffer.rest().is_empty()
}

/// The headers that an answer line names.
fn names(form: &AnswerForm) -> Vec<&str> {
    let parts = form.sources.iter().flatten().map(|source| &source.part);
    parts.filter_map(|part| if let AnswerPart::Header(name) = part { Some(name.as_str()) } else { None }).collect()
}

/// The message that one form writes for an answer with a status; none if the form cannot write the answer.
fn written(spec: &Spec, form: &AnswerForm, status: u16, framing: Framing, answer: &Value) -> Option<HttpMessage> {
    let types = &spec.types;
    let (mut headers, mut body) = (Vec::new(), None);
    let says_all = form.sources.iter().flatten().any(|source| source.part == AnswerPart::Headers);
    for (at, source) in form.sources.iter().enumerate() {
        let value = field(form, answer, at);
        let Some(source) = source else { continue };
        let (ty, value) = match (types.get(source.ty), value) {
            (Type::Option(_), Value::Data { tag: 0, .. }) => continue,
            (Type::Option(of), some) => (*of, some.field(1, 0)),
            (_, value) => (source.ty, value),
        };
        match &source.part {
            AnswerPart::Status => {}
            AnswerPart::Header(name) => {
                let text = text_of(types, source.codec, ty, &value)?;
                let is_plain = text.bytes().all(|byte| byte >= b' ' && byte != 0x7f) && may_be_said(name, &text);
                headers.push((name.clone(), Some(text).filter(|_| is_plain)?.into_bytes()));
            }
            AnswerPart::Headers => headers.extend(headers_of_map(&value, &names(form))?),
            AnswerPart::Body => {
                body = Some(content_of(types, source.codec, ty, &value)?);
                if !says_all && !has_header(form, "Content-Type") {
                    headers.push(("Content-Type".to_owned(), content_type(source.codec).as_bytes().to_vec()));
                }
            }
        }
    }
    let is_length = |name: &str| name.eq_ignore_ascii_case("Content-Length");
    if framing == Framing::HeadersOnly || matches!(status, 204 | 304) {
        // The framing allows no content, so that a reader expects none.
        body = None;
        headers.retain(|(name, _)| !is_length(name) || status != 204);
    } else {
        let is_length_said = headers.iter().any(|(name, _)| is_length(name));
        headers.retain(|(name, _)| !is_length(name));
        if !is_length_said && has_header(form, "Content-Length") {
            headers.push(("Transfer-Encoding".to_owned(), b"chunked".to_vec()));
        }
        body.get_or_insert_default();
    }
    Some(HttpMessage { head: HttpHead::Answer { status }, headers, body, keeps_alive: true })
}

/// Tests whether a message says that the request was refused and had no effect: status 429, if no line of the `http` block names 429.
#[must_use]
pub fn is_refusal(spec: &Spec, message: &HttpMessage) -> bool {
    let has_line = |forms: &HttpForms| forms.answers.iter().any(|form| form.statuses.contains(&Some(429)));
    message.status() == Some(429) && !spec.http.as_deref().is_some_and(has_line)
}

/// Tests whether a server may answer this request with the status of this answer, whatever it holds: 304 and 412 are about a condition, and
/// 206 and 416 about a range of the request (RFC 9110, sections 13.2.2, 15.3.7 and 15.5.17).
#[must_use]
pub fn is_status_asked_for(spec: &Spec, request: &Value, answer: &Value) -> bool {
    let Some(answered) = message_of_answer(spec, request, answer) else { return true };
    let status = answered.status().unwrap_or_default();
    if !matches!(status, 206 | 304 | 412 | 416) {
        return true;
    }
    let Some(asked) = message_of_request(spec, request) else { return false };
    let is_by = |methods: &[&str]| matches!(&asked.head, HttpHead::Request { method, .. } if methods.contains(&method.as_str()));
    let has = |name: &str| asked.header(name).is_some();
    let reads = is_by(&["GET", "HEAD"]);
    match status {
        304 => reads && (has("If-None-Match") || has("If-Modified-Since")),
        412 => has("If-Match") || has("If-Unmodified-Since") || !reads && has("If-None-Match"),
        206 => is_by(&["GET"]) && has("Range") && answered.header("Content-Range").is_some(),
        _ => is_by(&["GET"]) && has("Range"),
    }
}

/// Tests whether a field of the answer is taken from this header.
fn has_header(form: &AnswerForm, name: &str) -> bool {
    let is_it =
        |source: &AnswerSource| matches!(&source.part, AnswerPart::Header(own) if own.eq_ignore_ascii_case(name));
    form.sources.iter().flatten().any(is_it)
}

/// The content type for content with this codec.
fn content_type(codec: HttpCodec) -> &'static str {
    match codec {
        HttpCodec::Json => "application/json",
        HttpCodec::Text => "text/plain; charset=utf-8",
        HttpCodec::Form => "application/x-www-form-urlencoded",
        _ => "application/octet-stream",
    }
}
