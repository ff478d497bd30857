//! `mayhap validate --html FILE`: a page with pictures of the judged traces.
//!
//! Each judged trace is added to the [`Page`], in the order of the arguments. The page is written after the last one.

use super::evidence::WitnessSearch;
use crate::cli::failed;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::files;
use mayhap::evidence::{WitnessError, witness_in_parts};
use mayhap::judge::{Exchange, Options};
use mayhap::report::TraceReport;
use mayhap::report::history::page::page;
use mayhap::report::history::{DrawnTrace, MOST_DRAWN, ServedRequests};
use mayhap::spec::Spec;
use mayhap::validate::Recording;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The page, if one is wanted.
pub struct Page<'o> {
    file: Option<&'o Path>,
    traces: Vec<DrawnTrace>,
}

impl<'o> Page<'o> {
    /// An empty page for this file.
    pub fn new(file: Option<&'o Path>) -> Page<'o> {
        Page { file, traces: Vec::new() }
    }

    /// Adds a trace, if it was drawn.
    pub fn add(&mut self, drawn: Option<DrawnTrace>) {
        self.traces.extend(drawn);
    }

    /// Adds a trace that could not be judged.
    pub fn add_unjudged(&mut self, path: &Path, error: &str) {
        self.traces.extend(self.file.map(|_| DrawnTrace::unjudged(&files::shown(path), error.trim_end())));
    }

    /// Writes the page, if one is wanted.
    pub fn write(self, terminal: &mut Terminal) -> Exit {
        let Some(file) = self.file else { return Exit::Fine };
        match std::fs::write(file, page(&self.traces)) {
            Ok(()) => Exit::Fine,
            Err(cause) => failed(terminal, &files::unwritable(file, &cause)),
        }
    }
}

/// Finds the choices and served requests of an accepted trace, from a witness that is replayed.
///
/// # Errors
/// The witness does not replay, which is a bug of this program.
pub fn served(report: &TraceReport, search: WitnessSearch<'_>) -> Result<ServedRequests, String> {
    if report.verdict != "accept" {
        return Ok(ServedRequests::default());
    }
    let (mut served, mut count) = (ServedRequests::default(), 0);
    let found = search(&mut |segment| {
        served.add(&segment);
        count += segment.steps.len();
        if count > MOST_DRAWN { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match found {
        Ok(_) | Err(WitnessError::Stopped) => Ok(served),
        Err(error @ WitnessError::DoesNotReplay { .. }) => Err(error.to_string()),
        Err(error) => Ok(ServedRequests::missing(error.to_string())),
    }
}

/// Draws a trace of clients that wait for each other.
///
/// # Errors
/// The witness does not replay.
pub fn synchronous<R: Recording>(spec: &Arc<Spec>, report: &TraceReport, trace: &R) -> Result<DrawnTrace, String> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    trace.read(0, &mut |exchange| {
        exchanges.push(exchange.clone());
        if exchanges.len() > MOST_DRAWN { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let served = match exchanges.len() {
        drawn if drawn <= MOST_DRAWN => {
            served(report, &mut |give| witness_in_parts(spec, &Options::default(), &exchanges, give))?
        }
        _ => ServedRequests::default(),
    };
    Ok(DrawnTrace::synchronous(spec, report, &exchanges, &served))
}
