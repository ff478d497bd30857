//! Looking up a known key where no comparison is open: as in a hash map.
//!
//! In `{"a": 1, "b": #1}` that is `1` under `"a"`, `#1` under `"b"` and nothing under `"c"`; under `#2` it is not told here.

use std::sync::Arc;

use super::{Entry, Map, Presence, Write, entry};
use crate::value::{Truth, Value};

impl Map {
    /// The entry under a known scalar, where no write waits, no key is symbolic and nothing is unknown beneath.
    #[must_use]
    pub fn plain_entry(&self, key: &Value) -> Option<Option<&Entry>> {
        self.is_plain().then(|| self.0.entries.get(key))
    }

    /// The entry under a known key, or that there is none; `None` where it depends on something.
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

    /// Keeps the entry under a known scalar on one condition more; whether that could be done in place.
    pub fn keep_where(&mut self, key: &Value, kept: &Truth) -> bool {
        let Some(found) = self.plain_entry(key) else { return false };
        if let Some(own) = found {
            let new = entry(kept.clone().and(own.truth()), own.value.clone());
            Arc::make_mut(&mut self.0).place(key.clone(), new);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Sort;
    use crate::term::{Term, Var};

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
