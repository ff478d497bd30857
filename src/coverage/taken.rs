//! The branches that the last request took, read from the instrumented variable.
//!
//! The set `{0, 2}` stands for the branches 0 and 2; in a machine, so does the number 5.

use std::collections::BTreeSet;

use crate::judge::Candidate;
use crate::scalar::Scalar;
use crate::value::{Presence, Value};

/// The numbers of the branches that some explanation took, in increasing order.
pub(super) fn taken(candidates: &[Candidate], slot: usize) -> Vec<usize> {
    let mut numbers = BTreeSet::new();
    candidates
        .iter()
        .filter_map(|candidate| candidate.process.memory.get(slot))
        .for_each(|noted| read(noted, &mut numbers));
    numbers.into_iter().collect()
}

/// The numbers of the branches that a state has noted.
pub(crate) fn noted(state: &[Value], slot: usize) -> Vec<usize> {
    let mut numbers = BTreeSet::new();
    state.get(slot).into_iter().for_each(|noted| read(noted, &mut numbers));
    numbers.into_iter().collect()
}

fn read(noted: &Value, numbers: &mut BTreeSet<usize>) {
    match noted {
        Value::Map(map) => {
            let there = map.looked_at().filter(|(_, entry)| entry.presence != Presence::Never);
            let written = map.pending().filter_map(|(key, entry)| entry.map(|_| key));
            let number = |key: &Value| key.as_int().and_then(crate::scalar::Int::to_usize);
            numbers.extend(there.map(|(key, _)| key).chain(written).filter_map(number));
        }
        Value::Scalar(Scalar::Int(bits)) => {
            let bits = bits.big();
            numbers.extend((0..bits.bits()).filter(|bit| bits.bit(*bit)).map(|bit| bit as usize));
        }
        Value::Union(ways) => ways.iter().for_each(|(_, way)| read(way, numbers)),
        _ => {}
    }
}
