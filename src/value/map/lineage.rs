//! The lineage of a map: the writes since it was copied. Copies of one map differ at most under the keys written since.
//!
//! For example let `n` be `m` with a write under `"a"`, and `o` be `n` with a write under `"b"`: `n` and `o` differ at most under `"b"`,
//! `m` and `o` at most under `"a"` and `"b"`. A map and its copy share a version until one of them is written. A map without copies
//! notes nothing.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::value::Value;

/// At most this many writes are remembered; after one more the older half is forgotten. A comparison looks through all of them.
const REMEMBERED: usize = 64;

/// Each time that this many more writes are remembered, it is checked that another map still shares some of them; if not, they are
/// forgotten.
const CHECKED: usize = 8;

/// The last writes to a map that had copies. To clone a lineage is to copy its map: both share the version from then on.
#[derive(Clone, Debug, Default)]
pub(super) struct Lineage {
    version: Arc<Version>,
    last: Option<Arc<Written>>,
}

/// A version of a map, identified by its address: maps with one version have the same entries.
#[derive(Debug, Default)]
struct Version;

/// A write, with the version to which it was made, if that had a copy.
#[derive(Debug)]
struct Written {
    key: Value,
    to: Option<Arc<Version>>,
    before: Option<Arc<Written>>,
    /// The number of remembered writes up to this one.
    length: usize,
}

impl Lineage {
    /// Notes a write.
    pub(super) fn written(&mut self, key: &Value) {
        let has_copies = Arc::get_mut(&mut self.version).is_none();
        match &self.last {
            None if !has_copies => return,
            Some(last) if !has_copies && last.key == *key => return,
            Some(last) if !has_copies && last.length.is_multiple_of(CHECKED) && self.is_alone() => {
                self.last = None;
                return;
            }
            Some(last) if last.length == REMEMBERED => self.last = Written::latest(last, REMEMBERED / 2),
            Some(_) | None => {}
        }
        let to = has_copies.then(|| std::mem::take(&mut self.version));
        let length = self.last.as_ref().map_or(1, |last| last.length + 1);
        self.last = Some(Arc::new(Written { key: key.clone(), to, before: self.last.take(), length }));
    }

    /// Tests whether no other map shares a remembered version or write.
    fn is_alone(&self) -> bool {
        let shared = |version: &Arc<Version>| Arc::strong_count(version) > 1;
        let mut writes = std::iter::successors(self.last.as_ref(), |write| write.before.as_ref());
        writes.all(|write| Arc::strong_count(write) == 1 && !write.to.as_ref().is_some_and(shared))
    }

    /// The remembered versions of the map, the latest first, each with the number of writes since.
    fn versions(&self) -> impl Iterator<Item = (*const Version, usize)> {
        let earlier = self.writes().enumerate().filter_map(|(at, write)| Some((write.to.as_ref()?, at + 1)));
        std::iter::once((&self.version, 0)).chain(earlier).map(|(version, since)| (Arc::as_ptr(version), since))
    }

    /// The writes, the latest first.
    fn writes(&self) -> impl Iterator<Item = &Written> {
        std::iter::successors(self.last.as_deref(), |write| write.before.as_deref())
    }

    /// The keys that were written in either map since their last common version, perhaps twice; `None` if none is remembered.
    pub(super) fn since_parted<'l>(&'l self, other: &'l Lineage) -> Option<SmallVec<[&'l Value; 8]>> {
        let versions: SmallVec<[(*const Version, usize); 16]> = self.versions().collect();
        let common = |(version, theirs): (*const Version, usize)| {
            let (_, own) = versions.iter().find(|(known, _)| *known == version)?;
            Some((*own, theirs))
        };
        let (own, theirs) = other.versions().find_map(common)?;
        Some(self.writes().take(own).chain(other.writes().take(theirs)).map(|write| &write.key).collect())
    }
}

impl Written {
    /// The latest `count` writes, without those before.
    fn latest(last: &Arc<Written>, count: usize) -> Option<Arc<Written>> {
        let writes: Vec<&Written> =
            std::iter::successors(Some(&**last), |write| write.before.as_deref()).take(count).collect();
        writes.into_iter().rev().fold(None, |before: Option<Arc<Written>>, write| {
            let length = before.as_ref().map_or(1, |before| before.length + 1);
            Some(Arc::new(Written { key: write.key.clone(), to: write.to.clone(), before, length }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::term::{Term, Var};
    use crate::value::{Entry, Map, Truth};

    /// A map with the same entries, written one by one: no copy of the map.
    fn anew(map: &Map) -> Map {
        let mut plain = Map::default();
        for (key, entry) in map.looked_at() {
            plain.set_in_place(key, Some(entry.clone()));
        }
        plain
    }

    #[test]
    fn copies_are_compared_and_joined_like_maps_that_are_none() {
        let condition = Term::var(Var { id: 1, sort: Sort::Bool });
        let presence = Truth::of(Term::var(Var { id: 2, sort: Sort::Bool }));
        let mut numbers = numbers(1);
        let mut next = |n: u64| numbers(n) as usize;
        let mut pool = vec![Map::default(); 6];
        let (mut parted, mut equal) = (0, 0);
        for _ in 0..20_000 {
            let (a, b) = (next(6), next(6));
            if next(3) == 0 {
                pool[b] = pool[a].clone();
            }
            let there = if next(2) == 0 { Truth::Known(true) } else { presence.clone() };
            let entry = (next(3) > 0).then(|| Entry::when(there, Value::from(next(2) as i64)));
            pool[a].set_in_place(&Value::from(next(5) as i64), entry);
            let [x, y] = [&pool[a], &pool[b]];
            let [plain_x, plain_y] = [x, y].map(anew);
            assert_eq!(x == y, plain_x == plain_y, "{x:?} and {y:?}");
            assert_eq!(Map::join(&condition, x, y), Map::join(&condition, &plain_x, &plain_y), "{x:?} and {y:?}");
            assert_eq!(plain_x.written_since_parted(&plain_y), None);
            parted += usize::from(x.written_since_parted(y).is_some());
            equal += usize::from(x == y);
        }
        assert!(parted > 5_000 && equal > 1_000, "{parted} pairs had a common past, {equal} were equal");
    }

    #[test]
    fn what_is_looked_at_does_not_grow_with_the_map() {
        for size in [10, 10_000] {
            let mut one = Map::of((0..size).map(|key| (Value::from(key), Value::from(0))));
            let mut other = one.clone();
            for round in 0..1_000 {
                one.set_in_place(&Value::from(round % size), Some(Entry::always(Value::from(round))));
                other.set_in_place(&Value::from((round + 1) % size), Some(Entry::always(Value::from(round))));
                assert_eq!(one.written_since_parted(&other).map(|keys| keys.len()), Some(2));
                other = one.clone();
            }
        }
    }

    #[test]
    fn once_the_copies_are_gone_nothing_is_noted_for_long() {
        let mut map = Map::default();
        for key in 0..1_000 {
            let copy = (key % 50 == 0).then(|| map.clone());
            map.set_in_place(&Value::from(key), Some(Entry::always(Value::from(0))));
            drop(copy);
            assert!(map.0.lineage.writes().count() <= CHECKED);
        }
        assert_eq!(map.0.lineage.writes().count(), 0);
    }

    #[test]
    fn what_was_written_long_ago_is_forgotten() {
        let one = Map::of([(Value::from(0), Value::from(0))]);
        let mut other = one.clone();
        for key in 0..1_000 {
            other.set_in_place(&Value::from(key), Some(Entry::always(Value::from(0))));
            assert!(other.0.lineage.writes().count() <= REMEMBERED);
        }
        assert_eq!(one.written_since_parted(&other), None);
    }
}
