//! Histories of ten clients who all ask at once, of a queue: in which order they put something there is seen much later.

use mayhap::details::Value;
use mayhap::network::Observation;
use mayhap::process::Port;
use mayhap::search;
use mayhap::{Options, Spec};

use super::QUEUE;
use crate::command::check;
use crate::random::Rng;

const CLIENTS: usize = 10;

/// A client of a server.
#[derive(Clone)]
enum Client {
    Idle,
    Waiting(Option<i64>),
    Served(i64),
}

/// The history of this number of requests to a queue. One request in `takes` takes a number out; the others put in one of the first
/// `numbers`, or distinct ones.
fn history(rng: &mut Rng, requests: usize, takes: usize, numbers: Option<usize>) -> Vec<Observation> {
    let (mut clients, mut kept, mut happened, mut sent) = (vec![Client::Idle; CLIENTS], Vec::new(), Vec::new(), 0);
    while sent < requests || clients.iter().any(|client| !matches!(client, Client::Idle)) {
        let at = rng.below(CLIENTS);
        clients[at] = match clients[at].clone() {
            Client::Idle if sent == requests => Client::Idle,
            Client::Idle => {
                sent += 1;
                let is_put = rng.below(takes) > 0;
                let put = is_put.then(|| numbers.map_or(sent, |numbers| rng.below(numbers)) as i64);
                let request = put.map_or_else(|| Value::data(1, []), |x| Value::data(0, [Value::from(x)]));
                happened.push(Observation::Request(Port(at as u64), request));
                Client::Waiting(put)
            }
            Client::Waiting(Some(put)) => {
                kept.push(put);
                Client::Served(0)
            }
            Client::Waiting(None) if kept.is_empty() => Client::Served(-1),
            Client::Waiting(None) => Client::Served(kept.remove(0)),
            Client::Served(answer) => {
                happened.push(Observation::Answer(Port(at as u64), Some(Value::from(answer))));
                Client::Idle
            }
        };
    }
    happened
}

#[test]
fn orders_that_show_much_later_are_found() {
    let spec = Spec::from_text(QUEUE).unwrap();
    for (requests, seed) in (0..6).map(|seed| (100, seed)).chain((6..10).map(|seed| (300, seed))) {
        let history = search::history(&spec, history(&mut Rng::new(seed), requests, 2, None));
        let verdict = search::judge(&spec, &history, &Options::default()).verdict;
        assert!(verdict.is_accept(), "{requests} requests, seed {seed}: {verdict:?}");
    }
}

/// Numbers that are put in at once, of which hardly any comes out: what shows the order of the first ones comes after many dead ends.
#[test]
fn orders_of_which_little_shows_are_found() {
    let spec = Spec::from_text(QUEUE).unwrap();
    for seed in 0..8 {
        let history = search::history(&spec, history(&mut Rng::new(seed), 40, 12, Some(4)));
        let verdict = search::judge(&spec, &history, &Options::default()).verdict;
        assert!(verdict.is_accept(), "seed {seed}: {verdict:?}");
    }
}

/// A queue in which numbers are equal: client, request (`q`) or answer (`a`), number; a removed one has a minus.
const EQUAL: &str = "1q+2 2q- 3q+1 4q- 5q+0 6q+0 7q+2 8q+0 1a+2 2a-2 3a+1 7a+2 4a-1 5a+0 6a+0 8a+0 \
    1q+0 2q+0 3q+0 4q+2 5q+8 6q+2 7q+3 8q- 1a+0 2a+0 3a+0 4a+2 5a+8 6a+2 8a-2 7a+3 8q- 1q- 1a-0 8a-0 \
    7q+3 8q+3 1q+1 2q+0 1a+1 2a+0 8a+3 7a+3 \
    1q+1 2q+0 3q+5 4q- 5q+4 6q+0 7q+3 8q+0 1a+1 2a+0 3a+5 4a-0 5a+4 6a+0 7a+3 8a+0 2q- 2a-2";

/// Which of two equal numbers came first matters only at the front, far from the dead end.
#[test]
fn orders_of_equal_numbers_are_found() {
    let lines = EQUAL.split(' ').filter(|event| !event.is_empty()).map(|event| {
        let (client, kind, number) = (&event[..1], &event[1..2], &event[3..]);
        let message = match &event[2..3] {
            "+" => format!("{{\"Enqueue\": {number}}}"),
            _ if kind == "q" => "\"Dequeue\"".to_owned(),
            _ => format!("{{\"Dequeue\": {number}}}"),
        };
        format!("{{\"c\": {client}, \"{kind}\": {message}}}\n")
    });
    check(
        &["validate", "specs/fifo_queue.may", "-", "--net", "tcp"],
        &lines.collect::<String>(),
        0,
        &["accept (62 events)"],
    );
}
