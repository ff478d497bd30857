//! The engines of a session: which one judges depends on the network and the specification.
//!
//! | events | engine |
//! |---|---|
//! | whole exchanges, one after another | steps of the judge |
//! | clients over TCP, each handler answers once | a search for an order of service |
//! | all else | event by event |

use std::sync::Arc;

use crate::dualize::{Candidate, Doubt, Exchange, Judge, Observed, Options, Verdict};
use crate::network::{NetworkChoice, Observation};
use crate::process::Limit;
use crate::schedule::{self, OnlineHistory};
use crate::spec::Spec;
use crate::trace::{EventKind, Response, TraceEvent};
use crate::validate::{Numbering, happened};
use crate::value::Value;

/// The thing that judges.
pub(super) enum SessionEngine {
    /// One exchange after another.
    Exchanges(Box<ExchangeEngine>),
    /// An order of service.
    Order(OrderEngine),
    /// Event by event.
    Network(Box<NetworkEngine>),
}

/// Exchanges one after another.
pub(super) struct ExchangeEngine {
    judge: Judge,
    /// The request that was sent and not answered yet, its line and its client.
    waiting: Option<(u64, u64, Value)>,
}

/// Concurrent clients of a server that answers each request once.
pub(super) struct OrderEngine {
    history: Box<OnlineHistory>,
    /// Nothing where it is too hard.
    verdict: Option<Verdict>,
}

/// Clients over any network.
pub(super) struct NetworkEngine {
    judge: Box<Judge>,
    numbering: Numbering,
    /// The specification, for networks.
    spec: Arc<Spec>,
    net: NetworkChoice,
}

impl SessionEngine {
    pub(super) fn new(spec: &Arc<Spec>, net: NetworkChoice, options: Options) -> SessionEngine {
        if net.is_sync() && spec.asynchronous().is_empty() {
            let judge = Judge::new(spec.clone(), options);
            return SessionEngine::Exchanges(Box::new(ExchangeEngine { judge, waiting: None }));
        }
        let composed = spec.for_networks();
        if net == NetworkChoice::TCP && is_order(&composed) {
            let history = Box::new(OnlineHistory::new(spec, options));
            return SessionEngine::Order(OrderEngine { history, verdict: Some(Verdict::Accept { warning: None }) });
        }
        let judge = Box::new(Judge::new(composed.clone(), options));
        let engine = NetworkEngine { judge, numbering: Numbering::new(), spec: composed, net };
        SessionEngine::Network(Box::new(engine))
    }

    /// Observes an event.
    ///
    /// # Errors
    /// Where nothing like that is observed on this network, or a peer answers a call that was not made.
    pub(super) fn push(&mut self, event: TraceEvent<Value>) -> Result<(), String> {
        match self {
            SessionEngine::Exchanges(steps) => steps.push(event),
            SessionEngine::Order(order) => {
                let line = event.line;
                for happened in happened(event).into_iter().flatten() {
                    order.verdict = order.history.push(line, happened);
                }
                Ok(())
            }
            SessionEngine::Network(networked) => {
                let line = event.line;
                for observation in networked.numbering.made(&networked.spec, event)? {
                    networked.judge.observe_over(&*networked.net.network(), line, &observation);
                }
                Ok(())
            }
        }
    }

    /// Judges what was not judged yet; `line` is the one behind the last.
    pub(super) fn settle(&mut self, line: u64) {
        match self {
            SessionEngine::Network(networked) => {
                let NetworkEngine { judge, net, .. } = &mut **networked;
                judge.observe_over(&*net.network(), line, &Observation::End);
            }
            SessionEngine::Exchanges(_) | SessionEngine::Order(_) => {}
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        match self {
            SessionEngine::Exchanges(steps) => steps.judge.verdict(),
            SessionEngine::Order(order) => {
                let too_hard = || Verdict::Unknown { doubt: Doubt::Limit(Limit::Orders), warning: None };
                order.verdict.clone().unwrap_or_else(too_hard)
            }
            SessionEngine::Network(networked) => networked.judge.verdict(),
        }
    }

    /// The candidates that explain what was observed, some of them.
    pub(super) fn candidates(&self) -> Vec<&Candidate> {
        match self {
            SessionEngine::Exchanges(steps) => steps.judge.candidates().iter().collect(),
            SessionEngine::Order(order) => order.history.candidates(),
            SessionEngine::Network(networked) => networked.judge.candidates().iter().collect(),
        }
    }

    /// The memory of one explanation of what was observed, if one is at hand.
    pub(super) fn memory(&self) -> Option<Vec<Value>> {
        let judge = match self {
            SessionEngine::Exchanges(steps) => &steps.judge,
            SessionEngine::Order(order) => return order.history.memory(),
            SessionEngine::Network(networked) => &networked.judge,
        };
        judge.candidates().first().map(|candidate| candidate.process.memory.to_vec())
    }

    /// The judge behind it, where it is at hand.
    pub(super) fn judge(&self) -> Option<&Judge> {
        match self {
            SessionEngine::Exchanges(steps) => Some(&steps.judge),
            SessionEngine::Order(_) => None,
            SessionEngine::Network(networked) => Some(&networked.judge),
        }
    }
}

impl ExchangeEngine {
    fn push(&mut self, event: TraceEvent<Value>) -> Result<(), String> {
        let (line, client) = (event.line, event.client.unwrap_or(1));
        let (request, observed) = match event.kind {
            EventKind::Exchange { query, reply } => (query, seen(reply)),
            EventKind::Request(request) => {
                return match self.waiting.replace((line, client, request)) {
                    None => Ok(()),
                    Some(_) => {
                        Err("a request is sent before the last one is answered: that is no trace of `sync`".into())
                    }
                };
            }
            EventKind::Answer(answer) => (self.asked(client)?, seen(Response::Answer(answer))),
            EventKind::Lost => (self.asked(client)?, Observed::Lost),
            EventKind::Closed => return Err("the server ends a connection: that is no trace of `sync`".into()),
            EventKind::Peer(_) => return Err("a peer is called: that is no trace of `sync`".into()),
            EventKind::Restart => {
                let spec = self.judge.spec().clone();
                if let Some((line, client, request)) = self.waiting.take() {
                    self.judge.observe_by(&spec, &Exchange { line, client, request, observed: Observed::Lost });
                }
                self.judge.observe_by(&spec, &Exchange::restart(line));
                return Ok(());
            }
        };
        let spec = self.judge.spec().clone();
        self.judge.observe_by(&spec, &Exchange { line, client, request, observed });
        Ok(())
    }

    /// The request of a client that waits for its answer.
    fn asked(&mut self, client: u64) -> Result<Value, String> {
        let own = self.waiting.take_if(|(_, own, _)| *own == client);
        own.map(|(_, _, request)| request).ok_or_else(|| format!("no request of client {client} waits for an answer"))
    }
}

/// The thing that was seen of an answer.
pub(super) fn seen(reply: Response<Value>) -> Observed {
    match reply {
        Response::Answer(Value::Any) => Observed::Any,
        Response::Answer(answer) => Observed::Answer(answer),
        Response::NotOwed => Observed::Nothing,
        Response::Lost => Observed::Lost,
    }
}

/// Tests whether an order of requests explains what a server, compiled for networks, does over connections.
#[must_use]
pub fn is_order(spec: &Spec) -> bool {
    // Where the server may do something by itself, and be faulty, the search for an order rejects nothing.
    spec.program.steps.is_empty() && schedule::is_judged(spec)
}
