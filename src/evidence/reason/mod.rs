//! The reason of a rejection: a minimal set of earlier answers that rule out the rejected one.
//!
//! A set of answers is a reason if the trace up to the rejected event is still rejected with all other earlier answers replaced
//! by holes. With more known answers a rejection stays a rejection, so the reason is found from its end. The search looks for the
//! last position such that the answers before it, together with those found so far, are not enough. The answer at this position
//! is needed. Then the search goes on before it.
//!
//! ```text
//! known known known known known hole hole hole  rejected        with all five known: rejected
//! known known hole  hole  hole  hole hole hole  accepted        so one of the three in the middle is needed
//! known known known hole  hole  hole hole hole  rejected        so the third is needed
//! ?     ?     known hole  hole  hole hole hole  …               and now the answers before it
//! ```
//!
//! The state tells where to look first: at the cells without which the event would not be rejected ([`needed`]), and the last
//! exchange that changed them ([`prefix`]). If no cell of the state needs to be known any more, the search ends, as no earlier
//! answer matters. For example (5,1), (3,0), (2,1) is no run of compare-and-reset, and the reason is the second answer alone. The
//! first one is never looked at.

mod budget;
mod check;
mod needed;
mod outcome;
mod phases;
mod prefix;
mod related;

use std::sync::Arc;

pub use budget::Budget;
pub(super) use check::recheck;
pub use check::{Rechecked, check_reason};
pub(super) use outcome::{outcome_of, shown};

use crate::judge::{Cell, Exchange, Inspected, Judge, Observed, Options};
use crate::limits;
use crate::reading::{Recording, exchange_at};
use crate::search::RelaxedOutcome;
use crate::spec::Spec;
use outcome::Suffix;
use phases::Phases;
use prefix::JudgedPrefix;

/// The judgements of the trace by which the work for a long one grows at most.
const MORE: u64 = 4;
/// A search gets the work of one more judgement of the trace per this number of exchanges, as long traces need long searches.
const STRETCH: u64 = 4096;

/// The reason why a trace is rejected.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    /// The position of the rejected exchange among all.
    pub rejected: usize,
    /// The positions, in order, of the earlier exchanges whose answers matter.
    pub because: Vec<usize>,
    /// The position at which the search was cut off, if it was: all answers before it are part of the reason, too.
    pub and_before: Option<usize>,
    /// The position before which the state may have been any, if the reason does not begin in an initial state.
    pub from: Option<usize>,
    /// The position from which on all answers belong to the reason, if the search for a smaller one was cut off.
    pub all_from: Option<usize>,
    /// The minimality of the reason: none of its answers can be left out, or this is open.
    pub minimal: Minimality,
    /// The exchanges that set what matters of the state, whatever their answers; the last one first.
    pub causes: Vec<Cause>,
    /// True if there may be earlier causes that are not named.
    pub more_causes: bool,
    /// The cells that matter and that nothing has changed since the beginning.
    pub initial: Vec<Cell>,
}

/// An exchange that set cells of the state that matter.
#[derive(Clone, PartialEq, Debug)]
pub struct Cause {
    /// The position of the exchange.
    pub at: usize,
    /// The cells of the state that matter after the exchange.
    pub cells: Vec<Cell>,
}

/// The minimality of a reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Minimality {
    /// With any one more answer replaced by a hole, the trace is accepted, or outside the specification.
    Minimal,
    /// Perhaps not minimal: the search for a smaller reason took too long, or left a question undecided.
    CutOff,
}

/// Finds the reason for the rejection of the last of these exchanges, within a second of work.
#[must_use]
pub fn reason<R: Recording + ?Sized>(spec: &Arc<Spec>, options: &Options, exchanges: &R) -> Option<Reason> {
    Some(ReasonSearch::new(spec, options, exchanges, Budget::seconds(1.0))?.run())
}

/// A search for a reason.
///
/// Invariants:
/// 1. With all answers before `before` and the found ones after it, the event is rejected.
/// 2. The found answers are in order, and all are at or after the position `before`.
/// 3. Unless the reason is cut off, without any one of the found answers some run explains the event. This run gives all answers
///    before the missing one, and the found ones after it.
/// 4. The found causes are in reverse order, the last one first, and none is before `before`.
pub(super) struct ReasonSearch<'s, R: ?Sized> {
    pub(super) spec: &'s Arc<Spec>,
    known: JudgedPrefix<'s, R>,
    suffix: Suffix<'s, R>,
    pub(super) budget: Budget<'s>,
    options: Options,
    /// The position before which all answers are still taken as known.
    before: usize,
    /// The cells of the state that matter, from each position back to the last one.
    phases: Phases,
    /// The reason, as far as it was found.
    pub(super) found: Reason,
}

impl Reason {
    /// The reason before anything is found.
    fn unknown(rejected: usize) -> Reason {
        Reason {
            rejected,
            because: Vec::new(),
            and_before: None,
            from: None,
            all_from: None,
            minimal: Minimality::Minimal,
            causes: Vec::new(),
            more_causes: false,
            initial: Vec::new(),
        }
    }
}

impl<'s, R: Recording + ?Sized> ReasonSearch<'s, R> {
    /// A search for the reason of the last exchange; `None` if this exchange is not rejected.
    pub(super) fn new(
        spec: &'s Arc<Spec>,
        options: &Options,
        recording: &'s R,
        mut budget: Budget<'s>,
    ) -> Option<ReasonSearch<'s, R>> {
        let last = recording.length().checked_sub(1)?;
        let suffix = Suffix { recording, rejected: exchange_at(recording, last)?, at: last };
        let options = search_options(options);
        let start = Judge::new(spec.clone(), options.clone());
        let spent = Budget::paid(&start);
        let known = JudgedPrefix::new(start, recording, last, &budget)?;
        let mut rejected = known.last().clone();
        if rejected.observe(&suffix.rejected) {
            return None;
        }
        let judging = Budget::paid(&rejected).saturating_sub(spent) + last as u64;
        budget.spend(judging.min(budget.left() - budget.left() / limits::MAIN_SHARE));
        budget.add(judging.saturating_mul((last as u64 / STRETCH).min(MORE)));
        Some(ReasonSearch {
            spec,
            known,
            suffix,
            budget,
            options,
            before: last,
            phases: Phases::new(spec),
            found: Reason::unknown(last),
        })
    }

    /// The rejected exchange.
    pub(super) fn rejected(&self) -> &Exchange {
        &self.suffix.rejected
    }

    /// The position of the rejected exchange.
    pub(super) fn rejected_at(&self) -> usize {
        self.suffix.at
    }

    /// The trace.
    pub(super) fn recording(&self) -> &'s R {
        self.suffix.recording
    }

    /// The frontier before the exchange at a position, with all answers known.
    pub(super) fn frontier(&mut self, at: usize) -> Judge {
        self.known.before(at, &mut self.budget)
    }

    /// The judge before the reason, which shows each state as it came about.
    pub(super) fn plain_start(&self) -> Judge {
        let options = Options { inspected: Inspected::States, ..self.options.clone() };
        match self.found.from {
            Some(_) => Judge::of_any_state(self.spec, &options),
            None => Judge::new(self.spec.clone(), options),
        }
    }

    /// Finds the reason within the budget, by going back from the end, or among related exchanges.
    pub(super) fn run(&mut self) -> Reason {
        let whole = self.budget.left();
        let is_long = self.suffix.at > limits::NEARBY;
        self.budget.renew(if is_long { whole / limits::SIDE_SHARE } else { whole });
        let is_unpressed = self.go_back();
        if self.before > 0 || (is_long && (!is_unpressed || self.found.minimal == Minimality::CutOff)) {
            self.budget.renew(whole / limits::MAIN_SHARE);
            let related = self.find_related();
            self.budget.renew(whole);
            match related {
                Some(related) if related.minimal == Minimality::Minimal => self.take(related),
                related => {
                    if is_long {
                        self.begin_anew();
                        self.go_back();
                    }
                    related.filter(|_| self.before > 0).into_iter().for_each(|related| self.take(related));
                }
            }
        }
        if self.before > 0 {
            self.found.minimal = Minimality::CutOff;
            self.found.and_before = Some(self.before);
        }
        self.found.clone()
    }

    /// Forgets everything that was found.
    fn begin_anew(&mut self) {
        (self.before, self.found) = (self.suffix.at, Reason::unknown(self.suffix.at));
        self.phases = Phases::new(self.spec);
    }

    /// Takes over a reason that was found among related exchanges.
    fn take(&mut self, related: Reason) {
        (self.before, self.found) = (0, related);
    }

    /// Goes back until the reason is found or the budget is spent. Returns whether it was found out at each step which cells of
    /// the state matter.
    fn go_back(&mut self) -> bool {
        let mut is_unpressed = true;
        while self.before > 0 && !self.budget.is_spent() {
            let start = self.known.before(self.before, &mut self.budget);
            match self.needed_cells(&start) {
                Some(cells) => self.step(&cells),
                None => {
                    is_unpressed = false;
                    self.gallop();
                }
            }
        }
        is_unpressed
    }

    /// Goes back to the last exchange that changed one of these cells, or whose answer is needed. Goes back to the beginning if
    /// no cell matters, or the cells are as they were there.
    fn step(&mut self, cells: &[Cell]) {
        self.phases.add(self.before, cells);
        if cells.is_empty() {
            // An earlier answer may still matter: without it the client may have broken its duty, or the specification may be at
            // fault.
            return match self.without_answers_from(0) {
                RelaxedOutcome::Rejected => self.before = 0,
                RelaxedOutcome::Explained | RelaxedOutcome::Undecided => self.gallop(),
            };
        }
        let change = self.known.last_change(cells, self.before, &mut self.budget);
        let Some(at) = change else { return self.go_to_beginning(cells) };
        if self.found.causes.len() >= limits::DEPTH as usize {
            self.found.more_causes = true;
            return self.gallop();
        }
        if at + 1 < self.before {
            match self.without_answers_from(at + 1) {
                RelaxedOutcome::Rejected => self.before = at + 1,
                explained @ RelaxedOutcome::Explained => return self.bisect(at + 1, explained),
                RelaxedOutcome::Undecided => return self.gallop(),
            }
        }
        match self.without_answers_from(at) {
            RelaxedOutcome::Rejected => {
                self.found.causes.push(Cause { at, cells: cells.to_vec() });
                self.before = at;
            }
            without => self.need(at, without),
        }
    }

    /// Goes back to the beginning if these cells, which nothing has changed since then, suffice for the rejection.
    fn go_to_beginning(&mut self, cells: &[Cell]) {
        let start = self.known.before(0, &mut self.budget);
        if self.budget.is_spent() || !self.phases.reject(&self.suffix, &start, 0, &self.found.because, &mut self.budget)
        {
            return self.gallop();
        }
        self.found.initial = cells.to_vec();
        self.before = 0;
    }

    /// Goes back by 1, 2, 4 … exchanges, until the answers before the position are not enough.
    fn gallop(&mut self) {
        let (end, mut width) = (self.before, 1);
        loop {
            let at = end.saturating_sub(width);
            match self.without_answers_from(at) {
                RelaxedOutcome::Rejected => {}
                without => return self.bisect(at, without),
            }
            self.before = at;
            if at == 0 || self.budget.is_spent() {
                return;
            }
            width *= 2;
        }
    }

    /// Finds the needed answer by bisection: the answers before `too_few` do not suffice, with this outcome, and those before
    /// `self.before` do.
    fn bisect(&mut self, mut too_few: usize, mut outcome: RelaxedOutcome) {
        while self.before > too_few + 1 {
            if self.budget.is_spent() {
                return;
            }
            let middle = too_few + (self.before - too_few) / 2;
            match self.without_answers_from(middle) {
                RelaxedOutcome::Rejected => self.before = middle,
                other => (too_few, outcome) = (middle, other),
            }
        }
        self.need(too_few, outcome);
    }

    /// Adds the answer at a position, right before the needed ones; `without` is the outcome without it.
    fn need(&mut self, at: usize, without: RelaxedOutcome) {
        if at >= self.before || (self.budget.is_spent() && without == RelaxedOutcome::Undecided) {
            self.found.minimal = Minimality::CutOff;
            return;
        }
        if without == RelaxedOutcome::Undecided {
            self.found.minimal = Minimality::CutOff;
        }
        let exchange = exchange_at(self.suffix.recording, at);
        if exchange.is_some_and(|exchange| matches!(exchange.observed, Observed::Answer(_))) {
            self.found.because.insert(0, at);
        }
        self.before = at;
    }

    /// The outcome if the answers before a position are known, and after it only the needed ones.
    ///
    /// If following all explanations takes too much work, two cheaper questions are asked first. Do the cells that matter
    /// suffice for the rejection? Does some run explain even more of the other answers?
    fn without_answers_from(&mut self, at: usize) -> RelaxedOutcome {
        let ReasonSearch { known, suffix, budget, phases, found: Reason { because: needed, .. }, .. } = self;
        let start = known.before(at, budget);
        let outcome = suffix.outcome_briefly(&start, at, needed, budget);
        if outcome != RelaxedOutcome::Undecided {
            return outcome;
        }
        if phases.reject(suffix, &start, at, needed, budget) {
            return RelaxedOutcome::Rejected;
        }
        if phases.is_explained(suffix, &start, at, needed, budget) {
            return RelaxedOutcome::Explained;
        }
        budget.within(budget.left() / limits::MAIN_SHARE, |budget| suffix.outcome(start, at, needed, budget))
    }
}

/// The options of a search for a reason: choices are not kept, and memory is inspected.
fn search_options(options: &Options) -> Options {
    Options { keep_choices: false, inspected: Inspected::Memory, ..options.clone() }
}
