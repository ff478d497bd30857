//! What each answer of a reason told about the server's state.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::describe::{Fact, State};
use super::without_answer;
use crate::dualize::{Candidate, Exchange, Judge, Options};
use crate::spec::{Site, Spec};
use crate::validate::Recording;

/// What became known by one answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Learned {
    /// The exchange.
    pub exchange: Exchange,
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
pub fn learned<R>(spec: &Arc<Spec>, options: &Options, recording: &R, because: &[usize]) -> Vec<Learned>
where
    R: Recording + ?Sized,
{
    // What is known of each state is told as it came about, and all of it.
    let options = Options { name: false, join: false, late: false, ..options.clone() };
    let mut judge = Judge::new(spec.clone(), options);
    let mut told = because.iter().copied().take(TOLD).peekable();
    let (mut lessons, mut at) = (Vec::new(), 0);
    recording.read(0, &mut |exchange| {
        if told.next_if_eq(&at).is_some() {
            lessons.push(lesson(spec, &mut judge, exchange));
        } else if told.peek().is_some() {
            judge.observe(&without_answer(exchange));
        }
        at += 1;
        if told.peek().is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    lessons
}

/// What the answer of an exchange tells a judge.
fn lesson(spec: &Arc<Spec>, judge: &mut Judge, exchange: &Exchange) -> Learned {
    let before: Vec<State> = states(spec, judge);
    judge.observe(exchange);
    let mut news: Vec<Vec<Fact>> = states(spec, judge).iter().map(|state| state.news(spec, &before)).collect();
    news.sort();
    news.dedup();
    let mut sites: Vec<Site> = judge.candidates().iter().filter_map(|candidate| candidate.replied).collect();
    sites.sort_unstable();
    sites.dedup();
    Learned { exchange: exchange.clone(), news, sites }
}

fn states(spec: &Arc<Spec>, judge: &Judge) -> Vec<State> {
    let of = |candidate: &Candidate| State::of(spec, candidate);
    judge.candidates().iter().take(DESCRIBED).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dualize::Observed;
    use crate::value::Value;

    #[test]
    fn a_cell_that_the_next_request_writes_anew_is_told() {
        let text = "machine m { !3 := !0; if !1 < !3 { !1 := 1; } else { !1 := 0; } }";
        let spec = Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(spec.program.late, spec.program.serve);
        let observed = Observed::Answer(Value::from(1));
        let exchange = Exchange { line: 1, client: 1, request: Value::from(5), observed };
        let told = format!("{:?}", learned(&spec, &Options::default(), &[exchange][..], &[0])[0].news);
        assert!(told.contains("!3"), "{told}");
    }
}
