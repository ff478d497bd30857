//! Answers that never come any more: where a request is not answered so in some state, it is not in any later one.
//!
//! Compare-and-set answers 1 where `n < q`, and n only grows: once `q <= n` the request waits in vain, and what led there explains
//! nothing. Of each kind of request and answer the solver is asked once, over all states and all other requests: may an answer that
//! cannot be given be given after one more request?

use rustc_hash::FxHashMap;

use crate::dualize::{OnPath, Symbolic, Transition, TransitionEnd, symbolic};
use crate::solve::{Answer, Solver, Store};
use crate::spec::Spec;
use crate::term::{Term, Var};
use crate::value::{self, Truth, Value};

/// Variables of the request that comes between have their numbers from here on.
const BETWEEN: u64 = 1 << 40;
/// The variable that stands for the answer.
const ANSWER: u64 = 1 << 41;

/// The kinds of answers that stay impossible.
pub(super) struct Dead {
    /// The steps of the specification, of its variables alone; empty where nothing is known of them.
    steps: Vec<Symbolic>,
    /// The answers of the questions that were asked, by the request's step and the paths that may give the answer.
    known: FxHashMap<(usize, Vec<usize>), bool>,
    solver: Solver,
}

impl Dead {
    pub(super) fn new(spec: &Spec) -> Dead {
        let mut steps = symbolic(spec);
        for step in &mut steps {
            step.memory.truncate(spec.program.state_slots());
            step.paths.iter_mut().for_each(|path| path.memory.truncate(spec.program.state_slots()));
        }
        // The steps are those of one client.
        let is_known = !spec.program.names_clients && steps.iter().all(is_simple);
        let steps = if is_known { steps } else { Vec::new() };
        Dead { steps, known: FxHashMap::default(), solver: Solver::default() }
    }

    /// Tests whether an answer to a request stays impossible once it is.
    pub(super) fn stays_impossible(&mut self, request: &Value, answer: &Value) -> bool {
        let of = |step: &Symbolic| match (&step.request, request) {
            (Value::Data { tag, .. }, Value::Data { tag: own, .. }) => tag == own,
            _ => true,
        };
        let Some(at) = self.steps.iter().position(of) else { return false };
        let paths: Vec<usize> = may_answer(&self.steps[at], answer);
        if let Some(known) = self.known.get(&(at, paths.clone())) {
            return *known;
        }
        let stays = self.ask(at, &paths, answer).unwrap_or(false);
        self.known.insert((at, paths), stays);
        stays
    }

    /// Asks whether an answer by one of these paths, impossible before any request, is so behind it.
    fn ask(&mut self, at: usize, paths: &[usize], answer: &Value) -> Option<bool> {
        let step = &self.steps[at];
        let answer = match answer.as_term()?.sort() {
            sort if may_be_any(step, paths) => Value::Term(Term::var(Var { id: ANSWER, sort })),
            _ => answer.clone(),
        };
        let possible: Option<Vec<Term>> =
            paths.iter().map(|path| possible(step, &step.paths[*path], &answer)).collect();
        let possible = Term::or_all(possible?);
        for between in self.steps.iter().flat_map(|step| &step.paths) {
            let mut store = Store::default();
            let later = later(&possible, step, between)?;
            let facts = conditions(between).into_iter().map(|fact| apart(&fact, step));
            let facts: Vec<Term> = facts.chain([Term::not(&possible), later]).collect();
            let can_be = facts.iter().try_for_each(|fact| match store.assume(fact, &mut self.solver) {
                Answer::Unsat => Err(false),
                Answer::Sat => Ok(()),
                Answer::Unknown(_) => Err(true),
            });
            if can_be != Err(false) {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// Tests whether a step is one of scalars only, all of whose paths are there, and which meets no fault and no duty of the client.
fn is_simple(step: &Symbolic) -> bool {
    let is_scalar = |value: &Value| value.as_term().is_some();
    let fields: &[Value] = if is_scalar(&step.request) { &[] } else { step.request.fields() };
    let is_plain = |met: &OnPath| match met {
        OnPath::Holds(..) | OnPath::Fails(..) | OnPath::Choice { .. } | OnPath::Way(..) | OnPath::Assume(..) => true,
        OnPath::Expects(..) | OnPath::NoFault(..) | OnPath::Cut(..) => false,
    };
    let is_whole = |path: &Transition| {
        let ends = match &path.end {
            TransitionEnd::Answer(answer, _) => is_scalar(answer) || matches!(answer, Value::Data { .. }),
            TransitionEnd::Nothing | TransitionEnd::Outside(_) | TransitionEnd::Faulty(_) | TransitionEnd::Cut => false,
        };
        ends && path.met.iter().all(is_plain) && path.memory.iter().all(is_scalar)
    };
    !step.more && step.memory.iter().chain(fields).all(is_scalar) && step.paths.iter().all(is_whole)
}

/// The paths of a step that may end with an answer.
fn may_answer(step: &Symbolic, answer: &Value) -> Vec<usize> {
    let may = |path: &Transition| match &path.end {
        TransitionEnd::Answer(own, _) => !matches!(value::equal(own, answer), Ok(Truth::Known(false))),
        TransitionEnd::Nothing | TransitionEnd::Outside(_) | TransitionEnd::Faulty(_) | TransitionEnd::Cut => false,
    };
    (0..step.paths.len()).filter(|path| may(&step.paths[*path])).collect()
}

/// Tests whether the answer of some path is not known.
fn may_be_any(step: &Symbolic, paths: &[usize]) -> bool {
    paths.iter().any(|path| matches!(&step.paths[*path].end, TransitionEnd::Answer(answer, _) if !answer.is_known()))
}

/// The condition on which a path is taken and ends with an answer; nothing where it depends on a choice.
fn possible(step: &Symbolic, path: &Transition, answer: &Value) -> Option<Term> {
    let TransitionEnd::Answer(own, _) = &path.end else { return None };
    let same = value::equal(own, answer).ok()?.term();
    let all = Term::and_all(conditions(path).into_iter().chain([same]));
    let mut known = Vec::new();
    step.memory.iter().chain([&step.request]).for_each(|value| value.visit_variables(&mut |var| known.push(var)));
    let mut is_known = true;
    all.vars(&mut |var| is_known &= var.id == ANSWER || known.contains(&var));
    is_known.then_some(all)
}

/// The conditions of a path, and on its choices.
fn conditions(path: &Transition) -> Vec<Term> {
    let of = |met: &OnPath| match met {
        OnPath::Holds(condition, _) => vec![condition.clone()],
        OnPath::Fails(condition, _) => vec![Term::not(condition)],
        OnPath::Choice { restrictions, .. } => restrictions.clone(),
        OnPath::Assume(condition, _) | OnPath::Expects(condition, _) => vec![condition.clone().term()],
        OnPath::NoFault(wrong, _) | OnPath::Cut(wrong, _) => vec![wrong.clone().not().term()],
        OnPath::Way(..) => Vec::new(),
    };
    path.met.iter().flat_map(of).collect()
}

/// A condition on the state, on the one that a path leaves.
fn later(condition: &Term, step: &Symbolic, path: &Transition) -> Option<Term> {
    let mut after: FxHashMap<Var, Term> = FxHashMap::default();
    for (before, now) in step.memory.iter().zip(&path.memory) {
        if let Some(var) = before.as_term().and_then(|term| term.as_var()) {
            after.insert(var, apart(&now.as_term()?, step));
        }
    }
    Some(condition.substitute(&mut |var| after.get(&var).cloned()))
}

/// A term whose variables are others, but for those of the state.
fn apart(term: &Term, step: &Symbolic) -> Term {
    let is_of_state =
        |var: Var| step.memory.iter().any(|value| value.as_term().and_then(|term| term.as_var()) == Some(var));
    term.substitute(&mut |var| (!is_of_state(var)).then(|| Term::var(Var { id: var.id + BETWEEN, sort: var.sort })))
}
