//! The way from the exchanges of a reason to the rejection: the facts about the server's state that each answer shows, and the
//! changes that each request made to the state.

use std::ops::ControlFlow;

use super::change;
use super::describe::{Fact, KnownState};
use super::reason::{Budget, Cause, ReasonSearch, shown};
use crate::judge::{Cell, Exchange, Judge};
use crate::limits;
use crate::reading::{Recording, exchange_at};
use crate::spec::{Site, Spec, Traced, TracedWrite};
use crate::value::Value;

/// The candidates that are described.
const CANDIDATES: usize = 64;

/// An exchange that matters for a rejection.
#[derive(Clone, PartialEq, Debug)]
pub struct Contribution {
    /// The exchange; `None` for the initial state.
    pub exchange: Option<Exchange>,
    /// The statement that is made about the exchange, or about the beginning.
    pub said: StateClaim,
    /// The statements of the specification that the lesson is about.
    pub sites: Vec<Site>,
}

/// A statement about an answer, a request or the initial state.
#[derive(Clone, PartialEq, Debug)]
pub enum StateClaim {
    /// The answer matters, as it says this about the state.
    Answer(Learned),
    /// The request did this, whatever its answer: `set n to 5`.
    Request(Vec<String>),
    /// Nothing has changed this since the beginning: `n was 0 from the beginning`.
    Initially(String),
}

/// The news about the state that an answer brings, in every candidate.
#[derive(Clone, PartialEq, Debug)]
pub enum Learned {
    /// Nothing that can be put into words.
    None,
    /// One of these possibilities; there are no others.
    All(Vec<Vec<Fact>>),
    /// One of this number of possibilities; the facts of one of them are an example.
    OneOf(usize, Vec<Fact>),
}

/// The most possibilities that are listed one by one.
const LISTED: usize = 3;
/// The most entries of maps, over all candidates, that are described.
const ENTRIES: usize = 20_000;
/// The most exchanges that are described one by one.
const SHOWN: usize = 12;

impl Learned {
    /// The facts that are new in all candidates, out of the lists of new facts of each; [`Learned::None`] if some list is empty.
    fn of(mut each: Vec<Vec<Fact>>) -> Learned {
        each.sort();
        each.dedup();
        if each.iter().any(Vec::is_empty) {
            return Learned::None;
        }
        if each.len() <= LISTED {
            return Learned::All(each);
        }
        let in_all = |fact: &&Fact| each.iter().all(|facts| facts.contains(fact));
        let common: Vec<Fact> = each[0].iter().filter(in_all).cloned().collect();
        match common.is_empty() {
            false => Learned::All(vec![common]),
            true => Learned::OneOf(each.len(), each.swap_remove(0)),
        }
    }
}

impl<R: Recording + ?Sized> ReasonSearch<'_, R> {
    /// Describes the exchanges of a reason, in their order, and returns the number of those that were left out. If there are too
    /// many, the last ones are described.
    pub(super) fn lessons(
        &mut self,
        needed: &[usize],
        causes: &[Cause],
        initial: &[Cell],
    ) -> (Vec<Contribution>, usize) {
        let mut positions: Vec<usize> = needed.iter().copied().chain(causes.iter().map(|cause| cause.at)).collect();
        positions.sort_unstable();
        let from = positions.len().saturating_sub(SHOWN);
        let first_shown = positions.get(from).copied().unwrap_or(0);
        let mut lessons: Vec<(usize, Contribution)> = self.answers(needed, first_shown);
        let around = self.around(needed, causes);
        for Cause { at, cells } in causes.iter().filter(|cause| cause.at >= first_shown) {
            let around = around.iter().find(|(position, _)| position == at).map(|(_, around)| around);
            lessons.extend(self.request(*at, cells, around).map(|lesson| (*at, lesson)));
        }
        lessons.sort_by_key(|(at, _)| *at);
        let start = self.frontier(0);
        let initial = initial.iter().map(|cell| initial_lesson(self.spec, &start, cell));
        (initial.chain(lessons.into_iter().map(|(_, lesson)| lesson)).collect(), from)
    }

    /// Judges the exchanges up to a position. `step` shows each to the judge. Ends early if this takes too much work.
    fn replay(&mut self, last: usize, step: &mut dyn FnMut(usize, &mut Judge, &Exchange, &mut Budget<'_>)) {
        let mut judge = self.plain_start();
        judge.follow_at_most(CANDIDATES, self.budget.left());
        let (recording, from) = (self.recording(), self.found.from.unwrap_or(0));
        self.budget.within(self.budget.left() / limits::SIDE_SHARE, |budget| {
            let mut at = from;
            recording.read(from, &mut |exchange| {
                step(at, &mut judge, exchange, budget);
                at += 1;
                let goes_on = at <= last && !judge.is_cut() && !budget.is_spent();
                if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        });
    }

    /// The judges before and after each of these exchanges, if only the needed answers are known: the effect of a request must not
    /// depend on any other answer. An exchange is missing if this takes too much work.
    fn around(&mut self, needed: &[usize], causes: &[Cause]) -> Vec<(usize, [Judge; 2])> {
        let Some(last) = causes.iter().map(|cause| cause.at).max() else { return Vec::new() };
        let mut around = Vec::new();
        self.replay(last, &mut |at, judge, exchange, budget| {
            let before = causes.iter().any(|cause| cause.at == at).then(|| judge.clone());
            budget.show(judge, exchange, shown(needed, at));
            if let Some(before) = before.filter(|_| !judge.is_cut() && !budget.is_spent()) {
                around.push((at, [before, judge.clone()]));
            }
        });
        around
    }

    /// Describes how a request changed some cells; `None` if it changed none of them in a way that has a description.
    fn request(&mut self, at: usize, cells: &[Cell], around: Option<&[Judge; 2]>) -> Option<Contribution> {
        let exchange = exchange_at(self.recording(), at)?;
        let traced = Traced::new(self.spec);
        let mut judge = self.frontier(at);
        judge.observe_by(&traced.spec, &exchange);
        let touched = judge.candidates().iter().flat_map(|candidate| candidate.process.touched());
        let writes = touched.filter_map(|touched| Some((traced.write(touched.slot)?, touched.key.clone())));
        let writes: Vec<(TracedWrite, Option<Value>)> = writes.collect();
        let places: Vec<(u32, Option<Value>)> = writes.iter().map(|(write, key)| (write.slot, key.clone())).collect();
        let changes = change::done(self.spec, around.map(|[before, after]| [before, after]), cells, &places);
        let is_own = |(write, key): &&(TracedWrite, Option<Value>)| {
            let of = |cell: &Cell| cell.slot == write.slot && (cell.key.is_none() || key.is_none() || *key == cell.key);
            cells.iter().any(of)
        };
        let mut sites: Vec<Site> = writes.iter().filter(is_own).map(|(write, _)| write.site).collect();
        sites.sort_unstable();
        sites.dedup();
        // A request may reveal something about the state without changing it.
        let did = !sites.is_empty() && !changes.is_empty();
        did.then(|| Contribution { exchange: Some(exchange), said: StateClaim::Request(changes), sites })
    }

    /// Describes what each needed answer from a position on says. The trace is judged with holes in the place of all other
    /// answers, or, if that takes too much work, with all answers.
    fn answers(&mut self, needed: &[usize], first: usize) -> Vec<(usize, Contribution)> {
        let Some(last) = needed.last().copied() else { return Vec::new() };
        let (spec, recording) = (self.spec.clone(), self.recording());
        let mut lessons = Vec::new();
        self.replay(last, &mut |at, judge, exchange, budget| match at >= first && needed.binary_search(&at).is_ok() {
            true => lessons.push((at, lesson(&spec, judge, exchange, budget))),
            false => _ = budget.show(judge, exchange, shown(needed, at)),
        });
        let stated = lessons.len();
        for at in needed.iter().copied().filter(|at| *at >= first).skip(stated) {
            let mut judge = self.frontier(at);
            judge.follow_at_most(CANDIDATES, self.budget.left());
            if let Some(exchange) = exchange_at(recording, at) {
                lessons.push((at, lesson(&spec, &mut judge, &exchange, &mut self.budget)));
            }
        }
        lessons
    }
}

fn initial_lesson(spec: &Spec, start: &Judge, cell: &Cell) -> Contribution {
    let (said, site) = change::initial(spec, start, cell);
    Contribution { exchange: None, said: StateClaim::Initially(said), sites: site.into_iter().collect() }
}

/// Shows an exchange to a judge, and describes what its answer says about the state.
fn lesson(spec: &Spec, judge: &mut Judge, exchange: &Exchange, budget: &mut Budget<'_>) -> Contribution {
    let before = states(spec, judge);
    budget.observe(judge, exchange);
    let news = match (before, states(spec, judge)) {
        (Some(before), Some(after)) => Learned::of(after.iter().map(|state| state.news(spec, &before)).collect()),
        (None, _) | (_, None) => Learned::None,
    };
    let mut sites: Vec<Site> = judge.candidates().iter().filter_map(|candidate| candidate.replied).collect();
    sites.sort_unstable();
    sites.dedup();
    Contribution { exchange: Some(exchange.clone()), said: StateClaim::Answer(news), sites }
}

/// The states of all candidates, as far as they are known; `None` if they are too many or too large to be described.
fn states(spec: &Spec, judge: &Judge) -> Option<Vec<KnownState>> {
    let size = |value: &Value| if let Value::Map(map) = value { map.bound() } else { 1 };
    let sizes = judge.candidates().iter().map(|candidate| candidate.process.memory.iter().map(size).sum::<usize>());
    let describable = judge.candidates().len() <= CANDIDATES && sizes.sum::<usize>() <= ENTRIES && !judge.is_cut();
    describable.then(|| judge.candidates().iter().map(|candidate| KnownState::of(spec, candidate)).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::evidence::why;
    use crate::judge::{Observed, Options};

    fn exchange(line: u64, q: i64, a: i64) -> Exchange {
        let observed = Observed::Answer(Value::from(a));
        Exchange { line, client: 1, request: Value::from(q), observed }
    }

    #[test]
    fn a_cell_that_the_next_request_writes_anew_is_described() {
        let text = "machine m { !3 := !0; if !1 < !3 { !1 := 1; } else { !1 := 0; } }";
        let spec = Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(spec.program.sunk, spec.program.serve);
        let trace = [exchange(1, 5, 1), exchange(2, 1, 7)];
        let mut search =
            ReasonSearch::new(&spec, &Options::default(), &trace[..], Budget::seconds(1.0)).expect("rejected");
        let said = format!("{:?}", search.lessons(&[0], &[], &[]).0[0].said);
        assert!(said.contains("!3"), "{said}");
    }

    fn facts(each: &[&[&str]]) -> Learned {
        Learned::of(each.iter().map(|facts| facts.iter().map(|fact| Fact::new(*fact)).collect()).collect())
    }

    #[test]
    fn what_follows_holds_in_all_candidates() {
        let fact = |text: &str| Fact::new(text);
        assert_eq!(facts(&[&["x = 1"], &[]]), Learned::None);
        assert_eq!(facts(&[&["x = 1"], &["x = 1"]]), Learned::All(vec![vec![fact("x = 1")]]));
        let many: Vec<Vec<String>> = (0..40).map(|n| vec!["y = 2".to_owned(), format!("x = {n}")]).collect();
        let many: Vec<Vec<&str>> = many.iter().map(|facts| facts.iter().map(String::as_str).collect()).collect();
        let all: Vec<&[&str]> = many.iter().map(|facts| &facts[..]).collect();
        assert_eq!(facts(&all), Learned::All(vec![vec![fact("y = 2")]]));
        let apart: Vec<&[&str]> = many.iter().map(|facts| &facts[1..]).collect();
        assert_eq!(facts(&apart), Learned::OneOf(40, vec![fact("x = 0")]));
    }

    #[test]
    fn a_request_that_made_the_state_what_it_is_is_named_with_its_statement() {
        let text = "protocol p { request int; response int; var n: int = 0;
            on q { if q > 0 { n := q; } reply n; } }";
        let spec: Arc<Spec> = Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"));
        let trace = [exchange(1, 5, 5), exchange(2, 3, 3), exchange(3, 0, 3), exchange(4, 0, 5)];
        let why = why(&spec, &Options::default(), &trace[..], Budget::seconds(1.0)).expect("rejected");
        assert_eq!((why.reason.because.len(), why.lessons.len()), (0, 1));
        assert_eq!(why.lessons[0].said, StateClaim::Request(vec!["set n to 3".to_owned()]));
        assert_eq!(why.lessons[0].exchange.as_ref().map(|exchange| exchange.line), Some(2));
        assert_eq!(spec.sources.text(spec.span(why.lessons[0].sites[0]).file).len(), text.len());
    }
}
