//! Keeping few candidates: equal ones merge, covered ones are dropped (semantics, *Forgetting, exactly*).
//!
//! States that are known are compared as they are, which costs next to nothing; those with variables are brought into one
//! form first. For example two ways that both lead to `n = 5` are one candidate. Whether and when candidates are compared is
//! free: where none has come in addition, it is done as often as exchanges cost as much as comparing.

use super::candidate::Candidate;
use super::compared::Compared;
use super::frontier::Judge;
use super::{focus, subsume};
use crate::value::Value;

/// With more known candidates than this, hashing finds the equal ones sooner than comparing each with each.
const COMPARED: usize = 32;

/// So many known candidates are judged faster than one that is not known.
const APART: usize = 2;

/// Candidates are put together where that makes so many times fewer of them.
const GAIN: usize = 2;

impl Judge {
    /// Merges equal candidates and drops covered ones, now and then.
    pub(super) fn reduce(&mut self, candidates: &mut Vec<Candidate>) {
        let before = candidates.len();
        let known = candidates.iter().all(Candidate::is_known);
        if candidates.len() <= COMPARED {
            let kept = known_apart(candidates);
            candidates.drain(kept..).for_each(|candidate| self.spares.take(candidate));
        }
        if candidates.len() > 1 && !(known && candidates.len() <= APART) && self.compared.is_due(candidates.len()) {
            self.compare(candidates);
        }
        self.counts.merges += before.saturating_sub(candidates.len()) as u64;
    }

    /// Tests whether candidates are put together: not where dead variables, or the choices or answers of each, are kept,
    /// nor where steps lead on for ever from what is put together.
    pub(super) fn may_unite(&self) -> bool {
        self.options.unite && self.options.forget && !self.options.keep_paths() && !self.keeps_apart
    }

    /// Merges equal candidates, unites others and drops covered ones. They are put together where they are twice as many as when
    /// that gained little.
    fn compare(&mut self, candidates: &mut Vec<Candidate>) {
        let (unites, before) = (self.may_unite(), candidates.len());
        let mut stuck = self.compared.stuck;
        if unites && before >= 2 * stuck && focus::are_separable(candidates) {
            self.put_together(candidates, None, fewer);
            stuck = if 2 * candidates.len() > before && candidates.len() > APART { candidates.len() } else { 0 };
        } else {
            if self.options.forget {
                let forget = |judge: &mut Judge, candidate: &mut Candidate| _ = judge.forget(candidate);
                self.tidy_each(candidates, if unites { forget } else { Judge::forget_and_name });
            }
            self.drop_some(candidates);
        }
        let values = candidates.iter().flat_map(|candidate| candidate.process.roots());
        let walked = values.map(Value::breadth).sum();
        self.counts.compared += walked as u64;
        self.compared = Compared { left: candidates.len(), walked, spent: 0, stuck };
    }

    /// Drops candidates that are equal to others, or covered by them.
    pub(super) fn drop_some(&mut self, candidates: &mut Vec<Candidate>) {
        if candidates.len() > 1 {
            subsume::merge_equal(candidates);
            self.unite_orders(candidates);
        }
        if self.may_unite() && candidates.len() > 1 {
            self.tidy_each(candidates, Judge::name_terms);
        }
        let before = candidates.len();
        subsume::drop_covered(candidates, &mut self.solver);
        self.counts.subsumptions += (before - candidates.len()) as u64;
    }
}

/// The number of candidates that so many are to become at most, where they are put together.
pub(super) fn fewer(candidates: usize) -> usize {
    candidates / GAIN
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
