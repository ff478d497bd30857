//! The allowed behaviours of a specification as an automaton, whose states are built on demand and shared by many searches.
//!
//! For example, in the initial state of `cmp_rst` n is 0; the answer `1` to `5` leads to the state in which n is anything.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::judge::{CanonicalForm, Exchange, Judge, Observed, Options, Verdict, canonical};
use crate::spec::Spec;
use crate::value::Value;

/// The work that judging one exchange may take: less than for a verdict, as there are many exchanges.
const EFFORT: u64 = 100_000;

/// The number of a state: of the explanations of the exchanges so far.
pub(super) type JudgedState = u32;

/// The outcome of one more exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JudgedStep {
    /// The exchange is allowed.
    Allowed(JudgedState),
    /// The exchange is forbidden.
    Forbidden,
    /// The exchange breaks the client's duty, the specification may be faulty, or judging took too long.
    Unjudged,
}

/// The states so far.
pub(super) struct JudgedStates {
    spec: Arc<Spec>,
    judges: Vec<Judge>,
    numbers: FxHashMap<Vec<(CanonicalForm, bool)>, JudgedState>,
    steps: FxHashMap<(JudgedState, Value, Option<Value>), JudgedStep>,
    /// The work of judging so far.
    pub work: u64,
}

impl JudgedStates {
    /// An automaton with the initial state, whose number is 0.
    pub fn new(spec: &Arc<Spec>) -> JudgedStates {
        let options = Options { effort: EFFORT, ..Options::default() };
        let judges = vec![Judge::new(spec.clone(), options)];
        JudgedStates { spec: spec.clone(), judges, numbers: FxHashMap::default(), steps: FxHashMap::default(), work: 0 }
    }

    /// The outcome of a request and its answer; without an answer, any answer may have been given.
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
        let mut form: Vec<_> =
            candidates.iter().map(|candidate| (canonical(candidate), candidate.is_clean())).collect();
        form.sort_by(|a, b| (&a.0.1, &a.0.2).cmp(&(&b.0.1, &b.0.2)));
        let next = self.judges.len() as JudgedState;
        let number = *self.numbers.entry(form).or_insert(next);
        if number == next {
            self.judges.push(judge);
        }
        number
    }
}
