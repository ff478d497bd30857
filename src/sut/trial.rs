//! A trial of an adapter: sends one request of each kind, and reports the outcomes.
//!
//! ```text
//!   {"Get": {"key": "a"}}   →  {"Text": null}
//!   {"Incr": {"key": "a"}}  →  refused
//! ```

use std::thread;
use std::time::{Duration, Instant};

use super::{SutEventKind, SutFailure, System};
use crate::limits::end;
use crate::value::Value;

/// The longest single wait, so that an end of the work is noticed soon.
const LOOK: Duration = Duration::from_millis(100);

/// The outcome of one request in a trial.
#[derive(Clone, PartialEq, Debug)]
pub struct AdapterTrial {
    /// The request.
    pub request: Value,
    /// The first event that the client saw; `None` if none came before the deadline.
    pub outcome: Result<Option<SutEventKind>, SutFailure>,
}

/// Sends these requests to a fresh system from one client, one after another, and returns the outcomes, up to the first failure.
/// A pause that the system asks for is kept, up to the deadline.
///
/// # Errors
/// The system cannot be reset.
pub fn check_adapter(
    system: &mut dyn System,
    requests: &[Value],
    deadline: Duration,
) -> Result<Vec<AdapterTrial>, SutFailure> {
    system.reset(1)?;
    let mut trials = Vec::new();
    for request in requests {
        let pause = system.paused().map(|until| until.saturating_duration_since(Instant::now()));
        thread::sleep(pause.unwrap_or_default().min(deadline));
        let sent = system.send(1, request);
        let outcome = sent.and_then(|()| first_seen(system, Instant::now() + deadline));
        if outcome == Ok(None) {
            system.close(1)?;
        }
        let failed = outcome.is_err();
        trials.push(AdapterTrial { request: request.clone(), outcome });
        if failed {
            break;
        }
    }
    Ok(trials)
}

/// The first event that a client sees. Peers that are called meanwhile fail.
fn first_seen(system: &mut dyn System, until: Instant) -> Result<Option<SutEventKind>, SutFailure> {
    loop {
        match system.next(until.min(Instant::now() + LOOK))?.map(|event| event.kind) {
            Some(SutEventKind::Called(call)) => _ = system.answer_call(call.number, None),
            None if Instant::now() < until && !end::is_over() => {}
            seen => return Ok(seen),
        }
    }
}
