//! Answers ⇄ messages, by the answer lines of an `http` block.
//!
//! By `200 => Ok { value: body json };` a message with the status 200 and the content `5` is the answer `{"Ok": {"value": 5}}`.

use crate::scalar::{Int, Scalar};
use crate::spec::http::{AnswerForm, AnswerPart, AnswerSource, HttpCodec, HttpForms};
use crate::spec::{Spec, Type};
use crate::value::Value;

use super::body::content_of;
use super::message::{HttpHead, HttpMessage};
use super::requests::{tag_of, value_of_body};
use super::texts::{text_of, value_of};

/// The answer that a message is, to a request.
///
/// # Errors
/// It is none of the specification; in words.
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
            Some(source) => value_of_source(spec, source, message)?,
        });
    }
    match form.tag {
        Some(tag) => Ok(Value::data(tag, fields)),
        None => fields.pop().ok_or_else(|| "the answer is empty".to_owned()),
    }
}

/// The form of an answer with this status to a request: that of the status before that of any, and before both those to this request.
fn form_of_status(forms: &[AnswerForm], request: Option<u32>, status: u16) -> Option<&AnswerForm> {
    let is_to = |form: &AnswerForm| request.is_some_and(|tag| form.to.contains(&tag));
    let find = |to_it: bool, status: Option<u16>| {
        let fits = |form: &&AnswerForm| if to_it { is_to(form) } else { form.to.is_empty() };
        forms.iter().find(|form| fits(form) && form.statuses.contains(&status))
    };
    let known = Some(status);
    find(true, known).or_else(|| find(false, known)).or_else(|| find(true, None)).or_else(|| find(false, None))
}

fn value_of_source(spec: &Spec, source: &AnswerSource, message: &HttpMessage) -> Result<Value, String> {
    let types = &spec.types;
    match &source.part {
        AnswerPart::Status => {
            Ok(Value::Scalar(Scalar::Int(Int::from(i64::from(message.status().unwrap_or_default())))))
        }
        AnswerPart::Header(name) => {
            let wrong =
                |text: &str, expected: String| format!("the header {name} is {text:?}, which is not {expected}");
            match (types.get(source.ty), message.header(name)) {
                (Type::Option(_), None) => Ok(Value::NONE),
                (Type::Option(of), Some(text)) => value_of(types, source.codec, *of, &text)
                    .map(Value::some)
                    .map_err(|expected| wrong(&text, expected)),
                (_, Some(text)) => {
                    value_of(types, source.codec, source.ty, &text).map_err(|expected| wrong(&text, expected))
                }
                (_, None) => Err(format!("the header {name} is missing")),
            }
        }
        AnswerPart::Body => {
            let value = value_of_body(types, source.codec, source.ty, message.body.as_deref());
            value.map_err(|why| {
                let name = types.name(source.ty);
                format!("the content is not `{name}` as {}: {why}", source.codec.name())
            })
        }
    }
}

/// The message of an answer to a request; none if no line of the `http` block writes it.
#[must_use]
pub fn message_of_answer(spec: &Spec, request: &Value, answer: &Value) -> Option<HttpMessage> {
    let forms = spec.http.as_deref()?;
    let tag = tag_of(spec.types.get(spec.program.request), request);
    let own = tag_of(spec.types.get(spec.program.response), answer);
    let is_to_it = |form: &&AnswerForm| tag.is_some_and(|tag| form.to.contains(&tag));
    let is_to_all = |form: &&AnswerForm| form.to.is_empty();
    let fits = |form: &&AnswerForm| form.tag == own || form.tag.is_none();
    let first = forms.answers.iter().filter(is_to_it).filter(fits);
    let others = forms.answers.iter().filter(is_to_all).filter(fits);
    let is_head = forms.requests.iter().any(|form| form.tag == tag && form.method == "HEAD");
    let written = first.chain(others).filter_map(|form| written(spec, form, answer));
    let mut message = written.into_iter().find(|message| {
        // What it would be read as is what it says.
        let status = message.status().unwrap_or_default();
        form_of_status(&forms.answers, tag, status).is_some_and(|form| fits(&form))
    })?;
    let status = message.status().unwrap_or_default();
    if is_head || matches!(status, 204 | 304) {
        let length = message.body.take().map(|body| body.len()).filter(|_| is_head);
        let is_said = message.header("Content-Length").is_some();
        if let Some(length) = length.filter(|_| !is_said) {
            message.headers.push(("Content-Length".to_owned(), length.to_string().into_bytes()));
        }
    } else {
        message.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Content-Length"));
        message.body.get_or_insert_default();
    }
    Some(message)
}

/// The message of an answer by one line; none if the line does not write it.
fn written(spec: &Spec, form: &AnswerForm, answer: &Value) -> Option<HttpMessage> {
    let types = &spec.types;
    let mut status = form.statuses.iter().find_map(|status| *status).unwrap_or(500);
    let (mut headers, mut body) = (Vec::new(), None);
    for (at, source) in form.sources.iter().enumerate() {
        let value = match form.tag {
            Some(tag) => answer.field(tag, at as u32),
            None => answer.clone(),
        };
        let Some(source) = source else {
            if value != Value::NONE {
                return None;
            }
            continue;
        };
        let (ty, value) = match (types.get(source.ty), value) {
            (Type::Option(_), Value::Data { tag: 0, .. }) => continue,
            (Type::Option(of), some) => (*of, some.field(1, 0)),
            (_, value) => (source.ty, value),
        };
        match &source.part {
            AnswerPart::Status => {
                status = u16::try_from(value.as_int()?.to_i64()?).ok().filter(|status| (200..1000).contains(status))?;
                if !form.statuses.iter().any(|allowed| allowed.is_none_or(|allowed| allowed == status)) {
                    return None;
                }
            }
            AnswerPart::Header(name) => {
                let text = text_of(types, source.codec, ty, &value)?;
                let is_plain = text.bytes().all(|byte| byte >= b' ' && byte != 0x7f);
                headers.push((name.clone(), Some(text).filter(|_| is_plain)?.into_bytes()));
            }
            AnswerPart::Body => {
                body = Some(content_of(types, source.codec, ty, &value)?);
                let kind = match source.codec {
                    HttpCodec::Json => "application/json",
                    HttpCodec::Text => "text/plain; charset=utf-8",
                    HttpCodec::Form => "application/x-www-form-urlencoded",
                    _ => "application/octet-stream",
                };
                headers.push(("Content-Type".to_owned(), kind.as_bytes().to_vec()));
            }
        }
    }
    Some(HttpMessage { head: HttpHead::Answer { status }, headers, body, keeps_alive: true })
}

/// Tests whether an answer says that the request was refused for now, and has no effect: 429, if no line of the `http` block has it.
#[must_use]
pub fn is_refusal(spec: &Spec, message: &HttpMessage) -> bool {
    let has_line = |forms: &HttpForms| forms.answers.iter().any(|form| form.statuses.contains(&Some(429)));
    message.status() == Some(429) && !spec.http.as_deref().is_some_and(has_line)
}
