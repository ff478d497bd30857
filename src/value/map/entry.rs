//! Entries of a map, each with its presence, and pending writes of entries.
//!
//! In `{"a": 1, "b": 2 if p}` the entry under `"a"` is always present, and that under `"b"` if p holds.

use crate::term::Term;
use crate::value::{Lifted, Truth, Value, equal, merge};

/// The condition under which an entry is present.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Presence {
    /// Present in every case.
    Always,
    /// Present if the condition holds.
    When(Term),
    /// Present in no case: the entry hides that of an unknown base under this key.
    Never,
}

/// An entry of a map.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// The condition under which the entry is present.
    pub presence: Presence,
    /// The value, if the entry is present.
    pub value: Value,
}

/// A pending write, under a key that may or may not equal another one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Write {
    pub(super) key: Value,
    /// The new entry; `None` for a removal.
    pub(super) entry: Option<Entry>,
    /// The condition under which anything is written; `None` in every case.
    pub(super) when: Option<Term>,
    /// Keys from which the key is known to differ.
    pub(super) differs: Vec<Value>,
    /// The presence of the key before this write.
    pub(super) beneath: PresenceBefore,
}

/// The presence of a key before a write under it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum PresenceBefore {
    /// It was not asked yet.
    Unasked,
    /// It is not known.
    Open,
    /// The key was present, in every case.
    There,
    /// The key was not present, in any case.
    Missing,
}

impl Presence {
    /// The presence as a condition.
    #[must_use]
    pub fn truth(&self) -> Truth {
        match self {
            Presence::Always => Truth::Known(true),
            Presence::When(term) => Truth::Term(term.clone()),
            Presence::Never => Truth::Known(false),
        }
    }

    /// The presence with this condition; `None` if the condition cannot hold.
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
    /// An entry that is never present: it hides that of an unknown base.
    pub const HIDDEN: Entry = Entry { presence: Presence::Never, value: Value::Absent };

    /// An entry that is present under a condition.
    #[must_use]
    pub fn when(truth: Truth, value: Value) -> Entry {
        Entry { presence: Presence::of(truth).unwrap_or(Presence::Never), value }
    }

    /// An entry that is present in every case.
    #[must_use]
    pub fn always(value: Value) -> Entry {
        Entry { presence: Presence::Always, value }
    }

    /// Tests whether the presence and the value of the entry are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        match self.presence {
            Presence::Always => self.value.is_known(),
            Presence::Never => true,
            Presence::When(_) => false,
        }
    }

    /// The condition under which the entry is present.
    #[must_use]
    pub fn truth(&self) -> Truth {
        self.presence.truth()
    }

    /// Tests whether the entry is that of a certain element of a set.
    pub(super) fn is_certain_element(&self) -> bool {
        self.presence == Presence::Always && self.value == Value::UNIT
    }

    /// The rewritten entry: `None` if nothing changed, `Some(None)` if it is never present any more.
    pub(super) fn rewrite(&self, rewrite: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<Option<Entry>> {
        let value = rewrite(&self.value);
        let presence = match &self.presence {
            Presence::Always | Presence::Never => None,
            Presence::When(term) => rewrite(&Value::Term(term.clone())).map(|v| v.truth()),
        };
        if value.is_none() && presence.is_none() {
            return None;
        }
        let presence = presence.unwrap_or_else(|| self.truth());
        Some(entry(presence, value.unwrap_or_else(|| self.value.clone())))
    }

    /// Calls functions on the value, and on the condition of the presence.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(&Value), presence: &mut dyn FnMut(&Term)) {
        visit(&self.value);
        if let Presence::When(term) = &self.presence {
            presence(term);
        }
    }
}

impl Write {
    /// The effect of the write on a set in every case: true if it adds an element, false if it removes a key; `None` for other writes.
    pub(super) fn effect(&self) -> Option<bool> {
        match &self.entry {
            _ if self.when.is_some() => None,
            None => Some(false),
            Some(_) => self.adds_element().then_some(true),
        }
    }

    /// Tests whether the write adds an element to a set in every case.
    pub(super) fn adds_element(&self) -> bool {
        self.when.is_none() && self.entry.as_ref().is_some_and(Entry::is_certain_element)
    }

    /// The condition that the write writes under a key.
    pub(super) fn writes_under(&self, key: &Value) -> Lifted<Truth> {
        let same = equal(&self.key, key)?;
        Ok(self.when.iter().fold(same, |same, when| same.and(Truth::Term(when.clone()))))
    }

    /// Tests whether the write is under this very key, in every case.
    pub(super) fn surely_writes_under(&self, key: &Value) -> bool {
        self.when.is_none() && self.key == *key
    }

    /// The entry under the key of the write after it.
    pub(super) fn after(self, before: Option<&Entry>) -> Option<Entry> {
        let Some(when) = self.when else { return self.entry };
        let (there, value) = overlaid(&Truth::Term(when), present(self.entry.as_ref()), present(before));
        entry(there, value)
    }
}

/// The presence and value under a key after a write under one that equals it if `same` holds.
pub(super) fn overlaid(same: &Truth, written: (Truth, Value), before: (Truth, Value)) -> (Truth, Value) {
    match same {
        Truth::Known(true) => written,
        Truth::Known(false) => before,
        Truth::Term(same) => {
            let there = Truth::of(Term::ite(same, &written.0.term(), &before.0.term()));
            (there, merge(same, written.1, before.1))
        }
    }
}

/// The condition that an entry is present, and its value.
pub(super) fn present(entry: Option<&Entry>) -> (Truth, Value) {
    entry.map_or((Truth::Known(false), Value::Absent), |entry| (entry.truth(), entry.value.clone()))
}

/// An entry that is present under a condition; `None` if the condition cannot hold.
pub(super) fn entry(truth: Truth, value: Value) -> Option<Entry> {
    Presence::of(truth).map(|presence| Entry { presence, value })
}

/// The condition that an entry equals another one: both are present with the same value, or none is.
pub(super) fn same_entry(own: &Entry, there: Truth, value: &Value) -> Lifted<Truth> {
    if own.presence == Presence::Never || there.is_false() {
        return Ok(own.truth().or(there).not());
    }
    let same_presence = match (own.truth(), there) {
        (Truth::Known(true), x) | (x, Truth::Known(true)) => x,
        (x, y) => Truth::of(Term::eq(&x.term(), &y.term())),
    };
    if same_presence.is_false() {
        return Ok(same_presence);
    }
    let absent = own.truth().not();
    Ok(same_presence.and(absent.or(equal(&own.value, value)?)))
}
