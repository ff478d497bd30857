//! Long recordings of servers that were not reset, and with gaps: a few candidates suffice, and no question goes to Z3.
//!
//! 600 exchanges with `specs/kv_etag.may`, simulated: from `FRESH` set to false, and every tenth answer a hole, they are
//! judged with as little as from the known start. How much longer it takes is printed, not asserted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::command::run;
use crate::shipped::{self, Shipped};
use mayhap::dualize::Observed;
use mayhap::validate::Exchanges;
use mayhap::{Exchange, Spec, Validator};

/// How many exchanges a trace has.
const LENGTH: &str = "600";
/// One answer in so many is replaced by a hole.
const GAP: usize = 10;
/// The most candidates of a trace.
const CANDIDATES: usize = 16;
/// What goes through a whole collection cannot start unknown; and where a missing answer is a new identifier, path, fence or token,
/// every later request might mean it, so that all the missing ones together are kept: these traces have no holes.
const LISTED: [&str; 1] = ["pages"];
const NEW_NAMES: [&str; 4] = ["documents", "idgen", "lease", "sessions"];

/// What judging a trace cost.
struct Cost {
    candidates: usize,
    z3_checks: u64,
    time: Duration,
}

/// Judges exchanges that must be accepted.
fn accepted(spec: &Arc<Spec>, exchanges: &[Exchange], what: &str) -> Cost {
    let mut validator = Validator::new(spec);
    let begun = Instant::now();
    let explained = exchanges.iter().all(|exchange| validator.observe_exchange(exchange));
    let time = begun.elapsed();
    assert!(explained && validator.verdict().is_accept(), "{what}: {:?}", validator.verdict());
    Cost { candidates: validator.counts().candidates_max, z3_checks: validator.statistics().z3_checks, time }
}

fn with_holes(mut exchanges: Vec<Exchange>) -> Vec<Exchange> {
    exchanges.iter_mut().step_by(GAP).for_each(|exchange| exchange.observed = Observed::Any);
    exchanges
}

/// What a long trace of a specification costs from its known start, and from an unknown one with holes.
fn compared(shipped: &Shipped, unknown: &Arc<Spec>) -> (Cost, Cost) {
    let known = shipped.compile().unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
    let output = run(&["simulate", &shipped.path.to_string_lossy(), "--steps", LENGTH, "--seed", "7"], "");
    let trace = String::from_utf8(output.stdout).expect("text");
    let exchanges = Exchanges::new(&known, trace.as_bytes());
    let whole: Vec<Exchange> = exchanges.map(|exchange| exchange.expect("an exchange")).collect();
    let before = accepted(&known, &whole, &shipped.name);
    let gaps = if NEW_NAMES.contains(&shipped.name.as_str()) { whole } else { with_holes(whole) };
    (before, accepted(unknown, &gaps, &format!("{}, unknown", shipped.name)))
}

#[test]
fn long_traces_need_few_candidates() {
    let mut judged = 0;
    for shipped in shipped::all().into_iter().filter(|shipped| !LISTED.contains(&shipped.name.as_str())) {
        let Some(unknown) = shipped.unknown() else { continue };
        let unknown = unknown.unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
        let (name, (before, after)) = (&shipped.name, compared(&shipped, &unknown));
        eprintln!("{name}: {:?} known, {:?} unknown, {} candidates", before.time, after.time, after.candidates);
        assert!(after.candidates <= CANDIDATES, "{name}: {} candidates", after.candidates);
        assert!(after.z3_checks <= before.z3_checks, "{name}: {} questions to Z3", after.z3_checks);
        judged += 1;
    }
    assert!(judged >= 12, "only {judged} specifications can start unknown");
}

/// The server's clock goes on before each request: what is not known of it is one bound after another, never a search, and
/// what is kept of its past does not grow.
#[test]
fn leases_are_judged_without_a_search() {
    let shipped = shipped::all().into_iter().find(|shipped| shipped.name == "lease").expect("specs/lease.may");
    let spec = shipped.compile().unwrap_or_else(|error| panic!("{error}"));
    let output = run(&["simulate", &shipped.path.to_string_lossy(), "--steps", "4000", "--seed", "3"], "");
    let trace = String::from_utf8(output.stdout).expect("text");
    let mut validator = Validator::new(&spec);
    for exchange in Exchanges::new(&spec, trace.as_bytes()) {
        let exchange = exchange.expect("an exchange");
        assert!(validator.observe_exchange(&exchange), "{:?}", validator.verdict());
        for candidate in validator.judge().candidates() {
            let (bindings, domains, constraints) = candidate.store.size();
            assert!(bindings + domains + constraints <= 100, "{:?} after {}", candidate.store.size(), exchange.line);
        }
    }
    let asked = validator.statistics();
    assert!(asked.by_search * 100 <= validator.counts().events, "{asked:?}");
    assert_eq!(asked.z3_checks, 0);
}
