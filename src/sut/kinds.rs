//! Requests for trying a system: one of each kind.
//!
//! ```
//! use mayhap::{Spec, json::encode, sut::kinds::request_kinds};
//! let spec = Spec::from_text("enum Q { Get(string), Put { key: string, n: option<int> }, Clear }
//!     protocol p { request Q; response int; on q { reply 0; } }")?;
//! let texts = request_kinds(&spec).iter().map(|q| encode(&spec.types, spec.program.request, q)).collect::<Vec<_>>();
//! assert_eq!(texts, [r#"{"Get": "a"}"#, r#"{"Put": {"key": "a", "n": 1}}"#, r#""Clear""#]);
//! # Ok::<(), mayhap::error::SpecError>(())
//! ```

use crate::scalar::{Scalar, Token};
use crate::spec::Spec;
use crate::spec::types::{Type, TypeId, Types};
use crate::value::{Map, Value};

/// The depth at which lists are empty and options `None`, so that values stay finite.
const DEEP: usize = 4;

/// The requests for trying a system: one for each constructor, as small as possible.
#[must_use]
pub fn request_kinds(spec: &Spec) -> Vec<Value> {
    let (types, request) = (&spec.types, spec.program.request);
    let count = match types.get(request) {
        Type::Enum(index) => types.enums[*index as usize].variants.len(),
        _ => 1,
    };
    (0..count as u32).filter_map(|tag| sample(types, request, tag, 0)).collect()
}

/// A value of a type with this constructor; `None` if it has no finite value, or none that can be shown.
fn sample(types: &Types, id: TypeId, tag: u32, depth: usize) -> Option<Value> {
    let fields = |tag| {
        let fields = types.fields(id, tag);
        let samples = fields.iter().map(|(_, of)| part(types, *of, depth + 1));
        samples.collect::<Option<Vec<_>>>().map(|fields| Value::data(tag, fields))
    };
    Some(match types.get(id) {
        Type::Int => Value::from(1),
        Type::Bool => Value::from(false),
        Type::Str => Value::Scalar(Scalar::str("a")),
        Type::Bytes => Value::Scalar(Scalar::bytes(b"a")),
        Type::Token(_) => Value::Scalar(Scalar::Token(Token::Text("a".into()))),
        Type::Option(of) if depth < DEEP => part(types, *of, depth + 1).map_or(Value::NONE, Value::some),
        Type::Option(_) => Value::NONE,
        Type::List(of) if depth < DEEP => Value::list(part(types, *of, depth + 1)),
        Type::List(_) => Value::list([]),
        Type::Set(_) | Type::Map(..) => Value::Map(Map::of([])),
        Type::Tuple(_) | Type::Struct(_) => return fields(0),
        Type::Enum(_) => return if depth > 2 * DEEP { None } else { fields(tag) },
        Type::Client | Type::Json | Type::Unit | Type::Error => return None,
    })
}

/// A part of a value, with the first constructor that has a value.
fn part(types: &Types, id: TypeId, depth: usize) -> Option<Value> {
    let count = match types.get(id) {
        Type::Enum(index) => types.enums[*index as usize].variants.len() as u32,
        _ => 1,
    };
    if depth > 2 * DEEP { None } else { (0..count).find_map(|tag| sample(types, id, tag, depth)) }
}
