//! The paths of `mayhap test --sample K`: drawn uniformly, each with a script that takes it.

use mayhap::choice::paths::PathDrawing;
use mayhap::generate::script_of;
use mayhap::limits::end;
use mayhap::paths::FeasiblePaths;
use mayhap::paths::handlers::{HandlerGraph, HandlerOracle, PathBounds};
use mayhap::report::campaign::TestedPaths;
use mayhap::script::Script;
use mayhap::spec::Spec;
use std::sync::Arc;
use std::time::Duration;

/// The time for drawing paths, and for finding all others, so that their number is known.
const DRAWING: Duration = Duration::from_secs(30);
const COUNTING: Duration = Duration::from_secs(2);

/// Draws paths of this number of requests; fewer if there are no more.
///
/// # Errors
/// The paths of the specification cannot be drawn, or none was found.
pub fn sampled(
    spec: &Arc<Spec>,
    count: usize,
    requests: usize,
    seed: u64,
) -> Result<(Vec<Script>, TestedPaths), String> {
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
    let is_whole = paths.drawing().left() == 0_u8.into() && counts.cut == 0 && counts.undecided_beginnings == 0;
    let feasible = (is_whole && !graph.leaves_out_calls).then_some(counts.feasible);
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
