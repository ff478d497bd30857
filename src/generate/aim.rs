//! Requests that are aimed at an outcome: a handler's branch, or its answer.
//!
//! ```text
//! on Release { id } from c { if !(jobs.get(id) is Some(job) && job.owner == c) { reply NotFound; } … reply Released; }
//! state    jobs = {3: owner 1, 7: owner 2}, drawn request Release { id: 1 } of client 1, run as Release { id: #1 }
//! paths    #1 = 3: Released      #1 = 7: NotFound      else: NotFound
//! ```
//!
//! Several requests are drawn as usual, and their handlers run in one of the states that explain the run. Each path to the end of a handler
//! is an outcome that is possible now; one whose branches were seldom taken is preferred. For some of the requests scalars become symbols,
//! so that all outcomes of the handler are found. The request keeps the values that were drawn wherever the outcome allows them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::draw::PlaceFacts;
use super::form::{FormKind, TypeForm};
use super::paths::{Duties, FIRST, RequestPath, RequestPathEnd, RequestPaths};
use super::sources::seen_values::parts;
use crate::choice::{ChoiceError, Choices};
use crate::coverage::{noted, noting};
use crate::process::Fresh;
use crate::scalar::Sort;
use crate::script::RequestTemplate;
use crate::solve::{Answer, Limits, Solver, Store, Tiers};
use crate::spec::Spec;
use crate::term::{Term, Var, made};
use crate::value::{Map, Value};

/// The number of requests that are drawn for one that is sent.
const DRAWN: usize = 6;
/// The number of these whose scalars become symbols.
const WITH_SYMBOLS: usize = 1;
/// The most paths through a handler that are followed.
const PATHS: usize = 16;
/// The most work on the paths of a request, in made terms.
const WORK: u64 = 1_500;
/// The weight of an outcome that never came. One that came n times has this weight divided by n + 1.
const NEVER: u64 = 1 << 32;
/// The weight of an outcome that changes nothing and has no data, a refusal, is divided by this if other outcomes of the handler have some.
const REFUSED: u64 = 8;
/// An answer is rare that came less often than one in this number of its even share.
const SHARE: u64 = 3;
/// All requests are aimed if more than one in this number of answers are rare, and at least [`FEW`].
const MANY: usize = 6;
const FEW: usize = 2;
/// The number of requests in a row that are not aimed, if few answers are rare.
const UNAIMED: u32 = 9;
/// The greatest factor by which variants are preferred that add elements to the state.
const MOST_PREFERRED: u64 = 8;

/// The aim at outcomes, with the number of times that each came.
pub(super) struct OutcomeAim {
    /// The specification that notes the branches that a request takes, in this variable.
    spec: Arc<Spec>,
    slot: usize,
    /// The computed constants, which come after the variables.
    computed: Vec<Value>,
    solver: Solver,
    branches: FxHashMap<usize, u64>,
    answers: FxHashMap<(u32, u32), u64>,
    /// The variants of requests that change something, or are told something.
    fruitful: BTreeSet<u32>,
    /// The number of requests of each variant.
    asked: BTreeMap<u32, u64>,
    /// The number of times that each variant of a request got each variant of an answer.
    answered: BTreeMap<(u32, u32), u64>,
    /// The variant of the last request.
    last: Option<u32>,
    /// The number of times that requests of a variant would have added elements to the state, and that they would have removed some.
    tendency: BTreeMap<u32, (u64, u64)>,
    /// The number of next requests that are not aimed.
    left: u32,
}

/// A place in a campaign at which a request is aimed.
pub(super) struct AimedFrom<'f> {
    pub form: &'f TypeForm,
    pub places: &'f [PlaceFacts],
    /// A state that the server may be in.
    pub state: &'f [Value],
    /// The number by which the specification knows the client.
    pub client: u64,
    /// The factor by which outcomes are preferred after which the state has more elements.
    pub growth: u64,
    /// True if values may be taken from the state.
    pub takes_state: bool,
}

/// An outcome that is possible.
struct PossibleOutcome {
    /// The number of the drawn request, with its symbols.
    of: usize,
    symbols: Rc<[RequestSymbol]>,
    branches: Vec<usize>,
    /// The variants of the request and of the answer.
    answer: Option<(u32, u32)>,
    /// The number of elements that the state has more than before.
    growth: i64,
    /// Set if the state is as before, and the answer has no data.
    is_bare: bool,
    /// The constraints on the symbols.
    store: Store,
}

/// A symbol in the place of a scalar of a request.
struct RequestSymbol {
    at: Vec<usize>,
    var: Var,
    drawn: Value,
}

impl OutcomeAim {
    /// The aim at outcomes of a specification with these computed constants; `None` if its branches cannot be noted.
    pub fn new(spec: &Arc<Spec>, computed: &[Value]) -> Option<OutcomeAim> {
        let (noting, slot) = noting(spec)?;
        // The new variable is the last one, so that a state of the specification is the beginning of a state with it.
        let is_last = slot == spec.program.state_slots() && noting.program.state_slots() == slot + 1;
        let limits = Limits { tiers: Tiers::WithoutZ3, ..Limits::default() };
        is_last.then(|| OutcomeAim {
            spec: noting,
            slot,
            computed: computed.to_vec(),
            solver: Solver::new(limits),
            branches: FxHashMap::default(),
            answers: FxHashMap::default(),
            fruitful: BTreeSet::new(),
            asked: BTreeMap::new(),
            answered: BTreeMap::new(),
            last: None,
            tendency: BTreeMap::new(),
            left: 0,
        })
    }

    /// Notes a request that was sent.
    pub fn sent(&mut self, request: &Value) {
        self.last = if let Value::Data { tag, .. } = request { Some(*tag) } else { None };
        self.last.into_iter().for_each(|of| *self.asked.entry(of).or_default() += 1);
    }

    /// Notes the answer to the last request.
    pub fn answered(&mut self, answer: &Value) {
        if let (Some(of), Value::Data { tag, .. }) = (self.last, answer) {
            *self.answered.entry((of, *tag)).or_default() += 1;
        }
    }

    /// Tests whether the next request is to be aimed.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = if is_due { self.pause() } else { self.left - 1 };
        is_due
    }

    /// The number of requests in a row that are not aimed: none as long as many answers came less often than their share of the requests of
    /// their variant.
    fn pause(&self) -> u32 {
        let is_rare = |((of, _), came): &(&(u32, u32), &u64)| {
            let kinds = self.answered.range((*of, 0)..=(*of, u32::MAX)).count() as u64;
            **came * kinds * SHARE < self.asked[of]
        };
        let rare = self.answered.iter().filter(is_rare).count();
        if rare >= FEW && rare * MANY > self.answered.len() { 0 } else { UNAIMED }
    }

    /// Changes the weights of variants for a run that prefers growth by a factor: those that mostly add elements to the state get more, and
    /// those that mostly remove some get less.
    pub fn prefer(&self, growth: u64, weights: &mut [u64]) {
        let growth = growth.min(MOST_PREFERRED);
        for (of, weight) in weights.iter_mut().enumerate() {
            let (grows, shrinks) = self.tendency.get(&(of as u32)).copied().unwrap_or_default();
            *weight *= match () {
                () if grows > 2 * shrinks => growth * growth,
                () if shrinks > 2 * grows => 1,
                () => growth,
            };
        }
    }

    /// Draws several requests, and returns one of them with a value that has other scalars, so that its handler comes to an outcome that
    /// seldom came.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn aimed(
        &mut self,
        from: &AimedFrom<'_>,
        draw: impl Fn(&mut dyn Choices) -> Result<RequestTemplate, ChoiceError>,
        choices: &mut dyn Choices,
    ) -> Result<(RequestTemplate, Value), ChoiceError> {
        let mut drawn: Vec<RequestTemplate> = Vec::with_capacity(DRAWN);
        let mut outcomes = Vec::new();
        for of in 0..DRAWN {
            drawn.push(draw(choices)?);
            let request = &drawn[of].value;
            let mut symbols = Symbols::of(from);
            let request =
                if of < WITH_SYMBOLS && from.takes_state { symbols.instead(0, request) } else { request.clone() };
            self.run(from, (of, &request, symbols), &mut outcomes, choices)?;
        }
        let taken = self.taken(from, outcomes, choices)?;
        let number = taken.as_ref().map_or(0, |outcome| outcome.of);
        let drawn = drawn.swap_remove(number);
        let aimed = taken.and_then(|outcome| self.with_symbols(&drawn.value, &outcome));
        let aimed = aimed.unwrap_or_else(|| drawn.value.clone());
        Ok((drawn, aimed))
    }

    /// Takes one of these outcomes, and notes it.
    fn taken(
        &mut self,
        from: &AimedFrom<'_>,
        mut outcomes: Vec<PossibleOutcome>,
        choices: &mut dyn Choices,
    ) -> Result<Option<PossibleOutcome>, ChoiceError> {
        if outcomes.is_empty() {
            return Ok(None);
        }
        let weights: Vec<u64> = outcomes.iter().map(|outcome| self.weight(outcome, from.growth)).collect();
        let number = choices.weighted("outcome", &weights)?;
        let outcome = outcomes.swap_remove(number);
        outcome.branches.iter().for_each(|branch| *self.branches.entry(*branch).or_default() += 1);
        if let Some(answer) = outcome.answer {
            *self.answers.entry(answer).or_default() += 1;
            self.fruitful.extend((!outcome.is_bare).then_some(answer.0));
        }
        Ok(Some(outcome))
    }

    /// The weight of an outcome: by its part that came least often, by what it tells, and by the growth that a run prefers.
    fn weight(&self, outcome: &PossibleOutcome, growth: u64) -> u64 {
        let branches = outcome.branches.iter().map(|branch| self.branches.get(branch));
        let answer = outcome.answer.iter().map(|answer| self.answers.get(answer));
        let least = branches.chain(answer).map(|count| count.copied().unwrap_or_default()).min();
        let is_refusal = outcome.is_bare && outcome.answer.is_some_and(|(of, _)| self.fruitful.contains(&of));
        let weight = NEVER / (least.unwrap_or_default() + 1) / if is_refusal { REFUSED } else { 1 };
        let weight = match outcome.growth {
            1.. => weight * growth,
            0 => weight,
            ..0 => weight / growth,
        };
        weight.max(1)
    }

    /// Follows the paths of a request in a state, and adds their outcomes.
    fn run(
        &mut self,
        from: &AimedFrom<'_>,
        (of, request, symbols): (usize, &Value, Symbols<'_>),
        outcomes: &mut Vec<PossibleOutcome>,
        choices: &mut dyn Choices,
    ) -> Result<(), ChoiceError> {
        let before = elements(from.state);
        let nothing_noted = Value::Map(Map::of([]));
        let memory = from.state.iter().cloned().chain([nothing_noted]).chain(self.computed.iter().cloned()).collect();
        let first = RequestPath::of(&self.spec, memory, Store::default(), request, from.client);
        let last = made().saturating_add(WORK);
        self.solver.last_made = Some(last);
        let Symbols { fresh, found, .. } = symbols;
        let (symbols, duties): (Rc<[RequestSymbol]>, Duties<'_>) = (found.into(), Duties::AreKept);
        let (types, solver) = (&self.spec.types, &mut self.solver);
        let mut paths = RequestPaths { types, fresh, solver, open: vec![first], duties };
        let tag = if let Value::Data { tag, .. } = request { *tag } else { 0 };
        for _ in 0..PATHS {
            if paths.open.is_empty() || made() > last {
                break;
            }
            let next = choices.choose("path", paths.open.len())?;
            let mut path = paths.open.swap_remove(next);
            let RequestPathEnd::Ended(answer) = paths.run(&self.spec, &mut path) else { continue };
            let has_data = match &answer {
                Some(answer @ Value::Data { .. }) => !answer.fields().is_empty(),
                Some(_) => true,
                None => false,
            };
            let answer = if let Some(Value::Data { tag: answer, .. }) = answer { Some((tag, answer)) } else { None };
            let (memory, store) = path.ended();
            let after = &memory[..self.slot];
            let (growth, is_bare) = (elements(after) - before, !has_data && after == from.state);
            let tendency = self.tendency.entry(tag).or_default();
            tendency.0 += u64::from(growth > 0);
            tendency.1 += u64::from(growth < 0);
            let (symbols, branches) = (symbols.clone(), noted(&memory, self.slot));
            outcomes.push(PossibleOutcome { of, symbols, branches, answer, growth, is_bare, store });
        }
        Ok(())
    }

    /// The drawn request with other values for the symbols that the outcome does not allow to be as drawn.
    fn with_symbols(&mut self, drawn: &Value, outcome: &PossibleOutcome) -> Option<Value> {
        let mut store = outcome.store.clone();
        for RequestSymbol { var, drawn, .. } in outcome.symbols.iter() {
            let Value::Scalar(scalar) = drawn else { continue };
            let mut as_drawn = store.clone();
            let is_drawn = Term::eq(&Term::var(*var), &Term::constant(scalar.clone()));
            if as_drawn.assume(&is_drawn, &mut self.solver) == Answer::Sat {
                store = as_drawn;
            }
        }
        let model = store.model(&[], &mut self.solver, &mut |_| 0).ok()?;
        let fixed = |value: Value, RequestSymbol { at, var, .. }: &RequestSymbol| match model.get(*var) {
            Some(fixed) => replaced(&value, at, &Value::Scalar(fixed.clone())),
            None => value,
        };
        Some(outcome.symbols.iter().fold(drawn.clone(), fixed))
    }
}

/// The number of elements of the collections in a state; those of elements are not counted.
fn elements(state: &[Value]) -> i64 {
    let of = |value: &Value| match value {
        Value::List(list) => list.len() as i64,
        Value::Map(map) => map.bound() as i64,
        Value::Data { tag, .. } => i64::from(*tag > 0) + elements(value.fields()),
        _ => 0,
    };
    state.iter().map(of).sum()
}

/// The value with another part at a place.
fn replaced(value: &Value, at: &[usize], part: &Value) -> Value {
    let Some((first, rest)) = at.split_first() else { return part.clone() };
    let within =
        |(number, own): (usize, &Value)| if number == *first { replaced(own, rest, part) } else { own.clone() };
    match value {
        Value::Data { tag, .. } => Value::data(*tag, value.fields().iter().enumerate().map(within).collect::<Vec<_>>()),
        Value::List(list) => Value::list(list.iter().enumerate().map(within).collect::<Vec<_>>()),
        _ => value.clone(),
    }
}

/// The symbols in the place of scalars of a request.
struct Symbols<'f> {
    form: &'f TypeForm,
    places: &'f [PlaceFacts],
    fresh: Fresh,
    at: Vec<usize>,
    found: Vec<RequestSymbol>,
}

impl<'f> Symbols<'f> {
    /// No symbols yet.
    fn of(from: &AimedFrom<'f>) -> Symbols<'f> {
        let fresh = Fresh { last: FIRST * 2 };
        Symbols { form: from.form, places: from.places, fresh, at: Vec::new(), found: Vec::new() }
    }

    /// The value at a place with symbols in the place of scalars.
    fn instead(&mut self, node: usize, value: &Value) -> Value {
        if let Value::Scalar(scalar) = value {
            let FormKind::Leaf(sort) = self.form.nodes[node].kind else { return value.clone() };
            if scalar.sort() != sort || !self.is_open(node, sort) {
                return value.clone();
            }
            let symbol = self.fresh.variable(sort);
            let var = Var { id: self.fresh.last, sort };
            self.found.push(RequestSymbol { at: self.at.clone(), var, drawn: value.clone() });
            return Value::Term(symbol);
        }
        let mut changed = value.clone();
        for (number, node, part) in parts(self.form, node, value) {
            self.at.push(number as usize);
            let part = self.instead(node, part);
            changed = replaced(&changed, &[number as usize], &part);
            self.at.pop();
        }
        changed
    }

    /// Tests whether another value at a place may lead to another outcome: it is a number, or is compared with the state.
    fn is_open(&self, node: usize, sort: Sort) -> bool {
        match sort {
            Sort::Int | Sort::Token(_) => true,
            Sort::Str | Sort::Bytes => !self.places[node].states.is_empty(),
            Sort::Bool | Sort::Client | Sort::Json => false,
        }
    }
}
