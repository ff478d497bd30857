//! Exchanges a second, by the library: a specification is simulated, and what it answered is judged.
//!
//! `cargo bench --bench throughput` prints a line a workload, with the ratio to the concrete run of the same exchanges.
//! `cargo bench --bench throughput -- WORKLOAD N` judges one workload once, for counting instructions.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use mayhap::choice::{Choices, Random};
use mayhap::server::{Ranges, Reply, Server, Stop};
use mayhap::value::Value;
use mayhap::{Exchange, Observed, Spec, Validator};

/// A specification and how it is exercised.
struct Workload {
    name: &'static str,
    file: &'static str,
    /// How many different keys requests name; 0 where they name none.
    keys: usize,
}

const WORKLOADS: &[Workload] = &[
    Workload { name: "cmp_rst", file: "specs/cmp_rst.may", keys: 0 },
    Workload { name: "cmp_rst_machine", file: "specs/cmp_rst_machine.may", keys: 0 },
    Workload { name: "kv_etag_100", file: "specs/kv_etag.may", keys: 100 },
    Workload { name: "kv_etag_1000", file: "specs/kv_etag.may", keys: 1000 },
    Workload { name: "kv_100", file: "specs/kv.may", keys: 100 },
    Workload { name: "counter", file: "specs/counter.may", keys: 0 },
    Workload { name: "register", file: "specs/register.may", keys: 0 },
    Workload { name: "idgen", file: "specs/idgen.may", keys: 0 },
];

/// Exchanges of each timed run.
const EXCHANGES: u64 = 200_000;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.as_slice() {
        [name, count] => one(name, count.parse().unwrap_or(EXCHANGES)),
        _ => WORKLOADS.iter().map(table_row).fold(ExitCode::SUCCESS, |_, ()| ExitCode::SUCCESS),
    }
}

fn one(name: &str, count: u64) -> ExitCode {
    let Some(workload) = WORKLOADS.iter().find(|workload| workload.name == name) else {
        eprintln!("there is no workload {name}");
        return ExitCode::from(2);
    };
    let (spec, exchanges, _) = simulate(workload, count);
    let mut validator = Validator::new(&spec);
    judge_all(&mut validator, &exchanges);
    println!("{name} {count} {:?}", validator.counts());
    ExitCode::SUCCESS
}

fn table_row(workload: &Workload) {
    let (spec, exchanges, simulated) = simulate(workload, EXCHANGES);
    let mut validator = Validator::new(&spec);
    let start = Instant::now();
    judge_all(&mut validator, &exchanges);
    let judged = start.elapsed().as_secs_f64();
    let rate = |seconds: f64| EXCHANGES as f64 / seconds / 1e6;
    println!(
        "{:16} judged {:6.3} M/s  simulated {:6.3} M/s  ratio {:4.2}  candidates {}  z3 checks {}  {}",
        workload.name,
        rate(judged),
        rate(simulated),
        judged / simulated,
        validator.counts().candidates_max,
        validator.statistics().z3_checks,
        if validator.verdict().is_accept() { "accept" } else { "NOT ACCEPTED" },
    );
}

/// What is measured.
#[inline(never)]
fn judge_all(validator: &mut Validator, exchanges: &[Exchange]) {
    for exchange in exchanges {
        validator.observe_exchange(exchange);
    }
}

/// Runs a specification as a server; the exchanges, and the seconds that they took.
fn simulate(workload: &Workload, count: u64) -> (Arc<Spec>, Vec<Exchange>, f64) {
    let path = format!("{}/{}", env!("CARGO_MANIFEST_DIR"), workload.file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut choices = Random::new(1);
    let ranges = Ranges { request: Some((0, 1000)), choose: Some((900, 965)) };
    let mut server = Server::new(spec.clone(), ranges, &mut choices).unwrap_or_else(|stop| panic!("{stop}"));
    let mut exchanges = Vec::with_capacity(count as usize);
    let mut seconds = 0.0;
    while (exchanges.len() as u64) < count {
        let request = request(workload, &spec, &mut server, &mut choices);
        let start = Instant::now();
        let reply = server.handle(&request, 1, &mut choices);
        seconds += start.elapsed().as_secs_f64();
        let observed = match reply {
            Ok(Reply::Answer(answer)) => Observed::Answer(answer),
            Ok(Reply::Nothing) => Observed::Nothing,
            Err(Stop::Outside(_)) => continue,
            Err(stop) => panic!("{stop}"),
        };
        exchanges.push(Exchange { line: exchanges.len() as u64 + 1, client: 1, request, observed });
    }
    (spec, exchanges, seconds)
}

fn request(workload: &Workload, spec: &Spec, server: &mut Server, choices: &mut Random) -> Value {
    let request = server.drawing().request(&spec.types, spec.program.request, choices);
    let request = request.unwrap_or_else(|error| panic!("{error}"));
    if workload.keys == 0 {
        return request;
    }
    let key = choices.choose("key", workload.keys).unwrap_or_default();
    request.with_fields(&[(0, Value::str(&format!("key{key}")))])
}
