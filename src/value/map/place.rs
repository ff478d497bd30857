//! Writing an entry: at once, where its key is decided against all others, or later.
//!
//! `m["a"] := 1` is placed where the keys of `m` are known; under `#1` it waits until that is known to be one of them, or none.

use super::order::hash_of;
use super::table::{self, Kept};
use super::{Contents, Entry, Map, Presence, Write, equal};
use crate::value::{Truth, Value};

impl Entry {
    /// Tests whether it is an element of a set that is there in every case.
    fn is_certain_element(&self) -> bool {
        self.presence == Presence::Always && self.value == Value::UNIT
    }
}

impl Write {
    /// Tests whether it adds an element to a set in every case.
    pub(super) fn adds_element(&self) -> bool {
        self.entry.as_ref().is_some_and(Entry::is_certain_element)
    }
}

impl Map {
    /// Tests whether it is a set of elements each of which is there in every case. Some may be equal: `{x, y}` is one.
    pub(in crate::value) fn has_only_certain(&self) -> bool {
        let contents = &*self.0;
        contents.base.is_none() && contents.conditional == 0 && contents.pending.iter().all(Write::adds_element)
    }

    /// Adds the elements of a set of which each is there in every case: in which order, and whether some are equal, is nothing.
    pub(in crate::value) fn add_all(&mut self, more: &Map) {
        let mut keys: Vec<&Value> = more.0.entries.keys().collect();
        keys.sort();
        let keys = keys.into_iter().chain(more.0.pending.iter().map(|write| &write.key));
        keys.for_each(|key| self.set_in_place(key, Some(Entry::always(Value::UNIT))));
    }
}

impl Map {
    /// Tests whether an entry is an element of a set that a write that waits has added, and none behind it takes away.
    pub(super) fn surely_has(&self, key: &Value, entry: Option<&Entry>) -> bool {
        let adds = entry.is_some_and(Entry::is_certain_element);
        adds && self.0.pending.iter().rev().take_while(|write| write.adds_element()).any(|write| write.key == *key)
    }
}

impl Contents {
    /// Whether a key is decided against all keys of entries.
    pub(super) fn is_plain(&self, key: &Value) -> bool {
        if self.base.is_some() {
            return key.is_known();
        }
        self.entries.is_empty() || (self.symbolic == 0 && key.is_known()) || self.entries.contains_key(key)
    }

    /// Whether a write need not wait: nothing does, or all that waits adds to a set, and so does it. Then order is nothing.
    pub(super) fn is_settled_by(&self, key: &Value, entry: Option<&Entry>) -> bool {
        let adds = || entry.is_some_and(Entry::is_certain_element) && self.pending.iter().all(Write::adds_element);
        self.is_plain(key) && (self.pending.is_empty() || key.is_known() && adds())
    }

    /// Places an entry for which no write that waits matters, as all of them, and it, add to a set.
    pub(super) fn place_settled(&mut self, key: Value, entry: Option<Entry>) {
        // Those that wait come behind one key more.
        self.outdate(0, Some(false));
        self.place(key, entry);
    }

    /// Places the writes that wait first, as long as each is decided against the keys of all entries.
    pub(super) fn place_decided(&mut self) {
        while let Some(key) = self.decided_key() {
            let write = self.pending.remove(0);
            self.place(key, write.entry);
        }
    }

    /// The key that the first pending write is under, where that is known. On an unknown base it may still be any.
    fn decided_key(&self) -> Option<Value> {
        let Write { key, differs, .. } = self.pending.first()?;
        if self.is_plain(key) {
            return Some(key.clone());
        }
        if self.base.is_some() {
            return None;
        }
        for other in self.entries.keys().filter(|other| !differs.contains(other)) {
            match equal(key, other) {
                Ok(Truth::Known(true)) => return Some(other.clone()),
                Ok(Truth::Known(false)) => {}
                Ok(Truth::Term(_)) | Err(_) => return None,
            }
        }
        Some(key.clone())
    }

    pub(super) fn place(&mut self, key: Value, entry: Option<Entry>) {
        self.lineage.written(&key);
        let entry = if self.base.is_some() { entry.or(Some(Entry::HIDDEN)) } else { entry };
        let (key_is_known, hash) = (key.is_known(), table::hash(&key));
        let symbolic = usize::from(!key_is_known);
        if self.entries.is_empty() {
            // Literals are hashed when a specification is read; that asks for nothing later.
            self.hash.take();
        }
        let old = match entry {
            None => self.entries.remove(&key, hash),
            Some(new) => {
                let is_open = !new.is_known();
                if is_open && key_is_known {
                    self.note_doubtful(&key);
                }
                self.symbolic += symbolic;
                self.conditional += usize::from(new.presence != Presence::Always);
                self.hidden += usize::from(new.presence == Presence::Never);
                if let Some(all) = self.hash.get_mut() {
                    *all = all.wrapping_add(hash_of(hash, &new));
                }
                self.entries.insert(key, new, (hash, is_open || !key_is_known))
            }
        };
        if let Some(old) = old.as_ref().map(Kept::entry) {
            self.symbolic -= symbolic;
            self.conditional -= usize::from(old.presence != Presence::Always);
            self.hidden -= usize::from(old.presence == Presence::Never);
            if let Some(all) = self.hash.get_mut() {
                *all = all.wrapping_sub(hash_of(hash, old));
            }
        }
    }

    /// Takes an earlier pending write under the very same key away, as one that comes now hides it in every case; what its
    /// key is known to differ from.
    pub(super) fn withdraw(&mut self, key: &Value) -> Option<Vec<Value>> {
        let at = self.pending.iter().position(|write| write.key == *key)?;
        let write = self.pending.remove(at);
        self.outdate(at, write.effect());
        Some(write.differs)
    }
}
