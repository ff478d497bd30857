//! Exchanges per second of the library, which judges the answers of a simulated specification.
//!
//! `cargo bench --bench throughput` prints a line for each workload, with the ratio to the time of the concrete run of the same
//! exchanges. `cargo bench --bench throughput -- WORKLOAD N` judges one workload once, for counting instructions;
//! `… -- write WORKLOAD N` writes its trace.

#[allow(dead_code)] // what only other benchmarks and the tests use
mod workload;

use std::process::ExitCode;
use std::time::Instant;

use mayhap::details::Observed;
use mayhap::json::encode_into;
use mayhap::trace::{EventKind, Response, TraceEvent};
use mayhap::{Exchange, Validator};
use workload::{Recording, Start, Workload, simulate, workload};

const fn fresh(name: &'static str, file: &'static str, keys: usize) -> Workload {
    Workload { keys, ..workload(name, file) }
}

const fn unknown(name: &'static str, file: &'static str, keys: usize) -> Workload {
    Workload { keys, start: Start::Unknown, ..workload(name, file) }
}

const WORKLOADS: &[Workload] = &[
    fresh("cmp_rst", "specs/cmp_rst.may", 0),
    fresh("cmp_rst_machine", "specs/cmp_rst_machine.may", 0),
    fresh("kv_etag_100", "specs/kv_etag.may", 100),
    fresh("kv_etag_1000", "specs/kv_etag.may", 1000),
    fresh("kv_etag_10000", "specs/kv_etag.may", 10_000),
    fresh("kv_100", "specs/kv.may", 100),
    fresh("memcached_1000", "specs/memcached.may", 1_000),
    fresh("lease", "specs/lease.may", 0),
    fresh("counter", "specs/counter.may", 0),
    fresh("register", "specs/register.may", 0),
    fresh("idgen", "specs/idgen.may", 0),
    unknown("kv_1000_unknown", "specs/kv.may", 1_000),
    unknown("kv_10000_unknown", "specs/kv.may", 10_000),
    unknown("kv_etag_1000_unknown", "specs/kv_etag.may", 1_000),
    unknown("kv_etag_10000_unknown", "specs/kv_etag.may", 10_000),
    unknown("redis_1000_unknown", "specs/redis_strings.may", 1_000),
    unknown("memcached_1000_unknown", "specs/memcached.may", 1_000),
];

/// The number of exchanges in each timed run.
const EXCHANGES: u64 = 200_000;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.as_slice() {
        [name, count] => with(name, |workload| judge(workload, count.parse().unwrap_or(EXCHANGES))),
        [write, name, count] if write == "write" => {
            with(name, |workload| write_trace(workload, count.parse().unwrap_or(EXCHANGES)))
        }
        _ => WORKLOADS.iter().map(table_row).fold(ExitCode::SUCCESS, |_, ()| ExitCode::SUCCESS),
    }
}

fn with(name: &str, work: impl Fn(&Workload)) -> ExitCode {
    let Some(workload) = WORKLOADS.iter().find(|workload| workload.name == name) else {
        eprintln!("there is no workload {name}");
        return ExitCode::from(2);
    };
    work(workload);
    ExitCode::SUCCESS
}

fn judge(workload: &Workload, count: u64) {
    let Recording { spec, exchanges, .. } = simulate(workload, count, 1);
    let mut validator = Validator::new(&spec);
    let start = Instant::now();
    judge_all(&mut validator, &exchanges);
    let rate = count as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{} {count} {rate:.3} M/s {:?}", workload.name, validator.counts());
}

fn write_trace(workload: &Workload, count: u64) {
    let Recording { spec, exchanges, .. } = simulate(workload, count, 1);
    let mut lines = String::new();
    for exchange in &exchanges {
        let reply = match &exchange.observed {
            Observed::Answer(answer) => Response::Answer((spec.program.response, answer)),
            Observed::Nothing | Observed::Any | Observed::Lost | Observed::Restarted => Response::NotOwed,
        };
        let kind = EventKind::Exchange { query: (spec.program.request, &exchange.request), reply };
        let event = TraceEvent { line: exchange.line, client: None, kind };
        event.write(&mut lines, &mut |out, (ty, value)| encode_into(out, &spec.types, *ty, value));
        lines.push('\n');
    }
    print!("{lines}");
}

fn table_row(workload: &Workload) {
    let Recording { spec, exchanges, seconds: simulated } = simulate(workload, EXCHANGES, 1);
    let mut validator = Validator::new(&spec);
    let start = Instant::now();
    judge_all(&mut validator, &exchanges);
    let judged = start.elapsed().as_secs_f64();
    let rate = |seconds: f64| EXCHANGES as f64 / seconds / 1e6;
    println!(
        "{:22} judged {:6.3} M/s  simulated {:6.3} M/s  ratio {:4.2}  candidates {}  z3 checks {}  {}",
        workload.name,
        rate(judged),
        rate(simulated),
        judged / simulated,
        validator.counts().candidates_max,
        validator.statistics().z3_checks,
        if validator.verdict().is_accept() { "accept" } else { "NOT ACCEPTED" },
    );
}

/// The work that is measured.
#[inline(never)]
fn judge_all(validator: &mut Validator, exchanges: &[Exchange]) {
    for exchange in exchanges {
        validator.observe_exchange(exchange);
    }
}
