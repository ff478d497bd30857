//! Long traces of servers with hidden clocks and settings against the set of all states in which they may be.
//!
//! What grows with a trace (sums of steps, terms of what is hidden) is brought into another form now and then, which short traces do
//! not come to. These servers have few states, so all of them are followed here, for hundreds of exchanges.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::judge::{compiled, text, verdict};
use crate::random::{Rng, at_least, rounds};
use mayhap::Spec;
use mayhap::judge::Verdict;
use serde_json::{Value, json};

type State = Vec<i64>;

/// The states after a request in a state, each with the answer.
type Next = fn(&State, (usize, i64)) -> Vec<(State, Value)>;

/// A server whose states can be listed.
struct Server {
    file: &'static str,
    requests: [&'static str; 2],
    begins: Vec<State>,
    next: Next,
}

/// For each door its failures and for how long it is closed.
fn pace(state: &State, (request, n): (usize, i64)) -> Vec<(State, Value)> {
    let key = 2 * (n % 3) as usize;
    let after = |passed: i64| {
        let mut new = state.clone();
        new.iter_mut().skip(1).step_by(2).for_each(|left| *left = (*left - passed).max(0));
        if request == 0 {
            (new[key], new[key + 1]) = (0, 0);
            return (new, json!("Opened"));
        }
        if new[key + 1] > 0 {
            return (new, json!("Wait"));
        }
        new[key] = (new[key] + 1).min(4);
        new[key + 1] = 2 * new[key];
        (new, json!("Failed"))
    };
    (0..4).map(after).collect()
}

/// Whether it is fast, the other setting, and the two numbers.
fn gauge(state: &State, (request, k): (usize, i64)) -> Vec<(State, Value)> {
    let [fast, odd, n, m] = state[..] else { panic!("{state:?}") };
    if request == 1 {
        let answer = match (k % 20, k % 40) {
            (1.., _) => json!("Ok"),
            (_, 0) => json!({"Half": n % 2}),
            _ => json!({"Half": m % 2}),
        };
        return vec![(state.clone(), answer)];
    }
    let n = match fast == 1 {
        true => {
            if n + 2 > 10 {
                n - 7
            } else {
                n + 2
            }
        }
        false => {
            if n > 8 {
                n - 5
            } else {
                n + 1
            }
        }
    };
    let other = if m > 50 { m - 49 } else { m + 1 };
    let m = if m % 3 == odd { m + n } else { other };
    vec![(vec![fast, odd, n, m], json!("Ok"))]
}

/// Two files, each with its contents in both replicas and what was agreed on.
fn replicas(state: &State, (request, n): (usize, i64)) -> Vec<(State, Value)> {
    let place = (3 * (n / 2 % 2) + n % 2) as usize;
    let mut new = state.clone();
    if request == 0 {
        new[place] = n / 4 % 3;
        return vec![(new, json!("Ok"))];
    }
    if n >= 45 {
        return vec![(new, json!({"Is": state[place]}))];
    }
    let fates = |file: &[i64]| -> Vec<([i64; 3], i64)> {
        let [a, b, agreed] = file[..] else { panic!("{file:?}") };
        let stays = [a, b, agreed];
        match () {
            () if a == b => vec![([a; 3], 0)],
            () if a == agreed => vec![([b; 3], 0), (stays, 0), (stays, 1), (stays, 2)],
            () if b == agreed => vec![([a; 3], 0), (stays, 0), (stays, 1), (stays, 2)],
            () => vec![(stays, 0), (stays, 1), (stays, 2)],
        }
    };
    let both = |(one, code): ([i64; 3], i64)| {
        let with = move |(other, worst): ([i64; 3], i64)| ([one, other].concat(), json!({"Exit": code.max(worst)}));
        fates(&state[3..]).into_iter().map(with)
    };
    fates(&state[..3]).into_iter().flat_map(both).collect()
}

fn servers() -> [Server; 3] {
    let settings = (0..6).map(|n| vec![n % 2, n / 2, 0, 0]).collect();
    [
        Server { file: "pace.may", requests: ["Open", "Knock"], begins: vec![vec![0; 6]], next: pace },
        Server { file: "gauge.may", requests: ["Tick", "Ask"], begins: settings, next: gauge },
        Server { file: "replicas.may", requests: ["Write", "Sync"], begins: vec![vec![0; 6]], next: replicas },
    ]
}

/// A request with what was seen of its answer.
type Seen = ((usize, i64), Option<Value>);

impl Server {
    fn spec(&self) -> Arc<Spec> {
        compiled(&text(format!("tests/data/hidden/{}", self.file)))
    }

    /// A run, of which few answers may be missing, and some may be others than were given.
    fn trace(&self, rng: &mut Rng, length: usize) -> Vec<Seen> {
        let mut state = rng.pick(&self.begins).clone();
        let gaps = rng.below(2) == 0;
        let mut trace: Vec<Seen> = Vec::new();
        for _ in 0..length {
            let request = (rng.below(2), rng.below(60) as i64);
            let (next, answer) = rng.pick(&(self.next)(&state, request)).clone();
            state = next;
            trace.push((request, (!gaps || rng.below(8) > 0).then_some(answer)));
        }
        for _ in 0..rng.below(20) {
            let (from, to) = (rng.below(length), length / 2 + rng.below(length / 2));
            if trace[from].0.0 == trace[to].0.0 {
                trace[to].1 = trace[from].1.clone();
            }
        }
        trace
    }

    /// The line at which no state is left, from 1.
    fn rejected(&self, trace: &[Seen]) -> Option<u64> {
        let mut states: BTreeSet<State> = self.begins.iter().cloned().collect();
        for (line, (request, answer)) in (1..).zip(trace) {
            let next = states.iter().flat_map(|state| (self.next)(state, *request));
            states = next.filter(|(_, given)| answer.as_ref().is_none_or(|a| a == given)).map(|(new, _)| new).collect();
            if states.is_empty() {
                return Some(line);
            }
        }
        None
    }

    fn lines(&self, trace: &[Seen]) -> String {
        let line = |((request, n), answer): &Seen| {
            let answer = answer.clone().unwrap_or_else(|| json!({"$any": null}));
            json!({"q": {self.requests[*request]: n}, "a": answer}).to_string() + "\n"
        };
        trace.iter().map(line).collect()
    }
}

#[test]
fn long_traces_are_judged_as_all_states_say() {
    for server in servers() {
        let (spec, mut rng, mut rejected, mut accepted) = (server.spec(), Rng::new(7), 0, 0);
        for _ in 0..rounds(10) {
            let length = 60 + rng.below(90);
            let trace = server.trace(&mut rng, length);
            let (expected, lines) = (server.rejected(&trace), server.lines(&trace));
            let found = match verdict(&spec, &lines) {
                Verdict::Accept { .. } => None,
                Verdict::Reject { event, .. } => Some(event),
                Verdict::Unknown { .. } => continue,
                other => panic!("{}: {other:?}\n{lines}", server.file),
            };
            assert_eq!(found, expected, "{}\n{lines}", server.file);
            rejected += u64::from(expected.is_some());
            accepted += u64::from(expected.is_none());
        }
        let are_enough = rejected >= at_least(2, 10) && accepted >= at_least(3, 10);
        assert!(are_enough, "{}: {rejected} rejected, {accepted} accepted", server.file);
    }
}
