//! A map from variables that is cheap to clone: a few entries inline, many in a persistent tree.
//!
//! For example the store of a protocol with one unknown: one entry, no allocation; with ten thousand: clones share all.

use crate::term::Var;
use im::OrdMap;
use smallvec::SmallVec;

/// Up to this many entries lie in one sorted vector.
const FEW: usize = 24;

/// A sorted map from variables.
#[derive(Clone)]
pub(super) enum Table<V: Clone> {
    Few(SmallVec<[(Var, V); 2]>),
    Many(OrdMap<Var, V>),
}

impl<V: Clone> Default for Table<V> {
    fn default() -> Table<V> {
        Table::Few(SmallVec::new())
    }
}

impl<V: Clone> Table<V> {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Table::Few(list) => list.len(),
            Table::Many(map) => map.len(),
        }
    }

    #[inline]
    pub(super) fn get(&self, var: Var) -> Option<&V> {
        match self {
            Table::Few(list) => list.iter().find(|(known, _)| *known == var).map(|(_, value)| value),
            Table::Many(map) => map.get(&var),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, var: Var) -> Option<&mut V> {
        match self {
            Table::Few(list) => list.iter_mut().find(|(known, _)| *known == var).map(|(_, value)| value),
            Table::Many(map) => map.get_mut(&var),
        }
    }

    /// Whether some variable is in it whose number is from `first` to `last`.
    pub(super) fn has_within(&self, first: u64, last: u64) -> bool {
        match self {
            Table::Few(list) => list.iter().any(|(var, _)| first <= var.id && var.id <= last),
            // Looking is no cheaper than walking the term.
            Table::Many(_) => true,
        }
    }

    pub(super) fn insert(&mut self, var: Var, value: V) {
        match self {
            Table::Few(list) => match list.binary_search_by_key(&var, |(known, _)| *known) {
                Ok(at) => list[at].1 = value,
                Err(at) if list.len() < FEW => list.insert(at, (var, value)),
                Err(_) => {
                    let mut map: OrdMap<Var, V> = list.drain(..).collect();
                    map.insert(var, value);
                    *self = Table::Many(map);
                }
            },
            Table::Many(map) => {
                map.insert(var, value);
            }
        }
    }

    pub(super) fn remove(&mut self, var: Var) -> Option<V> {
        match self {
            Table::Few(list) => list.iter().position(|(known, _)| *known == var).map(|at| list.remove(at).1),
            Table::Many(map) => {
                let removed = map.remove(&var);
                if map.len() <= FEW / 2 {
                    let list = map.iter().map(|(var, value)| (*var, value.clone())).collect();
                    *self = Table::Few(list);
                }
                removed
            }
        }
    }

    /// Removes the entries that fail the test, and hands them to `gone`.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(Var, &V) -> bool, mut gone: impl FnMut(Var, V)) {
        match self {
            Table::Few(list) => {
                let mut at = 0;
                while at < list.len() {
                    if keep(list[at].0, &list[at].1) {
                        at += 1;
                    } else {
                        let (var, value) = list.remove(at);
                        gone(var, value);
                    }
                }
            }
            Table::Many(map) => {
                let lost: Vec<Var> =
                    map.iter().filter(|(var, value)| !keep(**var, value)).map(|(var, _)| *var).collect();
                for var in lost {
                    if let Some(value) = self.remove(var) {
                        gone(var, value);
                    }
                }
            }
        }
    }

    /// Entries in the order of variables.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (Var, &V)> + '_> {
        match self {
            Table::Few(list) => Box::new(list.iter().map(|(var, value)| (*var, value))),
            Table::Many(map) => Box::new(map.iter().map(|(var, value)| (*var, value))),
        }
    }
}

impl<V: Clone> FromIterator<(Var, V)> for Table<V> {
    fn from_iter<I: IntoIterator<Item = (Var, V)>>(entries: I) -> Table<V> {
        let mut table = Table::default();
        for (var, value) in entries {
            table.insert(var, value);
        }
        table
    }
}

impl<V: Clone + PartialEq> PartialEq for Table<V> {
    fn eq(&self, other: &Table<V>) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;

    #[test]
    fn grows_and_shrinks() {
        let var = |id| Var { id, sort: Sort::Int };
        let mut table: Table<u64> = (0..100).rev().map(|id| (var(id), id * id)).collect();
        assert!(table.iter().map(|(var, _)| var.id).eq(0..100));
        for id in 5..100 {
            assert_eq!(table.remove(var(id)), Some(id * id));
        }
        assert!(matches!(table, Table::Few(_)));
        assert_eq!((table.len(), table.get(var(3)), table.get(var(7))), (5, Some(&9), None));
        assert!(table == (0..5).map(|id| (var(id), id * id)).collect());
    }
}
