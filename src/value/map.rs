//! Maps and sets with presence conditions.
//!
//! A map is its entries, each with the condition under which it is there, and *pending* writes under keys that may or may
//! not equal another key. The keys of entries are known, or symbolic and known to differ from all other keys; so only the
//! pending part ever needs a comparison to be decided, and a map whose keys are known costs what a hash map costs.

use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::{Lifted, Split, Truth, Value, equal, merge};
use crate::scalar::Scalar;
use crate::term::{KeySet, ScalarSet, Term};

type Entries = im::GenericHashMap<Value, Entry, BuildHasherDefault<FxHasher>, im::shared_ptr::DefaultSharedPtr>;

/// When an entry is there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Presence {
    /// In every case.
    Always,
    /// Where the condition holds.
    When(Term),
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
}

/// A map, or (with unit values) a set.
#[derive(Clone, Debug)]
pub struct Map(Arc<Contents>);

#[derive(Clone, Debug, Default)]
struct Contents {
    entries: Entries,
    /// How many keys of entries are symbolic.
    symbolic: usize,
    /// How many entries are there under a condition only.
    conditional: usize,
    /// Later writes win.
    pending: Vec<Write>,
}

impl Presence {
    fn truth(&self) -> Truth {
        match self {
            Presence::Always => Truth::Known(true),
            Presence::When(term) => Truth::Term(term.clone()),
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
    /// An entry that is there in every case.
    #[must_use]
    pub fn always(value: Value) -> Entry {
        Entry { presence: Presence::Always, value }
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
        contents.pending.is_empty()
            && contents.symbolic == 0
            && contents.conditional == 0
            && contents.entries.values().all(|entry| entry.value.is_known())
    }

    /// The condition that must be decided before the entries can be enumerated, if a write is pending.
    fn pending_condition(&self) -> Option<Term> {
        let write = self.0.pending.first()?;
        let other = self.0.entries.keys().filter(|key| !write.differs.contains(key)).min()?;
        match equal(&write.key, other) {
            Ok(truth) => Some(truth.term()),
            Err(Split(term)) => Some(term),
        }
    }

    /// All entries in the order of their keys. Splits while a write is pending.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn entries(&self) -> Lifted<Vec<(&Value, &Entry)>> {
        self.settled()?;
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        entries.sort_by(|a, b| a.0.cmp(b.0));
        Ok(entries)
    }

    fn settled(&self) -> Lifted<()> {
        match self.0.pending.first() {
            None => Ok(()),
            Some(_) => Err(Split(self.pending_condition().unwrap_or_else(|| Term::constant(Scalar::Bool(false))))),
        }
    }

    /// The map after the first pending comparison was decided.
    #[must_use]
    pub fn decide(&self, condition: &Term, truth: bool) -> Map {
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        if contents.pending.is_empty() {
            return contents.decide_presence(condition, truth).unwrap_or(map);
        }
        let mut write = contents.pending.remove(0);
        let other = contents.entries.keys().filter(|key| !write.differs.contains(key)).min().cloned();
        match other {
            None => contents.place(write.key, write.entry),
            Some(other) if truth => contents.place(other, write.entry),
            Some(other) => {
                write.differs.push(other);
                contents.pending.insert(0, write);
            }
        }
        map
    }

    /// The value under a key where the map has it, and when it has it.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn get(&self, key: &Value) -> Lifted<(Truth, Value)> {
        if let Value::Union(alternatives) = key {
            return Err(Split(alternatives[0].0.clone()));
        }
        let contents = &*self.0;
        let mut found = contents.get_entry(key)?;
        for write in &contents.pending {
            let (truth, value) = present(write.entry.as_ref());
            found = match equal(&write.key, key)? {
                Truth::Known(true) => (truth, value),
                Truth::Known(false) => found,
                Truth::Term(same) => {
                    let there = Truth::of(Term::ite(&same, &truth.term(), &found.0.term()));
                    (there, merge(&same, value, found.1))
                }
            };
        }
        Ok(found)
    }

    /// Whether the map has a key.
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn contains(&self, key: &Value) -> Lifted<Truth> {
        let contents = &*self.0;
        if let Value::Term(term) = key
            && contents.pending.is_empty()
            && contents.symbolic == 0
            && contents.conditional == 0
        {
            return Ok(Truth::of(Term::member(term, &KeySet::new(Arc::new(Keys(self.clone()))))));
        }
        if let Value::Union(alternatives) = key {
            return Err(Split(alternatives[0].0.clone()));
        }
        let mut found = contents.contains_entry(key)?;
        for write in &contents.pending {
            let same = equal(&write.key, key)?;
            let there = write.entry.as_ref().map_or(Truth::Known(false), Entry::truth);
            found = same.clone().and(there).or(same.not().and(found));
        }
        Ok(found)
    }

    /// The map with one entry set (`None`: removed).
    ///
    /// # Errors
    /// The condition on which to fork first.
    pub fn set(&self, key: &Value, entry: Option<Entry>) -> Lifted<Map> {
        if let Value::Union(alternatives) = key {
            return Err(Split(alternatives[0].0.clone()));
        }
        let mut map = self.clone();
        map.set_in_place(key, entry);
        Ok(map)
    }

    /// Sets one entry where the map is not shared.
    pub fn set_in_place(&mut self, key: &Value, entry: Option<Entry>) {
        let contents = Arc::make_mut(&mut self.0);
        if contents.pending.is_empty() && contents.is_plain(key) {
            contents.place(key.clone(), entry);
        } else {
            contents.pending.push(Write { key: key.clone(), entry, differs: Vec::new() });
        }
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

    /// Whether a write is pending under a key that may equal another.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.0.pending.is_empty()
    }

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

    /// Applies a function to keys and entries; used by substitution. Nothing changes where it gives `None`.
    #[must_use]
    pub(super) fn rewrite(&self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>, scope: Scope) -> Option<Map> {
        let mut changed: Vec<(Value, Option<(Value, Entry)>)> = Vec::new();
        if scope == Scope::Everything {
            for (key, entry) in self.0.entries.iter() {
                let (new_key, new_entry) = (rewrite(key), entry.rewrite(rewrite));
                if new_key.is_some() || new_entry.is_some() {
                    let entry = new_entry.unwrap_or_else(|| Some(entry.clone()));
                    changed.push((key.clone(), entry.map(|e| (new_key.unwrap_or_else(|| key.clone()), e))));
                }
            }
        }
        if changed.is_empty() && self.0.pending.is_empty() {
            return None;
        }
        let mut map = self.clone();
        let contents = Arc::make_mut(&mut map.0);
        let pending = std::mem::take(&mut contents.pending);
        changed.iter().for_each(|(key, _)| contents.place(key.clone(), None));
        changed.into_iter().filter_map(|(_, new)| new).for_each(|(key, entry)| contents.place(key, Some(entry)));
        for write in pending {
            let key = rewrite(&write.key).unwrap_or(write.key);
            let entry = write.entry.and_then(|e| e.rewrite(rewrite).unwrap_or(Some(e)));
            if contents.pending.is_empty() && contents.is_plain(&key) {
                contents.place(key, entry);
            } else {
                let differs = write.differs.into_iter().map(|d| rewrite(&d).unwrap_or(d)).collect();
                contents.pending.push(Write { key, entry, differs });
            }
        }
        Some(map)
    }

    /// Calls a function on every value inside.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(&Value), presence: &mut dyn FnMut(&Term)) {
        for (key, entry) in self.0.entries.iter() {
            visit(key);
            entry.visit(visit, presence);
        }
        for write in &self.0.pending {
            visit(&write.key);
            write.entry.iter().for_each(|entry| entry.visit(visit, presence));
        }
    }
}

/// How much of a map is rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    /// Pending writes only, in time that does not grow with the map.
    Pending,
    /// Every entry.
    Everything,
}

impl Entry {
    /// `None`: unchanged; `Some(None)`: it is never there any more.
    fn rewrite(&self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<Option<Entry>> {
        let value = rewrite(&self.value);
        let presence = match &self.presence {
            Presence::Always => None,
            Presence::When(term) => rewrite(&Value::Term(term.clone())).map(|v| v.truth()),
        };
        if value.is_none() && presence.is_none() {
            return None;
        }
        let presence = presence.unwrap_or_else(|| self.truth());
        Some(entry(presence, value.unwrap_or_else(|| self.value.clone())))
    }

    fn visit(&self, visit: &mut dyn FnMut(&Value), presence: &mut dyn FnMut(&Term)) {
        visit(&self.value);
        if let Presence::When(term) = &self.presence {
            presence(term);
        }
    }
}

impl Contents {
    /// Whether a key is decided against all keys of entries.
    fn is_plain(&self, key: &Value) -> bool {
        self.entries.is_empty() || self.entries.contains_key(key) || (self.symbolic == 0 && key.is_known())
    }

    fn place(&mut self, key: Value, entry: Option<Entry>) {
        let symbolic = usize::from(!key.is_known());
        let old = match entry {
            None => self.entries.remove(&key),
            Some(entry) => {
                self.symbolic += symbolic;
                self.conditional += usize::from(entry.presence != Presence::Always);
                self.entries.insert(key, entry)
            }
        };
        if let Some(old) = old {
            self.symbolic -= symbolic;
            self.conditional -= usize::from(old.presence != Presence::Always);
        }
    }

    fn decide_presence(&mut self, condition: &Term, truth: bool) -> Option<Map> {
        let negated = Term::not(condition);
        let hit = self.entries.iter().find_map(|(key, entry)| match &entry.presence {
            Presence::When(term) if term == condition => Some((key.clone(), truth)),
            Presence::When(term) if *term == negated => Some((key.clone(), !truth)),
            Presence::When(_) | Presence::Always => None,
        });
        let (key, there) = hit?;
        let value = self.entries.get(&key)?.value.clone();
        self.place(key, there.then(|| Entry::always(value)));
        Some(Map(Arc::new(self.clone())))
    }

    fn get_entry(&self, key: &Value) -> Lifted<(Truth, Value)> {
        let exact = self.entries.get(key);
        if exact.is_some() || (self.symbolic == 0 && key.is_known()) {
            return Ok(present(exact));
        }
        let mut found = (Truth::Known(false), Value::Absent);
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by(|a, b| b.0.cmp(a.0));
        for (other, entry) in entries {
            let same = equal(other, key)?;
            found = (found.0.or(same.clone().and(entry.truth())), merge(&same.term(), entry.value.clone(), found.1));
        }
        Ok(found)
    }

    fn contains_entry(&self, key: &Value) -> Lifted<Truth> {
        let exact = self.entries.get(key);
        if exact.is_some() || (self.symbolic == 0 && key.is_known()) {
            return Ok(exact.map_or(Truth::Known(false), Entry::truth));
        }
        let mut cases = Vec::new();
        for (other, entry) in self.entries.iter() {
            cases.push(equal(other, key)?.and(entry.truth()).term());
        }
        Ok(Truth::of(Term::or_all(cases)))
    }

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

fn present(entry: Option<&Entry>) -> (Truth, Value) {
    entry.map_or((Truth::Known(false), Value::Absent), |entry| (entry.truth(), entry.value.clone()))
}

fn entry(truth: Truth, value: Value) -> Option<Entry> {
    Presence::of(truth).map(|presence| Entry { presence, value })
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
struct Keys(Map);

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

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        self.is_same(other)
            || (self.0.entries.len() == other.0.entries.len()
                && self.0.pending == other.0.pending
                && self.0.entries == other.0.entries)
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
        self.sorted().cmp(&other.sorted()).then_with(|| self.0.pending.cmp(&other.0.pending))
    }
}

impl Map {
    fn sorted(&self) -> Vec<(&Value, &Entry)> {
        let mut entries: Vec<_> = self.0.entries.iter().collect();
        entries.sort();
        entries
    }
}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal maps must hash alike whatever their order of insertion: add the hashes of the entries.
        let sum = self.0.entries.iter().fold(0u64, |sum, pair| {
            let mut hasher = FxHasher::default();
            pair.hash(&mut hasher);
            sum.wrapping_add(hasher.finish())
        });
        sum.hash(state);
        self.0.pending.hash(state);
    }
}
