//! Looking up a known key where no comparison is open: as in a hash map.
//!
//! In `{"a": 1, "b": #1}` that is `1` under `"a"`, `#1` under `"b"` and nothing under `"c"`; under `#2` it is not told here.

use super::{Entry, Map};
use crate::value::Value;

impl Map {
    /// The entry under a known scalar, where no write waits, no key is symbolic and nothing is unknown beneath.
    #[must_use]
    pub fn plain_entry(&self, key: &Value) -> Option<Option<&Entry>> {
        let contents = &*self.0;
        let plain = contents.symbolic == 0 && contents.pending.is_empty() && contents.base.is_none();
        plain.then(|| contents.entries.get(key))
    }
}
