//! Rust interfaces: calls in a second with a law and a model, all programs up to a size, and calls that a specification judges.
//!
//! `cargo bench --bench interface` prints the figures.

use std::collections::BTreeSet;
use std::time::Instant;

/// A sorted list.
#[derive(Clone, Debug)]
pub struct Numbers(Vec<u8>);

#[mayhap::interface(model = BTreeSet<u8>)]
impl Numbers {
    #[model(|()| BTreeSet::new())]
    pub fn empty() -> Self {
        Numbers(Vec::new())
    }

    pub fn insert(&mut self, x: u8) -> bool {
        let place = self.0.binary_search(&x);
        if let Err(at) = place {
            self.0.insert(at, x);
        }
        place.is_err()
    }

    pub fn remove(&mut self, x: &u8) -> bool {
        let place = self.0.binary_search(x);
        if let Ok(at) = place {
            self.0.remove(at);
        }
        place.is_ok()
    }

    pub fn contains(&self, x: &u8) -> bool {
        self.0.binary_search(x).is_ok()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[law]
    fn is_sorted(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0] < pair[1])
    }
}

/// A slab, whose handles a specification leaves open.
#[derive(Default)]
pub struct Slab(Vec<Option<u8>>);

#[mayhap::interface(spec = "tests/data/interface/slab.may")]
impl Slab {
    pub fn new() -> Self {
        Slab::default()
    }

    pub fn insert(&mut self, value: u8) -> usize {
        let at = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        self.0.resize(self.0.len().max(at + 1), None);
        self.0[at] = Some(value);
        at
    }

    pub fn remove(&mut self, handle: usize) -> Option<u8> {
        self.0.get_mut(handle).and_then(Option::take)
    }

    pub fn get(&self, handle: usize) -> Option<u8> {
        self.0.get(handle).copied().flatten()
    }

    pub fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

fn main() {
    let began = Instant::now();
    let report = mayhap::check_interface::<Numbers>().values(0..8_u8).calls(4_000_000).check();
    let rate = report.calls as f64 / began.elapsed().as_secs_f64() / 1e6;
    println!("a set of integers, with a law and a model: {rate:.2} million calls/s ({report})");
    let began = Instant::now();
    let report = mayhap::check_interface::<Numbers>().values(0..3_u8).exhaustive(5).check();
    println!("all programs of at most five calls: {:.2} s ({report})", began.elapsed().as_secs_f64());
    let began = Instant::now();
    let report = mayhap::check_interface::<Slab>().calls(100_000).check();
    println!("100,000 calls that a specification judges: {:.2} s ({report})", began.elapsed().as_secs_f64());
}
