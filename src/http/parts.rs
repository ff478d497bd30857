//! The value of a field that is taken from a header or from the content of a message.
//!
//! For example `ETag: "x"` as `header "ETag" as etag` is the tag `{weak: false, opaque: "x"}`; without the header, an option is `None`.

use crate::scalar::{Scalar, Token};
use crate::spec::http::HttpCodec;
use crate::spec::{Type, TypeId, Types};
use crate::value::Value;

use super::body::value_of_content;
use super::message::HttpMessage;
use super::texts::value_of;

/// The value of a field that is taken from a header; without the header, an option is `None`.
///
/// # Errors
/// The header has no value of the type; the error says why.
pub(super) fn value_of_header(
    types: &Types,
    codec: HttpCodec,
    ty: TypeId,
    name: &str,
    message: &HttpMessage,
) -> Result<Value, String> {
    let found = match (types.get(ty), message.header(name)) {
        (Type::Option(_), None) => return Ok(Value::NONE),
        (_, None) => return Err(format!("the header {name} is missing")),
        (_, Some(text)) => text,
    };
    let value = match types.get(ty) {
        // JSON writes `None` itself, as `null`.
        Type::Option(of) if codec != HttpCodec::Json => value_of(types, codec, *of, &found).map(Value::some),
        _ => value_of(types, codec, ty, &found),
    };
    value.map_err(|expected| format!("the header {name} is {found:?}, which is not {expected}"))
}

/// The value of a field that is taken from the content; without content, an option is `None`.
///
/// # Errors
/// The content has no value of the type; the error says why.
pub(super) fn value_of_body(types: &Types, codec: HttpCodec, ty: TypeId, body: Option<&[u8]>) -> Result<Value, String> {
    let is_json = codec == HttpCodec::Json;
    match (types.get(ty), body) {
        (Type::Option(_), None) => Ok(Value::NONE),
        (_, None) => Err("there is no content".to_owned()),
        (Type::Option(_), Some(body)) if is_json && body.trim_ascii().is_empty() => Ok(Value::NONE),
        // JSON writes `None` itself, as `null`.
        (Type::Option(of), Some(body)) if !is_json => value_of_content(types, codec, *of, body).map(Value::some),
        (_, Some(body)) => value_of_content(types, codec, ty, body),
    }
}

/// Tests whether two values are equal, except that a token `5` equals a token `"5"`: outside of JSON they are the same text.
pub(super) fn is_same_in_text(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Scalar(Scalar::Token(a)), Value::Scalar(Scalar::Token(b))) => match (a, b) {
            (Token::Text(text), Token::Number(number)) | (Token::Number(number), Token::Text(text)) => {
                number.to_string() == **text
            }
            (a, b) => a == b,
        },
        (Value::Data { tag: a, fields: Some(of_a), .. }, Value::Data { tag: b, fields: Some(of_b), .. }) => {
            a == b && of_a.len() == of_b.len() && of_a.iter().zip(of_b.iter()).all(|(a, b)| is_same_in_text(a, b))
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same_in_text(a, b))
        }
        (a, b) => a == b,
    }
}
