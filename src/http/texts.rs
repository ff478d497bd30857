//! Values ⇄ texts in paths, parameters and headers.
//!
//! For example the entity tag `{weak: true, opaque: "a"}` is `W/"a"`, and 784111777 as a date is `Sun, 06 Nov 1994 08:49:37 GMT`.

use std::time::{Duration, SystemTime};

use crate::scalar::{Int, Scalar, Token};
use crate::spec::check::{tag_fields, tag_lists};
use crate::spec::http::HttpCodec;
use crate::spec::{Type, TypeId, Types};
use crate::value::{Map, Value, elements};

/// The text for a value; none if the value has no form on the wire, such as a string with a line break in a header.
#[must_use]
pub(super) fn text_of(types: &Types, codec: HttpCodec, ty: TypeId, value: &Value) -> Option<String> {
    match codec {
        HttpCodec::Text => plain_text(types, ty, value),
        HttpCodec::List => {
            let part = part_type(types, ty)?;
            let texts: Option<Vec<String>> =
                parts(value)?.iter().map(|part_of| plain_text(types, part, part_of)).collect();
            texts.filter(|texts| texts.iter().all(|text| is_list_part(text))).map(|texts| texts.join(", "))
        }
        HttpCodec::Date => {
            let seconds = u64::try_from(value.as_int()?.to_i64()?).ok()?;
            // HTTP dates end with the year 9999.
            (seconds < 253_402_300_800)
                .then(|| httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)))
        }
        HttpCodec::Etag => tag_text(types, ty, value),
        HttpCodec::Etags => tags_text(types, ty, value),
        HttpCodec::Json => Some(crate::json::encode_plain(types, ty, value)),
        HttpCodec::Raw | HttpCodec::Form => None,
    }
}

/// The value that a text stands for.
///
/// # Errors
/// The text stands for no value of the type: a description of what was expected.
pub(super) fn value_of(types: &Types, codec: HttpCodec, ty: TypeId, text: &str) -> Result<Value, String> {
    match codec {
        HttpCodec::Text => plain_value(types, ty, text),
        HttpCodec::List => {
            let part = part_type(types, ty).ok_or("a list")?;
            let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
            let found: Result<Vec<Value>, String> = texts.map(|text| plain_value(types, part, text)).collect();
            found.map(|found| collection(types, ty, found))
        }
        HttpCodec::Date => {
            let time = time_of(text).ok_or("a date of HTTP")?;
            let seconds = time.duration_since(SystemTime::UNIX_EPOCH).map_err(|_| "a date after 1970".to_owned())?;
            Ok(Value::Scalar(Scalar::Int(Int::from(i64::try_from(seconds.as_secs()).unwrap_or(i64::MAX)))))
        }
        HttpCodec::Etag => {
            tag_value(types, ty, text.trim()).ok_or_else(|| "an entity tag, such as \"x\" or W/\"x\"".to_owned())
        }
        HttpCodec::Etags => {
            tags_value(types, ty, text).ok_or_else(|| "entity tags, such as \"x\", W/\"y\", or `*`".to_owned())
        }
        HttpCodec::Json => {
            crate::json::decode_plain(types, ty, text).map_err(|error| format!("JSON of the type ({error})"))
        }
        HttpCodec::Raw | HttpCodec::Form => Err("content".to_owned()),
    }
}

/// The time that an HTTP date stands for.
pub(super) fn time_of(date: &str) -> Option<SystemTime> {
    httpdate::parse_http_date(date).ok()
}

/// The elements of a list or set, if all are known.
fn parts(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(list) => Some(list.iter().cloned().collect()),
        Value::Map(_) => Some(elements(value).ok()?.into_iter().map(|(_, element)| element).collect()),
        _ => None,
    }
}

fn part_type(types: &Types, ty: TypeId) -> Option<TypeId> {
    match types.get(ty) {
        Type::List(part) | Type::Set(part) => Some(*part),
        _ => None,
    }
}

fn collection(types: &Types, ty: TypeId, found: Vec<Value>) -> Value {
    match types.get(ty) {
        Type::Set(_) => Value::Map(Map::of(found.into_iter().map(|value| (value, Value::UNIT)))),
        _ => Value::list(found),
    }
}

/// Tests whether a text can be an element of a comma-separated list.
fn is_list_part(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains(',')
}

/// The text for a scalar or a variant without fields.
fn plain_text(types: &Types, ty: TypeId, value: &Value) -> Option<String> {
    Some(match (value, types.get(ty)) {
        (Value::Scalar(Scalar::Int(int)), _) => int.to_string(),
        (Value::Scalar(Scalar::Bool(bool)), _) => bool.to_string(),
        (Value::Scalar(Scalar::Str(text) | Scalar::Token(Token::Text(text))), _) => text.to_string(),
        (Value::Scalar(Scalar::Token(Token::Number(number))), _) => number.to_string(),
        (Value::Data { tag, .. }, Type::Enum(index)) => {
            types.enums[*index as usize].variants.get(*tag as usize)?.name.clone()
        }
        _ => return None,
    })
}

fn plain_value(types: &Types, ty: TypeId, text: &str) -> Result<Value, String> {
    Ok(match types.get(ty) {
        Type::Int => {
            let is_canonical = |int: &Int| int.to_string() == text;
            let int = Int::parse(text).filter(is_canonical).ok_or("an integer")?;
            Value::Scalar(Scalar::Int(int))
        }
        Type::Bool => Value::from(match text {
            "true" => true,
            "false" => false,
            _ => return Err("`true` or `false`".to_owned()),
        }),
        Type::Token(_) => Value::Scalar(Scalar::token(text)),
        Type::Enum(index) => {
            let variants = &types.enums[*index as usize].variants;
            let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
            let at = names.iter().position(|name| *name == text);
            Value::unit(at.ok_or_else(|| format!("one of {}", names.join(", ")))? as u32)
        }
        _ => Value::str(text),
    })
}

/// `"x"` or `W/"x"`
fn tag_text(types: &Types, ty: TypeId, value: &Value) -> Option<String> {
    let (weak, opaque) = tag_fields(types, ty)?;
    let field = |at: usize| value.field(0, at as u32);
    let is_record = matches!(types.get(ty), Type::Struct(_));
    let is_weak = weak.is_some_and(|at| field(at) == Value::from(true));
    let text = match if is_record { field(opaque) } else { value.clone() } {
        Value::Scalar(Scalar::Str(text) | Scalar::Token(Token::Text(text))) => text,
        _ => return None,
    };
    if let Some(weak) = text.strip_prefix("W/\"").and_then(|rest| rest.strip_suffix('"')).filter(|_| !is_record) {
        // A weak tag as a plain text includes its `W/`.
        return (!weak.contains('"')).then(|| text.to_string());
    }
    let is_opaque = text.chars().all(|c| c == '!' || ('#'..='~').contains(&c) || !c.is_ascii());
    is_opaque.then(|| format!("{}\"{text}\"", if is_weak { "W/" } else { "" }))
}

fn tag_value(types: &Types, ty: TypeId, text: &str) -> Option<Value> {
    let (weak, opaque) = tag_fields(types, ty)?;
    let of = |text: &str, ty: TypeId| match types.get(ty) {
        Type::Token(_) => Value::Scalar(Scalar::token(text)),
        _ => Value::str(text),
    };
    let (is_weak, quoted) = text.strip_prefix("W/").map_or((false, text), |rest| (true, rest));
    let inside = quoted.strip_prefix('"')?.strip_suffix('"').filter(|inside| !inside.contains('"'))?;
    let Type::Struct(_) = types.get(ty) else { return Some(of(if is_weak { text } else { inside }, ty)) };
    let part = of(inside, types.fields(ty, 0)[opaque].1);
    let mut fields = [part.clone(), part];
    fields[weak?] = Value::from(is_weak);
    Some(Value::data(0, fields))
}

/// `*`, or tags separated by commas
fn tags_text(types: &Types, ty: TypeId, value: &Value) -> Option<String> {
    let (any, listed, list) = tag_lists(types, ty)?;
    let tags = match value {
        Value::Data { tag, .. } if any == Some(*tag) => return Some("*".to_owned()),
        Value::Data { tag, .. } if listed == Some(*tag) => value.field(*tag, 0),
        other => other.clone(),
    };
    let part = part_type(types, list)?;
    let texts: Option<Vec<String>> = parts(&tags)?.iter().map(|tag| tag_text(types, part, tag)).collect();
    texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join(", "))
}

fn tags_value(types: &Types, ty: TypeId, text: &str) -> Option<Value> {
    let (any, listed, list) = tag_lists(types, ty)?;
    if text.trim() == "*" {
        return any.map(Value::unit);
    }
    let part = part_type(types, list)?;
    let (mut tags, mut rest) = (Vec::new(), text);
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            break;
        }
        let begin = rest.find('"')?;
        let end = begin + 1 + rest[begin + 1..].find('"')? + 1;
        tags.push(tag_value(types, part, &rest[..end])?);
        rest = &rest[end..];
        if !rest.trim_start().is_empty() && !rest.trim_start().starts_with(',') {
            return None;
        }
    }
    let tags = Value::list(tags);
    Some(match listed {
        Some(tag) => Value::data(tag, [tags]),
        None => tags,
    })
}
