//! `mayhap validate --net NET`: traces of concurrent clients, judged event by event.
//!
//! They are judged so if the server does more than answer each request, or if the network differs from TCP in this recording: for example
//! `--net udp`, if a connection has two requests without an answer.

use super::concurrent::{HistorySource, TraceNotes};
use mayhap::diagnostic::Colour;
use mayhap::judge::RecordedEvent;
use mayhap::network::{NetworkChoice, Observation};
use mayhap::report::{Stats, TraceReport};
use mayhap::session::NetworkedEvidence;
use mayhap::spec::Spec;
use mayhap::validate::{Events, Observations, observations};
use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

/// Refuses a specification that does more than answer, for a trace of clients that wait for each answer. The error is ready to be
/// shown.
pub fn refuse_alone(spec: &Spec, name: &str) -> Result<(), String> {
    if spec.asynchronous().is_empty() {
        return Ok(());
    }
    let render = |refused| spec.sources.render(refused, Colour::Never) + "\n";
    let refused: String = spec.asynchronous().iter().map(render).collect();
    Err(format!("{refused}error: {name}: its first line is a whole exchange: --net tcp judges it\n"))
}

/// Reads the observations of a trace. An error is ready to be shown.
pub fn read(
    spec: &Arc<Spec>,
    net: NetworkChoice,
    input: &mut impl BufRead,
    source: &HistorySource<'_>,
) -> Result<(Observations, TraceNotes), String> {
    let name = source.name;
    let mut events = Events::open(spec, input, source.format, source.recorded.rules(Some(spec))?);
    let observed = observations(spec, &mut events).map_err(|error| error.render(name))?;
    let notes = TraceNotes::of(&events, name, observed.events.is_empty())?;
    if let Some(line) = net.connections().and_then(|most| crowded(&observed.events, most)) {
        let place = match observed.places.are_lines() {
            true => format!(":{line}"),
            false => format!(", {}", observed.places.at(line)),
        };
        return Err(format!("error: {name}{place}: one connection more is open than `--net {net}` has\n"));
    }
    Ok((observed, notes))
}

/// The report, without evidence, of a trace that was judged event by event from this moment on.
pub fn report(evidence: &NetworkedEvidence, name: &str, started: Instant) -> TraceReport {
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let stats = Stats { elapsed_ms, events: evidence.observed.recorded(), ..Stats::of(&evidence.judge) };
    TraceReport::new(&evidence.spec, name.to_owned(), &evidence.judge, stats).named(&evidence.observed.places)
}

/// The first line on which more than `most` connections are open.
fn crowded(events: &[RecordedEvent], most: usize) -> Option<u64> {
    let mut open = BTreeSet::new();
    events.iter().find_map(|(line, observation)| {
        if let Observation::Restart = observation {
            open.clear();
        }
        let port = observation.port()?;
        if matches!(observation, Observation::Lost(_) | Observation::Closed(_)) {
            open.remove(&port);
        } else {
            open.insert(port);
        }
        (open.len() > most).then_some(*line)
    })
}
