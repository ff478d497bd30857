//! A trace of whole exchanges over connections: nothing overlaps, so it is judged as that of a client who waits, if that accepts it.
//!
//! `{"q": 5, "a": 1}` is a request that is answered before anything else happens. What is not accepted so, or is no trace of such
//! exchanges, is judged as a history of concurrent clients, which has the evidence.

use super::again::{Once, Rereading};
use super::progress::ProgressLine;
use super::{concurrent, files, networked};
use mayhap::details::Observed;
use mayhap::dualize::{Options, Verdict};
use mayhap::network::{MostOutstanding, NetworkChoice};
use mayhap::report::{Stats, TraceReport};
use mayhap::spec::Spec;
use mayhap::trace::{Header, TraceFormat};
use mayhap::validate::{Exchanges, Validator};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The number of events of an exchange.
const EVENTS: u64 = 2;

/// Tests whether exchanges of clients who wait are over this network what they are without one.
fn is_same(spec: &Arc<Spec>, net: NetworkChoice) -> bool {
    net.is_like_tcp(MostOutstanding { each: 1, all: 1 })
        && net.connections().is_none()
        && networked::is_order(&spec.for_networks())
}

/// The report of a trace that is accepted, with its first line; nothing where it is to be judged as a history.
pub fn accepted(
    (spec, net): (&Arc<Spec>, NetworkChoice),
    path: &Path,
    options: &Options,
    progress: &ProgressLine,
) -> Option<(TraceReport, Option<Header>)> {
    if !files::is_file(path) || !is_same(spec, net) {
        return None;
    }
    let mut trace = Once::open(path, Rereading::Once, progress.read()).ok()?;
    if concurrent::sniffed(&mut trace.input, TraceFormat::Ndjson) != NetworkChoice::SYNC {
        return None;
    }
    let mut exchanges = Exchanges::new(spec, &mut trace.input);
    let mut validator = Validator::with_options(spec, options.clone());
    let started = Instant::now();
    while let Some(exchange) = exchanges.next_exchange().ok()? {
        progress.tick(exchanges.position().events);
        let is_answered = matches!(exchange.observed, Observed::Answer(_) | Observed::Any);
        if !is_answered || !validator.observe_exchange(&exchange) {
            return None;
        }
    }
    let events = EVENTS * exchanges.position().events;
    let is_accepted = events > 0 && matches!(validator.verdict(), Verdict::Accept { warning: None });
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let stats = Stats { elapsed_ms, events, ..Stats::of(validator.judge()) };
    let report = TraceReport::new(spec, files::shown(path), validator.judge(), stats);
    is_accepted.then(|| (report, exchanges.header().cloned()))
}
