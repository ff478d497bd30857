//! One step of the judge: the candidates after an observed exchange.
//!
//! ```text
//! step(q, a) = run every candidate on q; keep those that can answer a; none left: reject      (Figure 3.1)
//! ```

use std::sync::Arc;

use super::candidate::Candidate;
use super::frontier::Judge;
use super::normal_form::{keep_few, tidy};
use super::options::Options;
use super::own_steps::wake;
use super::section::request;
use super::section::request::{Filled, Received};
use super::section::{Goal, Section};
use super::tasks::failing;
use super::{Exchange, normal_form, tasks};
use crate::network::{Network, Observation};
use crate::process::Process;
use crate::solve::Store;
use crate::spec::Spec;

/// A function that finds the candidates that explain a request.
type Respond = fn(&mut Judge, Vec<Candidate>, &Received<'_>) -> Vec<Candidate>;

impl Judge {
    /// A judge that has seen nothing: its candidates are the possible initial states.
    #[must_use]
    pub fn new(spec: Arc<Spec>, options: Options) -> Judge {
        let mut process = Process::new(&spec.program);
        process.boot(&spec.program);
        let mut candidate = Candidate::new(process);
        if options.keep_choices {
            candidate.store = Store::with_trail();
        }
        let mut judge = Judge::without_candidates(spec.clone(), options);
        let initial = Section::new(&mut judge, &spec, Goal::Nothing).results(candidate);
        judge.normalize(initial);
        judge
    }

    /// Observes an exchange. Returns whether anything still explains the trace.
    pub fn observe(&mut self, exchange: &Exchange) -> bool {
        let spec = self.spec.clone();
        self.observe_by(&spec, exchange)
    }

    /// Observes an exchange with the specification at hand, which must be the judge's own.
    pub(crate) fn observe_by(&mut self, spec: &Spec, exchange: &Exchange) -> bool {
        let respond = if spec.program.steps.is_empty() { request::respond_each } else { wake::respond };
        self.step(spec, exchange, respond)
    }

    /// Observes something over a network; `line` is its line in the trace, or its number from 1. Returns whether anything still
    /// explains the trace. If tasks yield, the specification must have been compiled for interleaved tasks.
    ///
    /// Choices are not kept for a witness.
    pub fn observe_over(&mut self, network: &dyn Network, line: u64, observation: &Observation) -> bool {
        let Some(candidates) = self.begin(line) else { return self.observe_failing(network, line, observation) };
        let after = tasks::observe(self, candidates, network, observation);
        failing::observe(self, network, observation);
        self.normalize(after);
        self.work.end(&self.options, &self.solver);
        self.is_open()
    }

    /// Observes something that only failing runs may explain. Returns whether one does, and may still be contradicted.
    fn observe_failing(&mut self, network: &dyn Network, line: u64, observation: &Observation) -> bool {
        if !self.is_open() {
            return false;
        }
        failing::observe(self, network, observation);
        if !self.findings.has_failure() {
            self.died(line, None);
        }
        self.is_open()
    }

    /// Tests whether the next observation may change the verdict: something explains the trace so far, but not everything that may come.
    pub(super) fn is_open(&self) -> bool {
        !self.candidates.is_empty() || !self.is_cut() && self.findings.may_be_contradicted()
    }

    /// The step of Figure 3.1. Returns whether anything still explains the trace.
    pub(super) fn step(&mut self, spec: &Spec, exchange: &Exchange, respond: Respond) -> bool {
        let Some(candidates) = self.begin(exchange.line) else { return false };
        let filled = Filled::of(&exchange.request, spec, &mut self.fresh);
        let received = Received::of(spec, exchange, filled.as_ref());
        let after = respond(self, candidates, &received);
        self.normalize(after);
        self.work.end(&self.options, &self.solver);
        !self.candidates.is_empty()
    }

    /// Brings candidates into normal form, in which there are few, and goes on with them; with few of these if a limit was reached.
    pub(super) fn normalize(&mut self, mut candidates: Vec<Candidate>) {
        match &mut candidates[..] {
            [only] => tidy::after_exchange(self, only),
            _ => {
                tidy::each(self, &mut candidates, tidy::one_of_several);
                if candidates.len() > 1 && self.options.reduces() {
                    normal_form::now_and_then(self, &mut candidates);
                }
            }
        }
        keep_few::keep(self, &mut candidates);
        self.go_on_with(candidates);
    }
}
