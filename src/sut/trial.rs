//! A trial of an adapter: one request of each kind is sent, and what comes back is told.
//!
//! ```text
//!   {"Get": {"key": "a"}}   →  {"Text": null}
//!   {"Incr": {"key": "a"}}  →  refused
//! ```

use std::thread;
use std::time::{Duration, Instant};

use super::{SutEventKind, SutFailure, System};
use crate::value::Value;

/// The outcome of a request that was tried; nothing if nothing came before the deadline.
#[derive(Clone, PartialEq, Debug)]
pub struct AdapterTrial {
    /// The request.
    pub request: Value,
    /// The first thing that its client saw.
    pub outcome: Result<Option<SutEventKind>, SutFailure>,
}

/// Sends these requests to a fresh system with one client, one after another, and returns what came back for each, up to the first failure.
/// A system that asks for a pause gets one, as long as the deadline at most.
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

/// The first thing that a client sees; peers that are called meanwhile fail.
fn first_seen(system: &mut dyn System, until: Instant) -> Result<Option<SutEventKind>, SutFailure> {
    loop {
        match system.next(until)?.map(|event| event.kind) {
            Some(SutEventKind::Called(call)) => _ = system.answer_call(call.number, None),
            seen => return Ok(seen),
        }
    }
}
