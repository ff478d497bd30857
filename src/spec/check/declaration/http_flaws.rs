//! The flaws of a well-typed `http` block: duplicates, and fields that no message can carry.
//!
//! In `204 => Gone { why: body text };` the text would always be missing: an answer with the status 204 has no content.

use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::context::Checker;
use crate::spec::check::report::mistake;
use crate::spec::http::{
    AnswerForm, AnswerPart, AnswerSource, BodyForm, HttpForms, RequestForm, TextPart, is_header_text,
};
use crate::spec::types::Type;
use crate::syntax::ast::{
    HttpAnswer, HttpAnswerLine, HttpFields, HttpHeaderValue, HttpRequestLine, HttpSource, HttpSourceKind, HttpStatus,
    HttpText,
};

/// The report's words for a header that is named twice.
const HEADER: &str = "a second header";

/// Checks well-typed lines against their forms; both are in the order of the block.
pub(crate) fn http_flaws(
    cx: &mut Checker,
    forms: &HttpForms,
    requests: &[&HttpRequestLine],
    answers: &[&HttpAnswerLine],
) {
    for (at, (line, form)) in requests.iter().zip(&forms.requests).enumerate() {
        if let Some(first) = forms.requests[..at].iter().position(|other| other.tag == form.tag) {
            let message = format!("a second line for the request `{}`", line.shape.name.text);
            let report = mistake(line.shape.span, message, "expected one line for each request");
            cx.report(report.also(requests[first].shape.span, "the first one is here"));
        }
        request_flaws(cx, line, form);
    }
    alike(cx, forms, requests);
    for (line, form) in answers.iter().zip(&forms.answers) {
        answer_flaws(cx, line);
        missing_content(cx, line, form, &forms.requests);
    }
}

/// Warns of lines of different requests which nothing on the wire tells apart: only requests of the first one are read, and only
/// these are sent.
fn alike(cx: &mut Checker, forms: &HttpForms, requests: &[&HttpRequestLine]) {
    let kinds: Vec<RequestForm> = forms.requests.iter().map(on_the_wire).collect();
    for (at, (line, form)) in requests.iter().zip(&forms.requests).enumerate() {
        let is_like = |other: &usize| forms.requests[*other].tag != form.tag && kinds[*other] == kinds[at];
        if let Some(first) = (0..at).find(is_like) {
            let [own, other] = [line, requests[first]].map(|line| &line.shape.name.text);
            let message = format!("nothing tells the request `{own}` from `{other}` on the wire");
            let report = Diagnostic::warning(line.shape.span, message).label(format!("it is read as `{other}`"));
            let report = report.also(requests[first].shape.span, "the other one");
            cx.report(report.help("a path, a parameter, a constant header or a member of the content can differ"));
        }
    }
}

/// The look of a form on the wire, whatever its request and its fields are called.
fn on_the_wire(form: &RequestForm) -> RequestForm {
    let mut form = RequestForm { tag: None, fields: 0, authority: None, ..form.clone() };
    form.headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
    form.headers.sort_by(|(one, _), (other, _)| one.cmp(other));
    form.query.sort_by(|(one, _), (other, _)| one.cmp(other));
    let texts = form.path.iter_mut().chain([&mut form.method]);
    let texts = texts.chain(form.query.iter_mut().chain(&mut form.headers).map(|(_, part)| part));
    let of_texts = texts.filter_map(|part| match part {
        TextPart::Field(field) => Some(field),
        TextPart::Fixed(_) => None,
    });
    let wholes = [&mut form.rest, &mut form.whole_query, &mut form.other_headers].into_iter().flatten();
    of_texts.chain(wholes).for_each(|field| field.index = 0);
    match &mut form.body {
        Some(BodyForm::Whole(field)) => field.index = 0,
        Some(BodyForm::Members(members) | BodyForm::Form(members)) => {
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            members.iter_mut().for_each(|(_, field)| field.index = 0);
        }
        None => {}
    }
    form
}

fn request_flaws(cx: &mut Checker, line: &HttpRequestLine, form: &RequestForm) {
    let names = line.headers.iter().map(|header| (string(&header.name), header.name.span));
    twice(cx, names, HEADER, "expected each header once");
    for header in &line.headers {
        if let HttpHeaderValue::Fixed(text) = &header.value
            && !is_header_text(&string(text))
        {
            let message = format!("{:?} cannot stand in a header", string(text));
            cx.error(text.span, message, "expected printable ASCII without blanks at its ends");
        }
    }
    let (target, place) = (string(&line.target), line.target.span);
    let path = target.split('?').next().unwrap_or_default();
    if let Some(dots) = path.split('/').find(|part| matches!(*part, "." | "..")) {
        cx.error(place, format!("`{dots}` cannot be a part of a path"), "expected parts that clients do not leave out");
    }
    let is_field = |part: &TextPart| matches!(part, TextPart::Field(_));
    for (at, (name, part)) in form.query.iter().enumerate() {
        if name.contains(['{', '}']) {
            cx.error(place, format!("`{name}` is no name of a parameter"), "expected a name, as in `name={field}`");
        }
        let is_it = |(other, before): &(String, TextPart)| other == name && (is_field(part) || is_field(before));
        if form.query[..at].iter().any(is_it) {
            cx.error(place, format!("a second parameter `{name}`"), "expected each parameter once");
        }
    }
}

fn answer_flaws(cx: &mut Checker, line: &HttpAnswerLine) {
    let statuses = line.statuses.iter().map(|status| match status {
        HttpStatus::Is(number, span) => (number.to_string(), *span),
        HttpStatus::Any(span) => ("_".to_owned(), *span),
    });
    twice(cx, statuses, "a second", "expected each status once");
    let requests = line.to.iter().map(|name| (name.text.clone(), name.span));
    twice(cx, requests, "a second", "expected each request once");
    let headers = sources(line).filter_map(|source| match &source.kind {
        HttpSourceKind::Header { name, .. } => Some((string(name), source.span)),
        // The name of a header has no space, so this text is equal to no name.
        HttpSourceKind::Headers => Some(("all headers".to_owned(), source.span)),
        HttpSourceKind::Status | HttpSourceKind::Body { .. } => None,
    });
    twice(cx, headers, HEADER, "expected each header once");
}

/// Reports a field that needs content, although an answer of its line has none.
fn missing_content(cx: &mut Checker, line: &HttpAnswerLine, form: &AnswerForm, requests: &[RequestForm]) {
    let is_body = |source: &AnswerSource| source.part == AnswerPart::Body;
    let is_needed = |source: &AnswerSource| is_body(source) && !matches!(cx.types.get(source.ty), Type::Option(_));
    if !form.sources.iter().flatten().any(is_needed) {
        return;
    }
    let is_head =
        |tag: &u32| requests.iter().any(|form| form.tag == Some(*tag) && form.method == TextPart::Fixed("HEAD".into()));
    let why = if let Some(status) = form.statuses.iter().flatten().find(|status| matches!(status, 204 | 304)) {
        format!("an answer with the status {status} has no content")
    } else if form.to.iter().any(is_head) {
        "an answer to `HEAD` has no content".to_owned()
    } else {
        return;
    };
    let body = sources(line).find(|source| matches!(source.kind, HttpSourceKind::Body { .. }));
    if let Some(body) = body {
        let report: Diagnostic = mistake(body.span, why, "expected a field of an option type");
        cx.report(report);
    }
}

/// The message parts that the fields of an answer are taken from, as they are written.
fn sources(line: &HttpAnswerLine) -> impl Iterator<Item = &HttpSource> {
    let found: Vec<&HttpSource> = match &line.value {
        HttpAnswer::Source(source) => vec![source],
        HttpAnswer::Shape(shape) => match &shape.fields {
            HttpFields::Unit => Vec::new(),
            HttpFields::Tuple(sources) => sources.iter().collect(),
            HttpFields::Record(sources) => sources.iter().map(|(_, source)| source).collect(),
        },
    };
    found.into_iter()
}

/// Reports names that occur twice; the names of headers are compared without case.
fn twice(cx: &mut Checker, names: impl Iterator<Item = (String, Span)>, what: &str, expected: &str) {
    let mut seen: Vec<String> = Vec::new();
    for (name, place) in names {
        let is_it = |other: &String| if what == HEADER { other.eq_ignore_ascii_case(&name) } else { *other == name };
        if seen.iter().any(is_it) {
            cx.error(place, format!("{what} `{name}`"), expected);
        } else {
            seen.push(name);
        }
    }
}

fn string(text: &HttpText) -> String {
    String::from_utf8_lossy(&text.text.octets).into_owned()
}
