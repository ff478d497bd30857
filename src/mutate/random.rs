//! The simplest tester of a mutant: a random client in the same process.
//!
//! A run is so many requests, then the mutant begins anew. Requests have few values or many, and now and then one that was seen before,
//! or that the specification names: a fence that was granted, the largest number that fits, as a number or as a text.

use std::sync::Arc;

use super::score::{KillOutcome, Killer};
use crate::choice::{ChoiceError, Choices, Random};
use crate::dualize::{Exchange, Observed, Verdict};
use crate::network::NetworkChoice;
use crate::scalar::{Int, Scalar};
use crate::server::{CallEvent, Conversation, Occurrence, PeerOccurrence, Population, Ranges, Reply, Server, Stop};
use crate::session::{Session, SessionProgress};
use crate::spec::Spec;
use crate::trace::{EventKind, PeerEvent, PeerMessage, TraceEvent};
use crate::validate::Validator;
use crate::value::{self, Value};

/// Integers of few values.
const FEW: (i64, i64) = (-1, 5);
/// The weights of a value that was seen, and of the one that was drawn.
const SEEN: [u64; 2] = [1, 2];
/// A value that was seen is one of so many last ones, or one that the specification names.
const RECENT: usize = 12;
/// The number of clients that do not wait for each other.
const CLIENTS: u64 = 3;

/// A random client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomKiller {
    /// The number of requests in all.
    pub requests: u64,
    /// The number of requests of one run.
    pub run: u64,
}

impl Default for RandomKiller {
    fn default() -> RandomKiller {
        RandomKiller { requests: 2_000, run: 40 }
    }
}

/// The end of a run.
enum RunOfMutant {
    Killed,
    Over,
    Failed(String),
}

/// A mutant, and what is judged by.
struct Testing<'t> {
    spec: &'t Arc<Spec>,
    mutant: &'t Arc<Spec>,
    run: u64,
    /// The number of requests in all runs.
    requests: u64,
}

impl Killer for RandomKiller {
    fn kill(&mut self, spec: &Arc<Spec>, mutant: &Arc<Spec>, seed: u64) -> KillOutcome {
        let mut testing = Testing { spec, mutant, run: self.run, requests: 0 };
        let is_asynchronous = mutant.program.is_asynchronous() || spec.program.is_asynchronous();
        for run in 0.. {
            let (before, mut source) = (testing.requests, Random::of_run(seed, run));
            let ended = match is_asynchronous {
                true => testing.converse(&mut source),
                false => testing.ask(run, &mut source),
            };
            match ended {
                RunOfMutant::Killed => return KillOutcome::Killed { requests: testing.requests.max(1) },
                RunOfMutant::Failed(why) => return KillOutcome::Failed(why),
                RunOfMutant::Over => testing.requests = testing.requests.max(before + 1),
            }
            if testing.requests >= self.requests {
                break;
            }
        }
        KillOutcome::Survived { requests: testing.requests }
    }
}

impl Testing<'_> {
    fn server(&self, ranges: Ranges, source: &mut Random) -> Result<Server, RunOfMutant> {
        Server::new(self.mutant.clone(), ranges, source).map_err(|stop| match stop {
            Stop::Stuck(_) | Stop::Fault(_) => RunOfMutant::Killed,
            stop => RunOfMutant::Failed(stop.to_string()),
        })
    }

    /// A run of one client.
    fn ask(&mut self, number: u64, source: &mut Random) -> RunOfMutant {
        let is_wide = number % 4 == 3;
        let ranges = Ranges { request: (!is_wide).then_some(FEW), choose: None };
        let mut server = match self.server(ranges, source) {
            Ok(server) => server,
            Err(ended) => return ended,
        };
        let mut validator = Validator::new(self.spec);
        let mut seen = SeenScalars::of(self.spec);
        for line in 1..=self.run {
            let drawn = if is_wide { server.draw_request(source) } else { server.draw_few(source) };
            let Ok(request) = drawn.and_then(|request| seen.varied(&request, source)) else { return RunOfMutant::Over };
            let (observed, is_dead) = match server.handle(&request, 1, source) {
                Ok(Reply::Answer(answer)) => (Observed::Answer(answer), false),
                Ok(Reply::Nothing) => (Observed::Nothing, false),
                Err(Stop::Outside(_)) => continue,
                Err(Stop::Stuck(_) | Stop::Fault(_)) => (Observed::Any, true),
                Err(_) => return RunOfMutant::Over,
            };
            self.requests += 1;
            seen.see(&request);
            observed.answer().into_iter().for_each(|answer| seen.see(answer));
            validator.observe_exchange(&Exchange { line, client: 1, request, observed });
            match validator.verdict() {
                Verdict::Accept { .. } if is_dead => return RunOfMutant::Killed,
                Verdict::Accept { .. } => {}
                Verdict::Reject { .. } => return RunOfMutant::Killed,
                Verdict::Unknown { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => return RunOfMutant::Over,
            }
        }
        RunOfMutant::Over
    }

    /// A run of several clients that do not wait for each other.
    fn converse(&mut self, source: &mut Random) -> RunOfMutant {
        let server = match self.server(Ranges { request: Some(FEW), choose: None }, source) {
            Ok(server) => server,
            Err(ended) => return ended,
        };
        let network = NetworkChoice::TCP;
        let population = Population { clients: CLIENTS, requests: self.run, pipelined: 1, lost: 0, network };
        let mut conversation = Conversation::new(server, population);
        let mut session = Session::tcp(self.spec, Default::default());
        for line in 1.. {
            match conversation.next(source) {
                Ok(Some(occurrence)) => {
                    self.requests += u64::from(matches!(occurrence, Occurrence::Sent(..)));
                    match session.push(event(self.mutant, occurrence, line)) {
                        Ok(SessionProgress::Rejected(_)) | Err(_) => return RunOfMutant::Killed,
                        Ok(SessionProgress::Unknown(_)) => return RunOfMutant::Over,
                        Ok(SessionProgress::Explained | SessionProgress::Lagging(_)) => {}
                    }
                }
                Ok(None) | Err(Stop::Outside(_)) => break,
                Err(Stop::Stuck(_) | Stop::Fault(_)) => return RunOfMutant::Killed,
                Err(_) => return RunOfMutant::Over,
            }
        }
        match session.settle() {
            SessionProgress::Rejected(_) => RunOfMutant::Killed,
            SessionProgress::Unknown(_) | SessionProgress::Explained | SessionProgress::Lagging(_) => RunOfMutant::Over,
        }
    }
}

/// The event of a trace that an occurrence is.
fn event(spec: &Spec, occurrence: Occurrence, line: u64) -> TraceEvent<Value> {
    let (client, kind) = match occurrence {
        Occurrence::Sent(client, request) => (Some(client), EventKind::Request(request)),
        Occurrence::Answered(client, answer) => (Some(client), EventKind::Answer(answer)),
        Occurrence::Lost(client) => (Some(client), EventKind::Lost),
        Occurrence::Closed(client) => (Some(client), EventKind::Closed),
        Occurrence::Peer(PeerOccurrence { peer, exchange, event }) => {
            let peer = &spec.program.peers[peer as usize];
            let (key, message) = match event {
                CallEvent::Called(key, request) => (peer.key.map(|_| key), PeerMessage::Call(request)),
                CallEvent::Answered(answer) => (None, PeerMessage::Answer(answer)),
                CallEvent::Failed => (None, PeerMessage::Lost),
            };
            (None, EventKind::Peer(PeerEvent { peer: peer.name.clone(), key, exchange, message }))
        }
    };
    TraceEvent { line, client, kind }
}

/// The scalars that were seen.
struct SeenScalars {
    /// The number of those that the specification names; these come first.
    named: usize,
    scalars: Vec<Scalar>,
}

impl SeenScalars {
    /// Those that a specification names: its texts, and its integers with their neighbours, also as texts.
    fn of(spec: &Spec) -> SeenScalars {
        let mut scalars = vec![Scalar::str("1"), Scalar::str("")];
        for constant in &spec.program.constants {
            if let Some(number) = constant.as_int() {
                let one = Int::from(1);
                for number in [number.sub(&one), number.clone(), number.add(&one)] {
                    scalars.push(Scalar::str(&number.to_string()));
                    scalars.push(Scalar::Int(number));
                }
            } else if let Value::Scalar(scalar @ (Scalar::Str(_) | Scalar::Bytes(_))) = constant {
                scalars.push(scalar.clone());
            }
        }
        scalars.sort();
        scalars.dedup();
        SeenScalars { named: scalars.len(), scalars }
    }

    /// Notes the scalars of a value.
    fn see(&mut self, value: &Value) {
        match value {
            Value::Scalar(scalar) => {
                self.scalars.push(scalar.clone());
            }
            Value::Data { .. } => value.fields().iter().for_each(|field| self.see(field)),
            Value::List(list) => list.iter().for_each(|element| self.see(element)),
            _ => value::elements(value).into_iter().flatten().for_each(|(_, element)| self.see(&element)),
        }
    }

    /// A request in which some scalars are others that were seen.
    fn varied(&self, request: &Value, source: &mut dyn Choices) -> Result<Value, ChoiceError> {
        Ok(match request {
            Value::Scalar(scalar) => {
                let of_sort = |other: &&Scalar| other.sort() == scalar.sort();
                let named = self.scalars[..self.named].iter().filter(of_sort);
                let seen = self.scalars[self.named..].iter().rev().filter(of_sort).take(RECENT);
                let all: Vec<&Scalar> = seen.chain(named).collect();
                if all.is_empty() || source.weighted("a value that was seen", &SEEN)? > 0 {
                    return Ok(request.clone());
                }
                Value::Scalar(all[source.choose("which value", all.len())?].clone())
            }
            Value::Data { tag, .. } => {
                let fields = request.fields().iter().map(|field| self.varied(field, source));
                Value::data(*tag, fields.collect::<Result<Vec<_>, _>>()?)
            }
            Value::List(list) => {
                let elements = list.iter().map(|element| self.varied(element, source));
                Value::list(elements.collect::<Result<Vec<_>, _>>()?)
            }
            other => other.clone(),
        })
    }
}
