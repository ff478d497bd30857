//! The contents of a map: its entries, and the writes that wait. An entry is written at once, if its key is decided against all
//! others, or later.
//!
//! `m["a"] := 1` is placed if the keys of `m` are known; under `#1` it waits until that is known to be one of them, or none.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::entry::{Beneath, Entry, Presence, Write};
use super::lineage::Lineage;
use super::table::{self, Kept, Table};
use crate::value::{Base, Truth, Value, equal};

/// The number of entries with something open in them that are remembered for [`Map::normalize`](super::Map::normalize).
const DOUBTFUL: usize = 8;

/// Entries and writes that wait, with their invariants:
///
/// 1. The keys of entries are known, or symbolic and known to differ from all others; on an unknown base all are known.
/// 2. The counts, and the sum of hashes once it is there, are those of the entries: only [`Contents::place`] changes them.
/// 3. On an unknown base a key that was removed has an entry that is never there.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub(super) entries: Table,
    /// The number of symbolic keys of entries.
    pub(super) symbolic: usize,
    /// The number of entries that are there under a condition only, or never.
    pub(super) conditional: usize,
    /// The number of entries that are never there.
    pub(super) hidden: usize,
    /// The sum of the hashes of the entries, from when it is asked for.
    hash: OnceLock<u64>,
    /// Later writes win.
    pub(super) pending: Vec<Write>,
    /// Set if what waits is decided as soon as the entries matter: nobody else knows the keys.
    pub(super) is_eager: bool,
    /// Known keys of entries that were written with something open in them, the latest last.
    pub(super) doubtful: SmallVec<[Value; 1]>,
    /// The map that it was at first, if that is unknown.
    pub(super) base: Option<Box<Base>>,
    /// The last writes to the entries.
    pub(super) lineage: Lineage,
}

impl Contents {
    /// The sum of the hashes of the entries, kept up by every write once it was asked for: most maps are compared with none.
    pub(super) fn hash(&self) -> u64 {
        let sum =
            || self.entries.iter().map(|(key, entry)| hash_of(table::hash(key), entry)).fold(0, u64::wrapping_add);
        *self.hash.get_or_init(sum)
    }

    /// Tests whether a key is decided against all keys of entries.
    pub(super) fn is_plain(&self, key: &Value) -> bool {
        if self.base.is_some() {
            return key.is_known();
        }
        self.entries.is_empty() || (self.symbolic == 0 && key.is_known()) || self.entries.contains_key(key)
    }

    /// Tests whether a write need not wait: nothing does, or all that waits adds to a set, and so does it. Then order is nothing.
    pub(super) fn commutes_with_pending(&self, key: &Value, entry: Option<&Entry>) -> bool {
        let adds = || entry.is_some_and(Entry::is_certain_element) && self.pending.iter().all(Write::adds_element);
        self.is_plain(key) && (self.pending.is_empty() || key.is_known() && adds())
    }

    /// Places an entry for which no write that waits matters, as all of them, and it, add to a set.
    pub(super) fn place_at_once(&mut self, key: Value, entry: Option<Entry>) {
        // Those that wait come after one key more.
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

    /// The key that the first pending write is under, if that is known. On an unknown base it may still be any.
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

    /// Places an entry, or removes it.
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

    /// Notes that something is not known in what an entry under a known key becomes.
    fn note_doubtful(&mut self, key: &Value) {
        if !self.doubtful.contains(key) {
            if self.doubtful.len() == DOUBTFUL {
                self.doubtful.remove(0);
            }
            self.doubtful.push(key.clone());
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

    /// Forgets what a write with this effect, which was taken away, had to do with what is known of writes from a position on.
    fn outdate(&mut self, from: usize, effect: Option<bool>) {
        for write in &mut self.pending[from..] {
            let may_change = match write.beneath {
                Beneath::There => effect != Some(false),
                Beneath::Missing => effect != Some(true),
                Beneath::Unasked | Beneath::Open => false,
            };
            if may_change {
                write.beneath = Beneath::Unasked;
            }
        }
    }
}

/// Equal maps hash alike whatever the order of insertion: the hashes of their entries, each with that of its key, are added.
pub(super) fn hash_of(key: u64, entry: &Entry) -> u64 {
    let mut hasher = FxHasher::default();
    (key, entry).hash(&mut hasher);
    hasher.finish()
}
