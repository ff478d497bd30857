//! Events as Python dicts, which become the lines of a recording.
//!
//! `{"c": 1, "q": "Get"}` is the line `{"c": 1, "q": "Get"}`. The event with index 2 is on line 3.

use crate::errors::{self, Kind};
use crate::text::{self, Unfit};
use mayhap::diagnostic::suggest;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;

/// The keys of events. What `t`, `n` and `note` say is not read.
const KEYS: [&str; 12] = ["q", "a", "c", "lost", "closed", "left", "restart", "peer", "key", "sent", "mayhap", "spec"];
/// The keys whose values are remarks, or belong to the first line.
const REMARKS: [&str; 5] = ["state", "restarts", "t", "n", "note"];

/// Events as a recording in memory.
#[pyclass(frozen, module = "mayhap._mayhap")]
pub struct Events {
    /// The lines.
    pub lines: Arc<[u8]>,
}

#[pymethods]
impl Events {
    /// Reads events from an iterable.
    #[new]
    fn new(events: &Bound<'_, PyAny>) -> PyResult<Events> {
        let mut lines = String::new();
        each(events, |index, event| {
            line(&mut lines, event).map_err(|unfit| misfit(event.py(), index, &unfit))?;
            lines.push('\n');
            if index & 0xfff == 0 { event.py().check_signals() } else { Ok(()) }
        })?;
        Ok(Events { lines: lines.into_bytes().into() })
    }
}

/// Calls `see` with the index and the event, for each event of an iterable.
///
/// # Errors
/// The iterable cannot be iterated, or raised an exception; or `see` has failed.
pub fn each<'py>(
    events: &Bound<'py, PyAny>,
    mut see: impl FnMut(usize, &Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let py = events.py();
    if events.is_instance_of::<PyDict>() {
        return Err(Kind::Usage.error(py, "one event was given: a recording is a path, or an iterable of events"));
    }
    let iterator = events.try_iter().map_err(|_| {
        let name = text::type_name(events);
        Kind::Usage.error(py, &format!("{name} is no recording: it is a path, or an iterable of events"))
    })?;
    for (index, event) in iterator.enumerate() {
        let event = event.map_err(|error| match errors::is_ordinary(py, &error) {
            true => {
                let why = errors::shown(py, &error);
                Kind::Trace.caused(py, &format!("events[{index}] was not produced: {why}"), error)
            }
            false => error,
        })?;
        see(index, &event)?;
    }
    Ok(())
}

/// The error that an object is no event.
pub fn misfit(py: Python<'_>, index: usize, unfit: &Unfit) -> PyErr {
    Kind::Trace.error(py, &unfit.said(&format!("events[{index}]")))
}

/// Appends an event as a line, without its end.
///
/// # Errors
/// The object is no dict with the keys of an event, or a part of it has no form as JSON.
pub fn line(out: &mut String, event: &Bound<'_, PyAny>) -> Result<(), Unfit> {
    let Ok(dict) = event.cast::<PyDict>() else {
        let name = text::type_name(event);
        let hint =
            if name == "str" { "; json.loads(line) makes one of a line, and a file is given as its path" } else { "" };
        return Err(Unfit::new(format!("{name} is no event, which is a dict such as {{'q': 5, 'a': 1}}{hint}")));
    };
    out.push('{');
    let start = out.len();
    for (key, value) in dict.iter() {
        let Some(name) = known(&key)? else { continue };
        out.push_str(if out.len() == start { "\"" } else { ", \"" });
        out.push_str(name);
        out.push_str("\": ");
        text::write(out, &value).map_err(|unfit| unfit.within(text::step(name)))?;
    }
    out.push('}');
    Ok(())
}

/// The key, if it has a meaning; `None` if its value is a remark.
fn known(key: &Bound<'_, PyAny>) -> Result<Option<&'static str>, Unfit> {
    let py = key.py();
    // Keys in the text of a program are interned.
    for (interned, name) in [(intern!(py, "q"), "q"), (intern!(py, "a"), "a"), (intern!(py, "c"), "c")] {
        if key.is(interned) {
            return Ok(Some(name));
        }
    }
    let shown = key.repr().map(|shown| shown.to_string()).unwrap_or_default();
    let text = key.cast::<PyString>().ok().and_then(|text| text.to_cow().ok());
    let text = text.ok_or_else(|| Unfit::new(format!("the key {shown} is no string")))?;
    if let Some(name) = KEYS.iter().chain(&REMARKS[..2]).find(|name| **name == &*text) {
        return Ok(Some(name));
    }
    if REMARKS.contains(&&*text) {
        return Ok(None);
    }
    let near = suggest(&text, KEYS).map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
    let keys = "'q' (a request), 'a' (its answer), 'c' (the client), 'lost', 'closed', 'left', 'restart', 'peer', 'key' and 'sent'";
    Err(Unfit::new(format!(
        "the key {shown} has no meaning{near}; an event has {keys}, and 't', 'n' or 'note' for remarks"
    )))
}
