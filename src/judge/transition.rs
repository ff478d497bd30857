//! A judge as a function from candidates to candidates, for a search that follows several orders of the same exchanges.
//!
//! From `{n: 0}` the exchange (5, 1) of compare-and-set leads to `{n: 5}`, and (5, 0) to nothing.

use std::sync::Arc;

use super::Exchange;
use super::candidate::Candidate;
use super::findings::Findings;
use super::frontier::Judge;
use super::normal_form::forms;
use super::normal_form::forms::CanonicalForm;
use super::normal_form::{subsume, tidy};
use super::options::{Inspected, Options};
use super::verdict::Verdict;
use crate::spec::Spec;
use crate::value::Value;

impl Judge {
    /// A judge that knows nothing of the state: its candidates stand for every one.
    pub(crate) fn of_any_state(spec: &Arc<Spec>, options: &Options) -> Judge {
        let options = Options { inspected: Inspected::Memory, ..options.clone() };
        Judge::new(spec.clone(), options).knowing_only(&[], &spec.for_unknown_maps())
    }

    /// Takes its candidates out of it.
    pub(crate) fn take_candidates(&mut self) -> Vec<Candidate> {
        std::mem::take(&mut self.candidates)
    }

    /// The candidates that explain an exchange, from these. What is met on the way adds to what was found before.
    pub(crate) fn after(&mut self, from: Vec<Candidate>, exchange: &Exchange) -> Vec<Candidate> {
        self.candidates = from;
        self.observe(exchange);
        self.take_candidates()
    }

    /// The candidates that no other one covers, and that equal none before them, in the form in which they are compared.
    pub(crate) fn uncovered(&mut self, candidates: Vec<Candidate>, others: &[Candidate]) -> Vec<Candidate> {
        let mut kept: Vec<Candidate> = Vec::new();
        for mut candidate in candidates {
            tidy::for_comparing(self, &mut candidate);
            let covers = |other: &Candidate| subsume::covers(other, &candidate, &mut self.solver);
            if !others.iter().chain(&kept).any(covers) {
                kept.push(candidate);
            }
        }
        kept
    }

    /// A judge that is asked for answers, and for no verdict.
    pub(crate) fn answering(&self) -> Judge {
        let mut judge = self.clone();
        judge.options.keep_answers = true;
        judge
    }

    /// An answer that one of these candidates gives in an exchange.
    pub(crate) fn answer_from(&mut self, from: Vec<Candidate>, exchange: &Exchange) -> Option<Value> {
        self.after(from, exchange).into_iter().find_map(|candidate| candidate.answer.clone())
    }

    /// Takes what was met of runs that fail; limits stay.
    pub(crate) fn take_failed(&mut self) -> FailedRuns {
        FailedRuns(self.findings.take_failures())
    }

    /// Adds what was met of runs that fail.
    pub(crate) fn add_failed(&mut self, failed: FailedRuns) {
        self.findings.merge(failed.0);
    }

    /// Tests whether nothing was met that explains everything: then an event that no candidate explains is rejected.
    pub(crate) fn rejects_the_rest(&mut self) -> bool {
        matches!(self.verdict_of(Vec::new(), 1), Verdict::Reject { .. })
    }

    /// The verdict if these candidates are left after an event.
    pub(crate) fn verdict_of(&mut self, left: Vec<Candidate>, event: u64) -> Verdict {
        (self.candidates, self.event, self.clean_died) = (left, event, None);
        self.verdict()
    }
}

/// The runs that are faulty, or in which the client breaks its duty, among those that were met somewhere.
#[derive(Clone, Debug)]
pub(crate) struct FailedRuns(Findings);

impl FailedRuns {
    /// These runs, where the event at which they fail is another one.
    pub(crate) fn at(mut self, event: u64) -> FailedRuns {
        self.0.move_to(event);
        self
    }

    /// Tests whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.found().is_none()
    }
}

impl Candidate {
    /// Its values and constraints up to the names of variables.
    pub(crate) fn form(&self) -> CanonicalForm {
        forms::canonical(self)
    }
}
