//! The paths of `mayhap test --sample K`: drawn uniformly, each with a script that takes it.

use super::super::arguments::testing_arguments::TestArguments;
use super::super::terminal::files;
use mayhap::choice::paths::PathDrawing;
use mayhap::coverage::BranchNumbers;
use mayhap::generate::script_of;
use mayhap::harness::FIRST_REQUESTS;
use mayhap::limits::end;
use mayhap::paths::FeasiblePaths;
use mayhap::paths::handlers::{HandlerGraph, HandlerOracle, PathBounds};
use mayhap::report::campaign::{CoveredPaths, TestedPaths};
use mayhap::script::Script;
use mayhap::spec::Spec;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The message if paths are asked for, and the system may be in any state.
const NOT_RESET: &str =
    "paths begin in the initial state: --sample needs a system that is reset, by --start or --reset";
/// The time for drawing paths, and for finding all others, so that their number is known.
const DRAWING: Duration = Duration::from_secs(30);
const COUNTING: Duration = Duration::from_secs(2);

/// The most paths, feasible or not, of a specification whose feasible ones are counted after a test.
const FEW: u32 = 2_000;

/// The paths that the options ask for, if they do.
///
/// # Errors
/// The system is not reset, the paths of the specification cannot be drawn, or none was found; a message says so.
pub fn wanted(
    options: &TestArguments,
    spec: &Arc<Spec>,
    seed: u64,
) -> Result<Option<(Vec<Script>, TestedPaths)>, String> {
    let Some(count) = options.sample else { return Ok(None) };
    if !options.system.is_reset() {
        return Err(NOT_RESET.to_owned());
    }
    let sampled = sampled(spec, count.get(), options.sample_requests.get(), seed);
    sampled.map(Some).map_err(|why| format!("{}: {why}", files::shown(&options.file)))
}

/// Draws paths of this number of requests; fewer if there are no more.
fn sampled(spec: &Arc<Spec>, count: usize, requests: usize, seed: u64) -> Result<(Vec<Script>, TestedPaths), String> {
    let graph =
        HandlerGraph::new(spec, PathBounds { requests, ..PathBounds::default() }).map_err(|why| why.to_string())?;
    let drawing = PathDrawing::new(graph.graph.clone(), None).map_err(|why| why.to_string())?;
    let mut paths = FeasiblePaths::new(drawing, HandlerOracle::new(&graph), seed);
    let mut scripts = Vec::new();
    let drawing_ends = end::within(DRAWING);
    while scripts.len() < count
        && let Some(path) = paths.next_path()
    {
        scripts.extend(paths.oracle.exchanges(&path.state).map(|exchanges| script_of(spec, &exchanges)));
    }
    drop(drawing_ends);
    if scripts.is_empty() {
        return Err("no feasible path was found".to_owned());
    }
    let _end = end::within(COUNTING);
    while paths.next_path().is_some() {}
    let counts = paths.counts();
    let feasible = (is_whole(&paths) && !graph.leaves_out_calls).then_some(counts.feasible);
    let most = paths.drawing().total() - &counts.infeasible;
    let tested = TestedPaths {
        requests: requests as u64,
        drawn: scripts.len() as u64,
        run: 0,
        feasible,
        most: most.to_string(),
    };
    Ok((scripts, tested))
}

/// The feasible paths of two requests that a test of random requests took, if there are few paths.
pub fn covered(options: &TestArguments, spec: &Arc<Spec>, taken: &BTreeSet<BranchNumbers>) -> Option<CoveredPaths> {
    if !options.system.is_reset() || options.sample.is_some() {
        return None;
    }
    let requests = FIRST_REQUESTS;
    let graph = HandlerGraph::new(spec, PathBounds { requests, ..PathBounds::default() }).ok()?;
    let drawing = PathDrawing::new(graph.graph.clone(), None).ok().filter(|drawing| drawing.total() <= FEW.into())?;
    let mut paths = FeasiblePaths::new(drawing, HandlerOracle::new(&graph), 0);
    let mut covered = CoveredPaths { requests: requests as u64, taken: 0, feasible: 0 };
    while let Some(path) = paths.next_path() {
        covered.feasible += 1;
        covered.taken += u64::from(taken.contains(&graph.numbers(&path.steps)));
    }
    (is_whole(&paths) && !graph.leaves_out_calls).then_some(covered)
}

/// Tests whether all feasible paths were found.
fn is_whole(paths: &FeasiblePaths<HandlerOracle<'_>>) -> bool {
    let counts = paths.counts();
    paths.drawing().left() == 0_u8.into() && counts.cut == 0 && counts.undecided_beginnings == 0
}
