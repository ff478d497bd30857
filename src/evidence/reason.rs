//! The reason of a rejection: a minimal set of earlier answers without which it would not be one.
//!
//! A set of events is a reason if the trace up to the rejected event, with the answers of all earlier events outside the
//! set replaced by holes, is still rejected. More known answers never make a rejection go away, so a minimal set is found
//! by bisection (QuickXplain, Junker 2004), within the shortest suffix of the trace that is a reason at all.

use std::sync::Arc;

use super::{Keep, judged, without_answer};
use crate::dualize::{Exchange, Judge, Options, Verdict};
use crate::spec::Spec;

/// The number of exchanges that looking for a reason may judge.
const EFFORT: u64 = 3_000_000;
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
    let candidates = search.shortest_suffix();
    let mut because = search.explain(&[], &candidates, Background::Unchanged);
    because.sort_unstable();
    let minimal = search.shrink(&mut because);
    Some(Reason { rejected: exchanges.len() - 1, because, minimal })
}

/// Whether a set of events is a reason, and none of them can be left out: what `--check-reason` asks.
#[must_use]
pub fn check_reason(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange], reason: &Reason) -> bool {
    let Some(mut search) = Search::new(spec, options, &exchanges[..=reason.rejected]) else { return false };
    search.is_reason(&reason.because)
        && (reason.minimal == Minimality::CutOff
            || reason.because.iter().all(|left_out| {
                let rest: Vec<usize> = reason.because.iter().copied().filter(|at| at != left_out).collect();
                !search.is_reason(&rest)
            }))
}

/// Whether the background of a bisection has grown since it was last asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Background {
    Grown,
    Unchanged,
}

struct Search<'s> {
    spec: &'s Arc<Spec>,
    options: Options,
    earlier: &'s [Exchange],
    rejected: &'s Exchange,
    effort: u64,
    /// Judges that saw only holes, by the number of exchanges that they saw, longest first.
    blind: Vec<(usize, Judge)>,
}

impl<'s> Search<'s> {
    fn new(spec: &'s Arc<Spec>, options: &Options, exchanges: &'s [Exchange]) -> Option<Search<'s>> {
        let (rejected, earlier) = exchanges.split_last()?;
        let options = Options { candidates: CANDIDATES, keep_choices: false, ..options.clone() };
        let mut search = Search { spec, options, earlier, rejected, effort: 0, blind: Vec::new() };
        search.prepare();
        Some(search)
    }

    /// Judges that saw nothing but holes, at 1, 2, 4 … exchanges before the end.
    fn prepare(&mut self) {
        let mut judge = Judge::new(self.spec.clone(), self.options.clone());
        self.blind.push((0, judge.clone()));
        let mut marks: Vec<usize> = Vec::new();
        let mut width = 1;
        while width < self.earlier.len() {
            marks.push(self.earlier.len() - width);
            width *= 2;
        }
        for (at, exchange) in self.earlier.iter().enumerate() {
            if marks.contains(&at) {
                self.blind.push((at, judge.clone()));
            }
            judge.observe(&without_answer(exchange));
            if judge.is_cut() {
                break;
            }
        }
        if !judge.is_cut() {
            self.blind.push((self.earlier.len(), judge));
        }
        self.blind.reverse();
    }

    /// Whether the trace is still rejected when only these answers are looked at.
    fn is_reason(&mut self, kept: &[usize]) -> bool {
        let first = kept.iter().copied().min().unwrap_or(self.earlier.len());
        let start = self.blind.iter().find(|(seen, _)| *seen <= first);
        let Some((seen, judge)) = start else { return false };
        let (seen, mut judge) = (*seen, judge.clone());
        for (at, exchange) in self.earlier.iter().enumerate().skip(seen) {
            self.effort += 1;
            let alive =
                if kept.contains(&at) { judge.observe(exchange) } else { judge.observe(&without_answer(exchange)) };
            if !alive || judge.is_cut() {
                break;
            }
        }
        judge.observe(self.rejected);
        matches!(judge.verdict(), Verdict::Reject { .. })
    }

    /// The shortest suffix of 0, 1, 2, 4 … earlier exchanges that is a reason.
    fn shortest_suffix(&mut self) -> Vec<usize> {
        let length = self.earlier.len();
        let mut width = 0;
        loop {
            let suffix: Vec<usize> = (length - width.min(length)..length).collect();
            if width >= length || self.is_reason(&suffix) {
                return suffix;
            }
            width = (width * 2).max(1);
        }
    }

    /// A minimal part of `candidates` that is a reason together with `background`.
    fn explain(&mut self, background: &[usize], candidates: &[usize], grown: Background) -> Vec<usize> {
        if self.effort > EFFORT {
            return candidates.to_vec();
        }
        if grown == Background::Grown && self.is_reason(background) {
            return Vec::new();
        }
        if candidates.is_empty() {
            return Vec::new();
        }
        if candidates.len() == 1 {
            // Only the call from outside has not asked about the background yet.
            let needless = grown == Background::Unchanged && background.is_empty() && self.is_reason(background);
            return if needless { Vec::new() } else { candidates.to_vec() };
        }
        let (older, newer) = candidates.split_at(candidates.len() / 2);
        let with = |more: &[usize]| [background, more].concat();
        let from_older = self.explain(&with(newer), older, Background::Grown);
        let grown = if from_older.is_empty() { Background::Unchanged } else { Background::Grown };
        let from_newer = self.explain(&with(&from_older), newer, grown);
        [from_older, from_newer].concat()
    }

    /// Leaves out what can be left out, one at a time, until nothing can.
    fn shrink(&mut self, because: &mut Vec<usize>) -> Minimality {
        let mut at = 0;
        while at < because.len() {
            if self.effort > EFFORT {
                return Minimality::CutOff;
            }
            let mut rest = because.clone();
            rest.remove(at);
            if self.is_reason(&rest) {
                *because = rest;
                at = 0;
            } else {
                at += 1;
            }
        }
        Minimality::Minimal
    }
}

/// The judge that has looked at the answers of a reason only, before the rejected exchange.
pub(super) fn judged_by(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange], because: &[usize]) -> Judge {
    let kept = exchanges
        .iter()
        .enumerate()
        .map(|(at, exchange)| (exchange, if because.contains(&at) { Keep::Answer } else { Keep::Hole }));
    judged(spec, options, kept)
}
