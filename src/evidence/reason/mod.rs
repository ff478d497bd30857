//! The reason of a rejection: a minimal set of earlier answers without which it would not be one.
//!
//! A set of events is a reason if the trace up to the rejected event, with the answers of all earlier events outside the
//! set replaced by holes, is still rejected. With more known answers a rejection stays a rejection, so the reason is found from
//! its end: the search looks for the last position such that the answers before it, together with those found so far, are not
//! enough. The answer at this position is needed; then the same is asked of the answers before it.
//!
//! ```text
//! known known known known known hole hole hole  rejected        all of them: rejected
//! known known hole  hole  hole  hole hole hole  accepted        so some of the three in the middle is needed
//! known known known hole  hole  hole hole hole  rejected        it is this one
//! ?     ?     known hole  hole  hole hole hole  …               and now for those before it
//! ```
//!
//! Where to look first is read off the state: the cells without which the event would not be rejected ([`needed`]), and the last
//! exchange that changed them ([`known`]). The search ends if nothing of the state needs to be known any more: then
//! no answer further back matters, and none has to be judged. For example the reason that (5,1), (3,0), (2,1) is no
//! run of compare-and-reset is the second answer alone; the first is never looked at.

mod budget;
mod check;
mod known;
mod needed;
mod outcome;
mod phases;
mod related;

use std::sync::Arc;

pub use budget::Budget;
pub use check::{Rechecked, check_reason};

use crate::judge::{Cell, Exchange, Inspected, Judge, Observed, Options};
use crate::spec::Spec;
use crate::validate::{Recording, exchange_at};
use known::KnownPrefix;
use outcome::{Suffix, SuffixOutcome};
use phases::Phases;
use related::RelatedReason;

/// The part of the budget, one in N, that is left in any case after judging the trace once more, with memory that can be looked at.
const SEARCH: u64 = 4;
/// In addition to its budget, a search may take the work of judging once for each `STRETCH` exchanges,
const STRETCH: u64 = 4_000;
/// and `PASSES` times at most.
const PASSES: u64 = 4;
/// The part of the budget, one in N, for following all that is possible, if nothing else has decided.
const EXACT: u64 = 4;
/// The part of the budget, one in N, for going back from the end before related exchanges are looked at.
const FIRST: u64 = 8;
/// The part of the budget, one in N, for looking at related exchanges.
const RELATED: u64 = 4;
/// The most exchanges of a recording for which going back takes all of the budget at once. It also does if no minimal reason is found
/// among related exchanges.
const SHORT: usize = 200;
/// The most requests that are looked for among those that made the state what it is.
const CAUSES: usize = 12;

/// The reason why a trace is rejected.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    /// The position of the rejected exchange among all.
    pub rejected: usize,
    /// The positions of the earlier exchanges whose answers matter, in order.
    pub because: Vec<usize>,
    /// The position at which looking was cut off, if it was: all answers before it are part of the reason, too.
    pub and_before: Option<usize>,
    /// The position before which the state may have been any, if the reason does not begin in an initial state.
    pub from: Option<usize>,
    /// The position from which on all answers belong to it, if the search for a smaller one was cut off.
    pub all_from: Option<usize>,
    /// The minimality of the reason: whether none of its answers can be left out.
    pub minimal: Minimality,
    /// Exchanges that made the state what it is, whatever they were answered; the last one first.
    pub causes: Vec<Cause>,
    /// True if there may be more causes before the ones that are named.
    pub more_causes: bool,
    /// Cells that nothing changed since the beginning, and that matter.
    pub initial: Vec<Cell>,
}

/// An exchange that changed what matters of the state.
#[derive(Clone, PartialEq, Debug)]
pub struct Cause {
    /// Its position.
    pub at: usize,
    /// The cells of the state that matter after the exchange.
    pub cells: Vec<Cell>,
}

/// The minimality of a reason: whether it is as small as it can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Minimality {
    /// With any one more answer replaced by a hole, the trace is accepted, or outside the specification.
    Minimal,
    /// Perhaps not: looking for smaller ones took too long, or whether one is a reason was not decided.
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
/// 1. With the answers before `before`, and of those after only the `needed` ones, the event is rejected.
/// 2. `needed` is in order, and none of it is before `before`.
/// 3. Unless `minimal` is cut off, some run explains the event without any one of `needed`, with all answers before that one and
///    those of `needed` after it.
/// 4. `causes` are before one another, the last one first, and none is before `before`.
pub(super) struct ReasonSearch<'s, R: ?Sized> {
    pub(super) spec: &'s Arc<Spec>,
    known: KnownPrefix<'s, R>,
    suffix: Suffix<'s, R>,
    pub(super) budget: Budget<'s>,
    options: Options,
    /// Needed answers, in order; all are after the known ones.
    needed: Vec<usize>,
    /// The answers before this position are known.
    before: usize,
    /// The cells of the state that matter after the position `before`.
    phases: Phases,
    minimal: Minimality,
    /// The position before which the state may have been any, if the reason is one from there on.
    pub(super) from: Option<usize>,
    /// The position from which on all answers are needed, as far as was found out.
    all_from: Option<usize>,
    causes: Vec<Cause>,
    more_causes: bool,
    initial: Vec<Cell>,
}

impl<'s, R: Recording + ?Sized> ReasonSearch<'s, R> {
    /// A search; nothing if the last exchange is not rejected.
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
        let known = KnownPrefix::new(start, recording, last, &budget)?;
        let mut rejected = known.last().clone();
        if rejected.observe(&suffix.rejected) {
            return None;
        }
        let judging = Budget::paid(&rejected).saturating_sub(spent) + last as u64;
        budget.spend(judging.min(budget.left() - budget.left() / SEARCH));
        budget.add(judging.saturating_mul((last as u64 / STRETCH).min(PASSES)));
        Some(ReasonSearch {
            spec,
            known,
            suffix,
            budget,
            options,
            needed: Vec::new(),
            before: last,
            phases: Phases::new(spec),
            minimal: Minimality::Minimal,
            from: None,
            all_from: None,
            causes: Vec::new(),
            more_causes: false,
            initial: Vec::new(),
        })
    }

    /// The rejected exchange.
    pub(super) fn rejected(&self) -> &Exchange {
        &self.suffix.rejected
    }

    /// Its position.
    pub(super) fn rejected_at(&self) -> usize {
        self.suffix.at
    }

    /// The trace.
    pub(super) fn recording(&self) -> &'s R {
        self.suffix.recording
    }

    /// The frontier before the exchange at a position, all answers known.
    pub(super) fn frontier(&mut self, at: usize) -> Judge {
        self.known.before(at, &mut self.budget)
    }

    /// The frontier before the reason, of a judge that shows each state as it came about.
    pub(super) fn plain_start(&self) -> Judge {
        let options = Options { inspected: Inspected::States, ..self.options.clone() };
        match self.from {
            Some(_) => Judge::of_any_state(self.spec, &options),
            None => Judge::new(self.spec.clone(), options),
        }
    }

    /// The reason that is found in the budget: going back from the end, or among related exchanges.
    pub(super) fn run(&mut self) -> Reason {
        let whole = self.budget.left();
        let is_long = self.suffix.at > SHORT;
        self.budget.renew(if is_long { whole / FIRST } else { whole });
        let is_unpressed = self.go_back();
        if self.before > 0 || (is_long && (!is_unpressed || self.minimal == Minimality::CutOff)) {
            self.budget.renew(whole / RELATED);
            let related = self.find_related();
            self.budget.renew(whole);
            match related {
                Some(related) if related.is_minimal() => self.take(related),
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
            self.minimal = Minimality::CutOff;
        }
        Reason {
            rejected: self.suffix.at,
            because: self.needed.clone(),
            and_before: (self.before > 0).then_some(self.before),
            from: self.from,
            all_from: self.all_from,
            minimal: self.minimal,
            causes: self.causes.clone(),
            more_causes: self.more_causes,
            initial: self.initial.clone(),
        }
    }

    /// Forgets what was found.
    fn begin_anew(&mut self) {
        (self.before, self.needed, self.minimal) = (self.suffix.at, Vec::new(), Minimality::Minimal);
        (self.causes, self.more_causes, self.initial) = (Vec::new(), false, Vec::new());
        self.phases = Phases::new(self.spec);
    }

    /// Takes a reason among related exchanges for the reason.
    fn take(&mut self, related: RelatedReason) {
        self.begin_anew();
        (self.from, self.all_from) = (Some(related.from), related.all_from);
        (self.before, self.needed, self.minimal) = (0, related.answers, related.minimal);
    }

    /// Goes back until the reason is found, or the budget is spent; returns whether it sufficed to find out at each step which cells of
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

    /// Goes back to the last exchange that changed one of these cells, or whose answer is needed; to the beginning if
    /// nothing of it matters, or the cells are as they were then.
    fn step(&mut self, cells: &[Cell]) {
        self.phases.add(self.before, cells);
        if cells.is_empty() {
            // Before, the client may have broken its duty, or the specification be at fault.
            return match self.without_answers_from(0) {
                SuffixOutcome::Rejected => self.before = 0,
                SuffixOutcome::Explained | SuffixOutcome::Undecided => self.gallop(),
            };
        }
        let change = self.known.last_change(cells, self.before, &mut self.budget);
        let Some(at) = change else { return self.go_to_beginning(cells) };
        if self.causes.len() >= CAUSES {
            self.more_causes = true;
            return self.gallop();
        }
        if at + 1 < self.before {
            match self.without_answers_from(at + 1) {
                SuffixOutcome::Rejected => self.before = at + 1,
                explained @ SuffixOutcome::Explained => return self.bisect(at + 1, explained),
                SuffixOutcome::Undecided => return self.gallop(),
            }
        }
        match self.without_answers_from(at) {
            SuffixOutcome::Rejected => {
                self.causes.push(Cause { at, cells: cells.to_vec() });
                self.before = at;
            }
            without => self.need(at, without),
        }
    }

    /// Goes back to the beginning if these cells, which nothing changed since then, lead to the rejection alone.
    fn go_to_beginning(&mut self, cells: &[Cell]) {
        let start = self.known.before(0, &mut self.budget);
        if self.budget.is_spent() || !self.phases.reject(&self.suffix, &start, 0, &self.needed, &mut self.budget) {
            return self.gallop();
        }
        self.initial = cells.to_vec();
        self.before = 0;
    }

    /// Goes back by 1, 2, 4 … exchanges, until the answers before are not enough.
    fn gallop(&mut self) {
        let (end, mut width) = (self.before, 1);
        loop {
            let at = end.saturating_sub(width);
            match self.without_answers_from(at) {
                SuffixOutcome::Rejected => {}
                without => return self.bisect(at, without),
            }
            self.before = at;
            if at == 0 || self.budget.is_spent() {
                return;
            }
            width *= 2;
        }
    }

    /// Finds the needed answer between this position, before which the answers do not suffice, as came out, and the known ones.
    fn bisect(&mut self, mut too_few: usize, mut outcome: SuffixOutcome) {
        while self.before > too_few + 1 {
            if self.budget.is_spent() {
                return;
            }
            let middle = too_few + (self.before - too_few) / 2;
            match self.without_answers_from(middle) {
                SuffixOutcome::Rejected => self.before = middle,
                other => (too_few, outcome) = (middle, other),
            }
        }
        self.need(too_few, outcome);
    }

    /// Adds the answer at a position, right before those that are known; what came out without it.
    fn need(&mut self, at: usize, without: SuffixOutcome) {
        if at >= self.before || (self.budget.is_spent() && without == SuffixOutcome::Undecided) {
            self.minimal = Minimality::CutOff;
            return;
        }
        if without == SuffixOutcome::Undecided {
            self.minimal = Minimality::CutOff;
        }
        let exchange = exchange_at(self.suffix.recording, at);
        if exchange.is_some_and(|exchange| matches!(exchange.observed, Observed::Answer(_))) {
            self.needed.insert(0, at);
        }
        self.before = at;
    }

    /// The outcome if the answers before a position are known, and after it only those that are needed.
    ///
    /// If following all that is possible takes more than little: whether what matters of the state is enough to reject, which
    /// costs the same for each exchange; and whether some run explains even most of the other answers.
    fn without_answers_from(&mut self, at: usize) -> SuffixOutcome {
        let ReasonSearch { known, suffix, budget, needed, phases, .. } = self;
        let start = known.before(at, budget);
        let outcome = suffix.outcome_briefly(&start, at, needed, budget);
        if outcome != SuffixOutcome::Undecided {
            return outcome;
        }
        if phases.reject(suffix, &start, at, needed, budget) {
            return SuffixOutcome::Rejected;
        }
        if phases.is_explained(suffix, &start, at, needed, budget) {
            return SuffixOutcome::Explained;
        }
        budget.within(budget.left() / EXACT, |budget| suffix.outcome(start, at, needed, budget))
    }
}

/// The options of a search for a reason: choices are not kept, and memory is inspected.
fn search_options(options: &Options) -> Options {
    Options { keep_choices: false, inspected: Inspected::Memory, ..options.clone() }
}

/// An exchange as it is if its answer is not part of a reason.
fn without_answer(exchange: &Exchange) -> Exchange {
    super::without_answer(exchange)
}
