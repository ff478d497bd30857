//! Keeping few candidates: equal ones merge, covered ones are dropped (semantics, *Forgetting, exactly*).
//!
//! States that are known are compared as they are, which costs next to nothing; those with variables are brought into one
//! form first. For example two ways that both lead to `n = 5` are one candidate. Whether and when candidates are compared is
//! free: where none has come in addition, it is done as often as exchanges cost as much as comparing.

use super::candidate::Candidate;
use super::compared::Compared;
use super::frontier::Judge;
use super::{focus, forget, redundant, tidy};
use crate::value::Value;

/// With more known candidates than this, hashing finds the equal ones sooner than comparing each with each.
const COMPARED: usize = 32;

/// So many known candidates are judged faster than one that is not known.
const APART: usize = 2;

/// Merges equal candidates and drops covered ones, now and then.
pub(super) fn now_and_then(judge: &mut Judge, candidates: &mut Vec<Candidate>) {
    let before = candidates.len();
    let known = candidates.iter().all(Candidate::is_known);
    if candidates.len() <= COMPARED {
        let kept = known_apart(candidates);
        candidates.drain(kept..).for_each(|candidate| judge.spares.take(candidate));
    }
    if candidates.len() > 1 && !(known && candidates.len() <= APART) && judge.compared.is_due(candidates.len()) {
        compare(judge, candidates);
    }
    judge.counts.merges += before.saturating_sub(candidates.len()) as u64;
}

/// Merges equal candidates, unites others and drops covered ones. They are put together where they are twice as many as when
/// that gained little.
fn compare(judge: &mut Judge, candidates: &mut Vec<Candidate>) {
    let (unites, before) = (judge.may_unite(), candidates.len());
    let mut stuck = judge.compared.stuck;
    if unites && before >= 2 * stuck && focus::are_separable(candidates) {
        focus::put_together(judge, candidates, None, focus::fewer);
        stuck = if 2 * candidates.len() > before && candidates.len() > APART { candidates.len() } else { 0 };
    } else {
        if judge.options.forget {
            tidy::each(judge, candidates, if unites { forget::dead } else { tidy::forget_and_name });
        }
        redundant::drop_some(judge, candidates);
    }
    let values = candidates.iter().flat_map(|candidate| candidate.process.roots());
    let walked = values.map(Value::breadth).sum();
    judge.counts.compared += walked as u64;
    judge.compared = Compared { left: candidates.len(), walked, spent: 0, stuck };
}

/// Puts candidates behind the others of which all is known, and the same as of an earlier one, and says how many are in
/// front; a clean one stays there rather than a doubtful one.
fn known_apart(candidates: &mut [Candidate]) -> usize {
    let mut kept = 0;
    for at in 0..candidates.len() {
        let new = &candidates[at];
        match (0..kept).find(|known| new.is_known() && is_same(&candidates[*known], new)) {
            Some(known) if new.is_clean() && !candidates[known].is_clean() => candidates.swap(known, at),
            Some(_) => {}
            None => {
                candidates.swap(kept, at);
                kept += 1;
            }
        }
    }
    kept
}

fn is_same(a: &Candidate, b: &Candidate) -> bool {
    a.is_known() && a.process.holds_the_same(&b.process)
}
