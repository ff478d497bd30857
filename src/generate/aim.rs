//! Requests that are aimed at an outcome: a handler's branch, or its answer.
//!
//! ```text
//! on Release { id } from c { if !(jobs.get(id) is Some(job) && job.owner == c) { reply NotFound; } … reply Released; }
//! state    jobs = {3: owner 1, 7: owner 2}, requests of client 1
//! drawn    Release { id: 7 }: NotFound, as so often before      Peek { id: 3 }: Found, as so often before
//! symbol   Release { id: #1 }:  #1 = 3: Released, which is rare
//! ```
//!
//! A drawn request runs in one of the states that explain what was observed. It is sent if its outcome came less often than others. If it is
//! common, another request is drawn; if all of them are, one of them runs with symbols in the place of scalars now and then, so that all
//! outcomes of its handler are found. The request keeps the values that were drawn wherever the outcome allows them.

use std::collections::BTreeSet;
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

/// The most requests that are drawn for one that is sent.
const DRAWN: usize = 6;
/// The number of further requests that are drawn if all of these are refused.
const FURTHER: usize = 3;
/// If none of these has a rare outcome, one of them runs with symbols, once in this number of times.
const WITH_SYMBOLS: usize = 2;
/// The most paths through a handler that are followed.
const PATHS: usize = 16;
/// The most paths that are open at once.
const OPEN: usize = 64;
/// The most work on the paths of a request, in made terms.
const WORK: u64 = 1_500;
/// The weight of an outcome that is sent as soon as it is drawn. One that came n times as often as others on average has this weight divided
/// by the square of n.
const CERTAIN: u64 = 1 << 20;
/// The weight of a refusal is divided by this.
const REFUSED: u64 = 8;
/// An outcome is rare that came less often than one in this number of its even share.
const RARE: u64 = 4;
/// A refusal is rare that came less often than one in this number.
const RARE_REFUSAL: u64 = 8;
/// One draw in this number is of a variant with a rare answer, if there are any.
const OF_RARE: usize = 2;
/// Growth of a state with this number of elements is not preferred.
const GROWN: i64 = 32;

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
    refusals: Refusals,
    /// The number of requests whose outcome was noted.
    noted: u64,
    /// The state that is expected after the requests of this wave so far.
    ahead: Option<Vec<Value>>,
}

/// A place in a campaign at which a request is aimed.
#[derive(Clone, Copy)]
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
    /// True if the request may be the first one of its wave that is served.
    pub is_race: bool,
    /// The variants that are asked for. If there are none, any variant will do that the run uses.
    pub wanted: &'f [usize],
    /// The weights of all variants in the run; it does not use those of weight 0.
    pub weights: &'f [u64],
}

impl AimedFrom<'_> {
    /// The number of times that something came to requests of a variant, if the specification gave all variants one weight.
    fn relative(&self, variant: u32, count: u64) -> u64 {
        let weights = &self.form.nodes[0].weights;
        if weights.is_empty() {
            return count;
        }
        let own = weights.get(variant as usize).copied().unwrap_or(1).max(1);
        let mean = weights.iter().sum::<u64>() / weights.len() as u64;
        count * mean.max(1) / own
    }

    /// Tests whether a request of a variant may be drawn.
    fn may_be(&self, variant: usize) -> bool {
        match self.wanted {
            [] => self.weights.get(variant).is_some_and(|weight| *weight > 0),
            wanted => wanted.contains(&variant),
        }
    }
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
    /// The state after it.
    after: Vec<Value>,
    /// The constraints on the symbols.
    store: Store,
}

/// The answers that are refusals: they mostly come without data and without a change, also to requests that can do more.
#[derive(Default)]
struct Refusals {
    /// The variants of requests that changed something or got data, in order.
    fruitful: Vec<usize>,
    /// The number of times that each variant of answers came to these requests without data and without a change, and otherwise.
    answers: FxHashMap<u32, (u64, u64)>,
    /// The number of times that each variant of requests was refused, and that it was not.
    requests: FxHashMap<u32, (u64, u64)>,
}

impl Refusals {
    fn note(&mut self, (of, answer): (u32, u32), is_bare: bool) {
        let at = self.fruitful.binary_search(&(of as usize));
        if let (Err(at), false) = (at, is_bare) {
            self.fruitful.insert(at, of as usize);
        }
        if at.is_ok() || !is_bare {
            let (bare, others) = self.answers.entry(answer).or_default();
            *if is_bare { bare } else { others } += 1;
        }
        let is_refusal = self.has(answer);
        let (refused, granted) = self.requests.entry(of).or_default();
        *if is_refusal { refused } else { granted } += 1;
    }

    /// Tests whether an answer is a refusal.
    fn has(&self, answer: u32) -> bool {
        self.answers.get(&answer).is_some_and(|(bare, others)| bare > others)
    }

    /// The divisor of the weight of an answer. A refusal has a greater one the more often its request was refused for each time that it was not.
    fn divisor(&self, (of, answer): (u32, u32)) -> u64 {
        if !self.has(answer) {
            return 1;
        }
        let (refused, granted) = self.requests.get(&of).copied().unwrap_or_default();
        let too_many = 1 + refused / (granted + 1);
        REFUSED * too_many * too_many
    }
}

/// A symbol in the place of a scalar of a request.
pub(super) struct RequestSymbol {
    at: Vec<usize>,
    pub var: Var,
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
            refusals: Refusals::default(),
            noted: 0,
            ahead: None,
        })
    }

    /// Forgets the expected state, as a wave begins.
    pub fn begin_wave(&mut self) {
        self.ahead = None;
    }

    /// Draws requests until one has a rare outcome, and returns this one; if none has, it returns one of them. The value that comes with the
    /// request may have other scalars.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn aimed(
        &mut self,
        from: &AimedFrom<'_>,
        draw: impl Fn(&[Value], Option<usize>, &mut dyn Choices) -> Result<RequestTemplate, ChoiceError>,
        choices: &mut dyn Choices,
    ) -> Result<(RequestTemplate, Value), ChoiceError> {
        let ahead = self.ahead.take().filter(|_| !from.is_race);
        let from = &AimedFrom { state: ahead.as_deref().unwrap_or(from.state), ..*from };
        let growth = if elements(from.state) < GROWN { from.growth } else { 1 };
        let weight = |aim: &OutcomeAim, outcome: &PossibleOutcome| aim.weight(outcome, growth, from);
        let (mut drawn, mut outcomes) = (Vec::with_capacity(DRAWN), Vec::with_capacity(DRAWN));
        let rare = self.rare(from);
        let (mut taken, mut most) = (None, DRAWN);
        while taken.is_none() && drawn.len() < most {
            let others: &[usize] = if drawn.len() < DRAWN { &rare } else { &self.refusals.fruitful };
            let is_other = drawn.len() >= DRAWN || !others.is_empty() && choices.choose("rare answer", OF_RARE)? == 0;
            let variant = if is_other { Some(others[choices.choose("variant", others.len())?]) } else { None };
            let template = draw(from.state, variant, choices)?;
            let without = (drawn.len(), &template.value, Symbols::of(from));
            let Some(outcome) = self.run(from, without, 1, choices)?.pop() else {
                // Nothing is known of what follows: its handler waits for something, or is at fault.
                let value = template.value.clone();
                return Ok((template, value));
            };
            drawn.push(template);
            outcomes.push(outcome);
            let weight = weight(self, &outcomes[outcomes.len() - 1]);
            if weight >= CERTAIN || (choices.choose("common outcome", CERTAIN as usize)? as u64) < weight {
                taken = outcomes.pop();
            }
            // If all are refused, the run may leave out what would change this.
            let can_do_more = from.wanted.is_empty() && !self.refusals.fruitful.is_empty();
            if drawn.len() == DRAWN && can_do_more && outcomes.iter().all(|outcome| self.is_refusal(outcome)) {
                most = DRAWN + FURTHER;
            }
        }
        if taken.is_none() && from.takes_state && choices.choose("symbols", WITH_SYMBOLS)? == 0 {
            let may_be_rare = |of: &usize| outcomes[*of].answer.is_some_and(|(of, _)| rare.contains(&(of as usize)));
            let rare: Vec<usize> = (0..drawn.len()).filter(may_be_rare).collect();
            let of = match rare.len() {
                0 => choices.choose("with symbols", drawn.len())?,
                several => rare[choices.choose("with symbols", several)?],
            };
            let mut symbols = Symbols::of(from);
            let request = symbols.instead(0, &drawn[of].value);
            if !symbols.found.is_empty() {
                outcomes.extend(self.run(from, (of, &request, symbols), PATHS, choices)?);
            }
        }
        let outcome = if let Some(taken) = taken {
            taken
        } else {
            let weights: Vec<u64> = outcomes.iter().map(|outcome| weight(self, outcome)).collect();
            outcomes.swap_remove(choices.weighted("outcome", &weights)?)
        };
        let drawn = drawn.swap_remove(outcome.of);
        let is_as_drawn = outcome.symbols.is_empty();
        let aimed = match is_as_drawn {
            true => None,
            false => {
                let store = as_drawn(&outcome.symbols, outcome.store.clone(), &mut self.solver);
                assigned(&drawn.value, &outcome.symbols, &store, &mut self.solver)
            }
        };
        let aimed = aimed.unwrap_or_else(|| drawn.value.clone());
        self.note(outcome);
        Ok((drawn, aimed))
    }

    /// The number of times that an answer would have come by now if all came alike often.
    fn share(&self) -> u64 {
        self.noted / (self.answers.len() as u64).max(1)
    }

    /// The variants of requests that have rare answers, and may be drawn.
    fn rare(&self, from: &AimedFrom<'_>) -> Vec<usize> {
        let share = self.share();
        let rare = self.answers.iter().filter(|((of, _), came)| from.relative(*of, **came) * RARE <= share);
        let variants: BTreeSet<usize> =
            rare.map(|((of, _), _)| *of as usize).filter(|variant| from.may_be(*variant)).collect();
        variants.into_iter().collect()
    }

    fn is_refusal(&self, outcome: &PossibleOutcome) -> bool {
        outcome.answer.is_some_and(|(_, answer)| self.refusals.has(answer))
    }

    /// Notes an outcome that is expected.
    fn note(&mut self, outcome: PossibleOutcome) {
        self.noted += 1;
        outcome.branches.iter().for_each(|branch| *self.branches.entry(*branch).or_default() += 1);
        if let Some(answer) = outcome.answer {
            *self.answers.entry(answer).or_default() += 1;
            self.refusals.note(answer, outcome.is_bare);
        }
        self.ahead = Some(outcome.after);
    }

    /// The weight of an outcome: by its part that came least often, by what it tells, and by the growth that a run prefers.
    fn weight(&self, outcome: &PossibleOutcome, growth: u64, from: &AimedFrom<'_>) -> u64 {
        let branches = outcome.branches.iter().map(|branch| self.branches.get(branch));
        let answer = outcome.answer.iter().map(|answer| self.answers.get(answer));
        let least = branches.chain(answer).map(|count| count.copied().unwrap_or_default()).min().unwrap_or_default();
        let least = outcome.answer.map_or(least, |(of, _)| from.relative(of, least));
        let share = self.share();
        let divisor = outcome.answer.map_or(1, |answer| self.refusals.divisor(answer));
        let rare = if divisor > 1 { RARE_REFUSAL } else { RARE };
        if least * rare <= share {
            return CERTAIN;
        }
        let weight = if least <= share { CERTAIN } else { CERTAIN / least * share / least * share };
        let weight = weight / divisor;
        let weight = match outcome.growth {
            1.. => weight,
            0 => weight / growth,
            ..0 => weight / growth / growth,
        };
        weight.max(1)
    }

    /// Follows some of the paths of a request in a state, and returns their outcomes.
    fn run(
        &mut self,
        from: &AimedFrom<'_>,
        (of, request, symbols): (usize, &Value, Symbols<'_>),
        wanted: usize,
        choices: &mut dyn Choices,
    ) -> Result<Vec<PossibleOutcome>, ChoiceError> {
        let mut outcomes = Vec::new();
        let nothing_noted = Value::Map(Map::of([]));
        let memory = from.state.iter().cloned().chain([nothing_noted]).chain(self.computed.iter().cloned()).collect();
        let first = RequestPath::of(&self.spec, memory, Store::default(), request, from.client);
        let last_made = made().saturating_add(WORK);
        self.solver.last_made = Some(last_made);
        let Symbols { fresh, found, .. } = symbols;
        let (symbols, duties): (Rc<[RequestSymbol]>, Duties<'_>) = (found.into(), Duties::AreKept);
        let (types, solver) = (&self.spec.types, &mut self.solver);
        let (open, is_of_some_states) = (vec![first], false);
        let mut paths = RequestPaths { types, fresh, solver, open, room: OPEN, duties, last_made, is_of_some_states };
        let tag = request.variant();
        for _ in 0..PATHS {
            if paths.open.is_empty() || outcomes.len() >= wanted || paths.is_over() {
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
            let (mut after, store) = path.ended();
            let branches = noted(&after, self.slot);
            after.truncate(self.slot);
            let growth = elements(&after) - elements(from.state);
            let is_bare = !has_data && after == from.state;
            answer.into_iter().for_each(|answer| *self.answers.entry(answer).or_default() += 0);
            let symbols = symbols.clone();
            outcomes.push(PossibleOutcome { of, symbols, branches, answer, growth, is_bare, after, store });
        }
        Ok(outcomes)
    }
}

/// The constraints, with those that symbols are as drawn, for each that may be.
pub(super) fn as_drawn(symbols: &[RequestSymbol], mut store: Store, solver: &mut Solver) -> Store {
    for RequestSymbol { var, drawn, .. } in symbols {
        let Value::Scalar(scalar) = drawn else { continue };
        let mut as_drawn = store.clone();
        let is_drawn = Term::eq(&Term::var(*var), &Term::constant(scalar.clone()));
        if as_drawn.assume(&is_drawn, solver) == Answer::Sat {
            store = as_drawn;
        }
    }
    store
}

/// The drawn request with values for the symbols that these constraints allow.
pub(super) fn assigned(drawn: &Value, symbols: &[RequestSymbol], store: &Store, solver: &mut Solver) -> Option<Value> {
    let model = store.model(&[], solver, &mut |_| 0).ok()?;
    let fixed = |value: Value, RequestSymbol { at, var, .. }: &RequestSymbol| match model.get(*var) {
        Some(fixed) => replaced(&value, at, &Value::Scalar(fixed.clone())),
        None => value,
    };
    Some(symbols.iter().fold(drawn.clone(), fixed))
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
pub(super) struct Symbols<'f> {
    form: &'f TypeForm,
    /// The places, if texts that are not compared with the state stay as drawn.
    places: Option<&'f [PlaceFacts]>,
    pub fresh: Fresh,
    at: Vec<usize>,
    pub found: Vec<RequestSymbol>,
}

impl<'f> Symbols<'f> {
    /// No symbols yet.
    fn of(from: &AimedFrom<'f>) -> Symbols<'f> {
        Symbols { places: Some(from.places), ..Symbols::anywhere(from.form) }
    }

    /// No symbols yet, which may come for any number or text.
    pub fn anywhere(form: &'f TypeForm) -> Symbols<'f> {
        Symbols { form, places: None, fresh: Fresh { last: FIRST * 2 }, at: Vec::new(), found: Vec::new() }
    }

    /// The value at a place with symbols in the place of scalars.
    pub fn instead(&mut self, node: usize, value: &Value) -> Value {
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
            Sort::Str | Sort::Bytes => self.places.is_none_or(|places| !places[node].states.is_empty()),
            Sort::Bool | Sort::Client | Sort::Json => false,
        }
    }
}
