//! Several clients at once, against the oracle: random protocols whose tasks yield, and that do more than answering, over each
//! network; and over the synchronous one, against what is judged exchange by exchange.
//!
//! A fixed number of programs runs in the suite;
//! `MAYHAP_LONG=N cargo test --test it random_tasks::` runs N, and `MAYHAP_SEED=S` begins elsewhere. Example of a program that is
//! drawn: see `random/tasks.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::judge::{Named, named};
use crate::oracle::tasks::{Event, Events, Wire};
use crate::oracle::{self, Answer, Domains, Oracle};
use crate::random::judge::{errors, shown};
use crate::random::{self, Rng, grammar, tasks, traces};
use crate::schedules;
use mayhap::details::{Observed, Selection};
use mayhap::json;
use mayhap::judge::{Judge, Options, Reductions, judge_recorded};
use mayhap::network::{CallSeen, Fifo, Network, Observation, Sync, Tcp, Udp};
use mayhap::process::Port;
use mayhap::search;
use mayhap::spec::code::SpecPeer;
use mayhap::spec::load::Text;
use mayhap::spec::{Tasks, TypeId};
use mayhap::{Exchange, Spec, Validator, Verdict};
use serde_json::json;

/// The runs after which brute force gives up.
const RUNS: usize = 2_000;
/// The work on one event after which the verdict is left open.
pub const EFFORT: u64 = 200_000;

pub fn domains() -> Domains {
    Domains { runs: RUNS, ..traces::domains() }
}

pub fn compiled(text: &str) -> Arc<Spec> {
    let selection = Selection { tasks: Tasks::Interleaved, ..Selection::default() };
    let text = Text { name: "p.may".to_owned(), text: text.to_owned() };
    Spec::compile(text, &mut |name| Err(format!("there is no {name}")), &selection)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A verdict in short; where a trace leaves the specification is not compared.
pub fn name(verdict: &Verdict) -> Named {
    let (name, event) = named(verdict);
    (name, event.filter(|_| name != "outside"))
}

pub fn observation(spec: &Spec, (client, event): &(u64, Event)) -> Observation {
    let value =
        |ty, json: &oracle::Json| json::from_serde(&spec.types, ty, json).unwrap_or_else(|error| panic!("{error}"));
    let port = Port(*client);
    let peer = |json: &oracle::Json, ty: fn(&SpecPeer) -> TypeId| value(ty(&spec.program.peers[0]), json);
    match event {
        Event::Request(request) => Observation::Request(port, value(spec.program.request, request)),
        Event::Answer(answer) => Observation::Answer(port, Some(value(spec.program.response, answer))),
        Event::Hole => Observation::Answer(port, None),
        Event::Lost => Observation::Lost(port),
        Event::Closed => Observation::Closed(port),
        Event::Called(key, request) => Observation::Called(CallSeen {
            exchange: *client,
            peer: 0,
            key: peer(key, |peer| peer.key.expect("a key")),
            request: peer(request, |peer| peer.request),
        }),
        Event::CallAnswered(Some(answer)) => Observation::CallAnswered(*client, peer(answer, |peer| peer.response)),
        Event::AnswerSent(answer) => Observation::AnswerSent(*client, peer(answer, |peer| peer.response)),
        Event::CallAnswered(None) => Observation::CallLost(*client),
        Event::Restart => Observation::Restart,
    }
}

pub fn network(wire: Wire) -> Box<dyn Network> {
    match wire {
        Wire::Tcp => Box::new(Tcp),
        Wire::Fifo => Box::new(Fifo),
        Wire::Udp => Box::new(Udp { duplication: false }),
        Wire::UdpAgain => Box::new(Udp { duplication: true }),
    }
}

/// Judges a trace event by event, as it comes.
pub fn judged(spec: &Arc<Spec>, options: Options, (wire, trace): (Wire, &Events)) -> Named {
    let mut judge = Judge::new(spec.clone(), options);
    for (line, event) in (1..).zip(trace) {
        if !judge.observe_over(&*network(wire), line, &observation(spec, event)) {
            break;
        }
    }
    name(&judge.verdict())
}

/// Judges a trace that is known from its first event to its last.
pub fn judged_whole(spec: &Arc<Spec>, options: &Options, (wire, trace): (Wire, &Events)) -> Named {
    let events: Vec<_> = (1..).zip(trace.iter().map(|event| observation(spec, event))).collect();
    name(&judge_recorded(spec, &*network(wire), &events, options).verdict())
}

pub fn expected(file: &mayhap::syntax::ast::File, (wire, trace): (Wire, &Events)) -> Option<Named> {
    let found = shown(&Oracle::new(file, None, domains()).brute_force_tasks(wire, trace))?;
    Some((found.0, found.1.map(|event| event as u64)))
}

#[test]
fn what_was_read_before_a_yield_is_what_it_was_then() {
    let spec = compiled(
        "protocol p { request int; response int; var n: int = 0; \
         on q { if q > 0 { n := q; reply 0; } let x = n; yield; reply x + 10 * n; } }",
    );
    for (answer, verdict) in [(0, "accept"), (50, "accept"), (55, "accept"), (5, "reject")] {
        let [ask, set] = [0, 5].map(|q| Event::Request(q.into()));
        let trace = vec![(1, ask), (2, set), (2, Event::Answer(0.into())), (1, Event::Answer(answer.into()))];
        assert_eq!(judged(&spec, Options::default(), (Wire::Tcp, &trace)).0, verdict, "{answer}");
    }
}

/// The number of times that each verdict came out.
pub type Tally = BTreeMap<&'static str, u64>;

/// Compares the verdicts on traces of a program with those of brute force.
fn compare(rng: &mut Rng, text: &str, (wire, length): (Wire, usize), tally: &mut Tally) {
    let found = errors(text);
    assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
    let (file, spec) = (oracle::load(text), compiled(text));
    for _ in 0..2 {
        let trace = tasks::run(rng, &file, domains(), (wire, length, 6));
        for trace in [tasks::altered(rng, &trace), trace] {
            let Some(expected) = expected(&file, (wire, &trace)) else {
                *tally.entry("too large").or_default() += 1;
                continue;
            };
            let reductions = if rng.percent(30) { Reductions::None } else { Reductions::Usual };
            let options = Options { reductions, effort: EFFORT, ..Options::default() };
            let whole = judged_whole(&spec, &options, (wire, &trace));
            for actual in [judged(&spec, options, (wire, &trace)), whole] {
                *tally.entry(actual.0).or_default() += 1;
                let agrees = actual == expected || actual.0 == "unknown";
                assert!(agrees, "{actual:?}, not {expected:?} over {wire:?}\n{text}\n{trace:?}");
            }
        }
    }
}

/// Tests whether both verdicts came out often enough, and few questions were left open.
pub fn is_balanced(tally: &Tally) -> bool {
    let of = |verdict: &str| tally.get(verdict).copied().unwrap_or_default();
    let judged: u64 = tally.iter().filter(|(verdict, _)| **verdict != "too large").map(|(_, count)| count).sum();
    of("accept") > 5 && of("reject") > 0 && of("unknown") * 4 < judged
}

#[test]
fn interleaved_tasks_agree_with_brute_force() {
    let mut tally = Tally::new();
    for mut rng in random::seeds(31, 12).map(Rng::new) {
        let (text, length) = (tasks::random(&mut rng), 2 + rng.below(9));
        compare(&mut rng, &text, (Wire::Tcp, length), &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(is_balanced(&tally), "{tally:?}");
}

/// Of tasks that are suspended in procedures with values there are more: some are given up within the effort of a test.
#[test]
fn tasks_in_procedures_with_values_agree_with_brute_force() {
    let mut tally = Tally::new();
    for mut rng in random::seeds(43, 8).map(Rng::new) {
        let (text, length) = (tasks::random_from("suspended", &mut rng), 2 + rng.below(9));
        compare(&mut rng, &text, (Wire::Tcp, length), &mut tally);
    }
    assert!(is_balanced(&tally), "{tally:?}");
}

/// Compares random programs that do more than answering.
fn check_talking(seed: u64, wire: Wire) {
    check_drawn(seed, wire, tasks::random_talking);
}

fn check_drawn(seed: u64, wire: Wire, random: fn(&mut Rng) -> String) {
    let mut tally = Tally::new();
    for mut rng in random::seeds(seed, 10).map(Rng::new) {
        let (text, length) = (random(&mut rng), 3 + rng.below(9));
        compare(&mut rng, &text, (wire, length), &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(is_balanced(&tally), "{tally:?}");
}

#[test]
fn servers_that_do_more_than_answering_agree_with_brute_force_over_connections() {
    check_talking(41, Wire::Tcp);
}

#[test]
fn servers_that_do_more_than_answering_agree_with_brute_force_over_one_queue() {
    check_talking(43, Wire::Fifo);
}

#[test]
fn servers_that_do_more_than_answering_agree_with_brute_force_over_datagrams() {
    check_talking(47, Wire::Udp);
}

#[test]
fn servers_that_do_more_than_answering_agree_with_brute_force_over_datagrams_that_come_again() {
    check_talking(53, Wire::UdpAgain);
}

/// Tasks that are dead, or may be finished at once, are found ahead of their sections.
#[test]
fn servers_that_answer_in_several_sections_agree_with_brute_force() {
    check_drawn(71, Wire::Tcp, tasks::random_waiting);
}

#[test]
fn calls_of_several_peers_agree_with_brute_force() {
    for (seed, wire) in [(61, Wire::Tcp), (67, Wire::Udp), (83, Wire::UdpAgain)] {
        check_drawn(seed, wire, tasks::random_calling);
    }
}

/// Servers that answer each request at once are judged by a search for an order of service, too.
#[test]
fn an_order_of_service_is_found_where_events_are_explained_one_by_one() {
    let mut tally = Tally::new();
    for (kind, (about, text)) in (0..).zip(schedules::SPECS) {
        let spec = Spec::from_text(text).unwrap();
        for seed in random::seeds(300 + kind, 25) {
            let case = schedules::random(&spec, &mut Rng::new(seed));
            let happened = case.events.iter().map(|event| schedules::happened(&case, *event));
            let searched = search::judge(&spec, &search::history(&spec, happened), &Options::default()).verdict;
            let general = judge_recorded(&spec, &Tcp, &schedules::recorded(&case), &Options::default()).verdict();
            *tally.entry(name(&general).0).or_default() += 1;
            assert!(general == searched, "{about}, seed {seed}: {general:?}, and {searched:?}: {:?}", case.events);
        }
    }
    let usual = random::at_least(8, 25);
    assert!(["accept", "reject"].iter().all(|verdict| tally[verdict] >= usual), "{tally:?}");
}

/// What is observed of a client that waits for answers.
pub fn happened(spec: &Spec, event: &(u64, Event)) -> Observation {
    observation(spec, event)
}

/// Where no order explains a history, some event may have been outside of the specification, or show that this is faulty.
#[test]
fn histories_of_servers_that_may_fail_agree_with_brute_force() {
    let mut tally = Tally::new();
    for mut rng in random::seeds(73, 20).map(Rng::new) {
        let text = tasks::random_failing(&mut rng);
        let (file, spec) = (oracle::load(&text), Spec::from_text(&text).unwrap());
        let run = tasks::run(&mut rng, &file, domains(), (Wire::Tcp, 9, 6));
        for trace in [tasks::altered(&mut rng, &run), run] {
            let Some(expected) = expected(&file, (Wire::Tcp, &trace)) else { continue };
            let history = search::history(&spec, trace.iter().map(|event| happened(&spec, event)));
            let actual = name(&search::judge(&spec, &history, &Options::default()).verdict);
            *tally.entry(actual.0).or_default() += 1;
            let agrees = actual == expected || actual.0 == "unknown";
            assert!(agrees, "{actual:?}, not {expected:?}\n{text}\n{trace:?}");
        }
    }
    eprintln!("{tally:?}");
    assert!(["accept", "reject", "outside", "fault"].iter().all(|verdict| tally.contains_key(verdict)), "{tally:?}");
    assert!(!tally.contains_key("unknown"), "{tally:?}");
}

/// Two requests, or two answers, of different connections may as well be recorded in the other order.
#[test]
fn the_order_of_requests_and_of_answers_of_different_connections_makes_no_difference() {
    let mut swapped = 0;
    for mut rng in random::seeds(59, 10).map(Rng::new) {
        let text = tasks::random_talking(&mut rng);
        let (file, spec) = (oracle::load(&text), compiled(&text));
        let options = Options { effort: EFFORT, ..Options::default() };
        let run = tasks::run(&mut rng, &file, domains(), (Wire::Tcp, 10, 6));
        for trace in [tasks::altered(&mut rng, &run), run] {
            let (verdict, _) = judged_whole(&spec, &options, (Wire::Tcp, &trace));
            for at in 1..trace.len() {
                let [(one, first), (other, second)] = [&trace[at - 1], &trace[at]];
                let is_request = |event: &Event| matches!(event, Event::Request(_));
                let is_answer = |event: &Event| matches!(event, Event::Answer(_) | Event::Hole);
                let alike = (is_request(first) && is_request(second)) || (is_answer(first) && is_answer(second));
                // Where connections are taken notice of, their first events are more than that.
                if !alike || one == other || text.contains("on open") {
                    continue;
                }
                let mut other = trace.clone();
                other.swap(at - 1, at);
                swapped += 1;
                let (again, _) = judged_whole(&spec, &options, (Wire::Tcp, &other));
                let is_open = [verdict, again].contains(&"unknown");
                assert!(verdict == again || is_open, "{verdict}, and {again} with {at} swapped\n{text}\n{trace:?}");
            }
        }
    }
    assert!(swapped > 0, "{swapped}");
}

/// The events of an exchange.
fn events((request, answer): &(oracle::Json, Answer)) -> Vec<Event> {
    let request = Event::Request(request.clone());
    match answer {
        Answer::Is(answer) => vec![request, Event::Answer(answer.clone())],
        Answer::Hole => vec![request, Event::Hole],
        Answer::Nothing => vec![request],
        Answer::Lost | Answer::Restarted => unreachable!("no answer is lost here"),
    }
}

/// Each exchange as what is sent and seen, with the line of the exchange.
fn judged_by_events(spec: &Arc<Spec>, trace: &traces::Trace) -> (&'static str, Option<u64>) {
    let mut judge = Judge::new(spec.clone(), Options::default());
    let events = (1..).zip(trace).flat_map(|(line, exchange)| {
        let each = events(exchange).into_iter().map(move |event| (line, observation(spec, &(1, event))));
        let silent = (exchange.1 == Answer::Nothing).then_some((line, Observation::End));
        each.chain(silent).collect::<Vec<_>>()
    });
    for (line, observation) in events {
        if !judge.observe_over(&Sync, line, &observation) {
            break;
        }
    }
    name(&judge.verdict())
}

fn judged_by_exchanges(spec: &Arc<Spec>, trace: &traces::Trace) -> (&'static str, Option<u64>) {
    let mut validator = Validator::new(spec);
    for (line, (request, answer)) in (1..).zip(trace) {
        let request = json::from_serde(&spec.types, spec.program.request, request).unwrap();
        let observed = match answer {
            Answer::Is(answer) => {
                Observed::Answer(json::from_serde(&spec.types, spec.program.response, answer).unwrap())
            }
            Answer::Hole => Observed::Any,
            Answer::Nothing => Observed::Nothing,
            Answer::Lost | Answer::Restarted => unreachable!("no answer is lost here"),
        };
        if !validator.observe_exchange(&Exchange { line, client: 1, request, observed }) {
            break;
        }
    }
    name(&validator.verdict())
}

#[test]
fn the_synchronous_network_is_one_exchange_after_the_other() {
    for mut rng in random::seeds(37, 25).map(Rng::new) {
        let text = if rng.percent(50) { tasks::random(&mut rng) } else { grammar::program("steps", "start", &mut rng) };
        let file = oracle::load(&text);
        let length = 1 + rng.below(6);
        let mut trace = traces::run_with_steps(&mut rng, &file, length, |rng| json!(rng.between(0, 8)));
        for (_, answer) in &mut trace {
            if *answer == Answer::Lost || (*answer != Answer::Nothing && rng.percent(10)) {
                *answer = Answer::Hole;
            }
        }
        let mut changed = traces::altered(&mut rng, &trace, |rng| json!(rng.between(-1, 4)));
        changed.retain(|(_, answer)| *answer != Answer::Lost);
        for trace in [trace, changed] {
            let (alone, interleaved) = (Spec::from_text(&text).unwrap(), compiled(&text));
            let (expected, actual) = (judged_by_exchanges(&alone, &trace), judged_by_events(&interleaved, &trace));
            let is_open = [expected.0, actual.0].contains(&"unknown");
            assert!(actual == expected || is_open, "{actual:?}, not {expected:?}\n{text}\n{trace:?}");
        }
    }
}

/// A state that may be impossible comes back by steps again and again: it is followed once.
#[test]
fn steps_from_doubtful_states_come_to_an_end() {
    let spec = compiled(
        "protocol p { request int; response int; var a: int = choose; var b: int = choose; var n: int = 0;
            step { n := (n + 1) % 2; }
            on x {
                if x == 1 { either { assume a > 2 && b > 2 && b*b*b*a == a*a*a + 7; } or { a := 0; b := 0; } }
                yield;
                reply x + a*b*0 + n*0;
            }
        }",
    );
    let mut judge = Judge::new(spec.clone(), Options { effort: EFFORT, ..Options::default() });
    for (line, x) in [(1, 1), (2, 2), (3, 3)] {
        for event in [Event::Request(json!(x)), Event::Answer(json!(x))] {
            assert!(judge.observe_over(&Sync, line, &observation(&spec, &(1, event))), "line {line}");
        }
    }
    assert_eq!(name(&judge.verdict()), ("accept", None));
}
