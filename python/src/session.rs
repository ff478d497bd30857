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
use mayhap::session::SessionEvidence;
use mayhap::trace::{Places, TraceError};
use mayhap::{SessionProgress, Spec};
use pyo3::prelude::*;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The progress after an event: a word, and the line that decided or the reason of a doubt.
type Progress = (&'static str, Option<u64>, Option<String>);

/// What a session says when it is asked: the verdict, its line, the explanation, the reason's lines, and possible answers as JSON.
type Stated = (&'static str, Option<u64>, Vec<String>, Vec<u64>, Vec<String>);

/// The number of events that are judged at once, so that the GIL does not change hands for each.
const AT_ONCE: usize = 256;

/// A judge of events one by one.
#[pyclass(frozen, module = "mayhap._mayhap")]
pub struct Session {
    /// The session; who waits for it does not hold the GIL.
    session: Mutex<mayhap::Session>,
    /// The number of events so far.
    count: AtomicUsize,
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
        Ok(Session { session: Mutex::new(session), count: AtomicUsize::new(0) })
    }

    /// Does something with the session, without the GIL.
    fn with<T: Send>(&self, py: Python<'_>, does: impl FnOnce(&mut mayhap::Session) -> T + Send) -> T {
        py.detach(|| does(&mut self.session.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Observes the events on some lines; `name` says how errors call an event by its index among them.
    fn observe(&self, py: Python<'_>, lines: &[String], name: impl Fn(usize) -> String) -> PyResult<Option<Progress>> {
        let observed = self.with(py, |session| {
            let mut progress = None;
            for (index, line) in lines.iter().enumerate() {
                progress = Some(session.push_line(line).map_err(|error| (index, error))?);
            }
            Ok(progress)
        });
        let count = observed.as_ref().map_or_else(|(index, _): &(usize, TraceError)| *index, |_| lines.len());
        self.count.fetch_add(count, Ordering::Relaxed);
        let progress = observed.map_err(|(index, error)| {
            let (way, found) = text::at(&lines[index], error.column.saturating_sub(1) as usize);
            let why = format!("{}\n{}", error.message, text::hint(found));
            Kind::Trace.error(py, &Unfit::new(why.trim_end()).within(way).said(&name(index)))
        })?;
        Ok(progress.map(shown))
    }
}

#[pymethods]
impl Session {
    /// Observes an event.
    fn push(&self, event: &Bound<'_, PyAny>) -> PyResult<Progress> {
        let mut line = String::new();
        events::line(&mut line, event).map_err(|unfit| Kind::Trace.error(event.py(), &unfit.said("event")))?;
        let progress = self.observe(event.py(), &[line], |_| "event".to_owned())?;
        Ok(progress.unwrap_or(("accept", None, None)))
    }

    /// Observes events, and returns the progress after the last one; `None` if there are none.
    fn push_all(&self, events: &Bound<'_, PyAny>) -> PyResult<Option<Progress>> {
        let py = events.py();
        let (mut progress, mut lines, mut first) = (None, Vec::new(), 0);
        let mut judge = |lines: &mut Vec<String>| {
            // Nothing is observed twice, even if one of these is malformed.
            let lines = std::mem::take(lines);
            let observed = self.observe(py, &lines, |index| format!("events[{}]", first + index))?;
            first += lines.len();
            progress = observed.or(progress.take());
            py.check_signals()
        };
        let read = events::each(events, |index, event| {
            let mut line = String::new();
            events::line(&mut line, event).map_err(|unfit| events::misfit(py, index, &unfit))?;
            lines.push(line);
            if lines.len() == AT_ONCE { judge(&mut lines) } else { Ok(()) }
        });
        // The events before a malformed one stay observed.
        judge(&mut lines)?;
        read?;
        Ok(progress)
    }

    /// Observes lines, and returns the progress after each that is not explained, with its index. `name` names a line by its index.
    /// After a verdict nothing more is observed.
    fn push_lines(
        &self,
        py: Python<'_>,
        lines: Vec<String>,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<(usize, Progress)>> {
        let mut found = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let named = |_| name.call1((index,)).and_then(|name| name.extract()).unwrap_or_else(|_| "event".to_owned());
            let Some(progress) = self.observe(py, slice::from_ref(line), named)? else { continue };
            if progress.0 != "accept" {
                found.push((index, progress));
            }
            if !matches!(found.last(), None | Some((_, ("unknown", ..)))) {
                break;
            }
        }
        Ok(found)
    }

    /// Judges what the end of the recording shows.
    fn settle(&self, py: Python<'_>) -> Progress {
        shown(self.with(py, mayhap::Session::settle))
    }

    /// The verdict so far, with its evidence.
    fn evidence(&self, py: Python<'_>, seconds: f64) -> Stated {
        self.with(py, |session| {
            let found = evidence(session, seconds);
            (kind(&found.verdict), found.line, found.explanation, found.reason, found.possible)
        })
    }

    /// The session as a text, from which another process can continue it.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        let saved = self.with(py, |session| session.save());
        saved.map_err(|why| Kind::Usage.error(py, &format!("error: {why}")))
    }

    /// The number of events that were observed here.
    fn __len__(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

/// The verdict of a session with its evidence, for which it is looked some seconds; a fault of the specification is explained, too.
pub fn evidence(session: &mut mayhap::Session, seconds: f64) -> SessionEvidence {
    let mut found = session.evidence(Budget::seconds(seconds));
    let spec = session.spec();
    if let Some(fault) = report::fault(spec, &Places::default(), &found.verdict) {
        found.explanation.extend(spec.sources.render(&fault, Colour::Never).lines().map(str::to_owned));
    }
    found
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
