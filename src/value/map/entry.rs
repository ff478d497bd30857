//! Entries of a map, each with the condition under which it is there, and writes of entries that wait.
//!
//! In `{"a": 1, "b": 2 if p}` the entry under `"a"` is there always, and that under `"b"` if p holds.

use crate::term::Term;
use crate::value::{Lifted, Truth, Value, equal, merge};

/// The condition under which an entry is there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Presence {
    /// In every case.
    Always,
    /// In the cases in which the condition holds.
    When(Term),
    /// In no case: what an unknown base has under this key is hidden.
    Never,
}

/// An entry of a map.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// The condition of its presence.
    pub presence: Presence,
    /// Its value if it is there.
    pub value: Value,
}

/// A write under a key of which it is open whether it equals another one. `None` is a removal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Write {
    pub(super) key: Value,
    pub(super) entry: Option<Entry>,
    /// Keys that it is known to differ from.
    pub(super) differs: Vec<Value>,
    /// The presence of the key before it.
    pub(super) beneath: Beneath,
}

/// The presence of a key before a write under it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Beneath {
    /// Nobody has asked yet.
    Unasked,
    /// It is not known.
    Open,
    /// It was, in every case.
    There,
    /// It was not, in any case.
    Missing,
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

    /// The presence under a condition; `None` if it can never be there.
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

    /// Tests whether it is known whether it is there, and what is there.
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

    /// Tests whether it is an element of a set that is there in every case.
    pub(super) fn is_certain_element(&self) -> bool {
        self.presence == Presence::Always && self.value == Value::UNIT
    }

    /// Rewrites it. `None`: unchanged; `Some(None)`: it is never there any more.
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

    /// Calls functions on its value, and on the condition of its presence.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(&Value), presence: &mut dyn FnMut(&Term)) {
        visit(&self.value);
        if let Presence::When(term) = &self.presence {
            presence(term);
        }
    }
}

impl Write {
    /// The effect that it has in every case: it adds an element (`true`), or takes a key away; nothing if it does neither.
    pub(super) fn effect(&self) -> Option<bool> {
        match &self.entry {
            None => Some(false),
            Some(_) => self.adds_element().then_some(true),
        }
    }

    /// Tests whether it adds an element to a set in every case.
    pub(super) fn adds_element(&self) -> bool {
        self.entry.as_ref().is_some_and(Entry::is_certain_element)
    }
}

/// The entry if a key that was written may be the one that is asked for.
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

/// The condition of an entry, and its value.
pub(super) fn present(entry: Option<&Entry>) -> (Truth, Value) {
    entry.map_or((Truth::Known(false), Value::Absent), |entry| (entry.truth(), entry.value.clone()))
}

/// An entry that is there under a condition, unless that cannot hold.
pub(super) fn entry(truth: Truth, value: Value) -> Option<Entry> {
    Presence::of(truth).map(|presence| Entry { presence, value })
}

/// Tests whether an entry is there just if another one is, with the same value.
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
