//! Judges made from another one: for evidence, and for a search that follows several orders of the same exchanges.
//!
//! With `m = {"a": 1, "b": 2}` and `n = 5`, the judge that knows only the cell `m["a"]` allows any `n`, and anything else in `m`. A
//! search asks a judge for the successors of candidates: from `{n: 0}` the exchange (5, 1) of compare-and-set leads to `{n: 5}`, and
//! (5, 0) to nothing.

use std::sync::Arc;

use super::candidate::{Candidate, Logged};
use super::findings::Findings;
use super::frontier::Judge;
use super::normal_form::boxes::cells::Cell;
use super::normal_form::forms::{self, CanonicalForm};
use super::normal_form::{subsume, tidy};
use super::options::{Inspected, Options, Patience, Reductions};
use super::own_steps::{Before, Fired, fire};
use super::section::request;
use super::verdict::Verdict;
use super::{Exchange, Observed};
use crate::process::{Choice, Fresh};
use crate::solve::{Past, Trail};
use crate::spec::{Spec, TypeId, Types};
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::Value;

/// A judge that keeps choices from the middle of a trace on, with little patience, follows at most `MANY_IN_PART` candidates, or
/// `TIMES` times as many as it begins with if that is more.
const MANY_IN_PART: usize = 16;
const TIMES: usize = 8;

impl Judge {
    /// A judge with the same candidates that keeps choices and eliminated variables from here on: for the witness of what follows.
    #[must_use]
    pub fn keeping_choices(&self, patience: Patience) -> Judge {
        let mut judge = self.clone();
        judge.options = judge.options.keeping_choices(patience);
        if patience == Patience::Little {
            let begins_with = judge.candidates.len();
            judge.options.candidates = judge.options.candidates.min(MANY_IN_PART).max(TIMES * begins_with);
        }
        judge.work = judge.work.renewed(judge.options.effort);
        judge.findings.clear_cut();
        let mut candidates = std::mem::take(&mut judge.candidates);
        for (number, candidate) in candidates.iter_mut().enumerate() {
            candidate.store.go_on_from(Trail::default());
            candidate.log = Past::default();
            judge.log(candidate, || Logged::Began(number));
        }
        judge.candidates = candidates;
        judge
    }

    /// A judge that knows only these cells of the state. `spec` is the judge's own specification for states in which any map may be
    /// unknown ([`Spec::for_unknown_maps`]).
    #[must_use]
    pub fn knowing_only(&self, cells: &[Cell], spec: &Arc<Spec>) -> Judge {
        let mut judge = self.clone();
        judge.spec = spec.clone();
        let mut candidates = std::mem::take(&mut judge.candidates);
        candidates.retain_mut(|candidate| forget_all_but(&mut judge, spec, candidate, cells).is_ok());
        judge.normalize(candidates);
        judge
    }

    /// The steps that the server may have taken by itself before the request of an exchange.
    #[must_use]
    pub fn before(&self, exchange: &Exchange) -> Before {
        let mut judge = self.clone();
        judge.steps.journal = Some(Before::default());
        judge.observe(exchange);
        Before { last: judge.fresh.last, ..judge.steps.journal.take().unwrap_or_default() }
    }

    /// A judge that has seen an exchange whose request was taken in one of the states `before` it; choices are kept from these states on.
    #[must_use]
    pub fn after_request(&self, before: &Before, exchange: &Exchange) -> Judge {
        let spec = self.spec.clone();
        let mut judge = self.knowing(&before.states, before.last);
        judge.step(&spec, exchange, request::respond_each);
        judge
    }

    /// A judge of the states to which a step leads that was fired before an exchange; choices are kept from the states before the step on.
    #[must_use]
    pub fn after_step(&self, before: &Before, fired: &Fired, exchange: &Exchange) -> Judge {
        let spec = self.spec.clone();
        let mut judge = self.knowing(&fired.states, before.last);
        judge.event = exchange.line;
        judge.begin_exchange();
        let states = std::mem::take(&mut judge.candidates);
        let next = |from| fire::stepped(&mut judge, &spec, from, &fired.firing);
        judge.candidates = states.iter().flat_map(next).collect();
        judge
    }

    /// A judge of these states that keeps choices. The states mention no variable after the number `last`.
    fn knowing(&self, states: &[Candidate], last: u64) -> Judge {
        let mut judge = self.clone();
        judge.candidates = states.to_vec();
        judge.fresh.last = last;
        judge.keeping_choices(Patience::All)
    }

    /// The answers that a request may get after what was observed, each with its candidate; `None` is no answer.
    pub fn answers(&mut self, exchange: &Exchange) -> Vec<(Option<Value>, Candidate)> {
        self.options.keep_answers = true;
        self.options.reductions = Reductions::None;
        let mut silent = self.clone();
        self.observe(&Exchange { observed: Observed::Any, ..exchange.clone() });
        silent.observe(&Exchange { observed: Observed::Nothing, ..exchange.clone() });
        let answered = self.candidates.iter().map(|candidate| (candidate.answer.clone(), candidate.clone()));
        let unanswered = silent.candidates.iter().map(|candidate| (None, candidate.clone()));
        answered.chain(unanswered).collect()
    }
}

/// Puts fresh symbols into each variable of a candidate, but for these cells (*havoc*).
///
/// Afterwards the candidate stands for a superset of its states (an over-approximation): a rejection is still a rejection, but an
/// acceptance says nothing.
fn forget_all_but(judge: &mut Judge, spec: &Spec, candidate: &mut Candidate, cells: &[Cell]) -> Result<(), Infeasible> {
    candidate.process.rest();
    let first = judge.fresh.last;
    let mut facts = Vec::new();
    for (slot, variable) in spec.program.slots.iter().enumerate().take(spec.program.state_slots()) {
        let kept: Vec<&Cell> = cells.iter().filter(|cell| cell.slot as usize == slot).collect();
        let old = &candidate.process.memory[slot];
        if *old == Value::Absent || kept.iter().any(|cell| cell.key.is_none()) {
            continue;
        }
        let keys = kept.iter().filter_map(|cell| cell.key.as_ref());
        let (new, restrictions) = havoc_map(&mut judge.fresh, &spec.types, (variable.ty, old), keys);
        facts.extend(restrictions);
        candidate.process.memory[slot] = new;
    }
    candidate.growth.count_choice(judge.fresh.last - first);
    candidate.assume_each(&facts, None, &mut judge.solver)
}

/// An unknown value of a type, with its restrictions. A map has, or lacks, under each of these keys what the old one does.
fn havoc_map<'k>(
    fresh: &mut Fresh,
    types: &Types,
    (ty, old): (TypeId, &Value),
    keys: impl Iterator<Item = &'k Value>,
) -> (Value, Vec<Term>) {
    let (mut new, restrictions) = fresh.havoc(types, &Choice::Type(ty));
    let (Value::Map(map), Value::Map(old)) = (&mut new, old) else { return (new, restrictions) };
    for key in keys {
        if let Some(entry) = old.certain_entry(key) {
            map.set_in_place(key, entry.cloned());
        }
    }
    (new, restrictions)
}

impl Judge {
    /// A judge that knows nothing of the state: its candidates stand for every state.
    pub(crate) fn of_any_state(spec: &Arc<Spec>, options: &Options) -> Judge {
        let options = Options { inspected: Inspected::Memory, ..options.clone() };
        Judge::new(spec.clone(), options).knowing_only(&[], &spec.for_unknown_maps())
    }

    /// Takes the candidates out of the judge.
    pub(crate) fn take_candidates(&mut self) -> Vec<Candidate> {
        std::mem::take(&mut self.candidates)
    }

    /// The candidates to which an exchange leads from these. New findings are added to the judge's own.
    pub(crate) fn after(&mut self, from: Vec<Candidate>, exchange: &Exchange) -> Vec<Candidate> {
        self.candidates = from;
        self.observe(exchange);
        self.take_candidates()
    }

    /// The candidates that are covered neither by `others` nor by an earlier one of them, in the form in which they are compared.
    pub(crate) fn uncovered(&mut self, candidates: Vec<Candidate>, others: &[Candidate]) -> Vec<Candidate> {
        let mut kept: Vec<Candidate> = Vec::new();
        for mut candidate in candidates {
            tidy::for_comparing(self, &mut candidate);
            let covers = |other: &Candidate| subsume::covers(other, &candidate, &mut self.solver);
            if !others.iter().chain(&kept).any(covers) {
                kept.push(candidate);
            }
        }
        kept
    }

    /// A judge that is asked for answers, and for no verdict.
    pub(crate) fn answering(&self) -> Judge {
        let mut judge = self.clone();
        judge.options.keep_answers = true;
        judge
    }

    /// An answer that one of these candidates gives in an exchange.
    pub(crate) fn answer_from(&mut self, from: Vec<Candidate>, exchange: &Exchange) -> Option<Value> {
        self.after(from, exchange).into_iter().find_map(|candidate| candidate.answer.clone())
    }

    /// Takes the failing runs out of the findings; limits stay.
    pub(crate) fn take_failed(&mut self) -> FailedRuns {
        FailedRuns(self.findings.take_failures())
    }

    /// Adds failing runs to the findings.
    pub(crate) fn add_failed(&mut self, failed: FailedRuns) {
        self.findings.merge(failed.0);
    }

    /// Tests whether an event that no candidate explains is rejected: no failing run or limit was met that may explain everything.
    pub(crate) fn rejects_the_rest(&mut self) -> bool {
        matches!(self.verdict_of(Vec::new(), 1), Verdict::Reject { .. })
    }

    /// The verdict if these candidates are left after an event.
    pub(crate) fn verdict_of(&mut self, left: Vec<Candidate>, event: u64) -> Verdict {
        (self.candidates, self.event, self.clean_died) = (left, event, None);
        self.verdict()
    }
}

/// The failing runs that a judge met: those with a fault, or with a broken duty of the client.
#[derive(Clone, Debug)]
pub(crate) struct FailedRuns(Findings);

impl FailedRuns {
    /// These runs, as if they failed at this event.
    pub(crate) fn at(mut self, event: u64) -> FailedRuns {
        self.0.move_to(event);
        self
    }

    /// Tests whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.found().is_none()
    }
}

impl Candidate {
    /// The values and constraints, up to the names of variables.
    pub(crate) fn form(&self) -> CanonicalForm {
        forms::canonical(self)
    }
}
