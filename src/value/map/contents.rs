//! The contents of a map: its entries, and its pending writes.
//!
//! The write `m["a"] := 1` is placed at once if the keys of `m` are known; `m[#1] := 1` is pending until `#1` is known to equal one of
//! them, or none.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::entry::{Entry, Presence, PresenceBefore, Write};
use super::lineage::Lineage;
use super::table::{self, Kept, Table};
use crate::value::{Base, Truth, Value, equal};

/// At most this many entries with an open presence or value are remembered for [`Map::normalize`](super::Map::normalize).
const DOUBTFUL: usize = 8;

/// The contents of a map.
///
/// 1. The keys of entries are known, or symbolic and known to differ from all others; on an unknown base all are known.
/// 2. The counts, and the sum of hashes once it was asked for, are those of the entries: only [`Contents::place`] changes them.
/// 3. On an unknown base a removed key has an entry that is never present.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub(super) entries: Table,
    /// The number of symbolic keys of entries.
    pub(super) symbolic: usize,
    /// The number of entries that are present under a condition, or never.
    pub(super) conditional: usize,
    /// The number of entries that are never present.
    pub(super) hidden: usize,
    /// The sum of the hashes of the entries, once it was asked for.
    hash: OnceLock<u64>,
    /// The pending writes, the earliest first; later ones win.
    pub(super) pending: Vec<Write>,
    /// Set if pending writes are decided as soon as the entries matter: their keys occur nowhere else.
    pub(super) decides_early: bool,
    /// Known keys under which an entry with an open presence or value was written, the latest last.
    pub(super) doubtful: SmallVec<[Value; 1]>,
    /// The unknown base, if the map stands on one.
    pub(super) base: Option<Box<Base>>,
    /// The last writes to the entries.
    pub(super) lineage: Lineage,
}

impl Contents {
    /// The sum of the hashes of the entries. Most maps are never compared: the sum is made when it is asked for, and kept up by each
    /// write after that.
    pub(super) fn hash(&self) -> u64 {
        let sum =
            || self.entries.iter().map(|(key, entry)| hash_of(table::hash(key), entry)).fold(0, u64::wrapping_add);
        *self.hash.get_or_init(sum)
    }

    /// Tests whether a key is known to equal, or to differ from, each key of an entry.
    pub(super) fn is_plain(&self, key: &Value) -> bool {
        if self.base.is_some() {
            return key.is_known();
        }
        self.entries.is_empty() || (self.symbolic == 0 && key.is_known()) || self.entries.contains_key(key)
    }

    /// Tests whether a write may be placed at once: no write is pending, or all pending writes and this one add elements to a set, in
    /// which their order does not matter.
    pub(super) fn commutes_with_pending(&self, key: &Value, entry: Option<&Entry>) -> bool {
        let adds = || entry.is_some_and(Entry::is_certain_element) && self.pending.iter().all(Write::adds_element);
        self.is_plain(key) && (self.pending.is_empty() || key.is_known() && adds())
    }

    /// Places the entry of a write that commutes with all pending ones ([`Contents::commutes_with_pending`]).
    pub(super) fn place_at_once(&mut self, key: Value, entry: Option<Entry>) {
        // The pending writes come after one more addition.
        self.outdate(0, Some(false));
        self.place(key, entry);
    }

    /// Places pending writes, the earliest first, as long as each key is known to equal one of the entries, or none.
    pub(super) fn place_decided(&mut self) {
        while let Some(key) = self.decided_key() {
            self.carry_out(0, key);
        }
    }

    /// Carries out a pending write that commutes with all before it; its key is that of an entry, or differs from all of them.
    pub(super) fn carry_out(&mut self, at: usize, key: Value) {
        let write = self.pending.remove(at);
        let entry = write.after(self.entries.get(&key));
        self.place(key, entry);
    }

    /// The key of the entry that the first pending write sets, if that is known, or differs from all others. On an unknown base a symbolic key may be any.
    fn decided_key(&self) -> Option<Value> {
        let Write { key, differs, entry, beneath, .. } = self.pending.first()?;
        if self.base.is_some() {
            return self.has_before(0).then(|| key.clone());
        }
        if self.is_plain(key) {
            return Some(key.clone());
        }
        // A key that was missing differs from those of entries that are present in every case.
        if *beneath == PresenceBefore::Missing && self.conditional == 0 && entry.is_some() {
            return Some(key.clone());
        }
        for (other, _) in self.those_that_may_have(key).filter(|(other, _)| !differs.contains(other)) {
            match equal(key, other) {
                Ok(Truth::Known(true)) => return Some(other.clone()),
                Ok(Truth::Known(false)) => {}
                Ok(Truth::Term(_)) | Err(_) => return None,
            }
        }
        Some(key.clone())
    }

    /// Tests whether a pending write is under a known key, and the entry before it is that of the map itself, if it matters.
    pub(super) fn has_before(&self, at: usize) -> bool {
        let Write { key, when, .. } = &self.pending[at];
        key.is_known() && (self.base.is_none() || when.is_none() || self.entries.contains_key(key))
    }

    /// The entries that may have a key which is that of no entry for certain.
    pub(super) fn those_that_may_have(&self, key: &Value) -> impl Iterator<Item = (&Value, &Entry)> {
        let is_known = key.is_known();
        let entries = if is_known { self.entries.open() } else { self.entries.iter() };
        entries.filter(move |(other, _)| !(is_known && other.is_known()))
    }

    /// The entries whose keys are not known.
    pub(super) fn with_unknown_keys(&self) -> impl Iterator<Item = (&Value, &Entry)> {
        self.entries.open().filter(|(key, _)| !key.is_known())
    }

    /// Places an entry, or removes it.
    pub(super) fn place(&mut self, key: Value, entry: Option<Entry>) {
        self.lineage.written(&key);
        let entry = if self.base.is_some() { entry.or(Some(Entry::HIDDEN)) } else { entry };
        let (key_is_known, hash) = (key.is_known(), table::hash(&key));
        let symbolic = usize::from(!key_is_known);
        if self.entries.is_empty() {
            // Literals are hashed when a specification is read; that is no reason to keep the sum up later.
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
                self.entries.insert(key, new, hash, is_open || !key_is_known)
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

    /// Notes a known key under which an entry with an open presence or value is written.
    fn note_doubtful(&mut self, key: &Value) {
        if !self.doubtful.contains(key) {
            if self.doubtful.len() == DOUBTFUL {
                self.doubtful.remove(0);
            }
            self.doubtful.push(key.clone());
        }
    }

    /// Removes an earlier pending write under the very same key, which a new write hides in every case; returns the keys from which
    /// that key is known to differ.
    pub(super) fn withdraw(&mut self, key: &Value) -> Option<Vec<Value>> {
        let at = self.pending.iter().position(|write| write.key == *key)?;
        let write = self.pending.remove(at);
        self.outdate(at, write.effect());
        Some(write.differs)
    }

    /// Forgets what is known of the presences before the pending writes from a position on, if it may have changed because an earlier
    /// write with this effect is gone. A new addition counts like a removal that is gone.
    fn outdate(&mut self, from: usize, effect: Option<bool>) {
        for write in &mut self.pending[from..] {
            let may_change = match write.beneath {
                PresenceBefore::There => effect != Some(false),
                PresenceBefore::Missing => effect != Some(true),
                PresenceBefore::Unasked | PresenceBefore::Open => false,
            };
            if may_change {
                write.beneath = PresenceBefore::Unasked;
            }
        }
    }
}

/// The hash of an entry with that of its key. A map adds them up, so that equal maps hash alike whatever the order of writes.
///
/// The hasher only adds and multiplies: without the mixing, `{a: 1, b: 2}` and `{a: 2, b: 1}` would have the same sum.
pub(super) fn hash_of(key: u64, entry: &Entry) -> u64 {
    let mut hasher = FxHasher::default();
    (key, entry).hash(&mut hasher);
    let hash = hasher.finish();
    let mixed = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}
