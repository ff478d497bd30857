//! Keys of which one scalar is unknown: `#1`, or `("a", #1)`, which stands for the keys `("a", k)`.

use smallvec::SmallVec;

use crate::scalar::Scalar;
use crate::term::Term;
use crate::value::Value;

/// A key of which one scalar is unknown.
#[derive(Clone)]
pub(super) struct OpenKey {
    /// The key with the unknown scalar in it.
    key: Value,
    /// The way from the key to the unknown scalar: the numbers of fields and of elements.
    way: SmallVec<[usize; 2]>,
    /// The unknown scalar.
    pub(super) unknown: Term,
    /// The constructors of the key and the way in it, as numbers; with the known scalars they identify the key but for the unknown one.
    pub(super) shape: Vec<usize>,
    /// The known scalars of the key, in order.
    pub(super) known: Vec<Scalar>,
}

impl OpenKey {
    /// The key, if one scalar of it is unknown, and it is built of scalars, constructors and lists.
    pub(super) fn of(key: &Value) -> Option<OpenKey> {
        let mut parts = KeyParts::default();
        parts.walk(key)?;
        let KeyParts { way, found, shape, known, .. } = parts;
        let is_alone = matches!(key, Value::Term(_));
        let shape = if is_alone { Vec::new() } else { shape.into_iter().chain(way.iter().copied()).collect() };
        Some(OpenKey { key: key.clone(), way, unknown: found?, shape, known })
    }

    /// Tests whether the key is the unknown scalar.
    pub(super) fn is_scalar(&self) -> bool {
        self.way.is_empty()
    }

    /// The key with a known scalar in the place of the unknown one.
    pub(super) fn with(&self, scalar: &Scalar) -> Value {
        put(&self.key, &self.way, scalar)
    }

    /// The scalar of a known key in the place of the unknown one, if the keys agree in all else.
    pub(super) fn scalar_of<'k>(&self, key: &'k Value) -> Option<&'k Scalar> {
        agree(&self.key, key, &self.way)
    }
}

fn put(key: &Value, way: &[usize], scalar: &Scalar) -> Value {
    let Some((first, rest)) = way.split_first() else { return Value::Scalar(scalar.clone()) };
    let changed = |(at, part): (usize, &Value)| if at == *first { put(part, rest, scalar) } else { part.clone() };
    match key {
        Value::Data { tag, .. } => Value::data(*tag, key.fields().iter().enumerate().map(changed).collect::<Vec<_>>()),
        Value::List(list) => Value::list(list.iter().enumerate().map(changed)),
        key => key.clone(),
    }
}

fn agree<'k>(open: &Value, key: &'k Value, way: &[usize]) -> Option<&'k Scalar> {
    let Some((first, rest)) = way.split_first() else {
        return if let Value::Scalar(scalar) = key { Some(scalar) } else { None };
    };
    match (open, key) {
        (Value::Data { tag, .. }, Value::Data { tag: other, .. }) if tag == other => {
            within(open.fields().iter(), key.fields().iter(), (*first, rest))
        }
        (Value::List(own), Value::List(other)) if own.len() == other.len() => {
            within(own.iter(), other.iter(), (*first, rest))
        }
        _ => None,
    }
}

fn within<'o, 'k>(
    open: impl Iterator<Item = &'o Value> + Clone,
    key: impl Iterator<Item = &'k Value> + Clone,
    (first, rest): (usize, &[usize]),
) -> Option<&'k Scalar> {
    let mut others = open.clone().zip(key.clone()).enumerate().filter(|(at, _)| *at != first);
    others.all(|(_, (own, other))| own == other).then_some(())?;
    agree(open.clone().nth(first)?, key.clone().nth(first)?, rest)
}

/// The parts of a key, while it is walked over.
#[derive(Default)]
struct KeyParts {
    here: SmallVec<[usize; 2]>,
    way: SmallVec<[usize; 2]>,
    found: Option<Term>,
    shape: Vec<usize>,
    known: Vec<Scalar>,
}

impl KeyParts {
    /// Adds the parts of a value; `None` if it has others than scalars, constructors and lists, or a second unknown scalar.
    fn walk(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Scalar(scalar) => self.known.push(scalar.clone()),
            Value::Term(term) if self.found.is_none() => {
                (self.found, self.way) = (Some(term.clone()), self.here.clone());
            }
            Value::Data { tag, .. } => self.inside([0, *tag as usize, value.fields().len()], value.fields().iter())?,
            Value::List(list) => self.inside([1, 0, list.len()], list.iter())?,
            _ => return None,
        }
        Some(())
    }

    fn inside<'v>(&mut self, shape: [usize; 3], mut parts: impl Iterator<Item = &'v Value>) -> Option<()> {
        self.shape.extend(shape);
        let mut at = 0;
        parts.try_for_each(|part| {
            self.here.push(at);
            self.walk(part)?;
            self.here.pop();
            at += 1;
            Some(())
        })
    }
}
