//! One step: what an observed exchange makes of the candidates.
//!
//! ```text
//! step(q, a) = run every candidate on q; keep those that can answer a; none left: reject      (Figure 3.1)
//! ```

use super::candidate::{Candidate, Logged, notes_requests};
use super::compared::Compared;
use super::frontier::Judge;
use super::goal::Goal;
use super::request::Received;
use super::{Exchange, Observed};
use crate::process::Limit;
use crate::spec::Spec;
use crate::symbolic::Infeasible;

/// A way to find the candidates that explain a request.
type Respond = fn(&mut Judge, &Spec, Vec<Candidate>, &Received<'_>) -> Vec<Candidate>;

impl Judge {
    /// Observes an exchange. Whether anything still explains the trace.
    pub fn observe(&mut self, exchange: &Exchange) -> bool {
        let spec = self.spec.clone();
        self.observe_by(&spec, exchange)
    }

    /// The same with the specification at hand, which must be the judge's own.
    pub(crate) fn observe_by(&mut self, spec: &Spec, exchange: &Exchange) -> bool {
        let respond = if spec.program.steps.is_empty() { Judge::respond_each } else { Judge::respond_after_steps };
        self.step(spec, exchange, respond)
    }

    /// The step of Figure 3.1.
    pub(super) fn step(&mut self, spec: &Spec, exchange: &Exchange, respond: Respond) -> bool {
        if self.candidates.is_empty() && self.event > 0 {
            return false;
        }
        self.begin(exchange.line);
        let filled = self.filled(spec, &exchange.request);
        let received = Received::of(exchange, filled.as_ref());
        let candidates = std::mem::take(&mut self.candidates);
        let merges = self.options.merge_ways && spec.program.has_meetings;
        let before = merges.then(|| (candidates.clone(), self.findings.clone()));
        let after = respond(self, spec, candidates, &received);
        self.settle(after);
        if let Some((candidates, findings)) = before.filter(|_| !self.options.merge_ways) {
            // What merged ways lead to has no normal form: they are followed one by one.
            self.findings = findings;
            let after = respond(self, spec, candidates, &received);
            self.settle(after);
        }
        self.work.end(&self.options, &self.solver);
        !self.candidates.is_empty()
    }

    /// Begins with what stands on a line of the trace.
    pub(super) fn begin(&mut self, line: u64) {
        self.event = line;
        self.counts.events += 1;
        self.begin_exchange();
    }

    /// The candidates that explain a request where nothing happens between requests.
    pub(super) fn respond_each(
        &mut self,
        spec: &Spec,
        mut candidates: Vec<Candidate>,
        received: &Received<'_>,
    ) -> Vec<Candidate> {
        let mut others = std::mem::take(&mut self.results);
        let mut kept = 0;
        for at in 0..candidates.len() {
            if at > 0 && self.is_exhausted() {
                break;
            }
            if matches!(received.seen, Observed::Lost) {
                others.push(candidates[at].clone());
            }
            if self.respond(spec, &mut candidates[at], received, &mut others).is_ok() {
                candidates.swap(kept, at);
                kept += 1;
            }
        }
        if kept < candidates.len() {
            candidates.drain(kept..).for_each(|candidate| self.spares.take(candidate));
        }
        if !others.is_empty() {
            candidates.append(&mut others);
        }
        self.results = others;
        candidates
    }

    /// Runs a candidate on a request, in place along the first path that shows what was observed; whether that one does. The
    /// candidates of other such paths are added to `others`.
    pub(super) fn respond(
        &mut self,
        spec: &Spec,
        candidate: &mut Candidate,
        received: &Received<'_>,
        others: &mut Vec<Candidate>,
    ) -> Result<(), Infeasible> {
        let Received { request, client, seen, .. } = received;
        if notes_requests(spec, seen) {
            self.log(candidate, || Logged::Received);
        }
        let before = self.may_join(seen).then(|| candidate.clone());
        let first = others.len();
        self.ask(candidate, received)?;
        candidate.process.receive_by(&spec.program, self.handler(&spec.program), (request, *client));
        candidate.noticed = 0;
        let explored = self.explore(spec, candidate, Goal::of(seen), others);
        if let Some(before) = before
            && explored.is_exhaustive
            && explored.first.is_ok()
        {
            self.join(before, candidate, others, first);
        }
        explored.first
    }

    /// Brings the candidates into few, in normal form; few of them where a limit was reached.
    pub(super) fn settle(&mut self, mut survivors: Vec<Candidate>) {
        match (self.merged_since.take(), &mut survivors[..]) {
            (Some(last), _) => self.normalize_merged(&mut survivors, last),
            (None, [only]) => self.tidy_and_name(only),
            (None, _) => {
                self.tidy_each(&mut survivors, Judge::tidy_one_of_several);
                if survivors.len() > 1 && self.options.merge {
                    self.reduce(&mut survivors);
                }
            }
        }
        self.keep_few(&mut survivors);
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
