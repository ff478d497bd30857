//! The reason of a rejection: a minimal set of earlier answers without which it would not be one.
//!
//! A set of events is a reason if the trace up to the rejected event, with the answers of all earlier events outside the
//! set replaced by holes, is still rejected. More known answers never make a rejection go away, so the last position from
//! which on all answers are a reason is found by bisection, and the answer there is needed; it is kept, and the next one is
//! looked for behind it, until those that were kept are a reason by themselves.
//!
//! For example the reason that (5,1), (3,0), (2,1) is no run of compare-and-reset is the second answer alone.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::without_answer;
use crate::dualize::{Exchange, Judge, Options, Verdict};
use crate::spec::Spec;
use crate::term::made;
use crate::validate::{Recording, exchange_at};

/// The number of exchanges that looking for a reason may judge, however short the trace is.
const EFFORT: u64 = 4_000_000;
/// In addition so many exchanges for each of the trace, which is what finding one answer needs, wherever it is.
const PASSES: u64 = 64;
/// A question to Z3 counts as so many exchanges.
const Z3_EFFORT: u64 = 2_000;
/// A comparison of two states counts as so many exchanges.
const COMPARED_EFFORT: u64 = 10;
/// So many made terms count as an exchange.
const TERMS: u64 = 4;
/// With more candidates than this a set of events counts as no reason: it is undecided.
const CANDIDATES: usize = 300;
/// Where looking was undecided and more answers than this may matter, they are not left out one by one.
const LEFT_OUT: usize = 2_000;

/// Why a trace is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The position of the rejected exchange among all.
    pub rejected: usize,
    /// The positions of the earlier exchanges whose answers matter, in order.
    pub because: Vec<usize>,
    /// Where looking was cut off: the position from which on all answers are part of it, besides those before.
    pub and_from: Option<usize>,
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
pub fn reason<R: Recording + ?Sized>(spec: &Arc<Spec>, options: &Options, exchanges: &R) -> Option<Reason> {
    let rejected = exchanges.length().checked_sub(1)?;
    let mut search = Search::new(spec, options, exchanges, rejected)?;
    let (mut because, mut and_from) = search.grow();
    let minimal = match search.undecided {
        false => search.minimality(),
        true => {
            if !search.is_reason(&because, and_from) {
                (because, and_from) = (Vec::new(), Some(0));
            }
            let rest = rejected - and_from.unwrap_or(rejected);
            if because.len() + rest <= LEFT_OUT {
                because.extend(and_from.take().into_iter().flat_map(|from| from..rejected));
                search.shrink(&mut because)
            } else {
                Minimality::CutOff
            }
        }
    };
    Some(Reason { rejected, because, and_from, minimal })
}

/// What became of a reason when it was judged again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rechecked {
    /// It is one, and none of its events can be left out, if it claims that.
    Holds,
    /// It is none, or says more than it must.
    Fails,
    /// A limit was met.
    Undecided,
}

/// Whether a set of events is a reason, and none of them can be left out: what `--check-reason` asks.
#[must_use]
pub fn check_reason<R>(spec: &Arc<Spec>, options: &Options, exchanges: &R, reason: &Reason) -> Rechecked
where
    R: Recording + ?Sized,
{
    let Some(mut search) = Search::new(spec, options, exchanges, reason.rejected) else { return Rechecked::Fails };
    let Reason { because, and_from, minimal, .. } = reason;
    let needs_all = |search: &mut Search<'_, R>| {
        (0..because.len()).all(|left_out| !search.is_reason(&without(because, left_out), *and_from))
    };
    match search.is_reason(because, *and_from) {
        true if *minimal == Minimality::CutOff || needs_all(&mut search) => Rechecked::Holds,
        false if search.undecided => Rechecked::Undecided,
        true | false => Rechecked::Fails,
    }
}

fn without(because: &[usize], left_out: usize) -> Vec<usize> {
    [&because[..left_out], &because[left_out + 1..]].concat()
}

struct Search<'s, R: ?Sized> {
    start: Judge,
    recording: &'s R,
    /// How many exchanges are before the rejected one.
    earlier: usize,
    rejected: Exchange,
    effort: u64,
    /// Whether some question was undecided, so that more answers may have been less of a reason.
    undecided: bool,
}

/// What a judge has cost besides its exchanges.
#[derive(Clone, Copy)]
struct Asked {
    z3: u64,
    compared: u64,
    made: u64,
}

impl Asked {
    fn of(judge: &Judge) -> Asked {
        let counts = judge.counts();
        Asked { z3: judge.statistics().z3_checks, compared: counts.merges + counts.subsumptions, made: made() }
    }
}

/// A judge that has seen the exchanges before `at`: the answers that are kept, holes else.
#[derive(Clone)]
struct Checkpoint {
    at: usize,
    judge: Judge,
}

/// What a judge gets to see of an exchange.
#[derive(Clone, Copy)]
enum Shown {
    /// All of it.
    Answer,
    /// That there was an answer.
    Hole,
}

impl<'s, R: Recording + ?Sized> Search<'s, R> {
    fn new(spec: &Arc<Spec>, options: &Options, recording: &'s R, rejected: usize) -> Option<Search<'s, R>> {
        let options = Options { candidates: CANDIDATES, keep_choices: false, ..options.clone() };
        let start = Judge::new(spec.clone(), options);
        let last = exchange_at(recording, rejected)?;
        Some(Search { start, recording, earlier: rejected, rejected: last, effort: 0, undecided: false })
    }

    /// Shows exchanges up to `to` to a judge, until none of its candidates is left.
    fn show(&mut self, checkpoint: &mut Checkpoint, to: usize, shown: Shown) {
        let Checkpoint { at, judge } = checkpoint;
        let asked = Asked::of(judge);
        let mut left = to - std::mem::replace(at, to);
        if left > 0 && !judge.is_cut() {
            self.recording.read(to - left, &mut |exchange| {
                self.effort += 1;
                left -= 1;
                let alive = match shown {
                    Shown::Answer => judge.observe(exchange),
                    Shown::Hole => judge.observe(&without_answer(exchange)),
                };
                if alive && left > 0 && !judge.is_cut() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        self.charge(judge, asked);
    }

    /// Passes over exchanges up to `to` without looking at their answers.
    fn skip(&mut self, checkpoint: &mut Checkpoint, to: usize) {
        self.show(checkpoint, to, Shown::Hole);
    }

    /// Counts the questions to Z3 as effort, the states that were compared, and the terms that were made.
    fn charge(&mut self, judge: &Judge, before: Asked) {
        let now = Asked::of(judge);
        self.effort += now.z3.saturating_sub(before.z3) * Z3_EFFORT;
        self.effort += now.compared.saturating_sub(before.compared) * COMPARED_EFFORT;
        self.effort += now.made.saturating_sub(before.made) / TERMS;
    }

    /// Whether the trace is rejected when all answers from here on are looked at.
    fn rejects(&mut self, checkpoint: &Checkpoint) -> bool {
        let mut all = checkpoint.clone();
        self.show(&mut all, self.earlier, Shown::Answer);
        self.ends(all.judge)
    }

    fn ends(&mut self, mut judge: Judge) -> bool {
        if judge.is_cut() {
            self.undecided = true;
            return false;
        }
        judge.observe(&self.rejected);
        let verdict = judge.verdict();
        self.undecided |= matches!(verdict, Verdict::Unknown { .. });
        matches!(verdict, Verdict::Reject { .. })
    }

    /// Whether these answers, in order, are a reason; with all from a position on, if there is one.
    fn is_reason(&mut self, kept: &[usize], and_from: Option<usize>) -> bool {
        let mut checkpoint = Checkpoint { at: 0, judge: self.start.clone() };
        for at in kept {
            self.skip(&mut checkpoint, *at);
            self.keep(&mut checkpoint);
        }
        self.skip(&mut checkpoint, and_from.unwrap_or(self.earlier));
        self.rejects(&checkpoint)
    }

    /// Looks at the next answer.
    fn keep(&mut self, checkpoint: &mut Checkpoint) {
        self.show(checkpoint, checkpoint.at + 1, Shown::Answer);
    }

    /// The answers that are needed, the earliest first; and where looking took too long, from where on all later ones are.
    fn grow(&mut self) -> (Vec<usize>, Option<usize>) {
        let mut needed = Vec::new();
        let mut kept = Checkpoint { at: 0, judge: self.start.clone() };
        while let Some(mut next) = self.next_needed(&kept) {
            if self.minimality() == Minimality::CutOff {
                return (needed, Some(next.at));
            }
            needed.push(next.at);
            self.keep(&mut next);
            kept = next;
        }
        (needed, None)
    }

    /// The last position from which on all answers, with those kept before, are a reason; none where no more are needed.
    fn next_needed(&mut self, kept: &Checkpoint) -> Option<Checkpoint> {
        let length = self.earlier;
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
        let behind = self.earlier - kept.at;
        let widths =
            std::iter::successors(Some(1usize), |width| width.checked_mul(2)).take_while(|width| *width < behind);
        let mut widths: Vec<usize> = std::iter::once(0).chain(widths).collect();
        let mut walking = kept.clone();
        let mut marks = Vec::with_capacity(widths.len());
        while let Some(width) = widths.pop() {
            self.skip(&mut walking, self.earlier - width);
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
            if self.is_reason(&rest, None) {
                *because = rest;
                at = 0;
            } else {
                at += 1;
            }
        }
        Minimality::Minimal
    }

    fn minimality(&self) -> Minimality {
        if self.effort > EFFORT + PASSES * self.earlier as u64 { Minimality::CutOff } else { Minimality::Minimal }
    }
}
