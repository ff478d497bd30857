//! Maps, sets, caches and slabs, each correct and with a fault that such collections had.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Empty,
    Removed,
    Taken(u8, u8),
}

/// A hash map with open addressing. A removed key leaves a mark if keys after it were put there on the way on; the fault is to look at
/// the slot before it in place of the one after it.
pub struct OpenMap<const BROKEN: bool> {
    slots: Vec<Slot>,
    /// The slots that are not empty.
    used: usize,
}

impl<const BROKEN: bool> OpenMap<BROKEN> {
    pub fn new() -> Self {
        OpenMap { slots: vec![Slot::Empty; 4], used: 0 }
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) % self.slots.len()
    }

    fn place(&self, key: u8) -> Option<usize> {
        let mut at = usize::from(key) % self.slots.len();
        loop {
            match self.slots[at] {
                Slot::Empty => return None,
                Slot::Taken(other, _) if other == key => return Some(at),
                _ => at = self.after(at),
            }
        }
    }

    fn add(&mut self, key: u8, value: u8) {
        let mut at = usize::from(key) % self.slots.len();
        while matches!(self.slots[at], Slot::Taken(..)) {
            at = self.after(at);
        }
        self.used += usize::from(self.slots[at] == Slot::Empty);
        self.slots[at] = Slot::Taken(key, value);
    }

    fn grow(&mut self) {
        let slots = vec![Slot::Empty; self.slots.len() * 2];
        let old = std::mem::replace(self, OpenMap { slots, used: 0 });
        for slot in old.slots {
            if let Slot::Taken(key, value) = slot {
                self.add(key, value);
            }
        }
    }

    pub fn insert(&mut self, key: u8, value: u8) -> Option<u8> {
        if let Some(at) = self.place(key)
            && let Slot::Taken(_, old) = &mut self.slots[at]
        {
            return Some(std::mem::replace(old, value));
        }
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.add(key, value);
        None
    }

    pub fn remove(&mut self, key: &u8) -> Option<u8> {
        let at = self.place(*key)?;
        let neighbour = if BROKEN { (at + self.slots.len() - 1) % self.slots.len() } else { self.after(at) };
        let is_last = self.slots[neighbour] == Slot::Empty;
        let mark = if is_last { Slot::Empty } else { Slot::Removed };
        self.used -= usize::from(is_last);
        match std::mem::replace(&mut self.slots[at], mark) {
            Slot::Taken(_, value) => Some(value),
            Slot::Empty | Slot::Removed => None,
        }
    }

    pub fn get(&self, key: &u8) -> Option<&u8> {
        match &self.slots[self.place(*key)?] {
            Slot::Taken(_, value) => Some(value),
            Slot::Empty | Slot::Removed => None,
        }
    }
}

described!(OpenMap, [BTreeMap<u8, u8>], BrokenOpenMap, MendedOpenMap, {
    fn new() -> Self;
    fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
    fn remove(&mut self, key: &u8) -> Option<u8>;
    fn get(&self, key: &u8) -> Option<&u8>;
});

/// A set as a B-tree of two levels, whose leaves have four keys at most. A full leaf is split before a key is put into it, and its
/// middle key goes up. The fault is not to ask whether that is the very key, which is then there twice.
pub struct Leaves<const BROKEN: bool> {
    /// The keys between leaves: one less than there are leaves.
    keys: Vec<u8>,
    leaves: Vec<Vec<u8>>,
}

impl<const BROKEN: bool> Leaves<BROKEN> {
    pub fn new() -> Self {
        Leaves { keys: Vec::new(), leaves: vec![Vec::new()] }
    }

    pub fn insert(&mut self, key: u8) -> bool {
        let Err(mut at) = self.keys.binary_search(&key) else { return false };
        if self.leaves[at].len() == 4 {
            let right = self.leaves[at].split_off(3);
            let middle = self.leaves[at].pop().expect("a full leaf has a middle key");
            self.keys.insert(at, middle);
            self.leaves.insert(at + 1, right);
            if !BROKEN && key == middle {
                return false;
            }
            at += usize::from(key >= middle);
        }
        let place = self.leaves[at].binary_search(&key);
        if let Err(free) = place {
            self.leaves[at].insert(free, key);
        }
        place.is_err()
    }

    pub fn extend(&mut self, keys: &[u8]) {
        for key in keys {
            self.insert(*key);
        }
    }

    pub fn contains(&self, key: &u8) -> bool {
        self.keys.binary_search(key).map_or_else(|at| self.leaves[at].binary_search(key).is_ok(), |_| true)
    }

    pub fn items(&self) -> Vec<u8> {
        let mut items = self.leaves[0].clone();
        for (key, leaf) in self.keys.iter().zip(&self.leaves[1..]) {
            items.push(*key);
            items.extend(leaf);
        }
        items
    }
}

described!(Leaves, [BTreeSet<u8>], BrokenLeaves, MendedLeaves, {
    fn new() -> Self;
    fn insert(&mut self, key: u8) -> bool;
    fn extend(&mut self, keys: &[u8]);
    fn contains(&self, key: &u8) -> bool;
    #[model(|set| set.iter().copied().collect::<Vec<u8>>())]
    fn items(&self) -> Vec<u8>;
});

/// An entry of a cache, with the places of those that were used just after it and just before it.
struct Entry {
    key: u8,
    value: u8,
    newer: Option<usize>,
    older: Option<usize>,
}

/// A cache of three entries, in a list by their last use. The fault is that the oldest entry is still taken for the oldest one after it
/// was used.
pub struct Lru<const BROKEN: bool> {
    entries: Vec<Entry>,
    newest: Option<usize>,
    oldest: Option<usize>,
}

impl<const BROKEN: bool> Lru<BROKEN> {
    pub fn new() -> Self {
        Lru { entries: Vec::new(), newest: None, oldest: None }
    }

    /// Takes an entry out of the list, and returns the next newer one.
    fn unlink(&mut self, at: usize) -> Option<usize> {
        let Entry { newer, older, .. } = self.entries[at];
        match newer {
            Some(newer) => self.entries[newer].older = older,
            None => self.newest = older,
        }
        if let Some(older) = older {
            self.entries[older].newer = newer;
        }
        newer
    }

    fn link(&mut self, at: usize) {
        (self.entries[at].newer, self.entries[at].older) = (None, self.newest);
        match self.newest {
            Some(newest) => self.entries[newest].newer = Some(at),
            None => self.oldest = Some(at),
        }
        self.newest = Some(at);
    }

    pub fn get_mut(&mut self, key: &u8) -> Option<&mut u8> {
        let at = self.entries.iter().position(|entry| entry.key == *key)?;
        let newer = self.unlink(at);
        if self.oldest == Some(at) && !BROKEN {
            self.oldest = newer;
        }
        self.link(at);
        Some(&mut self.entries[at].value)
    }

    /// Sets the value of a key, and returns the key that had to go.
    pub fn put(&mut self, key: u8, value: u8) -> Option<u8> {
        if let Some(old) = self.get_mut(&key) {
            *old = value;
            return None;
        }
        let entry = Entry { key, value, newer: None, older: None };
        if self.entries.len() < 3 {
            self.entries.push(entry);
            self.link(self.entries.len() - 1);
            return None;
        }
        let at = self.oldest.expect("a full cache has an oldest entry");
        self.oldest = self.unlink(at);
        let gone = std::mem::replace(&mut self.entries[at], entry);
        self.link(at);
        Some(gone.key)
    }

    /// The value of a key, without a use of it.
    pub fn peek(&self, key: &u8) -> Option<&u8> {
        self.entries.iter().find(|entry| entry.key == *key).map(|entry| &entry.value)
    }
}

/// Makes an entry the last one of a model.
fn used(entries: &mut Vec<(u8, u8)>, key: u8) -> Option<&mut u8> {
    let at = entries.iter().position(|entry| entry.0 == key)?;
    let entry = entries.remove(at);
    entries.push(entry);
    entries.last_mut().map(|entry| &mut entry.1)
}

described!(Lru, [Vec<(u8, u8)>], BrokenLru, MendedLru, {
    fn new() -> Self;
    #[model(|(entries, key)| used(entries, *key))]
    fn get_mut(&mut self, key: &u8) -> Option<&mut u8>;
    #[model(|(entries, key, value)| {
        if let Some(old) = used(entries, key) {
            *old = value;
            return None;
        }
        entries.push((key, value));
        (entries.len() > 3).then(|| entries.remove(0).0)
    })]
    fn put(&mut self, key: u8, value: u8) -> Option<u8>;
    #[model(|(entries, key)| entries.iter().find(|entry| entry.0 == *key).map(|entry| &entry.1))]
    fn peek(&self, key: &u8) -> Option<&u8>;
});

/// Values with a number each: the least one that is free. The fault is that `clear` also frees those that were free before.
pub struct Slab<const BROKEN: bool> {
    values: Vec<Option<u8>>,
    free: BinaryHeap<Reverse<usize>>,
}

impl<const BROKEN: bool> Slab<BROKEN> {
    pub fn new() -> Self {
        Slab { values: Vec::new(), free: BinaryHeap::new() }
    }

    pub fn insert(&mut self, value: u8) -> usize {
        let Some(Reverse(at)) = self.free.pop() else {
            self.values.push(Some(value));
            return self.values.len() - 1;
        };
        self.values[at] = Some(value);
        at
    }

    pub fn remove(&mut self, at: usize) -> Option<u8> {
        let value = self.values.get_mut(at)?.take()?;
        self.free.push(Reverse(at));
        Some(value)
    }

    /// Removes all values, and keeps their room.
    pub fn clear(&mut self) {
        for (at, value) in self.values.iter_mut().enumerate() {
            let is_taken = value.take().is_some();
            if is_taken || BROKEN {
                self.free.push(Reverse(at));
            }
        }
    }

    pub fn get(&self, at: usize) -> Option<&u8> {
        self.values.get(at)?.as_ref()
    }
}

described!(Slab, [BTreeMap<usize, u8>], BrokenSlab, MendedSlab, {
    fn new() -> Self;
    #[model(|(map, value)| {
        let at = (0..).find(|at| !map.contains_key(at)).unwrap();
        map.insert(at, value);
        at
    })]
    fn insert(&mut self, value: u8) -> usize;
    #[model(|(map, at)| map.remove(&at))]
    fn remove(&mut self, at: usize) -> Option<u8>;
    fn clear(&mut self);
    #[model(|(map, at)| map.get(&at))]
    fn get(&self, at: usize) -> Option<&u8>;
});

/// A map from ranges, as the places where another value begins. After a range that is set, the value goes on that was there. The fault
/// is to look for it before the end of the range in place of at it, where another one may begin.
pub struct Ranges<const BROKEN: bool>(Vec<(u8, Option<u8>)>);

impl<const BROKEN: bool> Ranges<BROKEN> {
    pub fn new() -> Self {
        Ranges(Vec::new())
    }

    fn set(&mut self, from: u8, to: u8, value: Option<u8>) {
        let begun = self.0.partition_point(|(start, _)| if BROKEN { *start < to } else { *start <= to });
        let after = begun.checked_sub(1).and_then(|at| self.0[at].1);
        self.0.retain(|(start, _)| *start < from || *start > to);
        let at = self.0.partition_point(|(start, _)| *start < from);
        self.0.splice(at..at, [(from, value), (to, after)]);
    }

    pub fn insert(&mut self, from: u8, to: u8, value: u8) {
        self.set(from, to, Some(value));
    }

    pub fn remove(&mut self, from: u8, to: u8) {
        self.set(from, to, None);
    }

    pub fn get(&self, at: &u8) -> Option<&u8> {
        let begun = self.0.partition_point(|(start, _)| start <= at);
        self.0[begun.checked_sub(1)?].1.as_ref()
    }
}

described!(Ranges, [BTreeMap<u8, u8>], BrokenRanges, MendedRanges, {
    fn new() -> Self;
    #[requires(from < to)]
    #[model(|(map, from, to, value)| map.extend((from..to).map(|at| (at, value))))]
    fn insert(&mut self, from: u8, to: u8, value: u8);
    #[requires(from < to)]
    #[model(|(map, from, to)| map.retain(|at, _| *at < from || *at >= to))]
    fn remove(&mut self, from: u8, to: u8);
    fn get(&self, at: &u8) -> Option<&u8>;
});
