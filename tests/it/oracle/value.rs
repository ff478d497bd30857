//! The oracle's values and builtins: no types, no sharing, one representation for what compares equal.
//!
//! A set is a map to the unit (so `{}` is both), a tuple is a list, a struct is a variant of its own name, and
//! `Some(x)` is the variant `Some` with field `0`. Nothing here knows a type.
//!
//! Example: `{ "a": Tag { weak: true } }` is `Map {"a" -> Data("Tag", {"weak" -> true})}`.

use super::{Json, Run, Stop};
use mayhap::syntax::ast::BinaryOp;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;

/// A known value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    Bool(bool),
    Int(BigInt),
    Str(String),
    Bytes(Vec<u8>),
    /// Its JSON text, in which 5 and "5" differ; of the type `json`, any text.
    Token(String),
    /// A list or a tuple.
    Seq(Vec<Value>),
    /// What a set has under each of its elements.
    Unit,
    /// A map, or a set with every element mapped to `Unit`.
    Map(BTreeMap<Value, Value>),
    /// A struct or a variant; positional fields are called "0", "1" ..
    Data(String, BTreeMap<String, Value>),
    /// A part of an answer that is not known.
    Hole,
}

impl Value {
    pub fn int(n: usize) -> Value {
        Value::Int(n.into())
    }

    pub fn unit(name: &str) -> Value {
        Value::variant(name, Vec::new())
    }

    pub fn variant(name: &str, values: Vec<Value>) -> Value {
        Value::Data(name.to_owned(), values.into_iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect())
    }

    pub fn set(elements: Vec<Value>) -> Value {
        Value::Map(elements.into_iter().map(|v| (v, Value::Unit)).collect())
    }

    pub fn token(json: &Json) -> Value {
        Value::Token(json.to_string())
    }

    /// Whether the text of a token is one that a declared token type has, too: a string or a whole number.
    pub fn is_plain(&self) -> bool {
        matches!(self, Value::Token(text) if text.starts_with('"') || text.parse::<BigInt>().is_ok())
    }

    pub fn option(value: Option<Value>) -> Value {
        value.map_or(Value::unit("None"), |v| Value::variant("Some", vec![v]))
    }

    /// Whether an observed value can be this one, its holes filled (elements of sets and keys are never holes).
    pub fn shows(&self, observed: &Value) -> bool {
        match (self, observed) {
            (_, Value::Hole) => true,
            (Value::Seq(a), Value::Seq(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.shows(b)),
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((k, v), (l, w))| k == l && v.shows(w))
            }
            (Value::Data(a, fields), Value::Data(b, observed)) => {
                a == b && fields.iter().all(|(name, v)| observed.get(name).is_some_and(|w| v.shows(w)))
            }
            (value, observed) => value == observed,
        }
    }

    /// Adds the tokens in it to those that are known.
    pub fn tokens(&self, known: &mut Vec<Value>) {
        match self {
            Value::Token(_) if known.contains(self) => (),
            Value::Token(_) => known.push(self.clone()),
            Value::Seq(values) => values.iter().for_each(|v| v.tokens(known)),
            Value::Map(map) => map.iter().for_each(|(k, v)| [k, v].into_iter().for_each(|v| v.tokens(known))),
            Value::Data(_, fields) => fields.values().for_each(|v| v.tokens(known)),
            Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Bytes(_) | Value::Hole => (),
            Value::Unit => (),
        }
    }

    pub fn integer(self) -> BigInt {
        if let Value::Int(n) = self { n } else { panic!("{self:?} is no integer") }
    }

    /// The octets of a string or bytes.
    pub fn octets(&self) -> Option<&[u8]> {
        match self {
            Value::Str(s) => Some(s.as_bytes()),
            Value::Bytes(b) => Some(b),
            _ => None,
        }
    }

    /// The elements of a list, tuple or set (the keys of a map).
    pub fn elements(&self) -> Vec<Value> {
        match self {
            Value::Seq(values) => values.clone(),
            Value::Map(map) => map.keys().cloned().collect(),
            other => panic!("{other:?} has no elements"),
        }
    }

    /// What a loop runs over: the elements of a list or set, the pairs of a map.
    pub fn items(&self) -> Vec<Value> {
        let item = |(key, value): (&Value, &Value)| match value {
            Value::Unit => key.clone(),
            value => Value::Seq(vec![key.clone(), value.clone()]),
        };
        if let Value::Map(map) = self { map.iter().map(item).collect() } else { self.elements() }
    }

    pub fn length(&self) -> usize {
        match self {
            Value::Str(s) => s.chars().count(),
            Value::Bytes(b) => b.len(),
            other => other.elements().len(),
        }
    }

    pub fn field(&self, name: &str) -> Value {
        if let Value::Data(_, fields) = self { fields[name].clone() } else { panic!("{self:?} has no field {name}") }
    }

    pub fn index(&self, index: &Value) -> Run<Value> {
        match (self, index) {
            (Value::Map(map), key) => map.get(key).cloned().ok_or(Stop::Fault),
            (Value::Seq(list), Value::Int(i)) => i.to_usize().and_then(|i| list.get(i).cloned()).ok_or(Stop::Fault),
            _ => panic!("{self:?} has no index {index:?}"),
        }
    }

    pub fn slice(&self, a: &BigInt, b: &BigInt) -> Run<Value> {
        let (Some(a), Some(b)) = (a.to_usize(), b.to_usize()) else { return Err(Stop::Fault) };
        if a > self.length() || b > self.length() {
            return Err(Stop::Fault);
        }
        let (start, count) = (a, b.saturating_sub(a));
        Ok(match self {
            Value::Str(s) => Value::Str(s.chars().skip(start).take(count).collect()),
            Value::Bytes(octets) => Value::Bytes(octets[start..start + count].to_vec()),
            other => Value::Seq(other.elements()[start..start + count].to_vec()),
        })
    }
}

/// Puts a value at the end of a path: `Err(field)` or `Ok(index)` steps.
pub fn store(slot: &mut Value, path: &[Result<Value, &str>], value: Value) -> Run<()> {
    let Some((step, rest)) = path.split_first() else {
        *slot = value;
        return Ok(());
    };
    let inner = match (slot, step) {
        (Value::Data(_, fields), Err(name)) => fields.get_mut(*name),
        (Value::Map(map), Ok(key)) if rest.is_empty() => Some(map.entry(key.clone()).or_insert(Value::Bool(false))),
        (Value::Map(map), Ok(key)) => map.get_mut(key),
        (Value::Seq(list), Ok(Value::Int(i))) => i.to_usize().and_then(|i| list.get_mut(i)),
        (slot, step) => panic!("{slot:?} has no place {step:?}"),
    };
    store(inner.ok_or(Stop::Fault)?, rest, value)
}

/// The integers from `a` up to but not `b`.
pub fn range(a: BigInt, b: &BigInt) -> Value {
    Value::Seq(num_iter(a, b).map(Value::Int).collect())
}

fn num_iter(a: BigInt, b: &BigInt) -> impl Iterator<Item = BigInt> {
    std::iter::successors(Some(a), |n| Some(n + 1)).take_while(move |n| n < b)
}

/// Every infix operator but `&&` and `||`.
pub fn binary(op: BinaryOp, a: Value, b: Value) -> Value {
    let (a, b) = same_text(a, b);
    if let (Value::Map(a), Value::Map(b)) = (&a, &b)
        && let Some(truth) = of_sets(op, a, b)
    {
        return Value::Bool(truth);
    }
    match op {
        BinaryOp::Eq => Value::Bool(a == b),
        BinaryOp::Ne => Value::Bool(a != b),
        BinaryOp::Lt => Value::Bool(a < b),
        BinaryOp::Le => Value::Bool(a <= b),
        BinaryOp::Gt => Value::Bool(a > b),
        BinaryOp::Ge => Value::Bool(a >= b),
        BinaryOp::In => Value::Bool(b.elements().contains(&a)),
        BinaryOp::Add => add(a, b),
        BinaryOp::Sub => match (a, b) {
            (Value::Map(a), Value::Map(b)) => Value::Map(a.into_iter().filter(|(k, _)| !b.contains_key(k)).collect()),
            (a, b) => Value::Int(a.integer() - b.integer()),
        },
        BinaryOp::Intersect => match (a, b) {
            (Value::Map(a), Value::Map(b)) => Value::Map(a.into_iter().filter(|(k, _)| b.contains_key(k)).collect()),
            (a, b) => panic!("{a:?} & {b:?}"),
        },
        BinaryOp::Mul => Value::Int(a.integer() * b.integer()),
        BinaryOp::Div => Value::Int(quotient(&a.integer(), &b.integer())),
        BinaryOp::Rem => {
            let (a, b) = (a.integer(), b.integer());
            Value::Int(&a - &b * quotient(&a, &b))
        }
        BinaryOp::And | BinaryOp::Or => panic!("evaluated under guards"),
    }
}

/// The comparisons of sets by what they have.
fn of_sets(op: BinaryOp, a: &BTreeMap<Value, Value>, b: &BTreeMap<Value, Value>) -> Option<bool> {
    let within = |a: &BTreeMap<Value, Value>, b: &BTreeMap<Value, Value>| a.keys().all(|key| b.contains_key(key));
    Some(match op {
        BinaryOp::Le => within(a, b),
        BinaryOp::Lt => within(a, b) && a.len() < b.len(),
        BinaryOp::Ge => within(b, a),
        BinaryOp::Gt => within(b, a) && b.len() < a.len(),
        _ => return None,
    })
}

/// Coq's `Z.div`: towards minus infinity, and 0 where the divisor is.
fn quotient(a: &BigInt, b: &BigInt) -> BigInt {
    if b.is_zero() { BigInt::zero() } else { a.div_floor(b) }
}

fn add(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Value::Str(a + &b),
        (Value::Bytes(a), Value::Bytes(b)) => Value::Bytes([a, b].concat()),
        (Value::Seq(a), Value::Seq(b)) => Value::Seq([a, b].concat()),
        (Value::Map(a), Value::Map(b)) => Value::Map(a.into_iter().chain(b).collect()),
        (a, b) => Value::Int(a.integer() + b.integer()),
    }
}

/// A string literal beside bytes is bytes.
fn same_text(a: Value, b: Value) -> (Value, Value) {
    match (a, b) {
        (Value::Str(a), Value::Bytes(b)) => (Value::Bytes(a.into_bytes()), Value::Bytes(b)),
        (Value::Bytes(a), Value::Str(b)) => (Value::Bytes(a), Value::Bytes(b.into_bytes())),
        same => same,
    }
}

/// `receiver.name(args)`
pub fn method(receiver: &Value, name: &str, args: &[Value]) -> Value {
    match (receiver, name, args) {
        (Value::Map(map), "get", [key]) => Value::option(map.get(key).cloned()),
        (Value::Map(map), "get_or", [key, default]) => map.get(key).unwrap_or(default).clone(),
        (Value::Map(map), "contains", [key]) => Value::Bool(map.contains_key(key)),
        (Value::Map(_), "remove", [key]) => binary(BinaryOp::Sub, receiver.clone(), Value::set(vec![key.clone()])),
        (Value::Map(map), "with", [key, value]) => {
            let mut map = map.clone();
            map.insert(key.clone(), value.clone());
            Value::Map(map)
        }
        (Value::Seq(list), "starts_with", [Value::Seq(start)]) => Value::Bool(list.starts_with(start)),
        (Value::Data(variant, fields), "or", [default]) => {
            if variant == "Some" {
                fields["0"].clone()
            } else {
                default.clone()
            }
        }
        (Value::Map(map), "keys", []) => Value::set(map.keys().cloned().collect()),
        (Value::Map(map), "values", []) => Value::Seq(map.values().cloned().collect()),
        (Value::Map(_), "to_list", []) => Value::Seq(receiver.items()),
        (Value::Int(n), "to_string", []) => Value::Str(n.to_string()),
        (Value::Str(s), "to_int", []) => Value::option(to_int(s).map(Value::Int)),
        (Value::Str(s), "lower", []) => Value::Str(s.to_ascii_lowercase()),
        (Value::Str(_), "split", [Value::Str(t)]) if t.is_empty() => Value::Seq(vec![receiver.clone()]),
        (Value::Str(s), "split", [Value::Str(t)]) => Value::Seq(s.split(t).map(|p| Value::Str(p.to_owned())).collect()),
        (Value::Str(_) | Value::Bytes(_), _, [other]) => Value::Bool(text_test(receiver, name, other)),
        _ => panic!("the oracle does not know {receiver:?}.{name}({args:?})"),
    }
}

fn to_int(s: &str) -> Option<BigInt> {
    let digits = s.strip_prefix('-').unwrap_or(s);
    let decimal = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    decimal.then(|| s.parse().expect("decimal"))
}

fn text_test(text: &Value, name: &str, other: &Value) -> bool {
    let (text, other) = (text.octets().expect("text"), other.octets().expect("text"));
    match name {
        "contains" => other.is_empty() || text.windows(other.len()).any(|window| window == other),
        "starts_with" => text.starts_with(other),
        "ends_with" => text.ends_with(other),
        _ => panic!("the oracle does not know the method {name}"),
    }
}
