//! Following the paths of a specification symbolically, from the initial state and with unknown requests.
//!
//! A path of the graph may be several paths through the code: `if a || b` is one branch with two reasons. All of them are followed; a
//! branch is feasible if one of them is.

use crate::choice::paths::PathDrawing;
use crate::judge::Exchange;
use crate::paths::{FeasiblePaths, FollowedStep, PathOracle};
use crate::solve::Statistics;
use crate::value::Value;

use super::graph::{HandlerGraph, HandlerStep, NotSampled};
use super::requests;
use super::ways::{CLIENT, CodeWay, WayFollower};

/// The ways through the code that take a beginning of paths.
#[derive(Clone)]
pub struct HandlerState {
    vertex: usize,
    /// The number of branches that the last request has taken.
    taken: usize,
    ways: Vec<CodeWay>,
    /// True if there are further ways, which were given up.
    is_partial: bool,
}

/// A follower of the paths of a specification.
pub struct HandlerOracle<'g> {
    graph: &'g HandlerGraph,
    follower: WayFollower<'g>,
}

impl<'g> FeasiblePaths<HandlerOracle<'g>> {
    /// The feasible paths of a specification.
    ///
    /// # Errors
    /// The graph has no paths.
    pub fn of(graph: &'g HandlerGraph, seed: u64) -> Result<FeasiblePaths<HandlerOracle<'g>>, NotSampled> {
        let drawing = PathDrawing::new(graph.graph.clone(), None).map_err(NotSampled::NoPaths)?;
        Ok(FeasiblePaths::new(drawing, HandlerOracle::new(graph), seed))
    }
}

impl<'g> HandlerOracle<'g> {
    /// A follower of the paths of this graph.
    #[must_use]
    pub fn new(graph: &'g HandlerGraph) -> HandlerOracle<'g> {
        HandlerOracle { graph, follower: WayFollower::new(&graph.trail.spec, graph.trail.slot) }
    }

    /// The questions to the solver so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.follower.solver.statistics
    }

    /// Requests that take a path, with the answers that the specification then gives; none if no values were found.
    pub fn exchanges(&mut self, state: &HandlerState) -> Option<Vec<Exchange>> {
        let WayFollower { spec, solver, .. } = &mut self.follower;
        state.ways.iter().find_map(|way| requests::exchanges(spec, way, solver))
    }

    /// The ways with a new request of each kind.
    fn asked(&mut self, ways: Vec<CodeWay>) -> Vec<CodeWay> {
        let mut asked = Vec::new();
        for way in ways {
            for (request, facts) in self.follower.requests() {
                let mut way = way.clone();
                way.is_done = false;
                let memory = &mut way.path.process.memory;
                let slot = self.graph.trail.slot;
                if memory[slot].as_int().is_none() {
                    memory[slot] = Value::list([]);
                }
                way.path.process.receive(&self.follower.spec.program, &request, CLIENT);
                way.exchanges.push((request, None));
                if facts.iter().all(|fact| way.path.assume(fact, &mut self.follower.solver).is_ok()) {
                    asked.push(way);
                }
            }
        }
        asked
    }
}

impl PathOracle for HandlerOracle<'_> {
    type State = HandlerState;

    fn start(&mut self) -> HandlerState {
        let ways = self.follower.started();
        HandlerState { vertex: 0, taken: 0, ways, is_partial: self.follower.gave_up }
    }

    fn follow(&mut self, state: &mut HandlerState, step: usize) -> FollowedStep {
        self.follower.gave_up = false;
        let (step, next) = self.graph.steps[state.vertex][step];
        let mut ways = std::mem::take(&mut state.ways);
        if state.vertex == 0 && state.taken == 0 {
            ways = self.asked(ways);
        }
        let mut ways = self.follower.further(ways, state.taken);
        match step {
            HandlerStep::Branch(branch) | HandlerStep::Beyond(branch) => {
                ways.retain(|way| self.follower.trail(way).get(state.taken) == Some(&branch));
                state.taken += 1;
            }
            HandlerStep::End => {
                ways.retain(|way| way.is_done && self.follower.trail(way).len() == state.taken);
                state.taken = 0;
            }
        }
        state.vertex = next;
        state.is_partial |= self.follower.gave_up;
        let is_decided = ways.iter().any(|way| way.path.store.doubt().is_none());
        let result = match (ways.is_empty(), is_decided) {
            (true, _) if state.is_partial => FollowedStep::Undecided,
            (true, _) => FollowedStep::Infeasible,
            (false, false) => FollowedStep::Undecided,
            (false, true) if matches!(step, HandlerStep::Beyond(_)) => FollowedStep::Cut,
            (false, true) => FollowedStep::Feasible,
        };
        state.ways = ways;
        result
    }

    fn forks(&self, state: &HandlerState) -> bool {
        self.graph.steps[state.vertex].len() > 1
    }
}
