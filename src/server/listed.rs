//! The values that a specification lists for a field or a type, in a `generate` block or as a constant:
//! ``const `Note.due`: list<string> = ["2024-02-29", "2025-12-31"];``.
//!
//! A constant with the name of a field, after that of its struct or of its enum and variant, lists the values that are drawn for
//! the field, or for its elements if it is a collection. A `json` is written as its text, and a token as its name. The values of such
//! a constant are drawn besides others, those of a `generate` block instead of others.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Ranges, Server};
use crate::choice::Random;
use crate::json;
use crate::scalar::{Int, Scalar};
use crate::spec::generation::{GenerationPlace, ListForm, ListOf, MOST_LENGTH};
use crate::spec::{Spec, Type, TypeId, Types};
use crate::value::Value;

/// The most integers of a range that are listed one by one.
const RANGE: i64 = 1_000;
/// The number of integers that are listed of a longer range, besides those near its ends and near powers of two.
const SPREAD: i64 = 64;

/// The values that are listed for places.
#[derive(Debug, Default)]
pub(crate) struct ListedValues {
    /// The values of constants, by the names of fields.
    constants: FxHashMap<String, TypedList>,
    /// All values of constants, with their parts.
    all: FxHashSet<Value>,
    /// The lists of the `generate` block.
    generated: FxHashMap<(GenerationPlace, ListOf), Vec<Value>>,
    /// The weights of variants that have one, by their enum and their number.
    weights: FxHashMap<(TypeId, u32), u64>,
}

/// Values that are written as values of a type.
type TypedList = (TypeId, Vec<Value>);

/// The values that are listed for one place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PlaceList {
    pub values: Arc<[Value]>,
    /// Set if no other values are drawn.
    pub is_strict: bool,
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
                found.constants.insert(slot.name.clone(), (*of, list.iter().cloned().collect()));
            }
        }
        if let Some(generation) = &spec.generation {
            found.weights = generation.weights.iter().map(|(ty, tag, weight)| ((*ty, *tag), *weight)).collect();
            let listing = spec.listing().map(|listing| Server::new(listing, Ranges::default(), &mut Random::new(0)));
            let listing = listing.and_then(Result::ok).map_or_else(Vec::new, |listing| listing.state().to_vec());
            let mut variables = listing.iter();
            for list in &generation.lists {
                let values = match (list.form, variables.next()) {
                    (ListForm::List, Some(Value::List(list))) => list.iter().cloned().collect(),
                    (ListForm::Range, from) => integers(from, variables.next()),
                    _ => Vec::new(),
                };
                found.generated.insert((list.place.clone(), list.of), values);
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
        self.constants.is_empty() && self.generated.is_empty()
    }

    /// Tests whether a value is listed for some field by a constant, so that it says nothing about others.
    pub fn has(&self, value: &Value) -> bool {
        self.all.contains(value)
    }

    /// The values listed for a field of this name, or for its type, as values of the type; none if they are of another type.
    pub fn values(&self, types: &Types, name: Option<&str>, ty: TypeId) -> Option<PlaceList> {
        let of_field = name.and_then(|name| self.generated_for(types, GenerationPlace::Field(name.to_owned()), ty));
        let generated = of_field.or_else(|| self.generated_for(types, GenerationPlace::Type(ty), ty));
        if let Some(values) = generated {
            return Some(PlaceList { values, is_strict: true });
        }
        let (of, values) = self.constants.get(name?)?;
        Some(PlaceList { values: all_meant(types, *of, ty, values)?, is_strict: false })
    }

    fn generated_for(&self, types: &Types, place: GenerationPlace, ty: TypeId) -> Option<Arc<[Value]>> {
        let lists = self.generated.iter().filter(|((other, _), _)| *other == place);
        let mut fitting = lists.filter_map(|((_, of), values)| match of {
            ListOf::Values(of) => all_meant(types, *of, ty, values),
            ListOf::Lengths => None,
        });
        fitting.next()
    }

    /// The lengths listed for a field of this name, or for its type, in increasing order.
    pub fn lengths(&self, name: Option<&str>, ty: TypeId) -> Option<Arc<[usize]>> {
        let of_field = name.map(|name| (GenerationPlace::Field(name.to_owned()), ListOf::Lengths));
        let of_field = of_field.and_then(|place| self.generated.get(&place));
        let lengths = of_field.or_else(|| self.generated.get(&(GenerationPlace::Type(ty), ListOf::Lengths)))?;
        let known = lengths.iter().filter_map(|length| length.as_int()?.to_i64());
        let mut known: Vec<usize> = known.filter(|it| (0..=MOST_LENGTH).contains(it)).map(|it| it as usize).collect();
        known.sort_unstable();
        known.dedup();
        (!known.is_empty()).then(|| known.into())
    }

    /// Tests whether all values may be drawn.
    pub fn is_open(&self) -> bool {
        self.generated.is_empty() && self.weights.is_empty()
    }

    /// Tests whether any variant has a weight.
    pub fn weighs(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The weight of a variant of an enum; 1 if it has none.
    pub fn weight(&self, ty: TypeId, tag: u32) -> u64 {
        self.weights.get(&(ty, tag)).copied().unwrap_or(1)
    }
}

/// The integers of a range, in increasing order: all of them if they are few.
fn integers(from: Option<&Value>, to: Option<&Value>) -> Vec<Value> {
    let int = |value: Option<&Value>| value.and_then(Value::as_int).cloned();
    let (Some(from), Some(to)) = (int(from), int(to)) else { return Vec::new() };
    let length = to.sub(&from);
    let mut found: BTreeSet<Int> = BTreeSet::new();
    match length.to_i64().filter(|length| *length <= RANGE) {
        Some(length) => found.extend((0..length).map(|at| from.add(&Int::from(at)))),
        None => {
            let step = length.floor_div(&Int::from(SPREAD));
            let mut even = from.clone();
            while even < to {
                found.insert(even.clone());
                even = even.add(&step);
            }
            let mut power = Int::ONE;
            while power <= length {
                let near = [from.add(&power), to.sub(&power), power.clone(), power.neg()];
                found.extend(near.iter().flat_map(|near| [near.sub(&Int::ONE), near.clone(), near.add(&Int::ONE)]));
                power = power.add(&power);
            }
            found.retain(|int| *int >= from && *int < to);
        }
    }
    found.into_iter().map(|int| Value::Scalar(int.into())).collect()
}

/// The values of a type that listed values stand for; none unless each of them stands for one.
fn all_meant(types: &Types, of: TypeId, ty: TypeId, values: &[Value]) -> Option<Arc<[Value]>> {
    let values: Option<Vec<Value>> = values.iter().map(|value| meant(types, of, ty, value)).collect();
    values.filter(|values| !values.is_empty()).map(Arc::from)
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
