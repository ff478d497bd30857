//! The conflict of a rejected history: a minimal set of answers that cannot all be true, the rejected one among them.
//!
//! A set of answers is a conflict if the history up to the rejected event is still rejected without the other answers: each other
//! request may then be served at any moment after its line, or never. With more answers a rejection stays a rejection, so the conflict is
//! found from its end: the search looks for the last answer that leaves no order together with the answers after it. This answer is
//! needed. Then the search goes on among the answers after it.
//!
//! ```text
//! unseen unseen unseen known known  rejected        so nothing before matters
//! unseen unseen unseen unseen known explained       so the fourth is needed
//! ```
//!
//! Before that, each answer near the rejected one is tried alone with it. Then the search looks for a line before which the state
//! may be any, and any request under way may have been served or not: this line is usually near. Requests that were answered
//! before the line were served before it, and the conflict has only answers after it.

use std::cmp::Reverse;
use std::convert::Infallible;
use std::sync::Arc;

use super::allowed::{Possibility, allowed_but};
use super::narrowing::needed;
use super::reason::{Budget, Minimality, Rechecked, recheck};
use crate::judge::{Options, Verdict, least_above};
use crate::limits;
use crate::search::{History, JudgedHistory, RejudgedHistory, RelaxedOutcome, RelaxedStart};
use crate::spec::Spec;
use crate::value::Value;

/// The places from which a conflict is looked for.
const STARTS: usize = 5;
/// The shares of the remaining budget, one in N, for each of many tries: the second is used if the first was not enough.
const TRIES: [u64; 2] = [limits::TRIAL_SHARE, limits::SIDE_SHARE];
/// The fewest units for one judgement, so that a small rest of the budget still decides something.
const LEAST: u64 = 256;
/// The number of copied events that cost one unit of the budget.
const COPIED: u64 = 64;
/// The most events of a part that is searched for needed answers, as each judgement of a longer one costs too much.
const LONGEST: usize = 2048;
/// The most looked-up transitions between states when a conflict is judged again.
const CHECKED: u64 = limits::HISTORY_EFFORT * limits::EFFORT_LIMIT;

/// The answers of a rejected history that cannot all be true.
#[derive(Clone, PartialEq, Debug)]
pub struct AnswerConflict {
    /// The lines of these answers; the last one is the rejected one.
    pub lines: Vec<u64>,
    /// The line before which the state may be any, with every request that was answered by then served; `None` if the conflict
    /// begins in an initial state.
    pub any_state_before: Option<u64>,
    /// The line from which on all answers belong to the conflict, if the search was cut off.
    pub all_from: Option<u64>,
    /// The minimality of the conflict: without any one of its answers, some order explains the others.
    pub minimal: Minimality,
    /// The start and the events of the answers; [`check_conflict`] judges again with them.
    start: RelaxedStart,
    events: Vec<usize>,
}

/// The answers that would have been possible in the place of a rejected one, each judged again.
#[derive(Clone, PartialEq, Debug)]
pub struct OtherAnswers {
    /// The answers that are known in full, as JSON.
    pub json: Vec<String>,
    /// The answers with unknown parts, each with a concrete one that was judged: `{"Id": #1}` where #1 != 7.
    pub open: Vec<(Possibility, Value)>,
    /// True if there may be more.
    pub more: bool,
}

/// Finds the conflict of a rejected history, and what could have been answered instead; `None` if no answer was rejected.
#[must_use]
pub fn conflict(
    spec: &Arc<Spec>,
    history: &History,
    judgement: &mut JudgedHistory,
    budget: Budget<'_>,
) -> Option<(AnswerConflict, Option<OtherAnswers>)> {
    let Verdict::Reject { event, .. } = judgement.verdict else { return None };
    let judged = RejudgedHistory::new(spec, history, event, judgement.rejected.take(), &Options::default())?;
    let mut search = ConflictSearch { judged, budget, share: limits::MAIN_SHARE, minimal: Minimality::Minimal };
    let part = search.budget.left() / limits::MAIN_SHARE;
    let others = search.others(spec, part);
    Some((search.run(), others))
}

/// Judges a conflict again: the history is rejected with the answers of the conflict. If the conflict claims to be minimal, the
/// history is not rejected without any one of them.
#[must_use]
pub fn check_conflict(spec: &Arc<Spec>, history: &History, conflict: &AnswerConflict) -> Rechecked {
    let line = conflict.lines.last().copied().unwrap_or_default();
    let Some(mut judged) = RejudgedHistory::new(spec, history, line, None, &Options::default()) else {
        return Rechecked::Undecided;
    };
    recheck(conflict.minimal, &conflict.events, &mut |answers| judged.judge(conflict.start, answers, CHECKED))
}

/// A search for a conflict.
struct ConflictSearch<'b> {
    judged: RejudgedHistory,
    budget: Budget<'b>,
    /// The share of the budget, one in N, for one judgement.
    share: u64,
    minimal: Minimality,
}

/// A start and needed answers with which the event is rejected, and the later answers (`rest`) that the search did not reach.
struct RejectedPart {
    start: RelaxedStart,
    needed: Vec<usize>,
    rest: Vec<usize>,
    minimal: Minimality,
}

impl RejectedPart {
    fn size(&self) -> usize {
        self.needed.len() + self.rest.len()
    }
}

impl ConflictSearch<'_> {
    fn run(mut self) -> AnswerConflict {
        let found = match self.pair() {
            Some(found) => found,
            None => self.in_part(),
        };
        let RejectedPart { start, needed, rest, minimal } = found;
        let line = |event: usize| self.judged.line(event);
        let all_from = rest.first().filter(|_| rest.len() > limits::NAMED_ANSWERS).map(|event| line(*event));
        let events = [needed, rest].concat();
        let lines = events.iter().copied().chain([self.judged.rejected()]).map(line).collect();
        let any_state_before = if let RelaxedStart::AnyState(first) = start { Some(line(first)) } else { None };
        AnswerConflict { lines, any_state_before, all_from, minimal, start, events }
    }

    /// The rejected answer alone or with one before it, which is the most common conflict. It starts in any state before the
    /// first of their requests, or in an initial state.
    fn pair(&mut self) -> Option<RejectedPart> {
        let own = self.judged.sent(self.judged.rejected())?;
        let effort = self.budget.left() / TRIES[0];
        let alone = self.paid(|judged| judged.judge_pair(None, effort));
        if alone != RelaxedOutcome::Explained {
            let found = self.with_needed(RelaxedStart::AnyState(self.line_begin(own)), Vec::new());
            if found.is_some() {
                return found;
            }
        }
        let stop = self.budget.left() / limits::MAIN_SHARE * (limits::MAIN_SHARE - 1);
        let mut unsure = Vec::new();
        for answer in self.judged.likely_answers(limits::NEARBY) {
            if self.budget.left() < stop || unsure.len() == limits::NEARBY {
                break;
            }
            let outcome = self.paid(|judged| judged.judge_pair(Some(answer), effort));
            if outcome == RelaxedOutcome::Explained {
                continue;
            }
            let first = self.judged.sent(answer).map_or(own, |sent| sent.min(own));
            let start = RelaxedStart::AnyState(self.line_begin(first));
            if outcome == RelaxedOutcome::Rejected && alone == RelaxedOutcome::Explained {
                return Some(RejectedPart {
                    start,
                    needed: vec![answer],
                    rest: Vec::new(),
                    minimal: Minimality::Minimal,
                });
            }
            unsure.push((start, answer));
        }
        unsure.sort_by_key(|(_, answer)| Reverse(*answer));
        self.among(&unsure).or_else(|| self.with_needed(RelaxedStart::Initial, Vec::new()))
    }

    /// A conflict of the rejected answer with one of these answers; the quick judgement left them undecided.
    fn among(&mut self, unsure: &[(RelaxedStart, usize)]) -> Option<RejectedPart> {
        let stop = self.budget.left() / limits::MAIN_SHARE * (limits::MAIN_SHARE - 1);
        let found = TRIES.into_iter().find_map(|share| {
            self.share = share;
            let mut near = unsure.iter();
            near.find_map(
                |(start, answer)| {
                    if self.budget.left() < stop { None } else { self.with_needed(*start, vec![*answer]) }
                },
            )
        });
        self.share = limits::MAIN_SHARE;
        found
    }

    /// A conflict out of these answers, if the event is rejected with them.
    fn with_needed(&mut self, start: RelaxedStart, answers: Vec<usize>) -> Option<RejectedPart> {
        self.rejects(start, &answers).then(|| self.needed(start, answers))
    }

    /// The needed answers after the last event before which the state may be any; after an earlier one, if fewer answers are
    /// needed there; or from the beginning.
    fn in_part(&mut self) -> RejectedPart {
        let end = self.judged.rejected();
        let mut best = None;
        let mut first = self.start();
        for _ in 0..STARTS {
            let Some(from) = first else { break };
            let answers = self.answers_from(from);
            let found = self.with_needed(RelaxedStart::AnyState(from), answers);
            best = best.into_iter().chain(found).min_by_key(RejectedPart::size);
            let is_small = best.as_ref().is_some_and(|best| best.size() < 2);
            first = Some(self.line_begin((2 * from).saturating_sub(end))).filter(|_| from > 0 && !is_small);
        }
        best.unwrap_or_else(|| {
            let (start, rest) = (RelaxedStart::Initial, self.judged.answers());
            match end > LONGEST && !rest.is_empty() {
                true => RejectedPart { start, needed: Vec::new(), rest, minimal: Minimality::CutOff },
                false => self.needed(start, rest),
            }
        })
    }

    /// The first event on the line of an event, as a line may stand for two events.
    fn line_begin(&self, event: usize) -> usize {
        let is_same_line = |event: usize| event > 0 && self.judged.line(event - 1) == self.judged.line(event);
        (0..=event).rev().find(|event| !is_same_line(*event)).unwrap_or(event)
    }

    /// The answers from an event on, up to the rejected one.
    fn answers_from(&self, event: usize) -> Vec<usize> {
        let mut answers = self.judged.answers();
        answers.retain(|answer| *answer >= event);
        answers
    }

    /// The last event before which the state may be any; `None` if none is found.
    fn start(&mut self) -> Option<usize> {
        let (end, stop) = (self.judged.rejected(), self.budget.left() / limits::MAIN_SHARE * (limits::MAIN_SHARE - 1));
        let mut is_found = false;
        let rejects = |length: usize| {
            let rejects = (is_found || self.budget.left() >= stop) && self.rejects_from(end - length);
            is_found |= rejects;
            Ok(rejects)
        };
        let Ok(least) = least_above::<Infallible>(0, end.min(LONGEST), rejects);
        least.map(|least| self.line_begin(end - least))
    }

    fn rejects_from(&mut self, event: usize) -> bool {
        let answers = self.answers_from(event);
        self.rejects(RelaxedStart::AnyState(event), &answers)
    }

    /// Divides the answers into needed ones and later ones that the search did not reach. Without a needed answer the event would
    /// not be rejected.
    fn needed(&mut self, start: RelaxedStart, answers: Vec<usize>) -> RejectedPart {
        self.minimal = Minimality::Minimal;
        let (needed, rest) =
            needed(self, |search| search.budget.is_spent(), |search, known| search.rejects(start, known), answers);
        if !rest.is_empty() {
            self.minimal = Minimality::CutOff;
        }
        RejectedPart { start, needed, rest, minimal: self.minimal }
    }

    /// Tests whether the event is still rejected with these answers; false if this was not found out.
    fn rejects(&mut self, start: RelaxedStart, answers: &[usize]) -> bool {
        if self.budget.is_spent() {
            self.minimal = Minimality::CutOff;
            return false;
        }
        let limit = (self.budget.left() / self.share).max(LEAST) * limits::LOOKUPS_PER_TERM;
        self.budget.spend(self.judged.rejected() as u64 / COPIED);
        match self.paid(|judged| judged.judge(start, answers, limit)) {
            RelaxedOutcome::Rejected => true,
            RelaxedOutcome::Explained => false,
            RelaxedOutcome::Undecided => {
                self.minimal = Minimality::CutOff;
                false
            }
        }
    }

    /// Does some work, and charges the budget for it.
    fn paid<T>(&mut self, work: impl FnOnce(&mut RejudgedHistory) -> T) -> T {
        let cost = |judged: &RejudgedHistory| {
            Budget::paid_of(judged.contexts()) + judged.looked_up() / limits::LOOKUPS_PER_TERM
        };
        let before = cost(&self.judged);
        let done = work(&mut self.judged);
        self.budget.spend(cost(&self.judged).saturating_sub(before) + 1);
        done
    }

    /// The answers that some order explains instead of the rejected one, found with at most `units`.
    fn others(&mut self, spec: &Arc<Spec>, units: u64) -> Option<OtherAnswers> {
        let stop = self.budget.left().saturating_sub(units);
        let limit = units.max(LEAST) * limits::LOOKUPS_PER_TERM;
        let (before, exchange) = self.paid(|judged| judged.before_rejected(limit))?;
        let impossible = self.judged.rejected_answer();
        let mut others = OtherAnswers { json: Vec::new(), open: Vec::new(), more: false };
        for (possible, example) in allowed_but(spec, &before, &exchange, impossible.as_ref()) {
            let example = match (&possible, example) {
                (Possibility::Answer { .. }, Some(example)) if self.budget.left() > stop => example,
                (Possibility::Nothing, _) => continue,
                (Possibility::Answer { .. } | Possibility::More, _) => {
                    others.more = true;
                    continue;
                }
            };
            let outcome = self.paid(|judged| judged.judge_with(&example, limit));
            let in_full = possible.in_full(spec);
            match (outcome, in_full) {
                (RelaxedOutcome::Explained, Some(json)) => others.json.push(json),
                (RelaxedOutcome::Explained, None) => others.open.push((possible, example)),
                (RelaxedOutcome::Rejected, Some(_)) => {}
                (RelaxedOutcome::Rejected | RelaxedOutcome::Undecided, _) => others.more = true,
            }
        }
        Some(others).filter(|others| !others.json.is_empty() || !others.open.is_empty())
    }
}
