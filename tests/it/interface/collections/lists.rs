//! Lists and queues, each correct and with a fault that such collections had.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

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
