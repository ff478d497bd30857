//! The reason of a rejection that is judged event by event: a minimal set of answers. If their values are known and the values of
//! all other answers are holes, nothing explains the rejected event.
//!
//! ```text
//! c1 q5   c2 q3   c1 ?   c2 0   rejected        whatever the answer to c1 was
//! ```

use std::sync::Arc;

use super::narrowing::needed;
use super::networked::network_witness::NetworkRecording;
use super::reason::{Budget, Minimality, Rechecked, outcome_of, recheck};
use crate::judge::{Options, RecordedEvent, judge_within, possible_instead};
use crate::limits;
use crate::network::Observation;
use crate::search::RelaxedOutcome;
use crate::spec::Spec;
use crate::value::Value;

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

impl NetworkRecording<'_> {
    /// The line of the last event, which is the rejected one.
    fn line(&self) -> u64 {
        self.events.last().map_or(0, |(line, _)| *line)
    }

    /// The events with holes in the place of all answers but the known ones.
    fn with(&self, known: &[usize], rejected: RejectedAnswer) -> Vec<RecordedEvent> {
        let last = self.line();
        let shown = |(at, (line, observation)): (usize, &RecordedEvent)| match observation {
            Observation::Answer(port, Some(_))
                if *line < last && known.binary_search(&at).is_err()
                    || *line == last && rejected == RejectedAnswer::Any =>
            {
                (*line, Observation::Answer(*port, None))
            }
            observation => (*line, observation.clone()),
        };
        self.events.iter().enumerate().map(shown).collect()
    }

    /// The positions of answers with values before the rejected event.
    fn answers(&self) -> Vec<usize> {
        let is_known =
            |(line, seen): &RecordedEvent| *line < self.line() && matches!(seen, Observation::Answer(_, Some(_)));
        (0..self.events.len()).filter(|at| is_known(&self.events[*at])).collect()
    }

    /// The answers or calls that could have been seen instead of the rejected one; `None` if `work` does not suffice to find them
    /// all in full.
    fn possible(&self, work: u64) -> Option<Vec<Value>> {
        let at = self.events.iter().position(|(line, _)| *line == self.line())?;
        let (before, rejected) = (&self.events[..at], &self.events[at]);
        possible_instead(self.spec, self.network, (before, rejected), (self.options, work))
    }

    /// The specification of a server in any state, and the rejected event with the requests that are under way before it: all that is
    /// left if nothing is known of what was answered before. `None` if a request may have effects after its answer, or if more than
    /// requests and answers was observed.
    fn alone(&self) -> Option<(Arc<Spec>, Vec<RecordedEvent>)> {
        let program = &self.spec.program;
        if !program.answers_at_once() || program.opens.is_some() || program.closes.is_some() {
            return None;
        }
        let mut under_way: Vec<RecordedEvent> = Vec::new();
        let (last @ (_, Observation::Answer(..)), before) = self.events.split_last()? else { return None };
        for (line, seen) in before {
            match seen {
                Observation::Request(..) | Observation::Lost(_) => under_way.push((*line, seen.clone())),
                Observation::Answer(port, _) => {
                    let is_own =
                        |(_, seen): &RecordedEvent| matches!(seen, Observation::Request(own, _) if own == port);
                    under_way.remove(under_way.iter().position(is_own)?);
                }
                _ => return None,
            }
        }
        under_way.push(last.clone());
        Some((self.spec.in_any_state().ok()?.for_networks(), under_way))
    }

    /// Tests whether the last event is rejected whatever was answered before. Returns whether it is so with every answer.
    fn is_rejected_alone(&self, budget: &mut Budget<'_>) -> Option<bool> {
        let (spec, events) = self.alone()?;
        let alone = NetworkRecording { spec: &spec, events: &events, ..*self };
        let mut rejects = |rejected| {
            let (outcome, units) = alone.judge(&[], rejected, budget.left() / limits::SIDE_SHARE);
            budget.spend(units);
            outcome == RelaxedOutcome::Rejected
        };
        rejects(RejectedAnswer::Seen).then(|| rejects(RejectedAnswer::Any))
    }

    /// The outcome with holes in the place of all answers but the known ones, and the units that it took.
    fn judge(&self, known: &[usize], rejected: RejectedAnswer, effort: u64) -> (RelaxedOutcome, u64) {
        let options = Options { effort: self.options.effort.min(effort), ..self.options.clone() };
        let judge = judge_within(self.spec, self.network, &self.with(known, rejected), effort, &options);
        (outcome_of(&judge.verdict()), Budget::paid(&judge))
    }
}

/// Finds the answers whose values matter for the rejection of the last event, within a budget.
#[must_use]
pub fn answer_values(recording: NetworkRecording<'_>, budget: Budget<'_>) -> AnswerValues {
    let mut search = ValueSearch { recording, budget, minimal: Minimality::Minimal };
    if let Some(is_any_rejected) = recording.is_rejected_alone(&mut search.budget) {
        let possible = if is_any_rejected { None } else { recording.possible(search.budget.left()) };
        let (minimal, possible) = (Minimality::Minimal, possible.unwrap_or_default());
        return AnswerValues { lines: Vec::new(), all_from: None, minimal, is_any_rejected, possible, at: Vec::new() };
    }
    let (needed, rest) =
        needed(&mut search, |search| search.budget.is_spent(), ValueSearch::rejects, recording.answers());
    let line = |at: &usize| recording.events[*at].0;
    let all_from = rest.first().filter(|_| rest.len() > limits::NAMED_ANSWERS).map(line);
    if !rest.is_empty() {
        search.minimal = Minimality::CutOff;
    }
    let at = [needed, rest].concat();
    let is_answer = |(line, seen): &RecordedEvent| *line == recording.line() && matches!(seen, Observation::Answer(..));
    let is_any_rejected = recording.events.iter().any(is_answer)
        && recording.judge(&at, RejectedAnswer::Any, search.budget.left()).0 == RelaxedOutcome::Rejected;
    let possible = if is_any_rejected { None } else { recording.possible(search.budget.left()) }.unwrap_or_default();
    let (lines, minimal) = (at.iter().map(line).collect(), search.minimal);
    AnswerValues { lines, all_from, minimal, is_any_rejected, possible, at }
}

/// Judges again that the event is rejected with these values. If the set claims to be minimal, the event is not rejected without
/// any one of them.
#[must_use]
pub fn check_values(recording: NetworkRecording<'_>, values: &AnswerValues) -> Rechecked {
    recheck(values.minimal, &values.at, &mut |known| recording.judge(known, RejectedAnswer::Seen, u64::MAX).0)
}

/// A search for the answers whose values matter.
struct ValueSearch<'r> {
    recording: NetworkRecording<'r>,
    budget: Budget<'r>,
    minimal: Minimality,
}

impl ValueSearch<'_> {
    /// Tests whether the event is still rejected if these answers are known; false if this was not found out.
    fn rejects(&mut self, known: &[usize]) -> bool {
        if self.budget.is_spent() {
            self.minimal = Minimality::CutOff;
            return false;
        }
        let (outcome, units) = self.recording.judge(known, RejectedAnswer::Seen, self.budget.left());
        self.budget.spend(units + 1);
        if outcome == RelaxedOutcome::Undecided {
            self.minimal = Minimality::CutOff;
        }
        outcome == RelaxedOutcome::Rejected
    }
}
