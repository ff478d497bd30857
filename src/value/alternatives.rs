//! The alternatives of a union: values under guards that exclude each other, and the way in which operations read them.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Lifted, Value, union};
use crate::term::Term;

/// Two or more values under guards that exclude each other: `[#1: None, !#1: Some(#2)]`. Their shapes differ, unless they are read
/// apart.
#[derive(Clone)]
pub struct Alternatives(Arc<Union>);

struct Union {
    pairs: SmallVec<[(Term, Value); 2]>,
    reading: Reading,
}

/// The way in which alternatives are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// Operations are lifted over the alternatives.
    Lifted,
    /// An operation decides first which alternative it is: they are states of a part of the memory.
    Apart,
}

impl Alternatives {
    /// Alternatives that are read apart: an operation decides first which of them it is. Several may have one shape; scalars are
    /// alternatives in entries of maps only.
    #[must_use]
    pub fn apart(pairs: impl IntoIterator<Item = (Term, Value)>) -> Alternatives {
        Alternatives(Arc::new(Union { pairs: pairs.into_iter().collect(), reading: Reading::Apart }))
    }

    /// Tests whether the alternatives are read apart.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.0.reading == Reading::Apart
    }

    /// A value of other alternatives, read like these; the alternative itself, if there is only one.
    #[must_use]
    pub fn read_like(&self, pairs: Vec<(Term, Value)>) -> Value {
        if self.is_apart() && pairs.len() > 1 { Value::Union(Alternatives::apart(pairs)) } else { union(pairs) }
    }

    /// Tests whether both are one shared object.
    #[must_use]
    pub fn is_same(&self, other: &Alternatives) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Alternatives deref to their guards and values.
impl Deref for Alternatives {
    type Target = [(Term, Value)];

    fn deref(&self) -> &[(Term, Value)] {
        &self.0.pairs
    }
}

/// Joins the results of an operation on each alternative.
pub(super) fn lift<'a>(cases: impl Iterator<Item = (&'a Term, Lifted<Value>)>) -> Lifted<Value> {
    let cases: Vec<(Term, Value)> = cases.map(|(guard, v)| v.map(|v| (guard.clone(), v))).collect::<Lifted<_>>()?;
    Ok(union(cases))
}

impl FromIterator<(Term, Value)> for Alternatives {
    fn from_iter<I: IntoIterator<Item = (Term, Value)>>(pairs: I) -> Alternatives {
        Alternatives(Arc::new(Union { pairs: pairs.into_iter().collect(), reading: Reading::Lifted }))
    }
}

impl PartialEq for Alternatives {
    fn eq(&self, other: &Alternatives) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl Eq for Alternatives {}

impl PartialOrd for Alternatives {
    fn partial_cmp(&self, other: &Alternatives) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alternatives {
    fn cmp(&self, other: &Alternatives) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Alternatives {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl std::fmt::Debug for Alternatives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}
