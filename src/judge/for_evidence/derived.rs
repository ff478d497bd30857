//! Judges made from another one, for evidence.
//!
//! With `m = {"a": 1, "b": 2}` and `n = 5`, the judge that knows only the cell `m["a"]` allows any `n`, and anything else in `m`.

use std::sync::Arc;

use crate::judge::candidate::{Candidate, Logged};
use crate::judge::context::Context;
use crate::judge::exchange::{Exchange, Observed};
use crate::judge::frontier::Frontier;
use crate::judge::normal_form::boxes::cells::Cell;
use crate::judge::options::{Inspected, Options, Patience, Reductions};
use crate::judge::own_steps::{Before, Fired, fire};
use crate::judge::{Judge, step};
use crate::process::{Choice, Fresh};
use crate::solve::{Past, Trail};
use crate::spec::{Spec, TypeId, Types};
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::Value;

/// The factor by which candidates may become more than at the beginning of a part.
const GROWTH: usize = 8;
/// A judge that keeps choices from the middle of a trace on, with little patience, follows at most `MANY_IN_PART` candidates, or
/// `GROWTH` times as many as it begins with if that is more.
const MANY_IN_PART: usize = 16;

impl Judge {
    /// A judge that knows nothing of the state: its candidates stand for every state.
    pub(crate) fn of_any_state(spec: &Arc<Spec>, options: &Options) -> Judge {
        let options = Options { inspected: Inspected::Memory, ..options.clone() };
        Judge::new(spec.clone(), options).knowing_only(&[], &spec.for_unknown_maps())
    }

    /// A judge with the same candidates that keeps choices and eliminated variables from here on: for the witness of what follows.
    #[must_use]
    pub fn keeping_choices(&self, patience: Patience) -> Judge {
        let Judge { mut context, mut frontier } = self.clone();
        context.options = context.options.keeping_choices(patience);
        if patience == Patience::Little {
            let begins_with = frontier.candidates.len();
            context.options.candidates = context.options.candidates.min(MANY_IN_PART).max(GROWTH * begins_with);
        }
        context.work = context.work.renewed(context.options.effort);
        context.findings.clear_cut();
        for (number, candidate) in frontier.candidates.iter_mut().enumerate() {
            candidate.store.go_on_from(Trail::default());
            candidate.log = Past::default();
            context.log(candidate, || Logged::Began(number));
        }
        Judge { context, frontier }
    }

    /// A judge that knows only these cells of the state. `spec` is the judge's own specification for states in which any map may be
    /// unknown ([`Spec::for_unknown_maps`]).
    #[must_use]
    pub fn knowing_only(&self, cells: &[Cell], spec: &Arc<Spec>) -> Judge {
        let Judge { mut context, mut frontier } = self.clone();
        context.spec = spec.clone();
        let mut candidates = std::mem::take(&mut frontier.candidates);
        candidates.retain_mut(|candidate| forget_all_but(&mut context, spec, candidate, cells).is_ok());
        frontier = step::normalize(&mut context, frontier, candidates);
        Judge { context, frontier }
    }

    /// The steps that the server may have taken by itself before the request of an exchange.
    #[must_use]
    pub fn before(&self, exchange: &Exchange) -> Before {
        let mut judge = self.clone();
        judge.context.steps.journal = Some(Before::default());
        judge.observe(exchange);
        let Context { fresh, mut steps, .. } = judge.context;
        Before { last: fresh.last, ..steps.journal.take().unwrap_or_default() }
    }

    /// A judge that has seen an exchange whose request was taken in one of the states `before` it; choices are kept from these states on.
    #[must_use]
    pub fn after_request(&self, before: &Before, exchange: &Exchange) -> Judge {
        let Judge { mut context, frontier } = self.knowing(&before.states, before.last);
        let frontier = step::without_steps(&mut context, self.spec(), frontier, exchange);
        Judge { context, frontier }
    }

    /// A judge of the states to which a step leads that was fired before an exchange; choices are kept from the states before the step on.
    #[must_use]
    pub fn after_step(&self, before: &Before, fired: &Fired, exchange: &Exchange) -> Judge {
        let Judge { mut context, frontier } = self.knowing(&fired.states, before.last);
        context.event = exchange.line;
        frontier.begin_exchange(&mut context);
        let next = |from| fire::stepped(&mut context, self.spec(), from, &fired.firing);
        let candidates = frontier.candidates.iter().flat_map(next).collect();
        Judge { context, frontier: Frontier { candidates, ..frontier } }
    }

    /// A judge of these states that keeps choices. The states mention no variable after the number `last`.
    fn knowing(&self, states: &[Candidate], last: u64) -> Judge {
        let mut judge = self.clone();
        judge.frontier.candidates = states.to_vec();
        judge.context.fresh.last = last;
        judge.keeping_choices(Patience::All)
    }

    /// The answers that a request may get after what was observed, each with its candidate; `None` is no answer.
    pub fn answers(&mut self, exchange: &Exchange) -> Vec<(Option<Value>, Candidate)> {
        self.context.options.keep_answers = true;
        self.context.options.reductions = Reductions::None;
        let mut silent = self.clone();
        self.observe(&Exchange { observed: Observed::Any, ..exchange.clone() });
        silent.observe(&Exchange { observed: Observed::Nothing, ..exchange.clone() });
        let answered = self.candidates().iter().map(|candidate| (candidate.answer.clone(), candidate.clone()));
        let unanswered = silent.candidates().iter().map(|candidate| (None, candidate.clone()));
        answered.chain(unanswered).collect()
    }
}

/// Puts fresh symbols into each variable of a candidate, but for these cells (*havoc*).
///
/// Afterwards the candidate stands for a superset of its states (an over-approximation): a rejection is still a rejection, but an
/// acceptance says nothing.
fn forget_all_but(
    context: &mut Context,
    spec: &Spec,
    candidate: &mut Candidate,
    cells: &[Cell],
) -> Result<(), Infeasible> {
    candidate.process.rest();
    let first = context.fresh.last;
    let mut facts = Vec::new();
    for (slot, variable) in spec.program.slots.iter().enumerate().take(spec.program.state_slots()) {
        let kept: Vec<&Cell> = cells.iter().filter(|cell| cell.slot as usize == slot).collect();
        let old = &candidate.process.memory[slot];
        if *old == Value::Absent || kept.iter().any(|cell| cell.key.is_none()) {
            continue;
        }
        let keys = kept.iter().filter_map(|cell| cell.key.as_ref());
        let (new, restrictions) = havoc_map(&mut context.fresh, &spec.types, variable.ty, old, keys);
        facts.extend(restrictions);
        candidate.process.memory[slot] = new;
    }
    candidate.growth.count_choice(context.fresh.last - first);
    candidate.assume_each(&facts, None, &mut context.solver)
}

/// An unknown value of a type, with its restrictions. A map has, or lacks, under each of these keys what the old one does.
fn havoc_map<'k>(
    fresh: &mut Fresh,
    types: &Types,
    ty: TypeId,
    old: &Value,
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
