//! The entries of a map as a persistent tree: a write copies the few short nodes on its way that other copies share.
//!
//! It is a hash trie with 16 children a node, which ends in short lists of exact size: an element of a set takes 40 octets there.
//! A node knows which of its children or items are open, with an unknown key, presence or value (`*`), so these are found without a
//! look at the others:
//!
//! ```text
//! branch  present 0…5…b*…
//!   0  leaf  "a": 1   "c": 7
//!   5  leaf  "d": 2
//!   b* leaf  "b": #1*           Table::open comes to this entry only
//! ```

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::entry::{Entry, Presence};
use crate::scalar::Scalar;
use crate::value::Value;

/// Each level of the tree looks at this many bits of the hash.
const BITS: u32 = 4;
/// A leaf of more items than this becomes a branch.
const LEAF: usize = 12;
/// The first items of a leaf, up to this number, have a tag: eight bits of the hash, so that few other keys are compared.
const TAGS: usize = 16;
type Tags = [u8; TAGS];
/// A bit for each item with a tag: set if the item is open.
type Opens = u16;
/// On this level leaves grow: the hashes of their keys agree in all digits that levels look at.
const LEVELS: u32 = 12;

/// A persistent table from keys to entries.
///
/// 1. `len` is the number of items in the leaves.
/// 2. The items of a leaf at level n agree in the first n digits of their hashes; no leaf above the last level is longer than [`LEAF`].
/// 3. A branch has one child for each bit of `present`, in their order, and none of them is empty.
/// 4. `open` has the bit of each child, or item with a tag, in which something is not known. Items without a tag are looked at
///    themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    root: Option<Arc<TableNode>>,
    len: usize,
}

#[derive(Clone, Debug)]
enum TableNode {
    Leaf { items: Vec<KeyedEntry>, tags: Tags, open: Opens },
    Branch { children: Vec<Arc<TableNode>>, present: u16, open: u16 },
}

/// A key and its entry.
#[derive(Clone, Debug)]
struct KeyedEntry {
    key: Value,
    entry: Kept,
}

/// An entry; `None` stands for that of an element of a set, which takes no memory.
#[derive(Clone, Debug)]
pub(super) struct Kept(Option<Arc<Entry>>);

/// The entry of an element of a set.
static ELEMENT: Entry = Entry { presence: Presence::Always, value: Value::UNIT };

impl Kept {
    fn of(entry: Entry) -> Kept {
        Kept((entry != ELEMENT).then(|| Arc::new(entry)))
    }

    /// The entry.
    pub(super) fn entry(&self) -> &Entry {
        self.0.as_deref().unwrap_or(&ELEMENT)
    }
}

impl KeyedEntry {
    fn is_open(&self) -> bool {
        !(self.key.is_known() && self.entry.entry().is_known())
    }

    fn pair(&self) -> (&Value, &Entry) {
        (&self.key, self.entry.entry())
    }
}

/// The hash of a key, by which it is placed.
pub(super) fn hash(key: &Value) -> u64 {
    let mut hasher = FxHasher::default();
    match key {
        Value::Scalar(Scalar::Str(text)) => hasher.write(text.as_bytes()),
        key => key.hash(&mut hasher),
    }
    hasher.finish()
}

/// The tag of a hash: eight bits at which no level looks.
fn tag(hash: u64) -> u8 {
    (hash >> (u64::BITS - u8::BITS)) as u8
}

/// The bit of the child on a level that a hash leads to.
fn bit(hash: u64, level: u32) -> u16 {
    1 << (hash >> (level * BITS) & 15)
}

/// The place of a key in a leaf. Items without a tag, in leaves that grow, are compared one by one.
fn place(items: &[KeyedEntry], tags: &Tags, (tag, key): (u8, &Value)) -> Option<usize> {
    const ONES: u128 = u128::from_ne_bytes([1; TAGS]);
    let differing = u128::from_le_bytes(*tags) ^ (ONES * u128::from(tag));
    // The highest bit of each octet that is zero (the tags agree), and perhaps of some octets after one.
    let mut alike = differing.wrapping_sub(ONES) & !differing & (ONES << 7);
    while alike != 0 {
        let at = (alike.trailing_zeros() / u8::BITS) as usize;
        if items.get(at).is_some_and(|item| item.key == *key) {
            return Some(at);
        }
        alike &= alike - 1;
    }
    let after = items.get(TAGS..)?.iter().position(|item| item.key == *key)?;
    Some(TAGS + after)
}

/// Notes whether an item of a leaf is open.
fn mark(open: &mut Opens, at: usize, is_open: bool) {
    if at < TAGS {
        *open = *open & !(1 << at) | Opens::from(is_open) << at;
    }
}

/// The position of the child with this bit: the number of present bits before it.
fn rank(present: u16, bit: u16) -> usize {
    (present & (bit - 1)).count_ones() as usize
}

impl Table {
    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Tests whether there is no entry.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entry under a key.
    pub(super) fn get(&self, key: &Value) -> Option<&Entry> {
        self.item(key).map(|item| item.entry.entry())
    }

    /// Tests whether there is an entry under a key.
    pub(super) fn contains_key(&self, key: &Value) -> bool {
        self.item(key).is_some()
    }

    fn item(&self, key: &Value) -> Option<&KeyedEntry> {
        self.root.as_deref()?.item(key, 0)
    }

    /// Sets the entry under a key, given the hash of the key and whether the item is open; returns the old entry.
    pub(super) fn insert(&mut self, key: Value, entry: Entry, hash: u64, open: bool) -> Option<Kept> {
        let item = KeyedEntry { key, entry: Kept::of(entry) };
        let old = match &mut self.root {
            Some(root) => Arc::make_mut(root).insert(item, hash, open, 0),
            None => {
                self.root = Some(Arc::new(TableNode::leaf(item, hash, open)));
                None
            }
        };
        self.len += usize::from(old.is_none());
        old
    }

    /// Removes the entry under a key, given its hash; returns the entry.
    pub(super) fn remove(&mut self, key: &Value, hash: u64) -> Option<Kept> {
        if !self.contains_key(key) {
            return None;
        }
        let root = self.root.as_mut()?;
        let old = Arc::make_mut(root).remove(key, hash, 0);
        if root.is_empty() {
            self.root = None;
        }
        self.len -= usize::from(old.is_some());
        old
    }

    /// All entries, in no particular order.
    pub(super) fn iter(&self) -> Iter<'_> {
        Iter::of(self, Visited::All)
    }

    /// A number, a multiple of eight, that identifies the entries while the table lives.
    pub(super) fn address(&self) -> usize {
        self.root.as_ref().map_or(0, |root| Arc::as_ptr(root) as usize)
    }

    /// The keys of all entries, in no particular order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Value> {
        self.iter().map(|(key, _)| key)
    }

    /// The open entries: those with an unknown key, presence or value.
    pub(super) fn open(&self) -> Iter<'_> {
        Iter::of(self, Visited::Open)
    }

    /// Tests whether some entry is open.
    pub(super) fn is_open(&self) -> bool {
        self.root.as_ref().is_some_and(|root| root.is_open())
    }
}

impl TableNode {
    fn leaf(item: KeyedEntry, hash: u64, open: bool) -> TableNode {
        TableNode::Leaf { items: vec![item], tags: [tag(hash); TAGS], open: Opens::from(open) }
    }

    /// The item with a key below this node, which is on the given level.
    fn item(&self, key: &Value, level: u32) -> Option<&KeyedEntry> {
        let mut node = self;
        let hash = hash(key);
        let (tag, mut digits) = (tag(hash), hash >> (level * BITS));
        loop {
            match node {
                TableNode::Leaf { items, tags, .. } => return place(items, tags, (tag, key)).map(|at| &items[at]),
                TableNode::Branch { children, present, .. } => {
                    let bit = bit(digits, 0);
                    if present & bit == 0 {
                        return None;
                    }
                    node = &children[rank(*present, bit)];
                    digits >>= BITS;
                }
            }
        }
    }

    /// Tests whether another node on this level has all items of this one. Nodes that both share are not looked at.
    fn is_within(&self, other: &TableNode, level: u32) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        match (self, other) {
            (TableNode::Leaf { items, .. }, _) => items.iter().all(|item| {
                other.item(&item.key, level).is_some_and(|found| found.entry.entry() == item.entry.entry())
            }),
            (TableNode::Branch { children, .. }, TableNode::Leaf { .. }) => {
                children.iter().all(|child| child.is_within(other, level + 1))
            }
            (
                TableNode::Branch { children, present, .. },
                TableNode::Branch { children: others, present: theirs, .. },
            ) => {
                let bits = (0..u16::BITS).map(|bit| 1 << bit).filter(|bit| present & bit != 0);
                let below =
                    |(child, bit): (&Arc<TableNode>, u16)| child.is_within(&others[rank(*theirs, bit)], level + 1);
                present & !theirs == 0 && children.iter().zip(bits).all(below)
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            TableNode::Leaf { items, .. } => items.is_empty(),
            TableNode::Branch { children, .. } => children.is_empty(),
        }
    }

    fn is_open(&self) -> bool {
        match self {
            TableNode::Leaf { items, open, .. } => *open != 0 || items.iter().skip(TAGS).any(KeyedEntry::is_open),
            TableNode::Branch { open, .. } => *open != 0,
        }
    }

    fn insert(&mut self, item: KeyedEntry, hash: u64, item_is_open: bool, level: u32) -> Option<Kept> {
        match self {
            TableNode::Leaf { items, tags, open } => {
                if let Some(at) = place(items, tags, (tag(hash), &item.key)) {
                    mark(open, at, item_is_open);
                    return Some(std::mem::replace(&mut items[at], item).entry);
                }
                if items.len() >= LEAF && level < LEVELS {
                    let items = std::mem::take(items);
                    *self = TableNode::Branch { children: Vec::new(), present: 0, open: 0 };
                    for old in items {
                        let (hash, is_open) = (self::hash(&old.key), old.is_open());
                        self.insert(old, hash, is_open, level);
                    }
                    return self.insert(item, hash, item_is_open, level);
                }
                mark(open, items.len(), item_is_open);
                tags.iter_mut().skip(items.len()).take(1).for_each(|own| *own = tag(hash));
                items.reserve_exact(1);
                items.push(item);
                None
            }
            TableNode::Branch { children, present, open } => {
                let bit = bit(hash, level);
                let at = rank(*present, bit);
                if *present & bit == 0 {
                    *present |= bit;
                    *open |= if item_is_open { bit } else { 0 };
                    children.reserve_exact(1);
                    children.insert(at, Arc::new(TableNode::leaf(item, hash, item_is_open)));
                    return None;
                }
                let child = Arc::make_mut(&mut children[at]);
                let old = child.insert(item, hash, item_is_open, level + 1);
                *open = *open & !bit | if child.is_open() { bit } else { 0 };
                old
            }
        }
    }

    fn remove(&mut self, key: &Value, hash: u64, level: u32) -> Option<Kept> {
        match self {
            TableNode::Leaf { items, tags, open } => {
                let at = place(items, tags, (tag(hash), key))?;
                let old = items.swap_remove(at);
                // The last item takes the place of the removed one.
                let last = items.get(at);
                mark(open, items.len(), false);
                mark(open, at, last.is_some_and(KeyedEntry::is_open));
                match last {
                    Some(last) if at < TAGS => tags[at] = tag(self::hash(&last.key)),
                    Some(_) | None => {}
                }
                Some(old.entry)
            }
            TableNode::Branch { children, present, open } => {
                let bit = bit(hash, level);
                let at = rank(*present, bit);
                if *present & bit == 0 {
                    return None;
                }
                let child = Arc::make_mut(&mut children[at]);
                let old = child.remove(key, hash, level + 1);
                *open &= !bit;
                if child.is_empty() {
                    children.remove(at);
                    *present &= !bit;
                } else if child.is_open() {
                    *open |= bit;
                }
                old
            }
        }
    }
}

/// The entries that an iterator visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Visited {
    All,
    Open,
}

/// An iterator over entries.
pub(super) struct Iter<'t> {
    pending: Vec<&'t TableNode>,
    leaf: &'t [KeyedEntry],
    /// The position of the next item of the leaf; `open` has the bits of the leaf's open items.
    at: usize,
    open: Opens,
    visited: Visited,
}

impl<'t> Iter<'t> {
    fn of(table: &'t Table, visited: Visited) -> Iter<'t> {
        let mut iter = Iter { pending: Vec::new(), leaf: &[], at: 0, open: 0, visited };
        iter.push(table.root.as_slice().iter());
        iter
    }

    fn push(&mut self, nodes: std::slice::Iter<'t, Arc<TableNode>>) {
        let visited = self.visited;
        let wanted = nodes.map(|node| &**node).filter(|node| visited == Visited::All || node.is_open());
        self.pending.extend(wanted);
    }

    /// The next item of the leaf that is visited.
    fn next_of_leaf(&mut self) -> Option<&'t KeyedEntry> {
        while let Some(item) = self.leaf.get(self.at) {
            let at = self.at;
            self.at += 1;
            let is_open = || if at < TAGS { self.open >> at & 1 == 1 } else { item.is_open() };
            if self.visited == Visited::All || is_open() {
                return Some(item);
            }
        }
        None
    }
}

impl<'t> Iterator for Iter<'t> {
    type Item = (&'t Value, &'t Entry);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.next_of_leaf() {
                return Some(item.pair());
            }
            match self.pending.pop()? {
                TableNode::Leaf { items, open, .. } => (self.leaf, self.at, self.open) = (items, 0, *open),
                TableNode::Branch { children, .. } => self.push(children.iter()),
            }
        }
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        let is_within = |(own, other): (&Arc<TableNode>, &Arc<TableNode>)| own.is_within(other, 0);
        self.len == other.len && self.root.as_ref().zip(other.root.as_ref()).is_none_or(is_within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use crate::term::{Term, Var};
    use std::collections::BTreeMap;

    fn sorted<'t>(entries: impl Iterator<Item = (&'t Value, &'t Entry)>) -> Vec<(Value, Entry)> {
        let mut entries: Vec<_> = entries.map(|(key, entry)| (key.clone(), entry.clone())).collect();
        entries.sort();
        entries
    }

    /// A table has the entries of a plain map, whatever is written to the table and to its copies, and whatever is open in it.
    #[test]
    fn a_table_is_a_map() {
        let mut random = numbers(1);
        let is_open = |key: &Value, entry: &Entry| !(key.is_known() && entry.is_known());
        let mut pool: Vec<(Table, BTreeMap<Value, Entry>)> = vec![Default::default(); 4];
        for round in 0..60_000u64 {
            let size = if round / 10_000 % 2 == 0 { 2_000 } else { 60 };
            let (at, key) = (random(4) as usize, Value::from(random(size) as i64));
            if random(200) == 0 {
                pool[random(4) as usize] = pool[at].clone();
            }
            let open = Value::Term(Term::var(Var { id: random(5), sort: Sort::Int }));
            let key = if random(50) == 0 { open.clone() } else { key };
            let value = [Value::UNIT, Value::from(3), open][random(3) as usize].clone();
            let (table, plain) = &mut pool[at];
            let (old, before) = match random(3) {
                0 => (table.remove(&key, hash(&key)), plain.remove(&key)),
                _ => {
                    let (hash, entry) = (hash(&key), Entry::always(value));
                    (table.insert(key.clone(), entry.clone(), hash, is_open(&key, &entry)), plain.insert(key, entry))
                }
            };
            assert_eq!(old.as_ref().map(Kept::entry), before.as_ref());
            assert_eq!((table.len(), table.is_empty()), (plain.len(), plain.is_empty()));
            if round % 97 == 0 {
                assert_eq!(sorted(table.iter()), sorted(plain.iter()));
                assert_eq!(sorted(table.open()), sorted(plain.iter().filter(|(key, entry)| is_open(key, entry))));
                assert_eq!(table.is_open(), plain.iter().any(|(key, entry)| is_open(key, entry)));
                assert!(plain.iter().all(|(key, entry)| table.get(key) == Some(entry)));
                let (other, beside) = &pool[random(4) as usize];
                assert_eq!(pool[at].0 == *other, pool[at].1 == *beside);
            }
        }
    }
}
