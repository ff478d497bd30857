//! Workloads: a specification is run as a server, and what it answered is there to be judged.
//!
//! `kv_etag_1000` is a thousand keys on a server that was just started; `kv_etag_1000_unknown` the same after the server has run
//! for a while unrecorded, judged from an unknown start.

use std::sync::Arc;
use std::time::Instant;

use mayhap::choice::{Choices, Random};
use mayhap::details::Observed;
use mayhap::server::{Ranges, Reply, Server, Stop};
use mayhap::value::Value;
use mayhap::{Exchange, Spec};

/// What is known of the server when the recording begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// It was just started.
    Fresh,
    /// Nothing: it has handled some requests for each key.
    Unknown,
}

/// A specification and how it is exercised.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// What it is called.
    pub name: &'static str,
    /// The file of the specification.
    pub file: &'static str,
    /// How many different keys requests name; 0 where they name none.
    pub keys: usize,
    /// What is known at first.
    pub start: Start,
}

/// How many requests for each key are not recorded before an unknown start.
const SKIPPED: usize = 5;

/// A recording, and the seconds that the server took for it.
pub struct Recording {
    /// The specification that it is judged by.
    pub spec: Arc<Spec>,
    /// What was observed.
    pub exchanges: Vec<Exchange>,
    /// How long the server ran.
    pub seconds: f64,
}

fn compiled(text: &str) -> Arc<Spec> {
    Spec::from_text(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a specification as a server.
pub fn simulate(workload: &Workload, count: u64) -> Recording {
    let path = format!("{}/{}", env!("CARGO_MANIFEST_DIR"), workload.file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let spec = compiled(&text);
    let mut choices = Random::new(1);
    let ranges = Ranges { request: Some((0, 1000)), choose: Some((900, 965)) };
    let mut server = Server::new(spec.clone(), ranges, &mut choices).unwrap_or_else(|stop| panic!("{stop}"));
    let (judged_by, skipped) = match workload.start {
        Start::Fresh => (spec.clone(), 0),
        Start::Unknown => {
            let unknown = text.replacen("const FRESH: bool = true;", "const FRESH: bool = false;", 1);
            assert!(unknown != text, "{path} has no constant FRESH");
            (compiled(&unknown), (workload.keys * SKIPPED) as u64)
        }
    };
    let mut exchanges = Vec::with_capacity((count + skipped) as usize);
    let mut seconds = 0.0;
    while (exchanges.len() as u64) < count + skipped {
        let request = request(workload, &mut server, &mut choices);
        let start = Instant::now();
        let reply = server.handle(&request, 1, &mut choices);
        seconds += start.elapsed().as_secs_f64();
        let observed = match reply {
            Ok(Reply::Answer(answer)) => Observed::Answer(answer),
            Ok(Reply::Nothing) => Observed::Nothing,
            Err(Stop::Outside(_)) => continue,
            Err(stop) => panic!("{stop}"),
        };
        exchanges.push(Exchange { line: exchanges.len() as u64 + 1, client: 1, request, observed });
    }
    exchanges.drain(..skipped as usize);
    (1..).zip(&mut exchanges).for_each(|(line, exchange)| exchange.line = line);
    Recording { spec: judged_by, exchanges, seconds }
}

/// A random request; one that names no key, where there are keys, would concern all of them: it is drawn anew.
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
