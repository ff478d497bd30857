//! Ten small collections, each correct and with a fault that collections have had, described from outside.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::rc::Rc;

use mayhap::interface::{Interface, InterfaceReport};

/// Describes both instances of a collection: the broken one, and the mended one.
macro_rules! described {
    ($collection:ident, [$($model:tt)+], $broken:ident, $mended:ident, { $($functions:tt)+ }) => {
        #[mayhap::interface(of = $collection<true>, model = $($model)+)]
        trait $broken { $($functions)+ }

        #[mayhap::interface(of = $collection<false>, model = $($model)+)]
        trait $mended { $($functions)+ }
    };
}

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

/// A list whose `retain` goes from place to place. The fault is to go on after a removal, too: what moved up is not looked at.
pub struct Sieve<const BROKEN: bool>(Vec<u8>);

impl<const BROKEN: bool> Sieve<BROKEN> {
    pub fn new() -> Self {
        Sieve(Vec::new())
    }

    pub fn push(&mut self, x: u8) {
        self.0.push(x);
    }

    pub fn retain(&mut self, keep: impl Fn(&u8) -> bool) {
        let mut at = 0;
        while at < self.0.len() {
            let is_kept = keep(&self.0[at]);
            if !is_kept {
                self.0.remove(at);
            }
            at += usize::from(is_kept || BROKEN);
        }
    }

    pub fn items(&self) -> Vec<u8> {
        self.0.clone()
    }
}

described!(Sieve, [Vec<u8>], BrokenSieve, MendedSieve, {
    fn new() -> Self;
    fn push(&mut self, x: u8);
    fn retain(&mut self, keep: impl Fn(&u8) -> bool);
    #[model(|list| list.clone())]
    fn items(&self) -> Vec<u8>;
});

/// A list of which a part is taken out by an iterator.
pub struct Drained<const BROKEN: bool>(Vec<u8>);

/// The part that is taken out. When it is dropped, the items after it move up; the fault is not to take the rest out before.
struct Drain<'l, const BROKEN: bool> {
    list: &'l mut Vec<u8>,
    next: usize,
    end: usize,
    /// The number of items that were taken out.
    taken: usize,
}

impl<const BROKEN: bool> Iterator for Drain<'_, BROKEN> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let item = (self.next < self.end).then(|| self.list[self.next])?;
        self.next += 1;
        self.taken += 1;
        Some(item)
    }
}

impl<const BROKEN: bool> Drop for Drain<'_, BROKEN> {
    fn drop(&mut self) {
        if !BROKEN {
            self.by_ref().for_each(drop);
        }
        self.list.copy_within(self.next.., self.next - self.taken);
        self.list.truncate(self.list.len() - self.taken);
    }
}

impl<const BROKEN: bool> Drained<BROKEN> {
    pub fn new() -> Self {
        Drained(Vec::new())
    }

    pub fn push(&mut self, x: u8) {
        self.0.push(x);
    }

    /// Takes the items of a range out, and reads so many of them.
    pub fn drain(&mut self, from: usize, to: usize, read: usize) -> Vec<u8> {
        let end = to.min(self.0.len());
        let start = from.min(end);
        Drain::<BROKEN> { list: &mut self.0, next: start, end, taken: 0 }.take(read).collect()
    }

    pub fn items(&self) -> Vec<u8> {
        self.0.clone()
    }
}

described!(Drained, [Vec<u8>], BrokenDrained, MendedDrained, {
    fn new() -> Self;
    fn push(&mut self, x: u8);
    #[model(|(list, from, to, read)| {
        let end = to.min(list.len());
        list.drain(from.min(end)..end).take(read).collect::<Vec<u8>>()
    })]
    fn drain(&mut self, from: usize, to: usize, read: usize) -> Vec<u8>;
    #[model(|list| list.clone())]
    fn items(&self) -> Vec<u8>;
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

/// A queue in a ring of slots. When it grows, the items up to the end of the old slots move to the end of the new ones. The fault is
/// that the head does not move with them.
pub struct Ring<const BROKEN: bool> {
    slots: Vec<u8>,
    head: usize,
    len: usize,
}

impl<const BROKEN: bool> Ring<BROKEN> {
    /// A queue of two items, which is full.
    pub fn of(first: u8, second: u8) -> Self {
        Ring { slots: vec![first, second], head: 0, len: 2 }
    }

    fn grow(&mut self) {
        let old = self.slots.len();
        let is_wrapped = self.head + self.len > old;
        self.slots.resize((old * 2).max(16), 0);
        if is_wrapped {
            let moved = self.slots.len() - (old - self.head);
            self.slots.copy_within(self.head..old, moved);
            self.slots[self.head..old].fill(0);
            self.head = if BROKEN { self.head } else { moved };
        }
    }

    pub fn push_back(&mut self, x: u8) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let end = (self.head + self.len) % self.slots.len();
        self.slots[end] = x;
        self.len += 1;
    }

    pub fn pop_front(&mut self) -> Option<u8> {
        (self.len > 0).then(|| {
            let item = self.slots[self.head];
            self.head = (self.head + 1) % self.slots.len();
            self.len -= 1;
            item
        })
    }

    pub fn get(&self, at: usize) -> Option<&u8> {
        (at < self.len).then(|| &self.slots[(self.head + at) % self.slots.len()])
    }
}

described!(Ring, [VecDeque<u8>], BrokenRing, MendedRing, {
    #[model(|(first, second)| VecDeque::from([first, second]))]
    fn of(first: u8, second: u8) -> Self;
    fn push_back(&mut self, x: u8);
    fn pop_front(&mut self) -> Option<u8>;
    fn get(&self, at: usize) -> Option<&u8>;
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

/// A list that leaves out items with the key of the one before, in place. The fault is to copy each item that was read, so that the
/// last one of several stays in place of the first.
pub struct Distinct<const BROKEN: bool>(Vec<u8>);

impl<const BROKEN: bool> Distinct<BROKEN> {
    pub fn new() -> Self {
        Distinct(Vec::new())
    }

    pub fn push(&mut self, x: u8) {
        self.0.push(x);
    }

    pub fn dedup_by_key(&mut self, key: impl Fn(&u8) -> u8) {
        let items = &mut self.0;
        let mut last = 0;
        for at in 1..items.len() {
            let is_new = key(&items[at]) != key(&items[last]);
            last += usize::from(is_new);
            if is_new || BROKEN {
                items[last] = items[at];
            }
        }
        items.truncate(last + 1);
    }

    pub fn items(&self) -> Vec<u8> {
        self.0.clone()
    }
}

described!(Distinct, [Vec<u8>], BrokenDistinct, MendedDistinct, {
    fn new() -> Self;
    fn push(&mut self, x: u8);
    #[model(|(list, key)| list.dedup_by_key(|x| key(x)))]
    fn dedup_by_key(&mut self, key: impl Fn(&u8) -> u8);
    #[model(|list| list.clone())]
    fn items(&self) -> Vec<u8>;
});

/// The last items of lists, and how many slots are in use.
struct Tail {
    slots: [u8; 4],
    used: usize,
}

/// A list that stays as it is: the longer one shares its full chunks, and its tail as long as the next slot is free. The fault is to
/// write into the slot of a list that became longer before.
pub struct Persistent<const BROKEN: bool> {
    chunks: Vec<Rc<[u8; 4]>>,
    tail: Rc<RefCell<Tail>>,
    /// The number of items of the tail that are in this list.
    last: usize,
}

impl<const BROKEN: bool> Persistent<BROKEN> {
    fn with(chunks: Vec<Rc<[u8; 4]>>, slots: [u8; 4], last: usize) -> Self {
        Persistent { chunks, tail: Rc::new(RefCell::new(Tail { slots, used: last })), last }
    }

    pub fn new() -> Self {
        Self::with(Vec::new(), [0; 4], 0)
    }

    pub fn push(&self, x: u8) -> Self {
        let mut tail = self.tail.borrow_mut();
        let mut chunks = self.chunks.clone();
        if self.last == tail.slots.len() {
            chunks.push(Rc::new(tail.slots));
            return Self::with(chunks, [x, 0, 0, 0], 1);
        }
        if tail.used == self.last || BROKEN {
            tail.slots[self.last] = x;
            tail.used = self.last + 1;
            return Persistent { chunks, tail: self.tail.clone(), last: self.last + 1 };
        }
        let mut slots = tail.slots;
        slots[self.last] = x;
        Self::with(chunks, slots, self.last + 1)
    }

    pub fn pop(&self) -> Option<(Self, u8)> {
        if self.last == 0 {
            let (full, before) = self.chunks.split_last()?;
            return Some((Self::with(before.to_vec(), **full, 3), full[3]));
        }
        let last = self.last - 1;
        let rest = Persistent { chunks: self.chunks.clone(), tail: self.tail.clone(), last };
        Some((rest, self.tail.borrow().slots[last]))
    }

    pub fn get(&self, at: usize) -> Option<u8> {
        let tail = self.tail.borrow();
        let last = tail.slots[..self.last].iter().copied();
        self.chunks.iter().flat_map(|chunk| **chunk).chain(last).nth(at)
    }
}

described!(Persistent, [Vec<u8>], BrokenPersistent, MendedPersistent, {
    fn new() -> Self;
    #[model(|(list, x)| [list.as_slice(), &[x]].concat())]
    fn push(&self, x: u8) -> Self;
    #[model(|list| list.split_last().map(|(last, rest)| (rest.to_vec(), *last)))]
    fn pop(&self) -> Option<(Self, u8)>;
    #[model(|(list, at)| list.get(at).copied())]
    fn get(&self, at: usize) -> Option<u8>;
});

fn checked<I: Interface>(calls: u64) -> InterfaceReport {
    let report = mayhap::check_interface::<I>().values(0..8_u8).calls(calls).check();
    println!("{report}\n");
    report
}

fn is_found<I: Interface>() {
    let report = checked::<I>(500_000);
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert!(failure.calls <= 6, "{report}");
}

fn passes<I: Interface>() {
    let calls = if std::env::var_os("MAYHAP_LONG").is_some() { 1_000_000 } else { 30_000 };
    let report = checked::<I>(calls);
    assert_eq!(report.failure, None, "{report}");
}

#[test]
fn each_fault_is_found_in_a_few_calls() {
    is_found::<BrokenOpenMap>();
    is_found::<BrokenSieve>();
    is_found::<BrokenDrained>();
    is_found::<BrokenLeaves>();
    is_found::<BrokenLru>();
    is_found::<BrokenRing>();
    is_found::<BrokenSlab>();
    is_found::<BrokenRanges>();
    is_found::<BrokenDistinct>();
    is_found::<BrokenPersistent>();
}

#[test]
fn correct_counterparts_pass() {
    passes::<MendedOpenMap>();
    passes::<MendedSieve>();
    passes::<MendedDrained>();
    passes::<MendedLeaves>();
    passes::<MendedLru>();
    passes::<MendedRing>();
    passes::<MendedSlab>();
    passes::<MendedRanges>();
    passes::<MendedDistinct>();
    passes::<MendedPersistent>();
}
