//! What a specification does as a server, it accepts as a judge: every shipped one, simulated with several seeds.
//!
//! `mayhap simulate specs/lease.may --seed 3` prints what one lock server might have answered; some choices explain it, so
//! `validate` accepts it, and the number of candidates does not grow with the length of the trace.

#[allow(dead_code)] // only running is needed here
mod command;
mod shipped;

use std::sync::Arc;

use command::{file, run};
use mayhap::validate::{Exchanges, judge};
use mayhap::{Counts, Spec, Validator};
use shipped::Shipped;

/// What a simulated trace of a specification looks like.
fn simulated(shipped: &Shipped, seed: u64, steps: usize) -> String {
    simulated_file(&shipped.path.to_string_lossy(), seed, steps)
}

fn simulated_file(file: &str, seed: u64, steps: usize) -> String {
    let (steps, seed) = (steps.to_string(), seed.to_string());
    let output = run(&["simulate", file, "--steps", &steps, "--seed", &seed], "");
    assert!(output.status.success(), "{file}, seed {seed}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Judges a trace that must be accepted; what that cost.
fn accepted(shipped: &Shipped, trace: &str, what: &str) -> Counts {
    let spec = shipped.compile().unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
    accepted_by(&spec, trace, &format!("{}, {what}", shipped.name))
}

fn accepted_by(spec: &Arc<Spec>, trace: &str, what: &str) -> Counts {
    let mut validator = Validator::new(spec);
    let judged = judge(&mut validator, &mut Exchanges::new(spec, trace.as_bytes()));
    assert!(judged.is_ok() && validator.verdict().is_accept(), "{what}: {:?}\n{trace}", validator.verdict());
    validator.counts()
}

/// What a text says is accepted, as long as it is to be, whatever the seed.
fn goes_on(name: &str, text: &str, (seeds, steps): (u64, usize)) {
    let spec = Spec::from_text(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let file = file(&format!("{name}.may"), text);
    for seed in 0..seeds {
        let trace = simulated_file(&file.to_string_lossy(), seed, steps);
        let counts = accepted_by(&spec, &trace, &format!("{name}, seed {seed}"));
        assert_eq!(counts.events, steps as u64, "{name}, seed {seed}");
    }
}

/// What goes through a whole collection, which an unknown one does not allow: it cannot start unknown.
const LISTED: [&str; 1] = ["pages"];

#[test]
fn from_an_unknown_start_a_run_goes_on() {
    for shipped in shipped::all().iter().filter(|shipped| !LISTED.contains(&shipped.name.as_str())) {
        goes_on(&format!("unknown_{}", shipped.name), &shipped.unknown_text(), (3, 1_000));
    }
}

/// Specifications whose beginning is looked at late, or shows whole.
#[test]
fn what_began_unknown_is_drawn_when_it_shows() {
    for (name, text) in [
        ("late", "var a: int = choose; var b: int = choose;
          on q { if q == 3 { assume a > b + 40; reply a; } if q == 4 { assume a < b + 60; reply b; } reply q; }"),
        ("entries", "var m: map<int, int> = choose; var most: int = choose;
          on q { assume !(m.get(q) is Some(n) && n > most); if q == 7 { reply most; } m[q] := m.get_or(q, 1) - 1; reply m[q]; }"),
        ("hidden", "var m: map<int, (int, int)> = choose;
          on q { if m.get(q % 5) is Some((n, twice)) { if q > 4 { reply n; } assume n == 2 * twice || n == 2 * twice + 1;
          reply twice; } reply 0; }"),
        ("step", "var last: int = choose; var now: int = choose; step { now := choose n: int where n > now; }
          on q { assume now >= last; if q > 5 { last := now; } reply now; }"),
        ("duty", "var least: int = choose; on q { expects q >= least; if q == 5 { reply least; } reply 0; }"),
        ("picked", "var s: set<int> = choose; on q { if q in s { let x = pick y in s where y >= q; reply x; }
          s := s + {q}; reply q; }"),
    ] {
        let text = format!("protocol {name} {{ request int; response int; {text} }}");
        goes_on(name, &text, (12, 150));
    }
    for (ty, declared) in [
        ("list<(int, bool)>", ""),
        ("Tree", "enum Tree { Leaf, Node { left: Tree, n: int, right: Tree } }"),
        ("option<list<Tree>>", "enum Tree { Leaf, Node { left: Tree, n: int, right: Tree } }"),
        ("map<string, list<int>>", ""),
        ("map<bool, set<int>>", ""),
        ("set<(Key, bytes)>", "token Key;"),
    ] {
        let text = format!(
            "{declared} protocol shown {{ request bool; response {ty}; var a: {ty} = choose; var b: {ty} = choose;
             on q {{ if q {{ reply a; }} a := either a or b; reply b; }} }}"
        );
        goes_on("shown", &text, (12, 12));
    }
}

#[test]
fn a_beginning_that_no_condition_allows_is_told() {
    let stuck = file(
        "no_start.may",
        "protocol p { request int; response int; var a: int = choose;\non q { assume a != a; reply q; } }",
    );
    let output = run(&["simulate", &stuck.to_string_lossy()], "");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), complaint.contains("no_start.may:2:")), (Some(2), true), "{complaint}");
    let faulty = file(
        "no_key.may",
        "protocol p { request int; response int; var m: map<int, int> = choose;\non q { reply m[q]; } }",
    );
    let output = run(&["simulate", &faulty.to_string_lossy()], "");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), complaint.contains("there is no such key")), (Some(2), true), "{complaint}");
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
