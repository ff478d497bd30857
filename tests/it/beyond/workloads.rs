//! Servers of whom products, weights and texts are known: what a client asks them, and what it sees.
//!
//! `product` has a hidden width and height, and says whether their product is at most what the client asks.

use std::path::Path;
use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::details::Observed;
use mayhap::server::{Ranges, Reply, Server};
use mayhap::value::Value;
use mayhap::{Exchange, Spec};

/// A server of `tests/data/beyond`.
pub struct Workload {
    /// What it is called.
    pub name: &'static str,
    /// A request and its answer by its number, where the server is not simulated.
    answer: Option<fn(u64) -> (Value, Value)>,
    /// How many exchanges are measured.
    pub exchanges: u64,
}

/// All of them.
pub const WORKLOADS: &[Workload] = &[
    Workload { name: "product", answer: None, exchanges: 10_000 },
    Workload { name: "products", answer: Some(sides), exchanges: 3_000 },
    Workload { name: "weights", answer: Some(balance), exchanges: 10_000 },
    Workload { name: "names", answer: Some(name), exchanges: 3_000 },
    Workload { name: "joined_names", answer: Some(part), exchanges: 1_000 },
    Workload { name: "cubes", answer: Some(cubes), exchanges: 10_000 },
];

/// Sides 7 + n and 30 + m: what their product lies between, their sum and difference.
fn sides(line: u64) -> (Value, Value) {
    let (w, h) = (7 + (line % 13) as i64, 30 + (line % 31) as i64);
    let request = Value::data(0, [Value::from(w * h - 3), Value::from(w * h + 5)]);
    (request, Value::data(0, [Value::from(w + h), Value::from(h - w)]))
}

/// Weights 17 and 29.
fn balance(line: u64) -> (Value, Value) {
    let (left, right) = ((line * 7919 % 97) as i64, (line * 104_729 % 89) as i64);
    (Value::data(0, [Value::from(left), Value::from(right)]), Value::from(left * 17 <= right * 29 + 7))
}

fn name(line: u64) -> (Value, Value) {
    (Value::str(&format!("k{}", line % 50)), Value::str(&format!("k{0}x{1}-k{0}", line % 50, line % 7)))
}

/// The name is "ada lovelace".
fn part(line: u64) -> (Value, Value) {
    let known = ["ada", "love", "a l", "ace", "eve", "bob", "da", "x", "lo", "cel"];
    let asked = known[(line % 10) as usize];
    (Value::str(asked), Value::from("ada lovelace".contains(asked)))
}

/// Cubes first, then only counting.
fn cubes(line: u64) -> (Value, Value) {
    match line {
        1 => (Value::unit(0), Value::from(33)),
        line => (Value::unit(1), Value::from(line as i64 - 1)),
    }
}

impl Workload {
    /// Its specification.
    pub fn spec(&self) -> Arc<Spec> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/beyond/{}.may", self.name));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Spec::from_text(&text).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// So many exchanges with it.
    pub fn exchanges(&self, spec: &Arc<Spec>, count: u64) -> Vec<Exchange> {
        let mut choices = Random::new(1);
        let ranges = Ranges { request: Some((0, 4000)), choose: Some((0, 70)) };
        let mut server = Server::new(spec.clone(), ranges, &mut choices).unwrap_or_else(|stop| panic!("{stop}"));
        let mut simulated = || {
            let request = server.draw_request(&mut choices);
            let request = request.unwrap_or_else(|error| panic!("{error}"));
            match server.handle(&request, 1, &mut choices) {
                Ok(Reply::Answer(answer)) => (request, answer),
                other => panic!("{}: {other:?}", self.name),
            }
        };
        let exchange = |line| {
            let (request, answer) = self.answer.map_or_else(&mut simulated, |answer| answer(line));
            Exchange { line, client: 1, request, observed: Observed::Answer(answer) }
        };
        (1..=count).map(exchange).collect()
    }
}
