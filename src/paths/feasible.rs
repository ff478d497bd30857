//! The loop that draws paths and asks whether they are feasible.
//!
//! What was found feasible is kept: the states after the beginnings of drawn paths. A path that begins like one of them is followed from the
//! last state that they share.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::choice::Random;
use crate::choice::paths::{DrawnPath, PathDrawing};
use crate::limits::end;

/// The most states that are kept. A path whose beginning has none is followed from an earlier one.
const STATES: usize = 200_000;

/// A follower of paths, step by step, which says whether an input can take them.
pub trait PathOracle {
    /// The facts that are known after a beginning of paths.
    type State: Clone;

    /// The state before the first step.
    fn start(&mut self) -> Self::State;

    /// Takes a step; the steps are those of [`PathDrawing`].
    fn follow(&mut self, state: &mut Self::State, step: usize) -> FollowedStep;

    /// Tests whether another step may be feasible in this state. If there is none, the state need not be kept.
    fn forks(&self, state: &Self::State) -> bool;
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowedStep {
    /// An input takes it.
    Feasible,
    /// No input takes it.
    Infeasible,
    /// It was not decided whether an input takes it.
    Undecided,
    /// An input takes it, and the path goes on beyond a bound.
    Cut,
}

/// A feasible path.
#[derive(Clone, Debug)]
pub struct SampledPath<S> {
    /// Its steps.
    pub steps: Vec<usize>,
    /// The state at its end.
    pub state: S,
}

/// The numbers of paths.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PathCounts {
    /// The paths that were drawn, whatever came of them.
    pub draws: u64,
    /// The feasible paths among them.
    pub feasible: u64,
    /// The shortest infeasible beginnings that were found.
    pub infeasible_beginnings: u64,
    /// The paths that begin with one of them.
    pub infeasible: BigUint,
    /// The most paths that begin with one of them.
    pub largest: BigUint,
    /// The beginnings that go on beyond a bound.
    pub cut: u64,
    /// The beginnings whose feasibility was not decided.
    pub undecided_beginnings: u64,
    /// The paths that begin with one of them.
    pub undecided: BigUint,
}

/// The feasible paths of a graph that were not drawn yet.
pub struct FeasiblePaths<O: PathOracle> {
    drawing: PathDrawing,
    /// The follower of paths.
    pub oracle: O,
    random: Random,
    counts: PathCounts,
    kept: KeptStates<O::State>,
}

impl<O: PathOracle> FeasiblePaths<O> {
    /// All feasible paths among these.
    pub fn new(drawing: PathDrawing, mut oracle: O, seed: u64) -> FeasiblePaths<O> {
        let kept = KeptStates { longer: FxHashMap::default(), states: vec![Some(oracle.start())] };
        FeasiblePaths { drawing, oracle, random: Random::new(seed), counts: PathCounts::default(), kept }
    }

    /// The numbers of the paths so far.
    pub fn counts(&self) -> &PathCounts {
        &self.counts
    }

    /// The paths, with what is left of them.
    pub fn drawing(&self) -> &PathDrawing {
        &self.drawing
    }

    /// Tests whether all feasible paths were drawn: none is left, undecided or cut off.
    pub fn are_all_drawn(&self) -> bool {
        let PathCounts { cut, undecided_beginnings, .. } = self.counts;
        self.drawing.left() == BigUint::ZERO && cut == 0 && undecided_beginnings == 0
    }

    /// Draws the next feasible path; `None` if there is no other one, or if the time is over.
    pub fn next_path(&mut self) -> Option<SampledPath<O::State>> {
        while !end::is_over() {
            let path = self.drawing.draw(&mut self.random)?;
            self.counts.draws += 1;
            let (result, state, length) = self.followed(&path);
            let beginning = &path.steps[..length];
            if result == FollowedStep::Undecided && end::is_over() {
                return None;
            }
            let taken = self.drawing.forbid(beginning);
            match result {
                FollowedStep::Feasible => {
                    self.counts.feasible += 1;
                    return Some(SampledPath { steps: path.steps, state });
                }
                FollowedStep::Infeasible => {
                    self.counts.infeasible_beginnings += 1;
                    self.counts.infeasible += &taken;
                    self.counts.largest = taken.max(std::mem::take(&mut self.counts.largest));
                }
                FollowedStep::Cut => self.counts.cut += 1,
                FollowedStep::Undecided => {
                    self.counts.undecided_beginnings += 1;
                    self.counts.undecided += taken;
                }
            }
        }
        None
    }

    /// Follows a path as far as it is feasible. Returns the result of its last step, the state, and the number of steps.
    fn followed(&mut self, path: &DrawnPath) -> (FollowedStep, O::State, usize) {
        let (mut node, mut done, mut state) = self.kept.longest(&path.steps);
        for (at, &step) in path.steps.iter().enumerate().skip(done) {
            let result = self.oracle.follow(&mut state, step);
            done = at + 1;
            if result != FollowedStep::Feasible {
                return (result, state, done);
            }
            let is_kept = done < path.steps.len() && self.oracle.forks(&state);
            node = self.kept.longer(node, step, is_kept.then_some(&state));
        }
        (FollowedStep::Feasible, state, done)
    }
}

/// The states after feasible beginnings, as a trie. The beginning of number 0 has no steps.
struct KeptStates<S> {
    longer: FxHashMap<(usize, usize), usize>,
    states: Vec<Option<S>>,
}

impl<S: Clone> KeptStates<S> {
    /// The longest beginning of a path with a state: its number, its length and the state.
    fn longest(&self, steps: &[usize]) -> (usize, usize, S) {
        let (mut node, mut found) = (0, (0, 0));
        for (at, step) in steps.iter().enumerate() {
            let Some(next) = self.longer.get(&(node, *step)) else { break };
            node = *next;
            if self.states[node].is_some() {
                found = (node, at + 1);
            }
        }
        let state = self.states[found.0].clone().expect("the state before the first step is kept");
        (found.0, found.1, state)
    }

    /// The number of the beginning that is longer by a step, with its state if it is given.
    fn longer(&mut self, node: usize, step: usize, state: Option<&S>) -> usize {
        if let Some(next) = self.longer.get(&(node, step)) {
            return *next;
        }
        if self.states.len() >= STATES {
            return node;
        }
        self.states.push(state.cloned());
        self.longer.insert((node, step), self.states.len() - 1);
        self.states.len() - 1
    }
}
