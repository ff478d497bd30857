//! Values ⇄ the content of messages: JSON, texts, octets and form fields.

use crate::json::{decode_plain, encode_given, encode_plain, quoted};
use crate::scalar::{Scalar, Token};
use crate::spec::http::{FieldForm, HttpCodec};
use crate::spec::{Type, TypeId, Types};
use crate::value::Value;

use super::texts::{text_of, value_of};

/// The content for a value; none if the value has no form on the wire.
#[must_use]
pub(super) fn content_of(types: &Types, codec: HttpCodec, ty: TypeId, value: &Value) -> Option<Vec<u8>> {
    match (codec, value) {
        (HttpCodec::Json, _) => Some(encode_plain(types, ty, value).into_bytes()),
        (HttpCodec::Raw, Value::Scalar(Scalar::Bytes(octets))) => Some(octets.to_vec()),
        (HttpCodec::Raw, Value::Scalar(Scalar::Str(text) | Scalar::Token(Token::Text(text)))) => {
            Some(text.as_bytes().to_vec())
        }
        (HttpCodec::Form, Value::Data { .. }) => {
            let fields = record_fields(types, ty);
            let parts: Vec<(&str, &FieldForm, Value)> =
                fields.iter().map(|(name, form)| (name.as_str(), form, value.field(0, form.index as u32))).collect();
            form_text(types, parts.iter().map(|(name, form, value)| (*name, *form, value))).map(String::into_bytes)
        }
        _ => text_of(types, codec, ty, value).map(String::into_bytes),
    }
}

/// The content of a request for a value, as [`content_of`] has it, without members of JSON objects that are `None`.
#[must_use]
pub(super) fn content_of_request(types: &Types, codec: HttpCodec, ty: TypeId, value: &Value) -> Option<Vec<u8>> {
    match codec {
        HttpCodec::Json => Some(encode_given(types, ty, value).into_bytes()),
        _ => content_of(types, codec, ty, value),
    }
}

/// The value that content stands for.
///
/// # Errors
/// The content stands for no value of the type; the error says why.
pub(super) fn value_of_content(types: &Types, codec: HttpCodec, ty: TypeId, body: &[u8]) -> Result<Value, String> {
    if codec == HttpCodec::Raw && matches!(types.get(ty), Type::Bytes) {
        return Ok(Value::Scalar(Scalar::bytes(body)));
    }
    let text = std::str::from_utf8(body).map_err(|error| format!("it is not UTF-8 at byte {}", error.valid_up_to()))?;
    match codec {
        HttpCodec::Raw => Ok(Value::str(text)),
        HttpCodec::Json => decode_plain(types, ty, text).map_err(|error| error.to_string()),
        HttpCodec::Form => {
            let fields = record_fields(types, ty);
            let values = values_of_form(types, &fields, text)?;
            Ok(Value::data(0, values))
        }
        codec => value_of(types, codec, ty, text).map_err(|expected| format!("expected {expected}")),
    }
}

/// The fields of a struct as form fields.
fn record_fields(types: &Types, ty: TypeId) -> Vec<(String, FieldForm)> {
    let fields = types.fields(ty, 0);
    let form = |(index, (name, ty)): (usize, &(Option<&str>, TypeId))| {
        (name.unwrap_or_default().to_owned(), FieldForm { index, ty: *ty, codec: HttpCodec::Text })
    };
    fields.iter().enumerate().map(form).collect()
}

/// The form fields `a=1&b=2`: a `None` is left out, a list is one field for each element.
pub(super) fn form_text<'a>(
    types: &Types,
    fields: impl Iterator<Item = (&'a str, &'a FieldForm, &'a Value)>,
) -> Option<String> {
    let mut out = form_urlencoded::Serializer::new(String::new());
    for (name, form, value) in fields {
        for text in texts_of(types, form, value)? {
            out.append_pair(name, &text);
        }
    }
    Some(out.finish())
}

/// The texts of a form field: none for `None`, one for each element of a list.
fn texts_of(types: &Types, form: &FieldForm, value: &Value) -> Option<Vec<String>> {
    match types.get(form.ty) {
        Type::Option(of) => match value {
            Value::Data { tag: 0, .. } => Some(Vec::new()),
            some => texts_of(types, &FieldForm { ty: *of, ..form.clone() }, &some.field(1, 0)),
        },
        Type::List(of) => match value {
            Value::List(list) => list.iter().map(|part| text_of(types, HttpCodec::Text, *of, part)).collect(),
            _ => None,
        },
        _ => Some(vec![text_of(types, form.codec, form.ty, value)?]),
    }
}

/// The values of form fields, in the order of `fields`.
///
/// # Errors
/// A field is missing, or has no value of its type; the error says why.
pub(super) fn values_of_form(types: &Types, fields: &[(String, FieldForm)], text: &str) -> Result<Vec<Value>, String> {
    let given: Vec<(String, String)> = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
    let value = |(name, form): &(String, FieldForm)| {
        let texts: Vec<&str> = given.iter().filter(|(own, _)| own == name).map(|(_, text)| text.as_str()).collect();
        value_of_texts(types, form, &texts).map_err(|expected| format!("expected {expected} as `{name}`"))
    };
    fields.iter().map(value).collect()
}

/// The value of a form field that occurs with these texts.
fn value_of_texts(types: &Types, form: &FieldForm, texts: &[&str]) -> Result<Value, String> {
    match (types.get(form.ty), texts) {
        (Type::Option(_), []) => Ok(Value::NONE),
        (Type::Option(of), texts) => {
            value_of_texts(types, &FieldForm { ty: *of, ..form.clone() }, texts).map(Value::some)
        }
        (Type::List(of), texts) => {
            let values: Result<Vec<Value>, String> =
                texts.iter().map(|text| value_of(types, HttpCodec::Text, *of, text)).collect();
            values.map(Value::list)
        }
        (_, [text]) => value_of(types, form.codec, form.ty, text),
        (_, []) => Err("a value".to_owned()),
        (_, _) => Err("one value".to_owned()),
    }
}

/// A JSON object with these members; a `None` is left out, in them, too.
pub(super) fn object<'a>(types: &Types, members: impl Iterator<Item = (&'a str, &'a FieldForm, &'a Value)>) -> String {
    let mut out = String::from("{");
    for (name, form, value) in members {
        if matches!((types.get(form.ty), value), (Type::Option(_), Value::Data { tag: 0, .. })) {
            continue;
        }
        if out.len() > 1 {
            out.push_str(", ");
        }
        out.push_str(&quoted(name));
        out.push_str(": ");
        out.push_str(&encode_given(types, form.ty, value));
    }
    out.push('}');
    out
}
