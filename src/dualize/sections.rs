//! Observing over a network: the server runs sections until what is observed may be observed (semantics 4).
//!
//! ```text
//! c1 Take    c2 Take    c2 1    c1 2       the server began with the request of c2, or went on with it first
//! ```
//!
//! A candidate has requests, suspended tasks and answers under way. Before an observation all sections are tried that the
//! network allows, until it may be made; equal candidates on the way are one.

use super::candidate::Candidate;
use super::forms::Forms;
use super::frontier::Judge;
use super::goal::Goal;
use super::subsume;
use super::wake::CLOSURE_LIMIT;
use crate::network::{Move, Network, Observation};
use crate::process::{Limit, Port, Sent};
use crate::spec::Spec;
use crate::value::Value;

impl Judge {
    /// Observes something over a network; `line` is where it stands in the trace, or its number from 1. Whether anything still
    /// explains the trace. A specification in which tasks yield is one that was compiled for tasks that are interleaved.
    ///
    /// Choices are not kept for a witness.
    pub fn observe_over(&mut self, network: &dyn Network, line: u64, observation: &Observation) -> bool {
        if self.candidates.is_empty() && self.event > 0 {
            return false;
        }
        self.begin(line);
        let spec = self.spec.clone();
        let candidates = std::mem::take(&mut self.candidates);
        let ready = self.run_sections(&spec, candidates, (network, observation));
        let after = match observation {
            Observation::Request(port, value) => self.with_arrived(&spec, ready, (*port, value)),
            Observation::Answer(port, answer) => self.with_shown(&spec, ready, (*port, answer.as_ref())),
            Observation::End => ready,
        };
        self.settle(after);
        !self.candidates.is_empty()
    }

    /// The candidates in which an observation may be made, after what the server may have done before it.
    fn run_sections(
        &mut self,
        spec: &Spec,
        candidates: Vec<Candidate>,
        (network, observation): (&dyn Network, &Observation),
    ) -> Vec<Candidate> {
        let mut met = Forms::default();
        let (mut open, mut ready) = (candidates, Vec::new());
        while let Some(candidate) = open.pop() {
            let situation = candidate.process.situation();
            if network.allows(&situation, observation) {
                ready.push(candidate);
                continue;
            }
            if self.is_exhausted() {
                break;
            }
            if met.len() > CLOSURE_LIMIT {
                self.give_up(Limit::Steps);
                break;
            }
            for next in network.moves(&situation, observation) {
                for next in self.moved(spec, &candidate, next) {
                    let form = subsume::canonical(&next);
                    if met.stand_for(&form, &next) {
                        self.counts.merges += 1;
                    } else {
                        met.add(form, &next);
                        open.push(next);
                    }
                }
            }
        }
        ready
    }

    /// The candidates to which a move leads.
    fn moved(&mut self, spec: &Spec, from: &Candidate, next: Move) -> Vec<Candidate> {
        let mut first = from.clone();
        match next {
            Move::Receive(at) => first.process.receive_arrived(&spec.program, at),
            Move::Resume(at) => first.process.wake(at),
            Move::Step => return self.stepped_each(spec, from),
        }
        let mut next = Vec::new();
        if self.explore(spec, &mut first, Goal::Section, &mut next).first.is_ok() {
            next.push(first);
        }
        next.iter_mut().for_each(|candidate| self.clear(candidate));
        next
    }

    /// The candidates to which the steps lead: from known states to known ones, which are soon all met.
    fn stepped_each(&mut self, spec: &Spec, from: &Candidate) -> Vec<Candidate> {
        let mut after = Vec::new();
        for step in 0..spec.program.steps.len() {
            for mut next in self.run_step(spec, from, step) {
                self.clear(&mut next);
                after.extend(self.split_all(next));
            }
        }
        after
    }

    /// The candidates after a request has arrived.
    fn with_arrived(
        &mut self,
        spec: &Spec,
        mut candidates: Vec<Candidate>,
        (port, request): (Port, &Value),
    ) -> Vec<Candidate> {
        let filled = self.filled(spec, request);
        let request = filled.as_ref().map_or(request, |filled| &filled.request);
        candidates.retain_mut(|candidate| {
            candidate.process.arrive(port, request.clone());
            filled.as_ref().is_none_or(|filled| self.fill(candidate, filled).is_ok())
        });
        candidates
    }

    /// The candidates in which the first answer that was sent on a port is the one that was observed.
    fn with_shown(
        &mut self,
        spec: &Spec,
        candidates: Vec<Candidate>,
        (port, expected): (Port, Option<&Value>),
    ) -> Vec<Candidate> {
        let goal = expected.map_or(Goal::Any, Goal::Answer);
        let mut after = Vec::new();
        for mut candidate in candidates {
            let at = candidate.process.situation().sent.iter().position(|sent| *sent == port);
            let Some(at) = at else { continue };
            let Sent { value, site, .. } = candidate.process.take_sent(at);
            self.explore_answer(spec, (candidate, value, site), goal, &mut after);
        }
        after
    }
}
