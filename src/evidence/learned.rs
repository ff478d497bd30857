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
    /// For the states that were still possible, what is newly known of them; the same is told once.
    pub news: Vec<Vec<Fact>>,
    /// Where in the specification the answer was given.
    pub sites: Vec<Site>,
}

/// More possible states than this are not described.
const DESCRIBED: usize = 3;
/// More answers than this are not told one by one.
const TOLD: usize = 12;

/// Follows a reason, whose positions are in order, through the trace.
#[must_use]
pub fn learned(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange], because: &[usize]) -> Vec<Learned> {
    // What is known of each state is told as it came about.
    let options = Options { name: false, join: false, ..options.clone() };
    let mut judge = Judge::new(spec.clone(), options);
    let mut lessons = Vec::new();
    let mut seen = 0;
    for at in because.iter().copied().take(TOLD) {
        for exchange in &exchanges[seen..at] {
            judge.observe(&without_answer(exchange));
        }
        seen = at + 1;
        let before: Vec<State> = states(spec, &judge);
        judge.observe(&exchanges[at]);
        let mut news: Vec<Vec<Fact>> = states(spec, &judge).iter().map(|state| state.news(spec, &before)).collect();
        news.sort();
        news.dedup();
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
