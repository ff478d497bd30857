//! Internal choices as fresh variables, for every type: the *havoc* of Figure 3.1 in Li's *Testing by Dualization*.

use std::sync::Arc;

use super::{Choice, Look};
use crate::limits;
use crate::scalar::{Int, Scalar, Sort};
use crate::spec::{Type, TypeId, Types};
use crate::term::{Term, Var};
use crate::value::{self, Entry, Keys, Map, OpenItem, Truth, Unknown, Unseen, Value};

/// A supply of fresh variables, and of values made of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fresh {
    /// The number of the last variable.
    pub last: u64,
}

/// The construction of one value of fresh variables, with the conditions that restrict these.
struct Making<'a> {
    fresh: &'a mut Fresh,
    types: &'a Types,
    restrictions: Vec<Term>,
    /// Set if the value is that of a hole of the recording, or a part of one.
    is_hole: bool,
}

impl Fresh {
    /// The value of a choice, made of fresh variables, and the conditions that restrict it.
    pub fn havoc(&mut self, types: &Types, choice: &Choice) -> (Value, Vec<Term>) {
        self.making(types, false, |making| match choice {
            Choice::Type(ty) => making.value(*ty),
            Choice::Alternatives(2) => Value::Term(making.fresh.variable(Sort::Bool)),
            Choice::Alternatives(n) => making.number(*n as usize),
            Choice::Range(from, to) => making.between(from, to),
            Choice::Element(over, ty) => making.element(over, *ty),
        })
    }

    /// An unknown value of each kind that a type has, with the conditions that restrict it: each variant of an enum is a kind.
    pub fn each_kind(&mut self, types: &Types, ty: TypeId) -> Vec<(Value, Vec<Term>)> {
        let Type::Enum(at) = types.get(ty) else { return vec![self.havoc(types, &Choice::Type(ty))] };
        let mut kinds = Vec::new();
        for (tag, variant) in types.enums[*at as usize].variants.iter().enumerate() {
            let field = |(_, ty): &(_, TypeId)| self.havoc(types, &Choice::Type(*ty));
            let (fields, known): (Vec<Value>, Vec<Vec<Term>>) = variant.fields.iter().map(field).unzip();
            kinds.push((Value::data(tag as u32, fields), known.concat()));
        }
        kinds
    }

    /// A part of an unknown value, made of fresh variables, and the conditions that restrict it.
    pub(super) fn look(&mut self, types: &Types, look: &Look) -> (Value, Vec<Term>) {
        let is_hole = match look {
            Look::Node(of) | Look::Item(of, _) | Look::Entry(of) | Look::Another(of) => of.is_hole,
            Look::Others => false,
        };
        self.making(types, is_hole, |making| match look {
            Look::Node(of) => making.node(TypeId::of_number(of.ty)),
            Look::Item(of, length) => making.item(TypeId::of_number(of.ty), length),
            Look::Entry(of) => making.entry(TypeId::of_number(of.ty)),
            Look::Another(of) => making.another(TypeId::of_number(of.ty)),
            Look::Others => Value::Term(making.fresh.variable(Sort::Bool)),
        })
    }

    /// A value with fresh variables in the place of its holes, and the conditions that restrict these.
    pub fn fill_holes(&mut self, types: &Types, ty: TypeId, value: &Value) -> (Value, Vec<Term>) {
        self.making(types, true, |making| making.without_holes(ty, value))
    }

    /// A known value whose maps and sets are unknown ones instead.
    pub fn with_unknown_maps(&mut self, types: &Types, ty: TypeId, value: &Value) -> Value {
        self.making(types, false, |making| making.without_maps(ty, value)).0
    }

    fn making(
        &mut self,
        types: &Types,
        is_hole: bool,
        make: impl FnOnce(&mut Making<'_>) -> Value,
    ) -> (Value, Vec<Term>) {
        let mut making = Making { fresh: self, types, restrictions: Vec::new(), is_hole };
        let value = make(&mut making);
        (value, making.restrictions)
    }

    /// A fresh variable.
    pub fn variable(&mut self, sort: Sort) -> Term {
        self.last += 1;
        Term::var(Var { id: self.last, sort })
    }
}

impl Making<'_> {
    fn unknown(&mut self, ty: TypeId) -> Unknown {
        self.fresh.last += 1;
        Unknown { id: self.fresh.last, ty: ty.number(), is_hole: self.is_hole }
    }

    fn value(&mut self, ty: TypeId) -> Value {
        let types = self.types;
        let mut variable = |sort: Sort| Value::Term(self.fresh.variable(sort));
        match types.get(ty) {
            Type::Unit => Value::UNIT,
            Type::Int => variable(Sort::Int),
            Type::Bool => variable(Sort::Bool),
            Type::Str => variable(Sort::Str),
            Type::Bytes => variable(Sort::Bytes),
            Type::Client => variable(Sort::Client),
            Type::Json => variable(Sort::Json),
            Type::Token(token) => variable(Sort::Token(*token)),
            Type::Option(inner) => {
                let some = self.fresh.variable(Sort::Bool);
                let inner = self.value(*inner);
                value::union([(some.clone(), Value::some(inner)), (Term::not(&some), Value::NONE)])
            }
            Type::Struct(_) | Type::Enum(_) if types.is_recursive(ty) => Value::Unknown(self.unknown(ty)),
            Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) => self.node(ty),
            Type::List(_) => {
                let length = self.fresh.variable(Sort::Int);
                self.restrictions.push(Term::le(&int(0), &length));
                let rest = Unseen { unknown: self.unknown(ty), length };
                Value::sequence([OpenItem::Rest(Arc::new(rest))].into_iter().collect())
            }
            Type::Set(key) | Type::Map(key, _) => self.map(ty, *key),
            Type::Error => Value::Absent,
        }
    }

    /// An integer from 0 to n - 1: n constants, each under its guard.
    fn number(&mut self, n: usize) -> Value {
        value::union(self.guards(n).into_iter().zip((0..).map(|number: i64| Value::from(number))))
    }

    fn between(&mut self, from: &Value, to: &Value) -> Value {
        let (Some(low), Some(high)) = (from.as_term(), to.as_term()) else { return Value::Absent };
        let chosen = self.fresh.variable(Sort::Int);
        self.restrictions.push(Term::le(&low, &chosen));
        self.restrictions.push(Term::lt(&chosen, &high));
        Value::Term(chosen)
    }

    /// An element of a collection; of an unknown one, any value of the type (`Op::Within` restricts it later).
    fn element(&mut self, over: &Value, ty: TypeId) -> Value {
        let chosen = self.value(ty);
        if !matches!(over, Value::Map(map) if map.base().is_some()) {
            let is_term = matches!(chosen, Value::Term(_));
            let within = if is_term { value::member(&chosen, over) } else { value::among(&chosen, over) };
            self.restrictions.push(within.unwrap_or(Truth::Known(false)).term());
        }
        chosen
    }

    /// The first element of a stretch that is not empty, and the stretch after it.
    fn item(&mut self, ty: TypeId, length: &Term) -> Value {
        let of = self.types.parts(ty).first().copied().unwrap_or(ty);
        let first = self.value(of);
        let length = Term::sub(length, &int(1));
        let rest = OpenItem::Rest(Arc::new(Unseen { unknown: self.unknown(ty), length }));
        Value::sequence([OpenItem::One(first), rest].into_iter().collect())
    }

    /// An entry of a map: its presence, its value, and the condition that the base has further keys.
    fn entry(&mut self, ty: TypeId) -> Value {
        let there = Value::Term(self.fresh.variable(Sort::Bool));
        let value = match self.types.get(ty) {
            Type::Map(_, of) => self.value(*of),
            _ => Value::UNIT,
        };
        Value::data(0, [there, value, Value::Term(self.fresh.variable(Sort::Bool))])
    }

    /// One more entry of a map: its key, its value, and the condition that the base has further keys.
    fn another(&mut self, ty: TypeId) -> Value {
        let key = self.types.parts(ty).first().copied().unwrap_or(ty);
        let (key, entry) = (self.value(key), self.entry(ty));
        Value::data(0, [key, entry.field(0, 1), entry.field(0, 2)])
    }

    fn without_maps(&mut self, ty: TypeId, value: &Value) -> Value {
        let types = self.types;
        match value {
            Value::Map(_) => self.value(ty),
            Value::Data { tag, fields: Some(fields), .. } => {
                let fields = fields.iter().zip(types.fields(ty, *tag));
                Value::data(*tag, fields.map(|(field, (_, ty))| self.without_maps(ty, field)).collect::<Vec<_>>())
            }
            Value::List(list) => {
                let of = types.parts(ty).first().copied().unwrap_or(ty);
                Value::list(list.iter().map(|element| self.without_maps(of, element)))
            }
            other => other.clone(),
        }
    }

    fn without_holes(&mut self, ty: TypeId, value: &Value) -> Value {
        let types = self.types;
        let of = |at: usize| types.parts(ty).get(at).copied().unwrap_or(ty);
        match value {
            Value::Any => self.value(ty),
            Value::Data { tag, .. } => {
                let fields = value.fields().iter().zip(types.fields(ty, *tag));
                let filled = fields.map(|(field, (_, ty))| self.without_holes(ty, field));
                Value::data(*tag, filled.collect::<Vec<_>>())
            }
            Value::List(list) => Value::list(list.iter().map(|element| self.without_holes(of(0), element))),
            Value::Map(map) => map.map_values(&mut |value| self.without_holes(of(1), value)),
            Value::Scalar(_) | Value::Term(_) | Value::Open(_) | Value::Union(_) => value.clone(),
            Value::Unknown(_) | Value::Absent => value.clone(),
        }
    }

    /// A tuple, struct or enum; nodes of recursive types inside stay unknown.
    fn node(&mut self, ty: TypeId) -> Value {
        let Type::Enum(at) = self.types.get(ty) else { return self.fields(ty, 0) };
        let guards = self.guards(self.types.enums[*at as usize].variants.len());
        let mut alternatives = Vec::with_capacity(guards.len());
        for (tag, guard) in guards.into_iter().enumerate() {
            alternatives.push((guard, self.fields(ty, tag as u32)));
        }
        value::union(alternatives)
    }

    /// An unknown map or set; with few possible keys it has an entry for each at once.
    fn map(&mut self, ty: TypeId, key: TypeId) -> Value {
        let unknown = self.unknown(ty);
        if !self.types.is_finite(key) {
            return Value::Map(Map::unknown(unknown, Keys::Endless, []));
        }
        let Some(keys) = self.types.values(key, limits::CASES) else {
            return Value::Map(Map::unknown(unknown, Keys::Finite, []));
        };
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            let entry = self.entry(ty);
            entries.push((key, Entry::when(entry.field(0, 0).truth(), entry.field(0, 1))));
        }
        if !self.is_hole {
            return Value::Map(Map::unknown(unknown, Keys::Covered, entries));
        }
        let mut map = Map::default();
        entries.into_iter().for_each(|(key, entry)| map.set_in_place(&key, Some(entry)));
        Value::Map(map)
    }

    fn fields(&mut self, ty: TypeId, tag: u32) -> Value {
        let fields: Vec<Value> = self.types.fields(ty, tag).into_iter().map(|(_, ty)| self.value(ty)).collect();
        Value::data(tag, fields)
    }

    /// Guards that exclude each other, and one of which holds: `#1 && #2`, `#1 && !#2` and `!#1` for three.
    ///
    /// The variables are the binary digits of the number of the guard that holds. A digit is left out of a guard if the digits before
    /// leave no other number.
    fn guards(&mut self, n: usize) -> Vec<Term> {
        let digits = n.next_power_of_two().trailing_zeros();
        let digits: Vec<(usize, Term)> =
            (0..digits).rev().map(|digit| (1 << digit, self.fresh.variable(Sort::Bool))).collect();
        let guard = |number: usize| {
            let is_open = |weight: usize| (number & !(weight - 1) | weight) < n;
            let open = digits.iter().filter(|(weight, _)| is_open(*weight));
            Term::and_all(open.map(|(weight, digit)| if number & weight == 0 { digit.clone() } else { digit.not() }))
        };
        (0..n).map(guard).collect()
    }
}

fn int(value: usize) -> Term {
    Term::constant(Scalar::Int(Int::from(value as i64)))
}
