//! Values that a specification judges, as what they answer is not determined: handles, orders, what a cache forgets.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use mayhap::interface::{Interface, InterfaceFinding};

/// A slab that reuses handles in the order in which they became free; with `BROKEN`, a handle that is removed twice becomes free twice.
pub struct Slab<const BROKEN: bool> {
    cells: Vec<Option<u8>>,
    free: Vec<usize>,
}

impl<const BROKEN: bool> Slab<BROKEN> {
    fn insert(&mut self, value: u8) -> usize {
        let at = self.free.pop().unwrap_or(self.cells.len());
        if at == self.cells.len() {
            self.cells.push(None);
        }
        self.cells[at] = Some(value);
        at
    }

    fn remove(&mut self, handle: usize) -> Option<u8> {
        let cell = self.cells.get_mut(handle)?;
        let before = cell.take();
        if before.is_some() || BROKEN {
            self.free.push(handle);
        }
        before
    }
}

macro_rules! slabs {
    ($name:ident, $broken:literal) => {
        #[mayhap::interface(of = Slab<$broken>, spec = "tests/data/interface/slab.may")]
        trait $name {
            fn new() -> Self {
                Slab { cells: Vec::new(), free: Vec::new() }
            }
            fn insert(&mut self, value: u8) -> usize;
            fn remove(&mut self, handle: usize) -> Option<u8>;
            fn get(&self, handle: usize) -> Option<u8> {
                self.cells.get(handle).copied().flatten()
            }
            fn len(&self) -> usize {
                self.cells.iter().flatten().count()
            }
        }
    };
}

slabs!(GoodSlab, false);
slabs!(DoubleFree, true);

/// A map whose order is the same in each run, so that a program that fails does so again.
type Bag = HashMap<u8, u8, BuildHasherDefault<DefaultHasher>>;

macro_rules! bags {
    ($name:ident, $forgets:expr) => {
        #[mayhap::interface(of = Bag, spec = "tests/data/interface/bag.may")]
        trait $name {
            fn new() -> Self {
                HashMap::default()
            }
            fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
            fn remove(&mut self, key: &u8) -> Option<u8>;
            fn keys(&self) -> Vec<u8> {
                let forgets: fn(usize) -> usize = $forgets;
                self.keys().copied().take(forgets(self.len())).collect()
            }
            fn clone(&self) -> Self;
        }
    };
}

bags!(GoodBag, |length| length);
bags!(ForgetfulBag, |length| length.min(3));

/// A cache of four entries, which forgets the oldest; with `STALE`, an entry that is put again keeps its old value, if there are three.
#[derive(Default)]
pub struct Cache<const STALE: bool>(Vec<(u8, u8)>);

macro_rules! caches {
    ($name:ident, $stale:literal) => {
        #[mayhap::interface(of = Cache<$stale>, spec = "tests/data/interface/cache.may")]
        trait $name {
            fn new() -> Self {
                Cache::default()
            }
            fn put(&mut self, key: u8, value: u8) {
                let known = self.0.iter().any(|(other, _)| *other == key);
                if known && self.0.len() == 3 && $stale {
                    return;
                }
                self.0.retain(|(other, _)| *other != key);
                self.0.push((key, value));
                if self.0.len() > 4 {
                    self.0.remove(0);
                }
            }
            fn get(&self, key: u8) -> Option<u8> {
                self.0.iter().find(|(other, _)| *other == key).map(|(_, value)| *value)
            }
            fn len(&self) -> usize {
                self.0.len()
            }
        }
    };
}

caches!(GoodCache, false);
caches!(StaleCache, true);

fn passes<I: Interface>() {
    let began = Instant::now();
    let report = mayhap::check_interface::<I>().calls(20_000).check();
    println!("{report}, {:?}", began.elapsed());
    assert_eq!((&report.failure, report.undecided), (&None, 0), "{report}");
}

fn is_found<I: Interface>(calls: usize) {
    let report = mayhap::check_interface::<I>().calls(100_000).check();
    println!("{report}");
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert!(matches!(&failure.finding, InterfaceFinding::Rejected { why, .. } if !why.is_empty()), "{report}");
    assert!(failure.calls <= calls, "{report}");
}

#[test]
fn handles_that_a_slab_chooses() {
    passes::<GoodSlab>();
    is_found::<DoubleFree>(6);
}

#[test]
fn keys_in_any_order() {
    passes::<GoodBag>();
    is_found::<ForgetfulBag>(6);
}

#[test]
fn a_cache_that_may_forget() {
    passes::<GoodCache>();
    is_found::<StaleCache>(6);
}

/// A counter whose additions may be lost, as it reads and writes in two steps.
pub struct Counter(AtomicU64);

#[mayhap::interface(spec = "tests/data/interface/counter.may", concurrent = 3)]
impl Counter {
    pub fn new() -> Self {
        Counter(AtomicU64::new(0))
    }

    pub fn add(&self, amount: u64) -> u64 {
        let before = self.0.load(Ordering::SeqCst);
        std::thread::yield_now();
        self.0.store(before + amount, Ordering::SeqCst);
        before
    }
}

#[test]
fn calls_from_several_threads_are_judged() {
    let report = mayhap::check_interface::<Counter>().calls(3_000).check();
    println!("{report}");
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert!(matches!(failure.finding, InterfaceFinding::Race { .. }), "{report}");
    assert!(failure.program.contains("no ordering of the requests explains"), "{report}");
}
