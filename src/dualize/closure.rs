//! What the server may have done by itself before a request (semantics 4: `step`).
//!
//! The candidates stand for all states that steps lead to from them; they are not kept. Before a request those runs of steps
//! are followed that have to do with it (`delay`), until they lead to nothing but candidates that are equal to, or covered
//! by, known ones. For example before `Touch("a")` the sessions `["a", "b"]` lead to `["b"]`: two candidates see the request,
//! and one of them explains its answer. A step that stores nothing, or the same again, leads nowhere.

use rustc_hash::FxHashMap;

use super::Observed;
use super::candidate::{Alive, Candidate, Logged};
use super::delay::{Class, Wanted, Watch};
use super::frontier::{Judge, Received};
use super::split;
use super::subsume::{self, Form};
use crate::process::Limit;
use crate::spec::Spec;
use crate::spec::code::Component;
use crate::term::Term;
use crate::value::{Substitution, Value};

/// The number of candidates before a request at which no more steps are followed.
pub const CLOSURE_LIMIT: usize = 4_096;
/// With more candidates than this, new ones are not compared with them one by one.
const GENERAL_LIMIT: usize = 64;

/// A step, and the component that it is of.
#[derive(Clone, Copy)]
struct Own {
    step: usize,
    component: u32,
}

/// Where steps led to more candidates than this, new ones are split by the values of their variables.
const SPLIT_AFTER: usize = 1;
/// What it costs to compare a state, for each of its values, in made terms.
const LEARNED: u64 = 4;
/// The number of candidates with variables before a request at which no more steps are followed.
const SYMBOLIC_LIMIT: usize = 256;

/// A candidate before the request.
struct State {
    candidate: Candidate,
    /// The classes of the steps that led here, in order.
    taken: Vec<Class>,
    /// The state that the last step was taken from, and the step.
    from: Option<(usize, Own)>,
    /// What the request makes of it.
    after: Vec<Candidate>,
}

/// The candidates before the request, and where those of one form are.
#[derive(Default)]
struct Closure {
    states: Vec<State>,
    forms: FxHashMap<(Form, Vec<u32>), usize>,
    /// How many states are among the forms.
    formed: usize,
    /// How many states steps led to.
    learned: usize,
    /// How many of these have variables.
    symbolic: usize,
}

impl Judge {
    /// The candidates that explain a request, after what the server may have done by itself.
    pub(super) fn observe_after_steps(
        &mut self,
        spec: &Spec,
        candidates: Vec<Candidate>,
        received: &Received<'_>,
    ) -> Vec<Candidate> {
        let mut after = Vec::new();
        if *received.seen == Observed::Lost {
            after.extend(candidates.iter().cloned());
        }
        let root = |candidate| State { candidate, taken: Vec::new(), from: None, after: Vec::new() };
        let mut closure = Closure { states: candidates.into_iter().map(root).collect(), ..Closure::default() };
        let limit = CLOSURE_LIMIT.max(closure.states.len());
        let mut at = 0;
        while at < closure.states.len() && !self.is_exhausted() {
            let watch = self.respond_at(spec, &mut closure, at, received, &mut after);
            if closure.states.len() > limit || closure.symbolic > SYMBOLIC_LIMIT {
                self.give_up(Limit::Steps);
            } else {
                self.step_from(spec, &mut closure, at, &watch);
            }
            at += 1;
        }
        after
    }

    /// Runs the request from a state. What it makes of it is added where it is not what a step makes of other results.
    fn respond_at(
        &mut self,
        spec: &Spec,
        closure: &mut Closure,
        at: usize,
        received: &Received<'_>,
        after: &mut Vec<Candidate>,
    ) -> Watch {
        let State { candidate, taken, from, .. } = &closure.states[at];
        let (from, taken) = (*from, taken.clone());
        self.watch = Some(Watch::after(taken.clone()));
        let (mut first, mut results) = (candidate.clone(), Vec::new());
        if self.respond(spec, &mut first, received, &mut results) == Alive::Yes {
            results.push(first);
        }
        let later = match from {
            Some((before, own)) if self.options.merge && !results.is_empty() => {
                let watch = Watch::after(taken.clone());
                self.stepped_results(spec, &closure.states[before].after, own, &watch)
            }
            Some(_) | None => Vec::new(),
        };
        for result in &results {
            let waits = Judge::could_wait(&spec.program, &taken, result);
            if !waits && !self.is_among(result, &later) {
                after.push(result.clone());
            }
        }
        closure.states[at].after = results;
        self.watch.take().unwrap_or_default()
    }

    /// What a step makes of the results of a request.
    fn stepped_results(&mut self, spec: &Spec, results: &[Candidate], own: Own, watch: &Watch) -> Vec<Candidate> {
        let mut stepped = Vec::new();
        for result in results {
            stepped.extend(self.stepped(spec, result, own, watch));
        }
        stepped.iter_mut().for_each(|next| self.clear(next));
        stepped
    }

    /// Whether a candidate is equal to one of others, or covered by it.
    fn is_among(&mut self, candidate: &Candidate, others: &[Candidate]) -> bool {
        if others.is_empty() {
            return false;
        }
        let mut candidate = candidate.clone();
        self.clear(&mut candidate);
        let found = others.iter().any(|other| subsume::covers(other, &candidate, &mut self.solver));
        self.counts.subsumptions += u64::from(found);
        found
    }

    /// Takes the steps that may come between a state and the request.
    fn step_from(&mut self, spec: &Spec, closure: &mut Closure, at: usize, watch: &Watch) {
        for (number, component) in (0u32..).zip(&spec.program.components) {
            if component.faultless && !watch.concerns(number) {
                continue;
            }
            for step in component.steps.iter().copied() {
                let own = Own { step, component: number };
                for next in self.stepped(spec, &closure.states[at].candidate, own, watch) {
                    self.reach(closure, (at, own), next, component, watch);
                }
            }
        }
    }

    /// Adds what a step led to, if the step may come before the request, and it is new.
    fn reach(
        &mut self,
        closure: &mut Closure,
        (at, own): (usize, Own),
        mut next: Candidate,
        component: &Component,
        watch: &Watch,
    ) {
        // A step that may be faulty comes before every request, so that no fault is missed.
        if !component.faultless {
            let taken = closure.states[at].taken.clone();
            return self.reached(closure, (at, own), next, component, taken);
        }
        let class = Class { component: own.component, key: key(component, &next) };
        if !watch.admits(&class) || next.require(watch.condition(&class), None, &mut self.solver) == Alive::No {
            return;
        }
        for (next, key) in self.by_key(next, component) {
            let taken = with(&closure.states[at].taken, Class { component: own.component, key });
            self.reached(closure, (at, own), next, component, taken);
        }
    }

    /// A candidate by the key at which the last step touched everything; `None` is any key.
    fn by_key(&mut self, candidate: Candidate, component: &Component) -> Vec<(Candidate, Option<Value>)> {
        let key = key(component, &candidate);
        let variable = match &key {
            Some(Value::Term(term)) => split::few_values(&candidate.store, term),
            _ => None,
        };
        let Some((var, values)) = variable else { return vec![(candidate, key.filter(Value::is_known))] };
        let mut pieces = Vec::new();
        for value in values {
            let piece = self.piece(candidate.clone(), var, value.clone());
            pieces.extend(piece.map(|piece| (piece, Some(Value::Scalar(value)))));
        }
        pieces
    }

    fn reached(
        &mut self,
        closure: &mut Closure,
        (at, own): (usize, Own),
        mut next: Candidate,
        component: &Component,
        taken: Vec<Class>,
    ) {
        self.clear(&mut next);
        let pieces = match closure.learned > SPLIT_AFTER {
            true => self.split(next, &component.slots),
            false => vec![next],
        };
        for candidate in pieces {
            self.learn(closure, State { candidate, taken: taken.clone(), from: Some((at, own)), after: Vec::new() });
        }
    }

    /// The candidates to which one step leads from another one, at the keys that are followed.
    fn stepped(&mut self, spec: &Spec, from: &Candidate, own: Own, watch: &Watch) -> Vec<Candidate> {
        let Own { step, component } = own;
        let Component { keyed, faultless, .. } = spec.program.components[component as usize];
        let site = spec.program.steps[step].key.filter(|_| keyed && faultless);
        let outer = self.watch.take();
        self.wanted = site.map(|site| Wanted { site, component, watch: watch.clone() });
        let mut first = from.clone();
        self.log(&mut first, || Logged::Step(step));
        first.process.step(&spec.program, step);
        let mut others = Vec::new();
        if self.explore(spec, &mut first, &Observed::Nothing, &mut others) == Alive::Yes {
            others.push(first);
        }
        others.retain(|candidate| changes(from, candidate));
        (self.watch, self.wanted) = (outer, None);
        others
    }

    /// Brings a candidate into the form in which it is compared.
    fn clear(&mut self, candidate: &mut Candidate) {
        self.tidy(candidate);
        self.forget(candidate);
    }

    /// Adds a state, unless it is known or covered.
    fn learn(&mut self, closure: &mut Closure, state: State) {
        while closure.formed < closure.states.len() {
            let at = closure.formed;
            self.forget(&mut closure.states[at].candidate);
            let form = closure.states[at].form();
            closure.forms.entry(form).or_insert(at);
            closure.formed += 1;
        }
        self.worked += LEARNED * u64::from(state.candidate.walked);
        let form = state.form();
        if let Some(known) = closure.forms.get(&form)
            && (closure.states[*known].candidate.is_clean() || !state.candidate.is_clean())
        {
            self.counts.merges += 1;
            return;
        }
        let comparable = |known: &&State| known.taken == state.taken;
        let mut comparable = closure.states.iter().filter(comparable).take(GENERAL_LIMIT);
        if comparable.any(|known| subsume::covers(&known.candidate, &state.candidate, &mut self.solver)) {
            self.counts.subsumptions += 1;
            return;
        }
        closure.forms.insert(form, closure.states.len());
        closure.formed += 1;
        closure.learned += 1;
        closure.symbolic += usize::from(state.candidate.process.memory.iter().any(|slot| !slot.is_known()));
        closure.states.push(state);
    }
}

impl State {
    fn form(&self) -> (Form, Vec<u32>) {
        let keys: Vec<Value> = self.taken.iter().filter_map(|class| class.key.clone()).collect();
        (subsume::canonical(&self.candidate, &keys), self.taken.iter().map(|class| class.component).collect())
    }
}

/// The classes with one more; any key of a component stands for all of them.
fn with(taken: &[Class], class: Class) -> Vec<Class> {
    let other = |taken: &&Class| taken.component != class.component || (class.key.is_some() && taken.key != class.key);
    let any = |taken: &Class| taken.component == class.component && taken.key.is_none();
    let mut all: Vec<Class> = taken.iter().filter(other).cloned().collect();
    if !taken.iter().any(any) || class.key.is_none() {
        all.push(class);
    }
    all.sort();
    all
}

/// The key at which the run of a step touched everything, as far as it is known.
fn key(component: &Component, run: &Candidate) -> Option<Value> {
    if !component.keyed {
        return None;
    }
    let key = run.process.touched().iter().find_map(|touched| touched.key.as_ref())?;
    let mut resolve = |term: &Term| Some(run.store.resolve(term));
    Some(Substitution::everywhere(&mut resolve).apply(key).unwrap_or_else(|| key.clone()))
}

/// Whether a step stored something else than was there.
fn changes(from: &Candidate, to: &Candidate) -> bool {
    to.process.stored().iter().any(|slot| from.process.memory[slot as usize] != to.process.memory[slot as usize])
}
