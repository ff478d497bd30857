//! The paths of `mayhap test --sample K`: drawn uniformly, each with a script that takes it.

use super::super::arguments::testing_arguments::TestArguments;
use super::super::terminal::files;
use mayhap::Exchange;
use mayhap::generate::script_of;
use mayhap::limits::end;
use mayhap::paths::FeasiblePaths;
use mayhap::paths::handlers::{BranchNumbers, HandlerGraph, HandlerOracle, NotSampled, PathBounds};
use mayhap::report::campaign::{CoveredPaths, TestedPaths};
use mayhap::script::Script;
use mayhap::spec::Spec;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

/// The message if paths are asked for, and the system may be in any state.
const NOT_RESET: &str =
    "paths begin in the initial state: --sample needs a system that is reset, by --start or --reset";
/// The time for drawing paths, and for finding all others, so that their number is known.
const DRAWING: Duration = Duration::from_secs(30);
const COUNTING: Duration = Duration::from_secs(2);
/// The time after a test for counting the paths that it took.
const COVERING: Duration = Duration::from_secs(1);

/// The number of first requests of a run whose path is looked for in a test of random requests.
pub const FIRST_REQUESTS: usize = 2;
/// The most paths, feasible or not, of a specification whose feasible ones are counted after a test.
const FEW: u32 = 2_000;

/// The paths that a test runs, and the scripts that take them.
pub struct SampledPaths {
    graph: HandlerGraph,
    paths: BTreeSet<BranchNumbers>,
    /// The script of each path.
    pub scripts: Vec<Script>,
    /// The numbers of paths before the test.
    pub tested: TestedPaths,
}

impl SampledPaths {
    /// The paths that the options ask for, if they do.
    ///
    /// # Errors
    /// The system is not reset, the paths of the specification cannot be drawn, or none was found; a message says so.
    pub fn wanted(options: &TestArguments, spec: &Arc<Spec>, seed: u64) -> Result<Option<SampledPaths>, String> {
        let Some(count) = options.sample else { return Ok(None) };
        if !options.system.is_reset() {
            return Err(NOT_RESET.to_owned());
        }
        let said = |why: &dyn Display| format!("{}: {why}", files::shown(&options.file));
        let requests = options.sample_requests.get();
        let bounds = PathBounds { requests, ..PathBounds::default() };
        let graph = HandlerGraph::new(spec, bounds).map_err(|why| said(&why))?;
        let (scripts, paths, tested) = sampled(spec, &graph, count.get(), seed).map_err(|why| said(&why))?;
        if scripts.is_empty() {
            let all = tested.most == "0" || tested.feasible == Some(0);
            return Err(said(&if all { "it has no feasible path" } else { "no feasible path was found in time" }));
        }
        Ok(Some(SampledPaths { graph, paths, scripts, tested }))
    }

    /// The number of these paths that runs took for certain.
    pub fn taken(&self, beginnings: &[Vec<Exchange>]) -> u64 {
        let taken: BTreeSet<_> = beginnings.iter().filter_map(|exchanges| self.graph.taken_by(exchanges)).collect();
        self.paths.intersection(&taken).count() as u64
    }
}

/// Draws `count` paths, or fewer if there are no more.
fn sampled(
    spec: &Arc<Spec>,
    graph: &HandlerGraph,
    count: usize,
    seed: u64,
) -> Result<(Vec<Script>, BTreeSet<BranchNumbers>, TestedPaths), NotSampled> {
    let mut paths = FeasiblePaths::of(graph, seed)?;
    let (mut scripts, mut drawn) = (Vec::new(), BTreeSet::new());
    let drawing_ends = end::within(DRAWING);
    while scripts.len() < count
        && let Some(path) = paths.next_path()
    {
        if let Some(exchanges) = paths.oracle.exchanges(&path.state) {
            scripts.push(script_of(spec, &exchanges));
            drawn.insert(graph.numbers(&path.steps));
        }
    }
    drop(drawing_ends);
    let _end = end::within(COUNTING);
    while paths.next_path().is_some() {}
    let counts = paths.counts();
    let tested = TestedPaths {
        requests: graph.bounds.requests as u64,
        drawn: scripts.len() as u64,
        run: 0,
        taken: 0,
        feasible: are_all_drawn(graph, &paths).then_some(counts.feasible),
        most: (paths.drawing().total() - &counts.infeasible).to_string(),
    };
    Ok((scripts, drawn, tested))
}

/// The feasible paths of two requests that a test of random requests took, if there are few paths.
pub fn covered(options: &TestArguments, spec: &Arc<Spec>, beginnings: &[Vec<Exchange>]) -> Option<CoveredPaths> {
    if !options.system.is_reset() || options.sample.is_some() {
        return None;
    }
    let _end = end::within(COVERING);
    let requests = FIRST_REQUESTS;
    let graph = HandlerGraph::new(spec, PathBounds { requests, ..PathBounds::default() }).ok()?;
    let mut paths = FeasiblePaths::of(&graph, 0).ok().filter(|paths| paths.drawing().total() <= FEW.into())?;
    let taken: BTreeSet<_> = beginnings.iter().filter_map(|exchanges| graph.taken_by(exchanges)).collect();
    let runs = beginnings.len() as u64;
    let mut covered = CoveredPaths { runs, requests: requests as u64, taken: 0, feasible: 0 };
    while let Some(path) = paths.next_path() {
        covered.feasible += 1;
        covered.taken += u64::from(taken.contains(&graph.numbers(&path.steps)));
    }
    are_all_drawn(&graph, &paths).then_some(covered)
}

/// Tests whether all feasible paths were drawn, and none was left out.
fn are_all_drawn(graph: &HandlerGraph, paths: &FeasiblePaths<HandlerOracle<'_>>) -> bool {
    paths.are_all_drawn() && !graph.leaves_out_calls
}
