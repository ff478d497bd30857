//! Several clients at once, against the oracle: random protocols whose tasks yield, over a network that any order is possible
//! on; and over the synchronous one, against what is judged exchange by exchange.
//!
//! The network is defined here, outside of the crate. A fixed number of programs runs in the suite;
//! `MAYHAP_LONG=N cargo test --test it random_tasks::` runs N, and `MAYHAP_SEED=S` begins elsewhere. Example of a program that is
//! drawn: see `random/tasks.rs`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::judge::{Named, named};
use crate::oracle::tasks::{Event, Events};
use crate::oracle::{self, Answer, Domains, Oracle};
use crate::random::judge::{errors, shown};
use crate::random::{self, Rng, grammar, tasks, traces};
use mayhap::details::{Observed, Selection};
use mayhap::dualize::{Judge, Options};
use mayhap::json;
use mayhap::network::{Network, Observation, ServerMove, Sync};
use mayhap::process::{Port, Situation};
use mayhap::spec::Tasks;
use mayhap::spec::load::Text;
use mayhap::{Exchange, Spec, Validator, Verdict};
use serde_json::json;

/// The runs after which brute force gives up.
const RUNS: usize = 20_000;
/// The work on one event after which the verdict is left open.
const EFFORT: u64 = 200_000;

/// Every order is possible; the requests of one client are handled one after the other.
struct AnyOrder;

impl Network for AnyOrder {
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool {
        match observation {
            Observation::Request(..) | Observation::End => true,
            Observation::Answer(port, _) => situation.sent.contains(port),
        }
    }

    fn moves(&self, situation: &Situation, _: &Observation) -> Vec<ServerMove> {
        let Situation { arrived, suspended, .. } = situation;
        let is_busy = |port: &Port| suspended.iter().any(|task| task.port == *port);
        let received =
            (0..arrived.len()).filter(|at| !arrived[..*at].contains(&arrived[*at]) && !is_busy(&arrived[*at]));
        let resumed = (0..suspended.len()).map(ServerMove::Resume);
        received.map(ServerMove::Receive).chain(resumed).chain([ServerMove::Step]).collect()
    }
}

fn domains() -> Domains {
    Domains { runs: RUNS, ..traces::domains() }
}

fn compiled(text: &str) -> Arc<Spec> {
    let selection = Selection { tasks: Tasks::Interleaved, ..Selection::default() };
    let text = Text { name: "p.may".to_owned(), text: text.to_owned() };
    Spec::compile(text, &mut |name| Err(format!("there is no {name}")), &selection)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A verdict in short; where a trace leaves the specification is not compared.
fn name(verdict: &Verdict) -> Named {
    let (name, event) = named(verdict);
    (name, event.filter(|_| name != "outside"))
}

fn observation(spec: &Spec, (client, event): &(u64, Event)) -> Observation {
    let value = |ty, json| json::from_serde(&spec.types, ty, json).unwrap_or_else(|error| panic!("{error}"));
    let port = Port(*client);
    match event {
        Event::Request(request) => Observation::Request(port, value(spec.program.request, request)),
        Event::Answer(answer) => Observation::Answer(port, Some(value(spec.program.response, answer))),
        Event::Hole => Observation::Answer(port, None),
    }
}

fn judged(spec: &Arc<Spec>, options: Options, trace: &Events) -> Named {
    let mut judge = Judge::new(spec.clone(), options);
    for (line, event) in (1..).zip(trace) {
        if !judge.observe_over(&AnyOrder, line, &observation(spec, event)) {
            break;
        }
    }
    name(&judge.verdict())
}

fn expected(file: &mayhap::syntax::ast::File, trace: &Events) -> Option<Named> {
    let found = shown(&Oracle::new(file, None, domains()).brute_force_tasks(trace))?;
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
        assert_eq!(judged(&spec, Options::default(), &trace).0, verdict, "{answer}");
    }
}

#[test]
fn interleaved_tasks_agree_with_brute_force() {
    let tally = compared("start", random::seeds(31, 60));
    assert!(["accept", "reject"].iter().all(|verdict| tally[verdict] > 20), "{tally:?}");
    assert!(tally.get("unknown").is_none_or(|unknown| unknown * 50 < tally.values().sum()), "{tally:?}");
}

/// Of tasks that are suspended in procedures with values there are more: some are given up within the effort of a test.
#[test]
fn tasks_in_procedures_with_values_agree_with_brute_force() {
    let tally = compared("suspended", random::seeds(43, 25));
    assert!(["accept", "reject"].iter().all(|verdict| tally[verdict] > 5), "{tally:?}");
}

/// The verdicts on traces of random programs, each that of the oracle.
fn compared(start: &str, seeds: Range<u64>) -> BTreeMap<&'static str, u64> {
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for mut rng in seeds.map(Rng::new) {
        let text = tasks::random_from(start, &mut rng);
        let found = errors(&text);
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        let (file, spec) = (oracle::load(&text), compiled(&text));
        for _ in 0..2 {
            let length = 2 + rng.below(9);
            let trace = tasks::run(&mut rng, &file, domains(), length);
            for trace in [tasks::altered(&mut rng, &trace), trace] {
                let Some(expected) = expected(&file, &trace) else { continue };
                let usual = Options { effort: EFFORT, ..Options::default() };
                let plain = Options {
                    merge: false,
                    unite: false,
                    sums: false,
                    diagrams: false,
                    images: false,
                    ..usual.clone()
                };
                for options in [usual, plain] {
                    let actual = judged(&spec, options, &trace);
                    *tally.entry(actual.0).or_default() += 1;
                    let agrees = actual == expected || actual.0 == "unknown";
                    assert!(agrees, "{actual:?}, not {expected:?}\n{text}\n{trace:?}");
                }
            }
        }
    }
    eprintln!("{tally:?}");
    tally
}

/// The events of an exchange.
fn events((request, answer): &(oracle::Json, Answer)) -> Vec<Event> {
    let request = Event::Request(request.clone());
    match answer {
        Answer::Is(answer) => vec![request, Event::Answer(answer.clone())],
        Answer::Hole => vec![request, Event::Hole],
        Answer::Nothing => vec![request],
        Answer::Lost => unreachable!("no answer is lost here"),
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
            Answer::Lost => unreachable!("no answer is lost here"),
        };
        if !validator.observe_exchange(&Exchange { line, client: 1, request, observed }) {
            break;
        }
    }
    name(&validator.verdict())
}

#[test]
fn the_synchronous_network_is_one_exchange_after_the_other() {
    for mut rng in random::seeds(37, 50).map(Rng::new) {
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
