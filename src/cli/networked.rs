//! `mayhap validate --net NET`: traces of clients that do not wait for each other, judged event by event.
//!
//! This is for servers that do more than answering each request at once, and for networks other than TCP without limits:
//! `--net tcp,outstanding=1`, `--net udp`.

use mayhap::diagnostic::Colour;
use mayhap::dualize::{Options, RecordedEvent, Verdict, judge_recorded, unanswered};
use mayhap::network::{NetworkChoice, Observation};
use mayhap::report::conflict::names_under_way;
use mayhap::report::{Stats, TraceReport};
use mayhap::schedule;
use mayhap::spec::Spec;
use mayhap::trace::{Header, TraceReader};
use mayhap::validate::observations;
use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

/// The report of a trace, the verdict, and what the trace says of itself.
type JudgedTrace = (TraceReport, Verdict, Option<Header>);

/// Refuses a specification that does more than answering for a trace of clients that wait for each answer; the error is ready to be
/// shown.
pub fn refuse_alone(spec: &Spec, name: &str) -> Result<(), String> {
    if spec.asynchronous().is_empty() {
        return Ok(());
    }
    let render = |refused| spec.sources.render(refused, Colour::Never) + "\n";
    let refused: String = spec.asynchronous().iter().map(render).collect();
    Err(format!("{refused}error: {name}: its first line is a whole exchange: --net tcp judges it\n"))
}

/// Tests whether a trace is judged event by event: no order of requests alone explains it.
pub fn is_by_event(spec: &Arc<Spec>, net: NetworkChoice) -> bool {
    // Where the server may do something by itself, and be faulty, the search for an order rejects nothing.
    let has_steps = !spec.program.steps.is_empty();
    net != NetworkChoice::TCP || has_steps || !schedule::is_judged(&spec.for_networks())
}

/// Judges a trace event by event; the error is ready to be shown.
pub fn judge(
    (spec, net): (&Arc<Spec>, NetworkChoice),
    input: &mut impl BufRead,
    name: &str,
    options: &Options,
) -> Result<JudgedTrace, String> {
    let spec = &spec.for_networks();
    let mut reader = TraceReader::new(input);
    let events = observations(spec, &mut reader).map_err(|error| error.render(name))?;
    if events.is_empty() {
        return Err(format!("error: {name}: no events, so nothing was tested\n"));
    }
    if let Some(line) = net.connections().and_then(|most| crowded(&events, most)) {
        return Err(format!("error: {name}:{line}: one connection more is open than `--net {net}` has\n"));
    }
    let started = Instant::now();
    let judge = judge_recorded(spec, &*net.network(), &events, options);
    let verdict = judge.verdict();
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let stats = Stats { elapsed_ms, events: events.len() as u64, ..Stats::of(&judge) };
    let mut report = TraceReport::new(spec, name.to_owned(), &judge, stats);
    if let Verdict::Reject { event, .. } = verdict {
        report.explanation.push("no order in which the server may have worked explains it".to_owned());
        report.explanation.extend(names_under_way(&unanswered(&events, event)));
    }
    Ok((report, verdict, reader.header().cloned()))
}

/// The line on which more connections are open than so many.
fn crowded(events: &[RecordedEvent], most: usize) -> Option<u64> {
    let mut open = BTreeSet::new();
    events.iter().find_map(|(line, observation)| {
        let port = observation.port()?;
        if matches!(observation, Observation::Lost(_) | Observation::Closed(_)) {
            open.remove(&port);
        } else {
            open.insert(port);
        }
        (open.len() > most).then_some(*line)
    })
}
