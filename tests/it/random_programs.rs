//! The validator against the oracle, on random programs and traces: verdict and event must be equal.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --test it random_programs::` runs N of each kind, and
//! `MAYHAP_SEED=S` begins elsewhere. A disagreement is shrunk and printed as a program and a trace to run by hand. Example
//! of a program that is drawn: see `random/protocol.rs`.

use crate::oracle::{self, Answer, Domains, Json};
use crate::random::expressions::Unbounded;
use crate::random::judge::{Exactness, Kind, Tally, errors};
use crate::random::machine::Choices;
use crate::random::traces;
use crate::random::{self, Rng, effects, guarded, hidden_keys, lists, machine, protocol};

fn run_machines(choices: Choices, kind: &Kind, programs: u64) {
    let mut tally = Tally::new();
    let domain = if choices == Choices::Bounded { machine::CHOICES } else { machine::SOME };
    for mut rng in random::seeds(choices as u64, programs).map(Rng::new) {
        let text = machine::random(&mut rng, choices);
        let file = oracle::load(&text);
        for _ in 0..4 {
            let length = 1 + rng.below(5);
            let trace = traces::run_machine(&mut rng, &file, domain.clone(), length);
            kind.compare(&text, [&trace], &mut tally);
            let changed = traces::altered(&mut rng, &trace, |rng| Json::from(rng.between(-6, 6)));
            // A machine always answers.
            if changed.iter().all(|(_, answer)| *answer != Answer::Nothing) {
                kind.compare(&text, [&changed], &mut tally);
            }
        }
    }
    eprintln!("{}: {tally:?}", kind.name);
}

#[test]
fn machines_with_bounded_choices_agree_with_brute_force() {
    let domains = || Domains::of(machine::CHOICES, &[]);
    let kind = Kind { name: "machines", exactness: Exactness::Exact, domains };
    // Some machines multiply what they know not: a few seconds each.
    run_machines(Choices::Bounded, &kind, 15);
}

#[test]
fn machines_accept_all_that_they_produce() {
    let domains = || Domains::of(machine::SOME, &[]);
    let kind = Kind { name: "machines with any choice", exactness: Exactness::Sound, domains };
    run_machines(Choices::Unbounded, &kind, 15);
}

fn run_protocols(unbounded: Unbounded, kind: &Kind, programs: u64) {
    let mut tally = Tally::new();
    for mut rng in random::seeds(2 + unbounded as u64, programs).map(Rng::new) {
        let program = protocol::random(&mut rng, unbounded);
        let file = oracle::load(&program.text);
        for _ in 0..4 {
            let length = 1 + rng.below(5);
            let trace = traces::run(&mut rng, &file, &program, length);
            kind.compare(&program.text, [&trace], &mut tally);
            let invented = |rng: &mut Rng| program.declarations.json(rng, &program.response);
            let changed = traces::altered(&mut rng, &trace, invented);
            kind.compare(&program.text, [&changed], &mut tally);
        }
    }
    eprintln!("{}: {tally:?}", kind.name);
}

#[test]
fn protocols_with_bounded_choices_agree_with_brute_force() {
    let kind = Kind { name: "protocols", exactness: Exactness::Exact, domains: traces::domains };
    run_protocols(Unbounded::Forbidden, &kind, 150);
}

#[test]
fn protocols_accept_all_that_they_produce() {
    let kind = Kind { name: "protocols with any integer", exactness: Exactness::Sound, domains: traces::domains };
    run_protocols(Unbounded::Allowed, &kind, 150);
}

#[test]
fn guarded_protocols_agree_with_brute_force() {
    let kind = Kind { name: "guarded protocols", exactness: Exactness::Exact, domains: traces::domains };
    run_texts(&kind, (5, 150), 4, guarded::random);
}

#[test]
fn protocols_with_hidden_keys_agree_with_brute_force() {
    let kind = Kind { name: "hidden keys", exactness: Exactness::Exact, domains: traces::domains };
    run_texts(&kind, (6, 150), 8, hidden_keys::random);
}

#[test]
fn protocols_with_effects_that_may_be_agree_with_brute_force() {
    let kind = Kind { name: "effects", exactness: Exactness::Exact, domains: traces::domains };
    run_texts(&kind, (7, 200), 5, effects::random);
}

#[test]
fn lists_with_hidden_contents_agree_with_brute_force() {
    let kind = Kind { name: "lists", exactness: Exactness::Exact, domains: traces::domains };
    run_texts(&kind, (8, 150), 8, lists::random);
}

/// Judges random texts of protocols over integers, on traces of up to so many exchanges.
fn run_texts(kind: &Kind, (number, programs): (u64, u64), longest: usize, draw: fn(&mut Rng) -> String) {
    let mut tally = Tally::new();
    for mut rng in random::seeds(number, programs).map(Rng::new) {
        let text = draw(&mut rng);
        let found = errors(&text);
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        let file = oracle::load(&text);
        for _ in 0..3 {
            let length = 1 + rng.below(longest);
            let trace = traces::run_integers(&mut rng, &file, length);
            kind.compare(&text, [&trace], &mut tally);
            let changed = traces::altered(&mut rng, &trace, |rng| Json::from(rng.between(-1, 4)));
            kind.compare(&text, [&changed], &mut tally);
        }
    }
    eprintln!("{}: {tally:?}", kind.name);
}

#[test]
fn random_programs_have_no_errors() {
    assert_eq!(errors("machine m { !1 := x; }").len(), 1);
    for mut rng in random::seeds(4, 300).map(Rng::new) {
        for text in [protocol::random(&mut rng, Unbounded::Allowed).text, machine::random(&mut rng, Choices::Unbounded)]
        {
            let errors = errors(&text);
            assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
        }
    }
}
