//! Whole maps: joined under a condition, compared, counted, and their keys as one set.
//!
//! `{a} == {a, b if p}` is `!p`.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Contents, Entry, Map, Presence, entry};
use crate::scalar::Scalar;
use crate::term::{ScalarSet, Term};
use crate::value::{Lifted, Split, Truth, Value, equal, merge};

impl Map {
    /// `condition ? then : otherwise`, key by key; `None` where a write is pending.
    #[must_use]
    pub fn join(condition: &Term, then: &Map, otherwise: &Map) -> Option<Map> {
        let plain = |map: &Map| map.0.pending.is_empty() && map.0.symbolic == 0;
        if !plain(then) || !plain(otherwise) {
            return None;
        }
        let mut joined = otherwise.clone();
        let contents = Arc::make_mut(&mut joined.0);
        let negated = Term::not(condition);
        for (key, other) in otherwise.0.entries.iter() {
            if !then.0.entries.contains_key(key) {
                let there = Truth::of(negated.clone()).and(other.truth());
                contents.place(key.clone(), entry(there, other.value.clone()));
            }
        }
        for (key, own) in then.0.entries.iter() {
            let joined = match otherwise.0.entries.get(key) {
                None => entry(Truth::of(condition.clone()).and(own.truth()), own.value.clone()),
                Some(other) if other == own => continue,
                Some(other) => {
                    let there = Truth::of(Term::ite(condition, &own.truth().term(), &other.truth().term()));
                    entry(there, merge(condition, own.value.clone(), other.value.clone()))
                }
            };
            contents.place(key.clone(), joined);
        }
        Some(joined)
    }

    /// Whether both have the same entries.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn equals(&self, other: &Map) -> Lifted<Truth> {
        if self.is_same(other) {
            return Ok(Truth::Known(true));
        }
        self.needs_distinct_keys(other)?;
        let mut all = Truth::Known(true);
        for (key, own) in self.entries()? {
            all = all.and(match other.0.entries.get(key) {
                None => own.truth().not(),
                Some(theirs) => same_entry(own, theirs)?,
            });
        }
        for (key, theirs) in other.entries()? {
            if !self.0.entries.contains_key(key) {
                all = all.and(theirs.truth().not());
            }
        }
        Ok(all)
    }

    /// Keys must be comparable across two maps: a symbolic key of one is decided against the keys of the other.
    fn needs_distinct_keys(&self, other: &Map) -> Lifted<()> {
        self.settled()?;
        other.settled()?;
        for (map, against) in [(self, other), (other, self)] {
            if map.0.symbolic == 0 {
                continue;
            }
            for key in map.0.entries.keys().filter(|key| !key.is_known() && !against.0.entries.contains_key(*key)) {
                against.0.open_comparison(key)?;
            }
        }
        Ok(())
    }

    /// The number of entries, as a term where presences are open.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn len(&self) -> Lifted<Value> {
        self.settled()?;
        let certain = self.0.entries.len() - self.0.conditional;
        let mut sum = Term::constant(Scalar::Int((certain as i64).into()));
        let one = Term::constant(Scalar::Int(1.into()));
        let zero = Term::constant(Scalar::Int(0.into()));
        if self.0.conditional > 0 {
            for (_, entry) in self.entries()? {
                if let Presence::When(condition) = &entry.presence {
                    sum = Term::add(&sum, &Term::ite(condition, &one, &zero));
                }
            }
        }
        Ok(Value::of_term(sum))
    }
}

impl Contents {
    /// Splits on a comparison of `key` with an own key that is open.
    fn open_comparison(&self, key: &Value) -> Lifted<()> {
        let mut open = Vec::new();
        for other in self.entries.keys() {
            if let Truth::Term(term) = equal(other, key)? {
                open.push(term);
            }
        }
        open.into_iter().min().map_or(Ok(()), |term| Err(Split(term)))
    }
}

fn same_entry(a: &Entry, b: &Entry) -> Lifted<Truth> {
    let same_presence = match (a.truth(), b.truth()) {
        (Truth::Known(true), x) | (x, Truth::Known(true)) => x,
        (x, y) => Truth::of(Term::eq(&x.term(), &y.term())),
    };
    let absent = a.truth().not();
    Ok(same_presence.and(absent.or(equal(&a.value, &b.value)?)))
}

/// The keys of a map as a set of known scalars, shared by reference.
#[derive(Debug)]
pub(super) struct Keys(pub(super) Map);

impl ScalarSet for Keys {
    fn contains(&self, scalar: &Scalar) -> bool {
        self.0.0.entries.contains_key(&Value::Scalar(scalar.clone()))
    }

    fn len(&self) -> usize {
        self.0.0.entries.len()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>) {
        let mut keys: Vec<&Value> = self.0.0.entries.keys().collect();
        keys.sort();
        for key in keys {
            if let Value::Scalar(scalar) = key
                && visit(scalar).is_break()
            {
                return;
            }
        }
    }
}
