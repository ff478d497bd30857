//! The reason of a rejection: a minimal set of earlier answers without which it would not be one.
//!
//! A set of events is a reason if the trace up to the rejected event, with the answers of all earlier events outside the
//! set replaced by holes, is still rejected. More known answers never make a rejection go away, so the last position from
//! which on all answers are a reason is found by bisection, and the answer there is needed; it is kept, and the next one is
//! looked for behind it, until those that were kept are a reason by themselves.
//!
//! For example the reason that (5,1), (3,0), (2,1) is no run of compare-and-reset is the second answer alone.

use std::sync::Arc;

use super::without_answer;
use crate::dualize::{Exchange, Judge, Options, Verdict};
use crate::spec::Spec;

/// The number of exchanges that looking for a reason may judge.
const EFFORT: u64 = 4_000_000;
/// A question to Z3 counts as so many exchanges.
const Z3_EFFORT: u64 = 2_000;
/// A comparison of two states counts as so many exchanges.
const COMPARED_EFFORT: u64 = 10;
/// With more candidates than this a set of events counts as no reason: it is undecided.
const CANDIDATES: usize = 300;

/// Why a trace is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The position of the rejected exchange among all.
    pub rejected: usize,
    /// The positions of the earlier exchanges whose answers matter, in order.
    pub because: Vec<usize>,
    /// Whether none of them can be left out.
    pub minimal: Minimality,
}

/// Whether a reason is as small as it can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Minimality {
    /// With any one more answer replaced by a hole, the trace is not rejected (accepted, or undecided).
    Minimal,
    /// Looking for smaller ones took too long.
    CutOff,
}

/// Finds the reason for the rejection of the last of these exchanges.
#[must_use]
pub fn reason(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange]) -> Option<Reason> {
    let mut search = Search::new(spec, options, exchanges)?;
    let mut because = search.grow();
    let minimal = match search.undecided {
        false => search.minimality(),
        true => {
            if !search.is_reason(&because) {
                because = (0..exchanges.len() - 1).collect();
            }
            search.shrink(&mut because)
        }
    };
    Some(Reason { rejected: exchanges.len() - 1, because, minimal })
}

/// Whether a set of events is a reason, and none of them can be left out: what `--check-reason` asks.
#[must_use]
pub fn check_reason(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange], reason: &Reason) -> bool {
    let earlier = exchanges.get(..=reason.rejected);
    let Some(mut search) = earlier.and_then(|earlier| Search::new(spec, options, earlier)) else { return false };
    let cut_off = reason.minimal == Minimality::CutOff;
    search.is_reason(&reason.because)
        && (cut_off || (0..reason.because.len()).all(|left_out| !search.is_reason(&without(&reason.because, left_out))))
}

fn without(because: &[usize], left_out: usize) -> Vec<usize> {
    [&because[..left_out], &because[left_out + 1..]].concat()
}

struct Search<'s> {
    start: Judge,
    earlier: &'s [Exchange],
    rejected: &'s Exchange,
    effort: u64,
    /// Whether some question was undecided, so that more answers may have been less of a reason.
    undecided: bool,
}

/// What a judge has cost besides its exchanges.
#[derive(Clone, Copy)]
struct Asked {
    z3: u64,
    compared: u64,
}

impl Asked {
    fn of(judge: &Judge) -> Asked {
        let counts = judge.counts();
        Asked { z3: judge.statistics().z3_checks, compared: counts.merges + counts.subsumptions }
    }
}

/// A judge that has seen the exchanges before `at`: the answers that are kept, holes else.
#[derive(Clone)]
struct Checkpoint {
    at: usize,
    judge: Judge,
}

impl<'s> Search<'s> {
    fn new(spec: &Arc<Spec>, options: &Options, exchanges: &'s [Exchange]) -> Option<Search<'s>> {
        let (rejected, earlier) = exchanges.split_last()?;
        let options = Options { candidates: CANDIDATES, keep_choices: false, ..options.clone() };
        let start = Judge::new(spec.clone(), options);
        Some(Search { start, earlier, rejected, effort: 0, undecided: false })
    }

    /// Passes over exchanges up to `to` without looking at their answers.
    fn skip(&mut self, checkpoint: &mut Checkpoint, to: usize) {
        let asked = Asked::of(&checkpoint.judge);
        for exchange in &self.earlier[checkpoint.at..to] {
            self.effort += 1;
            checkpoint.judge.observe(&without_answer(exchange));
            if checkpoint.judge.is_cut() {
                break;
            }
        }
        checkpoint.at = to;
        self.charge(&checkpoint.judge, asked);
    }

    /// Counts the questions to Z3 as effort, and the states that were compared.
    fn charge(&mut self, judge: &Judge, before: Asked) {
        let now = Asked::of(judge);
        self.effort += now.z3.saturating_sub(before.z3) * Z3_EFFORT;
        self.effort += now.compared.saturating_sub(before.compared) * COMPARED_EFFORT;
    }

    /// Whether the trace is rejected when all answers from here on are looked at.
    fn rejects(&mut self, checkpoint: &Checkpoint) -> bool {
        let Checkpoint { at, mut judge } = checkpoint.clone();
        let asked = Asked::of(&judge);
        for exchange in &self.earlier[at..] {
            self.effort += 1;
            if judge.is_cut() || !judge.observe(exchange) {
                break;
            }
        }
        self.charge(&judge, asked);
        self.ends(judge)
    }

    fn ends(&mut self, mut judge: Judge) -> bool {
        if judge.is_cut() {
            self.undecided = true;
            return false;
        }
        judge.observe(self.rejected);
        let verdict = judge.verdict();
        self.undecided |= matches!(verdict, Verdict::Unknown(_));
        matches!(verdict, Verdict::Reject { .. })
    }

    /// Whether these answers, in order, are a reason.
    fn is_reason(&mut self, kept: &[usize]) -> bool {
        let mut checkpoint = Checkpoint { at: 0, judge: self.start.clone() };
        for at in kept {
            self.skip(&mut checkpoint, *at);
            self.keep(&mut checkpoint);
        }
        self.skip(&mut checkpoint, self.earlier.len());
        self.ends(checkpoint.judge)
    }

    /// Looks at the next answer.
    fn keep(&mut self, checkpoint: &mut Checkpoint) {
        if !checkpoint.judge.is_cut() {
            checkpoint.judge.observe(&self.earlier[checkpoint.at]);
        }
        checkpoint.at += 1;
    }

    /// The answers that are needed, the earliest first; with all later ones where looking took too long.
    fn grow(&mut self) -> Vec<usize> {
        let mut needed = Vec::new();
        let mut kept = Checkpoint { at: 0, judge: self.start.clone() };
        while let Some(mut next) = self.next_needed(&kept) {
            if self.minimality() == Minimality::CutOff {
                needed.extend(next.at..self.earlier.len());
                return needed;
            }
            needed.push(next.at);
            self.keep(&mut next);
            kept = next;
        }
        needed
    }

    /// The last position from which on all answers, with those kept before, are a reason; none where no more are needed.
    fn next_needed(&mut self, kept: &Checkpoint) -> Option<Checkpoint> {
        let length = self.earlier.len();
        let marks = self.marks(kept);
        let (mut reason, mut none) = (kept.clone(), length);
        for mark in marks {
            if self.rejects(&mark) {
                if mark.at == length {
                    return None;
                }
                reason = mark;
                break;
            }
            none = mark.at;
        }
        // From `reason.at` on they are a reason, from `none` on not: the last one before `none` is needed.
        while none - reason.at > 1 && self.minimality() == Minimality::Minimal {
            let mut middle = reason.clone();
            self.skip(&mut middle, reason.at + (none - reason.at) / 2);
            if self.rejects(&middle) {
                reason = middle;
            } else {
                none = middle.at;
            }
        }
        (none > reason.at).then_some(reason)
    }

    /// Checkpoints at 0, 1, 2, 4 … exchanges before the end.
    fn marks(&mut self, kept: &Checkpoint) -> Vec<Checkpoint> {
        let behind = self.earlier.len() - kept.at;
        let widths =
            std::iter::successors(Some(1usize), |width| width.checked_mul(2)).take_while(|width| *width < behind);
        let mut widths: Vec<usize> = std::iter::once(0).chain(widths).collect();
        let mut walking = kept.clone();
        let mut marks = Vec::with_capacity(widths.len());
        while let Some(width) = widths.pop() {
            self.skip(&mut walking, self.earlier.len() - width);
            marks.push(walking.clone());
        }
        marks.reverse();
        marks
    }

    /// Leaves out what can be left out, one at a time, until nothing can.
    fn shrink(&mut self, because: &mut Vec<usize>) -> Minimality {
        let mut at = 0;
        while at < because.len() {
            if self.minimality() == Minimality::CutOff {
                return Minimality::CutOff;
            }
            let rest = without(because, at);
            if self.is_reason(&rest) {
                *because = rest;
                at = 0;
            } else {
                at += 1;
            }
        }
        Minimality::Minimal
    }

    fn minimality(&self) -> Minimality {
        if self.effort > EFFORT { Minimality::CutOff } else { Minimality::Minimal }
    }
}
