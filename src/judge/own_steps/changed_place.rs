//! The place that a run of a step changed: an entry that it took away, or a constructor or a truth value that it replaced.
//!
//! A step from `{"a": Waiting}` to `{"a": Running}` replaced `Waiting`. If the step may have been taken or not, a variable q says that it
//! was not: `{"a": Waiting if q, else Running}`. So a cell has variables for the value that stands there, and none for the steps
//! that were taken; variables of values that stood there before can be eliminated.

use crate::judge::candidate::Candidate;
use crate::judge::normal_form::boxes::cells;
use crate::judge::normal_form::boxes::cells::Cell;
use crate::judge::terms;
use crate::scalar::{Scalar, Sort};
use crate::solve::Store;
use crate::term::{Kind, Linear, Term};
use crate::value::{Entry, Presence, Value, union};

/// A place in memory that a run changed, with its values before and after.
pub(crate) struct ChangedPlace {
    cell: Cell,
    /// The positions of the fields that lead to the place inside the cell, from the outermost.
    path: Vec<usize>,
    /// The values at the place before the run and after it; `None` for an entry that was taken away.
    values: Option<(Value, Value)>,
    /// The condition on which the old value stood at the place.
    pub(crate) before: Term,
    /// The conditions on which other values stood there.
    pub(crate) others: Vec<Term>,
}

impl ChangedPlace {
    /// The first place that a run certainly changed.
    pub(crate) fn of(before: &Candidate, after: &Candidate) -> Option<ChangedPlace> {
        after.process.stored().iter().find_map(|slot| {
            let [old, new] = [before, after].map(|candidate| &candidate.process.memory[slot as usize]);
            match (old, new) {
                (Value::Map(own), Value::Map(other)) => own.differing_keys(other)?.into_iter().find_map(|key| {
                    let (old, new) = (own.cell(&key)??, other.cell(&key)?);
                    ChangedPlace::in_entry(Cell { slot, key: Some(key) }, old, new, &after.store)
                }),
                _ => ChangedPlace::in_value(Cell { slot, key: None }, old, new, &after.store),
            }
        })
    }

    fn in_entry(cell: Cell, old: &Entry, new: Option<&Entry>, store: &Store) -> Option<ChangedPlace> {
        match new {
            Some(new) if old.presence == new.presence => ChangedPlace::in_value(cell, &old.value, &new.value, store),
            Some(_) => None,
            None => {
                let before = old.truth().term();
                let certainly = store.decide(&before) == Some(true);
                certainly.then(|| ChangedPlace { cell, path: Vec::new(), values: None, before, others: Vec::new() })
            }
        }
    }

    fn in_value(cell: Cell, old: &Value, new: &Value, store: &Store) -> Option<ChangedPlace> {
        let mut path = Vec::new();
        let (before, others, values) = place(old, new, store, &mut path)?;
        Some(ChangedPlace { cell, path, values: Some(values), before, others })
    }

    /// Tests whether the cell is the same in two candidates.
    pub(crate) fn is_same_in(&self, a: &Candidate, b: &Candidate) -> bool {
        cells::read(&a.process, &self.cell) == cells::read(&b.process, &self.cell)
    }

    /// Writes the value of the place: the replaced one if `now` holds, and else the one that the run put there. The rest of `joined` was
    /// merged on the condition `taken`; its bit is rewritten as the bit of `before` less the bit of `now`.
    pub(crate) fn write(&self, taken: &Term, now: &Term, joined: &mut Candidate) {
        let entry = cells::read(&joined.process, &self.cell);
        let entry = match &self.values {
            None => Entry { presence: Presence::When(now.clone()), ..entry },
            Some((old, new)) => {
                let value = replaced(&entry.value, &self.path, &merged(old, new, &self.before, now));
                Entry { value, ..entry }
            }
        };
        cells::write(&mut joined.process, &self.cell, entry);
        let (taken, difference) = (Term::bit(taken), Linear::of(&Term::bit(&self.before).sub(&Term::bit(now))));
        let mut counted = |term: &Term| {
            let Kind::Linear(sum) = term.kind() else {
                return (*term == taken).then(|| difference.clone().into_term());
            };
            let times = sum.coefficient(&taken);
            (!times.is_zero()).then(|| sum.without(&taken).plus(&times, &difference).into_term())
        };
        terms::rewrite(&mut joined.process, &mut counted);
    }
}

/// The condition on which the old value stood at a place, those on which other values did, and the values before and after.
type PlaceInside = (Term, Vec<Term>, (Value, Value));

/// The place inside of a value that a run certainly changed.
fn place(old: &Value, new: &Value, store: &Store, path: &mut Vec<usize>) -> Option<PlaceInside> {
    let here = |before: Term, others: Vec<Term>| {
        (store.decide(&before) == Some(true)).then(|| (before, others, (old.clone(), new.clone())))
    };
    match (old, new) {
        (Value::Data { tag: a, .. }, Value::Data { tag: b, .. }) if a == b => {
            let fields = old.fields().iter().zip(new.fields()).enumerate();
            fields.filter(|(_, (old, new))| old != new).find_map(|(at, (old, new))| {
                path.push(at);
                let found = place(old, new, store, path);
                if found.is_none() {
                    path.pop();
                }
                found
            })
        }
        (Value::Data { .. }, Value::Data { .. }) => here(Term::truth(), Vec::new()),
        (Value::Union(alternatives), Value::Data { tag: of_new, .. }) => {
            let is_left = |guard: &Term| store.decide(guard) == Some(true);
            let (before, value) = alternatives.iter().find(|(guard, _)| is_left(guard))?;
            let is_like_new = |value: &Value| matches!(value, Value::Data { tag, .. } if tag == of_new);
            let is_other = |(guard, value): &&(Term, Value)| guard != before && value != new;
            let others = alternatives.iter().filter(is_other);
            if is_like_new(value) || others.clone().any(|(_, value)| is_like_new(value)) {
                return None;
            }
            here(before.clone(), others.map(|(guard, _)| guard.clone()).collect())
        }
        (Value::Scalar(Scalar::Bool(_)) | Value::Term(_), Value::Scalar(Scalar::Bool(new))) => {
            let old = old.as_term().filter(|old| old.sort() == Sort::Bool)?;
            here(if *new { Term::not(&old) } else { old }, Vec::new())
        }
        _ => None,
    }
}

/// The value at a place: the replaced one if `now` holds, another one on the condition on which it stood there before, and else the
/// one that the run put there.
fn merged(old: &Value, new: &Value, before: &Term, now: &Term) -> Value {
    let alternatives = match (old, new) {
        (_, Value::Scalar(Scalar::Bool(new))) => {
            return Value::of_term(if *new { Term::not(now) } else { now.clone() });
        }
        (Value::Union(alternatives), _) => alternatives,
        _ => return union([(now.clone(), old.clone()), (Term::not(now), new.clone())]),
    };
    let mut pairs: Vec<(Term, Value)> = Vec::new();
    for (guard, value) in alternatives.iter().filter(|(_, value)| value != new) {
        pairs.push((if guard == before { now.clone() } else { guard.clone() }, value.clone()));
    }
    let rest = Term::and_all(pairs.iter().map(|(guard, _)| Term::not(guard)));
    pairs.push((rest, new.clone()));
    alternatives.read_like(pairs)
}

/// A value in which the part at a path of fields is replaced.
fn replaced(value: &Value, path: &[usize], inner: &Value) -> Value {
    match path {
        [] => inner.clone(),
        [at, path @ ..] => value.with_fields(&[(*at as u32, replaced(&value.fields()[*at], path, inner))]),
    }
}
