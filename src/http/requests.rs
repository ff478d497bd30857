//! Requests of a specification ⇄ HTTP messages, by the request lines of the `http` block.
//!
//! For example, by `Get { key } => GET "/kv/{key}";` the request `{"Get": {"key": "a b"}}` is the message `GET /kv/a%20b`, and the message
//! is read as this request.

use std::cmp::Reverse;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::json::{decode_plain, encode, members};
use crate::spec::http::{BodyForm, FieldForm, HttpCodec, RequestForm, TextPart, is_header_name, is_header_text};
use crate::spec::{Spec, Type, Types};
use crate::value::Value;

use super::body::{content_of_request, form_text, object, values_of_form};
use super::headers::{headers_of_map, map_of_headers, may_be_said};
use super::message::{HttpHead, HttpMessage};
use super::parts::{is_same_in_text, value_of_body, value_of_header};
use super::texts::{text_of, value_of};

/// The characters of a path that are written as `%XX`: all except the unreserved ones of RFC 3986.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The message for a request; none if the request has no form on the wire, as with an empty path segment, or if the message would be read
/// as another request.
#[must_use]
pub fn message_of_request(spec: &Spec, request: &Value) -> Option<HttpMessage> {
    let (form, message) = written(spec, request)?;
    let is_same = request_of(spec, &message).is_ok_and(|read| is_same_in_text(&read, request));
    is_same.then(|| to_server(message, form.authority.as_deref()))
}

/// The reason why a request has no form on the wire.
#[must_use]
pub fn why_unsent(spec: &Spec, request: &Value) -> String {
    let shown = |request: &Value| encode(&spec.types, spec.program.request, request);
    let own = shown(request);
    match written(spec, request).map(|(_, message)| request_of(spec, &message)) {
        None => format!("{own} cannot be written as a message of HTTP"),
        Some(Ok(read)) => format!("the message for {own} is read as {}", shown(&read)),
        Some(Err((_, why))) => format!("the message for {own} is read as no request: {why}"),
    }
}

/// The message for a request, with its form. The message may be read as another request.
fn written<'s>(spec: &'s Spec, request: &Value) -> Option<(&'s RequestForm, HttpMessage)> {
    let forms = spec.http.as_deref()?;
    let types = &spec.types;
    let tag = tag_of(types.get(spec.program.request), request);
    let form = forms.requests.iter().find(|form| form.tag == tag)?;
    let field = |field: &FieldForm| match tag {
        Some(tag) => request.field(tag, field.index as u32),
        None => request.clone(),
    };
    let mut target = path_of(types, form, &field)?;
    let query: Vec<(&str, &TextPart)> = form.query.iter().map(|(name, part)| (name.as_str(), part)).collect();
    let query = match &form.whole_query {
        Some(whole) => text_of(types, whole.codec, whole.ty, &field(whole)).filter(|query| is_target_text(query))?,
        None => query_of(types, &query, &field)?,
    };
    if !query.is_empty() {
        target.push('?');
        target.push_str(&query);
    }
    let mut headers = match &form.other_headers {
        Some(others) => headers_of_map(&field(others), &names(form))?,
        None => Vec::new(),
    };
    for (name, part) in &form.headers {
        if let Some(text) = header_text(types, part, &field)? {
            if !may_be_said(name, &text) {
                return None;
            }
            headers.push((name.clone(), text.into_bytes()));
        }
    }
    let body = match &form.body {
        None => None,
        Some(body) => body_of(types, body, &field)?,
    };
    if let (Some(_), Some(kind)) = (&body, form.body.as_ref().and_then(content_type))
        && !form.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Content-Type"))
    {
        headers.push(("Content-Type".to_owned(), kind.as_bytes().to_vec()));
    }
    let head = HttpHead::Request { method: method_of(types, form, &field)?, target };
    Some((form, HttpMessage { head, headers, body, keeps_alive: true }))
}

/// The message, sent to a proxy if the form names a server: its target becomes a whole URL.
fn to_server(mut message: HttpMessage, authority: Option<&str>) -> HttpMessage {
    if let (HttpHead::Request { target, .. }, Some(authority)) = (&mut message.head, authority) {
        target.insert_str(0, &format!("http://{authority}"));
        if message.header("Host").is_none() {
            message.headers.insert(0, ("Host".to_owned(), authority.as_bytes().to_vec()));
        }
    }
    message
}

/// The method of requests of a form; none if the field's text is no method.
fn method_of(types: &Types, form: &RequestForm, field: &impl Fn(&FieldForm) -> Value) -> Option<String> {
    match &form.method {
        TextPart::Fixed(method) => Some(method.clone()),
        TextPart::Field(form) => {
            text_of(types, form.codec, form.ty, &field(form)).filter(|method| is_header_name(method))
        }
    }
}

/// The method of a request; none if the request has no form on the wire.
pub(super) fn method_of_request(spec: &Spec, request: &Value) -> Option<String> {
    let tag = tag_of(spec.types.get(spec.program.request), request);
    let form = spec.http.as_deref()?.requests.iter().find(|form| form.tag == tag)?;
    method_of(&spec.types, form, &|field: &FieldForm| match tag {
        Some(tag) => request.field(tag, field.index as u32),
        None => request.clone(),
    })
}

/// Tests whether a request determines all of its headers, so that the client must not add any.
#[must_use]
pub fn says_all_headers(spec: &Spec, request: &Value) -> bool {
    let tag = tag_of(spec.types.get(spec.program.request), request);
    let mut forms = spec.http.iter().flat_map(|http| &http.requests);
    forms.any(|form| form.tag == tag && form.other_headers.is_some())
}

/// Tests whether the line of a request names a header; the client must then not add this header.
#[must_use]
pub fn is_header_said(spec: &Spec, request: &Value, name: &str) -> bool {
    let tag = tag_of(spec.types.get(spec.program.request), request);
    let forms = spec.http.iter().flat_map(|forms| &forms.requests);
    forms.filter(|form| form.tag == tag).any(|form| form.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)))
}

/// The headers that a request line names.
fn names(form: &RequestForm) -> Vec<&str> {
    form.headers.iter().map(|(name, _)| name.as_str()).collect()
}

/// The constructor of a value; none if its type has none.
pub(super) fn tag_of(ty: &Type, value: &Value) -> Option<u32> {
    match (ty, value) {
        (Type::Enum(_) | Type::Struct(_), Value::Data { tag, .. }) => Some(*tag),
        _ => None,
    }
}

/// The content type for the content of a request, if the form determines it.
fn content_type(body: &BodyForm) -> Option<&'static str> {
    match body {
        BodyForm::Members(_) => Some("application/json"),
        BodyForm::Form(_) => Some("application/x-www-form-urlencoded"),
        BodyForm::Whole(form) => match form.codec {
            HttpCodec::Json => Some("application/json"),
            HttpCodec::Form => Some("application/x-www-form-urlencoded"),
            HttpCodec::Text => Some("text/plain; charset=utf-8"),
            _ => None,
        },
    }
}

fn path_of(types: &Types, form: &RequestForm, field: &impl Fn(&FieldForm) -> Value) -> Option<String> {
    let mut path = String::new();
    for part in &form.path {
        match part {
            TextPart::Fixed(text) => path.push_str(text),
            TextPart::Field(form) => {
                let text = text_of(types, form.codec, form.ty, &field(form)).filter(|text| !text.is_empty())?;
                path.extend(utf8_percent_encode(&text, ESCAPED));
            }
        }
    }
    if let Some(rest) = &form.rest {
        let rest = text_of(types, rest.codec, rest.ty, &field(rest))?;
        path.push_str(Some(rest).filter(|rest| is_target_text(rest) && !rest.contains('?'))?.as_str());
    }
    let is_plain = |segment: &str| segment != "." && segment != "..";
    path.split('/').all(is_plain).then_some(path)
}

/// Tests whether a text can stand in the target of a request as it is: visible ASCII characters without a fragment.
fn is_target_text(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

fn query_of(types: &Types, query: &[(&str, &TextPart)], field: &impl Fn(&FieldForm) -> Value) -> Option<String> {
    let mut texts = Vec::new();
    for (name, part) in query {
        match part {
            TextPart::Fixed(text) if text.is_empty() => texts.push((*name).to_owned()),
            TextPart::Fixed(text) => texts.push(format!("{name}={text}")),
            TextPart::Field(form) => {
                let text = form_text(types, std::iter::once((&*decoded(name), form, &field(form))))?;
                texts.extend(Some(text).filter(|text| !text.is_empty()));
            }
        }
    }
    Some(texts.join("&"))
}

/// The name or the value of a parameter without its percent-encoding, as the block may write `a%20b`.
fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// The text of a header: `Some(None)` if an option leaves it out, `None` if the value cannot be written.
#[expect(clippy::option_option, reason = "a header that cannot be written, and one that is not there")]
fn header_text(types: &Types, part: &TextPart, field: &impl Fn(&FieldForm) -> Value) -> Option<Option<String>> {
    let text = match part {
        TextPart::Fixed(text) => Some(text.clone()),
        TextPart::Field(form) => match (types.get(form.ty), field(form)) {
            (Type::Option(_), Value::Data { tag: 0, .. }) => None,
            (Type::Option(of), some) => Some(text_of(types, form.codec, *of, &some.field(1, 0))?),
            (_, value) => Some(text_of(types, form.codec, form.ty, &value)?),
        },
    };
    match text {
        Some(text) => is_header_text(&text).then_some(Some(text)),
        None => Some(None),
    }
}

/// The content of a request: `Some(None)` if there is none, `None` if the value cannot be written.
#[expect(clippy::option_option, reason = "content that cannot be written, and none")]
fn body_of(types: &Types, body: &BodyForm, field: &impl Fn(&FieldForm) -> Value) -> Option<Option<Vec<u8>>> {
    let values =
        |members: &[(String, FieldForm)]| -> Vec<Value> { members.iter().map(|(_, form)| field(form)).collect() };
    match body {
        BodyForm::Whole(form) => match (types.get(form.ty), field(form)) {
            (Type::Option(_), Value::Data { tag: 0, .. }) => Some(None),
            (Type::Option(of), some) => content_of_request(types, form.codec, *of, &some.field(1, 0)).map(Some),
            (_, value) => content_of_request(types, form.codec, form.ty, &value).map(Some),
        },
        BodyForm::Members(members) => {
            let values = values(members);
            let members = members.iter().zip(&values).map(|((name, form), value)| (name.as_str(), form, value));
            Some(Some(object(types, members).into_bytes()))
        }
        BodyForm::Form(members) => {
            let values = values(members);
            let members = members.iter().zip(&values).map(|((name, form), value)| (name.as_str(), form, value));
            form_text(types, members).map(|text| Some(text.into_bytes()))
        }
    }
}

/// The request that a message stands for.
///
/// # Errors
/// The message stands for no request: the status to answer with, and the reason.
pub fn request_of(spec: &Spec, message: &HttpMessage) -> Result<Value, (u16, String)> {
    let HttpHead::Request { method, target } = &message.head else { return Err((400, "this is no request".into())) };
    let Some(forms) = spec.http.as_deref() else { return Err((404, "there is no http block".into())) };
    let (path, query) = path_and_query(target);
    let content = ReadContent::Known(message.body.as_deref());
    let mut is_known = false;
    let mut flaw = None;
    let with_headers = |form| (form, constant_headers(form, message));
    let mut lines: Vec<(&RequestForm, _)> = forms.requests.iter().map(with_headers).collect();
    lines.sort_by_key(|(_, (there, missing))| (Reverse(there.len()), missing.len()));
    for (form, (_, missing)) in lines {
        let Some(texts) = fields_of_path(form, path) else { continue };
        is_known = true;
        if !has_method(form, method) {
            continue;
        }
        if let Some(name) = missing.into_iter().find(|name| !is_of_client(name)) {
            flaw.get_or_insert_with(|| format!("the header {name} is another one"));
            continue;
        }
        match read(&spec.types, form, &texts, query, message, content) {
            Ok(fields) => return Ok(request_with(form, fields)),
            Err(why) => flaw = Some(why),
        }
    }
    Err(match flaw {
        Some(why) => (400, why),
        None if is_known => (405, format!("no line of the http block is about {method} {path}")),
        None => (404, format!("no line of the http block is about the path {path}")),
    })
}

/// The constant headers of a form that a message has, and those that it does not have.
fn constant_headers<'f>(form: &'f RequestForm, message: &HttpMessage) -> (Vec<&'f str>, Vec<&'f str>) {
    let constants = form.headers.iter().filter_map(|(name, part)| match part {
        TextPart::Fixed(text) => Some((name.as_str(), text.as_str())),
        TextPart::Field(_) => None,
    });
    let is_it = |name: &str, text: &str, own: &str| match name.eq_ignore_ascii_case("Content-Type") {
        // Clients add a charset.
        true => own.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(text) || own == text,
        false => own == text,
    };
    let has = |(name, text): &(&str, &str)| message.header(name).is_some_and(|own| is_it(name, text, own.trim()));
    let (there, missing): (Vec<_>, Vec<_>) = constants.partition(has);
    let names = |headers: Vec<(&'f str, &'f str)>| headers.into_iter().map(|(name, _)| name).collect();
    (names(there), names(missing))
}

/// Tests whether a header is about the client and the form of contents, so that clients may send it as they like.
fn is_of_client(name: &str) -> bool {
    let free = ["Authorization", "Content-Type", "Cookie", "Origin", "Prefer", "Referer", "User-Agent"];
    let is_it = |free: &&str| free.eq_ignore_ascii_case(name);
    free.iter().any(is_it) || name.to_ascii_lowercase().starts_with("accept")
}

/// The requests that a message may stand for if its content is not known; what is taken from the content is a hole.
#[must_use]
pub fn requests_of_unknown_content(spec: &Spec, message: &HttpMessage) -> Vec<Value> {
    let HttpHead::Request { method, target } = &message.head else { return Vec::new() };
    let (path, query) = path_and_query(target);
    let forms = spec.http.iter().flat_map(|forms| &forms.requests).filter(|form| has_method(form, method));
    let is_other = |form: &RequestForm| constant_headers(form, message).1.into_iter().any(|name| !is_of_client(name));
    let asked = forms.filter(|form| !is_other(form)).filter_map(|form| {
        let texts = fields_of_path(form, path)?;
        let fields = read(&spec.types, form, &texts, query, message, ReadContent::Unknown).ok()?;
        Some(request_with(form, fields))
    });
    asked.collect()
}

/// The path and the query of a target; that of a request to a proxy is a whole URL.
fn path_and_query(target: &str) -> (&str, &str) {
    let target = match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => &rest[rest.find('/').unwrap_or(rest.len())..],
        _ => target,
    };
    target.split_once('?').unwrap_or((target, ""))
}

/// Tests whether requests of a form may have this method.
fn has_method(form: &RequestForm, method: &str) -> bool {
    !matches!(&form.method, TextPart::Fixed(own) if own != method)
}

/// The request of a form with these fields.
fn request_with(form: &RequestForm, mut fields: Vec<Value>) -> Value {
    let whole = if form.tag.is_none() { fields.pop() } else { None };
    whole.unwrap_or_else(|| Value::data(form.tag.unwrap_or_default(), fields))
}

/// The content of a request that is read.
#[derive(Clone, Copy)]
enum ReadContent<'m> {
    /// These bytes, or none.
    Known(Option<&'m [u8]>),
    /// Content that nobody recorded.
    Unknown,
}

/// The texts of the fields in a path, from left to right; none if the path does not match the form. The rest of the path is the last one.
fn fields_of_path(form: &RequestForm, mut path: &str) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    let parts = &form.path;
    for (at, part) in parts.iter().enumerate() {
        match part {
            TextPart::Fixed(text) => path = path.strip_prefix(text.as_str())?,
            TextPart::Field(_) => {
                let segment = path.find('/').unwrap_or(path.len());
                let end = match parts.get(at + 1) {
                    Some(TextPart::Fixed(next)) => {
                        path.match_indices(next.as_str()).map(|(at, _)| at).filter(|at| *at <= segment).last()?
                    }
                    _ => segment,
                };
                let text = percent_decode_str(&path[..end]).decode_utf8().ok()?.into_owned();
                texts.push(Some(text).filter(|text| !text.is_empty())?);
                path = &path[end..];
            }
        }
    }
    if form.rest.is_some() {
        texts.push(path.to_owned());
        return Some(texts);
    }
    path.is_empty().then_some(texts)
}

/// The values of the fields of a request, in their order.
fn read(
    types: &Types,
    form: &RequestForm,
    texts: &[String],
    query: &str,
    message: &HttpMessage,
    content: ReadContent<'_>,
) -> Result<Vec<Value>, String> {
    let mut fields: Vec<Option<Value>> = vec![None; form.fields];
    let in_path = form.path.iter().filter_map(|part| if let TextPart::Field(form) = part { Some(form) } else { None });
    for (field, text) in in_path.chain(&form.rest).zip(texts) {
        let value = value_of(types, field.codec, field.ty, text);
        fields[field.index] =
            Some(value.map_err(|expected| format!("expected {expected} in the path, found {text:?}"))?);
    }
    if let (TextPart::Field(field), HttpHead::Request { method, .. }) = (&form.method, &message.head) {
        let value = value_of(types, field.codec, field.ty, method);
        fields[field.index] =
            Some(value.map_err(|expected| format!("expected {expected} as the method, found {method:?}"))?);
    }
    if let Some(field) = &form.other_headers {
        fields[field.index] = Some(map_of_headers(message, &names(form)));
    }
    if let Some(whole) = &form.whole_query {
        fields[whole.index] = Some(Value::str(query));
    }
    for (name, part) in &form.query {
        match part {
            TextPart::Field(field) => {
                let wanted = [(decoded(name), field.clone())];
                fields[field.index] = values_of_form(types, &wanted, query)?.pop();
            }
            TextPart::Fixed(text) => {
                let mut given = form_urlencoded::parse(query.as_bytes());
                if !given.any(|(own, value)| own == decoded(name) && value == decoded(text)) {
                    return Err(format!("the query has no {name}={text}"));
                }
            }
        }
    }
    for (name, part) in &form.headers {
        if let TextPart::Field(field) = part {
            fields[field.index] = Some(value_of_header(types, field.codec, field.ty, name, message)?);
        }
    }
    read_content(types, form, content, &mut fields)?;
    fields.into_iter().collect::<Option<Vec<Value>>>().ok_or_else(|| "a field of the request is missing".to_owned())
}

/// Adds the values of the fields that are taken from the content of a request.
fn read_content(
    types: &Types,
    form: &RequestForm,
    content: ReadContent<'_>,
    fields: &mut [Option<Value>],
) -> Result<(), String> {
    let content = match content {
        ReadContent::Known(content) => content,
        ReadContent::Unknown => {
            of_content(form).for_each(|field| fields[field.index] = Some(Value::Any));
            return Ok(());
        }
    };
    match &form.body {
        None => {}
        Some(BodyForm::Whole(field)) => {
            // A request without `Content-Length` and `Transfer-Encoding` has no content; for a field of bytes this is the empty content.
            let is_octets = field.codec == HttpCodec::Raw && !matches!(types.get(field.ty), Type::Option(_));
            let body = content.or(is_octets.then_some(&[]));
            let value = value_of_body(types, field.codec, field.ty, body);
            fields[field.index] = Some(value.map_err(|why| format!("the content is none of the request: {why}"))?);
        }
        Some(BodyForm::Members(members)) => {
            let text = content.unwrap_or_default();
            for ((_, field), value) in members.iter().zip(values_of_object(types, members, text)?) {
                fields[field.index] = Some(value);
            }
        }
        Some(BodyForm::Form(members)) => {
            let text = String::from_utf8_lossy(content.unwrap_or_default());
            for ((_, field), value) in members.iter().zip(values_of_form(types, members, &text)?) {
                fields[field.index] = Some(value);
            }
        }
    }
    Ok(())
}

/// The fields that are taken from the content of a request.
fn of_content(form: &RequestForm) -> impl Iterator<Item = &FieldForm> {
    let (whole, members) = match &form.body {
        None => (None, None),
        Some(BodyForm::Whole(field)) => (Some(field), None),
        Some(BodyForm::Members(members) | BodyForm::Form(members)) => (None, Some(members)),
    };
    whole.into_iter().chain(members.into_iter().flatten().map(|(_, field)| field))
}

/// The values of the members of a JSON object, in the order of `wanted`; other members are ignored.
fn values_of_object(types: &Types, wanted: &[(String, FieldForm)], body: &[u8]) -> Result<Vec<Value>, String> {
    let text = std::str::from_utf8(body).map_err(|_| "the content is not UTF-8".to_owned())?;
    let found = members(text).map_err(|error| format!("the content is no JSON object: {error}"))?;
    let value = |(name, form): &(String, FieldForm)| {
        let text = found.iter().find(|(own, _)| own == name).map(|(_, text)| *text);
        match (types.get(form.ty), text) {
            (Type::Option(_), None) => Ok(Value::NONE),
            (_, None) => Err(format!("the member {name:?} is missing")),
            (_, Some(text)) => {
                decode_plain(types, form.ty, text).map_err(|error| format!("the member {name:?}: {error}"))
            }
        }
    };
    wanted.iter().map(value).collect()
}
