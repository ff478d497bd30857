//! The paths of a specification's handlers from an unknown state: the condition of each, its answer, and the state that it leaves.
//!
//! Compare-and-set has two: if `q <= n` the answer is 0 and n stays; if `n < q` the answer is 1 and n is q.

use rustc_hash::FxHashSet;

use crate::judge::{OnPath, Symbolic, Transition, TransitionEnd, symbolic};
use crate::spec::Spec;
use crate::term::{Term, Var};
use crate::value::{self, Substitution, Truth, Value};

/// The variables of another state have numbers from `OTHER_STATE` on, those of another request from `OTHER_REQUEST` on.
const OTHER_STATE: u64 = 1 << 42;
const OTHER_REQUEST: u64 = 1 << 43;

/// The steps of a specification for each kind of request, from an unknown state.
pub(crate) struct EveryState {
    /// The variables of the state.
    state: FxHashSet<Var>,
    memory: Vec<Value>,
    requests: Vec<(Value, Vec<GeneralPath>)>,
}

/// A path through a handler to an answer.
#[derive(Clone)]
pub(crate) struct GeneralPath {
    /// The condition on which it is taken, with the conditions on its choices.
    pub(crate) condition: Term,
    pub(crate) answer: Value,
    /// The state that it leaves.
    pub(crate) memory: Vec<Value>,
}

/// The variables of a term that are renamed, so that it speaks of another state or another request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renamed {
    /// The variables of the state.
    State,
    /// The variables of the request.
    Request,
}

impl EveryState {
    /// The steps of a specification; `None` if they are not all known, may fail, or depend on who asks.
    pub(crate) fn of(spec: &Spec) -> Option<EveryState> {
        if spec.program.names_clients {
            return None;
        }
        let slots = spec.program.state_slots();
        let mut steps = symbolic(spec);
        let memory = steps.first()?.memory[..slots].to_vec();
        let mut state = FxHashSet::default();
        memory.iter().for_each(|value| value.visit_variables(&mut |var| _ = state.insert(var)));
        let is_comparable = memory.iter().all(|value| equality(value, value).is_some());
        let mut requests = Vec::new();
        for step in &mut steps {
            requests.push((step.request.clone(), paths(step, slots)?));
        }
        is_comparable.then_some(EveryState { state, memory, requests })
    }

    /// The number of the step that is made with a request.
    pub(crate) fn step_of(&self, request: &Value) -> Option<usize> {
        let is_of = |(general, _): &(Value, Vec<GeneralPath>)| match (general, request) {
            (Value::Data { tag, .. }, Value::Data { tag: own, .. }) => tag == own,
            _ => true,
        };
        self.requests.iter().position(is_of)
    }

    pub(crate) fn request(&self, step: usize) -> &Value {
        &self.requests[step].0
    }

    pub(crate) fn paths(&self, step: usize) -> &[GeneralPath] {
        &self.requests[step].1
    }

    pub(crate) fn is_of_state(&self, var: Var) -> bool {
        self.state.contains(&var)
    }

    /// The paths of a step that may end with an answer; all if the answer was not seen.
    pub(crate) fn may_answer(&self, step: usize, answer: Option<&Value>) -> Vec<usize> {
        let paths = self.paths(step);
        let may = |path: &usize| {
            answer.is_none_or(|answer| !matches!(value::equal(&paths[*path].answer, answer), Ok(Truth::Known(false))))
        };
        (0..paths.len()).filter(may).collect()
    }

    /// A term of this state and request, rewritten as one of another state or request.
    pub(crate) fn renamed(&self, term: &Term, renamed: Renamed) -> Term {
        let offset = |var: Var| match (renamed, self.is_of_state(var)) {
            (Renamed::State, true) => OTHER_STATE,
            (Renamed::Request, false) => OTHER_REQUEST,
            (Renamed::State, false) | (Renamed::Request, true) => 0,
        };
        term.substitute(&mut |var| {
            let offset = offset(var);
            (offset > 0).then(|| Term::var(Var { id: var.id + offset, sort: var.sort }))
        })
    }

    /// A variable of the other request.
    pub(crate) fn of_other(var: Var) -> Var {
        Var { id: var.id + OTHER_REQUEST, sort: var.sort }
    }

    fn values(&self, memory: &[Value], renamed: Renamed) -> Vec<Value> {
        let mut rename = |term: &Term| Some(self.renamed(term, renamed));
        let mut substitution = Substitution::everywhere(&mut rename);
        memory.iter().map(|value| substitution.apply(value).unwrap_or_else(|| value.clone())).collect()
    }

    /// The condition on which the other state is the one that a path of the other request leaves.
    pub(crate) fn leads_on(&self, path: &GeneralPath) -> Option<Term> {
        all_equal(&self.values(&self.memory, Renamed::State), &self.values(&path.memory, Renamed::Request))
    }

    /// The condition on which a path from this state and one from the other state leave the same state.
    pub(crate) fn meet(&self, path: &GeneralPath, from_other: &GeneralPath) -> Option<Term> {
        all_equal(&path.memory, &self.values(&from_other.memory, Renamed::State))
    }
}

fn all_equal(a: &[Value], b: &[Value]) -> Option<Term> {
    let equal: Option<Vec<Term>> = a.iter().zip(b).map(|(a, b)| equality(a, b)).collect();
    equal.map(Term::and_all)
}

/// The paths of a step; `None` if one does not end with an answer, or may fail.
fn paths(step: &mut Symbolic, slots: usize) -> Option<Vec<GeneralPath>> {
    let general = |path: Transition| {
        let conditions: Option<Vec<Vec<Term>>> = path.met.iter().map(conditions).collect();
        let TransitionEnd::Answer(answer, _) = path.end else { return None };
        let memory = path.memory[..slots].to_vec();
        Some(GeneralPath { condition: Term::and_all(conditions?.into_iter().flatten()), answer, memory })
    };
    let paths: Option<Vec<GeneralPath>> = std::mem::take(&mut step.paths).into_iter().map(general).collect();
    paths.filter(|_| !step.more)
}

/// The conditions that a path met; `None` if it may fail or be cut there.
fn conditions(met: &OnPath) -> Option<Vec<Term>> {
    match met {
        OnPath::Holds(condition, _) => Some(vec![condition.clone()]),
        OnPath::Fails(condition, _) => Some(vec![Term::not(condition)]),
        OnPath::Choice { restrictions, .. } => Some(restrictions.clone()),
        OnPath::Assume(condition, _) => Some(vec![condition.clone().term()]),
        OnPath::Way(..) => Some(Vec::new()),
        OnPath::Expects(..) | OnPath::NoFault(..) | OnPath::Cut(..) => None,
    }
}

/// The condition on which two values are equal, if it has a term.
pub(crate) fn equality(a: &Value, b: &Value) -> Option<Term> {
    value::equal(a, b).ok().map(Truth::term)
}
