//! Calls of a system in Python: a request goes in as an object, and its answer comes out as JSON.

use crate::errors;
use crate::text;
use mayhap::sut::{SutFailure, SutFailureKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The outcome of a request.
pub enum Outcome {
    /// The answer, as JSON.
    Answer(String),
    /// No answer came.
    Lost,
    /// The request took no effect.
    Refused,
    /// The system ended the connection.
    Closed,
    /// The system broke down.
    Failed(SutFailure),
}

/// The functions that a system in Python is made and asked by.
pub struct Calls {
    make: Py<PyAny>,
    /// The function that reads a request.
    read: Py<PyAny>,
    /// The answers that are none: lost, refused, closed.
    none: [Py<PyAny>; 3],
    /// The exceptions that were raised, each with the words of its failure; of equal words, the last one.
    raised: Mutex<Vec<(String, PyErr)>>,
    /// The exception that ends the test.
    ended: Mutex<Option<PyErr>>,
}

/// The most exceptions that are kept.
const KEPT: usize = 64;

impl Outcome {
    /// Tests whether the connection is over: later requests on it are not sent.
    pub fn ends_connection(&self) -> bool {
        matches!(self, Outcome::Lost | Outcome::Closed)
    }
}

impl Calls {
    /// The calls of systems that `make` makes.
    ///
    /// # Errors
    /// The package cannot be imported.
    pub fn new(py: Python<'_>, make: Py<PyAny>, none: [Py<PyAny>; 3]) -> PyResult<Calls> {
        let read = py.import("mayhap._json")?.getattr("read")?.unbind();
        Ok(Calls { make, read, none, raised: Mutex::default(), ended: Mutex::default() })
    }

    /// Makes a system.
    ///
    /// # Errors
    /// An exception was raised.
    pub fn make(&self, py: Python<'_>) -> Result<Py<PyAny>, SutFailure> {
        let made = self.make.bind(py).call0().and_then(|sut| {
            if sut.getattr("ask").is_ok_and(|ask| ask.is_callable()) {
                return Ok(sut.unbind());
            }
            let name = text::type_name(&sut);
            Err(PyTypeError::new_err(format!("{name} has no method ask(client, request)")))
        });
        made.map_err(|error| self.failure(py, SutFailureKind::Start, "the system cannot be made", error))
    }

    /// Asks a system.
    pub fn ask(&self, py: Python<'_>, sut: &Py<PyAny>, client: u64, request: &str) -> Outcome {
        let answer = self.read.bind(py).call1((request,));
        let answer = answer.and_then(|request| sut.bind(py).call_method1("ask", (client, request)));
        match answer {
            Ok(answer) => self.outcome(&answer, request),
            Err(error) => self.crash(py, error),
        }
    }

    /// The outcome of a request that raised an exception.
    pub fn crash(&self, py: Python<'_>, error: PyErr) -> Outcome {
        Outcome::Failed(self.failure(py, SutFailureKind::Crash, "the system raised", error))
    }

    /// The outcome of a request that was answered, or has an answer that is none.
    pub fn outcome(&self, answer: &Bound<'_, PyAny>, request: &str) -> Outcome {
        let py = answer.py();
        let [lost, refused, closed] = &self.none;
        if answer.is(lost) {
            return Outcome::Lost;
        } else if answer.is(refused.bind(py)) {
            return Outcome::Refused;
        } else if answer.is(closed.bind(py)) {
            return Outcome::Closed;
        }
        let mut written = String::new();
        match text::write(&mut written, answer) {
            Ok(()) => Outcome::Answer(written),
            Err(unfit) => {
                let what = format!("asked {request}, the system returned no answer: {}", unfit.said("answer"));
                Outcome::Failed(SutFailure::new(SutFailureKind::Adapter, what))
            }
        }
    }

    /// Notes an exception, and returns it as a failure of the system. One that ends the program ends the test.
    fn failure(&self, py: Python<'_>, kind: SutFailureKind, what: &str, error: PyErr) -> SutFailure {
        let separator = if kind == SutFailureKind::Start { ": " } else { " " };
        let said = format!("{what}{separator}{}", errors::shown(py, &error));
        if errors::is_ordinary(py, &error) {
            let mut raised = lock(&self.raised);
            raised.retain(|(words, _)| *words != said);
            if raised.len() < KEPT {
                raised.push((said.clone(), error));
            }
        } else {
            lock(&self.ended).get_or_insert(error);
        }
        SutFailure::new(kind, said)
    }

    /// The exception that ends the test, if one was raised.
    pub fn ended(&self) -> Option<PyErr> {
        lock(&self.ended).take()
    }

    /// The exception whose failure a report tells of.
    pub fn raised(&self, report: &str) -> Option<PyErr> {
        let mut raised = lock(&self.raised);
        let at = raised.iter().position(|(words, _)| report.contains(words.as_str()))?;
        Some(raised.swap_remove(at).1)
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
