//! Relations between requests that hold in every state: asked of the solver once for each two shapes, and only if a search takes long.
//!
//! ```text
//! m may be left out just before z           z overwrites what m writes, and answers the same                  Write(1), Write(2)
//! y makes an answer to m impossible         after y it never comes                                            n := 5, and n < 3
//! ```

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::every_state::{EveryState, GeneralPath, VariableNaming};
use super::recent::RecentPairs;
use super::shape::{self, RequestShape, ShapeKey, ShapeScalars};
use crate::limits;
use crate::search::history::Request;
use crate::solve::{Answer, Solver, Store};
use crate::spec::Spec;
use crate::term::Term;

/// The facts about two requests, the second of which must still be served, that hold in every state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct PairFacts {
    /// After the first request, the answer to the second never comes.
    pub(crate) kills: bool,
    /// If the answer to the second may come before the first request, it may come after it, too.
    pub(crate) keeps: bool,
    /// Serving the second request just before the first makes no difference.
    pub(crate) absorbs: bool,
}

/// A shape, with the facts that were found about it.
struct KnownShape {
    shape: RequestShape,
    stays_impossible: Option<bool>,
    always_changes: Option<bool>,
    is_always_possible: Option<bool>,
    stays_without_effect: Option<bool>,
}

/// Relations between the requests of a specification.
pub(crate) struct Relations {
    spec: Arc<Spec>,
    every: Option<EveryState>,
    numbers: FxHashMap<ShapeKey, Option<usize>>,
    shapes: Vec<KnownShape>,
    /// The shape and the scalars of each kind of request; `None` if it has no shape.
    kinds: FxHashMap<u32, Option<(usize, ShapeScalars)>>,
    pairs: FxHashMap<(usize, usize, u64), PairFacts>,
    recent: RecentPairs<PairFacts>,
    questions: usize,
    solver: Solver,
}

impl Relations {
    /// The relations of a specification, of which none is known yet.
    pub(crate) fn new(spec: Arc<Spec>) -> Relations {
        let every = EveryState::of(&spec);
        Relations {
            spec,
            every,
            numbers: FxHashMap::default(),
            shapes: Vec::new(),
            kinds: FxHashMap::default(),
            pairs: FxHashMap::default(),
            recent: RecentPairs::new(),
            questions: 0,
            solver: Solver::default(),
        }
    }

    /// Forgets the shapes of kinds: the numbers of kinds change.
    pub(crate) fn forget_kinds(&mut self) {
        self.kinds.clear();
        self.recent = RecentPairs::new();
    }

    /// Tests whether the answer of a request stays impossible once it is impossible.
    pub(crate) fn stays_impossible(&mut self, request: &Request, events: usize) -> bool {
        self.of(request, events).is_some_and(|shape| self.shape_stays_impossible(shape))
    }

    /// Tests whether a request changes every state in which it gets its answer.
    pub(crate) fn always_changes(&mut self, request: &Request, events: usize) -> bool {
        let Some(shape) = self.of(request, events) else { return false };
        if let Some(known) = self.shapes[shape].always_changes {
            return known;
        }
        let changes = self.asked(|every, asking, shapes| {
            let shape = &shapes[shape].shape;
            let stays = |(possible, path): &(Term, GeneralPath)| Some(Term::and(possible, &every.stays(path)?));
            let stays: Option<Vec<Term>> = shape.paths.iter().map(stays).collect();
            Some(asking.excludes(shape.facts.iter().cloned().chain([Term::or_all(stays?)])))
        });
        self.shapes[shape].always_changes = Some(changes);
        changes
    }

    /// The facts about a request and one that must still be served.
    pub(crate) fn pair(&mut self, first: &Request, second: &Request, events: usize) -> PairFacts {
        let kinds = (first.kind(events), second.kind(events));
        if let Some(facts) = self.recent.of(kinds) {
            return facts;
        }
        let facts = self.of_kinds(first, second, events);
        self.recent.add(kinds, facts);
        facts
    }

    fn of_kinds(&mut self, first: &Request, second: &Request, events: usize) -> PairFacts {
        let (Some(y), Some(m)) = (self.of(first, events), self.of(second, events)) else { return PairFacts::default() };
        let scalars =
            [first, second].map(|request| &self.kinds[&request.kind(events)].as_ref().expect("it has a shape").1);
        let cross = cross(scalars[0], scalars[1]);
        if let Some(known) = self.pairs.get(&(y, m, cross)) {
            return *known;
        }
        let facts = self.ask_pair(y, m, cross);
        self.pairs.insert((y, m, cross), facts);
        facts
    }

    fn ask_pair(&mut self, y: usize, m: usize, cross: u64) -> PairFacts {
        let is_always_possible = self.is_always_possible(m);
        let stays_impossible = self.shape_stays_impossible(m);
        let mut ask = |relation: PairRelation| {
            self.asked(|every, asking, shapes| {
                let [first, second] = [&shapes[y].shape, &shapes[m].shape];
                relation(&PairQuestion { every, first, second, cross }, asking)
            })
        };
        let kills = stays_impossible && ask(|pair, asking| pair.kills(asking));
        let keeps = stays_impossible && !kills && ask(|pair, asking| pair.keeps(asking));
        PairFacts { kills, keeps, absorbs: is_always_possible && ask(|pair, asking| pair.absorbs(asking)) }
    }

    /// Asks a question, if the steps are known and not too many were asked; an undecided one counts as `false`.
    fn asked(&mut self, ask: impl FnOnce(&EveryState, &mut RelationSolver<'_>, &[KnownShape]) -> Option<bool>) -> bool {
        let Some(every) = self.every.as_ref().filter(|_| self.questions < limits::DISTINCT) else { return false };
        let mut asking = RelationSolver { solver: &mut self.solver, questions: &mut self.questions };
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
                shapes.push(KnownShape {
                    shape: RequestShape::of(spec, every, key)?,
                    stays_impossible: None,
                    always_changes: None,
                    is_always_possible: None,
                    stays_without_effect: None,
                });
                Some(shapes.len() - 1)
            });
            number.map(|number| (number, scalars))
        });
        let number = found.as_ref().map(|(shape, _)| *shape);
        self.kinds.insert(kind, found);
        number
    }

    fn shape_stays_impossible(&mut self, shape: usize) -> bool {
        if let Some(known) = self.shapes[shape].stays_impossible {
            return known;
        }
        // Steps of the server's own may make the answer possible again.
        let may_ask = self.spec.program.steps.is_empty() && self.shapes[shape].shape.is_of_state;
        let stays = may_ask
            && self.asked(|every, asking, shapes| {
                let shape = &shapes[shape].shape;
                shape.is_kept(every, asking, &Term::not(&shape.possible))
            });
        self.shapes[shape].stays_impossible = Some(stays);
        stays
    }

    /// Tests whether a request without an answer changes no later state, once there is a state that it does not change.
    pub(crate) fn stays_without_effect(&mut self, request: &Request, events: usize) -> bool {
        let Some(shape) = self.of(request, events) else { return false };
        if let Some(known) = self.shapes[shape].stays_without_effect {
            return known;
        }
        let may_ask = self.spec.program.steps.is_empty();
        let stays =
            may_ask && self.asked(|every, asking, shapes| shapes[shape].shape.stays_without_effect(every, asking));
        self.shapes[shape].stays_without_effect = Some(stays);
        stays
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
struct RelationSolver<'r> {
    solver: &'r mut Solver,
    questions: &'r mut usize,
}

impl RelationSolver<'_> {
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

impl RequestShape {
    /// Tests whether the request changes no state after a state that it does not change. The change must depend on the state, not on a
    /// choice.
    fn stays_without_effect(&self, every: &EveryState, asking: &mut RelationSolver<'_>) -> Option<bool> {
        let changes =
            |(possible, path): &(Term, GeneralPath)| Some(Term::and(possible, &Term::not(&every.stays(path)?)));
        let changes: Option<Vec<Term>> = self.paths.iter().map(changes).collect();
        let changes = Term::or_all(changes?);
        if !self.depends_on_state_only(every, &changes) {
            return Some(false);
        }
        self.is_kept(every, asking, &Term::not(&changes))
    }

    /// Tests whether a condition on the state still holds after every other request.
    fn is_kept(&self, every: &EveryState, asking: &mut RelationSolver<'_>, condition: &Term) -> Option<bool> {
        let later = Term::not(&every.named(condition, VariableNaming::OtherState));
        for path in (0..every.steps()).flat_map(|step| every.paths(step)) {
            let between = every.named(&path.condition, VariableNaming::OtherRequest);
            let leads_on = every.leads_on(path, VariableNaming::OtherRequest)?;
            let facts = [between, condition.clone(), leads_on, later.clone()];
            if !asking.excludes(self.facts.iter().cloned().chain(facts)) {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// A relation between two shapes, as a question to the solver.
type PairRelation = fn(&PairQuestion<'_>, &mut RelationSolver<'_>) -> Option<bool>;

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
        facts.extend(self.second.facts.iter().map(|fact| self.every.named(fact, VariableNaming::OtherRequest)));
        let mut cross = self.cross;
        for a in &self.first.scalars {
            for b in &self.second.scalars {
                facts.extend(shape::fact(*a, EveryState::of_other(*b), compared(cross)));
                cross >>= 2;
            }
        }
        facts
    }

    fn excludes(&self, asking: &mut RelationSolver<'_>, facts: impl IntoIterator<Item = Term>) -> bool {
        asking.excludes(self.facts().into_iter().chain(facts))
    }

    /// Tests whether the second cannot get its answer just after the first.
    fn kills(&self, asking: &mut RelationSolver<'_>) -> Option<bool> {
        let later = self.every.named(&self.second.possible, VariableNaming::Other);
        self.each_of_first(asking, |possible, leads_on| vec![possible, leads_on, later.clone()])
    }

    /// Tests whether the second can get its answer just after the first, if it can before it.
    fn keeps(&self, asking: &mut RelationSolver<'_>) -> Option<bool> {
        let now = self.every.named(&self.second.possible, VariableNaming::OtherRequest);
        let later = Term::not(&self.every.named(&self.second.possible, VariableNaming::Other));
        self.each_of_first(asking, |possible, leads_on| vec![possible, now.clone(), leads_on, later.clone()])
    }

    fn each_of_first(&self, asking: &mut RelationSolver<'_>, facts: impl Fn(Term, Term) -> Vec<Term>) -> Option<bool> {
        for (possible, path) in &self.first.paths {
            let leads_on = self.every.leads_on(path, VariableNaming::Own)?;
            if !self.excludes(asking, facts(possible.clone(), leads_on)) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Tests whether the first leaves the same state, on the same conditions, after the second as without it. The second can get its
    /// answer in every state.
    fn absorbs(&self, asking: &mut RelationSolver<'_>) -> Option<bool> {
        let Self { every, first, second, .. } = *self;
        let now = &first.possible;
        let later = every.named(now, VariableNaming::OtherState);
        for (possible, path) in &second.paths {
            let possible = every.named(possible, VariableNaming::OtherRequest);
            let known = [possible, every.leads_on(path, VariableNaming::OtherRequest)?];
            let differ = [[now.clone(), Term::not(&later)], [Term::not(now), later.clone()]];
            if !differ.into_iter().all(|differs| self.excludes(asking, known.iter().cloned().chain(differs))) {
                return Some(false);
            }
            for (without, alone) in &first.paths {
                for (reached, after) in &first.paths {
                    let reached = every.named(reached, VariableNaming::OtherState);
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
