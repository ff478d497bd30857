//! Histories of ten clients who all ask at once, of a queue: in which order they put something there is seen much later.

use mayhap::details::Value;
use mayhap::search;
use mayhap::search::Happened;
use mayhap::{Options, Spec};

use super::QUEUE;
use crate::random::Rng;

const CLIENTS: usize = 10;

/// A client of a server.
#[derive(Clone)]
enum Client {
    Idle,
    Waiting(Option<i64>),
    Served(i64),
}

/// The history of this number of requests to a queue of distinct numbers.
fn history(rng: &mut Rng, requests: usize) -> Vec<Happened> {
    let (mut clients, mut kept, mut happened, mut sent) = (vec![Client::Idle; CLIENTS], Vec::new(), Vec::new(), 0);
    while sent < requests || clients.iter().any(|client| !matches!(client, Client::Idle)) {
        let at = rng.below(CLIENTS);
        clients[at] = match clients[at].clone() {
            Client::Idle if sent == requests => Client::Idle,
            Client::Idle => {
                sent += 1;
                let put = (rng.below(2) == 0).then_some(sent as i64);
                let request = put.map_or_else(|| Value::data(1, []), |x| Value::data(0, [Value::from(x)]));
                happened.push(Happened::Sent(at as u64, request));
                Client::Waiting(put)
            }
            Client::Waiting(Some(put)) => {
                kept.push(put);
                Client::Served(0)
            }
            Client::Waiting(None) if kept.is_empty() => Client::Served(-1),
            Client::Waiting(None) => Client::Served(kept.remove(0)),
            Client::Served(answer) => {
                happened.push(Happened::Answered(at as u64, Some(Value::from(answer))));
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
        let history = search::history(&spec, history(&mut Rng::new(seed), requests));
        let verdict = search::judge(&spec, &history, &Options::default()).verdict;
        assert!(verdict.is_accept(), "{requests} requests, seed {seed}: {verdict:?}");
    }
}
