//! A system in this process: a value of the program's own type, with a thread for each client.
//!
//! ```
//! use mayhap::Spec;
//! use mayhap::sut::{InProcess, Sut, SutAnswer, SutEvent, SutEventKind, System};
//! use mayhap::value::Value;
//! use std::time::{Duration, Instant};
//! # use std::sync::atomic::{AtomicI64, Ordering};
//! # #[derive(Default)]
//! # struct Counter(AtomicI64);
//! # impl Sut for Counter {
//! #     type Request = i64;
//! #     type Response = i64;
//! #     fn ask(&self, _client: u64, request: i64) -> SutAnswer<i64> {
//! #         SutAnswer::Is(self.0.fetch_add(request, Ordering::SeqCst) + request)
//! #     }
//! # }
//! let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }")?;
//! let mut system = InProcess::new(&spec, Counter::default)?;
//! system.reset(1)?;
//! system.send(1, &Value::from(5))?;
//! let event = system.next(Instant::now() + Duration::from_secs(10))?;
//! assert_eq!(event, Some(SutEvent { client: 1, kind: SutEventKind::Answer(Value::from(5)) }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod ask;
pub(crate) mod asynchronous;
pub(crate) mod threads;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::kinds::request_kinds;
use super::numbered::numbered;
use super::wire::LineCodec;
use super::{SutEvent, SutEventKind, SutFailure, SutFailureKind, System};
use crate::json::from_line;
use crate::spec::Spec;
use crate::value::Value;
use ask::{RawAnswer, Sut, SutAnswer};
use threads::{ClientThread, NoAnswer};

/// The least time that a single client waits for an answer, so that the outcome does not depend on the clock.
const ALONE: Duration = Duration::from_secs(1);

/// A system in this process.
pub struct InProcess<S, F> {
    codec: LineCodec,
    numbers_tokens: bool,
    factory: F,
    sut: Option<Arc<S>>,
    clients: BTreeMap<u64, Connected>,
    /// The number of connections so far.
    connections: u64,
    report: Sender<ConnectionOutcome>,
    outcomes: Receiver<ConnectionOutcome>,
}

/// A client with its thread.
struct Connected {
    thread: ClientThread,
    /// The number of the client's connection.
    connection: u64,
    /// The number of requests without an answer so far.
    unanswered: u64,
}

/// The outcome of a request, with the connection that it came on.
struct ConnectionOutcome {
    client: u64,
    connection: u64,
    found: Result<RawAnswer, NoAnswer>,
}

/// Checks that these requests are values of the program's type.
fn fits<S: Sut>(codec: &LineCodec, requests: &[Value]) -> Result<(), SutFailure> {
    for request in requests {
        let mut line = String::new();
        codec.write_request(&mut line, request);
        if let Err(error) = from_line::<S::Request>(&line) {
            let name = std::any::type_name::<S::Request>();
            return Err(mismatch(&format!("the request {line} is no {name}: {error}")));
        }
    }
    Ok(())
}

impl<S: Sut, F: Fn() -> S> InProcess<S, F> {
    /// A system that the factory makes anew at each reset.
    ///
    /// # Errors
    /// The program's type of requests does not fit the specification's: a request of some kind is no value of it. Or the
    /// specification calls peers.
    pub fn new(spec: &Arc<Spec>, factory: F) -> Result<InProcess<S, F>, SutFailure> {
        if !spec.program.peers.is_empty() {
            let what = "the specification calls peers, and a system in this process has none: `mayhap test` plays them";
            return Err(SutFailure::new(SutFailureKind::Start, what));
        }
        let codec = LineCodec::new(spec);
        let kinds = request_kinds(spec);
        let is_named = fits::<S>(&codec, &kinds);
        let numbers: Vec<Value> = kinds.iter().map(numbered).collect();
        let numbers_tokens = is_named.is_err() && numbers != kinds && fits::<S>(&codec, &numbers).is_ok();
        if !numbers_tokens {
            is_named?;
        }
        let (report, outcomes) = channel();
        let clients = BTreeMap::new();
        Ok(InProcess { codec, numbers_tokens, factory, sut: None, clients, connections: 0, report, outcomes })
    }

    /// Tests whether the program's type of requests has tokens as numbers.
    #[must_use]
    pub fn numbers_tokens(&self) -> bool {
        self.numbers_tokens
    }

    fn connected(&mut self, client: u64) -> &mut Connected {
        let (factory, connections, report) = (&self.factory, &mut self.connections, &self.report);
        let sut = self.sut.get_or_insert_with(|| Arc::new(factory()));
        self.clients.entry(client).or_insert_with(|| {
            *connections += 1;
            let (connection, report) = (*connections, report.clone());
            let thread = ClientThread::start(sut.clone(), client, move |connection, found| {
                // The receiver is gone if the test is over.
                _ = report.send(ConnectionOutcome { client, connection, found });
            });
            Connected { thread, connection, unanswered: 0 }
        })
    }

    /// The event for an outcome; `None` if its connection was given up.
    fn event(&mut self, outcome: ConnectionOutcome) -> Option<Result<SutEvent, SutFailure>> {
        let client = outcome.client;
        let connected = self.clients.get_mut(&client).filter(|it| it.connection == outcome.connection)?;
        connected.unanswered = connected.unanswered.saturating_sub(1);
        let kind = match outcome.found {
            Ok(SutAnswer::Is(answer)) => {
                let value = self.codec.answer(answer.as_bytes());
                let value = value.map_err(|failure| mismatch(&failure.what).of_client(client));
                return Some(value.map(|value| SutEvent { client, kind: SutEventKind::Answer(value) }));
            }
            Ok(SutAnswer::Refused) => SutEventKind::Refused,
            Ok(SutAnswer::Lost) => SutEventKind::Lost,
            Ok(SutAnswer::Closed) => SutEventKind::Closed,
            Err(NoAnswer::Mismatch(why)) => return Some(Err(mismatch(&why).of_client(client))),
            Err(NoAnswer::Panic(what)) => {
                return Some(Err(SutFailure::new(SutFailureKind::Crash, what).of_client(client)));
            }
        };
        if kind != SutEventKind::Refused {
            // The requests that were sent after it are lost with it.
            self.disconnect(client);
        }
        Some(Ok(SutEvent { client, kind }))
    }

    fn disconnect(&mut self, client: u64) {
        if let Some(connected) = self.clients.remove(&client) {
            connected.thread.close();
        }
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

impl<S: Sut, F: Fn() -> S> System for InProcess<S, F> {
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure> {
        let mut line = String::new();
        self.codec.write_request(&mut line, request);
        let connected = self.connected(client);
        connected.unanswered += 1;
        connected.thread.ask(connected.connection, line);
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<SutEvent>, SutFailure> {
        let until = self.patience(until);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.outcomes.recv_timeout(left) {
                Ok(outcome) => {
                    if let Some(event) = self.event(outcome) {
                        return event.map(Some);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    fn close(&mut self, client: u64) -> Result<(), SutFailure> {
        self.disconnect(client);
        Ok(())
    }

    fn reset(&mut self, _clients: u64) -> Result<(), SutFailure> {
        self.clients.clear();
        self.sut = Some(Arc::new((self.factory)()));
        Ok(())
    }

    fn crash(&mut self) -> Result<(), SutFailure> {
        Err(SutFailure::new(SutFailureKind::Start, "a system in the tester's own process cannot be killed"))
    }

    fn last_output(&mut self, _: Option<Instant>) -> Vec<String> {
        Vec::new()
    }
}

fn mismatch(why: &str) -> SutFailure {
    let what = format!("the program's types do not fit the specification's: {why}");
    SutFailure::new(SutFailureKind::Adapter, what)
}
