//! A network of your own: a line that is used in one direction at a time.
//!
//! While a message of the server is under way, no message of a client is read. The model of the network says when something may be
//! observed, and what the server may do before that. Everything else is up to the specification and the judge.
//! `cargo run --example own_network` judges a recording that is possible over TCP, and impossible over this line.

use std::error::Error;

use mayhap::judge::{Options, judge_recorded};
use mayhap::network::{Network, Observation, ServerMove, Tcp};
use mayhap::process::Situation;
use mayhap::reading::{Events, FormatRules, observations};
use mayhap::trace::TraceFormat;
use mayhap::{Spec, Verdict};

/// A line for all clients, which is used in one direction at a time.
struct HalfDuplex;

impl Network for HalfDuplex {
    fn allows(&self, situation: &Situation, observation: &Observation) -> bool {
        match observation {
            Observation::Answer(client, _) => situation.sent.contains(client),
            _ => true,
        }
    }

    fn moves(&self, situation: &Situation, _: &Observation) -> Vec<ServerMove> {
        let is_free = situation.sent.is_empty();
        let received = situation.first_arrived().filter(|at| is_free && !situation.is_busy(situation.arrived[*at]));
        let resumed = (0..situation.suspended.len()).map(ServerMove::Resume);
        received.map(ServerMove::Receive).chain(resumed).chain([ServerMove::Step]).collect()
    }

    // An answer that nobody has seen blocks the messages of clients.
    fn counts_packets(&self) -> bool {
        true
    }
}

const COUNTER: &str = "protocol counter {
    request bool;
    response int;
    var n: int = 0;
    on add { if add { n := n + 1; } reply n; }
}";

/// Client 2 asks for the count before client 1 has seen the answer to its request.
const RECORDING: &str = r#"{"c": 1, "q": true}
{"c": 2, "q": false}
{"c": 2, "a": 1}
{"c": 1, "a": 1}
"#;

/// Judges the recording over both networks.
pub fn verdicts() -> Result<[Verdict; 2], Box<dyn Error>> {
    let spec = Spec::from_text(COUNTER)?;
    let mut events = Events::open(&spec, RECORDING.as_bytes(), TraceFormat::Ndjson, FormatRules::default());
    let events = observations(&spec, &mut events).map_err(|error| error.render("recording"))?.events;
    let networks: [&dyn Network; 2] = [&Tcp, &HalfDuplex];
    Ok(networks.map(|network| judge_recorded(&spec, network, &events, &Options::default()).verdict()))
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let [over_tcp, over_line] = verdicts()?;
    println!("over connections: {over_tcp:?}");
    println!("over a line that is used in one direction at a time: {over_line:?}");
    Ok(())
}
