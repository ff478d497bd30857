//! The values that another one may be replaced by, and the tokens that a trace mentions.
//!
//! Of a type with few values these are all of them, where an integer, a string or a token is one of the trace or a new one; else those
//! that differ in one place. Example: `Found { documents: {"a"}, complete: true }` may become `Found { documents: {"a"}, complete: false }`
//! or `Found { documents: {}, complete: true }`.

use super::tasks::{Event, Events};
use super::*;

/// The scalars that values are made of.
#[derive(Clone, Default, Debug)]
pub struct Scalars {
    pub ints: BTreeSet<BigInt>,
    pub strings: BTreeSet<String>,
    pub tokens: BTreeSet<Value>,
}

impl Scalars {
    /// Takes up those of a value.
    fn add(&mut self, value: &Value) {
        match value {
            Value::Int(n) => _ = self.ints.insert(n.clone()),
            Value::Str(s) => _ = self.strings.insert(s.clone()),
            Value::Bytes(b) => _ = String::from_utf8(b.clone()).is_ok_and(|s| self.strings.insert(s)),
            Value::Token(_) => _ = self.tokens.insert(value.clone()),
            Value::Seq(values) => values.iter().for_each(|value| self.add(value)),
            Value::Map(map) => map.iter().for_each(|(key, value)| [key, value].into_iter().for_each(|v| self.add(v))),
            Value::Data(_, fields) => fields.values().for_each(|value| self.add(value)),
            Value::Bool(_) | Value::Hole | Value::Unit => {}
        }
    }

    /// Takes up new ones.
    fn add_new(&mut self) {
        let most = self.ints.last().cloned().unwrap_or_default();
        self.ints.insert(most + 1);
        self.strings.insert("another".to_owned());
        self.tokens.insert(Value::Token("\"another\"".to_owned()));
    }
}

impl<'a> Oracle<'a> {
    /// The values in an event, with their types.
    fn values(&self, event: &Event) -> Vec<Value> {
        match event {
            Event::Request(request) => vec![self.decode(request, self.request())],
            Event::Answer(answer) => vec![self.decode(answer, self.response())],
            Event::Called(key, request) => {
                let (key_type, request_type) = self.peer_types();
                vec![self.decode(key, Some(key_type)), self.decode(request, Some(request_type))]
            }
            Event::CallAnswered(Some(answer)) | Event::AnswerSent(answer) => {
                vec![self.decode(answer, Some(self.peer_response()))]
            }
            Event::CallAnswered(None) | Event::Hole | Event::Lost | Event::Closed | Event::Restart => Vec::new(),
        }
    }

    /// Knows the tokens of a trace.
    pub fn mention(&mut self, trace: &Events) {
        let mut tokens = Vec::new();
        trace.iter().flat_map(|(_, event)| self.values(event)).for_each(|value| value.tokens(&mut tokens));
        self.tokens = tokens;
    }

    /// The scalars of a trace, and new ones.
    pub fn scalars(&self, trace: &Events) -> Scalars {
        let mut scalars = Scalars::default();
        trace.iter().flat_map(|(_, event)| self.values(event)).for_each(|value| scalars.add(&value));
        scalars.add_new();
        scalars
    }

    /// The events that one which says something of the server may be replaced by; those with any other value, if these are no more
    /// than `few`.
    pub fn other_events(&self, event: &Event, scalars: &Scalars, few: usize) -> Vec<Event> {
        let others = |json: &Json, ty: Option<&'a TypeExpr>| -> Vec<Json> {
            let values = match ty {
                Some(ty) => self.variations(&self.decode(json, Some(ty)), ty, scalars, few),
                None => leaves("int", scalars),
            };
            values.iter().map(|value| self.encode(value, ty)).filter(|other| other != json).collect()
        };
        match event {
            Event::Answer(answer) => others(answer, self.response()).into_iter().map(Event::Answer).collect(),
            Event::Called(key, request) => {
                let (key_type, request_type) = self.peer_types();
                let keys = others(key, Some(key_type)).into_iter().map(|key| Event::Called(key, request.clone()));
                let requests = others(request, Some(request_type)).into_iter();
                keys.chain(requests.map(|request| Event::Called(key.clone(), request))).collect()
            }
            Event::CallAnswered(Some(answer)) => {
                let answers = others(answer, Some(self.peer_response())).into_iter().map(Some);
                answers.chain([None]).map(Event::CallAnswered).collect()
            }
            Event::AnswerSent(answer) => {
                others(answer, Some(self.peer_response())).into_iter().map(Event::AnswerSent).collect()
            }
            Event::Request(_) | Event::Hole | Event::Lost | Event::Closed | Event::CallAnswered(None) => Vec::new(),
            Event::Restart => Vec::new(),
        }
    }

    fn variations(&self, value: &Value, ty: &'a TypeExpr, scalars: &Scalars, few: usize) -> Vec<Value> {
        if let Some(all) = self.all_values(ty, scalars, few) {
            return all;
        }
        let of = |value: &Value, ty| self.variations(value, ty, scalars, few);
        let samples = |ty| self.samples(ty, scalars, 2);
        match (value, self.kind(ty)) {
            (Value::Data(..), TypeKind::Option(inner)) => {
                let some = match value {
                    Value::Data(name, fields) if name == "Some" => of(&fields["0"], inner),
                    _ => samples(inner),
                };
                some.into_iter().map(|value| Value::option(Some(value))).chain([Value::option(None)]).collect()
            }
            (Value::Seq(values), TypeKind::Tuple(types)) => {
                let at = |at: usize| of(&values[at], &types[at]).into_iter().map(move |other| (at, other));
                (0..values.len()).flat_map(at).map(|(at, other)| Value::Seq(with(values, at, [other]))).collect()
            }
            (Value::Seq(values), TypeKind::List(inner)) => {
                let at = |at: usize| of(&values[at], inner).into_iter().map(move |other| (at, other));
                let changed = (0..values.len()).flat_map(at).map(|(at, other)| with(values, at, [other]));
                let shorter = (0..values.len()).map(|at| with(values, at, []));
                let longer = samples(inner).into_iter().map(|other| [&values[..], &[other]].concat());
                changed.chain(shorter).chain(longer).map(Value::Seq).collect()
            }
            (Value::Map(map), kind) => self.other_maps(map, kind, scalars, few),
            (Value::Data(name, fields), TypeKind::Name(_)) => {
                let types = self.fields(Some(ty), None, name);
                let own = types.iter().flat_map(|(field, ty)| {
                    let others = of(&fields[field], ty).into_iter();
                    let put = move |other| fields.clone().into_iter().chain([(field.clone(), other)]).collect();
                    others.map(move |other| Value::Data(name.clone(), put(other)))
                });
                let is_other = |value: &Value| !matches!(value, Value::Data(other, _) if other == name);
                own.chain(self.samples(ty, scalars, 2).into_iter().filter(is_other)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The maps that differ in one element, and likewise the sets.
    fn other_maps(
        &self,
        map: &BTreeMap<Value, Value>,
        kind: &'a TypeKind,
        scalars: &Scalars,
        few: usize,
    ) -> Vec<Value> {
        let without = map.keys().map(|key| map.iter().filter(move |(other, _)| *other != key));
        let mut others: Vec<BTreeMap<Value, Value>> =
            without.map(|rest| rest.map(|(key, value)| (key.clone(), value.clone())).collect()).collect();
        let put = |key: Value, value: Value| map.clone().into_iter().chain([(key, value)]).collect();
        match kind {
            TypeKind::Set(element) => {
                others.extend(self.samples(element, scalars, few).into_iter().map(|key| put(key, Value::Unit)));
            }
            TypeKind::Map(key, value) => {
                let values = self.samples(value, scalars, 2);
                let keys = self.samples(key, scalars, few).into_iter();
                others.extend(keys.flat_map(|key| values.iter().map(move |value| put(key.clone(), value.clone()))));
            }
            _ => {}
        }
        others.into_iter().map(Value::Map).collect()
    }

    /// All values of a type, if they are no more than `few`.
    fn all_values(&self, ty: &'a TypeExpr, scalars: &Scalars, few: usize) -> Option<Vec<Value>> {
        let all = |ty| self.all_values(ty, scalars, few);
        let product = |types: Vec<&'a TypeExpr>| -> Option<Vec<Vec<Value>>> {
            types.into_iter().try_fold(vec![Vec::new()], |begun: Vec<Vec<Value>>, ty| {
                let more = all(ty)?;
                let is_few = begun.len() * more.len() <= few;
                let each = |begun: Vec<Value>| {
                    more.iter().map(move |x| [&begun[..], std::slice::from_ref(x)].concat()).collect()
                };
                is_few.then(|| begun.into_iter().flat_map(|begun| -> Vec<Vec<Value>> { each(begun) }).collect())
            })
        };
        let data = |name: &str, fields: Vec<(String, &'a TypeExpr)>| -> Option<Vec<Value>> {
            let (names, types): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
            let make = |values: Vec<Value>| Value::Data(name.to_owned(), names.iter().cloned().zip(values).collect());
            Some(product(types)?.into_iter().map(make).collect())
        };
        let values = match self.kind(ty) {
            TypeKind::Option(inner) => {
                let some = all(inner)?.into_iter().map(|value| Value::option(Some(value)));
                some.chain([Value::option(None)]).collect()
            }
            TypeKind::Tuple(types) => product(types.iter().collect())?.into_iter().map(Value::Seq).collect(),
            TypeKind::Name(name) => match self.item(&name.text) {
                Some(ItemKind::Struct { name, fields, .. }) => data(&name.text, record(fields))?,
                Some(ItemKind::Enum { variants, .. }) => {
                    let each: Option<Vec<_>> = variants.iter().map(|v| data(&v.name.text, payload(v))).collect();
                    each?.concat()
                }
                _ => leaves(&name.text, scalars),
            },
            TypeKind::List(_) | TypeKind::Set(_) | TypeKind::Map(..) | TypeKind::Error => return None,
        };
        (values.len() <= few).then_some(values)
    }

    /// Some values of a type: `most` of each of its variants.
    fn samples(&self, ty: &'a TypeExpr, scalars: &Scalars, most: usize) -> Vec<Value> {
        let of = |ty| self.samples(ty, scalars, most);
        // The n-th one has the n-th of each part.
        let rows = |types: Vec<&'a TypeExpr>| -> Vec<Vec<Value>> {
            let parts: Vec<Vec<Value>> = types.into_iter().map(of).collect();
            let count = parts.iter().map(Vec::len).max().unwrap_or(1);
            let is_possible = parts.iter().all(|part| !part.is_empty());
            let row = |n: usize| parts.iter().map(|part| part[n % part.len()].clone()).collect();
            (0..if is_possible { count } else { 0 }).map(row).collect()
        };
        let data = |name: &str, fields: Vec<(String, &'a TypeExpr)>| -> Vec<Value> {
            let (names, types): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
            let make = |values: Vec<Value>| Value::Data(name.to_owned(), names.iter().cloned().zip(values).collect());
            rows(types).into_iter().map(make).collect()
        };
        match self.kind(ty) {
            TypeKind::Option(inner) => {
                of(inner).into_iter().map(|value| Value::option(Some(value))).chain([Value::option(None)]).collect()
            }
            TypeKind::Tuple(types) => rows(types.iter().collect()).into_iter().map(Value::Seq).collect(),
            TypeKind::List(inner) => {
                of(inner).into_iter().map(|value| Value::Seq(vec![value])).chain([Value::Seq(Vec::new())]).collect()
            }
            TypeKind::Set(inner) => {
                let one = of(inner).into_iter().map(|value| Value::set(vec![value]));
                one.chain([Value::set(Vec::new())]).collect()
            }
            TypeKind::Map(..) => vec![Value::set(Vec::new())],
            TypeKind::Name(name) => match self.item(&name.text) {
                Some(ItemKind::Struct { name, fields, .. }) => data(&name.text, record(fields)),
                Some(ItemKind::Enum { variants, .. }) => {
                    variants.iter().flat_map(|v| data(&v.name.text, payload(v))).collect()
                }
                _ => leaves(&name.text, scalars).into_iter().take(most).collect(),
            },
            TypeKind::Error => Vec::new(),
        }
    }
}

/// The values of a type without parts.
fn leaves(name: &str, scalars: &Scalars) -> Vec<Value> {
    match name {
        "int" => scalars.ints.iter().cloned().map(Value::Int).collect(),
        "bool" => vec![Value::Bool(false), Value::Bool(true)],
        "string" => scalars.strings.iter().cloned().map(Value::Str).collect(),
        "bytes" => scalars.strings.iter().map(|s| Value::Bytes(s.clone().into_bytes())).collect(),
        "json" => scalars.tokens.iter().cloned().collect(),
        _ => scalars.tokens.iter().filter(|token| token.is_plain()).cloned().collect(),
    }
}

/// The values with others in the place of one.
fn with<const N: usize>(values: &[Value], at: usize, others: [Value; N]) -> Vec<Value> {
    [&values[..at], &others[..], &values[at + 1..]].concat()
}
