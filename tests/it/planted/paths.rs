//! Paths that are drawn uniformly against random runs, on the planted bugs of one client.
//!
//! `MAYHAP_LONG=1 cargo test --test it planted::paths:: -- --nocapture` prints the table of `docs/PATHS.md`, after a line for each bug;
//! `MAYHAP_ONLY=kv` tests those whose names begin so.

use std::sync::Arc;

use mayhap::Spec;
use mayhap::generate::script_of;
use mayhap::harness::{CampaignSettings, starting_scripts};
use mayhap::limits::end;
use mayhap::paths::FeasiblePaths;
use mayhap::paths::handlers::{HandlerGraph, PathBounds};
use mayhap::script::Script;
use std::time::Duration;

use super::aims::found_by;
use super::each;
use super::manifest::{Planted, all};
use crate::judge::{compiled, text};

/// The number of paths or runs, and the requests of each.
const PATHS: usize = 200;
const REQUESTS: usize = 3;
/// The seeds that each bug is tested with.
const SEEDS: u64 = 3;
/// The time for drawing paths of one specification.
const DRAWING: Duration = Duration::from_secs(60);

/// Paths of a specification; fewer if there are no more.
fn paths(spec: &Arc<Spec>, seed: u64) -> Option<Vec<Script>> {
    let graph = HandlerGraph::new(spec, PathBounds { requests: REQUESTS, ..PathBounds::default() }).ok()?;
    let mut paths = FeasiblePaths::of(&graph, seed).ok()?;
    let (_end, mut scripts) = (end::within(DRAWING), Vec::new());
    while scripts.len() < PATHS
        && let Some(path) = paths.next_path()
    {
        scripts.extend(paths.oracle.exchanges(&path.state).map(|exchanges| script_of(spec, &exchanges)));
    }
    Some(scripts)
}

/// The campaigns that found a bug: with drawn paths, with random runs of as many requests, and with random runs that begin with the corpus.
#[derive(Default)]
struct Compared {
    campaigns: usize,
    found: [usize; 3],
}

fn compare(bug: &Planted) -> Compared {
    let spec = compiled(&text(&bug.spec));
    let mut compared = Compared::default();
    for seed in 1..=SEEDS {
        let Some(paths) = paths(&spec, seed).filter(|paths| !paths.is_empty()) else { return Compared::default() };
        let requests = (paths.len() * REQUESTS) as u64;
        let steps = REQUESTS as u64;
        let random = CampaignSettings { clients: 1, requests, steps, seed, ..CampaignSettings::default() };
        let drawn = CampaignSettings { paths, ..random.clone() };
        let corpus = starting_scripts(&spec, seed);
        let campaigns = [
            found_by(bug, &spec, &[], drawn),
            found_by(bug, &spec, &[], random.clone()),
            found_by(bug, &spec, &corpus, CampaignSettings { steps: CampaignSettings::default().steps, ..random }),
        ];
        compared.campaigns += 1;
        compared
            .found
            .iter_mut()
            .zip(campaigns)
            .for_each(|(found, campaign)| *found += usize::from(campaign.is_some()));
    }
    println!("{}: {:?} of {}", bug.name, compared.found, compared.campaigns);
    compared
}

#[test]
fn drawn_paths_against_random_runs() {
    if std::env::var_os("MAYHAP_LONG").is_none() {
        return;
    }
    let only = std::env::var("MAYHAP_ONLY").unwrap_or_default();
    let is_of_one = |bug: &Planted| bug.clients == 1 && bug.name.starts_with(&only);
    let bugs: Vec<Planted> = all().into_iter().filter(is_of_one).collect();
    let compared = each(&bugs, compare);
    let total = |of: &dyn Fn(&Compared) -> usize| compared.iter().map(of).sum::<usize>();
    let campaigns = total(&|compared| compared.campaigns);
    let found = [0, 1, 2].map(|at| total(&|compared: &Compared| compared.found[at]));
    println!(
        "| {PATHS} drawn paths of {REQUESTS} requests | random runs of {REQUESTS} requests | random runs as usual |"
    );
    println!("|---|---|---|");
    println!("| {} of {campaigns} | {} of {campaigns} | {} of {campaigns} |", found[0], found[1], found[2]);
    assert!(campaigns > 0 && found[0] > 0);
}
