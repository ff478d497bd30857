//! A session: events that are judged while they are observed.

use crate::cli::validate::limits_of;
use crate::errors::Kind;
use crate::events;
use crate::judged::kind;
use crate::text::{self, Unfit};
use mayhap::diagnostic::Colour;
use mayhap::evidence::Budget;
use mayhap::network::NetworkChoice;
use mayhap::report;
use mayhap::trace::Places;
use mayhap::{SessionProgress, Spec};
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// The progress after an event: a word, and the line that decided or the reason of a doubt.
type Progress = (&'static str, Option<u64>, Option<String>);

/// What a session says when it is asked: the verdict, its line, the explanation, the reason's lines, and possible answers as JSON.
type Stated = (&'static str, Option<u64>, Vec<String>, Vec<u64>, Vec<String>);

/// A judge of events one by one. It belongs to the thread that made it.
#[pyclass(unsendable, module = "mayhap._mayhap")]
pub struct Session {
    session: mayhap::Session,
    /// The number of events so far, as the index of the next one.
    count: usize,
    line: String,
}

impl Session {
    /// Begins a session, or continues a saved one, with limits in seconds and MiB.
    pub fn begin(
        py: Python<'_>,
        spec: &Arc<Spec>,
        net: Option<&str>,
        saved: Option<&str>,
        (seconds, memory): (f64, usize),
    ) -> PyResult<Session> {
        let usage = |why: String| Kind::Usage.error(py, &format!("error: {why}"));
        let time =
            Duration::try_from_secs_f64(seconds).map_err(|_| usage(format!("{seconds} is no time in seconds")))?;
        let options = limits_of(time, memory);
        let session = match saved {
            Some(saved) => mayhap::Session::resume(spec, options, saved).map_err(usage)?,
            None => {
                let net: NetworkChoice = net.unwrap_or("tcp").parse().map_err(usage)?;
                mayhap::Session::new(spec, net, options)
            }
        };
        Ok(Session { session, count: 0, line: String::new() })
    }

    /// Observes an event, which has this name in errors.
    fn observe(&mut self, event: &Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<SessionProgress> {
        let misfit = |unfit: Unfit| Kind::Trace.error(event.py(), &unfit.said(&name()));
        self.line.clear();
        events::line(&mut self.line, event).map_err(misfit)?;
        let progress = self.session.push_line(&self.line).map_err(|error| {
            let (way, found) = text::at(&self.line, error.column.saturating_sub(1) as usize);
            let why = format!("{}\n{}", error.message, text::hint(found));
            misfit(Unfit::new(why.trim_end()).within(way))
        })?;
        self.count += 1;
        Ok(progress)
    }
}

#[pymethods]
impl Session {
    /// Observes an event.
    fn push(&mut self, event: &Bound<'_, PyAny>) -> PyResult<Progress> {
        self.observe(event, || "event".to_owned()).map(shown)
    }

    /// Observes events, and returns the progress after the last one; `None` if there are none.
    fn push_all(&mut self, events: &Bound<'_, PyAny>) -> PyResult<Option<Progress>> {
        let mut progress = None;
        events::each(events, |index, event| {
            progress = Some(self.observe(event, || format!("events[{index}]"))?);
            if index & 0x3ff == 0 { event.py().check_signals() } else { Ok(()) }
        })?;
        Ok(progress.map(shown))
    }

    /// Judges what the end of the recording shows.
    fn settle(&mut self) -> Progress {
        shown(self.session.settle())
    }

    /// The verdict so far, with its evidence.
    fn evidence(&mut self, seconds: f64) -> Stated {
        let found = self.session.evidence(Budget::seconds(seconds));
        let mut explanation = found.explanation;
        let spec = self.session.spec();
        if let Some(fault) = report::fault(spec, &Places::default(), &found.verdict) {
            explanation.extend(spec.sources.render(&fault, Colour::Never).lines().map(str::to_owned));
        }
        (kind(&found.verdict), found.line, explanation, found.reason, found.possible)
    }

    /// The session as a text, from which another process can continue it.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        self.session.save().map_err(|why| Kind::Usage.error(py, &format!("error: {why}")))
    }

    /// The number of events that were observed here.
    fn __len__(&self) -> usize {
        self.count
    }
}

fn shown(progress: SessionProgress) -> Progress {
    match progress {
        SessionProgress::Explained => ("accept", None, None),
        SessionProgress::Rejected(line) => ("reject", Some(line), None),
        SessionProgress::Unknown(doubt) => ("unknown", None, Some(doubt.to_string())),
        SessionProgress::Outside(line) => ("outside", Some(line), None),
        SessionProgress::Faulty(line) => ("fault", Some(line), None),
    }
}
