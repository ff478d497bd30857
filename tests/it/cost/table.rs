//! The rows: specifications with their exchanges, and what judging them may cost.

use std::sync::Arc;
use std::time::Duration;

use super::Limit::{self, *};
use crate::command::simulated;
use crate::judge::{compiled, exchanges, text, with_holes};
use crate::shipped::{self, Shipped};
use crate::workload::servers::{self, CLOCKED, STEPPING};
use crate::workload::{Start, Workload, simulate, workload};
use mayhap::details::Observed;
use mayhap::judge::Options;
use mayhap::server::Ranges;
use mayhap::{Exchange, Spec};

pub struct Row {
    pub of: Of,
    pub options: fn(Options) -> Options,
    pub limits: &'static [Limit],
}

const fn row(of: Of, limits: &'static [Limit]) -> Row {
    Row { of, options: |options| options, limits }
}

/// A specification and what was observed of it.
pub enum Of {
    /// So many exchanges of a workload, or as many as it has itself where that is 0, with each of so many seeds.
    Workload(&'static Workload, u64, u64),
    /// All of some workloads, so many exchanges of each.
    Workloads(&'static [Workload], u64),
    /// A specification of `tests/data/cost`, and lines that are written.
    Lines(&'static str, fn() -> String),
    /// The lines for a shipped specification.
    ShippedLines(&'static str, fn() -> String),
    /// A shipped specification with one of its accepted traces, from an unknown start, or with all answers missing.
    Kept(&'static str, &'static str, Known),
    /// What shipped specifications simulate with these options.
    Simulated(Which, &'static str, Known),
}

/// Names of shipped specifications.
pub enum Which {
    AllBut(&'static [&'static str]),
    Only(&'static [&'static str]),
}

/// What is known of a server and its answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// How it started, and all answers.
    All,
    /// How it started; one answer in ten is missing.
    Start,
    /// How it started; no answer is there.
    NoAnswer,
    /// All answers.
    Answers,
    /// Nine answers of ten.
    Some,
}

/// One answer in so many is missing.
const GAP: usize = 10;
/// Where a missing answer is a new identifier, path, fence or token every later request might mean it, so that all the missing
/// ones together are kept.
const NEW_NAMES: &[&str] = &["documents", "idgen", "lease", "sessions"];
/// The others beside them: `http`, of which a missing answer leaves open whether a file was changed, its tag and its date, is unknown.
const OTHERS: &[&str] = &["documents", "idgen", "lease", "sessions", "pages", "http"];
/// Goes through a whole collection, which cannot start unknown.
const LISTED: &[&str] = &["pages"];

type Trace = (String, Arc<Spec>, Vec<Exchange>);

impl Of {
    /// Its traces, each with a name.
    pub fn traces(&self) -> Box<dyn Iterator<Item = Trace> + '_> {
        match *self {
            Of::Workload(workload, count, seeds) => Box::new((1..=seeds).map(move |seed| run(workload, count, seed))),
            Of::Workloads(workloads, count) => Box::new(workloads.iter().map(move |workload| run(workload, count, 1))),
            Of::Lines(file, lines) => {
                Box::new([written(file, &text(format!("tests/data/cost/{file}.may")), lines)].into_iter())
            }
            Of::ShippedLines(name, lines) => Box::new([written(name, &shipped::named(name).text, lines)].into_iter()),
            Of::Kept(name, kept, known) => {
                let shipped = shipped::named(name);
                let (_, lines) = shipped.traces("accept").into_iter().find(|(trace, _)| trace.contains(kept)).unwrap();
                Box::new([of_shipped(&shipped, &lines, known)].into_iter().flatten())
            }
            Of::Simulated(ref which, options, known) => {
                let mut all = shipped::all();
                all.retain(|shipped| match which {
                    Which::AllBut(names) => !names.contains(&shipped.name.as_str()),
                    Which::Only(names) => names.contains(&shipped.name.as_str()),
                });
                let trace = move |shipped: Shipped| of_shipped(&shipped, &simulated(&shipped.path, options), known);
                Box::new(all.into_iter().filter_map(trace))
            }
        }
    }

    /// The trace of this name from its known start, with all answers.
    pub fn known(&self, name: &str) -> (Arc<Spec>, Vec<Exchange>) {
        let Of::Simulated(_, options, _) = *self else { panic!("{name} has no other start") };
        let shipped = shipped::named(name);
        let trace = of_shipped(&shipped, &simulated(&shipped.path, options), Known::All);
        trace.map(|(_, spec, exchanges)| (spec, exchanges)).expect("a known start")
    }

    /// As many exchanges for each of 200 keys.
    pub fn with_few_keys(&self) -> (Arc<Spec>, Vec<Exchange>) {
        let Of::Workload(workload, count, _) = *self else { panic!("there are no keys") };
        let few = Workload { keys: 200, ..*workload };
        let (_, spec, exchanges) = run(&few, count * 200 / workload.keys as u64, 1);
        (spec, exchanges)
    }
}

fn run(workload: &Workload, count: u64, seed: u64) -> Trace {
    let recording = simulate(workload, if count == 0 { workload.exchanges } else { count }, seed);
    (workload.name.to_owned(), recording.spec, recording.exchanges)
}

fn written(name: &str, text: &str, lines: fn() -> String) -> Trace {
    let spec = compiled(text);
    let exchanges = exchanges(&spec, &lines());
    (name.to_owned(), spec, exchanges)
}

/// A trace of a shipped specification; nothing where that cannot start unknown.
fn of_shipped(shipped: &Shipped, lines: &str, known: Known) -> Option<Trace> {
    let compile = || shipped.compile().unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
    let spec = match known {
        Known::All | Known::Start | Known::NoAnswer => compile(),
        Known::Answers | Known::Some => {
            shipped.unknown()?.unwrap_or_else(|error| panic!("{}, unknown: {error}", shipped.name))
        }
    };
    let mut exchanges = exchanges(&compile(), lines);
    match known {
        Known::All | Known::Answers => {}
        Known::Start | Known::Some => exchanges = with_holes(exchanges, 0, GAP),
        Known::NoAnswer => exchanges.iter_mut().for_each(|exchange| exchange.observed = Observed::Any),
    }
    Some((shipped.name.clone(), spec, exchanges))
}

/// `Go` so many times, then what is shown.
fn splits(steps: usize, shown: &str) -> String {
    "{\"q\":\"Go\",\"a\":\"Done\"}\n".repeat(steps) + &format!("{{\"q\":\"Show\",\"a\":{{\"Shown\":{shown}}}}}\n")
}

/// What is shown where the first way, (3a + 1, b + 1), was taken each time.
const FIRST: &str = "[29524,10]";
const NEVER: &str = "[-1,-1]";

fn little(options: Options) -> Options {
    Options { effort: 1_000, ..options }
}

fn some(options: Options) -> Options {
    Options { effort: 20_000, ..options }
}

const SHARDS: Workload = Workload {
    ranges: Ranges { request: Some((0, 6)), choose: Some((0, 6)) },
    ..workload("shards", "tests/data/cost/shards.may")
};
const LATE: Workload = Workload {
    ranges: Ranges { request: Some((0, 10)), choose: None },
    ..workload("late", "tests/data/cost/late.may")
};

/// Explanations that multiply with every exchange: the work on one exchange has an end, and a trace that it cuts off is never
/// rejected.
pub const EFFORT: &[Row] = &[
    Row { options: |all| all, ..row(Of::Lines("splits", || splits(10, NEVER)), &[Reject]) },
    Row { options: little, ..row(Of::Lines("splits", || splits(10, NEVER)), &[Unknown("exceeded the work limit")]) },
    // What one that is followed explains is accepted.
    Row { options: |all| all, ..row(Of::Lines("splits", || splits(10, FIRST)), &[Accept]) },
    Row { options: little, ..row(Of::Lines("splits", || splits(10, FIRST)), &[Accept]) },
    // Little is enough where explanations stay few.
    Row { options: little, ..row(Of::Lines("splits", || splits(3, NEVER)), &[Reject]) },
    // A single path ends, too: nothing else is proven.
    Row { options: some, ..row(Of::Lines("doubles", || "{\"q\":1,\"a\":1}\n".to_owned()), &[Unknown("")]) },
    // Few are followed to the end; going on with all that were kept would fork six times as often.
    Row {
        options: some,
        ..row(Of::Lines("splits", || "{\"q\":\"Go\",\"a\":\"Done\"}\n".repeat(3_000)), &[Forks(3_000, 200_000)])
    },
    Row { options: |all| Options { effort: 40_000, ..all }, ..row(Of::Workload(&LATE, 300, 1), &[Cut, Accept]) },
    // A question about large terms ends.
    Row { options: some, ..row(Of::Workload(&SHARDS, 150, 1), &[Made(79_999)]) },
];

pub const BEHIND_MUCH_WORK: Row = Row {
    options: |all| Options { effort: 10_000, ..all },
    ..row(Of::Lines("splits", || splits(3, NEVER)), &[Reject])
};

pub const LITTLE_MEMORY: Row = Row {
    options: |all| Options { memory: 1 << 20, effort: u64::MAX, ..all },
    ..row(Of::Lines("splits", || splits(16, NEVER)), &[Unknown("more than 1 MiB of memory")])
};

/// Few candidates explain hidden branches, one more while a request is looked at, and what is kept of what is not known does
/// not grow: so much besides what the state itself holds, each unknown value and what is known of it.
pub const HIDDEN: &[Row] = &[
    row(Of::Workload(&servers::ALIKE, 0, 3), &[Accept, Candidates(3), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::LAZY, 0, 3), &[Accept, Candidates(2), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::DELAYED, 0, 3), &[Accept, Candidates(2), Kept(2_140), Z3(0)]),
    row(Of::Workload(&servers::LATE, 0, 3), &[Accept, Candidates(3), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::SUM, 0, 3), &[Accept, Candidates(2), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::TWO_COUNTERS, 0, 3), &[Accept, Candidates(9), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::WALK_10, 0, 3), &[Accept, Candidates(2), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::WALK_100, 0, 3), &[Accept, Candidates(2), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::WALK_1000, 0, 3), &[Accept, Candidates(2), Kept(40), Z3(0)]),
];

/// The same of servers with hidden clocks, of copies and nodes, and of those that do something by themselves.
pub const RELATED: &[Row] = &[
    row(Of::Workload(&servers::SLIDING, 0, 3), &[Accept, Candidates(9), Kept(200), Z3(0)]),
    row(Of::Workload(&servers::SESSIONS, 0, 3), &[Accept, Candidates(2), Kept(200), Z3(0)]),
    row(Of::Workload(&servers::HEARTBEAT, 0, 3), &[Accept, Candidates(2), Kept(200), Z3(0)]),
    row(Of::Workload(&servers::PACE, 0, 3), &[Accept, Candidates(2), Kept(440), Z3(0)]),
    row(Of::Workload(&servers::COPIES, 0, 3), &[Accept, Candidates(2), Kept(2_040), Z3(0)]),
    row(Of::Workload(&servers::CACHE, 0, 3), &[Accept, Candidates(2), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::STOCK, 0, 3), &[Accept, Candidates(2), Kept(40), Z3(0)]),
    row(Of::Workload(&servers::JOBS, 0, 3), &[Accept, Candidates(21), Kept(40), Z3(0)]),
];

/// Recordings of servers that were not reset, and with gaps.
pub const UNKNOWN: &[Row] = &[
    row(Of::Simulated(Which::AllBut(&[]), "--steps 2000 --seed 1", Known::All), &[Accept, Candidates(16)]),
    row(
        Of::Simulated(Which::AllBut(OTHERS), "--steps 600 --seed 7", Known::Some),
        &[Accept, Candidates(16), Z3AsKnown],
    ),
    row(
        Of::Simulated(Which::Only(NEW_NAMES), "--steps 600 --seed 7", Known::Answers),
        &[Accept, Candidates(16), Z3AsKnown],
    ),
    // The server's clock goes on before each request: what is not known of it is one bound after another, never a search, and
    // what is kept of its past does not grow.
    row(
        Of::Simulated(Which::Only(&["lease"]), "--steps 4000 --seed 3", Known::All),
        &[Accept, Stored(100), SearchedPercent(1), Z3(0)],
    ),
    // What an answer showed is not asked again: memcached tells in five ways that there is no item "c".
    row(Of::Kept("memcached", "accept_items", Known::Answers), &[Accept, Terms(20)]),
    row(Of::Kept("limiter", "accept_told", Known::Answers), &[Accept, Terms(8)]),
    row(Of::Kept("lease", "accept_shorter", Known::Answers), &[Accept, Terms(20)]),
    // Comparing is not done every time.
    row(
        Of::Simulated(Which::Only(&["kv_etag"]), "--steps 400 --seed 7", Known::Some),
        &[Accept, Projections(600), Z3(0)],
    ),
    row(
        Of::Simulated(Which::Only(&["queue"]), "--steps 400 --seed 7", Known::Some),
        &[Accept, Projections(1_200), Z3(0)],
    ),
    // Missing names are one candidate, and so are missing reads.
    row(Of::Simulated(Which::Only(&["idgen"]), "--steps 200 --seed 7", Known::Start), &[Accept, Candidates(1), Z3(0)]),
    row(Of::Simulated(Which::Only(&["idgen"]), "--steps 200 --seed 7", Known::Some), &[Accept, Candidates(1), Z3(0)]),
    row(Of::Kept("static_etag", "nginx.ndjson", Known::NoAnswer), &[Accept, Candidates(1)]),
];

/// Twenty exchanges for each key.
const fn keys(name: &'static str, file: &'static str) -> Workload {
    Workload { keys: 2_000, start: Start::Unknown, ..workload(name, file) }
}

const KV: Workload = keys("kv", "specs/kv.may");
const KV_ETAG: Workload = keys("kv_etag", "specs/kv_etag.may");
const REDIS: Workload = keys("redis_strings", "specs/redis_strings.may");
const MEMCACHED: Workload = keys("memcached", "specs/memcached.may");

/// A server with many keys, judged from an unknown start: what an exchange costs does not depend on how many there are.
pub const KEYS: &[Row] = &[
    row(Of::Workload(&KV, 40_000, 1), &[Accept, Candidates(4), Z3(0), AsWithFewKeys]),
    row(Of::Workload(&KV_ETAG, 40_000, 1), &[Accept, Candidates(4), Z3(0), AsWithFewKeys]),
    row(Of::Workload(&REDIS, 40_000, 1), &[Accept, Candidates(4), Z3(0), AsWithFewKeys]),
    row(Of::Workload(&MEMCACHED, 40_000, 1), &[Accept, Candidates(4), Z3(0), AsWithFewKeys]),
];

/// Constraints beyond the store's own tiers: Z3 is asked at most once an exchange and candidate, and never again about what it
/// could not decide. Nobody decides here whether 33 is a sum of three cubes.
pub const BEYOND: &[Row] = &[
    row(Of::Workload(&servers::PRODUCT, 300, 1), &[Accept, Candidates(1), Z3Each(1)]),
    row(Of::Workload(&servers::PRODUCTS, 300, 1), &[Accept, Candidates(1), Z3Each(1)]),
    row(Of::Workload(&servers::WEIGHTS, 300, 1), &[Accept, Candidates(1), Z3Each(1)]),
    row(Of::Workload(&servers::NAMES, 300, 1), &[Accept, Candidates(1), Z3Each(1)]),
    row(Of::Workload(&servers::JOINED_NAMES, 300, 1), &[Accept, Candidates(1), Z3Each(1)]),
    row(Of::Workload(&servers::CUBES, 300, 1), &[Unknown(""), Candidates(1), Z3Each(1), Z3(1)]),
    // Questions that no tier decides: their two sides have another number of some letter.
    row(Of::Lines("hard_strings", || asked("xa", "ya")), &[Unknown("unknown strings|time limit"), Time(SOON)]),
    row(Of::Lines("hard_split", || asked("xa", "bb")), &[Unknown("unknown strings|time limit"), Time(SOON)]),
    row(Of::Lines("hard_bytes", || asked("xa", "ya")), &[Unknown("unknown strings|time limit"), Time(SOON)]),
];

const SOON: Duration = Duration::from_secs(10);

/// Two questions of a letter, each with its answer.
fn asked(first: &str, second: &str) -> String {
    let line = |pair: &str| format!("{{\"q\":\"{}\",\"a\":\"{}\"}}\n", &pair[..1], &pair[1..]);
    line(first) + &line(second)
}

/// Where each choice shows at once, no more exchanges than this are held.
pub const OPEN: usize = 256;
const ANY: usize = usize::MAX;

/// Each exchange is judged once for a witness, and read again where it was open for long.
pub const SHIPPED_WITNESSES: &[Row] = &[
    row(
        Of::Simulated(Which::AllBut(LISTED), "--steps 3000 --seed 1 --range request=0..100", Known::All),
        &[Witness(0.0, 2.0, ANY)],
    ),
    // Its traces are judged slowly.
    row(
        Of::Simulated(Which::Only(&["pages"]), "--steps 1000 --seed 1 --range request=0..100", Known::All),
        &[Witness(0.0, 2.0, ANY)],
    ),
    // What is written to a map of many keys is all that a part costs; it is never held whole.
    row(Of::ShippedLines("kv", puts), &[Witness(0.0, 1.0, OPEN)]),
];

fn puts() -> String {
    let put = |at| format!("{{\"q\":{{\"Put\":[\"key{at}\",\"v\"]}},\"a\":{{\"Put\":[\"key{at}\",\"v\"]}}}}\n");
    (0..20_000).map(put).collect()
}

pub const WITNESSES: &[Row] = &[
    row(
        Of::Lines("first", || (0..20_000).map(|at| format!("{{\"q\":{},\"a\":true}}\n", at % 7)).collect()),
        &[Witness(0.0, 2.0, 1_024)],
    ),
    // Paths that never meet again: what becomes too much is made backwards.
    row(Of::Workload(&servers::TWO_COUNTERS, 50_000, 1), &[Witness(2.0, 3.0, 2_048)]),
    // Those of which many explanations stay apart are divided again, and judged less often with all choices kept.
    row(Of::Workloads(servers::HIDDEN, 3_000), &[Witness(0.0, 5.0, ANY)]),
    // With their choices kept, what explains ten of these exchanges is hundreds of times more.
    row(Of::Workloads(CLOCKED, 200), &[Witness(0.0, 12.0, ANY)]),
    row(Of::Workloads(STEPPING, 200), &[Witness(0.0, 12.0, ANY)]),
];
