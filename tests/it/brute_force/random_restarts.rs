//! Restarts against the oracle: random programs with a handler `on restart`, and traces in which the system is killed and started
//! again: verdict and event must be equal, and evidence must hold.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --test it random_restarts::` runs N of each kind, and
//! `MAYHAP_SEED=S` begins elsewhere. Examples of handlers that are drawn: see `random/restarts.rs`.

use crate::brute_force::random_tasks::{self, EFFORT, compiled, expected, judged, judged_whole};
use crate::judge::Named;
use crate::oracle::tasks::{Events, Wire};
use crate::oracle::{self, Answer, Json, Oracle};
use crate::random::expressions::Unbounded;
use crate::random::judge::{Exactness, Kind, Tally, errors};
use crate::random::{self, Rng, grammar, protocol, restarts, tasks, traces};
use mayhap::evidence::{NetworkRecording, WitnessError, witness_of_recording};
use mayhap::judge::{Options, RecordedEvent, Reductions};
use mayhap::search;
use mayhap::search::OnlineHistory;
use mayhap::{Spec, Verdict};

/// Programs of clients that wait for each answer, by a grammar.
fn check_exchanges(name: &'static str, (grammar, start): (&str, &str), number: u64, programs: u64) {
    let kind = Kind { name, exactness: Exactness::Exact, domains: traces::domains };
    let mut tally = Tally::new();
    let small = |rng: &mut Rng| Json::from(rng.between(-1, 4));
    let requests = if grammar == "steps" { (0, 8) } else { (-1, 3) };
    for mut rng in random::seeds(number, programs).map(Rng::new) {
        let text = restarts::with_handler(&grammar::program(grammar, start, &mut rng), &mut rng);
        let found = errors(&text);
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        let file = oracle::load(&text);
        for _ in 0..3 {
            let oracle = Oracle::new(&file, None, traces::domains());
            let request = |rng: &mut Rng| Json::from(rng.between(requests.0, requests.1));
            let length = 2 + rng.below(5);
            let trace = restarts::run(&mut rng, &oracle, length, request, |rng| Answer::Is(small(rng)));
            kind.compare(&text, &[restarts::altered(&mut rng, &trace, small), trace], &mut tally);
        }
    }
    eprintln!("{name}: {tally:?}");
    assert!(tally["accept"] > 5 && tally["reject"] > 2, "{tally:?}");
}

#[test]
fn restarts_of_servers_with_effects_agree_with_brute_force() {
    check_exchanges("restarts with effects", ("effects", "start"), 91, 20);
}

#[test]
fn restarts_of_servers_with_guards_agree_with_brute_force() {
    check_exchanges("restarts with guards", ("guarded", "start"), 92, 25);
}

#[test]
fn restarts_of_servers_with_hidden_keys_agree_with_brute_force() {
    check_exchanges("restarts with hidden keys", ("hidden_keys", "start"), 93, 15);
}

#[test]
fn restarts_of_servers_with_lists_agree_with_brute_force() {
    check_exchanges("restarts with lists", ("lists", "start"), 94, 10);
}

/// Steps may happen before and after a restart.
#[test]
fn restarts_of_servers_with_steps_agree_with_brute_force() {
    check_exchanges("restarts with steps", ("steps", "start"), 95, 5);
}

#[test]
fn restarts_of_servers_with_values_of_procedures_agree_with_brute_force() {
    check_exchanges("restarts with values", ("steps", "values"), 96, 4);
}

#[test]
fn restarts_of_any_protocol_agree_with_brute_force() {
    let kind = Kind { name: "restarts", exactness: Exactness::Exact, domains: traces::domains };
    let mut tally = Tally::new();
    for mut rng in random::seeds(97, 20).map(Rng::new) {
        let program = protocol::random(&mut rng, Unbounded::Forbidden);
        let text = restarts::with_handler(&program.text, &mut rng);
        let found = errors(&text);
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        let file = oracle::load(&text);
        let invented = |rng: &mut Rng| program.declarations.json(rng, &program.response);
        for _ in 0..3 {
            let oracle = Oracle::new(&file, None, traces::domains());
            let request = |rng: &mut Rng| program.declarations.json(rng, &program.request);
            let length = 2 + rng.below(4);
            let trace = restarts::run(&mut rng, &oracle, length, request, |rng| Answer::Is(invented(rng)));
            kind.compare(&text, &[restarts::altered(&mut rng, &trace, invented), trace], &mut tally);
        }
    }
    eprintln!("{tally:?}");
    assert!(tally["accept"] > 5 && tally["reject"] > 2, "{tally:?}");
}

/// Compares programs whose tasks are interleaved, over a network.
fn check_tasks(seed: u64, wire: Wire, draw: fn(&mut Rng) -> String) {
    let mut tally = random_tasks::Tally::new();
    for mut rng in random::seeds(seed, 3).map(Rng::new) {
        let text = restarts::with_handler(&draw(&mut rng), &mut rng);
        let found = errors(&text);
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        let (file, spec) = (oracle::load(&text), compiled(&text));
        for _ in 0..2 {
            let of = (wire, 3 + rng.below(8), 6);
            let run = tasks::run_with_restarts(&mut rng, &file, random_tasks::domains(), of, 8);
            let changed = tasks::altered(&mut rng, &run);
            for trace in [tasks::altered(&mut rng, &changed), changed, run] {
                let Some(expected) = expected(&file, (wire, &trace)) else { continue };
                let reductions = if rng.percent(30) { Reductions::None } else { Reductions::Usual };
                let options = Options { reductions, effort: EFFORT, ..Options::default() };
                let whole = judged_whole(&spec, &options, (wire, &trace));
                if whole.0 == "accept" {
                    check_witness(&spec, &options, (wire, &trace), &text);
                }
                for actual in [judged(&spec, options, (wire, &trace)), whole] {
                    *tally.entry(actual.0).or_default() += 1;
                    let agrees = actual == expected || actual.0 == "unknown";
                    assert!(agrees, "{actual:?}, not {expected:?} over {wire:?}\n{text}\n{trace:?}");
                }
            }
        }
    }
    eprintln!("{tally:?}");
    assert!(tally.get("accept").is_some_and(|accepted| *accepted > 5), "{tally:?}");
}

/// Tests that a run that explains a recording is found, and repeated.
fn check_witness(spec: &std::sync::Arc<Spec>, options: &Options, (wire, trace): (Wire, &Events), text: &str) {
    let observed = trace.iter().map(|event| random_tasks::observation(spec, event));
    let events: Vec<RecordedEvent> = (1..).zip(observed).collect();
    let network = random_tasks::network(wire);
    let found = witness_of_recording(NetworkRecording { spec, network: &*network, events: &events, options });
    if let Err(error @ (WitnessError::DoesNotReplay { .. } | WitnessError::NotAccepted)) = found {
        panic!("{error}: over {wire:?}\n{text}\n{trace:?}");
    }
}

#[test]
fn restarts_of_interleaved_tasks_agree_with_brute_force() {
    check_tasks(101, Wire::Tcp, tasks::random);
    check_tasks(102, Wire::Tcp, tasks::random_waiting);
}

#[test]
fn restarts_of_servers_that_do_more_than_answering_agree_with_brute_force() {
    check_tasks(103, Wire::Tcp, tasks::random_talking);
    check_tasks(104, Wire::Tcp, tasks::random_calling);
    check_tasks(105, Wire::Tcp, tasks::random_comparing);
}

#[test]
fn restarts_over_queues_and_datagrams_agree_with_brute_force() {
    for (seed, wire) in [(106, Wire::Fifo), (107, Wire::Udp), (108, Wire::UdpAgain)] {
        check_tasks(seed, wire, tasks::random_talking);
    }
}

/// Servers that answer at once are judged by a search for an order, as a whole and while events come.
#[test]
fn histories_with_restarts_agree_with_brute_force() {
    let mut tally = random_tasks::Tally::new();
    for mut rng in random::seeds(109, 20).map(Rng::new) {
        let text = restarts::with_handler(&tasks::random_failing(&mut rng), &mut rng);
        let (file, spec) = (oracle::load(&text), Spec::from_text(&text).unwrap());
        let run = tasks::run_with_restarts(&mut rng, &file, random_tasks::domains(), (Wire::Tcp, 10, 6), 8);
        for trace in [tasks::altered(&mut rng, &run), run] {
            let Some(expected) = expected(&file, (Wire::Tcp, &trace)) else { continue };
            let happened: Vec<_> = trace.iter().map(|event| random_tasks::happened(&spec, event)).collect();
            let history = search::history(&spec, happened.iter().cloned());
            let whole = random_tasks::name(&search::judge(&spec, &history, &Options::default()).verdict);
            let mut session = OnlineHistory::new(&spec, Options::default());
            let online: Option<Verdict> =
                (1..).zip(happened).fold(None, |_, (line, happened)| session.push(line, happened));
            let online: Option<Named> = online.map(|verdict| random_tasks::name(&verdict));
            for actual in [Some(whole), online].into_iter().flatten() {
                *tally.entry(actual.0).or_default() += 1;
                let agrees = actual == expected || actual.0 == "unknown";
                assert!(agrees, "{actual:?}, not {expected:?}\n{text}\n{trace:?}");
            }
        }
    }
    eprintln!("{tally:?}");
    assert!(["accept", "reject"].iter().all(|verdict| tally.contains_key(verdict)), "{tally:?}");
}
