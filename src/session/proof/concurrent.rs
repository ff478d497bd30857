//! The evidence for a history of concurrent clients that was judged as a whole.
//!
//! ```text
//! no ordering of the requests explains that line 6 answered 1; only 2 was possible
//! ```

use std::sync::Arc;

use super::explanation::stated;
use super::rejection::{FoundRejection, Recheck, judged_again, named_statements};
use super::{Proof, WitnessSearch, WitnessWay, served};
use crate::evidence::{AnswerConflict, Budget, Minimality, OtherAnswers, check_conflict, conflict, witness_of_order};
use crate::json::{self, RawJson};
use crate::judge::{Exchange, Judge, Options, Verdict};
use crate::limits;
use crate::network::NetworkChoice;
use crate::report::conflict::{FoundConflict, explain, impossible};
use crate::report::history::DrawnTrace;
use crate::report::reason::explain_within;
use crate::report::{ConcurrentReason, TraceReport};
use crate::search;
use crate::search::{History, JudgedHistory, Timeline};
use crate::spec::Spec;
use crate::trace::Places;

/// A judged history for which evidence is sought.
pub struct ConcurrentEvidence {
    /// The specification.
    pub spec: Arc<Spec>,
    /// The outcome of judging the history.
    pub judged: JudgedHistory,
    /// The history.
    pub history: History,
    /// The network.
    pub net: NetworkChoice,
    /// The lines of the answers that cannot all be true, after [`Self::rejection`] found them.
    conflict: Vec<u64>,
}

/// The most work for finding the statements that matter, in seconds of [`Budget`].
const PLACES: f64 = limits::CHECK_SECONDS / 20.0;

impl ConcurrentEvidence {
    /// Judges a history as a whole.
    #[must_use]
    pub fn of(spec: &Arc<Spec>, net: NetworkChoice, history: History, options: &Options) -> ConcurrentEvidence {
        let judged = search::judge(spec, &history, options);
        ConcurrentEvidence { spec: spec.clone(), judged, history, net, conflict: Vec::new() }
    }

    /// The history as its picture needs it, with the conflict if it was found.
    #[must_use]
    pub fn timeline(&self) -> Timeline {
        Timeline { conflict: self.conflict.clone(), ..self.history.timeline(&self.judged) }
    }

    /// The reason why the event on a line is rejected.
    ///
    /// # Errors
    /// The reason did not hold in a second judgement.
    pub fn rejection(&mut self, event: u64, recheck: Recheck, budget: Budget<'_>) -> Result<FoundRejection, String> {
        let spec = &self.spec.clone();
        let under_way = self.history.under_way(event);
        let mut reason = ConcurrentReason { under_way: under_way.clone(), ..ConcurrentReason::default() };
        let mut rejection = FoundRejection::default();
        if !self.history.is_answer(event) {
            rejection.explanation = vec![impossible(&self.history, event)];
            rejection.concurrent = Some(reason);
            return Ok(rejection);
        }
        let found = conflict(spec, &self.history, &mut self.judged, budget);
        let timeline = self.timeline();
        let said = found.as_ref().map(|(conflict, others)| FoundConflict { conflict, others: others.as_ref() });
        rejection.explanation = explain(spec, &timeline, said, &under_way);
        let answer = self.history.answered_on(event).and_then(|exchange| exchange.observed.answer().cloned());
        rejection.answer = answer.map(|answer| json::encode(&spec.types, spec.program.response, &answer));
        if let Some((conflict, others)) = found {
            rejection.because = conflict.lines.split_last().map(|(_, others)| others.to_vec());
            rejection.is_minimal = conflict.minimal == Minimality::Minimal;
            rejection.possible = others.as_ref().map(|others| others.json.clone()).unwrap_or_default();
            fill(&mut reason, &conflict, others);
            if recheck == Recheck::Yes {
                let outcome = check_conflict(spec, &self.history, &conflict);
                rejection.explanation.push(judged_again(outcome, conflict.minimal)?.to_owned());
            }
            self.conflict = conflict.lines;
        }
        rejection.concurrent = Some(reason);
        Ok(rejection)
    }

    /// A rejection with the statements that matter if the rejected exchange comes last, after the others in an order that explains
    /// them.
    #[must_use]
    pub fn with_places(&self, event: u64, mut found: FoundRejection) -> FoundRejection {
        let spec = &self.spec;
        let trace = self.with_rejected_last(spec, event);
        if let Some(why) = trace.and_then(|trace| explain_within(spec, &trace, Budget::seconds(PLACES))) {
            found.places = named_statements(spec, &why.sites);
            if found.possible.is_empty() {
                found.possible = why.possible;
            }
        }
        found
    }

    fn search(&self) -> WitnessSearch<'_> {
        let ConcurrentEvidence { spec, judged, history, .. } = self;
        Box::new(|give| witness_of_order(spec, &Options::default(), history, &judged.order, give))
    }

    /// The exchanges before the rejected one, in an order that explains them, and then the rejected one.
    fn with_rejected_last(&self, spec: &Arc<Spec>, event: u64) -> Option<Vec<Exchange>> {
        let before = self.history.before(event);
        let rejected = self.history.answered_on(event)?;
        let judged = search::judge(spec, &before, &Options::default());
        let order: Vec<(u64, u64)> = judged.order.iter().copied().filter(|(_, sent)| *sent != rejected.line).collect();
        let mut trace = before.in_order(&order);
        let line = trace.len() as u64 + 1;
        trace.push(Exchange { line, ..rejected });
        Some(trace)
    }
}

impl Proof for ConcurrentEvidence {
    fn judge(&self) -> &Judge {
        &self.judged.judge
    }

    fn verdict(&self) -> Verdict {
        self.judged.verdict.clone()
    }

    fn places(&self) -> &Places {
        self.history.places()
    }

    fn recorded(&self) -> u64 {
        self.history.recorded()
    }

    fn explained(&mut self, recheck: Recheck, budget: Budget<'_>) -> Result<FoundRejection, String> {
        if let Verdict::Reject { event, .. } = self.judged.verdict {
            return self.rejection(event, recheck, budget);
        }
        let asked = |line| self.history.exchanges().into_iter().find(|exchange| exchange.line == line);
        Ok(FoundRejection::stating(stated(&self.judged.judge, &self.spec, self.history.places(), &asked)))
    }

    fn witness(&mut self) -> WitnessWay<'_> {
        WitnessWay::Requests(self.judged.order.len(), self.search())
    }

    fn drawn(&mut self, report: &TraceReport) -> Result<DrawnTrace, String> {
        let served = served(report, self.search())?;
        Ok(DrawnTrace::concurrent(&self.spec, report, &self.net.to_string(), &self.timeline(), &served))
    }
}

/// Copies a conflict into the reason of a report.
fn fill(reason: &mut ConcurrentReason, conflict: &AnswerConflict, others: Option<OtherAnswers>) {
    reason.any_state_before = conflict.any_state_before;
    reason.reason_from = conflict.all_from;
    reason.minimal = Some(conflict.minimal == Minimality::Minimal);
    reason.possible_are_all = others.as_ref().map(|others| !others.more && others.open.is_empty());
    reason.possible = others.map(|others| others.json).unwrap_or_default().into_iter().map(RawJson).collect();
}
