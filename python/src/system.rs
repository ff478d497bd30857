//! A system in Python as a system under test.
//!
//! A single client asks on the thread that called `mayhap.test`, so that a debugger, a database of one thread and Ctrl-C work there as in
//! any test. Of several clients, each has a thread of Python.

use crate::calls::{Calls, Outcome};
use crate::text;
use crate::working::MOMENT;
use mayhap::Spec;
use mayhap::sut::wire::LineCodec;
use mayhap::sut::{SutEvent, SutEventKind, SutFailure, SutFailureKind, System};
use mayhap::value::Value;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least time that a single client waits for an answer, so that the outcome does not depend on the clock.
const ALONE: Duration = Duration::from_secs(1);

/// A system that was made.
type Sut = Arc<Py<PyAny>>;

/// A task for the thread that called, or for that of a client.
pub enum Task {
    /// Make a system, and send it.
    Make(Sender<Result<Sut, SutFailure>>),
    /// Send a request, and report its outcome.
    Ask(Sut, Sender<ConnectionOutcome>, ClientRequest),
}

/// A request of a client.
pub struct ClientRequest {
    client: u64,
    connection: u64,
    /// The request, as JSON.
    request: String,
    /// Set when the connection has ended.
    is_over: Arc<AtomicBool>,
}

/// The outcome of a request, with the connection that it came on.
pub struct ConnectionOutcome {
    client: u64,
    connection: u64,
    found: Outcome,
}

impl Task {
    /// Does the task.
    pub fn perform(self, py: Python<'_>, calls: &Calls) {
        // Who does not wait any more is told nothing.
        match self {
            Task::Make(made) => _ = made.send(calls.make(py).map(Arc::new)),
            Task::Ask(sut, report, asked) => {
                if !asked.is_over.load(Ordering::Relaxed) {
                    asked.report(&report, calls.ask(py, &sut, asked.client, &asked.request));
                }
            }
        }
    }
}

impl ClientRequest {
    fn report(&self, report: &Sender<ConnectionOutcome>, found: Outcome) {
        if found.ends_connection() {
            self.is_over.store(true, Ordering::Relaxed);
        }
        let (client, connection) = (self.client, self.connection);
        _ = report.send(ConnectionOutcome { client, connection, found });
    }
}

/// A request for the thread of a client.
///
/// The thread is Python's, and waits in Python: when the program ends while a thread waits, the interpreter unwinds the thread's stack, which
/// must have no function of Rust on it.
#[pyclass(frozen, module = "mayhap._mayhap")]
pub struct ClientTask {
    calls: Arc<Calls>,
    sut: Sut,
    report: Mutex<Sender<ConnectionOutcome>>,
    asked: ClientRequest,
}

#[pymethods]
impl ClientTask {
    /// The system, the client and the request as JSON; nothing if the request is not to be sent any more.
    fn begin(&self, py: Python<'_>) -> Option<(Py<PyAny>, u64, String)> {
        let ClientRequest { client, request, is_over, .. } = &self.asked;
        (!is_over.load(Ordering::Relaxed)).then(|| (self.sut.clone_ref(py), *client, request.clone()))
    }

    /// Reports what the system returned.
    fn returned(&self, answer: &Bound<'_, PyAny>) {
        self.report(self.calls.outcome(answer, &self.asked.request));
    }

    /// Reports an exception.
    fn raised(&self, error: &Bound<'_, PyAny>) {
        self.report(self.calls.crash(error.py(), PyErr::from_value(error.clone())));
    }
}

impl ClientTask {
    fn report(&self, found: Outcome) {
        self.asked.report(&self.report.lock().unwrap_or_else(PoisonError::into_inner), found);
    }
}

/// The way to the thread that asks for a client.
enum TaskQueue {
    /// The thread that called.
    Caller(Sender<Task>),
    /// A queue of Python, which the client's own thread reads.
    Own(Arc<Calls>, Py<PyAny>),
}

impl TaskQueue {
    fn send(&self, sut: Sut, report: Sender<ConnectionOutcome>, asked: ClientRequest) -> Result<(), SutFailure> {
        match self {
            // Who has ended has reported why.
            TaskQueue::Caller(tasks) => _ = tasks.send(Task::Ask(sut, report, asked)),
            TaskQueue::Own(calls, queue) => {
                let task = ClientTask { calls: calls.clone(), sut, report: Mutex::new(report), asked };
                let put = Python::try_attach(|py| queue.call_method1(py, "put", (Py::new(py, task)?,)).map(|_| ()));
                let failed = |what: String| SutFailure::new(SutFailureKind::Start, what);
                put.ok_or_else(|| failed("interrupted".to_owned()))?.map_err(|error| failed(error.to_string()))?;
            }
        }
        Ok(())
    }
}

/// Ends the client's own thread.
impl Drop for TaskQueue {
    fn drop(&mut self) {
        if let TaskQueue::Own(_, queue) = self {
            // If the interpreter ends, so does the thread.
            _ = Python::try_attach(|py| queue.call_method1(py, "put", (py.None(),)).map(|_| ()));
        }
    }
}

/// A system in Python.
pub struct PythonSystem {
    calls: Arc<Calls>,
    codec: LineCodec,
    /// The tasks for the thread that called.
    caller: Sender<Task>,
    /// Set if there is a single client, which asks on that thread.
    is_single: bool,
    stop: Arc<AtomicBool>,
    sut: Option<Sut>,
    clients: BTreeMap<u64, Connected>,
    /// The number of connections so far.
    connections: u64,
    report: Sender<ConnectionOutcome>,
    outcomes: Receiver<ConnectionOutcome>,
}

/// A client with its connection.
struct Connected {
    tasks: TaskQueue,
    connection: u64,
    is_over: Arc<AtomicBool>,
    /// The number of requests without an answer so far.
    unanswered: u64,
}

impl PythonSystem {
    /// A system for so many clients, which is made by the thread that does the tasks.
    pub fn new(
        spec: &Arc<Spec>,
        calls: &Arc<Calls>,
        clients: u64,
        (caller, stop): (Sender<Task>, &Arc<AtomicBool>),
    ) -> PythonSystem {
        let (report, outcomes) = channel();
        PythonSystem {
            calls: calls.clone(),
            codec: LineCodec::new(spec),
            caller,
            is_single: clients == 1,
            stop: stop.clone(),
            sut: None,
            clients: BTreeMap::new(),
            connections: 0,
            report,
            outcomes,
        }
    }

    fn sut(&mut self) -> Result<Sut, SutFailure> {
        if let Some(sut) = &self.sut {
            return Ok(sut.clone());
        }
        let (made, making) = channel();
        _ = self.caller.send(Task::Make(made));
        loop {
            match making.recv_timeout(MOMENT) {
                Ok(made) => return Ok(self.sut.insert(made?).clone()),
                Err(RecvTimeoutError::Timeout) if !self.stop.load(Ordering::Relaxed) => {}
                Err(_) => return Err(SutFailure::new(SutFailureKind::Start, "interrupted")),
            }
        }
    }

    fn connected(&mut self, client: u64) -> Result<&mut Connected, SutFailure> {
        if !self.clients.contains_key(&client) {
            let tasks = match self.is_single {
                true => TaskQueue::Caller(self.caller.clone()),
                false => TaskQueue::Own(self.calls.clone(), started(client)?),
            };
            self.connections += 1;
            let connected = Connected { tasks, connection: self.connections, is_over: Arc::default(), unanswered: 0 };
            self.clients.insert(client, connected);
        }
        self.clients.get_mut(&client).ok_or_else(|| SutFailure::new(SutFailureKind::Start, "a client is missing"))
    }

    /// The event for an outcome; `None` if its connection was given up.
    fn event(&mut self, outcome: ConnectionOutcome) -> Option<Result<SutEvent, SutFailure>> {
        let client = outcome.client;
        let connected = self.clients.get_mut(&client).filter(|it| it.connection == outcome.connection)?;
        connected.unanswered = connected.unanswered.saturating_sub(1);
        let kind = match outcome.found {
            Outcome::Answer(answer) => match self.codec.answer(answer.as_bytes()) {
                Ok(value) => return Some(Ok(SutEvent { client, kind: SutEventKind::Answer(value) })),
                Err(failure) => {
                    // A failure is told on one line.
                    let help = if answer == "null" {
                        "; null is None: does ask return its answer?".to_owned()
                    } else {
                        text::hint(&answer).trim().replacen("help: ", "; ", 1)
                    };
                    let what = format!("the answer does not fit the specification: {}{help}", failure.what);
                    return Some(Err(SutFailure { kind: SutFailureKind::Adapter, what, ..failure }.of_client(client)));
                }
            },
            Outcome::Refused => SutEventKind::Refused,
            Outcome::Lost => SutEventKind::Lost,
            Outcome::Closed => SutEventKind::Closed,
            Outcome::Failed(failure) => return Some(Err(failure.of_client(client))),
        };
        if kind != SutEventKind::Refused {
            // The requests that were sent after it are lost with it.
            self.clients.remove(&client);
        }
        Some(Ok(SutEvent { client, kind }))
    }

    /// The moment until which to wait for an outcome.
    fn patience(&self, until: Instant) -> Instant {
        let mut clients = self.clients.values();
        match (clients.next(), clients.next()) {
            (Some(alone), None) if alone.unanswered > 0 => until.max(Instant::now() + ALONE),
            (Some(_) | None, _) => until,
        }
    }
}

impl System for PythonSystem {
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure> {
        let mut line = String::new();
        self.codec.write_request(&mut line, request);
        let (sut, report) = (self.sut()?, self.report.clone());
        let connected = self.connected(client)?;
        connected.unanswered += 1;
        let Connected { connection, is_over, tasks, .. } = connected;
        let asked = ClientRequest { client, connection: *connection, request: line, is_over: is_over.clone() };
        tasks.send(sut, report, asked)
    }

    fn next(&mut self, until: Instant) -> Result<Option<SutEvent>, SutFailure> {
        let until = self.patience(until);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.outcomes.recv_timeout(left.min(MOMENT)) {
                Ok(outcome) => {
                    if let Some(event) = self.event(outcome) {
                        return event.map(Some);
                    }
                }
                Err(RecvTimeoutError::Timeout) if left > MOMENT && !self.stop.load(Ordering::Relaxed) => {}
                Err(_) => return Ok(None),
            }
        }
    }

    fn close(&mut self, client: u64) -> Result<(), SutFailure> {
        self.clients.remove(&client);
        Ok(())
    }

    fn reset(&mut self, _clients: u64) -> Result<(), SutFailure> {
        self.clients.clear();
        self.sut = None;
        self.sut().map(|_| ())
    }

    fn crash(&mut self) -> Result<(), SutFailure> {
        Err(SutFailure::new(SutFailureKind::Start, "a system in the tester's own process cannot be killed"))
    }

    fn last_output(&mut self, _: Option<Instant>) -> Vec<String> {
        Vec::new()
    }
}

/// Starts a thread of Python that does the tasks of a client, and returns the queue of them.
fn started(client: u64) -> Result<Py<PyAny>, SutFailure> {
    let start = |py: Python<'_>| -> PyResult<Py<PyAny>> {
        let queue = py.import("queue")?.getattr("SimpleQueue")?.call0()?;
        let options = PyDict::new(py);
        options.set_item("target", py.import("mayhap._testing")?.getattr("_attend")?)?;
        options.set_item("args", (&queue,))?;
        options.set_item("name", format!("mayhap-client-{client}"))?;
        options.set_item("daemon", true)?;
        py.import("threading")?.getattr("Thread")?.call((), Some(&options))?.call_method0("start")?;
        Ok(queue.unbind())
    };
    let failed = |what: &str| SutFailure::new(SutFailureKind::Start, format!("no thread can be started: {what}"));
    let started = Python::try_attach(start).ok_or_else(|| failed("the program ends"))?;
    started.map_err(|error| failed(&error.to_string()))
}
