//! What each answer of a reason told about the server's state.

use std::sync::Arc;

use super::describe::{Fact, State};
use super::without_answer;
use crate::dualize::{Candidate, Exchange, Judge, Options};
use crate::spec::{Site, Spec};

/// What became known by one answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Learned {
    /// The position of the exchange.
    pub at: usize,
    /// For each state that was still possible, what is newly known of it.
    pub news: Vec<Vec<Fact>>,
    /// Where in the specification the answer was given.
    pub sites: Vec<Site>,
}

/// More possible states than this are not described.
const DESCRIBED: usize = 3;

/// Follows a reason through the trace.
#[must_use]
pub fn learned(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange], because: &[usize]) -> Vec<Learned> {
    let mut judge = Judge::new(spec.clone(), options.clone());
    let last = because.iter().copied().max().map_or(0, |last| last + 1);
    let mut lessons = Vec::new();
    for (at, exchange) in exchanges.iter().enumerate().take(last) {
        if !because.contains(&at) {
            judge.observe(&without_answer(exchange));
            continue;
        }
        let before: Vec<State> = states(spec, &judge);
        judge.observe(exchange);
        let news = states(spec, &judge).iter().map(|state| news(state, &before)).collect();
        let mut sites: Vec<Site> = judge.candidates().iter().filter_map(|candidate| candidate.replied).collect();
        sites.sort_unstable();
        sites.dedup();
        lessons.push(Learned { at, news, sites });
    }
    lessons
}

fn states(spec: &Arc<Spec>, judge: &Judge) -> Vec<State> {
    let of = |candidate: &Candidate| State::of(spec, candidate);
    judge.candidates().iter().take(DESCRIBED).map(of).collect()
}

/// What is known in a state that was not known in any state before.
fn news(state: &State, before: &[State]) -> Vec<Fact> {
    let mut news = state.facts.clone();
    for old in before {
        news.retain(|fact| !old.facts.contains(fact));
    }
    news
}
