//! Redundant candidates: equal to others, or covered by them, or one with others in the order of hidden integers.
//!
//! `{n: #1}` with `#1 > 3` covers `{n: 5}`.

use super::candidate::Candidate;
use super::frontier::Judge;
use super::{order, subsume};

/// Drops candidates that are equal to others, or covered by them.
pub(super) fn drop_some(judge: &mut Judge, candidates: &mut Vec<Candidate>) {
    if candidates.len() > 1 {
        subsume::merge_equal(candidates);
        order::unite(judge, candidates);
    }
    let before = candidates.len();
    subsume::drop_covered(candidates, &mut judge.solver);
    judge.counts.subsumptions += (before - candidates.len()) as u64;
}
