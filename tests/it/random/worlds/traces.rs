//! Traces of a world.
//!
//! Example: a run `[({"C0": "t"}, {"A0": 1})]`, and the same with the answer `{"A0": 2}`, in which parts may become holes.

use super::values::domains;
use super::{Feature, World, holes};
use crate::oracle::{self, Answer, Oracle};
use crate::random::Rng;
use crate::random::traces::{Trace, altered, follow};
use std::collections::BTreeSet;

/// A run of the world, and what becomes of it: an answer changed, parts made unknown.
pub fn traces(rng: &mut Rng, world: &World, likely_hole: usize) -> Vec<(Trace, BTreeSet<Feature>)> {
    let file = oracle::load(&world.text);
    let oracle = Oracle::new(&file, None, domains());
    let length = 1 + rng.below(5);
    let invented = |rng: &mut Rng| Answer::Is(world.response(rng));
    let trace = follow(rng, &oracle, length, |rng| world.request(rng), invented);
    let changed = altered(rng, &trace, |rng| world.response(rng));
    let mut all = vec![(trace, world.features.clone()), (changed, world.features.clone())];
    for (trace, features) in &mut all {
        if rng.percent(likely_hole) {
            *trace = holes::punched(rng, world, trace, features);
        }
        features.extend(trace.iter().any(|(_, answer)| *answer == Answer::Lost).then_some(Feature::Lost));
    }
    all
}
