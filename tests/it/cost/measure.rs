//! What is counted of a validator, and of looking for a witness.
//!
//! For example what a validator keeps of the hidden sum of a thousand digits is one variable with two bounds: 3.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::judge::exchanges;
use mayhap::evidence::witness_in_parts;
use mayhap::judge::Options;
use mayhap::reading::Recording;
use mayhap::value::Value;
use mayhap::{Exchange, Spec, Validator};

/// The facts and terms that the candidates keep.
pub fn kept(validator: &Validator) -> usize {
    let mut size = 0;
    for candidate in validator.judge().candidates() {
        let (bindings, domains, constraints) = candidate.store.size();
        size += bindings + domains + constraints;
        candidate.process.memory.iter().filter(|slot| !matches!(slot, Value::Scalar(_))).for_each(|slot| {
            slot.visit_terms(&mut |term| term.visit(&mut |_| size += 1));
        });
    }
    size
}

/// The most that the store of a candidate keeps.
pub fn stored(validator: &Validator) -> usize {
    let sizes = validator.judge().candidates().iter().map(|candidate| candidate.store.size());
    sizes.map(|(bindings, domains, constraints)| bindings + domains + constraints).max().unwrap_or_default()
}

/// How large the terms in the memory of all candidates are together.
pub fn size_of_terms(validator: &Validator) -> u32 {
    let mut size = 0;
    for candidate in validator.judge().candidates() {
        for slot in &candidate.process.memory {
            slot.visit_terms(&mut |term| size += term.size());
        }
    }
    size
}

/// Values walked and questions asked, for each exchange.
pub fn read(validator: &Validator) -> (f64, f64) {
    let (counts, asked) = (validator.counts(), validator.statistics());
    let each = |count: u64| count as f64 / counts.events as f64;
    (each(counts.walked), each(asked.by_domain + asked.by_model + asked.by_search))
}

/// A trace that counts how many of its exchanges were read.
pub struct Counted {
    exchanges: Vec<Exchange>,
    read: Cell<usize>,
}

impl Counted {
    pub fn new(trace: String, spec: &Arc<Spec>) -> Counted {
        Counted { exchanges: exchanges(spec, &trace), read: Cell::new(0) }
    }

    pub fn read(&self) -> usize {
        self.read.get()
    }
}

impl Recording for Counted {
    fn length(&self) -> usize {
        self.exchanges.len()
    }

    fn read(&self, from: usize, see: &mut dyn FnMut(&Exchange) -> ControlFlow<()>) {
        self.exchanges.read(from, &mut |exchange| {
            self.read.set(self.read.get() + 1);
            see(exchange)
        });
    }
}

/// Exchanges read for each one of the trace, and the most that were made at once, for a witness.
pub fn witness_cost(name: &str, spec: &Arc<Spec>, exchanges: Vec<Exchange>) -> (f64, usize) {
    let counted = Counted { exchanges, read: Cell::new(0) };
    let (mut steps, mut longest) = (0, 0);
    let found = witness_in_parts(spec, &Options::default(), &counted, &mut |segment| {
        steps += segment.steps.len();
        longest = longest.max(segment.steps.len());
        ControlFlow::Continue(())
    });
    assert!(found.is_ok() && steps >= counted.length(), "{name}: {found:?}, {steps} steps");
    (counted.read() as f64 / counted.length() as f64, longest)
}
