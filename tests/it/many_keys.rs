//! A server with many keys, judged from an unknown start: what an exchange costs does not depend on how many there are.
//!
//! For example the same number of exchanges with 200 and with 2,000 keys of `specs/kv_etag.may`: one candidate, no question for
//! Z3, and no more values walked or questions asked for each exchange, whatever the machine does besides.

#[allow(dead_code)] // what only the figures need
#[path = "../../benches/workload/mod.rs"]
mod workload;

use mayhap::Validator;
use mayhap::details::Counts;
use workload::{Recording, Start, Workload, simulate};

/// The candidates of a trace, whatever its length, are no more than these.
const CANDIDATES: usize = 4;
/// Exchanges of each recording, for each key.
const LENGTH: u64 = 20;

/// What judging cost for each exchange.
#[derive(Debug)]
struct Cost {
    candidates: usize,
    walked: f64,
    questions: f64,
    z3: u64,
}

fn cost(file: &'static str, keys: usize) -> Cost {
    let length = keys as u64 * LENGTH;
    let Recording { spec, exchanges, .. } =
        simulate(&Workload { name: file, file, keys, start: Start::Unknown }, length);
    let mut validator = Validator::new(&spec);
    for exchange in &exchanges {
        validator.observe_exchange(exchange);
    }
    assert!(validator.verdict().is_accept(), "{file} with {keys} keys: {:?}", validator.verdict());
    let (Counts { candidates_max, walked, .. }, solver) = (validator.counts(), validator.statistics());
    let each = |count: u64| count as f64 / length as f64;
    Cost {
        candidates: candidates_max,
        walked: each(walked),
        questions: each(solver.by_domain + solver.by_model + solver.by_search + solver.by_memory),
        z3: solver.z3_checks,
    }
}

/// Ten times the keys: each exchange costs at most a fifth more, as the last pass over the memory may or may not be among them.
fn check(file: &'static str) {
    let (few, many) = (cost(file, 200), cost(file, 2_000));
    let what = format!("{file}: {few:?} with 200 keys, {many:?} with 2,000");
    eprintln!("{what}");
    assert!(few.candidates.max(many.candidates) <= CANDIDATES, "{what}");
    assert!(few.z3 + many.z3 == 0, "{what}");
    assert!(many.walked <= 1.2 * few.walked + 1.0, "{what}");
    assert!(many.questions <= 1.2 * few.questions + 0.1, "{what}");
}

#[test]
fn kv() {
    check("specs/kv.may");
}

#[test]
fn kv_etag() {
    check("specs/kv_etag.may");
}

#[test]
fn redis_strings() {
    check("specs/redis_strings.may");
}

#[test]
fn memcached() {
    check("specs/memcached.may");
}
