//! Answers that hide which branch was taken: few candidates explain them, no question goes to Z3, and what is kept of what is
//! not known does not grow with the trace.
//!
//! Each server is simulated, and its answers are judged. For example the hidden sum of a thousand hidden digits is one
//! candidate with one variable between two bounds. Altered answers are judged by the plain algorithm, too, in `switches.rs`.

pub mod workloads;

use mayhap::Validator;
use mayhap::value::Value;
use workloads::{CLOCKED, COPIES, RUMOURS, STEPPING, WORKLOADS, Workload};

/// What is kept of what is not known: so much at most, besides what the state itself holds.
const KEPT: usize = 40;

/// The facts and terms that the candidates keep.
fn kept(validator: &Validator) -> usize {
    let mut size = 0;
    for candidate in validator.judge().candidates() {
        let (bindings, domains, constraints) = candidate.store.size();
        size += bindings + domains + constraints;
        candidate.process.memory.iter().filter(|slot| !matches!(slot, Value::Scalar(_))).for_each(|slot| {
            slot.visit_terms(&mut |term| term.visit(&mut |_| size += 1));
        });
    }
    size
}

fn judge(workload: &Workload, seed: u64) {
    let spec = workload.spec();
    let mut validator = Validator::new(&spec);
    for exchange in workload.exchanges(&spec, workload.exchanges, seed) {
        assert!(validator.observe_exchange(&exchange), "{}: {:?}", workload.name, validator.verdict());
        let kept = kept(&validator);
        assert!(kept <= KEPT + workload.unknowns, "{}: {kept} kept after {}", workload.name, exchange.line);
    }
    assert!(validator.verdict().is_accept());
    let (counts, asked) = (validator.counts(), validator.statistics());
    assert!(counts.candidates_max <= workload.candidates + 1, "{}: {counts:?}", workload.name);
    assert_eq!(asked.z3_checks, 0, "{}: {asked:?}", workload.name);
}

#[test]
fn hidden_branches_need_few_candidates() {
    for workload in WORKLOADS {
        (1..=3).for_each(|seed| judge(workload, seed));
    }
}

#[test]
fn hidden_clocks_need_few_candidates() {
    for workload in CLOCKED {
        (1..=3).for_each(|seed| judge(workload, seed));
    }
}

#[test]
fn copies_need_few_candidates() {
    (1..=3).for_each(|seed| judge(&COPIES, seed));
}

#[test]
fn relations_need_one_candidate() {
    (1..=3).for_each(|seed| judge(&RUMOURS, seed));
}

#[test]
fn what_servers_do_by_themselves_needs_few_candidates() {
    for workload in STEPPING {
        (1..=3).for_each(|seed| judge(workload, seed));
    }
}
