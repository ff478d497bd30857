//! Servers whose answers hide which branch was taken, and what they answer to a client: for a test and for a bench.
//!
//! `sum` adds hidden choices up and shows the sum now and then; `walk` wanders over hidden places, of which the half is seen.

use std::path::Path;
use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::details::Observed;
use mayhap::server::{Ranges, Reply, Server};
use mayhap::{Exchange, Spec};

/// A server and how many candidates explain it at most.
pub struct Workload {
    /// What it is called.
    pub name: &'static str,
    /// Its specification, in `tests/data/hidden`.
    file: &'static str,
    /// The size of its hidden state, where that can be set.
    size: Option<u32>,
    /// How many candidates are needed; while a request is looked at there may be one more.
    pub candidates: usize,
    /// How many unknown values the state itself holds at most, times two: the value and what is known of it.
    pub unknowns: usize,
    /// Exchanges of a trace that show whether what is kept grows.
    pub exchanges: u64,
}

const fn workload(name: &'static str, file: &'static str, candidates: usize) -> Workload {
    Workload { name, file, size: None, candidates, unknowns: 0, exchanges: 4_000 }
}

/// A server with a hidden clock.
const fn clocked(name: &'static str, file: &'static str, candidates: usize) -> Workload {
    Workload { exchanges: 400, unknowns: 160, ..workload(name, file, candidates) }
}

const fn walk(name: &'static str, size: u32) -> Workload {
    Workload { size: Some(size), ..workload(name, "walk.may", 1) }
}

/// All of them.
pub const WORKLOADS: &[Workload] = &[
    workload("alike", "alike.may", 2),
    workload("lazy", "lazy.may", 1),
    Workload { unknowns: 2_100, ..workload("delayed", "delayed.may", 1) },
    workload("late", "late.may", 2),
    workload("sum", "sum.may", 1),
    Workload { exchanges: 1_000, unknowns: 2_000, ..workload("gauge", "gauge.may", 1) },
    workload("two_counters", "two_counters.may", 8),
    walk("walk_10", 10),
    walk("walk_100", 100),
    walk("walk_1000", 1000),
];

/// Servers with hidden clocks, of which the plain algorithm follows short traces only.
pub const CLOCKED: &[Workload] = &[
    clocked("sliding", "sliding.may", 8),
    clocked("sessions", "sessions.may", 1),
    clocked("heartbeat", "heartbeat.may", 1),
    Workload { unknowns: 400, ..clocked("pace", "pace.may", 1) },
];

/// A server of copies that learn of writes late: what each of them knows is unknown, and what they know together is not.
pub const COPIES: Workload = Workload { exchanges: 100, unknowns: 2_000, ..workload("copies", "copies.may", 1) };

/// A server of nodes that hand on what they know: a relation between bits, of which the plain algorithm follows a few exchanges.
pub const RUMOURS: Workload = Workload { exchanges: 300, unknowns: 4_000, ..workload("rumours", "rumours.may", 1) };

/// Servers that do something by themselves at any time.
pub const STEPPING: &[Workload] = &[
    workload("cache", "cache.may", 1),
    workload("stock", "stock.may", 1),
    Workload { exchanges: 200, ..workload("jobs", "jobs.may", 20) },
];

impl Workload {
    /// Its specification.
    pub fn spec(&self) -> Arc<Spec> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hidden").join(self.file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let sized = self.size.map_or(text.clone(), |n| text.replace("SIZE: int = 10;", &format!("SIZE: int = {n};")));
        Spec::from_text(&sized).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The exchanges of a server that follows it with random requests.
    pub fn exchanges(&self, spec: &Arc<Spec>, count: u64, seed: u64) -> Vec<Exchange> {
        simulated(spec, Ranges { request: Some((0, 1000)), choose: Some((900, 965)) }, count, seed)
    }
}

/// The exchanges of a server that follows a specification, with random requests.
pub fn simulated(spec: &Arc<Spec>, ranges: Ranges, count: u64, seed: u64) -> Vec<Exchange> {
    let mut choices = Random::new(seed);
    let mut server = Server::new(spec.clone(), ranges, &mut choices).unwrap_or_else(|stop| panic!("{stop}"));
    let exchange = |line| {
        let request = server.draw_request(&mut choices);
        let request = request.unwrap_or_else(|error| panic!("{error}"));
        let observed = match server.handle(&request, 1, &mut choices) {
            Ok(Reply::Answer(answer)) => Observed::Answer(answer),
            Ok(Reply::Nothing) => Observed::Nothing,
            Err(stop) => panic!("{}: {stop}", spec.program.name),
        };
        Exchange { line, client: 1, request, observed }
    };
    (1..=count).map(exchange).collect()
}
