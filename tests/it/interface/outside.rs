//! Collections of other crates, described from outside, with models of the standard library or a specification.
//!
//! `MAYHAP_LONG=1 cargo test --test it interface::outside -- --nocapture` makes a million calls of each.

use std::collections::BTreeMap;

use mayhap::interface::Interface;

fn passes<I: Interface>() {
    let calls = if std::env::var_os("MAYHAP_LONG").is_some() { 1_000_000 } else { 20_000 };
    let report = mayhap::check_interface::<I>().calls(calls).check();
    println!("{report}");
    assert_eq!((&report.failure, report.undecided, &*report.never), (&None, 0, &[][..]), "{report}");
}

#[mayhap::interface(of = im::OrdMap<u8, u8>, model = BTreeMap<u8, u8>)]
trait OrdMaps {
    fn new() -> Self;
    fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
    fn remove(&mut self, key: &u8) -> Option<u8>;
    fn get(&self, key: &u8) -> Option<&u8>;
    fn len(&self) -> usize;
    #[list((&u8, &u8))]
    fn iter(&self) -> im::ordmap::Iter<'_, u8, u8>;
    fn clone(&self) -> Self;
    #[model(|map| map.first_key_value())]
    fn least(&self) -> Option<(&u8, &u8)> {
        self.get_min().map(|(key, value)| (key, value))
    }
    #[model(|(map, key)| map.range(..=key).next_back())]
    fn before(&self, key: u8) -> Option<(&u8, &u8)> {
        self.get_prev(&key).map(|(key, value)| (key, value))
    }
    #[model(|(map, key)| map.range(key..))]
    fn from(&self, key: u8) -> impl Iterator<Item = (&u8, &u8)> {
        self.range(key..)
    }
    #[model(|(a, b)| { let mut all = b; all.extend(a); all })]
    fn union(self, other: Self) -> Self;
    #[model(|(a, b)| a.into_iter().filter(|(key, _)| b.contains_key(key)).collect())]
    fn intersection(self, other: Self) -> Self;
    #[model(|(a, b)| { let both = |k: &u8| a.contains_key(k) && b.contains_key(k); a.iter().chain(&b).filter(|(k, _)| !both(k)).map(|(k, v)| (*k, *v)).collect() })]
    fn symmetric_difference(self, other: Self) -> Self;
    #[model(|(map, key)| (map.range(..key).map(|(k, v)| (*k, *v)).collect(), map.range(key..).filter(|(k, _)| **k != key).map(|(k, v)| (*k, *v)).collect()))]
    fn parts(&self, key: u8) -> (Self, Self) {
        self.split(&key)
    }
}

#[test]
fn im_ord_map() {
    passes::<OrdMaps>();
}

#[mayhap::interface(of = slab::Slab<u8>, spec = "tests/data/interface/slab.may")]
trait Slabs {
    fn new() -> Self;
    fn insert(&mut self, value: u8) -> usize;
    fn remove(&mut self, handle: usize) -> Option<u8> {
        self.try_remove(handle)
    }
    fn get(&self, handle: usize) -> Option<&u8>;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn clone(&self) -> Self;
}

#[test]
fn slab_slab() {
    passes::<Slabs>();
}

#[mayhap::interface(of = smallvec::SmallVec<[u8; 4]>, model = Vec<u8>)]
trait SmallVecs {
    fn new() -> Self;
    fn push(&mut self, x: u8);
    fn pop(&mut self) -> Option<u8>;
    #[requires(at <= self.len())]
    fn insert(&mut self, at: usize, x: u8);
    #[requires(at < self.len())]
    fn remove(&mut self, at: usize) -> u8;
    #[requires(at < self.len())]
    fn swap_remove(&mut self, at: usize) -> u8;
    fn truncate(&mut self, length: usize);
    fn dedup(&mut self);
    #[model(|(all, keep)| { let keep: &dyn Fn(u8) -> bool = &keep; all.retain(|x| keep(*x)) })]
    fn keep(&mut self, keep: impl Fn(u8) -> bool) {
        self.retain(|x| keep(*x));
    }
    #[model(|(all, items)| all.extend(items))]
    fn append_all(&mut self, items: Vec<u8>) {
        self.extend(items);
    }
    #[requires(from <= to && to <= self.len())]
    #[model(|(all, from, to)| all.drain(from..to).collect::<Vec<u8>>())]
    fn drained(&mut self, from: usize, to: usize) -> Vec<u8> {
        self.drain(from..to).collect()
    }
    #[requires(at <= self.len())]
    #[model(|(all, at, items)| { all.splice(at..at, items); })]
    fn insert_many(&mut self, at: usize, items: Vec<u8>);
    fn shrink_to_fit(&mut self);
    fn clone(&self) -> Self;
    #[model(|all| all.clone())]
    fn items(&self) -> Vec<u8> {
        self.to_vec()
    }
}

#[test]
fn smallvec_small_vec() {
    passes::<SmallVecs>();
}

/// The place of a key in a model of a map that keeps an order.
fn place(all: &[(u8, u8)], key: u8) -> Option<usize> {
    all.iter().position(|(other, _)| *other == key)
}

#[mayhap::interface(of = indexmap::IndexMap<u8, u8>, model = Vec<(u8, u8)>)]
trait IndexMaps {
    fn new() -> Self;
    #[model(|(all, key, value)| match place(all, key) { Some(at) => Some(std::mem::replace(&mut all[at].1, value)), None => { all.push((key, value)); None } })]
    fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
    #[model(|(all, key)| place(all, *key).map(|at| all.remove(at).1))]
    fn shift_remove(&mut self, key: &u8) -> Option<u8>;
    #[model(|(all, key)| place(all, *key).map(|at| all.swap_remove(at).1))]
    fn swap_remove(&mut self, key: &u8) -> Option<u8>;
    #[model(|(all, key)| place(all, *key))]
    fn get_index_of(&self, key: &u8) -> Option<usize>;
    #[model(|(all, at)| all.get(at).map(|(key, value)| (key, value)))]
    fn get_index(&self, at: usize) -> Option<(&u8, &u8)>;
    fn pop(&mut self) -> Option<(u8, u8)>;
    #[model(|all| { all.sort(); })]
    fn sort_keys(&mut self);
    fn reverse(&mut self);
    fn truncate(&mut self, length: usize);
    #[requires(at <= self.len())]
    fn split_off(&mut self, at: usize) -> Self;
    #[requires(from < self.len() && to < self.len())]
    #[model(|(all, from, to)| { let entry = all.remove(from); all.insert(to, entry); })]
    fn move_index(&mut self, from: usize, to: usize);
    #[model(|(all, keep)| { let keep: &dyn Fn(u8) -> bool = &keep; all.retain(|entry| keep(entry.0)) })]
    fn keep(&mut self, keep: impl Fn(u8) -> bool) {
        self.retain(|key, _| keep(*key));
    }
    #[list((&u8, &u8))]
    #[model(|all| all.iter().map(|(key, value)| (key, value)))]
    fn iter(&self) -> indexmap::map::Iter<'_, u8, u8>;
    fn clone(&self) -> Self;
}

#[test]
fn indexmap_index_map() {
    passes::<IndexMaps>();
}

#[mayhap::interface(of = hashbrown::HashMap<u8, u8>, model = BTreeMap<u8, u8>)]
trait HashMaps {
    fn new() -> Self;
    fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
    fn remove(&mut self, key: &u8) -> Option<u8>;
    fn get(&self, key: &u8) -> Option<&u8>;
    fn len(&self) -> usize;
    fn clear(&mut self);
    #[model(|_| ())]
    fn shrink_to_fit(&mut self);
    #[model(|(all, key, value)| *all.entry(key).or_insert(value))]
    fn or_insert(&mut self, key: u8, value: u8) -> u8 {
        *self.entry(key).or_insert(value)
    }
    #[model(|(all, keep)| { let keep: &dyn Fn(u8) -> bool = &keep; all.retain(|key, _| keep(*key)) })]
    fn keep(&mut self, keep: impl Fn(u8) -> bool) {
        self.retain(|key, _| keep(*key));
    }
    #[model(|all| all.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>())]
    fn sorted(&self) -> Vec<(u8, u8)> {
        let mut all: Vec<(u8, u8)> = self.iter().map(|(key, value)| (*key, *value)).collect();
        all.sort_unstable();
        all
    }
    fn clone(&self) -> Self;
}

#[test]
fn hashbrown_hash_map() {
    passes::<HashMaps>();
}

/// Moves an entry of a model of a cache to the front: the front was used last.
fn used(all: &mut Vec<(u8, u8)>, key: u8) -> Option<u8> {
    let entry = all.remove(place(all, key)?);
    all.insert(0, entry);
    Some(entry.1)
}

#[mayhap::interface(of = lru::LruCache<u8, u8>, model = Vec<(u8, u8)>)]
trait LruCaches {
    #[model(|()| Vec::new())]
    fn of_three() -> Self {
        lru::LruCache::new(std::num::NonZeroUsize::new(3).unwrap())
    }
    #[model(|(all, key, value)| { let before = used(all, key); if before.is_none() { all.insert(0, (key, value)); } all[0].1 = value; all.truncate(3); before })]
    fn put(&mut self, key: u8, value: u8) -> Option<u8>;
    #[model(|(all, key)| used(all, key))]
    fn got(&mut self, key: u8) -> Option<u8> {
        self.get(&key).copied()
    }
    #[model(|(all, key, value)| used(all, key).inspect(|_| all[0].1 = value))]
    fn set(&mut self, key: u8, value: u8) -> Option<u8> {
        self.get_mut(&key).map(|old| std::mem::replace(old, value))
    }
    #[model(|(all, key)| place(all, *key).map(|at| &all[at].1))]
    fn peek(&self, key: &u8) -> Option<&u8>;
    #[model(|(all, key)| place(all, *key).map(|at| all.remove(at).1))]
    fn pop(&mut self, key: &u8) -> Option<u8>;
    #[model(|all| all.pop())]
    fn pop_lru(&mut self) -> Option<(u8, u8)>;
    #[model(|(all, key)| used(all, *key).is_some())]
    fn promote(&mut self, key: &u8) -> bool;
    #[model(|(all, key)| place(all, *key).map(|at| { let entry = all.remove(at); all.push(entry); }).is_some())]
    fn demote(&mut self, key: &u8) -> bool;
    #[list((&u8, &u8))]
    #[model(|all| all.iter().map(|(key, value)| (key, value)))]
    fn iter(&self) -> lru::Iter<'_, u8, u8>;
    fn len(&self) -> usize;
    fn clone(&self) -> Self;
}

#[test]
fn lru_lru_cache() {
    passes::<LruCaches>();
}

#[mayhap::interface(of = arrayvec::ArrayVec<u8, 4>, model = Vec<u8>)]
trait ArrayVecs {
    fn new() -> Self;
    #[model(|(all, x)| if all.len() < 4 { all.push(x); Ok(()) } else { Err(()) })]
    fn try_push(&mut self, x: u8) -> Result<(), arrayvec::CapacityError<u8>>;
    fn pop(&mut self) -> Option<u8>;
    #[model(|(all, at, x)| if all.len() < 4 { all.insert(at, x); Ok(()) } else { Err(()) })]
    #[requires(at <= self.len())]
    fn try_insert(&mut self, at: usize, x: u8) -> Result<(), arrayvec::CapacityError<u8>>;
    #[model(|(all, at)| (at < all.len()).then(|| all.remove(at)))]
    fn pop_at(&mut self, at: usize) -> Option<u8>;
    #[model(|(all, at)| (at < all.len()).then(|| all.swap_remove(at)))]
    fn swap_pop(&mut self, at: usize) -> Option<u8>;
    fn truncate(&mut self, length: usize);
    #[model(|(all, keep)| { let keep: &dyn Fn(u8) -> bool = &keep; all.retain(|x| keep(*x)) })]
    fn keep(&mut self, keep: impl Fn(u8) -> bool) {
        self.retain(|x| keep(*x));
    }
    #[requires(from <= to && to <= self.len())]
    #[model(|(all, from, to)| all.drain(from..to).collect::<Vec<u8>>())]
    fn drained(&mut self, from: usize, to: usize) -> Vec<u8> {
        self.drain(from..to).collect()
    }
    #[model(|all| 4 - all.len())]
    fn remaining_capacity(&self) -> usize;
    #[model(|all| all.clone())]
    fn items(&self) -> Vec<u8> {
        self.to_vec()
    }
    fn clone(&self) -> Self;
}

#[test]
fn arrayvec_array_vec() {
    passes::<ArrayVecs>();
}

/// A graph whose nodes are numbers, and whose indices the graph chooses.
type Graph = petgraph::stable_graph::StableDiGraph<u8, ()>;

#[mayhap::interface(of = Graph, spec = "tests/data/interface/graph.may")]
trait StableGraphs {
    fn new() -> Self;
    fn add_node(&mut self, weight: u8) -> usize {
        self.add_node(weight).index()
    }
    fn remove_node(&mut self, node: usize) -> Option<u8> {
        self.remove_node(petgraph::graph::NodeIndex::new(node))
    }
    #[requires(self.contains_node(petgraph::graph::NodeIndex::new(from)) && self.contains_node(petgraph::graph::NodeIndex::new(to)))]
    fn update_edge(&mut self, from: usize, to: usize) {
        self.update_edge(petgraph::graph::NodeIndex::new(from), petgraph::graph::NodeIndex::new(to), ());
    }
    fn neighbors(&self, node: usize) -> Vec<usize> {
        self.neighbors(petgraph::graph::NodeIndex::new(node)).map(|node| node.index()).collect()
    }
    fn node_count(&self) -> usize;
    fn edge_count(&self) -> usize;
    fn clone(&self) -> Self;
}

#[test]
fn petgraph_stable_graph() {
    passes::<StableGraphs>();
}
