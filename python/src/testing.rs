//! `mayhap.test`: a system in Python is tested while the calling thread does what must be done in Python.

use crate::calls::Calls;
use crate::spec::Spec;
use crate::system::{PythonSystem, Task};
use crate::working::{MOMENT, Working};
use mayhap::report::campaign::{CampaignReport, CampaignVerdict, json, text};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::path::PathBuf;
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
    if !spec.program.peers.is_empty() {
        let why = "the specification calls peers, and a system in this process has none: the command `mayhap test` plays them";
        return Err(crate::errors::Kind::Usage.error(py, why));
    }
    let test = settings.of(&spec).map_err(|why| crate::errors::Kind::Usage.error(py, &why))?;
    let clients = settings.clients;
    let calls = Arc::new(Calls::new(py, make, none)?);
    let (caller, tasks) = channel();
    let shared = calls.clone();
    let working = Working::start(move |stop| {
        let mut system = PythonSystem::new(&spec, &shared, clients, (caller, stop));
        test.stopped_by(stop).check_system(&mut system)
    })?;
    let report = attend(py, &working, &Mutex::new(tasks), &calls).inspect_err(|_| working.end(py))?;
    let said = text::text(&report);
    let raised = calls.raised(&said).map(|error| error.into_value(py).into_any());
    Ok((word(report.verdict), said, json::json(&report), raised))
}

/// Does the tasks of a test until it has its report.
fn attend(
    py: Python<'_>,
    working: &Working<CampaignReport>,
    tasks: &Mutex<Receiver<Task>>,
    calls: &Calls,
) -> PyResult<CampaignReport> {
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
            let late = || PyRuntimeError::new_err("mayhap broke down, which is a defect of it: the test has no report");
            return working.result_within(py, Duration::from_secs(60))?.ok_or_else(late);
        }
    }
}

impl Settings {
    /// The test with these settings.
    ///
    /// # Errors
    /// A setting is out of range.
    fn of(&self, spec: &Arc<mayhap::Spec>) -> Result<mayhap::SystemTest, String> {
        let seconds = |name: &str, seconds: f64| {
            Duration::try_from_secs_f64(seconds).map_err(|_| format!("{name}={seconds} is no number of seconds"))
        };
        if self.clients == 0 || self.steps == Some(0) {
            return Err("clients and steps are at least 1".to_owned());
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
