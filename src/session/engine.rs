//! The engines of a session. The network and the specification decide which one judges.
//!
//! | events | engine |
//! |---|---|
//! | whole exchanges, one after another | steps of the judge |
//! | clients over TCP, each handler answers once | a search for an order of service |
//! | all else | event by event |

use std::sync::Arc;

use super::recovery::Recovery;
use super::whole::EngineKind;
use crate::judge::{Candidate, Doubt, Exchange, Judge, Observed, Options, Place, QuiescentFrontier, Verdict};
use crate::network::{NetworkChoice, Observation};
use crate::process::{Limit, Port};
use crate::reading::{Numbering, happened};
use crate::search::{IdleHistory, OnlineHistory};
use crate::spec::Spec;
use crate::trace::{EventKind, Response, TraceEvent};
use crate::value::Value;

/// The engine that judges.
pub(super) enum SessionEngine {
    /// Judges one exchange after another.
    Exchanges(Box<ExchangeEngine>),
    /// Searches for an order of service.
    Order(Box<OrderEngine>),
    /// Judges event by event.
    Network(Box<NetworkEngine>),
}

/// The engine for exchanges, one after another.
pub(super) struct ExchangeEngine {
    judge: Judge,
    options: Options,
    /// The request without an answer so far: its line, its client and the request.
    waiting: Option<(u64, u64, Value)>,
    recovery: Recovery,
}

/// The engine for concurrent clients of a server that answers each request once.
pub(super) struct OrderEngine {
    history: Box<OnlineHistory>,
    options: Options,
    verdict: Verdict,
    recovery: Recovery,
}

/// The engine for clients over any network.
pub(super) struct NetworkEngine {
    judge: Box<Judge>,
    options: Options,
    numbering: Numbering,
    /// The specification, compiled for networks.
    spec: Arc<Spec>,
    net: NetworkChoice,
    /// Set if nothing is under way as soon as each request has its answer.
    rests: bool,
    recovery: Recovery,
}

/// The doubt if no order of service was found.
const TOO_HARD: Doubt = Doubt::Limit(Limit::Orders);

/// The state of an engine at a moment when nothing is under way.
pub(super) enum EngineCheckpoint {
    /// For exchanges, one after another.
    Exchanges(Judge),
    /// For concurrent clients of a server that answers each request once.
    Order(IdleHistory),
    /// For clients over any network.
    Network(Judge, Numbering),
}

impl EngineCheckpoint {
    /// The approximate size of the checkpoint: the number of its states and of its connections.
    pub(super) fn size(&self) -> usize {
        match self {
            EngineCheckpoint::Exchanges(judge) => judge.candidates().len(),
            EngineCheckpoint::Order(idle) => idle.keys.as_ref().map_or(1, Vec::len),
            EngineCheckpoint::Network(judge, numbering) => judge.candidates().len() + numbering.len(),
        }
    }
}

impl SessionEngine {
    /// The state of the engine, and what it notes for unknown parts. `None` if something is under way or unexplained, or an
    /// unknown part has not ended.
    pub(super) fn checkpoint(&self) -> Option<(EngineCheckpoint, Recovery)> {
        let recovery = self.recovery();
        if recovery.is_open() {
            return None;
        }
        let engine = match self {
            SessionEngine::Exchanges(steps) => {
                let judge =
                    steps.waiting.is_none().then_some(&steps.judge).filter(|judge| QuiescentFrontier::is_of(judge))?;
                EngineCheckpoint::Exchanges(judge.clone())
            }
            SessionEngine::Order(order) => EngineCheckpoint::Order(order.history.idle()?),
            SessionEngine::Network(networked) => {
                let judge = Some(&networked.judge).filter(|judge| QuiescentFrontier::is_of(judge))?;
                EngineCheckpoint::Network((**judge).clone(), networked.numbering.clone())
            }
        };
        Some((engine, recovery.clone()))
    }

    /// The notes of an engine that has observed nothing.
    pub(super) fn noting(spec: &Arc<Spec>, net: NetworkChoice) -> Recovery {
        SessionEngine::new(spec, net, Options::default()).recovery().clone()
    }

    /// The engine that continues from a checkpoint; `None` if another engine judges such events.
    pub(super) fn at_checkpoint(
        (spec, net): (&Arc<Spec>, NetworkChoice),
        options: Options,
        (checkpoint, recovery): (EngineCheckpoint, Recovery),
    ) -> Option<SessionEngine> {
        let mut engine = SessionEngine::new(spec, net, options.clone());
        match (&mut engine, checkpoint) {
            (SessionEngine::Exchanges(steps), EngineCheckpoint::Exchanges(judge)) => {
                (steps.judge, steps.recovery) = (judge, recovery);
            }
            (SessionEngine::Order(order), EngineCheckpoint::Order(idle)) => {
                let own = recovery.any().unwrap_or(spec).clone();
                *order.history = OnlineHistory::from_idle(&own, options, idle);
                order.recovery = recovery;
            }
            (SessionEngine::Network(networked), EngineCheckpoint::Network(judge, numbering)) => {
                (*networked.judge, networked.numbering, networked.recovery) = (judge, numbering, recovery);
            }
            _ => return None,
        }
        Some(engine)
    }

    /// Lets the engine remember at least this number of events, if it forgets events at all. The engine must not have
    /// observed any event yet.
    pub(super) fn remember(&mut self, events: usize) {
        if let SessionEngine::Order(order) = self {
            order.history.remember(events);
        }
    }

    pub(super) fn new(spec: &Arc<Spec>, net: NetworkChoice, options: Options) -> SessionEngine {
        let kind = EngineKind::of(spec, net);
        if kind == EngineKind::Exchanges {
            let judge = Judge::new(spec.clone(), options.clone());
            let recovery = Recovery::new(spec);
            return SessionEngine::Exchanges(Box::new(ExchangeEngine { judge, options, waiting: None, recovery }));
        }
        if kind == EngineKind::Order {
            let history = Box::new(OnlineHistory::new(spec, options.clone()));
            let (verdict, recovery) = (Verdict::Accept { warning: None }, Recovery::new(spec));
            let order = OrderEngine { history, options, verdict, recovery };
            return SessionEngine::Order(Box::new(order));
        }
        let composed = spec.for_networks();
        let judge = Box::new(Judge::new(composed.clone(), options.clone()));
        let rests = composed.program.rests_when_answered() && !net.network().duplicates();
        let recovery = Recovery::new(&composed);
        let numbering = Numbering::new();
        let engine = NetworkEngine { judge, options, numbering, spec: composed, net, rests, recovery };
        SessionEngine::Network(Box::new(engine))
    }

    /// Observes an event.
    ///
    /// # Errors
    /// The network has no such event, or a peer answers a call that was not made.
    pub(super) fn push(&mut self, event: TraceEvent<Value>) -> Result<(), String> {
        match self {
            SessionEngine::Exchanges(steps) => steps.push(event),
            SessionEngine::Order(order) => {
                let line = event.line;
                happened(event).into_iter().flatten().for_each(|happened| order.push(line, happened));
                Ok(())
            }
            SessionEngine::Network(networked) => {
                let line = event.line;
                let made = networked.numbering.made(&networked.spec, event)?;
                made.iter().for_each(|observation| networked.observe(line, observation));
                Ok(())
            }
        }
    }

    /// Judges what the end of the recording shows; `line` is the line after the last event.
    pub(super) fn settle(&mut self, line: u64) {
        match self {
            SessionEngine::Network(networked) => {
                let NetworkEngine { judge, net, recovery, .. } = &mut **networked;
                if !recovery.is_open() {
                    judge.observe_over(&*net.network(), line, &Observation::End);
                }
            }
            SessionEngine::Exchanges(_) | SessionEngine::Order(_) => {}
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let own = match self {
            SessionEngine::Exchanges(steps) => steps.judge.verdict(),
            SessionEngine::Order(order) => order.verdict.clone(),
            SessionEngine::Network(networked) => networked.judge.verdict(),
        };
        let recovery = self.recovery();
        match recovery.doubt() {
            Some(doubt) if !recovery.is_decided() => Verdict::Unknown { doubt: doubt.clone(), warning: None },
            Some(_) | None => own,
        }
    }

    /// The doubt about the event on a line, if this is the last event and it was too hard.
    pub(super) fn doubt_on(&self, line: u64) -> Option<Doubt> {
        if let Some(part) = self.recovery().parts().last().filter(|part| part.to == line) {
            return Some(part.doubt.clone());
        }
        match self.judge()?.verdict() {
            Verdict::Unknown { doubt, .. } => Some(doubt),
            _ => None,
        }
    }

    /// The unknown parts, and what the judgement after them depends on.
    pub(super) fn recovery(&self) -> &Recovery {
        match self {
            SessionEngine::Exchanges(steps) => &steps.recovery,
            SessionEngine::Order(order) => &order.recovery,
            SessionEngine::Network(networked) => &networked.recovery,
        }
    }

    /// Some of the candidates that explain the observations.
    pub(super) fn candidates(&self) -> Vec<&Candidate> {
        if self.recovery().is_open() {
            return Vec::new();
        }
        match self {
            SessionEngine::Exchanges(steps) => steps.judge.candidates().iter().collect(),
            SessionEngine::Order(order) => order.history.candidates(),
            SessionEngine::Network(networked) => networked.judge.candidates().iter().collect(),
        }
    }

    /// The memory of one explanation of the observations; `None` if none is at hand.
    pub(super) fn memory(&self) -> Option<Vec<Value>> {
        if self.recovery().is_open() {
            return None;
        }
        let judge = match self {
            SessionEngine::Exchanges(steps) => &steps.judge,
            SessionEngine::Order(order) => return order.history.memory(),
            SessionEngine::Network(networked) => &networked.judge,
        };
        judge.candidates().first().map(|candidate| candidate.process.memory.to_vec())
    }

    /// The number by which the specification knows a client.
    pub(super) fn number(&self, client: u64) -> u64 {
        match self {
            SessionEngine::Order(order) => order.history.number(client),
            SessionEngine::Exchanges(_) | SessionEngine::Network(_) => client,
        }
    }

    /// The judge of a request of a client that is sent now, with the number of the client: its candidates are all states that the
    /// request may meet. `None` if something is under way or may still happen, or if not all states are known. The server's own steps may come
    /// before the request.
    pub(super) fn at_rest(&self, client: u64, request: &Value) -> Option<(u64, Judge)> {
        if self.recovery().is_open() {
            return None;
        }
        let (client, judge) = match self {
            SessionEngine::Exchanges(steps) if steps.waiting.is_none() => (client, steps.judge.clone()),
            SessionEngine::Order(order) => order.history.at_rest(client, request)?,
            SessionEngine::Network(networked) if networked.is_quiet() => (client, (*networked.judge).clone()),
            SessionEngine::Exchanges(_) | SessionEngine::Network(_) => return None,
        };
        QuiescentFrontier::is_of(&judge).then_some((client, judge))
    }

    /// The judge of the engine; `None` if the engine has several.
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
                if self.waiting.is_some() {
                    return Err("a request is sent before the last one is answered: `sync` does not allow that".into());
                }
                self.waiting = Some((line, client, request));
                return Ok(());
            }
            EventKind::Answer(answer) => (self.asked(client)?, seen(Response::Answer(answer))),
            EventKind::Lost => (self.asked(client)?, Observed::Lost),
            EventKind::Closed => return Err("the server ends a connection: `sync` does not allow that".into()),
            EventKind::Left => return Err("a client ends its connection: `sync` does not allow that".into()),
            EventKind::Peer(_) => return Err("a peer is called: `sync` does not allow that".into()),
            EventKind::Restart => {
                if let Some((line, client, request)) = self.waiting.take() {
                    self.observe(&Exchange { line, client, request, observed: Observed::Lost });
                }
                self.observe(&Exchange::restart(line));
                return Ok(());
            }
        };
        self.observe(&Exchange { line, client, request, observed });
        Ok(())
    }

    fn observe(&mut self, exchange: &Exchange) {
        self.recovery.note_request((!exchange.is_restart()).then_some(&exchange.request));
        if !self.recovery.is_open() {
            let spec = self.judge.spec().clone();
            if self.judge.observe_by(&spec, exchange) {
                return;
            }
            let Some(doubt) = too_hard(&self.judge, &mut self.recovery) else { return };
            self.recovery.begin(exchange.line, doubt);
        }
        // After an exchange nothing is under way.
        if self.recovery.extend(exchange.line, true)
            && let Some(any) = self.recovery.end(exchange.line)
        {
            self.judge = Judge::new(any, self.options.clone());
        }
    }

    /// Takes the request of a client that waits for its answer.
    fn asked(&mut self, client: u64) -> Result<Value, String> {
        let own = self.waiting.take_if(|(_, own, _)| *own == client);
        own.map(|(_, _, request)| request).ok_or_else(|| format!("no request of client {client} waits for an answer"))
    }
}

impl OrderEngine {
    fn push(&mut self, line: u64, happened: Observation) {
        let is_looked_at = self.recovery.note(&happened);
        if !self.recovery.is_open() {
            if !is_looked_at {
                return;
            }
            match self.history.push(line, happened) {
                Some(accepted @ Verdict::Accept { .. }) => self.verdict = accepted,
                Some(rejected @ Verdict::Reject { .. }) if self.recovery.reject() => self.verdict = rejected,
                Some(failed @ (Verdict::Fault(_) | Verdict::Outside { .. })) if self.recovery.parts().is_empty() => {
                    self.verdict = failed;
                }
                Some(_) | None => self.recovery.begin(line, self.history.doubt().unwrap_or((TOO_HARD, None))),
            }
            if !self.recovery.is_open() {
                return;
            }
        }
        if self.recovery.extend(line, self.recovery.is_idle()) {
            self.begin_anew(line);
        }
    }

    /// Goes on from any state after the event on a line.
    fn begin_anew(&mut self, line: u64) {
        let Some(may_still_be_served) = self.recovery.may_still_be_served() else { return };
        let Some(any) = self.recovery.end(line) else { return };
        let kept = self.history.remembered();
        *self.history = OnlineHistory::new(&any, self.options.clone());
        self.history.remember(kept);
        // Each has a connection of its own, on which nothing else happens.
        for request in may_still_be_served {
            self.history.push(line, Observation::Request(Port(0), request));
            self.history.push(line, Observation::Lost(Port(0)));
        }
    }
}

impl NetworkEngine {
    /// The judge and the numbering, to go ahead of the events; `None` in an unknown part.
    pub(super) fn ahead(&self) -> Option<(Judge, Numbering)> {
        (!self.recovery.is_open()).then(|| ((*self.judge).clone(), self.numbering.clone()))
    }

    /// Tests whether only the next request and the server's own steps can change the state of the server, and whether it does not matter
    /// which connection is which client.
    fn is_quiet(&self) -> bool {
        self.rests && self.recovery.is_idle() && !self.spec.program.names_clients
    }

    fn observe(&mut self, line: u64, observation: &Observation) {
        self.recovery.note(observation);
        if !self.recovery.is_open() {
            if self.judge.observe_over(&*self.net.network(), line, observation) {
                return;
            }
            let Some(doubt) = too_hard(&self.judge, &mut self.recovery) else { return };
            self.recovery.begin(line, doubt);
        }
        let is_quiet = matches!(observation, Observation::Restart) || self.rests && self.recovery.is_idle();
        if self.recovery.extend(line, is_quiet)
            && is_quiet
            && let Some(any) = self.recovery.end(line)
        {
            *self.judge = Judge::new(any.for_networks(), self.options.clone());
        }
    }
}

/// The doubt about the last observation, which left no candidate; `None` if it is decided. After an unknown part only a rejection
/// is decided, and only if it holds in every state.
fn too_hard(judge: &Judge, recovery: &mut Recovery) -> Option<(Doubt, Option<Place>)> {
    match judge.verdict() {
        Verdict::Unknown { doubt, .. } => Some((doubt, judge.doubt().and_then(|(_, at)| at))),
        Verdict::Outside { .. } | Verdict::Fault(_) => (!recovery.parts().is_empty()).then_some((TOO_HARD, None)),
        Verdict::Reject { .. } => (!recovery.reject()).then_some((TOO_HARD, None)),
        Verdict::Accept { .. } => None,
    }
}

/// The observation of an answer, or of its absence.
pub(super) fn seen(reply: Response<Value>) -> Observed {
    match reply {
        Response::Answer(Value::Any) => Observed::Any,
        Response::Answer(answer) => Observed::Answer(answer),
        Response::NotOwed => Observed::Nothing,
        Response::Lost => Observed::Lost,
    }
}
