//! A sorted map that is cheap to clone: a few entries inline, many in a persistent trie, which is sorted when it is listed.
//!
//! For example the store of a protocol with one unknown has one entry and no allocation; clones of one with ten thousand share
//! all of them. `im::OrdMap` has the order and the sharing, too, but takes three times as long to look up (docs/PERFORMANCE.md),
//! and `im::HashMap` does not tell how two maps differ without a look at all entries.

use super::trie::{Numbered, Trie};
use crate::term::Var;
use smallvec::SmallVec;
use std::borrow::Borrow;

/// Up to this many entries lie in one sorted vector: it is faster to search than the trie.
const FEW: usize = 24;

/// A sorted map; its keys are variables by default.
///
/// 1. `Few` is sorted by key, has no key twice, and has at most [`FEW`] entries.
/// 2. `Many` has more than half of [`FEW`] entries, so that a map does not change its form with every entry.
pub(crate) enum SortedMap<V: Clone, K: Numbered + Ord = Var> {
    Few(SmallVec<[(K, V); 2]>),
    Many(Trie<K, V>),
}

/// A sorted set.
pub(crate) type Set<K> = SortedMap<(), K>;

impl<V: Clone, K: Numbered + Ord> Default for SortedMap<V, K> {
    fn default() -> SortedMap<V, K> {
        SortedMap::Few(SmallVec::new())
    }
}

impl<V: Clone, K: Numbered + Ord> Clone for SortedMap<V, K> {
    fn clone(&self) -> SortedMap<V, K> {
        match self {
            SortedMap::Few(list) if list.is_empty() => SortedMap::default(),
            SortedMap::Few(list) => SortedMap::Few(list.clone()),
            SortedMap::Many(map) => SortedMap::Many(map.clone()),
        }
    }
}

impl<V: Clone, K: Numbered + Ord> SortedMap<V, K> {
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            SortedMap::Few(list) => list.len(),
            SortedMap::Many(map) => map.len(),
        }
    }

    pub(crate) fn get(&self, key: impl Borrow<K>) -> Option<&V> {
        match self {
            SortedMap::Few(list) => list.iter().find(|(known, _)| known == key.borrow()).map(|(_, value)| value),
            SortedMap::Many(map) => map.get(key.borrow()),
        }
    }

    pub(crate) fn contains_key(&self, key: impl Borrow<K>) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn get_mut(&mut self, key: impl Borrow<K>) -> Option<&mut V> {
        match self {
            SortedMap::Few(list) => list.iter_mut().find(|(known, _)| known == key.borrow()).map(|(_, value)| value),
            SortedMap::Many(map) => map.get_mut(key.borrow()),
        }
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self {
            SortedMap::Few(list) => match list.binary_search_by_key(&key, |(known, _)| *known) {
                Ok(at) => list[at].1 = value,
                Err(at) if list.len() < FEW => list.insert(at, (key, value)),
                Err(_) => {
                    let mut map = Trie::new();
                    list.drain(..).chain([(key, value)]).for_each(|(key, value)| map.insert(key, value));
                    *self = SortedMap::Many(map);
                }
            },
            SortedMap::Many(map) => map.insert(key, value),
        }
    }

    pub(crate) fn remove(&mut self, key: impl Borrow<K>) -> Option<V> {
        match self {
            SortedMap::Few(list) => {
                list.iter().position(|(known, _)| known == key.borrow()).map(|at| list.remove(at).1)
            }
            SortedMap::Many(map) => {
                let removed = map.remove(key.borrow());
                if map.len() <= FEW / 2 {
                    let mut list: SmallVec<_> = map.iter().cloned().collect();
                    list.sort_unstable_by_key(|(key, _)| *key);
                    *self = SortedMap::Few(list);
                }
                removed
            }
        }
    }

    /// Removes the entries that fail the test, and hands them to `gone`.
    pub(crate) fn retain(&mut self, keep: impl Fn(K, &V) -> bool, mut gone: impl FnMut(K, V)) {
        let lost: Vec<K> = self.iter().filter(|(key, value)| !keep(*key, value)).map(|(key, _)| key).collect();
        for key in lost {
            self.remove(key).into_iter().for_each(|value| gone(key, value));
        }
    }

    /// Entries without sorting: in no particular order if they are many.
    pub(crate) fn unsorted(&self) -> impl Iterator<Item = (K, &V)> {
        let (few, many) = match self {
            SortedMap::Few(list) => (&list[..], None),
            SortedMap::Many(map) => (&[][..], Some(map.iter())),
        };
        few.iter().chain(many.into_iter().flatten()).map(|(key, value)| (*key, value))
    }

    /// Entries in the order of their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let (few, mut many) = match self {
            SortedMap::Few(list) => (&list[..], Vec::new()),
            SortedMap::Many(map) => (&[][..], map.iter().collect()),
        };
        many.sort_unstable_by_key(|(key, _)| *key);
        few.iter().chain(many).map(|(key, value)| (*key, value))
    }

    /// Visits the keys whose entries differ in another map; parts that both share are not looked at.
    pub(crate) fn differing(&self, other: &SortedMap<V, K>, visit: &mut dyn FnMut(K))
    where
        V: PartialEq,
    {
        if let (SortedMap::Many(own), SortedMap::Many(theirs)) = (self, other) {
            return own.differing(theirs, visit);
        }
        let changed = self.unsorted().filter(|(key, value)| other.get(*key) != Some(*value));
        let new = other.unsorted().filter(|(key, _)| !self.contains_key(*key));
        changed.chain(new).for_each(|(key, _)| visit(key));
    }

    /// The first entry in the order of keys.
    pub(crate) fn first(&self) -> Option<(K, &V)> {
        self.unsorted().min_by_key(|(key, _)| *key)
    }

    /// Keys in their order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = K> {
        self.iter().map(|(key, _)| key)
    }

    /// Values in the order of their keys.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<V: Clone> SortedMap<V> {
    /// Tests whether the map may have a variable whose number is from `first` to `last`; true for every large map.
    pub(crate) fn has_within(&self, first: u64, last: u64) -> bool {
        match self {
            SortedMap::Few(list) => list.iter().any(|(var, _)| first <= var.id && var.id <= last),
            // A search would be no cheaper than the walk over the term that it may save.
            SortedMap::Many(_) => true,
        }
    }
}

impl<V: Clone, K: Numbered + Ord> Extend<(K, V)> for SortedMap<V, K> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(key, value)| self.insert(key, value));
    }
}

impl<V: Clone, K: Numbered + Ord> FromIterator<(K, V)> for SortedMap<V, K> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> SortedMap<V, K> {
        let mut table = SortedMap::default();
        table.extend(entries);
        table
    }
}

impl<V: Clone + PartialEq, K: Numbered + Ord> PartialEq for SortedMap<V, K> {
    fn eq(&self, other: &SortedMap<V, K>) -> bool {
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
        let mut table: SortedMap<u64> = (0..100).rev().map(|id| (var(id), id * id)).collect();
        assert!(table.iter().map(|(var, _)| var.id).eq(0..100));
        for id in 5..100 {
            assert_eq!(table.remove(var(id)), Some(id * id));
        }
        assert!(matches!(table, SortedMap::Few(_)));
        assert_eq!((table.len(), table.get(var(3)), table.get(var(7))), (5, Some(&9), None));
        assert!(table == (0..5).map(|id| (var(id), id * id)).collect());
    }
}
