//! The values that a specification lists for a field: ``const `Note.due`: list<string> = ["2024-02-29", "2025-12-31"];``.
//!
//! A constant with the name of a field, after that of its struct or of its enum and variant, lists the values that are drawn for
//! the field, or for its elements if it is a collection. A `json` is written as its text, and a token as its name.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::json;
use crate::scalar::Scalar;
use crate::spec::{Spec, Type, TypeId, Types};
use crate::value::Value;

/// The values listed for fields, by the name of the constant.
#[derive(Debug, Default)]
pub(crate) struct ListedValues {
    lists: FxHashMap<String, (TypeId, Vec<Value>)>,
    /// All listed values, with their parts.
    all: FxHashSet<Value>,
}

impl ListedValues {
    /// The lists of a specification with these computed constants.
    pub fn of(spec: &Spec, computed: &[Value]) -> ListedValues {
        let mut found = ListedValues::default();
        let slots = &spec.program.slots[spec.program.state_slots()..];
        for (slot, value) in slots.iter().zip(computed) {
            let (Type::List(of), Value::List(list)) = (spec.types.get(slot.ty), value) else { continue };
            if slot.name.contains('.') {
                found.take(value);
                found.lists.insert(slot.name.clone(), (*of, list.iter().cloned().collect()));
            }
        }
        found
    }

    fn take(&mut self, value: &Value) {
        if let Value::List(list) = value {
            list.iter().for_each(|element| self.take(element));
        }
        self.all.insert(value.clone());
    }

    /// Tests whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Tests whether a value is listed for some field, so that it says nothing about others.
    pub fn has(&self, value: &Value) -> bool {
        self.all.contains(value)
    }

    /// The values listed for a field of this name, as values of a type; none if they are of another type.
    pub fn values(&self, types: &Types, name: &str, ty: TypeId) -> Option<Arc<[Value]>> {
        let (of, values) = self.lists.get(name)?;
        let values: Option<Vec<Value>> = values.iter().map(|value| meant(types, *of, ty, value)).collect();
        values.filter(|values| !values.is_empty()).map(Arc::from)
    }
}

/// The value of a type that a listed value stands for: itself, the JSON of its text, or the token of its text.
fn meant(types: &Types, listed: TypeId, ty: TypeId, value: &Value) -> Option<Value> {
    if listed == ty {
        return Some(value.clone());
    }
    match (types.get(listed), types.get(ty), value) {
        (Type::Str, Type::Json, Value::Scalar(Scalar::Str(text))) => json::decode_plain(types, ty, text).ok(),
        (Type::Str, Type::Token(_), Value::Scalar(Scalar::Str(text))) => Some(Value::Scalar(Scalar::token(text))),
        (Type::List(listed), Type::List(of), Value::List(list)) => {
            let parts: Option<Vec<Value>> = list.iter().map(|part| meant(types, *listed, *of, part)).collect();
            parts.map(Value::list)
        }
        _ => None,
    }
}

/// The beginning of the names of the fields of a struct, or of a variant of an enum: `Note`, or `Request.Put`.
pub(crate) fn owner(types: &Types, ty: TypeId, tag: u32) -> String {
    match types.get(ty) {
        Type::Struct(at) => types.structs[*at as usize].name.clone(),
        Type::Enum(at) => {
            let of = &types.enums[*at as usize];
            format!("{}.{}", of.name, of.variants[tag as usize].name)
        }
        _ => String::new(),
    }
}
