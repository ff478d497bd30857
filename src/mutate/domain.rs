//! The requests of a type whose scalars have few values.
//!
//! For example, with two values for each scalar `Set { key: string, n: int }` has four requests: `"a"` and `"1"`, each with 0 and 1.

use crate::scalar::{Json, Scalar, Token};
use crate::spec::{Type, TypeId, Types};
use crate::value::{Map, Value};

/// The strings and integers of the domain; the first ones are taken first.
const TEXTS: [&str; 4] = ["a", "1", "", "b"];
const INTEGERS: [i64; 4] = [0, 1, -1, 2];
/// The depth to which values are nested.
const DEPTH: usize = 3;

/// The small domain of values.
pub(super) struct SmallDomain<'s> {
    pub types: &'s Types,
    /// The number of values of each scalar.
    pub values: usize,
    /// The number of the last token so far: `t3` is token 3.
    pub tokens: usize,
    /// Further integers, which occur in the specification.
    pub integers: &'s [i64],
}

impl SmallDomain<'_> {
    /// All values of a type; none if there are more than `most`.
    pub fn all(&self, ty: TypeId, most: usize) -> Option<Vec<Value>> {
        let values = self.of(ty, DEPTH, most)?;
        (values.len() <= most).then_some(values)
    }

    fn of(&self, ty: TypeId, depth: usize, most: usize) -> Option<Vec<Value>> {
        let scalars = |values: Vec<Scalar>| values.into_iter().map(Value::Scalar).collect();
        Some(match self.types.get(ty) {
            Type::Unit | Type::Error => vec![Value::UNIT],
            Type::Bool => scalars(vec![Scalar::Bool(false), Scalar::Bool(true)]),
            Type::Int => {
                let small = INTEGERS[..2].iter().chain(self.integers).chain(&INTEGERS[2..]);
                scalars(small.take(self.values).map(|number| Scalar::int(*number)).collect())
            }
            Type::Str => scalars(self.texts().map(Scalar::str).collect()),
            Type::Bytes => scalars(self.texts().map(|text| Scalar::Bytes(text.as_bytes().into())).collect()),
            Type::Client => scalars(vec![Scalar::Client(1)]),
            Type::Json => {
                let texts = ["null", "\"a\"", "0", "{}"].into_iter().take(self.values);
                scalars(texts.map(|text| Scalar::Json(Json::of_canonical(text))).collect())
            }
            Type::Token(_) => {
                // The last tokens, and one that does not exist yet.
                let first = (self.tokens + 2).saturating_sub(self.values).max(1);
                let named = |number: usize| Scalar::Token(Token::Text(format!("t{number}").into()));
                scalars((first..=self.tokens + 1).map(named).collect())
            }
            Type::Option(inner) => {
                let some = if depth == 0 { Vec::new() } else { self.of(*inner, depth - 1, most)? };
                [Value::NONE].into_iter().chain(some.into_iter().map(Value::some)).collect()
            }
            Type::Tuple(_) | Type::Struct(_) => self.fields(ty, 0, depth, most)?,
            Type::Enum(at) => {
                let count = self.types.enums[*at as usize].variants.len() as u32;
                let variants = (0..count).map(|tag| self.fields(ty, tag, depth, most));
                variants.collect::<Option<Vec<_>>>()?.concat()
            }
            Type::List(of) => self.lists(*of, depth, most)?.into_iter().map(Value::list).collect(),
            Type::Set(of) => {
                let lists = self.lists(*of, depth, most)?.into_iter();
                lists.map(|list| Value::Map(Map::of(list.into_iter().map(|one| (one, Value::UNIT))))).collect()
            }
            Type::Map(..) => vec![Value::Map(Map::of([]))],
        })
    }

    fn texts(&self) -> impl Iterator<Item = &'static str> {
        TEXTS.into_iter().take(self.values)
    }

    /// The lists with no element and those with one.
    fn lists(&self, of: TypeId, depth: usize, most: usize) -> Option<Vec<Vec<Value>>> {
        let ones = if depth == 0 { Vec::new() } else { self.of(of, depth - 1, most)? };
        Some([Vec::new()].into_iter().chain(ones.into_iter().map(|one| vec![one])).collect())
    }

    /// All combinations of the values of some fields.
    fn fields(&self, ty: TypeId, tag: u32, depth: usize, most: usize) -> Option<Vec<Value>> {
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        for (_, field) in self.types.fields(ty, tag) {
            let values = self.of(field, depth.saturating_sub(1), most)?;
            if values.len().saturating_mul(all.len()) > most {
                return None;
            }
            let with = |fields: &Vec<Value>| {
                let fields = fields.clone();
                values
                    .iter()
                    .map(move |value| fields.iter().chain([value]).cloned().collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        Some(all.into_iter().map(|fields| Value::data(tag, fields)).collect())
    }
}
