//! Internal choices as fresh variables (the `havoc` of Figure 3.1), for every type.

use std::sync::Arc;

use super::{Choice, Look};
use crate::scalar::{Int, Scalar, Sort};
use crate::spec::{Type, TypeId, Types};
use crate::term::{Term, Var};
use crate::value::{self, Entry, Keys, Map, Rest, Truth, Unknown, Value};

/// An unknown map with no more possible keys than this has an entry for each of them.
const KEYS_LIMIT: usize = 16;

/// Makes values of variables that were not there before.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fresh {
    /// The number of the last variable.
    pub last: u64,
}

impl Fresh {
    /// The value of a choice, made of fresh variables, and what restricts it.
    pub fn havoc(&mut self, types: &Types, choice: &Choice) -> (Value, Vec<Term>) {
        let mut restrictions = Vec::new();
        let value = match choice {
            Choice::Type(ty) => self.fresh_value(types, *ty, &mut restrictions),
            Choice::Alternatives(2) => Value::Term(self.variable(Sort::Bool)),
            Choice::Alternatives(n) => Value::Term(self.fresh_index(*n as usize, &mut restrictions)),
            Choice::Range(from, to) => self.fresh_between(from, to, &mut restrictions),
            Choice::Element(over, ty) => self.fresh_element(types, (over, *ty), &mut restrictions),
        };
        (value, restrictions)
    }

    /// A variable that was not there before.
    pub fn variable(&mut self, sort: Sort) -> Term {
        self.last += 1;
        Term::var(Var { id: self.last, sort })
    }

    /// A fresh integer from 0 to below n.
    fn fresh_index(&mut self, n: usize, restrictions: &mut Vec<Term>) -> Term {
        let index = self.variable(Sort::Int);
        restrictions.push(Term::le(&int(0), &index));
        restrictions.push(Term::lt(&index, &int(n)));
        index
    }

    fn fresh_between(&mut self, from: &Value, to: &Value, restrictions: &mut Vec<Term>) -> Value {
        let (Some(low), Some(high)) = (from.as_term(), to.as_term()) else { return Value::Absent };
        let chosen = self.variable(Sort::Int);
        restrictions.push(Term::le(&low, &chosen));
        restrictions.push(Term::lt(&chosen, &high));
        Value::Term(chosen)
    }

    /// An element of a collection of scalars; of an unknown one, anything of the type (see `Op::Within`).
    fn fresh_element(&mut self, types: &Types, (over, ty): (&Value, TypeId), restrictions: &mut Vec<Term>) -> Value {
        let chosen = self.fresh_value(types, ty, restrictions);
        if !matches!(over, Value::Map(map) if map.base().is_some()) {
            let within = value::member(&chosen, over).unwrap_or(Truth::Known(false));
            restrictions.push(within.term());
        }
        chosen
    }

    /// What an unknown value turns out to be, made of fresh variables, and what restricts it.
    pub(super) fn look(&mut self, types: &Types, look: &Look) -> (Value, Vec<Term>) {
        let mut restrictions = Vec::new();
        let value = match look {
            Look::Node(ty) => self.fresh_node(types, *ty, &mut restrictions),
            Look::Item(ty, length) => {
                let of = types.parts(*ty).first().copied().unwrap_or(*ty);
                let first = self.fresh_value(types, of, &mut restrictions);
                let length = Term::sub(length, &int(1));
                let rest = Value::Rest(Arc::new(Rest { unknown: self.unknown(*ty), length }));
                Value::sequence([first, rest].into_iter().collect())
            }
            Look::Entry(ty) => {
                let there = Value::Term(self.variable(Sort::Bool));
                let value = match types.get(*ty) {
                    Type::Map(_, of) => self.fresh_value(types, *of, &mut restrictions),
                    _ => Value::UNIT,
                };
                Value::data(0, [there, value, Value::Term(self.variable(Sort::Bool))])
            }
            Look::Others => Value::Term(self.variable(Sort::Bool)),
        };
        (value, restrictions)
    }

    /// A value with fresh variables in the place of each hole, and what restricts them.
    pub fn fill_holes(&mut self, types: &Types, ty: TypeId, value: &Value) -> (Value, Vec<Term>) {
        let mut restrictions = Vec::new();
        let filled = self.without_holes(types, ty, value, &mut restrictions);
        (filled, restrictions)
    }

    fn without_holes(&mut self, types: &Types, ty: TypeId, value: &Value, restrictions: &mut Vec<Term>) -> Value {
        let of = |at: usize| types.parts(ty).get(at).copied().unwrap_or(ty);
        match value {
            Value::Any => self.fresh_value(types, ty, restrictions),
            Value::Data { tag, .. } => {
                let fields = value.fields().iter().zip(types.fields(ty, *tag));
                let filled = fields.map(|(field, (_, ty))| self.without_holes(types, ty, field, restrictions));
                Value::data(*tag, filled.collect::<Vec<_>>())
            }
            Value::List(list) => {
                Value::list(list.iter().map(|element| self.without_holes(types, of(0), element, restrictions)))
            }
            Value::Map(map) => map.map_values(&mut |value| self.without_holes(types, of(1), value, restrictions)),
            Value::Scalar(_) | Value::Term(_) | Value::Open(_) | Value::Union(_) => value.clone(),
            Value::Unknown(_) | Value::Rest(_) | Value::Maybe(_) | Value::Absent => value.clone(),
        }
    }

    fn unknown(&mut self, ty: TypeId) -> Unknown {
        self.last += 1;
        Unknown { id: self.last, ty: ty.number() }
    }

    fn fresh_value(&mut self, types: &Types, ty: TypeId, restrictions: &mut Vec<Term>) -> Value {
        match types.get(ty) {
            Type::Unit => Value::UNIT,
            Type::Int => Value::Term(self.variable(Sort::Int)),
            Type::Bool => Value::Term(self.variable(Sort::Bool)),
            Type::Str => Value::Term(self.variable(Sort::Str)),
            Type::Bytes => Value::Term(self.variable(Sort::Bytes)),
            Type::Client => Value::Term(self.variable(Sort::Client)),
            Type::Json => Value::Term(self.variable(Sort::Json)),
            Type::Token(token) => Value::Term(self.variable(Sort::Token(*token))),
            Type::Option(inner) => {
                let some = self.variable(Sort::Bool);
                let inner = self.fresh_value(types, *inner, restrictions);
                value::union([(some.clone(), Value::some(inner)), (Term::not(&some), Value::NONE)])
            }
            Type::Struct(_) | Type::Enum(_) if types.is_recursive(ty) => Value::Unknown(self.unknown(ty)),
            Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) => self.fresh_node(types, ty, restrictions),
            Type::List(_) => {
                let length = self.variable(Sort::Int);
                restrictions.push(Term::le(&int(0), &length));
                let rest = Rest { unknown: self.unknown(ty), length };
                Value::sequence([Value::Rest(Arc::new(rest))].into_iter().collect())
            }
            Type::Set(key) | Type::Map(key, _) => self.fresh_map(types, ty, *key, restrictions),
            Type::Error => Value::Absent,
        }
    }

    /// A tuple, struct or enum, one constructor deep where it is recursive.
    fn fresh_node(&mut self, types: &Types, ty: TypeId, restrictions: &mut Vec<Term>) -> Value {
        let Type::Enum(at) = types.get(ty) else { return self.fresh_fields(types, ty, 0, restrictions) };
        let guards = self.fresh_guards(types.enums[*at as usize].variants.len(), restrictions);
        let mut alternatives = Vec::with_capacity(guards.len());
        for (tag, guard) in guards.into_iter().enumerate() {
            alternatives.push((guard, self.fresh_fields(types, ty, tag as u32, restrictions)));
        }
        value::union(alternatives)
    }

    /// An unknown map or set. One with few possible keys has an entry for each at once.
    fn fresh_map(&mut self, types: &Types, ty: TypeId, key: TypeId, restrictions: &mut Vec<Term>) -> Value {
        let unknown = self.unknown(ty);
        if !types.is_finite(key) {
            return Value::Map(Map::unknown(unknown, Keys::Endless, []));
        }
        let Some(keys) = types.values(key, KEYS_LIMIT) else {
            return Value::Map(Map::unknown(unknown, Keys::Finite, []));
        };
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            let (entry, conditions) = self.look(types, &Look::Entry(ty));
            restrictions.extend(conditions);
            entries.push((key, Entry::when(entry.field(0, 0).truth(), entry.field(0, 1))));
        }
        Value::Map(Map::unknown(unknown, Keys::Covered, entries))
    }

    fn fresh_fields(&mut self, types: &Types, ty: TypeId, tag: u32, restrictions: &mut Vec<Term>) -> Value {
        let fields = types.fields(ty, tag).into_iter();
        let fields: Vec<Value> = fields.map(|(_, ty)| self.fresh_value(types, ty, restrictions)).collect();
        Value::data(tag, fields)
    }

    /// Guards that exclude each other, one of which holds.
    fn fresh_guards(&mut self, n: usize, restrictions: &mut Vec<Term>) -> Vec<Term> {
        match n {
            0 => Vec::new(),
            1 => vec![Truth::Known(true).term()],
            2 => {
                let first = self.variable(Sort::Bool);
                let second = Term::not(&first);
                vec![first, second]
            }
            n => {
                let index = self.fresh_index(n, restrictions);
                (0..n).map(|at| Term::eq(&index, &int(at))).collect()
            }
        }
    }
}

fn int(value: usize) -> Term {
    Term::constant(Scalar::Int(Int::from(value as i64)))
}
