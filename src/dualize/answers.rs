//! The answers that were possible: what a judge would have accepted in the place of an answer.
//!
//! After (5, 1), (3, 0) compare-and-reset answers 0 to 2, and nothing else.

use super::candidate::Candidate;
use super::frontier::Judge;
use super::{Exchange, Observed};
use crate::value::Value;

impl Judge {
    /// The answers to a request that explain what came before, each with its candidate; `None` is no answer.
    pub fn answers(&mut self, exchange: &Exchange) -> Vec<(Option<Value>, Candidate)> {
        self.options.keep_answers = true;
        self.options.merge = false;
        self.options.forget = false;
        self.options.unite = false;
        let mut silent = self.clone();
        self.observe(&Exchange { observed: Observed::Any, ..exchange.clone() });
        silent.observe(&Exchange { observed: Observed::Nothing, ..exchange.clone() });
        let answered = self.candidates.iter().map(|candidate| (candidate.answer.clone(), candidate.clone()));
        let unanswered = silent.candidates.iter().map(|candidate| (None, candidate.clone()));
        answered.chain(unanswered).collect()
    }
}
