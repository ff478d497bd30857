//! What `mayhap test` does with the planted bugs: found in how many requests, shrunk to how many, by how many runs.
//!
//! A few are tested in the suite. `MAYHAP_LONG=1 cargo test --test it planted::bars:: -- --nocapture` tests each with five seeds
//! and prints a table; `MAYHAP_ONLY=kv` those whose names begin so.

use std::time::Instant;

use serde_json::Value;

use super::manifest::{Failure, Part, Planted, all};
use super::{ABREAST, each, second};
use crate::command::{place, run};
use crate::sut::free_port;

/// The bugs that are tested in the suite: each found soon, by short runs, which a hang has not.
const SUITE: [&str; 6] = [
    "kv-stale",
    "kv_etag-missing-304",
    "jobs-reuses-ids",
    "limiter-shared-slot",
    "counter-lost-add",
    "register-prints-none",
];

/// The seeds that a bug is tested with.
const SEEDS: u64 = 5;
/// The requests in which a bug is to be found.
const REQUESTS: &str = "20000";
/// The seconds that an answer, and a start, may take on a busy machine.
const DEADLINE: &str = "3";
/// The seconds in which it is to be found and shrunk.
const SECONDS: &str = "30";

/// What a campaign came to.
#[derive(Clone, Debug)]
struct Campaign {
    /// The kind of what was found.
    kind: Option<String>,
    requests: u64,
    shrunk: u64,
    runs: u64,
    seconds: f64,
}

/// The shell command that starts the server at a port.
pub fn start(bug: &Planted, port: u16) -> String {
    match bug.part {
        Part::First => format!("exec {} --port {port}", bug.command.join(" ")),
        Part::Second => second::command(&bug.command, port),
    }
}

/// Tests the server with `mayhap test`.
fn campaign(bug: &Planted, seed: u64) -> Campaign {
    let port = free_port();
    let (report, regressions) = (place(&format!("{}-{seed}.json", bug.name)), place(&format!("{}-{seed}", bug.name)));
    _ = std::fs::remove_file(&report);
    _ = std::fs::remove_dir_all(&regressions);
    let (sut, start, seed) = (format!("127.0.0.1:{port}"), start(bug, port), seed.to_string());
    let (regressions, written) = (regressions.display().to_string(), format!("json:{}", report.display()));
    let arguments = [
        "test",
        &bug.spec,
        "--sut",
        &sut,
        "--start",
        &start,
        "--reset",
        "restart",
        "--deadline",
        DEADLINE,
        "--requests",
        REQUESTS,
        "--time",
        SECONDS,
        "--seed",
        &seed,
        "--regressions",
        &regressions,
        "--report",
        &written,
    ];
    let started = Instant::now();
    let output = run(&arguments, "");
    let seconds = started.elapsed().as_secs_f64();
    let text = std::fs::read_to_string(&report).unwrap_or_else(|error| panic!("{}: {error}: {output:?}", bug.name));
    let report: Value = serde_json::from_str(&text).unwrap();
    let failure = &report["failures"][0];
    let number = |name: &str| failure[name].as_u64().unwrap_or_default();
    Campaign {
        kind: failure["kind"].as_str().map(str::to_owned),
        requests: number("requests_to_find"),
        shrunk: number("shrunk_requests"),
        runs: number("runs_to_shrink"),
        seconds,
    }
}

pub fn kind(failure: Failure) -> &'static str {
    match failure {
        Failure::Violation => "violation",
        Failure::Crash => "crash",
        Failure::Hang => "hang",
        Failure::Garbage => "garbage",
    }
}

/// Whether it found that bug, and not something else.
fn is_found(bug: &Planted, campaign: &Campaign) -> bool {
    campaign.kind.as_deref() == Some(kind(bug.failure))
}

fn is_shrunk(bug: &Planted, campaign: &Campaign) -> bool {
    is_found(bug, campaign) && campaign.shrunk <= bug.requests as u64
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The campaigns against a server, one for each seed.
struct Row {
    bug: Planted,
    campaigns: Vec<Campaign>,
}

impl Row {
    fn found(&self) -> usize {
        self.campaigns.iter().filter(|campaign| is_found(&self.bug, campaign)).count()
    }

    fn shrunk(&self) -> usize {
        self.campaigns.iter().filter(|campaign| is_shrunk(&self.bug, campaign)).count()
    }

    /// The median over the campaigns that found the bug.
    fn median(&self, value: fn(&Campaign) -> f64) -> f64 {
        median(self.campaigns.iter().filter(|campaign| is_found(&self.bug, campaign)).map(value).collect())
    }

    fn requests(&self) -> f64 {
        self.median(|campaign| campaign.requests as f64)
    }

    fn runs(&self) -> f64 {
        self.median(|campaign| campaign.runs as f64)
    }

    fn seconds(&self) -> f64 {
        self.median(|campaign| campaign.seconds)
    }

    fn print(&self) {
        let (Planted { name, kind, requests, .. }, seeds) = (&self.bug, self.campaigns.len());
        let shrunk = self.median(|campaign| campaign.shrunk as f64);
        println!(
            "{name:40} {kind:24} found {}/{seeds} in {:>6} requests, {:>5.1} s; shrunk {}/{seeds} to {shrunk} (least {requests}) in {} runs",
            self.found(),
            self.requests(),
            self.seconds(),
            self.shrunk(),
            self.runs(),
        );
    }
}

#[test]
fn bugs_are_found_and_shrunk_to_their_shortest() {
    let bugs: Vec<Planted> = all().into_iter().filter(|bug| SUITE.contains(&bug.name.as_str())).collect();
    assert_eq!(bugs.len(), SUITE.len());
    let campaigns = each(&bugs, |bug| campaign(bug, 1));
    let wrong = bugs.iter().zip(campaigns).filter(|(bug, campaign)| !is_shrunk(bug, campaign));
    super::check("not found or not shrunk", wrong.map(|(bug, campaign)| format!("{}: {campaign:?}", bug.name)));
}

/// Those of a part of the manifest, with what is demanded of it.
fn demanded(rows: &[Row], part: Part) -> Vec<String> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.bug.part == part).collect();
    let most = |row: &Row| row.campaigns.len() / 2 + 1;
    let share = |count: usize| count as f64 / rows.len().max(1) as f64;
    let found = share(rows.iter().filter(|row| row.found() >= most(row)).count());
    let shrunk = share(rows.iter().filter(|row| row.shrunk() >= most(row)).count());
    let alone: Vec<&&Row> = rows.iter().filter(|row| row.bug.clients == 1).collect();
    let requests = median(alone.iter().map(|row| row.requests()).collect());
    let seconds = median(alone.iter().map(|row| row.seconds()).collect());
    let runs = median(rows.iter().map(|row| row.runs()).collect());
    println!(
        "{part:?}: {} bugs; found {found:.3}, shrunk {shrunk:.3}; medians: {requests} requests and {seconds:.2} s for those of one client, {runs} runs",
        rows.len()
    );
    let bars = [
        ("found", found >= 28.0 / 30.0),
        ("shrunk", shrunk >= 27.0 / 30.0),
        ("requests", requests <= 300.0),
        ("runs", runs <= 20.0),
    ];
    bars.into_iter().filter(|(_, met)| !met).map(|(name, _)| format!("{part:?}: {name}")).collect()
}

#[test]
fn nearly_all_bugs_are_found_and_shrunk() {
    if std::env::var_os("MAYHAP_LONG").is_none() {
        return;
    }
    let only = std::env::var("MAYHAP_ONLY").unwrap_or_default();
    let mut bugs: Vec<Planted> = all().into_iter().filter(|bug| bug.name.starts_with(&only)).collect();
    let mut rows = Vec::new();
    while !bugs.is_empty() {
        let part: Vec<Planted> = bugs.drain(..bugs.len().min(ABREAST)).collect();
        let campaigns = each(&part, |bug| (1..=SEEDS).map(|seed| campaign(bug, seed)).collect());
        let part: Vec<Row> = part.into_iter().zip(campaigns).map(|(bug, campaigns)| Row { bug, campaigns }).collect();
        part.iter().for_each(Row::print);
        rows.extend(part);
    }
    let missed: Vec<String> = [Part::First, Part::Second].iter().flat_map(|part| demanded(&rows, *part)).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
