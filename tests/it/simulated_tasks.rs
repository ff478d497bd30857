//! Random specifications whose handlers yield, as servers of several random clients, against the oracle: brute force over all orders of
//! all sections explains what the clients saw.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --release --test it simulated_tasks::` runs N, and
//! `MAYHAP_SEED=S` begins elsewhere. Example of a program that is drawn: see `random/tasks.rs`.

use std::sync::Arc;

use crate::oracle::tasks::{Event, Events, Wire};
use crate::oracle::{self, Domains, Oracle, Outcome};
use crate::random::{Rng, seeds, tasks, traces};
use mayhap::choice::Random;
use mayhap::details::{Selection, Value};
use mayhap::server::{Carrier, Conversation, Occurrence, Population, Ranges, Server};
use mayhap::spec::load::Text;
use mayhap::spec::{Tasks, TypeId};
use mayhap::{Spec, json};

/// The runs after which brute force gives up.
const RUNS: usize = 10_000;

fn compiled(text: &str) -> Arc<Spec> {
    let selection = Selection { tasks: Tasks::Interleaved, ..Selection::default() };
    let text = Text { name: "p.may".to_owned(), text: text.to_owned() };
    Spec::compile(text, &mut |name| Err(format!("there is no {name}")), &selection)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The events that clients see of a server, until all is answered or it cannot go on.
fn seen(spec: &Arc<Spec>, population: Population, seed: u64) -> Events {
    let mut source = Random::new(seed);
    let ranges = Ranges { request: Some((0, 9)), choose: None };
    let Ok(server) = Server::new(spec.clone(), ranges, &mut source) else { return Events::new() };
    let mut conversation = Conversation::new(server, population);
    let json = |ty: TypeId, value: &Value| json::encode(&spec.types, ty, value).parse().unwrap();
    let mut events = Events::new();
    while let Ok(Some(occurrence)) = conversation.next(&mut source) {
        events.push(match occurrence {
            Occurrence::Sent(client, request) => (client, Event::Request(json(spec.program.request, &request))),
            Occurrence::Answered(client, answer) => (client, Event::Answer(json(spec.program.response, &answer))),
            Occurrence::Lost(_) => unreachable!("nobody gives up here"),
        });
    }
    events
}

#[test]
fn what_clients_see_of_interleaved_tasks_is_explained_by_brute_force() {
    let (mut accepted, mut answers, mut overlapping) = (0, 0, 0);
    for seed in seeds(32, 40) {
        let mut rng = Rng::new(seed);
        let text = tasks::random(&mut rng);
        let (file, spec) = (oracle::load(&text), compiled(&text));
        for run in 0..2 {
            let (clients, pipelined) = (2 + rng.below(2) as u64, 1 + rng.below(2));
            let population = Population { clients, requests: 4, pipelined, lost: 0, carrier: Carrier::Tcp };
            let events = seen(&spec, population, seed.wrapping_mul(3) + run);
            let domains = Domains { runs: RUNS, ..traces::domains() };
            match Oracle::new(&file, None, domains).brute_force_tasks(Wire::Tcp, &events) {
                Outcome::TooLarge => continue,
                Outcome::Accept { .. } => accepted += 1,
                _ => panic!("{seed}, {population:?}\n{text}\n{events:?}"),
            }
            answers += events.iter().filter(|(_, event)| matches!(event, Event::Answer(_))).count();
            let is_request = |(_, event): &(u64, Event)| matches!(event, Event::Request(_));
            overlapping += events.windows(2).filter(|pair| pair.iter().all(is_request)).count();
        }
    }
    println!("{accepted} accepted, with {answers} answers; {overlapping} requests overlap");
    assert!(accepted > 20 && answers > 40 && overlapping > 20);
}
