//! The place at which a long answer differs from the possible ones.
//!
//! ```text
//! ….Txn[2].Read.value: [41, 42]; possible: [42]
//! ….Value: …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa#aaaaa"; possible: …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
//! ```

use super::{SHOWN, one_of, shortened};
use crate::json::{decode_recorded, encode};
use crate::spec::{Spec, Type, TypeId};
use crate::value::Value;

/// The number of characters before a difference that are shown.
const BEFORE: usize = 30;

/// The difference between a rejected answer and the most similar possible ones, which are given as JSON. `None` if all answers
/// are short enough to be shown in full.
pub(super) fn of(spec: &Spec, answer: &Value, possible: &[String]) -> Option<String> {
    let response = spec.program.response;
    let is_short = |json: &str| json.chars().count() <= SHOWN;
    if is_short(&encode(&spec.types, response, answer)) && possible.iter().all(|json| is_short(json)) {
        return None;
    }
    let others: Vec<Value> =
        possible.iter().filter_map(|json| decode_recorded(&spec.types, response, json).ok()).collect();
    let differences = others.iter().map(|other| difference(spec, response, (answer, other)));
    let differences: Vec<DifferingPart<'_>> = differences.collect();
    let most = differences.iter().map(|difference| difference.path.len()).max()?;
    let first = differences.iter().find(|difference| difference.path.len() == most)?;
    let like = differences.iter().filter(|difference| difference.path == first.path);
    let text = |value: &Value| encode(&spec.types, first.ty, value);
    let (own, others) = (text(first.parts.0), like.map(|difference| text(difference.parts.1)).collect::<Vec<_>>());
    let same = others.iter().map(|other| in_common(&own, other)).min()?;
    if first.path.is_empty() && same < SHOWN - BEFORE {
        // The reason shows the beginning.
        return None;
    }
    let parts: Vec<String> = others.iter().map(|other| around(other, same)).collect();
    let place = if first.path.is_empty() { "at".to_owned() } else { format!("…{}:", first.path.concat()) };
    Some(format!("{place} {}; possible: {}", around(&own, same), one_of(&parts)?))
}

/// The number of characters with which both texts begin.
fn in_common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

/// The part of a text around a character, which is counted from 0.
fn around(text: &str, at: usize) -> String {
    if at < SHOWN - BEFORE {
        return shortened(text, SHOWN);
    }
    let rest: String = text.chars().skip(at - BEFORE).collect();
    format!("…{}", shortened(&rest, SHOWN))
}

/// The innermost part in which two values first differ.
struct DifferingPart<'v> {
    path: Vec<String>,
    ty: TypeId,
    parts: (&'v Value, &'v Value),
}

/// The innermost difference of two values of a type. Lists of equal length differ in an element, other lists as a whole.
fn difference<'v>(spec: &Spec, ty: TypeId, parts: (&'v Value, &'v Value)) -> DifferingPart<'v> {
    let types = &spec.types;
    let (steps, ty, parts) = match parts {
        (Value::Data { tag, .. }, Value::Data { tag: other, .. }) if tag == other => {
            let (fields, own) = (types.fields(ty, *tag), parts.0.fields());
            let differing = own.iter().zip(parts.1.fields()).position(|(a, b)| a != b);
            let Some((at, (name, of))) = differing.and_then(|at| Some((at, fields.get(at)?))) else {
                return DifferingPart { path: Vec::new(), ty, parts };
            };
            let variant = match types.get(ty) {
                Type::Enum(number) => Some(format!(".{}", types.enums[*number as usize].variants[*tag as usize].name)),
                _ => None,
            };
            let field = match name {
                Some(name) => Some(format!(".{name}")),
                None if own.len() > 1 => Some(format!("[{at}]")),
                None => None,
            };
            let steps: Vec<String> = variant.into_iter().chain(field).collect();
            (steps, *of, (&own[at], &parts.1.fields()[at]))
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() && a.iter().any(|a| !matches!(a, Value::Scalar(_))) => {
            let differing = a.iter().zip(b.iter()).enumerate().find(|(_, (a, b))| a != b);
            let (Some((at, parts)), Some(of)) = (differing, types.parts(ty).first().copied()) else {
                return DifferingPart { path: Vec::new(), ty, parts };
            };
            (vec![format!("[{at}]")], of, parts)
        }
        _ => return DifferingPart { path: Vec::new(), ty, parts },
    };
    let inner = difference(spec, ty, parts);
    DifferingPart { path: [steps, inner.path].concat(), ..inner }
}
