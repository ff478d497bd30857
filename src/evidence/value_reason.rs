//! The reason of a rejection that is judged event by event: a minimal set of answers. If their values are known and the values of
//! all other answers are holes, nothing explains the rejected event.
//!
//! ```text
//! c1 q5   c2 q3   c1 ?   c2 0   rejected        whatever the answer to c1 was
//! ```

use std::sync::Arc;

use super::narrowing::{self, NeededSearch};
use super::reason::{Budget, Minimality, Rechecked};
use crate::judge::{Options, RecordedEvent, Verdict, judge_within, possible_instead};
use crate::limits;
use crate::network::{Network, Observation};
use crate::spec::Spec;
use crate::value::Value;

/// A recording that is rejected at an event, and everything that it is judged by.
#[derive(Clone, Copy)]
pub struct RejectedRecording<'r> {
    /// The specification, for networks.
    pub spec: &'r Arc<Spec>,
    /// The network.
    pub network: &'r dyn Network,
    /// The observations, with their lines.
    pub events: &'r [RecordedEvent],
    /// The line of the rejected event.
    pub line: u64,
    /// The limits on what explains an event.
    pub options: &'r Options,
}

/// The answer of the rejected event: as it was seen, or a hole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RejectedAnswer {
    Seen,
    Any,
}

/// The answers whose values leave a rejected event without explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerValues {
    /// The lines of these answers, without the rejected event.
    pub lines: Vec<u64>,
    /// The line from which on all answers belong to the set, if the search was cut off.
    pub all_from: Option<u64>,
    /// The minimality of the set: with any one more value replaced by a hole, the event is explained.
    pub minimal: Minimality,
    /// Set if the event is rejected even with a hole in the place of its answer.
    pub is_any_rejected: bool,
    /// The answers or calls that could have been seen instead of the rejected one; empty if it is not certain that these are all.
    pub possible: Vec<Value>,
    /// The positions of the answers among all events.
    at: Vec<usize>,
}

impl AnswerValues {
    /// The positions, among all events, of the answers that were found to be needed.
    #[must_use]
    pub fn needed(&self) -> &[usize] {
        let rest = self.all_from.map_or(0, |from| self.lines.iter().filter(|line| **line >= from).count());
        &self.at[..self.at.len() - rest]
    }
}

impl RejectedRecording<'_> {
    /// The events up to the rejected one, with holes in the place of all answers but the known ones.
    fn with(&self, known: &[usize], rejected: RejectedAnswer) -> Vec<RecordedEvent> {
        let events = self.events.iter().enumerate().take_while(|(_, (line, _))| *line <= self.line);
        let shown = |(at, (line, observation)): (usize, &RecordedEvent)| match observation {
            Observation::Answer(port, Some(_))
                if *line < self.line && known.binary_search(&at).is_err()
                    || *line == self.line && rejected == RejectedAnswer::Any =>
            {
                (*line, Observation::Answer(*port, None))
            }
            observation => (*line, observation.clone()),
        };
        events.map(shown).collect()
    }

    /// The positions of answers with values before the rejected event.
    fn answers(&self) -> Vec<usize> {
        let events = self.events.iter().enumerate().take_while(|(_, (line, _))| *line < self.line);
        events.filter(|(_, (_, seen))| matches!(seen, Observation::Answer(_, Some(_)))).map(|(at, _)| at).collect()
    }

    /// The answers or calls that could have been seen instead of the rejected one; `None` if `work` does not suffice to find them
    /// all in full.
    fn possible(&self, work: u64) -> Option<Vec<Value>> {
        let at = self.events.iter().position(|(line, _)| *line == self.line)?;
        let (before, rejected) = (&self.events[..at], &self.events[at]);
        possible_instead(self.spec, self.network, (before, rejected), (self.options, work))
    }

    /// The verdict with holes in the place of all answers but the known ones, and the units that it took.
    fn judge(&self, known: &[usize], rejected: RejectedAnswer, effort: u64) -> (Verdict, u64) {
        let options = Options { effort: self.options.effort.min(effort), ..self.options.clone() };
        let judge = judge_within(self.spec, self.network, (&self.with(known, rejected), effort), &options);
        (judge.verdict(), Budget::paid(&judge))
    }
}

/// Finds the answers whose values matter, within a budget.
#[must_use]
pub fn answer_values(rejected: RejectedRecording<'_>, budget: Budget<'_>) -> AnswerValues {
    let mut search = ValueSearch { rejected, budget, minimal: Minimality::Minimal };
    let (needed, rest) = narrowing::needed(&mut search, rejected.answers());
    let line = |at: &usize| rejected.events[*at].0;
    let all_from = rest.first().filter(|_| rest.len() > limits::NAMED_ANSWERS).map(line);
    if !rest.is_empty() {
        search.minimal = Minimality::CutOff;
    }
    let at = [needed, rest].concat();
    let is_answer =
        rejected.events.iter().any(|(own, seen)| *own == rejected.line && matches!(seen, Observation::Answer(..)));
    let is_any_rejected = is_answer && {
        let (whatever, _) = rejected.judge(&at, RejectedAnswer::Any, search.budget.left());
        matches!(whatever, Verdict::Reject { .. })
    };
    let possible = if is_any_rejected { None } else { rejected.possible(search.budget.left()) }.unwrap_or_default();
    let (lines, minimal) = (at.iter().map(line).collect(), search.minimal);
    AnswerValues { lines, all_from, minimal, is_any_rejected, possible, at }
}

/// Judges again that the event is rejected with these values. If the set claims to be minimal, the event is not rejected without
/// any one of them.
#[must_use]
pub fn check_values(rejected: RejectedRecording<'_>, values: &AnswerValues) -> Rechecked {
    let judge = |known: &[usize]| rejected.judge(known, RejectedAnswer::Seen, u64::MAX).0;
    let mut found = match judge(&values.at) {
        Verdict::Reject { .. } => Rechecked::Holds,
        Verdict::Unknown { .. } => Rechecked::Undecided,
        Verdict::Accept { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => return Rechecked::Fails,
    };
    let each = if values.minimal == Minimality::Minimal { values.at.len() } else { 0 };
    for left_out in 0..each {
        match judge(&[&values.at[..left_out], &values.at[left_out + 1..]].concat()) {
            Verdict::Reject { .. } => return Rechecked::Fails,
            Verdict::Unknown { .. } => found = Rechecked::Undecided,
            Verdict::Accept { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => {}
        }
    }
    found
}

/// A search for the answers whose values matter.
struct ValueSearch<'r> {
    rejected: RejectedRecording<'r>,
    budget: Budget<'r>,
    minimal: Minimality,
}

impl NeededSearch for ValueSearch<'_> {
    fn rejects(&mut self, known: &[usize]) -> bool {
        if self.budget.is_spent() {
            self.minimal = Minimality::CutOff;
            return false;
        }
        let (verdict, units) = self.rejected.judge(known, RejectedAnswer::Seen, self.budget.left());
        self.budget.spend(units + 1);
        if matches!(verdict, Verdict::Unknown { .. }) {
            self.minimal = Minimality::CutOff;
        }
        matches!(verdict, Verdict::Reject { .. })
    }

    fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }
}
