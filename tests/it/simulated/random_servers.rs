//! What a random specification does as a server, it accepts as a judge, also where its start is not known.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --release --test it simulated::random_servers::` runs N of each
//! family, and `MAYHAP_SEED=S` begins elsewhere. Example of a program: see `random/worlds/mod.rs`.

use crate::random::worlds::{self, Family};
use crate::random::{self, Rng};
use mayhap::choice::Random;
use mayhap::details::Observed;
use mayhap::server::{Ranges, Reply, Server, Stop};
use mayhap::{Exchange, Spec, Validator, Verdict};
use std::sync::Arc;

/// Requests a trace.
const REQUESTS: u64 = 8;
/// Traces a program.
const TRACES: u64 = 3;

/// What became of the traces.
#[derive(Default, Debug)]
struct Count {
    accepted: usize,
    unknown: usize,
    /// By the server, before any request was answered.
    stopped: usize,
    exchanges: usize,
}

/// What a server answers, until it cannot go on.
fn served(spec: &Arc<Spec>, seed: u64) -> Vec<Exchange> {
    let mut choices = Random::new(seed);
    let ranges = Ranges { request: Some((0, 4)), choose: Some((-1, 4)) };
    let Ok(mut server) = Server::new(spec.clone(), ranges, &mut choices) else { return Vec::new() };
    let mut exchanges = Vec::new();
    for line in 1..=REQUESTS {
        let drawn = server.draw_request(&mut choices);
        let request = drawn.expect("a request");
        let observed = match server.handle(&request, 1, &mut choices) {
            Ok(Reply::Answer(answer)) => Observed::Answer(answer),
            Ok(Reply::Nothing) => Observed::Nothing,
            Err(Stop::Outside(_)) => continue,
            Err(_) => break,
        };
        exchanges.push(Exchange { line, client: 1, request, observed });
    }
    exchanges
}

fn check(family: &Family, number_of: u64, programs: u64) {
    let mut count = Count::default();
    for seed in random::seeds(number_of, programs) {
        let text = worlds::random(&mut Rng::new(seed), family).text;
        if std::env::var_os("MAYHAP_SHOW").is_some() {
            eprintln!("{seed}\n{text}");
        }
        let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for trace in 0..TRACES {
            let exchanges = served(&spec, seed.wrapping_mul(TRACES) + trace);
            let mut validator = Validator::new(&spec);
            exchanges.iter().all(|exchange| validator.observe_exchange(exchange));
            count.exchanges += exchanges.len();
            match validator.verdict() {
                _ if exchanges.is_empty() => count.stopped += 1,
                Verdict::Reject { .. } => panic!("{} {seed}, trace {trace}\n{text}\n{exchanges:#?}", family.name),
                Verdict::Unknown { .. } => count.unknown += 1,
                verdict => {
                    assert!(verdict.is_accept(), "{verdict:?}");
                    count.accepted += 1;
                }
            }
        }
    }
    eprintln!("{}: {count:?}", family.name);
    assert!(count.accepted * 4 > count.unknown + count.stopped, "{}: {count:?}", family.name);
}

#[test]
fn unknown_maps_serve_what_they_accept() {
    check(&worlds::MAPS, 1, 10);
}

#[test]
fn unknown_data_serve_what_they_accept() {
    check(&worlds::DATA, 2, 10);
}

#[test]
fn unknown_lists_serve_what_they_accept() {
    check(&worlds::LISTS, 3, 10);
}

#[test]
fn texts_serve_what_they_accept() {
    check(&worlds::TEXTS, 4, 5);
}

#[test]
fn steps_serve_what_they_accept() {
    check(&worlds::STEPS, 5, 5);
}

#[test]
fn all_sorts_serve_what_they_accept() {
    check(&worlds::MIXED, 6, 10);
}
