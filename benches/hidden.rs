//! Exchanges per second if answers hide the branch that was taken, which must not make judging more expensive.
//!
//! `cargo bench --bench hidden` prints a line for each server: the rate for 100,000 exchanges, the ratio of the time of an
//! exchange to that for 10,000, the most candidates, and the questions to Z3. For servers as one writes them first, whose ids are shown
//! late, it is 16,000 exchanges and 1,000.
//! `cargo bench --bench hidden -- SERVER N` judges one once, for counting instructions.

#[allow(dead_code)] // what only other benchmarks and the tests use
mod workload;

use std::time::Instant;

use mayhap::{Exchange, Validator};
use workload::servers::{HIDDEN, NATURAL};
use workload::{Workload, simulate};

/// The number of exchanges of the long run and of the short run.
const EXCHANGES: (u64, u64) = (100_000, 10_000);
/// Those for servers that are judged more slowly.
const NATURAL_EXCHANGES: (u64, u64) = (16_000, 1_000);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let wanted = |workload: &&Workload| args.first().is_none_or(|name| name == workload.name);
    let count = args.get(1).and_then(|count| count.parse().ok());
    for (workloads, exchanges) in [(HIDDEN, EXCHANGES), (NATURAL, NATURAL_EXCHANGES)] {
        for workload in workloads.iter().filter(wanted) {
            match count {
                Some(count) => drop(judged(workload, count)),
                None => table_row(workload, exchanges),
            }
        }
    }
}

fn table_row(workload: &Workload, exchanges: (u64, u64)) {
    let (short, _) = judged(workload, exchanges.1);
    let (long, validator) = judged(workload, exchanges.0);
    println!(
        "{:14} {:6.3} M/s  cost growth {:4.2}  candidates {}  z3 checks {}  {}",
        workload.name,
        1.0 / long / 1e6,
        long / short,
        validator.counts().candidates_max,
        validator.statistics().z3_checks,
        if validator.verdict().is_accept() { "accept" } else { "NOT ACCEPTED" },
    );
}

/// The seconds that judging an exchange takes, and the validator after it.
fn judged(workload: &Workload, count: u64) -> (f64, Validator) {
    let recording = simulate(workload, count, 1);
    let mut validator = Validator::new(&recording.spec);
    let start = Instant::now();
    judge_all(&mut validator, &recording.exchanges);
    (start.elapsed().as_secs_f64() / count as f64, validator)
}

/// The work that is measured.
#[inline(never)]
fn judge_all(validator: &mut Validator, exchanges: &[Exchange]) {
    for exchange in exchanges {
        validator.observe_exchange(exchange);
    }
}
