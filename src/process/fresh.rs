//! Internal choices as fresh variables (the `havoc` of Figure 3.1), for every type.

use super::Choice;
use crate::scalar::{Int, Scalar, Sort};
use crate::spec::{Type, TypeId, Types};
use crate::term::{Term, Var};
use crate::value::{self, Truth, Value};

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
            Choice::Alternatives(2) => Value::Term(self.fresh_term(Sort::Bool)),
            Choice::Alternatives(n) => Value::Term(self.fresh_index(*n as usize, &mut restrictions)),
            Choice::Range(from, to) => self.fresh_between(from, to, &mut restrictions),
            Choice::Element(over) => self.fresh_element(over, &mut restrictions),
        };
        (value, restrictions)
    }

    fn fresh_term(&mut self, sort: Sort) -> Term {
        self.last += 1;
        Term::var(Var { id: self.last, sort })
    }

    /// A fresh integer from 0 to below n.
    fn fresh_index(&mut self, n: usize, restrictions: &mut Vec<Term>) -> Term {
        let index = self.fresh_term(Sort::Int);
        restrictions.push(Term::le(&int(0), &index));
        restrictions.push(Term::lt(&index, &int(n)));
        index
    }

    fn fresh_between(&mut self, from: &Value, to: &Value, restrictions: &mut Vec<Term>) -> Value {
        let (Some(low), Some(high)) = (from.as_term(), to.as_term()) else { return Value::Absent };
        let chosen = self.fresh_term(Sort::Int);
        restrictions.push(Term::le(&low, &chosen));
        restrictions.push(Term::lt(&chosen, &high));
        Value::Term(chosen)
    }

    fn fresh_element(&mut self, over: &Value, restrictions: &mut Vec<Term>) -> Value {
        let elements = match over {
            Value::List(list) => list.iter().next().cloned(),
            Value::Map(map) => map.first_key().cloned(),
            _ => None,
        };
        let Some(sort) = elements.and_then(|element| element.as_term()).map(|term| term.sort()) else {
            restrictions.push(Term::constant(Scalar::Bool(false)));
            return Value::Absent;
        };
        let chosen = self.fresh_term(sort);
        match value::member(&Value::Term(chosen.clone()), over) {
            Ok(truth) => restrictions.push(truth.term()),
            Err(_) => restrictions.push(Term::constant(Scalar::Bool(false))),
        }
        Value::Term(chosen)
    }

    fn fresh_value(&mut self, types: &Types, ty: TypeId, restrictions: &mut Vec<Term>) -> Value {
        match types.get(ty) {
            Type::Unit => Value::UNIT,
            Type::Int => Value::Term(self.fresh_term(Sort::Int)),
            Type::Bool => Value::Term(self.fresh_term(Sort::Bool)),
            Type::Str => Value::Term(self.fresh_term(Sort::Str)),
            Type::Bytes => Value::Term(self.fresh_term(Sort::Bytes)),
            Type::Client => Value::Term(self.fresh_term(Sort::Client)),
            Type::Token(token) => Value::Term(self.fresh_term(Sort::Token(*token))),
            Type::Option(inner) => {
                let some = self.fresh_term(Sort::Bool);
                let inner = self.fresh_value(types, *inner, restrictions);
                value::union([(some.clone(), Value::some(inner)), (Term::not(&some), Value::NONE)])
            }
            Type::Tuple(parts) => self.fresh_fields(types, (0, parts), restrictions),
            Type::Struct(at) => {
                let fields: Vec<TypeId> = types.structs[*at as usize].fields.iter().map(|field| field.1).collect();
                self.fresh_fields(types, (0, &fields), restrictions)
            }
            Type::Enum(at) => {
                let variants = &types.enums[*at as usize].variants;
                let guards = self.fresh_guards(variants.len(), restrictions);
                let mut alternatives = Vec::with_capacity(variants.len());
                for (tag, (variant, guard)) in variants.iter().zip(guards).enumerate() {
                    let fields: Vec<TypeId> = variant.fields.iter().map(|field| field.1).collect();
                    alternatives.push((guard, self.fresh_fields(types, (tag as u32, &fields), restrictions)));
                }
                value::union(alternatives)
            }
            // Refused when a specification is loaded: collections that start unknown.
            Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Error => Value::Absent,
        }
    }

    fn fresh_fields(&mut self, types: &Types, (tag, fields): (u32, &[TypeId]), restrictions: &mut Vec<Term>) -> Value {
        let fields: Vec<Value> = fields.iter().map(|ty| self.fresh_value(types, *ty, restrictions)).collect();
        Value::data(tag, fields)
    }

    /// Guards that exclude each other, one of which holds.
    fn fresh_guards(&mut self, n: usize, restrictions: &mut Vec<Term>) -> Vec<Term> {
        match n {
            0 => Vec::new(),
            1 => vec![Truth::Known(true).term()],
            2 => {
                let first = self.fresh_term(Sort::Bool);
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
