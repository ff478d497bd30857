//! Absorption: one request absorbs another if, in every state, nothing changes if the other one is served just before it.
//!
//! ```text
//! Write(1) may be left out just before Write(2)     which overwrites it, and answers the same
//! ```
//!
//! The solver is asked once for each two shapes of requests, and only if a search takes long.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::every_state::{EveryState, Renamed};
use super::shape::{self, RequestShape, ShapeKey, ShapeScalars};
use crate::search::history::Request;
use crate::solve::{Answer, Solver, Store};
use crate::spec::Spec;
use crate::term::Term;

/// The questions to the solver about absorption.
const QUESTIONS: usize = 4_096;

/// A shape, with the facts that were found about it.
struct KnownShape {
    shape: RequestShape,
    is_always_possible: Option<bool>,
}

/// Absorption between the requests of a specification.
pub(crate) struct Absorption {
    spec: Arc<Spec>,
    every: Option<EveryState>,
    numbers: FxHashMap<ShapeKey, Option<usize>>,
    shapes: Vec<KnownShape>,
    /// The shape and the scalars of each kind of request; `None` if it has no shape.
    kinds: FxHashMap<u32, Option<(usize, ShapeScalars)>>,
    /// For each two shapes with the comparisons of their scalars, `true` if the first absorbs the second.
    absorbs: FxHashMap<(usize, usize, u64), bool>,
    questions: usize,
    solver: Solver,
}

impl Absorption {
    /// The absorption between the requests of a specification; no question was asked yet.
    pub(crate) fn new(spec: Arc<Spec>) -> Absorption {
        let every = EveryState::of(&spec);
        Absorption {
            spec,
            every,
            numbers: FxHashMap::default(),
            shapes: Vec::new(),
            kinds: FxHashMap::default(),
            absorbs: FxHashMap::default(),
            questions: 0,
            solver: Solver::default(),
        }
    }

    /// Forgets the shapes of kinds: the numbers of kinds change.
    pub(crate) fn forget_kinds(&mut self) {
        self.kinds.clear();
    }

    /// Tests whether serving the second request just before the first makes no difference, in every state.
    pub(crate) fn absorbs(&mut self, first: &Request, second: &Request, events: usize) -> bool {
        let (Some(z), Some(m)) = (self.of(first, events), self.of(second, events)) else { return false };
        let scalars =
            [first, second].map(|request| &self.kinds[&request.kind(events)].as_ref().expect("it has a shape").1);
        let cross = cross(scalars[0], scalars[1]);
        if let Some(known) = self.absorbs.get(&(z, m, cross)) {
            return *known;
        }
        let absorbs = self.is_always_possible(m)
            && self.asked(|every, asking, shapes| {
                let [first, second] = [&shapes[z].shape, &shapes[m].shape];
                PairQuestion { every, first, second, cross }.absorbs(asking)
            });
        self.absorbs.insert((z, m, cross), absorbs);
        absorbs
    }

    /// Asks a question, if the steps are known and not too many were asked; an undecided one counts as `false`.
    fn asked(
        &mut self,
        ask: impl FnOnce(&EveryState, &mut AbsorptionSolver<'_>, &[KnownShape]) -> Option<bool>,
    ) -> bool {
        let Some(every) = self.every.as_ref().filter(|_| self.questions < QUESTIONS) else { return false };
        let mut asking = AbsorptionSolver { solver: &mut self.solver, questions: &mut self.questions };
        ask(every, &mut asking, &self.shapes).unwrap_or(false)
    }

    /// The number of the shape of a request.
    fn of(&mut self, request: &Request, events: usize) -> Option<usize> {
        let every = self.every.as_ref()?;
        let kind = request.kind(events);
        if let Some(known) = self.kinds.get(&kind) {
            return known.as_ref().map(|(shape, _)| *shape);
        }
        let answer = request.exchange.observed.answer().filter(|_| request.is_owed(events));
        let found = shape::key(every, &request.exchange.request, answer).and_then(|(key, scalars)| {
            let (spec, shapes) = (&self.spec, &mut self.shapes);
            let number = self.numbers.entry(key).or_insert_with_key(|key| {
                shapes.push(KnownShape { shape: RequestShape::of(spec, every, key)?, is_always_possible: None });
                Some(shapes.len() - 1)
            });
            number.map(|number| (number, scalars))
        });
        let number = found.as_ref().map(|(shape, _)| *shape);
        self.kinds.insert(kind, found);
        number
    }

    /// Tests whether the answer of a shape may be given in every state.
    fn is_always_possible(&mut self, shape: usize) -> bool {
        if let Some(known) = self.shapes[shape].is_always_possible {
            return known;
        }
        let is_possible = self.shapes[shape].shape.is_of_state
            && self.asked(|_, asking, shapes| {
                let shape = &shapes[shape].shape;
                Some(asking.excludes(shape.facts.iter().cloned().chain([Term::not(&shape.possible)])))
            });
        self.shapes[shape].is_always_possible = Some(is_possible);
        is_possible
    }
}

/// The solver that is asked, and the number of questions so far.
struct AbsorptionSolver<'r> {
    solver: &'r mut Solver,
    questions: &'r mut usize,
}

impl AbsorptionSolver<'_> {
    /// Tests whether facts exclude each other.
    fn excludes(&mut self, facts: impl IntoIterator<Item = Term>) -> bool {
        *self.questions += 1;
        let mut store = Store::default();
        for fact in facts {
            match store.assume(&fact, self.solver) {
                Answer::Unsat => return true,
                Answer::Sat => {}
                Answer::Unknown(_) => return false,
            }
        }
        false
    }
}

/// Two shapes; `cross` has the comparisons of their scalars ([`cross`]).
struct PairQuestion<'r> {
    every: &'r EveryState,
    first: &'r RequestShape,
    second: &'r RequestShape,
    cross: u64,
}

impl PairQuestion<'_> {
    /// The facts about both shapes.
    fn facts(&self) -> Vec<Term> {
        let mut facts = self.first.facts.clone();
        facts.extend(self.second.facts.iter().map(|fact| self.every.renamed(fact, Renamed::Request)));
        let mut cross = self.cross;
        for a in &self.first.scalars {
            for b in &self.second.scalars {
                facts.extend(shape::fact(*a, EveryState::of_other(*b), compared(cross)));
                cross >>= 2;
            }
        }
        facts
    }

    fn excludes(&self, asking: &mut AbsorptionSolver<'_>, facts: impl IntoIterator<Item = Term>) -> bool {
        asking.excludes(self.facts().into_iter().chain(facts))
    }

    /// Tests whether the first leaves the same state, on the same conditions, after the second as without it. The second can get its
    /// answer in every state.
    fn absorbs(&self, asking: &mut AbsorptionSolver<'_>) -> Option<bool> {
        let Self { every, first, second, .. } = *self;
        let now = &first.possible;
        let later = every.renamed(now, Renamed::State);
        for (possible, path) in &second.paths {
            let possible = every.renamed(possible, Renamed::Request);
            let known = [possible, every.leads_on(path)?];
            let differ = [[now.clone(), Term::not(&later)], [Term::not(now), later.clone()]];
            if !differ.into_iter().all(|differs| self.excludes(asking, known.iter().cloned().chain(differs))) {
                return Some(false);
            }
            for (without, alone) in &first.paths {
                for (reached, after) in &first.paths {
                    let reached = every.renamed(reached, Renamed::State);
                    let differs = Term::not(&every.meet(alone, after)?);
                    let facts = known.iter().cloned().chain([without.clone(), reached, differs]);
                    if !self.excludes(asking, facts) {
                        return Some(false);
                    }
                }
            }
        }
        Some(true)
    }
}

/// The comparisons of the scalars of one request with those of another one, in two bits each ([`code`]).
fn cross(first: &ShapeScalars, second: &ShapeScalars) -> u64 {
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| shape::compare(a, b)));
    pairs.take(32).zip(0..).map(|(compared, at)| code(compared) << (2 * at)).sum()
}

fn code(compared: Option<Ordering>) -> u64 {
    match compared {
        None => 0,
        Some(Ordering::Less) => 1,
        Some(Ordering::Equal) => 2,
        Some(Ordering::Greater) => 3,
    }
}

/// The comparison in the lowest two bits.
fn compared(cross: u64) -> Option<Ordering> {
    match cross & 3 {
        1 => Some(Ordering::Less),
        2 => Some(Ordering::Equal),
        3 => Some(Ordering::Greater),
        _ => None,
    }
}
