//! Long work without the GIL, on a thread of its own, which Ctrl-C ends.
//!
//! The calling thread waits, and runs Python's handlers of signals meanwhile. If one raises an exception, the work is told to end.

use mayhap::limits::end::WorkEnd;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The time between two looks for signals, or whether the work is to end.
pub const MOMENT: Duration = Duration::from_millis(50);
/// The time that work has to end after it was told to.
const LAST: Duration = Duration::from_millis(700);
/// The stack of the thread: what is read may be nested 128 levels deep.
const STACK: usize = 32 << 20;

/// Work that is under way on its own thread.
pub struct Working<T> {
    /// Set when the work is to end.
    pub stop: Arc<AtomicBool>,
    /// The result; only one thread asks for it.
    result: Mutex<Receiver<thread::Result<T>>>,
}

impl<T: Send + 'static> Working<T> {
    /// Starts some work, which gets the flag that ends it.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static) -> PyResult<Working<T>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (done, result): (Sender<thread::Result<T>>, _) = channel();
        let told = stop.clone();
        let work = move || {
            let _end = WorkEnd::of(&told).enter();
            // Nobody waits any more if the work took too long to end.
            _ = done.send(panic::catch_unwind(AssertUnwindSafe(|| work(&told))));
        };
        let thread = thread::Builder::new().name("mayhap".to_owned()).stack_size(STACK).spawn(work);
        thread.map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
        Ok(Working { stop, result: Mutex::new(result) })
    }

    /// The result, if it comes within a time.
    ///
    /// # Errors
    /// The work has panicked.
    pub fn result_within(&self, py: Python<'_>, time: Duration) -> PyResult<Option<T>> {
        let received = py.detach(|| self.result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
        match received {
            Ok(Ok(result)) => Ok(Some(result)),
            Ok(Err(panic)) => Err(broken(&*panic)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(broken(&"the thread has ended")),
        }
    }

    /// Tells the work to end, and waits a moment for it.
    pub fn end(&self, py: Python<'_>) {
        self.stop.store(true, Ordering::Relaxed);
        _ = self.result_within(py, LAST);
    }
}

/// Does some work on a thread of its own.
///
/// # Errors
/// A handler of a signal raised an exception, or the work has panicked.
pub fn run<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let working = Working::start(move |_| work())?;
    loop {
        if let Some(result) = working.result_within(py, MOMENT)? {
            return Ok(result);
        }
        py.check_signals().inspect_err(|_| working.end(py))?;
    }
}

/// The error that mayhap itself has failed.
fn broken(panic: &(dyn Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    PyRuntimeError::new_err(format!("mayhap broke down, which is a defect of it: {}", said.unwrap_or("it panicked")))
}
