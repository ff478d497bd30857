//! `mayhap.test`: a system in Python is tested while the calling thread does what must be done in Python.

use crate::calls::Calls;
use crate::spec::Spec;
use crate::system::{PythonSystem, Task};
use crate::working::{MOMENT, Working};
use mayhap::report::campaign::{CampaignVerdict, json, text};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The settings of a test.
#[derive(FromPyObject)]
pub struct Settings {
    clients: u64,
    requests: u64,
    seed: u64,
    time: Option<f64>,
    steps: Option<u64>,
    deadline: f64,
    max_failures: usize,
    regressions: Option<PathBuf>,
}

/// The result of a test: its verdict in one word, the report as text and as JSON, and the exception that the report tells of.
type Tested = (&'static str, String, String, Option<Py<PyAny>>);

/// Tests systems that `make` makes. `none` has the answers that are none: lost, refused, closed.
#[pyfunction]
pub fn test(
    py: Python<'_>,
    spec: &Spec,
    make: Py<PyAny>,
    none: [Py<PyAny>; 3],
    settings: Settings,
) -> PyResult<Tested> {
    let spec = spec.spec.clone();
    let test = settings.of(&spec).map_err(|why| crate::errors::Kind::Usage.error(py, &why))?;
    let clients = settings.clients;
    let calls = Arc::new(Calls::new(py, make, none)?);
    let report = run(py, (spec, clients), &calls, move |system, stop| test.stopped_by(stop).check_system(system))?;
    let said = text::text(&report);
    let raised = raised(py, &calls, &said);
    Ok((word(report.verdict), said, json::json(&report), raised))
}

/// Runs a script against systems that `make` makes. Returns why it does not pass, and the exception that this tells of.
#[pyfunction]
pub fn replay(
    py: Python<'_>,
    spec: &Spec,
    make: Py<PyAny>,
    none: [Py<PyAny>; 3],
    script: String,
    settings: Settings,
) -> PyResult<Option<(String, Option<Py<PyAny>>)>> {
    let spec = spec.spec.clone();
    let test = settings.of(&spec).map_err(|why| crate::errors::Kind::Usage.error(py, &why))?;
    let calls = Arc::new(Calls::new(py, make, none)?);
    let replayed = run(py, (spec, settings.clients), &calls, move |system, stop| {
        test.stopped_by(stop).replay_system(&script, system)
    })?;
    let complaint = replayed.err();
    Ok(complaint.map(|said| (said.trim_end().to_owned(), raised(py, &calls, &said))))
}

/// Works with systems in Python on a thread of its own, while this one does what must be done in Python.
fn run<T: Send + 'static>(
    py: Python<'_>,
    (spec, clients): (Arc<mayhap::Spec>, u64),
    calls: &Arc<Calls>,
    work: impl FnOnce(&mut PythonSystem, &Arc<AtomicBool>) -> T + Send + 'static,
) -> PyResult<T> {
    let (caller, tasks) = channel();
    let shared = calls.clone();
    let working = Working::start(move |stop| {
        let mut system = PythonSystem::new(&spec, &shared, clients, (caller, stop));
        work(&mut system, stop)
    })?;
    attend(py, &working, &Mutex::new(tasks), calls).inspect_err(|_| working.end(py))
}

fn raised(py: Python<'_>, calls: &Calls, said: &str) -> Option<Py<PyAny>> {
    calls.raised(said).map(|error| error.into_value(py).into_any())
}

/// Does the tasks of a test until it has its result.
fn attend<T: Send + 'static>(
    py: Python<'_>,
    working: &Working<T>,
    tasks: &Mutex<Receiver<Task>>,
    calls: &Calls,
) -> PyResult<T> {
    loop {
        let next = py.detach(|| tasks.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(MOMENT));
        let is_over = match next {
            Ok(task) => {
                task.perform(py, calls);
                false
            }
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                false
            }
            Err(RecvTimeoutError::Disconnected) => true,
        };
        if let Some(error) = calls.ended() {
            return Err(error);
        }
        if is_over {
            let late = || PyRuntimeError::new_err("mayhap broke down, which is a defect of it: the test has no result");
            return working.result_within(py, Duration::from_secs(60))?.ok_or_else(late);
        }
    }
}

impl Settings {
    /// The test with these settings.
    ///
    /// # Errors
    /// A setting is out of range, or a system in this process cannot follow the specification.
    fn of(&self, spec: &Arc<mayhap::Spec>) -> Result<mayhap::SystemTest, String> {
        let seconds = |name: &str, seconds: f64| {
            Duration::try_from_secs_f64(seconds).map_err(|_| format!("{name}={seconds} is no number of seconds"))
        };
        if !spec.program.peers.is_empty() {
            let why = "the specification calls peers, and a system in this process has none: the command `mayhap test` plays them";
            return Err(why.to_owned());
        }
        let test = mayhap::test(spec).clients(self.clients).requests(self.requests).seed(self.seed);
        let mut test = test.max_failures(self.max_failures).deadline(seconds("deadline", self.deadline)?);
        if let Some(time) = self.time {
            test = test.time(seconds("time", time)?);
        }
        if let Some(steps) = self.steps {
            test = test.steps(steps);
        }
        if let Some(directory) = &self.regressions {
            test = test.regressions(directory);
        }
        Ok(test)
    }
}

fn word(verdict: CampaignVerdict) -> &'static str {
    match verdict {
        CampaignVerdict::Pass => "pass",
        CampaignVerdict::Violation => "violation",
        CampaignVerdict::Broken => "broken",
        CampaignVerdict::Untested => "untested",
        CampaignVerdict::Unknown => "unknown",
        CampaignVerdict::Interrupted => "interrupted",
    }
}
