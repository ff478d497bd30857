//! What a specification does as a server, it accepts as a judge: every shipped one, simulated with several seeds.
//!
//! `mayhap simulate specs/lease.may --seed 3` prints what one lock server might have answered; some choices explain it, so
//! `validate` accepts it, and the number of candidates does not grow with the length of the trace.

#[allow(dead_code)] // only running is needed here
mod command;
mod shipped;

use command::run;
use mayhap::validate::{Exchanges, judge};
use mayhap::{Counts, Validator};
use shipped::Shipped;

/// What a simulated trace of a specification looks like.
fn simulated(shipped: &Shipped, seed: u64, steps: usize) -> String {
    let (file, steps, seed) = (shipped.path.to_string_lossy(), steps.to_string(), seed.to_string());
    let output = run(&["simulate", &file, "--steps", &steps, "--seed", &seed], "");
    assert!(output.status.success(), "{file}, seed {seed}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Judges a trace that must be accepted; what that cost.
fn accepted(shipped: &Shipped, trace: &str, what: &str) -> Counts {
    let spec = shipped.compile().unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
    let mut validator = Validator::new(&spec);
    let judged = judge(&mut validator, &mut Exchanges::new(&spec, trace.as_bytes()));
    assert!(judged.is_ok() && validator.verdict().is_accept(), "{}, {what}: {:?}", shipped.name, validator.verdict());
    validator.counts()
}

#[test]
fn what_is_simulated_is_accepted() {
    for shipped in shipped::all() {
        for seed in 0..6 {
            let trace = simulated(&shipped, seed, 200);
            let counts = accepted(&shipped, &trace, &format!("seed {seed}"));
            assert_eq!(counts.events, 200, "{}, seed {seed}", shipped.name);
        }
    }
}

/// The most candidates that a long trace may need: some specifications have a few numbers that they tell nobody.
const CANDIDATES: usize = 16;

#[test]
fn candidates_do_not_grow_with_the_trace() {
    for shipped in shipped::all() {
        let counts = accepted(&shipped, &simulated(&shipped, 1, 2_000), "a long trace");
        assert!(counts.candidates_max <= CANDIDATES, "{}: {counts:?}", shipped.name);
    }
}
