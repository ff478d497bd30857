//! The behaviours that a specification allows, as an automaton whose states are made when they are asked for: many searches share it.
//!
//! Of `cmp_rst` the initial state says n = 0; after `5` was answered by `1` comes the one in which n is anything.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::judge::{CanonicalForm, Exchange, Judge, Observed, Options, Verdict};
use crate::spec::Spec;
use crate::value::Value;

/// The work on one exchange: less than if a verdict is wanted, as there are many others.
const EFFORT: u64 = 100_000;

/// A state of what explains the exchanges so far.
pub(super) type JudgedState = u32;

/// The outcome of one more exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JudgedStep {
    /// It is allowed.
    Allowed(JudgedState),
    /// It is not.
    Forbidden,
    /// It breaks the client's duty, or a mistake of the specification, or was too hard.
    Unjudged,
}

/// The states that were met.
pub(super) struct JudgedStates {
    spec: Arc<Spec>,
    judges: Vec<Judge>,
    numbers: FxHashMap<Vec<(CanonicalForm, bool)>, JudgedState>,
    steps: FxHashMap<(JudgedState, Value, Option<Value>), JudgedStep>,
    /// The work of judging so far.
    pub work: u64,
}

impl JudgedStates {
    /// The initial state only; its number is 0.
    pub fn new(spec: &Arc<Spec>) -> JudgedStates {
        let options = Options { effort: EFFORT, ..Options::default() };
        let judges = vec![Judge::new(spec.clone(), options)];
        JudgedStates { spec: spec.clone(), judges, numbers: FxHashMap::default(), steps: FxHashMap::default(), work: 0 }
    }

    /// The outcome of a request and its answer; no answer is one that nobody saw.
    pub fn step(&mut self, from: JudgedState, request: &Value, answer: Option<&Value>) -> JudgedStep {
        let key = (from, request.clone(), answer.cloned());
        if let Some(known) = self.steps.get(&key) {
            return *known;
        }
        let mut judge = self.judges[from as usize].clone();
        let observed = answer.map_or(Observed::Any, |answer| Observed::Answer(answer.clone()));
        let line = judge.event() + 1;
        let before = judge.work_done();
        judge.observe_by(&self.spec, &Exchange { line, client: 1, request: request.clone(), observed });
        self.work += judge.work_done().saturating_sub(before);
        let step = match judge.verdict() {
            Verdict::Accept { .. } => JudgedStep::Allowed(self.number(judge)),
            Verdict::Reject { .. } => JudgedStep::Forbidden,
            Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => JudgedStep::Unjudged,
        };
        self.steps.insert(key, step);
        step
    }

    fn number(&mut self, judge: Judge) -> JudgedState {
        let candidates = judge.candidates();
        let mut form: Vec<_> = candidates.iter().map(|candidate| (candidate.form(), candidate.is_clean())).collect();
        form.sort_by(|a, b| (&a.0.1, &a.0.2).cmp(&(&b.0.1, &b.0.2)));
        let next = self.judges.len() as JudgedState;
        let number = *self.numbers.entry(form).or_insert(next);
        if number == next {
            self.judges.push(judge);
        }
        number
    }
}
