//! The branches that the last request took, read from the instrumented variable.
//!
//! The set `{0, 2}` stands for the branches 0 and 2; in a machine, so does the number 5.

use std::collections::BTreeSet;

use super::instrument::DIGIT;
use crate::judge::Candidate;
use crate::scalar::{Int, Scalar};
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

/// The numbers of the branches of a trail, in their order.
pub(crate) fn trail(noted: &Value) -> Vec<usize> {
    let number = |digit: &Value| digit.as_int().and_then(Int::to_usize);
    match noted {
        Value::List(list) => list.iter().filter_map(number).collect(),
        Value::Scalar(Scalar::Int(digits)) => {
            let base = Int::small(DIGIT);
            let (mut left, mut numbers) = (digits.clone(), Vec::new());
            while !left.is_zero() {
                numbers.extend(left.modulo(&base).to_usize().map(|digit| digit - 1));
                left = left.floor_div(&base);
            }
            numbers.reverse();
            numbers
        }
        _ => Vec::new(),
    }
}

fn read(noted: &Value, numbers: &mut BTreeSet<usize>) {
    match noted {
        Value::Map(map) => {
            let there = map.looked_at().filter(|(_, entry)| entry.presence != Presence::Never);
            let written = map.pending().filter_map(|(key, entry, _)| entry.map(|_| key));
            let number = |key: &Value| key.as_int().and_then(Int::to_usize);
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
