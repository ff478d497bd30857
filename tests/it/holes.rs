//! What an unknown start and missing answers cost, counted: terms in memory, passes through it, candidates, questions to Z3.
//!
//! `benches/holes.rs` prints the times. For example memcached tells that there is no item "c" in five ways, and of an unknown
//! start nothing is left then about whether there is one.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::command::run;
use crate::shipped::{self, Shipped};
use mayhap::dualize::Observed;
use mayhap::scalar::{Scalar, Sort};
use mayhap::term::{Term, Var};
use mayhap::validate::Exchanges;
use mayhap::value::{Entry, Map, Truth, Value};
use mayhap::{Exchange, Spec, Validator};

/// One answer in so many is replaced by a hole.
const GAP: usize = 10;

fn shipped(name: &str) -> Shipped {
    shipped::all().into_iter().find(|shipped| shipped.name == name).expect("a specification")
}

fn unknown(shipped: &Shipped) -> Arc<Spec> {
    shipped.unknown().expect("an unknown start").unwrap_or_else(|error| panic!("{error}"))
}

fn exchanges(spec: &Arc<Spec>, trace: &str) -> Vec<Exchange> {
    Exchanges::new(spec, trace.as_bytes()).map(|exchange| exchange.expect("an exchange")).collect()
}

/// Simulated exchanges, one answer in [`GAP`] a hole.
fn simulated(shipped: &Shipped, steps: &str) -> Vec<Exchange> {
    let output = run(&["simulate", &shipped.path.to_string_lossy(), "--steps", steps, "--seed", "7"], "");
    let trace = String::from_utf8(output.stdout).expect("text");
    let mut exchanges = exchanges(&shipped.compile().unwrap_or_else(|error| panic!("{error}")), &trace);
    exchanges.iter_mut().step_by(GAP).for_each(|exchange| exchange.observed = Observed::Any);
    exchanges
}

fn judged(spec: &Arc<Spec>, exchanges: &[Exchange]) -> Validator {
    let mut validator = Validator::new(spec);
    exchanges.iter().for_each(|exchange| assert!(validator.observe_exchange(exchange)));
    assert!(validator.verdict().is_accept());
    validator
}

/// How large the terms in the memory of all candidates are together.
fn size_of_terms(validator: &Validator) -> u32 {
    let mut size = 0;
    for candidate in validator.judge().candidates() {
        for slot in &candidate.process.memory {
            slot.visit_terms(&mut |term| size += term.size());
        }
    }
    size
}

#[test]
fn what_an_answer_told_is_not_asked_again() {
    for (name, trace, most) in
        [("memcached", "accept_items", 20), ("limiter", "accept_told", 8), ("lease", "accept_shorter", 20)]
    {
        let shipped = shipped(name);
        let traces = shipped.traces("accept");
        let (_, trace) = traces.iter().find(|(known, _)| known.contains(trace)).expect("the trace");
        let spec = unknown(&shipped);
        let size = size_of_terms(&judged(&spec, &exchanges(&spec, trace)));
        assert!(size <= most, "{name}: terms of {size} nodes are left");
    }
}

#[test]
fn comparing_is_not_done_every_time() {
    for (name, most) in [("kv_etag", 600), ("queue", 1_200)] {
        let shipped = shipped(name);
        let validator = judged(&unknown(&shipped), &simulated(&shipped, "400"));
        let counts = validator.counts();
        assert!(counts.projections <= most, "{name}: {} passes through memory", counts.projections);
        assert_eq!(validator.statistics().z3_checks, 0, "{name}");
    }
}

#[test]
fn missing_names_are_one_candidate() {
    let shipped = shipped("idgen");
    let known = shipped.compile().unwrap_or_else(|error| panic!("{error}"));
    for spec in [known, unknown(&shipped)] {
        let validator = judged(&spec, &simulated(&shipped, "200"));
        assert_eq!((validator.counts().candidates_max, validator.statistics().z3_checks), (1, 0));
    }
}

/// A write to a set: of a known element, or of one of two unknown ones.
#[derive(Clone, Copy, Debug)]
enum Write {
    Add(i64),
    AddUnknown(u64),
    Remove(i64),
    RemoveUnknown(u64),
}

const WRITES: [Write; 6] = [
    Write::Add(1),
    Write::Add(2),
    Write::AddUnknown(1),
    Write::AddUnknown(2),
    Write::Remove(1),
    Write::RemoveUnknown(1),
];

fn variable(id: u64) -> Term {
    Term::var(Var { id, sort: Sort::Int })
}

fn written(writes: &[Write]) -> Map {
    let (mut set, there) = (Map::default(), || Some(Entry::always(Value::UNIT)));
    for write in writes {
        match write {
            Write::Add(element) => set.set_in_place(&Value::from(*element), there()),
            Write::AddUnknown(id) => set.set_in_place(&Value::Term(variable(*id)), there()),
            Write::Remove(element) => set.set_in_place(&Value::from(*element), None),
            Write::RemoveUnknown(id) => set.set_in_place(&Value::Term(variable(*id)), None),
        }
    }
    set
}

fn plainly(writes: &[Write], values: [i64; 2]) -> BTreeSet<i64> {
    let mut set = BTreeSet::new();
    for write in writes {
        match write {
            Write::Add(element) => set.insert(*element),
            Write::AddUnknown(id) => set.insert(values[*id as usize - 1]),
            Write::Remove(element) => set.remove(element),
            Write::RemoveUnknown(id) => set.remove(&values[*id as usize - 1]),
        };
    }
    set
}

/// Whether a set has an element, under an assignment.
fn has(set: &Map, element: i64, values: [i64; 2]) -> bool {
    let there = match set.contains(&Value::from(element)).expect("no split") {
        Truth::Known(known) => return known,
        Truth::Term(term) => term,
    };
    let value = there.eval(&mut |var| Some(Scalar::int(values[var.id as usize - 1])));
    value.and_then(|value| value.as_bool()).expect("a truth value")
}

#[test]
fn sets_agree_with_plain_ones() {
    let all = WRITES.len();
    for number in 0..all.pow(5) {
        let writes: Vec<Write> = (0..5).map(|at| WRITES[number / all.pow(at) % all]).collect();
        let set = written(&writes);
        for values in [[1, 1], [1, 2], [2, 1], [3, 2], [3, 3]] {
            let plain = plainly(&writes, values);
            for element in 1..=3 {
                assert_eq!(has(&set, element, values), plain.contains(&element), "{element} in {writes:?} {values:?}");
            }
        }
    }
}

#[test]
fn known_elements_do_not_wait_behind_unknown_ones() {
    let set = written(&[Write::Add(1), Write::AddUnknown(1), Write::Add(2), Write::AddUnknown(2), Write::Add(3)]);
    assert!([1, 2, 3].iter().all(|element| set.seen_entry(&Value::from(*element)).is_some()));
}
