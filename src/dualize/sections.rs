//! Observing over a network: the server runs sections until what is observed may be observed (semantics 4).
//!
//! ```text
//! c1 Take    c2 Take    c2 1    c1 2       the server began with the request of c2, or went on with it first
//! ```
//!
//! A candidate has requests, suspended tasks and answers under way. Before an observation all sections are tried that the
//! network allows, until it may be made; equal candidates on the way are one.

use super::candidate::Candidate;
use super::forms::{self, MetForms};
use super::frontier::Judge;
use super::request::Filled;
use super::section::{GivenAnswer, Goal, OpenPath, Section};
use super::verdict::CLOSURE_LIMIT;
use super::{fire, split, tidy};
use crate::network::{Network, Observation, ServerMove};
use crate::process::{Limit, Port, Sent};
use crate::spec::Spec;
use crate::value::Value;

/// The candidates that explain an observation over a network.
pub(super) fn observe(
    judge: &mut Judge,
    candidates: Vec<Candidate>,
    network: &dyn Network,
    observation: &Observation,
) -> Vec<Candidate> {
    let spec = judge.spec.clone();
    let ready = run_sections(judge, &spec, candidates, (network, observation));
    match observation {
        Observation::Request(port, value) => with_arrived(judge, &spec, ready, (*port, value)),
        Observation::Answer(port, answer) => with_shown(judge, &spec, ready, (*port, answer.as_ref())),
        Observation::End => ready,
    }
}

/// The candidates in which an observation may be made, after what the server may have done before it.
fn run_sections(
    judge: &mut Judge,
    spec: &Spec,
    candidates: Vec<Candidate>,
    (network, observation): (&dyn Network, &Observation),
) -> Vec<Candidate> {
    let mut met = MetForms::default();
    let (mut open, mut ready) = (candidates, Vec::new());
    while let Some(candidate) = open.pop() {
        let situation = candidate.process.situation();
        if network.allows(&situation, observation) {
            ready.push(candidate);
            continue;
        }
        if judge.is_exhausted() {
            break;
        }
        if met.len() > CLOSURE_LIMIT {
            judge.give_up(Limit::Steps);
            break;
        }
        for next in network.moves(&situation, observation) {
            for next in moved(judge, spec, &candidate, next) {
                let form = forms::canonical(&next);
                if met.stand_for(&form, &next) {
                    judge.counts.merges += 1;
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
fn moved(judge: &mut Judge, spec: &Spec, from: &Candidate, next: ServerMove) -> Vec<Candidate> {
    let mut first = from.clone();
    match next {
        ServerMove::Receive(at) => first.process.receive_arrived(&spec.program, at),
        ServerMove::Resume(at) => first.process.wake(at),
        ServerMove::Step => return stepped_each(judge, spec, from),
    }
    let mut next = Section::new(judge, spec, Goal::Section).results(first);
    next.iter_mut().for_each(|candidate| tidy::for_comparing(judge, candidate));
    next
}

/// The candidates to which the steps lead: from known states to known ones, which are soon all met.
fn stepped_each(judge: &mut Judge, spec: &Spec, from: &Candidate) -> Vec<Candidate> {
    let mut after = Vec::new();
    for step in 0..spec.program.steps.len() {
        for mut next in fire::run_step(judge, spec, from, step) {
            tidy::for_comparing(judge, &mut next);
            after.extend(split::wholly(judge, next));
        }
    }
    after
}

/// The candidates after a request has arrived.
fn with_arrived(
    judge: &mut Judge,
    spec: &Spec,
    mut candidates: Vec<Candidate>,
    (port, request): (Port, &Value),
) -> Vec<Candidate> {
    let filled = Filled::of(request, spec, &mut judge.fresh);
    let request = filled.as_ref().map_or(request, |filled| &filled.request);
    candidates.retain_mut(|candidate| {
        candidate.process.arrive(port, request.clone());
        filled.as_ref().is_none_or(|filled| filled.assume(candidate, &mut judge.solver).is_ok())
    });
    candidates
}

/// The candidates in which the first answer that was sent on a port is the one that was observed.
fn with_shown(
    judge: &mut Judge,
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
        let answering = OpenPath::Answering(candidate, GivenAnswer { value, site });
        Section::new(judge, spec, goal).explore_from(answering, &mut after);
    }
    after
}
