//! One step: what an observed exchange makes of the candidates.
//!
//! ```text
//! step(q, a) = run every candidate on q; keep those that can answer a; none left: reject      (Figure 3.1)
//! ```

use std::sync::Arc;

use super::candidate::Candidate;
use super::compared::Compared;
use super::findings::Findings;
use super::forks::Forks;
use super::frontier::{Counts, Judge};
use super::goal::Goal;
use super::options::Options;
use super::request::{Filled, Received};
use super::section::Section;
use super::spare::Spares;
use super::steps::Steps;
use super::work::Work;
use super::{Exchange, few, reduce, request, sections, tidy, wake, ways};
use crate::network::{Network, Observation};
use crate::process::{Fresh, Limit, Process};
use crate::solve::{Solver, Store};
use crate::spec::Spec;

/// A way to find the candidates that explain a request.
type Respond = fn(&mut Judge, Vec<Candidate>, &Received<'_>) -> Vec<Candidate>;

impl Judge {
    /// A judge that has seen nothing: its candidates are the possible initial states.
    #[must_use]
    pub fn new(spec: Arc<Spec>, options: Options) -> Judge {
        let mut process = Process::new(&spec.program);
        process.boot(&spec.program);
        let mut judge = Judge {
            candidates: Vec::new(),
            solver: Solver::new(options.limits),
            work: Work::new(options.effort),
            options,
            counts: Counts::default(),
            fresh: Fresh::default(),
            event: 0,
            findings: Findings::default(),
            clean_died: None,
            steps: Steps::default(),
            merged_since: None,
            spares: Spares::default(),
            compared: Compared::default(),
            forks: Forks::default(),
            spec,
        };
        let mut candidate = Candidate::new(process);
        if judge.options.keep_choices {
            candidate.store = Store::with_trail();
        }
        let mut survivors = Vec::new();
        let spec = judge.spec.clone();
        if Section::new(&mut judge, &spec, Goal::Nothing).explore(&mut candidate, &mut survivors).first.is_ok() {
            survivors.push(candidate);
        }
        judge.normalize(survivors);
        judge
    }

    /// Observes an exchange. Whether anything still explains the trace.
    pub fn observe(&mut self, exchange: &Exchange) -> bool {
        let spec = self.spec.clone();
        self.observe_by(&spec, exchange)
    }

    /// Observes an exchange with the specification at hand, which must be the judge's own.
    pub(crate) fn observe_by(&mut self, spec: &Spec, exchange: &Exchange) -> bool {
        let respond = if spec.program.steps.is_empty() { request::respond_each } else { wake::respond };
        self.step(spec, exchange, respond)
    }

    /// Observes something over a network; `line` is where it stands in the trace, or its number from 1. Whether anything still
    /// explains the trace. A specification in which tasks yield is one that was compiled for tasks that are interleaved.
    ///
    /// Choices are not kept for a witness.
    pub fn observe_over(&mut self, network: &dyn Network, line: u64, observation: &Observation) -> bool {
        if self.candidates.is_empty() && self.event > 0 {
            return false;
        }
        self.begin(line);
        let candidates = std::mem::take(&mut self.candidates);
        let after = sections::observe(self, candidates, network, observation);
        self.normalize(after);
        !self.candidates.is_empty()
    }

    /// The step of Figure 3.1.
    pub(super) fn step(&mut self, spec: &Spec, exchange: &Exchange, respond: Respond) -> bool {
        if self.candidates.is_empty() && self.event > 0 {
            return false;
        }
        self.begin(exchange.line);
        let filled = Filled::of(&exchange.request, spec, &mut self.fresh);
        let received = Received::of(spec, exchange, filled.as_ref());
        let candidates = std::mem::take(&mut self.candidates);
        let merges = self.options.merge_ways && spec.program.has_meetings;
        let before = merges.then(|| (candidates.clone(), self.findings.clone()));
        let after = respond(self, candidates, &received);
        self.normalize(after);
        if let Some((candidates, findings)) = before.filter(|_| !self.options.merge_ways) {
            // What merged ways lead to has no normal form: they are followed one by one.
            self.findings = findings;
            let after = respond(self, candidates, &received);
            self.normalize(after);
        }
        self.work.end(&self.options, &self.solver);
        !self.candidates.is_empty()
    }

    /// Begins with what stands on a line of the trace.
    fn begin(&mut self, line: u64) {
        self.event = line;
        self.counts.events += 1;
        self.begin_exchange();
    }

    /// Brings the candidates into few, in normal form; few of them where a limit was reached.
    pub(super) fn normalize(&mut self, mut survivors: Vec<Candidate>) {
        match (self.merged_since.take(), &mut survivors[..]) {
            (Some(last), _) => ways::normalize(self, &mut survivors, last),
            (None, [only]) => tidy::after_exchange(self, only),
            (None, _) => {
                tidy::each(self, &mut survivors, tidy::one_of_several);
                if survivors.len() > 1 && self.options.merge {
                    reduce::now_and_then(self, &mut survivors);
                }
            }
        }
        few::keep(self, &mut survivors);
        if survivors.len() < 2 {
            self.compared = Compared::default();
        }
        if survivors.len() > self.options.candidates {
            self.give_up(Limit::Paths);
            survivors.truncate(self.options.candidates);
        }
        match survivors.iter().any(Candidate::is_clean) {
            true => self.clean_died = None,
            false => _ = self.clean_died.get_or_insert(self.event),
        }
        self.counts.candidates_max = self.counts.candidates_max.max(survivors.len());
        self.candidates = survivors;
    }
}
