//! Random specifications whose handlers yield, send, call and close, as servers of several random clients, against the oracle: brute
//! force over all orders of all sections explains what the clients saw, and the judge says the same, also of it with an answer altered.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --release --test it simulated::tasks::` runs N, and
//! `MAYHAP_SEED=S` begins elsewhere. Example of a program that is drawn: see `random/tasks.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::brute_force::random_tasks::{EFFORT, Tally, compiled, expected, judged, judged_whole};
use crate::oracle;
use crate::oracle::tasks::{Event, Events, Wire};
use crate::random::{Rng, seeds, tasks};
use mayhap::choice::Random;
use mayhap::details::Value;
use mayhap::network::NetworkChoice;
use mayhap::server::{CallEvent, Conversation, Occurrence, Population, Ranges, Server};
use mayhap::spec::TypeId;
use mayhap::{Options, Spec, json};

/// The events that clients and peers see of a server, until all is answered or it cannot go on. A connection that follows on another
/// one has a number of its own.
pub fn seen(spec: &Arc<Spec>, ranges: Ranges, population: Population, seed: u64) -> Events {
    let mut source = Random::new(seed);
    let Ok(server) = Server::new(spec.clone(), ranges, &mut source) else { return Events::new() };
    let mut conversation = Conversation::new(server, population);
    let json = |ty: TypeId, value: &Value| json::encode(&spec.types, ty, value).parse().unwrap();
    let (mut connections, mut last) = (BTreeMap::new(), population.clients);
    let mut events = Events::new();
    while let Ok(Some(occurrence)) = conversation.next(&mut source) {
        let (client, event) = match occurrence {
            Occurrence::Sent(client, request) => (client, Event::Request(json(spec.program.request, &request))),
            Occurrence::Answered(client, answer) => (client, Event::Answer(json(spec.program.response, &answer))),
            Occurrence::Lost(client) => (client, Event::Lost),
            Occurrence::Closed(client) => (client, Event::Closed),
            Occurrence::Peer(occurrence) => {
                let peer = &spec.program.peers[occurrence.peer as usize];
                let event = match occurrence.event {
                    CallEvent::Called(key, request) => {
                        Event::Called(json(peer.key.unwrap(), &key), json(peer.request, &request))
                    }
                    CallEvent::Answered(answer) => Event::CallAnswered(Some(json(peer.response, &answer))),
                    CallEvent::Failed => Event::CallAnswered(None),
                };
                events.push((occurrence.exchange, event));
                continue;
            }
        };
        let number = *connections.entry(client).or_insert(client);
        if matches!(event, Event::Lost | Event::Closed) {
            last += 1;
            connections.insert(client, last);
        }
        events.push((number, event));
    }
    events
}

/// Compares what is seen of a random program, and that with an answer altered, with brute force.
fn compare(rng: &mut Rng, text: &str, (wire, network): (Wire, &str), tally: &mut Tally) {
    let (file, spec) = (oracle::load(text), compiled(text));
    let network: NetworkChoice = network.parse().unwrap();
    for _ in 0..2 {
        let (clients, pipelined, lost) = (2 + rng.below(2) as u64, 1 + rng.below(2), *rng.pick(&[0, 15]));
        let population = Population { clients, requests: 3 + rng.below(3) as u64, pipelined, lost, network };
        let seed = rng.below(1 << 30) as u64;
        let events = seen(&spec, Ranges { request: Some((0, 7)), choose: None }, population, seed);
        for (kind, _) in events.iter().map(|(_, event)| (kind(event), ())) {
            *tally.entry(kind).or_default() += 1;
        }
        for (is_altered, trace) in [(true, tasks::altered(rng, &events)), (false, events)] {
            let Some(expected) = expected(&file, (wire, &trace)) else {
                *tally.entry("too large").or_default() += 1;
                continue;
            };
            let about = || format!("{population:?}, {seed}\n{text}\n{trace:?}");
            assert!(is_altered || expected.0 == "accept", "{expected:?}: {}", about());
            let options = Options { effort: EFFORT, ..Options::default() };
            let whole = judged_whole(&spec, &options, (wire, &trace));
            for actual in [judged(&spec, options, (wire, &trace)), whole] {
                *tally.entry(actual.0).or_default() += 1;
                let agrees = actual == expected || actual.0 == "unknown";
                assert!(agrees, "{actual:?}, not {expected:?}: {}", about());
            }
        }
    }
}

fn kind(event: &Event) -> &'static str {
    match event {
        Event::Request(_) => "requests",
        Event::Answer(_) | Event::Hole => "answers",
        Event::Lost => "lost",
        Event::Closed => "closed",
        Event::Called(..) => "calls",
        Event::CallAnswered(_) | Event::AnswerSent(_) => "calls that ended",
        Event::Restart => "restarts",
    }
}

fn check(seed: u64, wire: (Wire, &str), random: fn(&mut Rng) -> String) -> Tally {
    let mut tally = Tally::new();
    for mut rng in seeds(seed, 30).map(Rng::new) {
        let text = random(&mut rng);
        compare(&mut rng, &text, wire, &mut tally);
    }
    println!("{wire:?}: {tally:?}");
    let of = |name: &str| tally.get(name).copied().unwrap_or_default();
    let judged = of("accept") + of("reject") + of("outside") + of("fault") + of("unknown");
    assert!(of("accept") > 20 && of("reject") > 5 && of("unknown") * 15 < judged, "{tally:?}");
    tally
}

/// Compares programs that do more than answering; each kind of event is there.
fn check_talking(seed: u64, wire: (Wire, &str)) {
    let tally = check(seed, wire, tasks::random_talking);
    let all = ["requests", "answers", "lost", "closed", "calls", "calls that ended"];
    assert!(all.iter().all(|kind| tally.contains_key(kind)), "{tally:?}");
}

#[test]
fn what_clients_see_of_interleaved_tasks_is_explained_by_brute_force() {
    check(32, (Wire::Tcp, "tcp"), tasks::random);
}

#[test]
fn what_clients_see_of_servers_that_do_more_than_answering_is_explained_over_connections() {
    check_talking(61, (Wire::Tcp, "tcp"));
}

#[test]
fn what_clients_see_of_servers_that_do_more_than_answering_is_explained_over_one_queue() {
    check_talking(62, (Wire::Fifo, "fifo"));
}

#[test]
fn what_clients_see_of_servers_that_do_more_than_answering_is_explained_over_datagrams() {
    check_talking(63, (Wire::Udp, "udp,loss"));
}

#[test]
fn what_clients_see_of_servers_that_do_more_than_answering_is_explained_over_datagrams_that_come_again() {
    check(64, (Wire::UdpAgain, "udp,loss,duplication"), tasks::random_talking);
}

#[test]
fn what_clients_see_of_servers_that_call_several_peers_is_explained_by_brute_force() {
    for (seed, wire) in [(65, (Wire::Tcp, "tcp")), (66, (Wire::Udp, "udp"))] {
        check(seed, wire, tasks::random_calling);
    }
}
