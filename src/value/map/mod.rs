//! Maps and sets with presence conditions.
//!
//! A map has entries, each with the condition under which it is present, and *pending* writes under keys that may or may not equal
//! another key. The keys of entries are known, or symbolic and known to differ from all other keys. So only pending writes ever
//! need a decided comparison, and a map whose keys are known costs as much as a hash map.
//!
//! `m["a"] := 1; m["b"] := 2; m[#1] := 3; m["a"] := 4` leaves
//!
//! ```text
//! entries   "a": 1    "b": 2
//! pending   #1: 3     "a": 4         the earliest first; `#1` may be "a", "b" or neither
//! ```
//!
//! so that `m["b"]` is 3 if `#1 == "b"`, else 2. Once the store decides which of the three `#1` is, both writes are placed.
//!
//! A map may stand on an unknown base (see `base`). Then all keys of entries are known, and a removed key keeps an entry that is
//! never present, which hides that of the base.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Base, Lifted, Split, Truth, Value};
use crate::term::{KeySet, Term, count_walked};

mod base;
mod contents;
mod dictionary;
mod entry;
mod keys;
mod lineage;
mod open_key;
mod parts;
mod removed_values;
mod rewrite;
mod table;
mod unknown_key;
mod whole;

use contents::Contents;
use entry::{PresenceBefore, Write, entry, overlaid, present};
use keys::{KnownKeys, Which};

pub use entry::{Entry, Presence};
pub use parts::{MapParts, PendingWrite};
pub(super) use rewrite::Scope;

/// A map, or (with unit values) a set.
#[derive(Clone, Debug)]
pub struct Map(Arc<Contents>);

impl Default for Map {
    fn default() -> Map {
        Map(Arc::new(Contents::default()))
    }
}

impl Map {
    /// Tests whether both are one shared map.
    #[must_use]
    pub fn is_same(&self, other: &Map) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Tests whether every key, presence and value is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        let contents = &*self.0;
        contents.base.is_none()
            && contents.pending.is_empty()
            && contents.conditional == 0
            && !contents.entries.is_open()
    }

    /// All entries in the order of their keys; a split if a write is pending or the map stands on a base.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn entries(&self) -> Lifted<Vec<(&Value, &Entry)>> {
        self.countable()?;
        self.decided()?;
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        count_walked(entries.len());
        entries.sort_by(|a, b| a.0.cmp(b.0));
        Ok(entries)
    }

    /// The condition that the map has a key, and the value under it.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn get(&self, key: &Value) -> Lifted<(Truth, Value)> {
        if let Value::Union(alternatives) = key {
            return Err(Split::On(alternatives[0].0.clone()));
        }
        let contents = &*self.0;
        let (beneath, later) = later_writes(&contents.pending, key);
        let mut found = match (beneath, &contents.base) {
            (Some(write), _) => present(write.entry.as_ref()),
            (None, Some(base)) => self.get_on_base(base, key)?,
            (None, None) => match unknown_key::decided_entry(contents, key) {
                Some(entry) => present(entry),
                None => unknown_key::found(&self.without_pending(), key)?,
            },
        };
        for write in later {
            found = overlaid(&write.writes_under(key)?, present(write.entry.as_ref()), found);
        }
        Ok(found)
    }

    /// The condition that the map has a key.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn contains(&self, key: &Value) -> Lifted<Truth> {
        self.contains_before(self.0.pending.len(), key)
    }

    /// The condition that the map has a key after the first `writes` pending writes.
    fn contains_before(&self, writes: usize, key: &Value) -> Lifted<Truth> {
        let contents = &*self.0;
        if let Value::Union(alternatives) = key {
            return Err(Split::On(alternatives[0].0.clone()));
        }
        let (beneath, later) = later_writes(&contents.pending[..writes], key);
        let mut found = match (beneath, &contents.base) {
            (Some(write), _) => present(write.entry.as_ref()).0,
            (None, Some(base)) => self.contains_on_base(base, key)?,
            (None, None) => self.has_entry(key)?,
        };
        let mut added = Vec::new();
        for write in later {
            let same = write.writes_under(key)?;
            match write.entry.as_ref().map_or(Truth::Known(false), Entry::truth) {
                Truth::Known(true) => added.push(same.term()),
                there => {
                    let before = found.or(Truth::of(Term::or_all(added.drain(..))));
                    found = same.clone().and(there).or(same.not().and(before));
                }
            }
        }
        if found.is_true() { Ok(found) } else { Ok(found.or(Truth::of(Term::or_all(added)))) }
    }

    /// The condition that a key is that of an entry, without regard to pending writes.
    fn has_entry(&self, key: &Value) -> Lifted<Truth> {
        unknown_key::contains(&self.without_pending(), key)
    }

    /// The condition that a symbolic key is one of the keys that are present in every case, or in none.
    fn has_among(self, key: &Term, which: Which) -> Truth {
        Truth::of(Term::member(key, &self.keys_among(which)))
    }

    /// The keys that are present in every case, or in none, as a set of known scalars.
    fn keys_among(self, which: Which) -> KeySet {
        KeySet::new(Arc::new(KnownKeys { map: self, which }))
    }

    fn without_pending(&self) -> Map {
        let mut map = self.clone();
        if !map.0.pending.is_empty() {
            if unknown_key::are_many(&self.0) {
                // The copy has the sum of the hashes, too, and need not make it again.
                self.0.hash();
            }
            Arc::make_mut(&mut map.0).pending.clear();
        }
        map
    }

    /// A number, a multiple of eight, that identifies the entries while the map lives: those of copies are the same ones.
    fn address(&self) -> usize {
        self.0.entries.address()
    }

    /// The entry under a known scalar, if any; `None` if a write is pending, a key is symbolic, or the map stands on a base.
    #[must_use]
    pub fn plain_entry(&self, key: &Value) -> Option<Option<&Entry>> {
        self.is_plain().then(|| self.0.entries.get(key))
    }

    /// The entry under a known key, if any; `None` if that depends on a pending write, a symbolic key or the base.
    #[must_use]
    pub fn certain_entry(&self, key: &Value) -> Option<Option<&Entry>> {
        let contents = &*self.0;
        let found = contents.entries.get(key);
        let is_kept = |write: &Write| write.differs.contains(key) || (found.is_some() && write.entry.as_ref() == found);
        if !contents.pending.iter().all(is_kept) {
            return None;
        }
        match found {
            Some(entry) => Some(Some(entry).filter(|entry| entry.presence != Presence::Never)),
            None => (contents.symbolic == 0 && contents.base.is_none()).then_some(None),
        }
    }

    /// Tests whether each entry is a cell of its own, independent of the others: no key is symbolic, no write is pending, and the base
    /// was asked for nothing but entries under known keys.
    #[must_use]
    pub fn has_cells(&self) -> bool {
        let contents = &*self.0;
        let is_unasked = |base: &Base| base.touched.is_empty() && base.others.is_none();
        contents.symbolic == 0 && contents.pending.is_empty() && contents.base.as_deref().is_none_or(is_unasked)
    }

    /// The entry in the cell of a key, if any; `None` if the map has no cells ([`Map::has_cells`]).
    #[must_use]
    pub fn cell(&self, key: &Value) -> Option<Option<&Entry>> {
        self.has_cells().then(|| self.0.entries.get(key).filter(|entry| entry.presence != Presence::Never))
    }

    /// Tests whether the map is just its entries: no key is symbolic, no write is pending, and it stands on no base.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let contents = &*self.0;
        contents.symbolic == 0 && contents.pending.is_empty() && contents.base.is_none()
    }

    /// The entries with an unknown key, presence or value.
    pub fn open_entries(&self) -> impl Iterator<Item = (&Value, &Entry)> {
        self.0.entries.open()
    }

    /// The map with the entry under a key set, or removed (`None`).
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn set(&self, key: &Value, entry: Option<Entry>) -> Lifted<Map> {
        if let Value::Union(alternatives) = key {
            return Err(Split::On(alternatives[0].0.clone()));
        }
        let mut map = self.clone();
        map.set_in_place(key, entry);
        Ok(map)
    }

    /// Sets the entry under a key, or removes it (`None`). A map that is not shared is not copied.
    pub fn set_in_place(&mut self, key: &Value, entry: Option<Entry>) {
        if (entry.is_none() && self.surely_lacks(key)) || self.surely_has(key, entry.as_ref()) {
            return;
        }
        let contents = Arc::make_mut(&mut self.0);
        if let Some(base) = &mut contents.base
            && !contents.entries.contains_key(key)
        {
            // The key that is hidden now may have been the only other key of the base.
            base.others = None;
        }
        if contents.commutes_with_pending(key, entry.as_ref()) {
            contents.place_at_once(key.clone(), entry);
        } else {
            let (key, differs) = (key.clone(), contents.withdraw(key).unwrap_or_default());
            contents.pending.push(Write { key, entry, when: None, differs, beneath: PresenceBefore::Unasked });
            contents.place_decided();
        }
    }

    /// Tests whether the map certainly has no entry under a key, and no pending write: then there is nothing to remove.
    fn surely_lacks(&self, key: &Value) -> bool {
        let contents = &*self.0;
        let plain = contents.base.is_none() && contents.pending.is_empty() && contents.is_plain(key);
        plain && !contents.entries.contains_key(key)
    }

    /// Tests whether an entry is an element of a set that a pending write added, with only additions after it.
    pub(super) fn surely_has(&self, key: &Value, entry: Option<&Entry>) -> bool {
        let adds = entry.is_some_and(Entry::is_certain_element);
        adds && self.0.pending.iter().rev().take_while(|write| write.adds_element()).any(|write| write.key == *key)
    }

    /// Tests whether the map has an entry under this very key, and its keys are known to differ: no write is pending, and it stands on no
    /// base.
    #[must_use]
    pub fn has_apart(&self, key: &Value) -> bool {
        let contents = &*self.0;
        contents.pending.is_empty() && contents.base.is_none() && contents.entries.contains_key(key)
    }

    /// Adds an entry that is present under a condition, whose key is known to differ from all other keys; returns false, and does
    /// nothing, if writes are pending or the map stands on a base.
    pub fn add_apart(&mut self, key: &Value, there: &Truth, value: &Value) -> bool {
        if !self.0.pending.is_empty() || self.0.base.is_some() || self.0.entries.contains_key(key) {
            return false;
        }
        if let Some(new) = entry(there.clone(), value.clone()) {
            Arc::make_mut(&mut self.0).place(key.clone(), Some(new));
        }
        true
    }

    /// Keeps the entry under a known scalar only if a condition holds; returns false, and does nothing, if the map is not plain.
    pub fn keep_where(&mut self, key: &Value, kept: &Truth) -> bool {
        let Some(found) = self.plain_entry(key) else { return false };
        if let Some(own) = found {
            let new = entry(kept.clone().and(own.truth()), own.value.clone());
            Arc::make_mut(&mut self.0).place(key.clone(), new);
        }
        true
    }

    /// A map of these entries; the last of several with one key wins.
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = (Value, Value)>) -> Map {
        let mut map = Map::default();
        for (key, value) in entries {
            map.set_in_place(&key, Some(Entry::always(value)));
        }
        map
    }

    /// Tests whether the map is a set whose elements are all present in every case, even if some may be equal: `{x, y}` is one.
    pub(in crate::value) fn has_only_certain(&self) -> bool {
        let contents = &*self.0;
        contents.base.is_none() && contents.conditional == 0 && contents.pending.iter().all(Write::adds_element)
    }

    /// Adds the elements of a set, which are all present in every case. Their order does not matter, nor do equal ones.
    pub(in crate::value) fn add_all(&mut self, more: &Map) {
        let mut keys: Vec<&Value> = more.0.entries.keys().collect();
        keys.sort();
        let keys = keys.into_iter().chain(more.0.pending.iter().map(|write| &write.key));
        keys.for_each(|key| self.set_in_place(key, Some(Entry::always(Value::UNIT))));
    }

    /// An upper bound of the number of entries, pending writes included.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.0.entries.len() + self.0.pending.len()
    }

    /// The keys and values of entries, and the keys of pending writes.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Value> {
        let entries = self.0.entries.iter().flat_map(|(key, entry)| [key, &entry.value]);
        entries.chain(self.0.pending.iter().map(|write| &write.key))
    }

    /// The keys that were written since both were copies of one map, if that was not long ago. All other entries are the same.
    pub(super) fn written_since_parted<'m>(&'m self, other: &'m Map) -> Option<SmallVec<[&'m Value; 8]>> {
        self.0.lineage.since_parted(&other.0.lineage)
    }

    /// The keys whose entries may differ in the two maps: those written since they were one map, if that is known, else all.
    fn keys_that_may_differ<'m>(&'m self, other: &'m Map) -> SmallVec<[&'m Value; 8]> {
        self.written_since_parted(other).unwrap_or_else(|| {
            let only_in_other = other.0.entries.keys().filter(|key| !self.0.entries.contains_key(key));
            self.0.entries.keys().chain(only_in_other).collect()
        })
    }

    /// The keys whose entries differ in the two maps; `None` if the maps may differ in anything else.
    #[must_use]
    pub fn differing_keys(&self, other: &Map) -> Option<Vec<Value>> {
        let entry = |map: &'_ Map, key: &Value| map.0.entries.get(key).cloned();
        let differ = |key: &&Value| entry(self, key) != entry(other, key);
        if !self.has_cells() || !other.has_cells() || self.base() != other.base() {
            return None;
        }
        let keys: Vec<Value> = self.keys_that_may_differ(other).into_iter().filter(differ).cloned().collect();
        // An entry of the base that only one map has would be asked for first.
        let is_there = |key: &Value| entry(self, key).is_some() && entry(other, key).is_some();
        (self.base().is_none() || keys.iter().all(is_there)).then_some(keys)
    }

    /// Tests whether two maps with the same number of entries have the same entries.
    fn has_entries_of(&self, other: &Map) -> bool {
        match self.written_since_parted(other) {
            Some(keys) => keys.into_iter().all(|key| self.0.entries.get(key) == other.0.entries.get(key)),
            None => self.0.hash() == other.0.hash() && self.0.entries == other.0.entries,
        }
    }

    /// The entries in the order of their keys.
    fn sorted(&self) -> Vec<(&Value, &Entry)> {
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        entries.sort();
        entries
    }
}

/// Maps are equal, ordered and hashed by their entries, whatever the order of the writes. This is equality of structure (for merging
/// candidates), not `==` of the language.
impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        self.is_same(other)
            || (self.0.entries.len() == other.0.entries.len()
                && self.0.base == other.0.base
                && self.0.pending == other.0.pending
                && self.has_entries_of(other))
    }
}

impl Eq for Map {}

impl PartialOrd for Map {
    fn partial_cmp(&self, other: &Map) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Map {
    fn cmp(&self, other: &Map) -> std::cmp::Ordering {
        self.sorted()
            .cmp(&other.sorted())
            .then_with(|| (&self.0.base, &self.0.pending).cmp(&(&other.0.base, &other.0.pending)))
    }
}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash().hash(state);
        self.0.base.hash(state);
        self.0.pending.hash(state);
    }
}

/// The last write under the very same key, and the writes after it; all writes, if there is none.
fn later_writes<'w>(writes: &'w [Write], key: &Value) -> (Option<&'w Write>, &'w [Write]) {
    match writes.iter().rposition(|write| write.surely_writes_under(key)) {
        Some(at) => (Some(&writes[at]), &writes[at + 1..]),
        None => (None, writes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;
    use crate::term::{Term, Var};

    #[test]
    fn maps_hash_apart_if_only_their_values_changed_places() {
        let orders = [[0, 1, 2, 3], [1, 0, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [0, 1, 3, 2], [3, 2, 1, 0]];
        let map = |order: [i64; 4]| Map::of((0..4).map(Value::from).zip(order.map(Value::from)));
        let hashes: std::collections::BTreeSet<u64> = orders.into_iter().map(|order| map(order).0.hash()).collect();
        assert_eq!(hashes.len(), orders.len());
    }

    #[test]
    fn what_is_kept_on_a_condition_is_joined_with_what_is_without_it() {
        let [there, kept] = [1, 2].map(|id| Term::var(Var { id, sort: Sort::Bool }));
        let mut map = Map::of([(Value::from(0), Value::from(7)), (Value::from(1), Value::Term(there.clone()))]);
        map.set_in_place(&Value::from(2), Some(Entry::when(Truth::Term(there.clone()), Value::from(5))));
        for condition in [kept.clone(), there.clone(), Term::not(&there)].map(Truth::Term) {
            for key in (0..4).map(Value::from) {
                let fewer = map.set(&key, None).expect("a known key");
                let mut own = map.clone();
                assert!(own.keep_where(&key, &condition));
                assert_eq!(Some(&own), Map::join(&condition.clone().term(), &map, &fewer).as_ref());
                let [mut all, mut none] = [map.clone(), map.clone()];
                assert!(all.keep_where(&key, &Truth::Known(true)) && none.keep_where(&key, &Truth::Known(false)));
                assert_eq!((&all, &none), (&map, &fewer));
            }
        }
        map.set_in_place(&Value::Term(Term::var(Var { id: 3, sort: Sort::Int })), None);
        assert!(!map.keep_where(&Value::from(0), &Truth::Term(kept)));
    }
}
