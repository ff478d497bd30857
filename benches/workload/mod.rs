//! Workloads for benchmarks and tests: a specification runs as a server, and its answers are recorded.
//!
//! `kv_etag_1000` has a thousand keys, on a server that was just started. `kv_etag_1000_unknown` is the same after the server has
//! run unrecorded for a while, and is judged from an unknown start.

pub mod servers;

use std::sync::Arc;
use std::time::Instant;

use mayhap::choice::{Choices, Random};
use mayhap::details::Observed;
use mayhap::server::{Ranges, Reply, Server, Stop};
use mayhap::value::Value;
use mayhap::{Exchange, Spec};

/// The knowledge about the server at the beginning of the recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// The server was just started.
    Fresh,
    /// Nothing is known: the server has handled some requests for each key.
    Unknown,
}

/// A specification, and the way to exercise it.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The name of the workload.
    pub name: &'static str,
    /// The file of the specification.
    pub file: &'static str,
    /// The number of different keys in requests; 0 if they have none.
    pub keys: usize,
    /// The knowledge about the server at first.
    pub start: Start,
    /// The size of the hidden state, if it can be set.
    pub size: Option<u32>,
    /// The request and the answer with a given number, if the server is not simulated.
    pub answer: Option<fn(u64) -> (Value, Value)>,
    /// The ranges of integers.
    pub ranges: Ranges,
    /// The usual number of exchanges in a trace of the workload.
    pub exchanges: u64,
}

/// A workload without keys, from a fresh start.
pub const fn workload(name: &'static str, file: &'static str) -> Workload {
    let ranges = Ranges { request: Some((0, 1000)), choose: Some((900, 965)) };
    Workload { name, file, keys: 0, start: Start::Fresh, size: None, answer: None, ranges, exchanges: 4_000 }
}

/// The number of unrecorded requests for each key before an unknown start.
const SKIPPED: usize = 5;

/// A recording, and the seconds that the server took for it.
pub struct Recording {
    /// The specification that the recording is judged by.
    pub spec: Arc<Spec>,
    /// The observations.
    pub exchanges: Vec<Exchange>,
    /// The time that the server ran, in seconds.
    pub seconds: f64,
}

impl Workload {
    /// The text of the workload's specification.
    fn text(&self) -> String {
        let path = format!("{}/{}", env!("CARGO_MANIFEST_DIR"), self.file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        self.size.map_or(text.clone(), |n| text.replace("SIZE: int = 10;", &format!("SIZE: int = {n};")))
    }

    /// The specification, as it runs.
    pub fn spec(&self) -> Arc<Spec> {
        compiled(&self.text())
    }
}

fn compiled(text: &str) -> Arc<Spec> {
    Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a specification as a server, with the choices of a seed.
pub fn simulate(workload: &Workload, count: u64, seed: u64) -> Recording {
    let text = workload.text();
    let spec = compiled(&text);
    let (judged_by, skipped) = match workload.start {
        Start::Fresh => (spec.clone(), 0),
        Start::Unknown => {
            let unknown = text.replacen("const FRESH: bool = true;", "const FRESH: bool = false;", 1);
            assert!(unknown != text, "{} has no constant FRESH", workload.file);
            (compiled(&unknown), (workload.keys * SKIPPED) as u64)
        }
    };
    let (mut exchanges, seconds) = match workload.answer {
        Some(answer) => {
            let exchange = |line| {
                let (request, answer) = answer(line);
                Exchange { line, client: 1, request, observed: Observed::Answer(answer) }
            };
            ((1..=count).map(exchange).collect(), 0.0)
        }
        None => {
            let draw = &mut |server: &mut Server, choices: &mut Random| request(workload, server, choices);
            served(&spec, workload.ranges, seed, count + skipped, draw)
        }
    };
    exchanges.drain(..skipped as usize);
    (1..).zip(&mut exchanges).for_each(|(line, exchange)| exchange.line = line);
    Recording { spec: judged_by, exchanges, seconds }
}

/// Some exchanges of a server that follows a specification, and the seconds that they took. A request that the client may not
/// make is drawn again.
pub fn served(
    spec: &Arc<Spec>,
    ranges: Ranges,
    seed: u64,
    count: u64,
    draw: &mut dyn FnMut(&mut Server, &mut Random) -> Value,
) -> (Vec<Exchange>, f64) {
    let mut choices = Random::new(seed);
    let mut server = Server::new(spec.clone(), ranges, &mut choices).unwrap_or_else(|stop| panic!("{stop}"));
    let (mut exchanges, mut seconds) = (Vec::with_capacity(count as usize), 0.0);
    while (exchanges.len() as u64) < count {
        let request = draw(&mut server, &mut choices);
        let start = Instant::now();
        let reply = server.handle(&request, 1, &mut choices);
        seconds += start.elapsed().as_secs_f64();
        let observed = match reply {
            Ok(Reply::Answer(answer)) => Observed::Answer(answer),
            Ok(Reply::Nothing) => Observed::Nothing,
            Err(Stop::Outside(_)) => continue,
            Err(stop) => panic!("{}: {stop}", spec.program.name),
        };
        exchanges.push(Exchange { line: exchanges.len() as u64 + 1, client: 1, request, observed });
    }
    (exchanges, seconds)
}

/// A random request. If there are keys, a request without one would concern all of them, so it is drawn again.
fn request(workload: &Workload, server: &mut Server, choices: &mut Random) -> Value {
    loop {
        let request = server.draw_request(choices);
        let request = request.unwrap_or_else(|error| panic!("{error}"));
        if workload.keys == 0 {
            return request;
        }
        let mut key = || Value::str(&format!("key{}", choices.choose("key", workload.keys).unwrap_or_default()));
        match request.fields().first() {
            Some(Value::List(_)) => return request.with_fields(&[(0, Value::list([key()]))]),
            Some(_) => return request.with_fields(&[(0, key())]),
            None => {}
        }
    }
}
