//! `mayhap validate --net tcp`: traces of concurrent clients.
//!
//! Who does not say which network it is gets this one where the first event is no whole exchange: `{"c": 1, "q": 5}`.

use super::arguments::Net;
use mayhap::dualize::{Options, Verdict};
use mayhap::report::{Stats, TraceReport};
use mayhap::schedule;
use mayhap::spec::Spec;
use mayhap::trace::{EventKind, Header, TraceReader};
use mayhap::validate::history;
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

/// The most requests under way that an explanation names.
const NAMED: usize = 8;

/// The network of which a trace is, by its first event, as far as that has arrived.
pub fn sniffed(input: &mut impl BufRead) -> Net {
    let arrived = input.fill_buf().unwrap_or_default();
    let mut reader = TraceReader::new(arrived);
    match reader.next_line() {
        Ok(Some(line)) if !matches!(line.event.kind, EventKind::Exchange { .. }) => Net::Tcp,
        Ok(_) | Err(_) => Net::Sync,
    }
}

/// The report of a trace, the verdict, and what the trace says of itself.
type JudgedTrace = (TraceReport, Verdict, Option<Header>);

/// Reads and judges a trace of concurrent clients; the error is ready to be shown.
pub fn judge(spec: &Arc<Spec>, input: &mut impl BufRead, name: &str, options: &Options) -> Result<JudgedTrace, String> {
    if !schedule::is_judged(spec) {
        let why = "several clients at once are not supported yet for a specification with steps, or with a handler that may end \
                   without an answer";
        return Err(format!("error: {name}: {why}\n"));
    }
    let mut reader = TraceReader::new(input);
    let history = history(spec, &mut reader).map_err(|error| error.render(name))?;
    if history.is_empty() {
        return Err(format!("error: {name}: no events, so nothing was tested\n"));
    }
    let started = Instant::now();
    let judged = schedule::judge(spec, &history, options);
    let elapsed_ms = started.elapsed().as_millis() as u64;
    let stats = Stats { elapsed_ms, events: history.len() as u64, ..Stats::of(&judged.judge) };
    let mut report = TraceReport::new(spec, name.to_owned(), &judged.judge, stats);
    if let Verdict::Reject { event, .. } = judged.verdict {
        report.explanation.push("no order in which the server may have served the requests explains it".to_owned());
        report.explanation.extend(under_way(&history.under_way(event)));
    }
    Ok((report, judged.verdict, reader.header().cloned()))
}

/// Names the requests that were under way.
fn under_way(lines: &[u64]) -> Option<String> {
    let named: Vec<String> = lines.iter().take(NAMED).map(u64::to_string).collect();
    let more = if lines.len() > NAMED { format!(" and {} more", lines.len() - NAMED) } else { String::new() };
    (!lines.is_empty()).then(|| format!("requests under way: those of lines {}{more}", named.join(", ")))
}
