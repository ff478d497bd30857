//! The completion of unknown values under a model. Expanded parts are as the model says, and all others are the simplest of their
//! type.
//!
//! For example `"a"` was looked up in an unknown map. The map becomes `{"a": 5}` if the model has the value 5 there, otherwise
//! `{}`.

use rustc_hash::FxHashSet;

use super::Given;
use crate::process::Process;
use crate::scalar::{Int, Json, Scalar, Token};
use crate::solve::Model;
use crate::spec::{Type, TypeId, Types};
use crate::term::Term;
use crate::value::{Entry, Map, OpenItem, Truth, Unseen, Value};

/// The most elements of a list that were never looked at. Only a model that is free to choose makes a list longer.
const STRETCH: usize = 10_000;

/// A model, with the expanded parts of unknown values in a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion<'c> {
    /// The types.
    pub types: &'c Types,
    /// The values of the variables.
    pub model: &'c Model,
    /// The process, which has the table of expanded parts of unknown values.
    pub process: &'c Process,
}

impl Given {
    /// The choice under a model; `None` if it is in an arm that is not taken.
    pub(crate) fn under(&self, completion: &Completion<'_>, guard: Option<&Term>) -> Option<Given> {
        if guard.is_some_and(|guard| !completion.holds(guard)) {
            return None;
        }
        Some(match self {
            Given::Value(value) => Given::Value(completion.value(value)),
            Given::Element(value) => Given::Element(completion.value(value)),
            Given::Way(way) => Given::Way(*way),
        })
    }
}

impl Completion<'_> {
    /// The value under the model; parts that the model does not determine are the simplest of their types.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::Scalar(_) | Value::Absent | Value::Any => value.clone(),
            Value::Term(term) => self.model.eval_or_simplest(term).map_or_else(|| value.clone(), Value::Scalar),
            Value::Data { tag, .. } => {
                Value::data(*tag, value.fields().iter().map(|field| self.value(field)).collect::<Vec<_>>())
            }
            Value::List(list) => Value::list(list.iter().map(|element| self.value(element))),
            Value::Open(list) => {
                let mut elements = Vec::new();
                list.iter().for_each(|item| self.item(item, &mut elements));
                Value::list(elements)
            }
            Value::Map(map) => self.map(map),
            Value::Union(alternatives) => {
                let taken = alternatives.iter().find(|(guard, _)| self.holds(guard));
                taken.map_or(Value::Absent, |(_, value)| self.value(value))
            }
            Value::Unknown(unknown) => match self.process.unknowns.seen_of(unknown.id) {
                Some(seen) => self.value(seen),
                None => sample(self.types, TypeId::of_number(unknown.ty), 0),
            },
        }
    }

    /// Tests whether a condition holds under the model.
    pub fn holds(&self, condition: &Term) -> bool {
        self.model.eval_or_simplest(condition).and_then(|truth| truth.as_bool()) == Some(true)
    }

    fn item(&self, item: &OpenItem, elements: &mut Vec<Value>) {
        match item {
            OpenItem::One(value) => elements.push(self.value(value)),
            OpenItem::Maybe(optional) if self.holds(&optional.presence) => elements.push(self.value(&optional.value)),
            OpenItem::Maybe(_) => {}
            OpenItem::Rest(rest) => match self.process.unknowns.seen_of(rest.unknown.id) {
                Some(Value::Open(items)) => items.iter().for_each(|item| self.item(item, elements)),
                Some(_) => {}
                None => self.unseen(rest, elements),
            },
        }
    }

    fn unseen(&self, rest: &Unseen, elements: &mut Vec<Value>) {
        let length = self.model.eval_or_simplest(&rest.length);
        let length = length.as_ref().and_then(Scalar::as_int).and_then(Int::to_i64).unwrap_or(0);
        let list = TypeId::of_number(rest.unknown.ty);
        let of = self.types.parts(list).first().copied().unwrap_or(list);
        let length = usize::try_from(length).unwrap_or(0).min(STRETCH);
        elements.extend(std::iter::repeat_with(|| sample(self.types, of, 0)).take(length));
    }

    fn map(&self, map: &Map) -> Value {
        if map.is_known() {
            return Value::Map(map.clone());
        }
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut keys = FxHashSet::default();
        let mut take = |(key, entry): (&Value, &Entry)| {
            let key = self.value(key);
            if self.is_there(entry) && !keys.contains(&key) {
                entries.push((key.clone(), self.value(&entry.value)));
            }
            keys.insert(key);
        };
        // The last write under a key hides earlier ones.
        let written = map.pending().rev().filter(|(_, _, when)| self.is_true(when));
        written.for_each(|(key, entry, _)| take((key, entry.unwrap_or(&Entry::HIDDEN))));
        let mut own: Vec<_> = map.looked_at().collect();
        own.sort();
        own.into_iter().for_each(&mut take);
        let origin = map.base().and_then(|base| Some((base, self.process.unknowns.seen_of(base.unknown.id)?)));
        if let Some((base, Value::Map(origin))) = origin {
            let mut looked: Vec<_> = origin.looked_at().collect();
            looked.sort();
            looked.into_iter().for_each(&mut take);
            let others = origin.base().and_then(|base| base.others.as_ref());
            if others.is_some_and(|others| self.holds(others)) {
                entries.extend(self.another(TypeId::of_number(base.unknown.ty), &keys));
            }
        }
        Value::Map(Map::of(entries))
    }

    fn is_there(&self, entry: &Entry) -> bool {
        self.is_true(&entry.truth())
    }

    fn is_true(&self, truth: &Truth) -> bool {
        match truth {
            Truth::Known(truth) => *truth,
            Truth::Term(condition) => self.holds(condition),
        }
    }

    /// An entry with a key that is none of these.
    fn another(&self, map: TypeId, keys: &FxHashSet<Value>) -> Option<(Value, Value)> {
        let parts = self.types.parts(map);
        let key = (0..=keys.len()).map(|n| sample(self.types, parts[0], n)).find(|key| !keys.contains(key))?;
        Some((key, parts.get(1).map_or(Value::UNIT, |of| sample(self.types, *of, 0))))
    }
}

/// The nth value of a type, from the simplest on. If the type has infinitely many values, there is one for each n.
fn sample(types: &Types, ty: TypeId, n: usize) -> Value {
    let name = |prefix: &str| if n == 0 { String::new() } else { format!("{prefix}{n}") };
    match types.get(ty) {
        Type::Int => Value::from(n as i64),
        Type::Bool => Value::from(false),
        Type::Str => Value::str(&name("other")),
        Type::Bytes => Value::Scalar(Scalar::Bytes(name("other").as_bytes().into())),
        Type::Client => Value::Scalar(Scalar::Client(n as u64)),
        Type::Json if n == 0 => Value::Scalar(Scalar::Json(Json::null())),
        Type::Json => Value::Scalar(Scalar::Json(Json::number(&n.to_string()))),
        Type::Token(_) => Value::Scalar(Scalar::Token(Token::Text(format!("other{n}").into()))),
        Type::Option(of) if n > 0 && !types.is_finite(*of) => Value::some(sample(types, *of, n - 1)),
        Type::List(of) => Value::list(std::iter::repeat_with(|| sample(types, *of, 0)).take(n)),
        Type::Set(_) | Type::Map(..) => Value::Map(Map::default()),
        Type::Option(_) => Value::NONE,
        Type::Tuple(_) | Type::Struct(_) => fields(types, ty, 0, n),
        Type::Enum(at) => {
            let variants = 0..types.enums[*at as usize].variants.len() as u32;
            fields(types, ty, variants.min_by_key(|tag| rank(types, ty, *tag, n)).unwrap_or(0), n)
        }
        Type::Unit | Type::Error => Value::UNIT,
    }
}

fn fields(types: &Types, ty: TypeId, tag: u32, n: usize) -> Value {
    let parts = types.fields(ty, tag).into_iter();
    let deeper = |part: TypeId| if types.is_recursive(part) { n.saturating_sub(1) } else { n };
    Value::data(tag, parts.map(|(_, part)| sample(types, part, deeper(part))).collect::<Vec<_>>())
}

/// The order of variants: those without recursion come first, or, for later values, those with infinitely many values.
fn rank(types: &Types, ty: TypeId, tag: u32, n: usize) -> (bool, bool, u32) {
    let parts = types.fields(ty, tag);
    let recursive = parts.iter().any(|(_, part)| types.is_recursive(*part));
    let finite = parts.iter().all(|(_, part)| types.is_finite(*part));
    if n == 0 { (recursive, false, tag) } else { (finite, recursive, tag) }
}
