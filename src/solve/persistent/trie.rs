//! A map from numbered keys that is cheap to clone: a radix tree of short nodes that clones share.
//!
//! For example three thousand variables are found in three steps, and a write to a clone copies the few short nodes on its way.
//! Each level has sixteen children, by four bits of the key's number, the lowest first. Numbers are given one after another, so
//! the tree is balanced without a hash, and ends in short lists.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::term::Var;

/// Each level of the tree looks at this many bits of the number.
const BITS: u32 = 4;
const WAYS: usize = 1 << BITS;
/// A list of more entries than this becomes a branch.
const LEAF: usize = 4;
/// On this level all bits of the number were looked at: lists grow there, since their keys have equal numbers.
const LEVELS: u32 = u64::BITS / BITS;

/// A key with a number that few other keys share.
pub(crate) trait Numbered: Copy + Eq {
    /// The number.
    fn number(self) -> u64;
}

impl Numbered for Var {
    fn number(self) -> u64 {
        self.id
    }
}

impl Numbered for u32 {
    fn number(self) -> u64 {
        u64::from(self)
    }
}

/// A persistent map.
///
/// ```text
/// numbers 0x01 0x11 0x02 0x12 0x22 0x03          the lowest four bits first; a list has up to four entries
///
/// root  branch  1 ─▶ leaf 0x01 0x11
///               2 ─▶ leaf 0x02 0x12 0x22
///               3 ─▶ leaf 0x03
/// ```
///
/// 1. An entry lies on the path from the root that the bits of its number name; no other entry has its key.
/// 2. A list above the last level has at most [`LEAF`] entries; no node below the root is empty.
/// 3. `len` is the number of entries.
#[derive(Clone)]
pub(crate) struct Trie<K, V> {
    root: Arc<TrieNode<K, V>>,
    len: usize,
}

/// A node of the tree. It lies in one piece of memory, of which a search looks at one place.
#[derive(Clone)]
enum TrieNode<K, V> {
    Leaf(SmallVec<[(K, V); LEAF]>),
    Branch([Option<Arc<TrieNode<K, V>>>; WAYS]),
}

/// The child of a branch on a level that a number leads to.
fn way(number: u64, level: u32) -> usize {
    (number >> (level * BITS)) as usize % WAYS
}

/// The position of a key in a list. The number is compared first: it tells most keys apart.
fn place<K: Numbered, V>(list: &[(K, V)], key: &K) -> Option<usize> {
    list.iter().position(|(known, _)| known.number() == key.number() && known == key)
}

impl<K: Numbered, V: Clone> Trie<K, V> {
    pub(crate) fn new() -> Trie<K, V> {
        Trie { root: Arc::new(TrieNode::empty()), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let (mut node, mut number) = (&*self.root, key.number());
        loop {
            match node {
                TrieNode::Leaf(list) => return place(list, key).map(|at| &list[at].1),
                TrieNode::Branch(children) => node = children[way(number, 0)].as_deref()?,
            }
            number >>= BITS;
        }
    }

    /// The value under a key, to be changed. Nothing is copied if there is no such key.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.get(key)?;
        Arc::make_mut(&mut self.root).get_mut(key, 0)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.len += usize::from(Arc::make_mut(&mut self.root).insert(key, value, 0));
    }

    /// Removes a key; returns its value. Nothing is copied if there is no such key.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        self.get(key)?;
        let removed = Arc::make_mut(&mut self.root).remove(key, 0);
        self.len -= usize::from(removed.is_some());
        removed
    }

    /// Visits the keys whose entries differ in another trie; nodes that both share are not looked at.
    pub(crate) fn differing(&self, other: &Trie<K, V>, visit: &mut dyn FnMut(K))
    where
        V: PartialEq,
    {
        if !Arc::ptr_eq(&self.root, &other.root) {
            self.root.differing(&other.root, visit);
        }
    }

    /// All entries, in no particular order.
    pub(crate) fn iter(&self) -> TrieEntries<'_, K, V> {
        entries(&self.root)
    }
}

impl<K: Numbered, V: Clone> TrieNode<K, V> {
    fn empty() -> TrieNode<K, V> {
        TrieNode::Leaf(SmallVec::new())
    }

    fn get_mut(&mut self, key: &K, level: u32) -> Option<&mut V> {
        match self {
            TrieNode::Leaf(list) => place(list, key).map(|at| &mut list[at].1),
            TrieNode::Branch(children) => {
                let child = children[way(key.number(), level)].as_mut()?;
                Arc::make_mut(child).get_mut(key, level + 1)
            }
        }
    }

    /// Puts a value under a key; returns whether there was no entry under it.
    fn insert(&mut self, key: K, value: V, level: u32) -> bool {
        match self {
            TrieNode::Leaf(list) => {
                if let Some(at) = place(list, &key) {
                    list[at].1 = value;
                    return false;
                }
                if list.len() >= LEAF && level < LEVELS {
                    let list = std::mem::take(list);
                    *self = TrieNode::Branch(Default::default());
                    for (key, value) in list {
                        self.insert(key, value, level);
                    }
                    return self.insert(key, value, level);
                }
                list.push((key, value));
                true
            }
            TrieNode::Branch(children) => {
                let child = children[way(key.number(), level)].get_or_insert_with(|| Arc::new(TrieNode::empty()));
                Arc::make_mut(child).insert(key, value, level + 1)
            }
        }
    }

    /// Removes a key that is in the subtree; returns its value.
    fn remove(&mut self, key: &K, level: u32) -> Option<V> {
        match self {
            TrieNode::Leaf(list) => place(list, key).map(|at| list.swap_remove(at).1),
            TrieNode::Branch(children) => {
                let child = &mut children[way(key.number(), level)];
                let node = Arc::make_mut(child.as_mut()?);
                let removed = node.remove(key, level + 1);
                if node.is_empty() {
                    *child = None;
                }
                removed
            }
        }
    }

    fn differing(&self, other: &TrieNode<K, V>, visit: &mut dyn FnMut(K))
    where
        V: PartialEq,
    {
        if let (TrieNode::Branch(own), TrieNode::Branch(theirs)) = (self, other) {
            for pair in own.iter().zip(theirs) {
                match pair {
                    (Some(own), Some(theirs)) if Arc::ptr_eq(own, theirs) => {}
                    (Some(own), Some(theirs)) => own.differing(theirs, visit),
                    (Some(only), None) | (None, Some(only)) => entries(only).for_each(|(key, _)| visit(*key)),
                    (None, None) => {}
                }
            }
            return;
        }
        let [own, theirs] = [self, other].map(|node| entries(node).collect::<Vec<_>>());
        own.iter().filter(|entry| !theirs.contains(entry)).for_each(|(key, _)| visit(*key));
        let is_new = |key: &K| own.iter().all(|(known, _)| known != key);
        theirs.iter().filter(|(key, _)| is_new(key)).for_each(|(key, _)| visit(*key));
    }

    fn is_empty(&self) -> bool {
        match self {
            TrieNode::Leaf(list) => list.is_empty(),
            TrieNode::Branch(children) => children.iter().all(Option::is_none),
        }
    }
}

/// All entries below a node.
fn entries<K, V>(node: &TrieNode<K, V>) -> TrieEntries<'_, K, V> {
    TrieEntries { pending: vec![node], leaf: [].iter() }
}

/// An iterator over entries.
pub(crate) struct TrieEntries<'t, K, V> {
    pending: Vec<&'t TrieNode<K, V>>,
    leaf: std::slice::Iter<'t, (K, V)>,
}

impl<'t, K, V> Iterator for TrieEntries<'t, K, V> {
    type Item = &'t (K, V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.leaf.next() {
                return Some(entry);
            }
            match self.pending.pop()? {
                TrieNode::Leaf(list) => self.leaf = list.iter(),
                TrieNode::Branch(children) => self.pending.extend(children.iter().flatten().map(|child| &**child)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::numbers;
    use crate::scalar::Sort;
    use std::collections::BTreeMap;

    /// A trie has the entries of a plain map, whatever is written to the trie and to its clones.
    #[test]
    fn a_trie_is_a_map() {
        let mut random = numbers(1);
        let mut pool = vec![(Trie::new(), BTreeMap::new()); 4];
        for round in 0..60_000u64 {
            let size = if round / 10_000 % 2 == 0 { 2_000 } else { 60 };
            if random(200) == 0 {
                pool[random(4) as usize] = pool[random(4) as usize].clone();
            }
            // Numbers that lie close together, numbers that are far apart, and some numbers that two keys share.
            let far = if random(4) == 0 { 1 << 60 } else { 0 };
            let sort = if random(9) == 0 { Sort::Bool } else { Sort::Int };
            let key = Var { id: random(size) | far, sort };
            let (trie, plain) = &mut pool[random(4) as usize];
            match random(3) {
                0 => assert_eq!(trie.remove(&key), plain.remove(&key)),
                1 => {
                    trie.insert(key, round);
                    plain.insert(key, round);
                }
                _ => {
                    let (own, other) = (trie.get_mut(&key), plain.get_mut(&key));
                    assert_eq!(own, other);
                    own.into_iter().chain(other).for_each(|value| *value += 1);
                }
            }
            assert_eq!((trie.len(), trie.get(&key)), (plain.len(), plain.get(&key)));
            if round % 97 == 0 {
                let all: BTreeMap<Var, u64> = trie.iter().copied().collect();
                assert_eq!(all, *plain);
            }
        }
    }

    #[test]
    fn keys_of_one_number_are_told_apart() {
        let keys: Vec<Var> = (0..40).map(|token| Var { id: 7, sort: Sort::Token(token) }).collect();
        let mut trie = Trie::new();
        keys.iter().for_each(|key| trie.insert(*key, key.sort));
        assert!(trie.len() == 40 && keys.iter().all(|key| trie.get(key) == Some(&key.sort)));
        keys.iter().for_each(|key| assert_eq!(trie.remove(key), Some(key.sort)));
        assert_eq!((trie.len(), trie.iter().count()), (0, 0));
    }
}
