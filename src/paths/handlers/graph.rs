//! The graph of the branches that the code of handlers may take.
//!
//! The code is compiled without passes, and each statement that notes a branch is found in it. A vertex is the set of places at which the code
//! may be after a branch; so each sequence of branches is one path of the graph, even if the code comes to it in several ways (by `&&`, or by
//! a function). Loops are unrolled, which makes the graph finite.
//!
//! ```text
//! on q { if q > 3 { reply true; } reply false; }       start ─on q─▶ · ─if─▶ · ─end─▶
//!                                                                    · ─else─▶ · ─end─▶
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::choice::paths::{FlowGraph, NoPaths};
use crate::coverage::{BranchKind, TrailSpec};
use crate::limits::end;
use crate::spec::Spec;
use crate::spec::code::{Function, Op, Program};
use crate::syntax::ast::NodeId;

use super::ways::WayFollower;

/// The most vertices of a graph.
const VERTICES: usize = 200_000;

/// The numbers of the branches that each request of a path takes.
pub type BranchNumbers = Vec<Vec<usize>>;

/// The bounds on paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathBounds {
    /// The number of requests.
    pub requests: usize,
    /// The number of times that the body of a loop runs in a request, in all.
    pub loops: usize,
    /// The number of calls of a procedure that are under way at once.
    pub calls: usize,
}

impl Default for PathBounds {
    fn default() -> PathBounds {
        PathBounds { requests: 2, loops: 2, calls: 2 }
    }
}

/// The reason why the paths of a specification are not drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotSampled {
    /// Its branches cannot be noted.
    Unnoted,
    /// Its tasks wait for something beside their request.
    Asynchronous,
    /// Anything may be in its initial state.
    UnknownState,
    /// Its code has too many beginnings of paths.
    TooLarge,
    /// Its code has no path.
    NoPaths(NoPaths),
}

impl fmt::Display for NotSampled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotSampled::NoPaths(why) => return why.fmt(f),
            NotSampled::Unnoted => "its branches cannot be noted",
            NotSampled::Asynchronous => {
                "its handlers call peers, or send what nobody asked for; paths are those of one client alone"
            }
            NotSampled::UnknownState => "anything may be in its initial state, so no script leads a system down a path",
            NotSampled::TooLarge => "its code has too many beginnings of paths; fewer requests, loops or calls may do",
        })
    }
}

impl std::error::Error for NotSampled {}

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HandlerStep {
    /// A branch is taken.
    Branch(usize),
    /// A loop runs once more than the bound allows.
    Beyond(usize),
    /// The handler ends.
    End,
}

/// The graph of the branches that some requests may take.
pub struct HandlerGraph {
    pub(super) trail: TrailSpec,
    /// The edges of each vertex, for one request. Vertex 0 is the beginning of a request.
    pub(super) steps: Vec<Vec<(HandlerStep, usize)>>,
    /// The graph of all requests.
    pub(super) graph: FlowGraph,
    /// The bounds.
    pub bounds: PathBounds,
    /// True if a procedure may call itself more often than the bound allows: such paths are left out.
    pub leaves_out_calls: bool,
}

/// A place in the code: the functions that are under way with their positions, and the runs of loops so far.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct BranchPoint {
    frames: Vec<(u32, usize)>,
    loops: Vec<(usize, usize)>,
}

/// The steps that may follow a set of places.
#[derive(Default)]
struct Following {
    branches: BTreeMap<usize, BTreeSet<BranchPoint>>,
    beyond: BTreeSet<usize>,
    ends: bool,
}

/// A walk over the code.
struct CodeWalk<'c> {
    trail: &'c TrailSpec,
    program: &'c Program,
    bounds: PathBounds,
    /// For each function: true if a branch is noted in it, or in one that it calls.
    notes: Vec<bool>,
    leaves_out_calls: bool,
}

impl HandlerGraph {
    /// The graph of a specification.
    ///
    /// # Errors
    /// Its paths cannot be drawn.
    pub fn new(spec: &Arc<Spec>, bounds: PathBounds) -> Result<HandlerGraph, NotSampled> {
        let trail = TrailSpec::of(spec).ok_or(NotSampled::Unnoted)?;
        let program = &trail.spec.program;
        if program.is_asynchronous() || !program.peers.is_empty() {
            return Err(NotSampled::Asynchronous);
        }
        if WayFollower::new(&trail.spec, trail.slot).started().iter().any(|way| way.path.process.has_unknowns()) {
            return Err(NotSampled::UnknownState);
        }
        let notes = noting(&trail);
        let mut walk = CodeWalk { trail: &trail, program, bounds, notes, leaves_out_calls: false };
        let steps = walk.steps()?;
        let leaves_out_calls = walk.leaves_out_calls;
        let graph = repeated(&steps, bounds.requests).ok_or(NotSampled::TooLarge)?;
        Ok(HandlerGraph { trail, steps, graph, bounds, leaves_out_calls })
    }
}

/// The graph of several requests that each take these steps; none if it is too large.
fn repeated(steps: &[Vec<(HandlerStep, usize)>], requests: usize) -> Option<FlowGraph> {
    let end = steps.len().checked_mul(requests).filter(|size| *size < VERTICES)?;
    let mut graph = FlowGraph::new(end + 1, 0, end);
    for request in 0..requests {
        let first = request * steps.len();
        for (vertex, following) in steps.iter().enumerate() {
            for (step, to) in following {
                let to = match step {
                    HandlerStep::Branch(_) => first + to,
                    HandlerStep::Beyond(_) => end,
                    HandlerStep::End => first + steps.len(),
                };
                graph.edge(first + vertex, to);
            }
        }
    }
    Some(graph)
}

/// For each function: true if a branch is noted in it, or in one that it calls.
fn noting(trail: &TrailSpec) -> Vec<bool> {
    let functions = &trail.spec.program.functions;
    let notes = |function: &Function| function.origin.iter().any(|node| trail.branch(*node).is_some());
    let mut noting: Vec<bool> = functions.iter().map(notes).collect();
    loop {
        let calls = |op: &Op| matches!(op.plain(), Op::Call { function, .. } if noting[*function as usize]);
        let further = (0..functions.len()).find(|at| !noting[*at] && functions[*at].code.iter().any(calls));
        match further {
            Some(at) => noting[at] = true,
            None => return noting,
        }
    }
}

impl CodeWalk<'_> {
    /// The edges of each vertex. Vertex 0 is the beginning of a request.
    fn steps(&mut self) -> Result<Vec<Vec<(HandlerStep, usize)>>, NotSampled> {
        let start = BTreeSet::from([BranchPoint { frames: vec![(self.program.serve, 0)], loops: Vec::new() }]);
        let mut vertices = vec![start.clone()];
        let mut numbers = FxHashMap::from_iter([(start, 0)]);
        let mut steps = Vec::new();
        while let Some(places) = vertices.get(steps.len()) {
            let Following { branches, beyond, ends } = self.following(places.clone());
            let mut edges = Vec::new();
            for (branch, places) in branches {
                let next = vertices.len();
                let to = *numbers.entry(places).or_insert_with_key(|places| {
                    vertices.push(places.clone());
                    next
                });
                edges.push((HandlerStep::Branch(branch), to));
            }
            edges.extend(beyond.into_iter().map(|branch| (HandlerStep::Beyond(branch), 0)));
            edges.extend(ends.then_some((HandlerStep::End, 0)));
            steps.push(edges);
            if vertices.len() > VERTICES || end::is_over() {
                return Err(NotSampled::TooLarge);
            }
        }
        Ok(steps)
    }

    /// The steps that may follow some places without another branch.
    fn following(&mut self, places: BTreeSet<BranchPoint>) -> Following {
        let mut following = Following::default();
        let mut open: Vec<BranchPoint> = places.into_iter().collect();
        let mut seen: FxHashSet<BranchPoint> = FxHashSet::default();
        while let Some(mut place) = open.pop()
            && !end::is_over()
        {
            if !seen.insert(place.clone()) {
                continue;
            }
            let Some(&(number, pc)) = place.frames.last() else {
                following.ends = true;
                continue;
            };
            let function = &self.program.functions[number as usize];
            let Some(op) = function.code.get(pc) else { continue };
            if let Some(branch) = self.trail.branch(function.origin[pc]) {
                let same = |node: &NodeId| self.trail.branch(*node) == Some(branch);
                let length = function.origin[pc..].iter().take_while(|node| same(node)).count();
                place.go_to(pc + length);
                if self.is_within(branch, &mut place) {
                    following.branches.entry(branch).or_default().insert(place);
                } else {
                    following.beyond.insert(branch);
                }
                continue;
            }
            match op.plain() {
                Op::Reply { .. } | Op::End => following.ends = true,
                Op::Return { .. } => {
                    place.frames.pop();
                    open.push(place);
                }
                Op::Call { function: called, .. } if self.notes[*called as usize] => {
                    let under_way = place.frames.iter().filter(|(function, _)| function == called).count();
                    if under_way >= self.bounds.calls {
                        self.leaves_out_calls = true;
                        continue;
                    }
                    place.go_to(pc + 1);
                    place.frames.push((*called, 0));
                    open.push(place);
                }
                op => open.extend(op.successors(pc).map(|next| {
                    let mut place = place.clone();
                    place.go_to(next);
                    place
                })),
            }
        }
        following
    }

    /// Counts a run of a loop; returns false if it is one too many.
    fn is_within(&self, branch: usize, place: &mut BranchPoint) -> bool {
        if self.trail.branches[branch].kind != BranchKind::Loop {
            return true;
        }
        let at = place.loops.binary_search_by_key(&branch, |(branch, _)| *branch);
        let at = at.unwrap_or_else(|at| {
            place.loops.insert(at, (branch, 0));
            at
        });
        place.loops[at].1 += 1;
        place.loops[at].1 <= self.bounds.loops
    }
}

impl BranchPoint {
    fn go_to(&mut self, pc: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.1 = pc;
        }
    }
}
