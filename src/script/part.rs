//! Parts of typed values: the part at a path in JSON, the part at a place, and the smallest value of a type.
//!
//! For example, in the answer `Ok { value: "x", tag: Some(t) }` the path `@Ok@tag` leads to `Some(t)`, and so does the place 1.

use super::PathStep;
use crate::scalar::{Json, Scalar};
use crate::spec::types::{Type, TypeId, Types};
use crate::value::{Map, Value};

/// The part of a value at exactly this path, with its type.
pub(super) fn exact_part(types: &Types, ty: TypeId, value: &Value, path: &[PathStep]) -> Option<(TypeId, Value)> {
    let Some((step, rest)) = path.split_first() else { return Some((ty, value.clone())) };
    if let Type::Option(of) = types.get(ty) {
        return exact_part(types, *of, value.fields().first()?, path);
    }
    let Value::Data { tag, .. } = value else {
        let (of, element) = element_of(types, ty, value, step)?;
        return exact_part(types, of, &element, rest);
    };
    let fields = types.fields(ty, *tag);
    if let Type::Enum(at) = types.get(ty) {
        let PathStep::Field(name) = step else { return None };
        if types.enums[*at as usize].variants.get(*tag as usize).is_none_or(|variant| variant.name != *name) {
            return None;
        }
        return carried_part(types, &fields, value, rest);
    }
    let at = field_at(&fields, step)?;
    exact_part(types, fields[at].1, value.fields().get(at)?, rest)
}

/// The part of the fields of a variant.
fn carried_part(
    types: &Types,
    fields: &[(Option<&str>, TypeId)],
    value: &Value,
    path: &[PathStep],
) -> Option<(TypeId, Value)> {
    if let [(None, of)] = fields {
        return exact_part(types, *of, value.fields().first()?, path);
    }
    let (step, rest) = path.split_first()?;
    let at = field_at(fields, step)?;
    exact_part(types, fields[at].1, value.fields().get(at)?, rest)
}

/// The number of the field that a step of a path leads to.
fn field_at(fields: &[(Option<&str>, TypeId)], step: &PathStep) -> Option<usize> {
    match step {
        PathStep::Field(name) => fields.iter().position(|(own, _)| *own == Some(name.as_str())),
        PathStep::Element(number) => {
            number.checked_sub(1).filter(|at| fields.get(*at).is_some_and(|(name, _)| name.is_none()))
        }
    }
}

/// The element of a list, or the value under a key of a map.
fn element_of(types: &Types, ty: TypeId, value: &Value, step: &PathStep) -> Option<(TypeId, Value)> {
    match (types.get(ty), value, step) {
        (Type::List(of), Value::List(list), PathStep::Element(number)) => {
            Some((*of, list.get(number.checked_sub(1)?)?.clone()))
        }
        (Type::Map(key, of), Value::Map(map), PathStep::Field(name)) if *types.get(*key) == Type::Str => {
            let entry = map.plain_entry(&Value::str(name))??;
            Some((*of, entry.value.clone()))
        }
        _ => None,
    }
}

/// The type at the end of a path in messages of a type. The content of a `json` has no known type.
pub(super) enum PathEnd {
    /// The parts have this type.
    Of(TypeId),
    /// The type of the parts is not known.
    Open,
    /// No message has such a part.
    Nowhere,
}

/// The end of a path in messages of a type.
pub(super) fn path_end(types: &Types, ty: TypeId, path: &[PathStep]) -> PathEnd {
    let Some((step, rest)) = path.split_first() else { return PathEnd::Of(ty) };
    match (types.get(ty), step) {
        (Type::Json, _) | (Type::Map(..) | Type::Set(_), PathStep::Element(_)) => PathEnd::Open,
        (Type::Option(of), _) => path_end(types, *of, path),
        (Type::List(of), PathStep::Element(_)) => path_end(types, *of, rest),
        (Type::Map(_, of), PathStep::Field(_)) => path_end(types, *of, rest),
        (Type::Enum(at), PathStep::Field(name)) => {
            let variants = &types.enums[*at as usize].variants;
            let Some(tag) = variants.iter().position(|variant| variant.name == *name) else { return PathEnd::Nowhere };
            let fields = types.fields(ty, tag as u32);
            match (fields.as_slice(), rest.split_first()) {
                ([], None) => PathEnd::Nowhere,
                ([(None, of)], _) => path_end(types, *of, rest),
                (_, None) => PathEnd::Open,
                (fields, Some((step, rest))) => field_end(types, fields, step, rest),
            }
        }
        _ => field_end(types, &types.fields(ty, 0), step, rest),
    }
}

fn field_end(types: &Types, fields: &[(Option<&str>, TypeId)], step: &PathStep, rest: &[PathStep]) -> PathEnd {
    match field_at(fields, step) {
        Some(at) => path_end(types, fields[at].1, rest),
        None => PathEnd::Nowhere,
    }
}

/// Tests whether some JSON is a value of both types.
pub(super) fn may_agree(types: &Types, one: TypeId, other: TypeId) -> bool {
    if one == other {
        return true;
    }
    match (types.get(one), types.get(other)) {
        (Type::Option(of), _) => may_agree(types, *of, other),
        (_, Type::Option(of)) => may_agree(types, one, *of),
        (Type::Json, _) | (_, Type::Json) => true,
        (Type::List(a) | Type::Set(a), Type::List(b) | Type::Set(b)) => may_agree(types, *a, *b),
        (a, b) => {
            let (a, b) = (json_forms(a), json_forms(b));
            a.iter().any(|form| b.contains(form))
        }
    }
}

/// The kinds of JSON that values of a type may be: numbers, strings, truth values, arrays, objects.
fn json_forms(ty: &Type) -> &'static [char] {
    match ty {
        Type::Int => &['n', 's'],
        Type::Client => &['n'],
        Type::Bool => &['t'],
        Type::Str => &['s'],
        Type::Bytes => &['s', 'o'],
        Type::Token(_) => &['n', 's'],
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => &['a'],
        Type::Map(..) => &['a', 'o'],
        Type::Struct(_) => &['o'],
        Type::Enum(_) => &['s', 'o'],
        Type::Unit | Type::Error => &[],
        Type::Json | Type::Option(_) => &['n', 's', 't', 'a', 'o'],
    }
}

/// The type of the part at a place of a value.
pub(super) fn type_at(types: &Types, ty: TypeId, value: &Value, at: &[usize]) -> Option<TypeId> {
    let Some((first, rest)) = at.split_first() else { return Some(ty) };
    match (types.get(ty), value) {
        (Type::List(of), Value::List(list)) => type_at(types, *of, list.get(*first)?, rest),
        (Type::Map(_, of), Value::Map(map)) => {
            let entries = map.entries().ok()?;
            type_at(types, *of, &entries.get(*first)?.1.value, rest)
        }
        (_, Value::Data { tag, .. }) => {
            type_at(types, types.fields(ty, *tag).get(*first)?.1, value.fields().get(*first)?, rest)
        }
        _ => None,
    }
}

/// The value with the part at a place changed; an option stands for its content. `None` if there is no such place.
pub fn changed(
    types: &Types,
    ty: TypeId,
    value: &Value,
    at: &[usize],
    change: &mut dyn FnMut(TypeId, &Value) -> Value,
) -> Option<Value> {
    let is_option = matches!(types.get(ty), Type::Option(_));
    let Some((first, rest)) = at.split_first().filter(|(_, rest)| !is_option || !rest.is_empty()) else {
        return Some(change(ty, value));
    };
    match (types.get(ty), value) {
        (Type::List(of), Value::List(list)) => {
            let element = changed(types, *of, list.get(*first)?, rest, change)?;
            Some(Value::List(std::sync::Arc::new(list.update(*first, element))))
        }
        (Type::Map(_, of), Value::Map(map)) => {
            let entries = map.entries().ok()?;
            let new = changed(types, *of, &entries.get(*first)?.1.value, rest, change)?;
            let with = |(at, (key, entry)): (usize, &(&Value, &crate::value::Entry))| {
                ((*key).clone(), if at == *first { new.clone() } else { entry.value.clone() })
            };
            Some(Value::Map(Map::of(entries.iter().enumerate().map(with))))
        }
        (_, Value::Data { tag, .. }) => {
            let of = types.fields(ty, *tag).get(*first)?.1;
            let field = changed(types, of, value.fields().get(*first)?, rest, change)?;
            Some(value.with_fields(&[(*first as u32, field)]))
        }
        _ => None,
    }
}

/// A scalar in a value, with its path, and its place among the fields and elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScalarPart<'v> {
    /// The place: the numbers of fields and elements from the root, with a 0 for the value in an option.
    pub at: Vec<usize>,
    /// The path to the scalar in JSON.
    pub path: Vec<PathStep>,
    /// The scalar.
    pub scalar: &'v Scalar,
}

/// The scalars of a value, from left to right, without those in sets, and in maps whose keys are no strings.
#[must_use]
pub fn scalar_parts<'v>(types: &Types, ty: TypeId, value: &'v Value) -> Vec<ScalarPart<'v>> {
    let mut found = Vec::new();
    let mut todo = vec![(Vec::new(), Vec::new(), ty, value)];
    while let Some((at, path, ty, value)) = todo.pop() {
        let mut inner = Vec::new();
        let mut within = |index: usize, steps: &[PathStep], ty, value: &'v Value| {
            let place: Vec<usize> = at.iter().copied().chain([index]).collect();
            let path: Vec<PathStep> = path.iter().chain(steps).cloned().collect();
            inner.push((place, path, ty, value));
        };
        match (types.get(ty), value) {
            (_, Value::Scalar(scalar)) => found.push(ScalarPart { at, path, scalar }),
            (Type::List(of), Value::List(list)) => {
                (1..)
                    .zip(list.iter())
                    .for_each(|(number, part)| within(number - 1, &[PathStep::Element(number)], *of, part));
            }
            (Type::Map(key, of), Value::Map(map)) if *types.get(*key) == Type::Str => {
                for (index, (name, entry)) in map.entries().unwrap_or_default().into_iter().enumerate() {
                    let Value::Scalar(Scalar::Str(name)) = name else { continue };
                    within(index, &[PathStep::Field(name.to_string())], *of, &entry.value);
                }
            }
            (kind, Value::Data { tag, .. }) => {
                let fields = types.fields(ty, *tag);
                let variant = match kind {
                    Type::Enum(at) => types.enums[*at as usize].variants.get(*tag as usize),
                    _ => None,
                };
                let is_alone = matches!(kind, Type::Option(_)) || variant.is_some() && fields.len() == 1;
                for (index, ((name, of), part)) in fields.iter().zip(value.fields()).enumerate() {
                    let field = match name {
                        Some(name) => Some(PathStep::Field((*name).to_owned())),
                        None => (!is_alone).then_some(PathStep::Element(index + 1)),
                    };
                    let variant = variant.map(|variant| PathStep::Field(variant.name.clone()));
                    let steps: Vec<PathStep> = variant.into_iter().chain(field).collect();
                    within(index, &steps, *of, part);
                }
            }
            _ => {}
        }
        todo.extend(inner.into_iter().rev());
    }
    found
}

/// The smallest value of a type: 0, false, `None`, the first variant that can be finite.
#[must_use]
pub fn smallest(types: &Types, ty: TypeId) -> Value {
    // Each struct and enum has a finite value whose depth is at most the number of types.
    (0..=types.count()).find_map(|depth| smallest_within(types, ty, depth)).unwrap_or(Value::NONE)
}

fn smallest_within(types: &Types, ty: TypeId, depth: usize) -> Option<Value> {
    let fields = |tag: u32| {
        let fields = types.fields(ty, tag);
        let values = fields.iter().map(|(_, of)| smallest_within(types, *of, depth.checked_sub(1)?));
        values.collect::<Option<Vec<_>>>().map(|values| Value::data(tag, values))
    };
    match types.get(ty) {
        Type::Int => Some(Value::from(0)),
        Type::Bool => Some(Value::from(false)),
        Type::Str => Some(Value::str("")),
        Type::Bytes => Some(Value::Scalar(Scalar::bytes(&[]))),
        Type::Client => Some(Value::Scalar(Scalar::Client(1))),
        Type::Json => Some(Value::Scalar(Scalar::Json(Json::null()))),
        Type::Token(_) => Some(Value::Scalar(Scalar::token("t1"))),
        Type::Option(_) | Type::Unit | Type::Error => Some(Value::NONE),
        Type::List(_) => Some(Value::list([])),
        Type::Set(_) | Type::Map(..) => Some(Value::Map(Map::default())),
        Type::Tuple(_) | Type::Struct(_) => fields(0),
        Type::Enum(at) => (0..types.enums[*at as usize].variants.len() as u32).find_map(fields),
    }
}
