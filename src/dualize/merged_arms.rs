//! The arms of an `either` that only assign, as one path: their assignments are merged under a fresh variable that says which arm was taken.
//!
//! `for r in replicas { either { held[r] := x; } or {} }` is one path with a variable for each replica, whereas a fork at each would make
//! 2^n. After the exchange the cells that mention these variables are brought into normal form (`normal`), which finds out
//! what each may hold; so nothing of it grows with the trace.

use super::candidate::Candidate;
use super::frontier::Judge;
use super::normal::selector;
use super::section::{Goal, Section};
use super::{reduce, tidy};
use crate::process::meet;

/// The most candidates in normal form that are kept of one that had merged ways.
const KEPT: usize = 64;

/// Merges several ways, if each of them comes to the end of the `either` without an event; returns whether that was possible.
pub(super) fn take_together(section: &mut Section<'_>, candidate: &mut Candidate, ways: &[usize]) -> bool {
    let (judge, program) = (&mut *section.judge, &section.spec.program);
    let merges = judge.options.merge_ways && judge.may_unite() && judge.steps.touched.is_none();
    if ways.len() < 2 || !merges || section.goal == Goal::Section {
        return false;
    }
    let Some(meeting) = meet::meeting(&candidate.process, program) else { return false };
    let mut taken = Vec::with_capacity(ways.len());
    for way in ways {
        let mut process = candidate.process.clone();
        process.select(*way);
        if !meet::run_to(&mut process, program, meeting.at) {
            return false;
        }
        taken.push(process);
    }
    let before = judge.fresh.last;
    let guards = selector(&mut judge.fresh, ways.len(), &mut candidate.store);
    let Some(mut merged) = taken.pop() else { return false };
    for (mut process, guard) in taken.into_iter().zip(guards).rev() {
        if !meet::merge(&mut process, &guard, &merged, meeting) {
            return false;
        }
        merged = process;
    }
    candidate.process = merged;
    candidate.growth.count_choice(1);
    judge.merged_since.get_or_insert(before);
    true
}

/// Brings candidates with merged ways into normal form; their variables are those after the `last`. If that does not succeed, this
/// exchange is judged again, and ways are followed one by one from then on.
pub(super) fn normalize(judge: &mut Judge, candidates: &mut Vec<Candidate>, last: u64) {
    tidy::each(judge, candidates, tidy::after_section);
    if !judge.may_unite() || !reduce::are_separable(candidates) {
        judge.options.merge_ways = false;
        return;
    }
    judge.options.merge_ways &= reduce::put_together(judge, candidates, Some(last), |_| KEPT);
}
