//! Maps and sets with presence conditions.
//!
//! A map is its entries, each with the condition under which it is there, and *pending* writes under keys that may or may
//! not equal another key. The keys of entries are known, or symbolic and known to differ from all other keys; so only the
//! pending part ever needs a comparison to be decided, and a map whose keys are known costs what a hash map costs.
//!
//! A map may stand on an unknown base (see `base`); then all keys of entries are known, and a key that was removed keeps
//! an entry that is never there.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{Base, Lifted, Split, Truth, Value, equal, merge};
use crate::term::{KeySet, Term, count_walked};

mod base;
mod distinct;
mod lineage;
mod members;
mod order;
mod place;
mod plain;
mod rewrite;
mod table;
mod under;
mod whole;

use lineage::Lineage;
use table::Table;
use whole::{Keys, Which};

pub(super) use rewrite::Scope;

/// How many entries with something open in them are remembered for [`Map::settle`].
const DOUBTFUL: usize = 8;

/// When an entry is there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Presence {
    /// In every case.
    Always,
    /// Where the condition holds.
    When(Term),
    /// In no case: what an unknown base has under this key is hidden.
    Never,
}

/// An entry of a map.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// When it is there.
    pub presence: Presence,
    /// Its value where it is there.
    pub value: Value,
}

/// A write under a key of which it is open whether it equals another one. `None` is a removal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Write {
    key: Value,
    entry: Option<Entry>,
    /// Keys that it is known to differ from.
    differs: Vec<Value>,
    /// The presence of the key before it.
    beneath: Beneath,
}

/// The presence of a key before a write under it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Beneath {
    /// Nobody has asked yet.
    Unasked,
    /// It is not known.
    Open,
    /// It was, in every case.
    There,
    /// It was not, in any case.
    Missing,
}

/// A map, or (with unit values) a set.
#[derive(Clone, Debug)]
pub struct Map(Arc<Contents>);

#[derive(Clone, Debug, Default)]
struct Contents {
    entries: Table,
    /// How many keys of entries are symbolic.
    symbolic: usize,
    /// How many entries are there under a condition only, or never.
    conditional: usize,
    /// How many entries are never there.
    hidden: usize,
    /// The sum of the hashes of the entries, from when it is asked for.
    hash: OnceLock<u64>,
    /// Later writes win.
    pending: Vec<Write>,
    /// Set where what waits is decided as soon as the entries matter: nobody else knows the keys.
    is_eager: bool,
    /// Known keys of entries that were written with something open in them, the latest last.
    doubtful: SmallVec<[Value; 1]>,
    /// What it was at first, where that is unknown.
    base: Option<Box<Base>>,
    /// What was written to the entries.
    lineage: Lineage,
}

impl Presence {
    /// As a condition.
    #[must_use]
    pub fn truth(&self) -> Truth {
        match self {
            Presence::Always => Truth::Known(true),
            Presence::When(term) => Truth::Term(term.clone()),
            Presence::Never => Truth::Known(false),
        }
    }

    /// The presence under a condition; `None` where it can never be there.
    #[must_use]
    pub fn of(truth: Truth) -> Option<Presence> {
        match truth {
            Truth::Known(true) => Some(Presence::Always),
            Truth::Known(false) => None,
            Truth::Term(term) => Some(Presence::When(term)),
        }
    }
}

impl Entry {
    /// That nothing is there, whatever an unknown base has.
    pub const HIDDEN: Entry = Entry { presence: Presence::Never, value: Value::Absent };

    /// An entry that is there under a condition.
    #[must_use]
    pub fn when(truth: Truth, value: Value) -> Entry {
        Entry { presence: Presence::of(truth).unwrap_or(Presence::Never), value }
    }

    /// An entry that is there in every case.
    #[must_use]
    pub fn always(value: Value) -> Entry {
        Entry { presence: Presence::Always, value }
    }

    /// Whether it is known whether it is there, and what is there.
    #[must_use]
    pub fn is_known(&self) -> bool {
        match self.presence {
            Presence::Always => self.value.is_known(),
            Presence::Never => true,
            Presence::When(_) => false,
        }
    }

    /// The condition of its presence.
    #[must_use]
    pub fn truth(&self) -> Truth {
        self.presence.truth()
    }
}

impl Default for Map {
    fn default() -> Map {
        Map(Arc::new(Contents::default()))
    }
}

impl Map {
    /// Whether both are one shared map.
    #[must_use]
    pub fn is_same(&self, other: &Map) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether every key, presence and value is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        let contents = &*self.0;
        contents.base.is_none()
            && contents.pending.is_empty()
            && contents.conditional == 0
            && !contents.entries.is_open()
    }

    /// The first key that the first pending write may equal, and when it does.
    fn first_open(&self) -> Option<(&Value, Lifted<Truth>)> {
        let write = self.0.pending.first()?;
        let mut others: Vec<_> = self.0.entries.keys().filter(|key| !write.differs.contains(key)).collect();
        others.sort();
        let mut compared = others.into_iter().map(|other| (other, equal(&write.key, other)));
        compared.find(|(_, same)| *same != Ok(Truth::Known(false)))
    }

    /// All entries in the order of their keys. Splits while a write is pending, or where the base is unknown.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn entries(&self) -> Lifted<Vec<(&Value, &Entry)>> {
        self.countable()?;
        self.settled()?;
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        count_walked(entries.len());
        entries.sort_by(|a, b| a.0.cmp(b.0));
        Ok(entries)
    }

    /// Splits on the comparison that must be decided before the entries can be enumerated, if a write is pending.
    pub(super) fn settled(&self) -> Lifted<()> {
        match self.first_open() {
            Some((_, same)) => Err(Split::On(same?.term())),
            None if self.0.pending.is_empty() => Ok(()),
            // It may equal any key of an unknown base.
            None => Err(Split::never()),
        }
    }

    /// The map after a condition was decided: where that is the first pending comparison, it is not open any more; else it
    /// may be one inside of a key.
    #[must_use]
    pub fn decide(&self, condition: &Term, truth: bool) -> Map {
        let Some((other, Ok(same))) = self.first_open() else { return self.with_keys_decided(condition, truth) };
        let same = match same {
            Truth::Known(same) => same,
            Truth::Term(open) if open == *condition => truth,
            Truth::Term(open) if open == Term::not(condition) => !truth,
            Truth::Term(_) => return self.with_keys_decided(condition, truth),
        };
        let other = other.clone();
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        if same {
            let write = contents.pending.remove(0);
            contents.place(other, write.entry);
        } else {
            contents.pending[0].differs.push(other);
        }
        contents.place_decided();
        map
    }

    /// The map after a condition was decided on which the keys that are sets or maps themselves may depend.
    fn with_keys_decided(&self, condition: &Term, truth: bool) -> Map {
        let is_tree = |key: &Value| key.as_term().is_none() && !key.is_known();
        if self.0.base.is_some() || (self.0.symbolic == 0 && self.0.pending.is_empty()) {
            return self.clone();
        }
        let trees = self.0.entries.iter().filter(|(key, _)| is_tree(key));
        let decided: Vec<_> =
            trees.map(|(key, entry)| (key.clone(), key.decide(condition, truth), entry.clone())).collect();
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        for (old, new, entry) in decided.into_iter().filter(|(old, new, _)| old != new) {
            contents.place(old, None);
            contents.place(new, Some(entry));
        }
        for write in &mut contents.pending {
            let keys = std::iter::once(&mut write.key).chain(&mut write.differs);
            keys.filter(|key| is_tree(key)).for_each(|key| *key = key.decide(condition, truth));
        }
        contents.place_decided();
        map
    }

    /// The value under a key where the map has it, and when it has it.
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
            (None, None) => match contents.decided_entry(key) {
                Some(entry) => present(entry),
                None if contents.is_small() => (contents.contains_entry(key)?, contents.value_under(key)?),
                None => (self.has_entry(key)?, contents.value_under(key)?),
            },
        };
        for write in later {
            found = overlaid(&equal(&write.key, key)?, present(write.entry.as_ref()), found);
        }
        Ok(found)
    }

    /// Whether the map has a key.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn contains(&self, key: &Value) -> Lifted<Truth> {
        self.contains_before(self.0.pending.len(), key)
    }

    /// The same before all but so many of the writes that wait.
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
            let same = equal(&write.key, key)?;
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

    /// Whether a key is one of the entries, as if no write waited.
    fn has_entry(&self, key: &Value) -> Lifted<Truth> {
        self.among_certain(key).map_or_else(|| self.0.contains_entry(key), Ok)
    }

    /// Whether a symbolic key is among those of the entries, where these are all there and have known keys.
    fn among_certain(&self, key: &Value) -> Option<Truth> {
        let (Value::Term(term), 0, 0) = (key, self.0.symbolic, self.0.conditional) else { return None };
        let keys = if self.0.pending.is_empty() { self.clone() } else { self.without_pending() };
        Some(keys.has_among(term, Which::Certain))
    }

    /// Whether a symbolic key is one of the known keys that are certainly there, or certainly not.
    fn has_among(self, key: &Term, which: Which) -> Truth {
        Truth::of(Term::member(key, &KeySet::new(Arc::new(Keys { map: self, which }))))
    }

    fn without_pending(&self) -> Map {
        let mut map = self.clone();
        Arc::make_mut(&mut map.0).pending.clear();
        map
    }

    /// The map with one entry set (`None`: removed).
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

    /// Sets one entry where the map is not shared.
    pub fn set_in_place(&mut self, key: &Value, entry: Option<Entry>) {
        if (entry.is_none() && self.surely_lacks(key)) || self.surely_has(key, entry.as_ref()) {
            return;
        }
        let contents = Arc::make_mut(&mut self.0);
        if let Some(base) = &mut contents.base
            && !contents.entries.contains_key(key)
        {
            // What is hidden now may have been the only other key of the base.
            base.others = None;
        }
        if contents.is_settled_by(key, entry.as_ref()) {
            contents.place_settled(key.clone(), entry);
        } else {
            let differs = contents.withdraw(key).unwrap_or_default();
            contents.pending.push(Write { key: key.clone(), entry, differs, beneath: Beneath::Unasked });
            contents.place_decided();
        }
    }

    /// Whether it has no entry under a key in any case, and nothing waits: then there is nothing to remove.
    fn surely_lacks(&self, key: &Value) -> bool {
        let contents = &*self.0;
        let plain = contents.base.is_none() && contents.pending.is_empty() && contents.is_plain(key);
        plain && !contents.entries.contains_key(key)
    }

    /// A set or map out of entries with known keys (later ones win).
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = (Value, Value)>) -> Map {
        let mut map = Map::default();
        for (key, value) in entries {
            map.set_in_place(&key, Some(Entry::always(value)));
        }
        map
    }

    /// Some key, if there is any.
    #[must_use]
    pub fn first_key(&self) -> Option<&Value> {
        self.0.entries.keys().next().or_else(|| self.0.pending.first().map(|write| &write.key))
    }

    /// How many entries it has at most, pending ones included.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.0.entries.len() + self.0.pending.len()
    }

    /// The map with a function applied to the trees among its values.
    #[must_use]
    pub(super) fn with_values(self, change: &dyn Fn(&Value) -> Value) -> Map {
        let trees = self.0.entries.iter().filter(|(_, entry)| entry.value.as_term().is_none());
        let changed: Vec<(Value, Entry)> = trees
            .map(|(key, entry)| (key, entry, change(&entry.value)))
            .filter(|(_, entry, value)| *value != entry.value)
            .map(|(key, entry, value)| (key.clone(), Entry { value, ..entry.clone() }))
            .collect();
        let mut map = self;
        if !changed.is_empty() {
            let contents = Arc::make_mut(&mut map.0);
            changed.into_iter().for_each(|(key, entry)| contents.place(key, Some(entry)));
        }
        map
    }
}

/// The last write that is certainly under a key, and the writes after it (all, if there is none).
fn later_writes<'w>(writes: &'w [Write], key: &Value) -> (Option<&'w Write>, &'w [Write]) {
    match writes.iter().rposition(|write| write.key == *key) {
        Some(at) => (Some(&writes[at]), &writes[at + 1..]),
        None => (None, writes),
    }
}

/// What is there where a key that was written may be the one that is asked for.
fn overlaid(same: &Truth, written: (Truth, Value), before: (Truth, Value)) -> (Truth, Value) {
    match same {
        Truth::Known(true) => written,
        Truth::Known(false) => before,
        Truth::Term(same) => {
            let there = Truth::of(Term::ite(same, &written.0.term(), &before.0.term()));
            (there, merge(same, written.1, before.1))
        }
    }
}

fn present(entry: Option<&Entry>) -> (Truth, Value) {
    entry.map_or((Truth::Known(false), Value::Absent), |entry| (entry.truth(), entry.value.clone()))
}

fn entry(truth: Truth, value: Value) -> Option<Entry> {
    Presence::of(truth).map(|presence| Entry { presence, value })
}
