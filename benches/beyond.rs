//! Exchanges per second if the constraints are about products, weights and texts. The store's own tiers cannot decide all of
//! these, so some questions go to Z3.
//!
//! `cargo bench --bench beyond` prints a line for each server: exchanges per second, questions to Z3 per exchange, the slowest
//! exchange, and the number of undecided questions. `cargo bench --bench beyond -- SERVER N` judges one server once.

#[allow(dead_code)] // what only other benchmarks and the tests use
mod workload;

use std::time::{Duration, Instant};

use mayhap::Validator;
use workload::servers::BEYOND;
use workload::{Workload, simulate};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    for workload in BEYOND.iter().filter(|workload| args.first().is_none_or(|name| name == workload.name)) {
        measure(workload, args.get(1).and_then(|count| count.parse().ok()).unwrap_or(workload.exchanges));
    }
}

fn measure(workload: &Workload, count: u64) {
    let recording = simulate(workload, count, 1);
    let mut validator = Validator::new(&recording.spec);
    let (start, mut slowest) = (Instant::now(), (Duration::ZERO, 0));
    for exchange in &recording.exchanges {
        let before = Instant::now();
        validator.observe_exchange(exchange);
        slowest = slowest.max((before.elapsed(), exchange.line));
    }
    let (seconds, asked) = (start.elapsed().as_secs_f64(), validator.statistics());
    println!(
        "{:14} {:9.0} exchanges/s  z3 checks {:6} ({:6.1} ms)  slowest {:6.1} ms (exchange {})  undecided {}  candidates {}  {}",
        workload.name,
        count as f64 / seconds,
        asked.z3_checks,
        asked.z3_time.as_secs_f64() * 1e3,
        slowest.0.as_secs_f64() * 1e3,
        slowest.1,
        asked.unknown,
        validator.counts().candidates_max,
        if validator.verdict().is_accept() { "accept".to_owned() } else { format!("{:?}", validator.verdict()) },
    );
}
