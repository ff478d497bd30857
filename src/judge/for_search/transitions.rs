//! Transitions: the candidates to which an exchange leads from given ones, for a search that follows several orders of the same exchanges.
//!
//! From `{n: 0}` the exchange (5, 1) of compare-and-set leads to `{n: 5}`, and (5, 0) to nothing.

use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::judge::exchange::Exchange;
use crate::judge::findings::Findings;
use crate::judge::frontier::Frontier;
use crate::judge::normal_form::{subsume, tidy};
use crate::judge::step;
use crate::judge::verdict::Verdict;
use crate::value::Value;

impl Context {
    /// The candidates to which an exchange leads from these. What is found on the way is added to the findings.
    pub(crate) fn after(&mut self, from: Vec<Candidate>, exchange: &Exchange) -> Vec<Candidate> {
        let spec = self.spec.clone();
        step::exchange(self, &spec, Frontier::of(from), exchange).candidates
    }

    /// The candidates that are covered neither by `others` nor by an earlier one of them, in the form in which they are compared.
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

    /// A context that is asked for answers, and for no verdict.
    pub(crate) fn answering(&self) -> Context {
        let mut context = self.clone();
        context.options.keep_answers = true;
        context
    }

    /// An answer that one of these candidates, which another context made, gives in an exchange.
    pub(crate) fn answer_from(
        &mut self,
        made_by: &Context,
        from: Vec<Candidate>,
        exchange: &Exchange,
    ) -> Option<Value> {
        // The candidates have variables that are newer than this context.
        self.fresh.last = self.fresh.last.max(made_by.fresh.last);
        self.after(from, exchange).into_iter().find_map(|candidate| candidate.answer.clone())
    }

    /// Takes the failing runs out of the findings; limits stay.
    pub(crate) fn take_failed(&mut self) -> FailedRuns {
        FailedRuns(self.findings.take_failures())
    }

    /// Adds failing runs to the findings.
    pub(crate) fn add_failed(&mut self, failed: FailedRuns) {
        self.findings.merge(failed.0);
    }

    /// Tests whether an event that no candidate explains is rejected: no failing run or limit was met that may explain everything.
    pub(crate) fn rejects_the_rest(&self) -> bool {
        matches!(self.verdict_without_candidates(1), Verdict::Reject { .. })
    }

    /// The verdict if no candidate is left after an event.
    pub(crate) fn verdict_without_candidates(&self, event: u64) -> Verdict {
        Frontier::default().verdict(self, event)
    }
}

/// The failing runs that a judge met: those with a fault, or with a broken duty of the client.
#[derive(Clone, Debug)]
pub(crate) struct FailedRuns(Findings);

impl FailedRuns {
    /// These runs, as if they failed at this event.
    pub(crate) fn at(mut self, event: u64) -> FailedRuns {
        self.0.move_to(event);
        self
    }

    /// Tests whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.found().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Judge, Observed, Options};
    use crate::spec::Spec;

    #[test]
    fn an_answer_is_asked_for_in_states_that_are_newer_than_the_context() {
        let text = "enum Request { Draw, Swap }
             protocol p {
                 request Request; response int; var n: int = 0;
                 on Draw { n := choose x: int where x < 5; reply 0; }
                 on Swap { let old = n; n := choose y: int where y > 10; reply old; }
             }";
        let spec = Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"));
        let asked = |tag| Exchange { line: 1, client: 0, request: Value::unit(tag), observed: Observed::Any };
        let (mut context, initial) = Judge::new(spec, Options::default()).into_parts();
        let mut answering = context.answering();
        let drawn = context.after(initial, &asked(0));
        // The number that is drawn now is another one than that before.
        assert!(answering.answer_from(&context, drawn, &asked(1)).is_some());
    }
}
