//! A specification as a system under test in this process. Requests are served one after another, as soon as they are sent.
//!
//! Its behaviour is a function of its seed. If a request has no run, the system breaks down, like a server that crashes. If a
//! request breaks the client's duty, by the rules of the mutant, it is refused.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::choice::Random;
use crate::server::{Ranges, Reply, Server, Stop};
use crate::spec::Spec;
use crate::sut::{SutEvent, SutEventKind, SutFailure, SutFailureKind, System};
use crate::value::Value;

/// The range of the integers that it chooses in every second run, if it can; it is small so that values repeat.
const FEW: (i64, i64) = (0, 6);

/// A specification that is served.
pub(super) struct ServedSpec {
    spec: Arc<Spec>,
    runs: u64,
    choices: Random,
    server: Option<Server>,
    events: VecDeque<SutEvent>,
}

impl ServedSpec {
    /// A system that was not started yet.
    pub fn new(spec: &Arc<Spec>, seed: u64) -> ServedSpec {
        ServedSpec { spec: spec.clone(), runs: 0, choices: Random::new(seed), server: None, events: VecDeque::new() }
    }

    fn event(&mut self, client: u64, kind: SutEventKind) {
        self.events.push_back(SutEvent { client, kind });
    }
}

fn broken(kind: SutFailureKind, client: Option<u64>, stop: &Stop) -> SutFailure {
    SutFailure { client, ..SutFailure::new(kind, stop.to_string()) }
}

impl System for ServedSpec {
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure> {
        let Some(server) = &mut self.server else {
            return self.reset(client).and_then(|()| self.send(client, request));
        };
        match server.handle(request, client, &mut self.choices) {
            Ok(Reply::Answer(answer)) => self.event(client, SutEventKind::Answer(answer)),
            Ok(Reply::Nothing) => {}
            Err(Stop::Outside(_)) => self.event(client, SutEventKind::Refused),
            Err(stop @ (Stop::Fault(_) | Stop::Stuck(_))) => {
                return Err(broken(SutFailureKind::Crash, Some(client), &stop));
            }
            Err(stop) => return Err(broken(SutFailureKind::Adapter, Some(client), &stop)),
        }
        Ok(())
    }

    /// Nothing happens between requests, so an answer that did not come at once never comes.
    fn next(&mut self, _until: Instant) -> Result<Option<SutEvent>, SutFailure> {
        Ok(self.events.pop_front())
    }

    fn close(&mut self, client: u64) -> Result<(), SutFailure> {
        self.events.retain(|event| event.client != client);
        Ok(())
    }

    fn reset(&mut self, _clients: u64) -> Result<(), SutFailure> {
        self.events.clear();
        self.runs += 1;
        let ranges = Ranges { choose: self.runs.is_multiple_of(2).then_some(FEW), ..Ranges::default() };
        let server = Server::new(self.spec.clone(), ranges, &mut self.choices);
        self.server = Some(server.map_err(|stop| broken(SutFailureKind::Start, None, &stop))?);
        Ok(())
    }

    fn crash(&mut self) -> Result<(), SutFailure> {
        self.events.clear();
        Ok(())
    }

    fn last_output(&mut self, _: Option<Instant>) -> Vec<String> {
        Vec::new()
    }
}
