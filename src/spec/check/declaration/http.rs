//! The `http` block: its lines are checked against the types of requests and answers.
//!
//! Every request has a line, every answer has a line, and each field has a codec that fits its type. In `Get { key } => GET "/kv/{ky}";`
//! there is no field `ky`.

use super::http_flaws::http_flaws;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::context::Checker;
use crate::spec::check::report::{did_you_mean, helped, mistake};
use crate::spec::http::{
    AnswerForm, AnswerPart, AnswerSource, BodyForm, FieldForm, HttpCodec, HttpForms, RequestForm, TextPart, is_framing,
    is_header_name,
};
use crate::spec::types::{Type, TypeId, Types};
use crate::syntax::ast::{
    ExprKind, HttpAnswer, HttpAnswerLine, HttpBody, HttpField, HttpFields, HttpHeaderValue, HttpLine, HttpLineKind,
    HttpMethod, HttpRequestLine, HttpShape, HttpSource, HttpSourceKind, HttpStatus, HttpText, Name,
};

/// The beginning of a target that is a whole URL: the request goes to a proxy.
const WHOLE_URL: &str = "http://";

/// The part of a message that a field is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WirePlace {
    Path,
    Query,
    Header,
    Body,
    Status,
}

/// The names that a shape gives to the fields of a request, with the types of the fields, and for each name whether the line has used it.
struct BoundFields<'a> {
    names: Vec<(&'a Name, TypeId)>,
    used: Vec<bool>,
}

/// Checks an `http` block; its lines are skipped if the types of requests and answers are unknown.
pub(crate) fn http_forms(
    cx: &mut Checker,
    lines: &[HttpLine],
    block: Span,
    [request, response]: [TypeId; 2],
) -> HttpForms {
    let mut forms = HttpForms { requests: Vec::new(), answers: Vec::new() };
    if [request, response].iter().any(|ty| matches!(cx.types.get(*ty), Type::Error)) {
        return forms;
    }
    let errors = cx.errors();
    let (mut requests, mut answers) = (Vec::new(), Vec::new());
    for line in lines {
        match &line.kind {
            HttpLineKind::Request(written) => {
                let form = request_form(cx, written, request);
                if let Some(form) = form {
                    forms.requests.push(form);
                    requests.push(written);
                }
            }
            HttpLineKind::Answer(written) => {
                let form = answer_form(cx, written, line.span, [request, response]);
                if let Some(form) = form {
                    repeated_status(cx, &forms.answers, &form);
                    forms.answers.push(form);
                    answers.push(written);
                }
            }
        }
    }
    http_flaws(cx, &forms, &requests, &answers);
    if cx.errors() == errors {
        let said: Vec<Option<u32>> = forms.requests.iter().map(|form| form.tag).collect();
        missing(cx, request, &said, block, "no line says how the request `{}` looks on the wire");
        let said: Vec<Option<u32>> = forms.answers.iter().map(|form| form.tag).collect();
        missing(cx, response, &said, block, "no line gives the answer `{}`");
    }
    forms
}

/// Reports each variant of a type that has no line.
fn missing(cx: &mut Checker, ty: TypeId, said: &[Option<u32>], block: Span, words: &str) {
    let names: Vec<String> = match cx.types.get(ty) {
        Type::Enum(index) => cx.types.enums[*index as usize].variants.iter().map(|it| it.name.clone()).collect(),
        _ if said.is_empty() => vec![cx.types.name(ty)],
        _ => Vec::new(),
    };
    let is_enum = matches!(cx.types.get(ty), Type::Enum(_));
    for (tag, name) in names.iter().enumerate() {
        if !is_enum || !said.contains(&Some(tag as u32)) {
            let place = Span { end: block.start + "http".len() as u32, ..block };
            cx.report_missing(mistake(place, words.replace("{}", name), "expected a line for it in this block"));
        }
    }
}

/// Reports a second answer for one status.
fn repeated_status(cx: &mut Checker, before: &[AnswerForm], form: &AnswerForm) {
    let meets = |other: &&AnswerForm| {
        let is_alike = other.to.is_empty() == form.to.is_empty();
        let meets = form.to.is_empty() || form.to.iter().any(|tag| other.to.contains(tag));
        is_alike && meets && form.statuses.iter().any(|status| other.statuses.contains(status))
    };
    if let Some(other) = before.iter().find(meets) {
        let report = mistake(form.place, "a second line for this status", "expected one answer to each status");
        let report = report.also(other.place, "the first one is here");
        cx.report(report.help("`200 to Get => …` is an answer to the request `Get` only"));
    }
}

fn request_form(cx: &mut Checker, line: &HttpRequestLine, request: TypeId) -> Option<RequestForm> {
    let errors = cx.errors();
    let (tag, names) = constructor(cx, &line.shape, request)?;
    let mut bound = BoundFields { used: vec![false; names.len()], names };
    let method = method(cx, &mut bound, &line.method)?;
    let TargetForm { authority, path, rest, query, whole_query } = target(cx, &mut bound, &line.target);
    let to_proxy = string(&line.target).starts_with(WHOLE_URL);
    let mut headers = Vec::new();
    for header in &line.headers {
        let name = request_header_name(cx, &header.name, to_proxy);
        let value = match &header.value {
            HttpHeaderValue::Fixed(text) => TextPart::Fixed(string(text)),
            HttpHeaderValue::Field(field) => TextPart::Field(field_form(cx, &mut bound, field, WirePlace::Header)?),
        };
        headers.push((name, value));
    }
    let other_headers = match &line.other_headers {
        None => None,
        Some(name) => Some(other_headers(cx, &mut bound, name)?),
    };
    let body = match &line.body {
        None => None,
        Some(body) => Some(body_form(cx, &mut bound, body)?),
    };
    let is_said = |(_, used): &(_, &bool)| !**used && cx.errors() == errors;
    let unsaid: Vec<&Name> = bound.names.iter().zip(&bound.used).filter(is_said).map(|((name, _), _)| *name).collect();
    for name in unsaid {
        let message = format!("the line does not say where `{}` stands on the wire", name.text);
        cx.error(name.span, message, "expected it in the path, a header or the body");
    }
    let fields = bound.names.len();
    Some(RequestForm { tag, fields, method, authority, path, rest, query, whole_query, headers, other_headers, body })
}

fn method(cx: &mut Checker, bound: &mut BoundFields<'_>, written: &HttpMethod) -> Option<TextPart> {
    match written {
        HttpMethod::Is(name) => {
            if !name.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
                cx.error(name.span, format!("`{}` is no method", name.text), "expected a method, as in GET");
            }
            Some(TextPart::Fixed(name.text.clone()))
        }
        HttpMethod::Field(name) => {
            bound_field(cx, bound, &name.text, name.span, None, WirePlace::Path).map(TextPart::Field)
        }
    }
}

/// The field that holds all other headers.
fn other_headers(cx: &mut Checker, bound: &mut BoundFields<'_>, name: &Name) -> Option<FieldForm> {
    let index = bound_index(cx, bound, &name.text, name.span)?;
    let ty = bound.names[index].1;
    is_of_headers(cx, ty, name.span).then_some(FieldForm { index, ty, codec: HttpCodec::Text })
}

/// Checks that a type can hold all headers, and returns whether it can.
fn is_of_headers(cx: &mut Checker, ty: TypeId, span: Span) -> bool {
    let is_text = |ty: &TypeId| matches!(cx.types.get(*ty), Type::Str);
    let is_map = matches!(cx.types.get(ty), Type::Map(key, of) if is_text(key) && is_text(of));
    if !is_map {
        let message = format!("headers are a `map<string, string>`, not `{}`", cx.types.name(ty));
        cx.error(span, message, "expected a field of that type");
    }
    is_map
}

/// A constructor, and for each of its fields what a shape writes for it, with the field's type.
type NamedFields<'a, T> = (Option<u32>, Vec<(&'a T, TypeId)>);

/// The constructor of a line for requests, with the names that the line gives to the fields.
fn constructor<'a>(cx: &mut Checker, shape: &'a HttpShape<Name>, ty: TypeId) -> Option<NamedFields<'a, Name>> {
    if !matches!(cx.types.get(ty), Type::Enum(_) | Type::Struct(_)) {
        if let HttpFields::Unit = shape.fields {
            return Some((None, vec![(&shape.name, ty)]));
        }
        let message = format!("requests are of type `{}`, which has no fields", cx.types.name(ty));
        cx.error(shape.span, message, "expected a name for the whole request");
        return None;
    }
    let (tag, slots) = fields_of(cx, shape, ty)?;
    let names: Option<Vec<_>> = slots.into_iter().map(|(_, slot, ty)| Some((slot?, ty))).collect();
    match names {
        Some(names) => Some((Some(tag), names)),
        None => {
            cx.error(shape.span, "this line does not name all fields of the request", "expected a name for each field");
            None
        }
    }
}

/// A field: its name if it has one, what a shape writes for it, and its type.
type FieldSlot<'a, T> = (Option<String>, Option<&'a T>, TypeId);

/// The constructor that a shape names, with what the shape writes for each field.
fn fields_of<'a, T>(cx: &mut Checker, shape: &'a HttpShape<T>, ty: TypeId) -> Option<(u32, Vec<FieldSlot<'a, T>>)> {
    let known: Vec<String> = match cx.types.get(ty) {
        Type::Struct(index) => vec![cx.types.structs[*index as usize].name.clone()],
        Type::Enum(index) => cx.types.enums[*index as usize].variants.iter().map(|it| it.name.clone()).collect(),
        _ => Vec::new(),
    };
    let Some(tag) = known.iter().position(|name| *name == shape.name.text) else {
        let message = format!("`{}` is no constructor of `{}`", shape.name.text, cx.types.name(ty));
        let help = did_you_mean(&shape.name.text, known.iter().map(String::as_str));
        cx.report(helped(mistake(shape.name.span, message, "expected one of its constructors"), help));
        return None;
    };
    let fields: Vec<(Option<String>, TypeId)> =
        cx.types.fields(ty, tag as u32).iter().map(|(name, ty)| (name.map(str::to_owned), *ty)).collect();
    let slots = match &shape.fields {
        HttpFields::Unit => fields.into_iter().map(|(name, ty)| (name, None, ty)).collect(),
        HttpFields::Tuple(slots) => {
            if slots.len() != fields.len() || fields.iter().any(|(name, _)| name.is_some()) {
                let message = format!("`{}` does not have {} fields without names", shape.name.text, slots.len());
                cx.error(shape.span, message, "expected its fields");
                return None;
            }
            fields.into_iter().zip(slots).map(|((name, ty), slot)| (name, Some(slot), ty)).collect()
        }
        HttpFields::Record(slots) => {
            for (at, (name, _)) in slots.iter().enumerate() {
                let known = || fields.iter().filter_map(|(known, _)| known.as_deref());
                if !known().any(|known| known == name.text) {
                    let message = format!("`{}` has no field `{}`", shape.name.text, name.text);
                    let help = did_you_mean(&name.text, known());
                    cx.report(helped(mistake(name.span, message, "expected one of its fields"), help));
                    return None;
                }
                if slots[..at].iter().any(|(other, _)| other.text == name.text) {
                    cx.error(name.span, format!("a second `{}`", name.text), "expected each field once");
                }
            }
            let slot = |known: &Option<String>| {
                slots.iter().find(|(name, _)| known.as_deref() == Some(name.text.as_str())).map(|(_, slot)| slot)
            };
            fields.iter().map(|(name, ty)| (name.clone(), slot(name), *ty)).collect()
        }
    };
    Some((tag as u32, slots))
}

/// The target of a request line, as far as it is well-formed.
struct TargetForm {
    authority: Option<String>,
    path: Vec<TextPart>,
    rest: Option<FieldForm>,
    query: Vec<(String, TextPart)>,
    whole_query: Option<FieldForm>,
}

/// The path and the query of `"/kv/{key}?limit={limit}"`, or of `"/{path..}?{query..}"`.
fn target(cx: &mut Checker, bound: &mut BoundFields<'_>, written: &HttpText) -> TargetForm {
    let text = string(written);
    let (authority, text) = match text.strip_prefix(WHOLE_URL) {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (authority_of(cx, authority, written.span), path.to_owned())
        }
        None => (None, text),
    };
    let (path, query) = text.split_once('?').map_or((text.as_str(), None), |(path, query)| (path, Some(query)));
    if !path.starts_with('/') {
        cx.error(written.span, format!("the path `{path}` does not begin with `/`"), "expected a path, as in \"/kv\"");
    }
    if let Some(odd) = text.chars().find(|c| c.is_control() || matches!(c, ' ' | '#' | '"' | '<' | '>')) {
        cx.error(written.span, format!("`{}` cannot stand in a path", odd.escape_default()), "expected it as %XX");
    }
    let (path, rest) = without_rest(cx, bound, path, written.span);
    let (query, whole_query) = match query {
        Some(query) => without_rest(cx, bound, query, written.span),
        None => ("", None),
    };
    if whole_query.is_some() && !query.is_empty() {
        cx.error(written.span, "a parameter stands beside the whole query", "expected only `{query..}` after the `?`");
    }
    let parts = parts(cx, bound, path, written.span, WirePlace::Path);
    let adjacent = parts.windows(2).any(|two| matches!(two, [TextPart::Field(_), TextPart::Field(_)]));
    if adjacent {
        cx.error(written.span, "two fields stand next to each other in the path", "expected a text between them");
    }
    let mut parameters = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let mut found = self::parts(cx, bound, value, written.span, WirePlace::Query);
        match found.len() {
            0 => parameters.push((name.to_owned(), TextPart::Fixed(String::new()))),
            1 => parameters.push((name.to_owned(), found.remove(0))),
            _ => cx.error(
                written.span,
                format!("the value of the parameter `{name}` is neither a text nor a field"),
                "expected `name={field}`",
            ),
        }
    }
    TargetForm { authority, path: parts, rest, query: parameters, whole_query }
}

/// A text without the `{field..}` at its end, and this field.
fn without_rest<'t>(
    cx: &mut Checker,
    bound: &mut BoundFields<'_>,
    text: &'t str,
    span: Span,
) -> (&'t str, Option<FieldForm>) {
    let Some((before, name)) = text.strip_suffix("..}").and_then(|text| text.rsplit_once('{')) else {
        return (text, None);
    };
    let field = bound_field(cx, bound, name, span, None, WirePlace::Query);
    let field = field.filter(|field| {
        let is_string = matches!(cx.types.get(field.ty), Type::Str);
        if !is_string {
            let message = format!("`{name}` is no string");
            cx.error(span, message, "expected a field of the type `string` for all that follows");
        }
        is_string
    });
    (before, field)
}

/// The host and the port of `http://HOST:PORT/path`, or the constant that `http://{ORIGIN}/path` names.
fn authority_of(cx: &mut Checker, written: &str, span: Span) -> Option<String> {
    let text = match written.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        None => written.to_owned(),
        Some(name) => {
            let constant = cx.consts.iter().find(|constant| constant.name.text == name);
            let literal = constant.and_then(|constant| match &constant.value.kind {
                ExprKind::Text(text) => Some(String::from_utf8_lossy(&text.octets).into_owned()),
                _ => None,
            });
            let Some(text) = literal else {
                let message = format!("there is no constant `{name}` that is written as a string");
                cx.error(span, message, "expected HOST:PORT, or `{NAME}` for such a constant");
                return None;
            };
            text
        }
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    if text.is_empty() || !text.chars().all(is_plain) {
        cx.error(
            span,
            format!("`{text}` is no host with a port"),
            "expected HOST:PORT, as in \"http://localhost:80/\"",
        );
        return None;
    }
    Some(text)
}

/// The texts and fields of `a{f}b`.
fn parts(cx: &mut Checker, bound: &mut BoundFields<'_>, text: &str, span: Span, place: WirePlace) -> Vec<TextPart> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, braced)) = rest.split_once('{') {
        let Some((name, after)) = braced.split_once('}') else {
            cx.error(span, "a `{` is not closed", "expected `{field}`");
            return found;
        };
        if !before.is_empty() {
            found.push(TextPart::Fixed(before.to_owned()));
        }
        found.extend(bound_field(cx, bound, name, span, None, place).map(TextPart::Field));
        rest = after;
    }
    if !rest.is_empty() {
        found.push(TextPart::Fixed(rest.to_owned()));
    }
    found
}

fn field_form(cx: &mut Checker, bound: &mut BoundFields<'_>, field: &HttpField, place: WirePlace) -> Option<FieldForm> {
    bound_field(cx, bound, &field.name.text, field.name.span, field.codec.as_ref(), place)
}

fn bound_field(
    cx: &mut Checker,
    bound: &mut BoundFields<'_>,
    name: &str,
    span: Span,
    codec: Option<&Name>,
    place: WirePlace,
) -> Option<FieldForm> {
    let index = bound_index(cx, bound, name, span)?;
    let ty = bound.names[index].1;
    Some(FieldForm { index, ty, codec: fitting_codec(cx, codec, ty, span, place)? })
}

/// The index of a field by the name that the line gives to it; marks the name as used.
fn bound_index(cx: &mut Checker, bound: &mut BoundFields<'_>, name: &str, span: Span) -> Option<usize> {
    let Some(index) = bound.names.iter().position(|(known, _)| known.text == name) else {
        let help = did_you_mean(name, bound.names.iter().map(|(known, _)| known.text.as_str()));
        let message = format!("the line names no field `{name}`");
        cx.report(helped(mistake(span, message, "expected a field of the request that the line begins with"), help));
        return None;
    };
    if std::mem::replace(&mut bound.used[index], true) {
        cx.error(span, format!("`{name}` stands on the wire twice"), "expected each field once");
    }
    Some(index)
}

fn body_form(cx: &mut Checker, bound: &mut BoundFields<'_>, body: &HttpBody) -> Option<BodyForm> {
    let (codec, fields) = match body {
        HttpBody::Whole(field) => return field_form(cx, bound, field, WirePlace::Body).map(BodyForm::Whole),
        HttpBody::Members { codec, fields, .. } => (codec, fields),
    };
    let is_json = match codec.text.as_str() {
        "json" => true,
        "form" => false,
        other => {
            let message = format!("`{other}` does not write an object");
            cx.error(codec.span, message, "expected `json { … }` or `form { … }`");
            return None;
        }
    };
    let mut members = Vec::new();
    for name in fields {
        let place = if is_json { WirePlace::Body } else { WirePlace::Query };
        members.push((name.text.clone(), bound_field(cx, bound, &name.text, name.span, None, place)?));
    }
    Some(if is_json { BodyForm::Members(members) } else { BodyForm::Form(members) })
}

fn answer_form(
    cx: &mut Checker,
    line: &HttpAnswerLine,
    place: Span,
    [request, response]: [TypeId; 2],
) -> Option<AnswerForm> {
    let statuses = line.statuses.iter().map(|status| match status {
        HttpStatus::Is(number, _) => Some(*number),
        HttpStatus::Any(_) => None,
    });
    let statuses: Vec<Option<u16>> = statuses.collect();
    let mut to = Vec::new();
    for name in &line.to {
        match cx.types.variant(request, &name.text) {
            Some(tag) => to.push(tag),
            None => {
                let message = format!("`{}` is no request", name.text);
                cx.error(name.span, message, "expected a variant of the request type");
                return None;
            }
        }
    }
    let (tag, sources) = match &line.value {
        HttpAnswer::Source(source) => (None, vec![Some(source_form(cx, source, response)?)]),
        HttpAnswer::Shape(shape) => {
            let (tag, slots) = fields_of(cx, shape, response)?;
            let mut sources = Vec::new();
            for (name, slot, ty) in slots {
                sources.push(match slot {
                    Some(source) => Some(source_form(cx, source, ty)?),
                    None if matches!(cx.types.get(ty), Type::Option(_)) => None,
                    None => {
                        let name = name.unwrap_or_default();
                        let message = format!("the line does not say what the field `{name}` is taken from");
                        let report = mistake(shape.span, message, "expected all fields but options");
                        cx.report(report.help(format!("for example `{name}: body json` or `{name}: header \"Name\"`")));
                        return None;
                    }
                });
            }
            (Some(tag), sources)
        }
    };
    Some(AnswerForm { statuses, to, tag, sources, place })
}

fn source_form(cx: &mut Checker, source: &HttpSource, ty: TypeId) -> Option<AnswerSource> {
    let (part, codec, place) = match &source.kind {
        HttpSourceKind::Status => (AnswerPart::Status, None, WirePlace::Status),
        HttpSourceKind::Header { name, codec } => {
            (AnswerPart::Header(header_name(cx, name)), codec.as_ref(), WirePlace::Header)
        }
        HttpSourceKind::Headers => {
            let form = AnswerSource { part: AnswerPart::Headers, ty, codec: HttpCodec::Text };
            return is_of_headers(cx, ty, source.span).then_some(form);
        }
        HttpSourceKind::Body { codec } => (AnswerPart::Body, codec.as_ref(), WirePlace::Body),
    };
    let codec = fitting_codec(cx, codec, ty, source.span, place)?;
    Some(AnswerSource { part, ty, codec })
}

/// The codec for a type in a part of a message: the written one, or the usual one.
fn fitting_codec(
    cx: &mut Checker,
    written: Option<&Name>,
    ty: TypeId,
    span: Span,
    place: WirePlace,
) -> Option<HttpCodec> {
    let inner = match cx.types.get(ty) {
        Type::Option(of) if matches!(place, WirePlace::Query | WirePlace::Header | WirePlace::Body) => *of,
        _ => ty,
    };
    let codec = match written {
        None => usual(&cx.types, inner, place),
        Some(name) => match HttpCodec::ALL.into_iter().find(|codec| codec.name() == name.text) {
            Some(codec) => codec,
            None => {
                let known = HttpCodec::ALL.map(HttpCodec::name);
                let message = format!("there is no codec `{}`", name.text);
                let report = mistake(name.span, message, format!("expected one of {}", known.join(", ")));
                cx.report(helped(report, did_you_mean(&name.text, known.into_iter())));
                return None;
            }
        },
    };
    if place == WirePlace::Status && !matches!(cx.types.get(ty), Type::Int) {
        let message = format!("a status is an `int`, not `{}`", cx.types.name(ty));
        cx.report(mistake(span, message, "expected a field of type `int`"));
        return None;
    }
    match codec_types(&cx.types, codec, inner, place) {
        None => Some(codec),
        Some(expected) => {
            let name = cx.types.name(ty);
            cx.report(unfit(span, codec, &name, expected));
            None
        }
    }
}

fn unfit(span: Span, codec: HttpCodec, name: &str, expected: &str) -> Diagnostic {
    mistake(span, format!("`{}` does not write `{name}` here", codec.name()), format!("expected {expected}"))
}

/// The codec for a type if none is written.
fn usual(types: &Types, ty: TypeId, place: WirePlace) -> HttpCodec {
    match (place, types.get(ty)) {
        (WirePlace::Body, Type::Bytes) => HttpCodec::Raw,
        (WirePlace::Body, _) => HttpCodec::Json,
        (WirePlace::Query | WirePlace::Header, Type::List(_) | Type::Set(_)) => HttpCodec::List,
        (WirePlace::Path | WirePlace::Query | WirePlace::Header | WirePlace::Status, _) => HttpCodec::Text,
    }
}

/// The types that a codec can write, in words, if `ty` is none of them.
fn codec_types(types: &Types, codec: HttpCodec, ty: TypeId, place: WirePlace) -> Option<&'static str> {
    let (fits, expected) = match codec {
        HttpCodec::Text => (is_text(types, ty), "a string, an integer, a boolean, a token, or an enum of units"),
        HttpCodec::List => (is_list(types, ty, is_text), "a list or set of strings, integers, booleans or tokens"),
        HttpCodec::Date => (matches!(types.get(ty), Type::Int), "an `int`: seconds since 1970"),
        HttpCodec::Etag => {
            (tag_fields(types, ty).is_some(), "a token or string, or a struct of a `bool` (weak) and a token or string")
        }
        HttpCodec::Etags => {
            (tag_lists(types, ty).is_some(), "a list of entity tags, or an enum of a unit (for `*`) and such a list")
        }
        HttpCodec::Json => (place != WirePlace::Path && place != WirePlace::Query, "`json` in a header or body only"),
        HttpCodec::Raw => (matches!(types.get(ty), Type::Bytes | Type::Str), "`bytes` or a string"),
        HttpCodec::Form => {
            let fields = types.fields(ty, 0);
            let is_record = matches!(types.get(ty), Type::Struct(_));
            let is_part = |ty: TypeId| match types.get(inner(types, ty)) {
                Type::List(part) => is_text(types, *part),
                _ => is_text(types, inner(types, ty)),
            };
            (is_record && fields.iter().all(|(_, ty)| is_part(*ty)), "a struct of strings, integers and the like")
        }
    };
    let is_whole = matches!(codec, HttpCodec::Raw | HttpCodec::Form);
    if is_whole && place != WirePlace::Body {
        return Some("`raw` and `form` in a body only");
    }
    if fits { None } else { Some(expected) }
}

/// The type inside an option; other types stay as they are.
fn inner(types: &Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Option(of) => *of,
        _ => ty,
    }
}

fn is_text(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Int | Type::Bool | Type::Str | Type::Token(_) => true,
        Type::Enum(index) => types.enums[*index as usize].variants.iter().all(|variant| variant.fields.is_empty()),
        _ => false,
    }
}

fn is_list(types: &Types, ty: TypeId, of: impl Fn(&Types, TypeId) -> bool) -> bool {
    matches!(types.get(ty), Type::List(part) | Type::Set(part) if of(types, *part))
}

/// The fields of an entity tag of this type: the weak flag, if there is one, and the tag itself; none if the type is no entity tag.
pub(crate) fn tag_fields(types: &Types, ty: TypeId) -> Option<(Option<usize>, usize)> {
    let is_opaque = |ty: TypeId| matches!(types.get(ty), Type::Str | Type::Token(_));
    match types.get(ty) {
        Type::Struct(_) => match *types.fields(ty, 0) {
            [(_, a), (_, b)] if matches!(types.get(a), Type::Bool) && is_opaque(b) => Some((Some(0), 1)),
            [(_, a), (_, b)] if matches!(types.get(b), Type::Bool) && is_opaque(a) => Some((Some(1), 0)),
            _ => None,
        },
        _ => is_opaque(ty).then_some((None, 0)),
    }
}

/// The variants of a type of lists of entity tags: the variant for `*` and the variant that holds the list, if there are such, and the type
/// of the list; none for other types.
pub(crate) fn tag_lists(types: &Types, ty: TypeId) -> Option<(Option<u32>, Option<u32>, TypeId)> {
    let is_tags = |ty: TypeId| matches!(types.get(ty), Type::List(of) if tag_fields(types, *of).is_some());
    if is_tags(ty) {
        return Some((None, None, ty));
    }
    let Type::Enum(_) = types.get(ty) else { return None };
    let [a, b] = [types.fields_of_variant(ty, 0)?, types.fields_of_variant(ty, 1)?];
    match (a.as_slice(), b.as_slice(), types.fields_of_variant(ty, 2)) {
        ([], [list], None) if is_tags(*list) => Some((Some(0), Some(1), *list)),
        ([list], [], None) if is_tags(*list) => Some((Some(1), Some(0), *list)),
        _ => None,
    }
}

fn header_name(cx: &mut Checker, written: &HttpText) -> String {
    let name = string(written);
    if !is_header_name(&name) {
        cx.error(written.span, format!("{name:?} is no name of a header"), "expected a name, as in \"If-Match\"");
    }
    name
}

/// The name of a header of requests; reports one that the client writes by itself.
fn request_header_name(cx: &mut Checker, written: &HttpText, to_proxy: bool) -> String {
    let name = header_name(cx, written);
    // A test of a proxy sets `Host` and `Connection` itself.
    let is_tested = to_proxy && ["Host", "Connection"].iter().any(|tested| name.eq_ignore_ascii_case(tested));
    if !is_tested && (is_framing(&name) || name.eq_ignore_ascii_case("Host")) {
        cx.error(written.span, format!("the header {name} is written by mayhap itself"), "expected another header");
    }
    name
}

fn string(text: &HttpText) -> String {
    String::from_utf8_lossy(&text.text.octets).into_owned()
}
