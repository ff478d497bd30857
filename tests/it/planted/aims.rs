//! What each aim of a campaign gains on the planted bugs: without it, how many are found, and in how many requests.
//!
//! `MAYHAP_LONG=1 cargo test --test it planted::aims:: -- --nocapture` prints the table of `docs/TESTING.md`, after a line for each
//! bug; `MAYHAP_ONLY=kv` measures those whose names begin so, and `MAYHAP_GAP=8` one in eight.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mayhap::Spec;
use mayhap::generate::CampaignAims;
use mayhap::harness::{Campaign, CampaignSettings, Follower, Judging, starting_scripts};
use mayhap::network::NetworkChoice;
use mayhap::report::campaign::{CampaignReport, FoundFailure};
use mayhap::script::Script;
use mayhap::sut::process::{ResetWay, StartOptions};
use mayhap::sut::{InProcess, Sut, SutAddress, SutAnswer, System, open};
use serde_json::{Value, json};

use super::bars::{kind, median, start};
use super::manifest::{Part, Planted, all};
use super::{each, second};
use crate::judge::{compiled, root, text};
use crate::sut::free_port;

/// The seeds that each bug is tested with.
const SEEDS: u64 = 3;
/// The requests in which a bug is to be found; one that is not counts as found by the last of them.
const REQUESTS: u64 = 3_000;
/// One of this number of bugs is measured, unless the environment names another number: a campaign against each takes too long.
const GAP: usize = 2;
/// The clients that a bug is tested with if it takes more than one.
const CLIENTS: u64 = 4;
/// The time that an answer may take on a busy machine.
const DEADLINE: Duration = Duration::from_secs(3);
/// The number that the versions of a cache begin with.
const VERSIONS: u64 = 271_828;

/// All aims, all but one, none, and one alone.
fn measured() -> [(&'static str, CampaignAims); 10] {
    let (all, none) = (CampaignAims::default(), CampaignAims::NONE);
    [
        ("all", all),
        ("all but the corpus", CampaignAims { corpus: false, ..all }),
        ("all but the bounds of each run", CampaignAims { swarm: false, ..all }),
        ("all but outcomes", CampaignAims { outcomes: false, ..all }),
        ("all but races", CampaignAims { races: false, ..all }),
        ("none", none),
        ("only the corpus", CampaignAims { corpus: true, ..none }),
        ("only the bounds of each run", CampaignAims { swarm: true, ..none }),
        ("only outcomes", CampaignAims { outcomes: true, ..none }),
        ("only races", CampaignAims { races: true, ..none }),
    ]
}

/// Nobody follows.
struct Unfollowed;

impl Follower for Unfollowed {
    fn proceed(&mut self, _: u64, _: u64) {}

    fn found(&mut self, _: &FoundFailure) -> Option<String> {
        None
    }

    fn shrunk(&mut self, _: &FoundFailure) {}

    fn dropped(&mut self, _: &FoundFailure) {}
}

/// A store of this process.
struct StoreHere(Arc<dyn second::Store>);

impl Sut for StoreHere {
    type Request = Value;
    type Response = Value;

    fn ask(&self, _: u64, request: Value) -> SutAnswer<Value> {
        SutAnswer::Is(second::ask(&*self.0, &request))
    }
}

/// The server with the bug: a store of this process, or a process that listens.
fn system(bug: &Planted, spec: &Arc<Spec>) -> Box<dyn System> {
    if bug.part == Part::Second {
        let [_, store, bug @ ..] = &bug.command[..] else { panic!("{}", bug.name) };
        let (store, bug) = (store.clone(), bug.get(1).cloned());
        let make = move || StoreHere(second::open(&store, bug.as_deref(), VERSIONS));
        return Box::new(InProcess::new(spec, make).unwrap());
    }
    let port = free_port();
    let command = format!("cd {} && {}", root().display(), start(bug, port));
    let options = StartOptions { command: Some(command), reset: Some(ResetWay::Restart), ..StartOptions::default() };
    open(spec, &SutAddress::Tcp(format!("127.0.0.1:{port}")), &options).unwrap()
}

/// The scripts that a campaign begins with.
type BegunScripts = Arc<Vec<Script>>;

/// The scripts of each specification and seed, made once.
#[derive(Default)]
struct Begun(Mutex<BTreeMap<(String, u64), BegunScripts>>);

impl Begun {
    fn scripts(&self, bug: &Planted, spec: &Arc<Spec>, seed: u64) -> BegunScripts {
        let mut begun = self.0.lock().unwrap();
        begun.entry((bug.spec.clone(), seed)).or_insert_with(|| Arc::new(starting_scripts(spec, seed))).clone()
    }
}

/// The number of requests in which a campaign found the bug.
fn found(bug: &Planted, spec: &Arc<Spec>, scripts: &[Script], (seed, aims): (u64, CampaignAims)) -> Option<u64> {
    let clients = if bug.clients == 1 { 1 } else { CLIENTS };
    let settings = CampaignSettings { clients, requests: REQUESTS, seed, aims, ..CampaignSettings::default() };
    found_by(bug, spec, scripts, settings)
}

/// The number of requests in which a campaign with these settings found the bug.
pub(super) fn found_by(bug: &Planted, spec: &Arc<Spec>, scripts: &[Script], settings: CampaignSettings) -> Option<u64> {
    let settings = CampaignSettings { deadline: DEADLINE, shrink_time: Duration::ZERO, ..settings };
    let judging = Judging::live(spec, NetworkChoice::TCP, settings.clients);
    let (mut system, mut follower) = (system(bug, spec), Unfollowed);
    let campaign = Campaign::new(&judging, &settings, &mut *system, &mut follower, CampaignReport::default());
    let report = campaign.run(scripts).unwrap_or_else(|failure| panic!("{}: {failure}", bug.name));
    let is_it = |failure: &&FoundFailure| json!(failure.kind) == kind(bug.failure);
    report.failures.first().filter(is_it).map(|failure| failure.requests_to_find)
}

/// What the campaigns against one server came to: by what was aimed at, by the seed.
struct MeasuredBug {
    clients: usize,
    found: Vec<Vec<Option<u64>>>,
}

impl MeasuredBug {
    fn of(bug: &Planted, begun: &Begun) -> MeasuredBug {
        let spec = compiled(&text(&bug.spec));
        let with = |aims| {
            let seeds = 1..=SEEDS;
            seeds.map(|seed| found(bug, &spec, &begun.scripts(bug, &spec, seed), (seed, aims))).collect()
        };
        let found: Vec<Vec<Option<u64>>> = measured().into_iter().map(|(_, aims)| with(aims)).collect();
        let requests = |requests: &Option<u64>| requests.map_or("–".to_owned(), |requests| requests.to_string());
        let shown: Vec<String> =
            found.iter().map(|seeds| seeds.iter().map(requests).collect::<Vec<_>>().join(" ")).collect();
        println!("{}: {}", bug.name, shown.join(" | "));
        MeasuredBug { clients: bug.clients, found }
    }
}

/// A row of the table: the bugs found, and the requests until then at the median and on average.
fn row(at: usize, bugs: &[&MeasuredBug]) -> String {
    let campaigns: Vec<Option<u64>> = bugs.iter().flat_map(|bug| &bug.found[at]).copied().collect();
    let requests: Vec<f64> = campaigns.iter().map(|found| found.unwrap_or(REQUESTS) as f64).collect();
    let mean = requests.iter().sum::<f64>() / requests.len() as f64;
    let found = campaigns.iter().flatten().count();
    format!("{found} of {} | {} | {mean:.0}", campaigns.len(), median(requests))
}

#[test]
fn each_aim_is_left_out() {
    if std::env::var_os("MAYHAP_LONG").is_none() {
        return;
    }
    let only = std::env::var("MAYHAP_ONLY").unwrap_or_default();
    let gap = std::env::var("MAYHAP_GAP").map_or(GAP, |gap| gap.parse().expect("a number"));
    let bugs: Vec<Planted> = all().into_iter().filter(|bug| bug.name.starts_with(&only)).step_by(gap).collect();
    let begun = Begun::default();
    let measured_bugs = each(&bugs, |bug| MeasuredBug::of(bug, &begun));
    let (alone, others): (Vec<&MeasuredBug>, Vec<&MeasuredBug>) =
        measured_bugs.iter().partition(|bug| bug.clients == 1);
    println!("| | one client: found | median | mean | several clients: found | median | mean |");
    println!("|---|---|---|---|---|---|---|");
    for (at, (name, _)) in measured().iter().enumerate() {
        println!("| {name} | {} | {} |", row(at, &alone), row(at, &others));
    }
}
