//! One run against a live system: its waves of requests, the observations, and the judgement.
//!
//! A run begins with a reset. The judge sees the events of a wave only after the wave, as only then it is known which requests
//! were refused.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::generate::{DutyCheck, KeptIn, KnownServer};
use crate::judge::{Doubt, Exchange, Observed, Options, RecordedEvent, Verdict};
use crate::limits::end;
use crate::network::NetworkChoice;
use crate::reading::{Observations, history_of};
use crate::report::trouble;
use crate::script::{MessageKind, Messages, Plan, PlannedAsk, RequestTemplate};
use crate::search;
use crate::session::{Session, SessionProgress};
use crate::spec::{Site, Spec};
use crate::sut::numbered::numbered;
use crate::sut::{SutCall, SutEvent, SutEventKind, SutFailure, SutFailureKind, System};
use crate::trace::{EventKind, PeerEvent, TraceEvent};
use crate::value::Value;

use super::answering::PeerAnswers;
use super::waves::{LiveEvent, LiveEventKind, WaitLimits, WaveEnd, called};

/// The share of the work for an event of a recording, one in N, that an event of several live clients may take, as the system
/// goes on meanwhile.
const LIVE_EFFORT: u64 = 8;

/// The most memory for explanations, in bytes, which is the limit for recordings, too.
const LIVE_MEMORY: usize = 256 << 20;

/// The silence after which no more calls are expected that nobody waits for.
const LATE: Duration = Duration::from_millis(300);

/// The number of last events over which the session may go back; most runs have fewer.
const REMEMBERED: usize = 1_024;

/// The specification, the network and the limits that a run is judged with.
#[derive(Clone, Debug)]
pub struct Judging {
    /// The specification; if the system is not reset, the one of a server in any state.
    pub spec: Arc<Spec>,
    /// The network between the tester and the system.
    pub net: NetworkChoice,
    /// The limits of the judge.
    pub options: Options,
    /// Set if the system takes tokens as numbers.
    pub numbers_tokens: bool,
    /// The check that each request keeps the client's duty.
    duty: Arc<Mutex<DutyCheck>>,
}

impl Judging {
    /// A specification, a network and limits.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, net: NetworkChoice, options: Options) -> Judging {
        let duty = Arc::new(Mutex::new(DutyCheck::new(spec)));
        Judging { spec: spec.clone(), net, options, numbers_tokens: false, duty }
    }

    /// Tests whether it matters that clients end their connections: a handler of the specification runs then.
    #[must_use]
    pub fn may_be_left(&self) -> bool {
        let program = &self.spec.for_networks().program;
        !self.net.is_sync() && (program.opens.is_some() || program.closes.is_some())
    }

    /// The check that each request keeps the client's duty.
    pub fn duty(&self) -> MutexGuard<'_, DutyCheck> {
        self.duty.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The usual limits for a live system; with several clients there is less work for each event.
    #[must_use]
    pub fn live(spec: &Arc<Spec>, net: NetworkChoice, clients: u64) -> Judging {
        let usual = Options::default();
        let effort = if clients > 1 { usual.effort / LIVE_EFFORT } else { usual.effort };
        Judging::new(spec, net, Options { effort, memory: LIVE_MEMORY, ..usual })
    }
}

/// The state of a run after a wave.
#[derive(Debug)]
pub enum RunState {
    /// Everything that was observed is explained.
    Explained,
    /// No run of the server explains the events up to this one, numbered from 1.
    Violated(u64),
    /// Some of the events could not be judged, for this reason.
    Undecided(String),
    /// The system broke down; everything that was observed before is explained.
    Broken(SutFailure),
    /// Somebody asked for the end, or the time is over.
    Interrupted,
    /// The next request of the plan may break the client's duty, so it was not sent, nor was any after it; everything that was observed
    /// before is explained.
    Outside(OutsideRequest),
}

/// A request that was not sent, as it may break the client's duty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutsideRequest {
    /// The label of the request.
    pub label: u64,
    /// The duty; `None` if it could not be decided whether the request keeps all duties.
    pub duty: Option<Site>,
}

/// A run against a live system.
pub struct LiveRun {
    judging: Judging,
    session: Session,
    messages: Messages,
    events: Vec<LiveEvent>,
    requests: u64,
    next_label: u64,
    /// The number of events that were explained at the end of a wave, or before a violation.
    explained: usize,
    /// Set if the session cannot judge further events.
    is_over: bool,
    /// Set if the session does not accept some event.
    is_unfit: bool,
    /// The time for judging the last wave.
    judged_in: Duration,
    /// Set if the system has refused a request.
    has_refused: bool,
    /// The first request that was not sent, as it has no form on the wire.
    unsent: Option<Value>,
    answers_at_once: bool,
    /// Set if each request is owed an answer.
    owes: bool,
    /// Set if a request may have to wait for another one: `assume free > 0`.
    may_hold: bool,
    /// The constructors of messages that the system sends only when a connection opens.
    greetings: BTreeSet<u32>,
    /// Set if an answer of a peer may break the client's duty.
    binds_peers: bool,
    peers: PeerAnswers,
    /// The violation that was found while the plan was performed.
    violated: Option<u64>,
    /// The request at which the plan ended.
    outside: Option<OutsideRequest>,
}

impl LiveRun {
    /// The run with the answers of peers drawn by this seed, unless a script has them.
    #[must_use]
    pub fn with_peers(self, seed: u64) -> LiveRun {
        LiveRun { peers: PeerAnswers::new(&self.judging.spec, seed), ..self }
    }

    /// Resets the system, and begins a run.
    ///
    /// # Errors
    /// The system cannot be started.
    pub fn begin(judging: &Judging, clients: u64, system: &mut dyn System) -> Result<LiveRun, SutFailure> {
        system.reset(clients)?;
        Ok(LiveRun::unjudged(judging))
    }

    /// A run that has observed nothing.
    #[must_use]
    pub fn unjudged(judging: &Judging) -> LiveRun {
        let Judging { spec, net, options, .. } = judging;
        // Whether a duty is kept may depend on the state, so all explanations are looked for.
        let remembered = if judging.duty().may_be_broken() { 0 } else { REMEMBERED };
        let session = Session::remembering(spec, *net, options.clone(), remembered);
        LiveRun {
            judging: judging.clone(),
            session,
            messages: Messages::new(spec),
            events: Vec::new(),
            requests: 0,
            next_label: 1,
            explained: 0,
            is_over: false,
            is_unfit: false,
            judged_in: Duration::ZERO,
            has_refused: false,
            unsent: None,
            answers_at_once: spec.for_networks().program.answers_at_once(),
            owes: spec.for_networks().program.answers_after_calls(),
            may_hold: spec.for_networks().program.may_hold(),
            greetings: spec.program.greetings(),
            binds_peers: spec.for_networks().program.has_duties_after_calls(),
            peers: PeerAnswers::new(spec, 0),
            violated: None,
            outside: None,
        }
    }

    /// Begins a wave.
    pub(super) fn begin_wave(&mut self, plan: &Plan) {
        let last = plan.asks.iter().map(|ask| ask.label + 2).max();
        self.next_label = self.next_label.max(last.unwrap_or_default());
        self.peers.plan(&plan.answers);
        (self.violated, self.outside) = (None, None);
    }

    /// Judges the events of a wave, which has ended so.
    pub(super) fn end_wave(&mut self, events: Vec<LiveEvent>, end: WaveEnd, patience: WaitLimits<'_>) -> RunState {
        let began = Instant::now();
        let mut state = match self.violated {
            Some(event) => RunState::Violated(event),
            None => self.judge(events),
        };
        if let RunState::Undecided(why) = state {
            // All events together may be judged as a whole.
            self.is_over = true;
            state = match self.settle() {
                RunState::Explained if !self.is_known() => RunState::Undecided(why),
                decided => decided,
            };
        }
        self.judged_in = began.elapsed();
        self.explained = match state {
            RunState::Explained => self.events.len(),
            RunState::Violated(event) => self.explained.max((event as usize).saturating_sub(1)),
            _ => self.explained,
        };
        match (state, end) {
            (RunState::Violated(event), _) => RunState::Violated(event),
            // The end came while the system was starting again or a connection was made, or while the wave was judged.
            (_, WaveEnd::Broken(SutFailure { kind: SutFailureKind::Start | SutFailureKind::Refused, .. }))
                if patience.is_over() =>
            {
                RunState::Interrupted
            }
            (RunState::Undecided(_), _) if end::is_over() => RunState::Interrupted,
            (_, WaveEnd::Broken(failure)) => RunState::Broken(failure),
            (_, WaveEnd::Interrupted) => RunState::Interrupted,
            (RunState::Explained, WaveEnd::Done) => self.outside.map_or(RunState::Explained, RunState::Outside),
            (state, WaveEnd::Done) => state,
        }
    }

    /// Waits for calls that the system may still make although nobody waits for them, if they could come in the next run, and judges
    /// them.
    pub fn await_calls(&mut self, system: &mut dyn System, patience: WaitLimits<'_>) -> RunState {
        let mut until = Instant::now() + LATE;
        let last = until + 2 * LATE;
        while system.leaves_calls() && self.session.may_have_unseen_calls() && !patience.is_over() {
            match system.next(until.min(last)) {
                Ok(Some(SutEvent { kind: SutEventKind::Called(call), .. })) => {
                    let events = called(self.call(call, system, &[]));
                    match self.judge(events.into()) {
                        RunState::Explained => until = Instant::now() + LATE,
                        state => return state,
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(failure) => return RunState::Broken(failure),
            }
        }
        self.explained = self.events.len();
        RunState::Explained
    }

    /// Tests whether a request keeps the client's duty for sure; notes the duty if it may not. The events before the request are judged if
    /// this depends on the state. While other requests are under way, the state is not known.
    fn keeps_duty(&mut self, ask: &PlannedAsk, request: &Value, events: &mut Vec<LiveEvent>, is_idle: bool) -> bool {
        let duty = self.judging.duty.clone();
        let kept = duty.lock().unwrap_or_else(PoisonError::into_inner).check(request, ask.client, || {
            let before = std::mem::take(if is_idle { events } else { return None });
            match self.judge(before) {
                RunState::Violated(event) => self.violated = Some(event),
                RunState::Explained if self.is_known() => {
                    return KnownServer::at_rest(&self.session, ask.client, request);
                }
                _ => {}
            }
            None
        });
        if let KeptIn::Fewer(duty) = kept {
            self.outside = Some(OutsideRequest { label: ask.label, duty });
        }
        !matches!(kept, KeptIn::Fewer(_))
    }

    /// The number of the event, from 1, at which these events can no longer be explained; `None` if they can be.
    pub fn violated_by(&mut self, events: Vec<LiveEvent>) -> Option<u64> {
        match (self.judge(events), self.settle()) {
            (RunState::Violated(event), _) | (_, RunState::Violated(event)) => Some(event),
            _ => None,
        }
    }

    fn judge(&mut self, events: Vec<LiveEvent>) -> RunState {
        let mut state = RunState::Explained;
        for event in events {
            let line = self.events.len() as u64 + 1;
            let pushed = traced(line, &event);
            self.requests += u64::from(matches!(event.kind, LiveEventKind::Sent(_)));
            self.events.push(event);
            state = match self.session.push(pushed) {
                Ok(SessionProgress::Explained | SessionProgress::Outside(_) | SessionProgress::Faulty(_)) => {
                    RunState::Explained
                }
                Ok(SessionProgress::Rejected(event)) => return RunState::Violated(event),
                Ok(SessionProgress::Unknown(doubt)) => RunState::Undecided(self.why_undecided(&doubt)),
                Err(why) => {
                    self.is_unfit = true;
                    return RunState::Undecided(why.to_string());
                }
            };
        }
        match (state, self.session.unknown_parts().first()) {
            // The session goes on after an unknown part, from any state.
            (RunState::Explained, Some(part)) => RunState::Undecided(part.to_string()),
            (RunState::Explained, None) => self.without_fault(),
            (state, _) => state,
        }
    }

    /// The state of a run whose events were all accepted: undecided if the specification is at fault, or the client broke its
    /// duty.
    fn without_fault(&self) -> RunState {
        let spec = self.session.spec();
        let said = match self.session.verdict() {
            Verdict::Fault(fault) => trouble::fault(spec, &fault, None, &[]),
            Verdict::Outside { site, .. } => trouble::outside(spec, site, None, &[]),
            _ => return RunState::Explained,
        };
        RunState::Undecided(said.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "))
    }

    /// Tests whether everything that was observed is certainly explained.
    fn is_known(&self) -> bool {
        !self.is_unfit && self.session.verdict().is_accept()
    }

    /// Judges what the end of the run shows.
    pub fn settle(&mut self) -> RunState {
        match self.session.settle() {
            SessionProgress::Explained => RunState::Explained,
            SessionProgress::Outside(_) | SessionProgress::Faulty(_) => self.without_fault(),
            SessionProgress::Rejected(event) => RunState::Violated(event),
            SessionProgress::Unknown(doubt) => RunState::Undecided(self.why_undecided(&doubt)),
        }
    }

    /// The doubt about the last event, with its place in the specification if that is known.
    fn why_undecided(&self, doubt: &Doubt) -> String {
        self.session.too_hard().unwrap_or_else(|| doubt.to_string())
    }

    /// The session that judges the run.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// A session that rejects the event with this number, if no requests overlap up to there. Its reason is about exchanges one
    /// after another, which is easier to read than a conflict of concurrent clients.
    #[must_use]
    pub fn without_overlap(&self, event: u64) -> Option<Session> {
        let Judging { spec, options, .. } = &self.judging;
        if !self.answers_at_once {
            return None;
        }
        let mut session = Session::new(spec, NetworkChoice::SYNC, options.clone());
        let mut rejected = None;
        for (line, event) in (1..=event).zip(&self.events) {
            let pushed = session.push(traced(line, event));
            rejected = match pushed.ok()? {
                SessionProgress::Rejected(line) => Some(line),
                SessionProgress::Explained => None,
                SessionProgress::Unknown(_) | SessionProgress::Outside(_) | SessionProgress::Faulty(_) => return None,
            };
        }
        (rejected == Some(event)).then_some(session)
    }

    /// All events, in the order in which they were observed.
    #[must_use]
    pub fn events(&self) -> &[LiveEvent] {
        &self.events
    }

    /// The specification, the network and the limits that the run is judged with.
    #[must_use]
    pub fn judging(&self) -> &Judging {
        &self.judging
    }

    /// Tests whether no further events can be judged in this run.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The time for judging the last wave.
    #[must_use]
    pub fn judged_in(&self) -> Duration {
        self.judged_in
    }

    /// The label of the next request.
    #[must_use]
    pub fn next_label(&self) -> u64 {
        self.next_label
    }

    /// The exchanges in an order in which the server may have served them; `None` if no order is known.
    #[must_use]
    pub fn in_order_of_service(&self) -> Option<Vec<Exchange>> {
        in_order_of_service(&self.judging, &self.events[..self.explained])
    }

    /// The first exchanges, if each of these requests was answered before the next one was sent.
    pub(super) fn first_exchanges(&self, number: usize) -> Option<Vec<Exchange>> {
        one_after_another(self.events[..self.explained].get(..2 * number)?)
    }

    /// The observations that were explained.
    #[must_use]
    pub fn observations(&self) -> Vec<RecordedEvent> {
        let events = (1..).zip(&self.events[..self.explained]);
        let events = events.map(|(line, event)| traced(line, event));
        Observations::of(&self.judging.spec, events).unwrap_or_default().events
    }

    /// Looks, at the end of a run without failures, for what the system sent although nobody asked for it.
    pub fn check_silence(&self, system: &mut dyn System) -> RunState {
        system.check_silence().map_or_else(RunState::Broken, |()| RunState::Explained)
    }

    /// Tests whether the system has refused a request.
    #[must_use]
    pub fn has_refused(&self) -> bool {
        self.has_refused
    }

    /// The first request that was not sent, as it has no form on the wire.
    #[must_use]
    pub fn unsent(&self) -> Option<&Value> {
        self.unsent.as_ref()
    }

    /// The number of requests, without refused ones.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }
}

/// The exchanges of these events in an order in which the server may have served them; `None` if no order is known.
pub(super) fn in_order_of_service(judging: &Judging, events: &[LiveEvent]) -> Option<Vec<Exchange>> {
    let spec = &judging.spec;
    if let Some(exchanges) = one_after_another(events) {
        return Some(exchanges);
    }
    if !spec.for_networks().program.answers_at_once() {
        return None;
    }
    if let Some(exchanges) = of_one_client(events).filter(|_| judging.net == NetworkChoice::TCP) {
        return Some(exchanges);
    }
    let history = history_of(spec, (1..).zip(events).map(|(line, event)| traced(line, event)));
    let judged = search::judge(spec, &history, &judging.options);
    if !judged.verdict.is_accept() {
        return None;
    }
    let answers: FxHashMap<u64, &Value> = events.iter().filter_map(answer).collect();
    let served = judged.order.iter().filter_map(|(_, line)| {
        let event = events.get(*line as usize - 1)?;
        let LiveEventKind::Sent(request) = &event.kind else { return None };
        let observed = answers.get(&event.label).map_or(Observed::Any, |answer| Observed::Answer((*answer).clone()));
        Some(Exchange { line: *line, client: event.client, request: request.value.clone(), observed })
    });
    let mut served: Vec<Exchange> = served.collect();
    // A request from before a restart was served before it, or never.
    for (at, _) in events.iter().enumerate().filter(|(_, event)| matches!(event.kind, LiveEventKind::Restarted)) {
        let line = at as u64 + 1;
        let after = served.iter().position(|exchange| exchange.line > line).unwrap_or(served.len());
        served.insert(after, Exchange::restart(line));
    }
    Some(served)
}

/// The events as exchanges, if each request is answered before the next one is sent.
fn one_after_another(events: &[LiveEvent]) -> Option<Vec<Exchange>> {
    let exchange = |(at, pair): (usize, &[LiveEvent])| match pair {
        [asked, answered] if asked.label == answered.label => match (&asked.kind, &answered.kind) {
            (LiveEventKind::Sent(request), LiveEventKind::Answered(answer)) => Some(Exchange {
                line: 2 * at as u64 + 1,
                client: asked.client,
                request: request.value.clone(),
                observed: Observed::Answer(answer.clone()),
            }),
            _ => None,
        },
        _ => None,
    };
    events.chunks(2).enumerate().map(exchange).collect()
}

/// The events as exchanges, if there is only one client and each of its requests is answered: they are served in their order.
fn of_one_client(events: &[LiveEvent]) -> Option<Vec<Exchange>> {
    let client = events.first()?.client;
    let answers: FxHashMap<u64, &Value> = events.iter().filter_map(answer).collect();
    let mut exchanges = Vec::with_capacity(answers.len());
    for (line, event) in (1..).zip(events) {
        match &event.kind {
            _ if event.client != client => return None,
            LiveEventKind::Sent(request) => {
                let observed = Observed::Answer((*answers.get(&event.label)?).clone());
                exchanges.push(Exchange { line, client, request: request.value.clone(), observed });
            }
            LiveEventKind::Answered(_) => {}
            LiveEventKind::Lost | LiveEventKind::Closed | LiveEventKind::Left => return None,
            LiveEventKind::Restarted | LiveEventKind::Peer(_) => return None,
        }
    }
    (exchanges.len() == answers.len()).then_some(exchanges)
}

/// The answer of an event, with the label of the request; `None` if the event is no answer.
fn answer(event: &LiveEvent) -> Option<(u64, &Value)> {
    match &event.kind {
        LiveEventKind::Answered(answer) => Some((event.label, answer)),
        LiveEventKind::Sent(_) | LiveEventKind::Lost | LiveEventKind::Closed | LiveEventKind::Left => None,
        LiveEventKind::Restarted | LiveEventKind::Peer(_) => None,
    }
}

/// The event on a line, in the form for the judge.
fn traced(line: u64, event: &LiveEvent) -> TraceEvent<Value> {
    let kind = match &event.kind {
        LiveEventKind::Sent(request) => EventKind::Request(request.value.clone()),
        LiveEventKind::Answered(answer) => EventKind::Answer(answer.clone()),
        LiveEventKind::Lost => EventKind::Lost,
        LiveEventKind::Closed => EventKind::Closed,
        LiveEventKind::Left => EventKind::Left,
        LiveEventKind::Restarted => EventKind::Restart,
        LiveEventKind::Peer(event) => EventKind::Peer(event.clone()),
    };
    TraceEvent { line, client: Some(event.client), kind }
}

/// The questions of a wave to its run, and what it notes.
impl LiveRun {
    /// The request with the values that its references have now; `None` if it may break the client's duty. `events` are those of the wave
    /// that were not taken before; they may be taken if nothing is under way.
    pub(super) fn instantiate(
        &mut self,
        ask: &PlannedAsk,
        events: &mut Vec<LiveEvent>,
        is_idle: bool,
    ) -> Option<RequestTemplate> {
        let drawn = ask.request.instantiate(&self.messages);
        let value = if self.judging.numbers_tokens { numbered(&drawn) } else { drawn };
        if !self.keeps_duty(ask, &value, events, is_idle) {
            return None;
        }
        self.messages.push(ask.label, MessageKind::Request, value.clone());
        let spec = &self.judging.spec;
        Some(ask.request.sent_as(&spec.types, spec.program.request, value))
    }

    /// Tests whether each request is owed an answer.
    pub(super) fn is_owed(&self) -> bool {
        self.owes
    }

    /// Tests whether a request may have to wait for another one.
    pub(super) fn may_hold(&self) -> bool {
        self.may_hold
    }

    /// Tests whether no server of the specification could answer a client now, after these events of the wave: what it asked for waits
    /// for another request.
    pub(super) fn is_held(&self, events: &[LiveEvent], client: u64) -> bool {
        if !self.may_hold {
            return false;
        }
        let Judging { spec, net, options, .. } = &self.judging;
        let mut session = Session::new(spec, *net, options.clone());
        for (line, event) in (1..).zip(self.events.iter().chain(events)) {
            if !matches!(session.push(traced(line, event)), Ok(SessionProgress::Explained)) {
                return false;
            }
        }
        let line = (self.events.len() + events.len()) as u64 + 1;
        let answered = TraceEvent { line, client: Some(client), kind: EventKind::Answer(Value::Any) };
        matches!(session.push(answered), Ok(SessionProgress::Rejected(_)))
    }

    /// Tests whether a request without an answer, which may have had any effect, may have left the server unable to answer now.
    pub(super) fn may_be_held(&self, events: &[LiveEvent]) -> bool {
        let is_given_up = |event: &LiveEvent| matches!(event.kind, LiveEventKind::Lost | LiveEventKind::Closed);
        self.may_hold && self.events.iter().chain(events).any(is_given_up)
    }

    /// Tests whether a message is sent only when a connection opens, so that it answers no request.
    pub(super) fn is_greeting(&self, message: &Value) -> bool {
        matches!(message, Value::Data { tag, .. } if self.greetings.contains(tag))
    }

    /// Notes that a request has no form on the wire, so that it was not sent.
    pub(super) fn note_unsent(&mut self, request: &Value) {
        self.unsent.get_or_insert_with(|| request.clone());
    }

    /// Notes that the system has refused a request.
    pub(super) fn note_refused(&mut self) {
        self.has_refused = true;
    }

    /// Notes an answer.
    pub(super) fn note_answer(&mut self, label: u64, answer: &Value) {
        self.messages.push(label + 1, MessageKind::Response, answer.clone());
    }

    /// Answers a call of a peer, after these events of the wave, and returns the events of the call and its end.
    pub(super) fn call(
        &mut self,
        call: SutCall,
        system: &mut dyn System,
        before: &[LiveEvent],
    ) -> [PeerEvent<Value>; 2] {
        let session = self.binds_peers.then_some(&self.session);
        let ahead = session.and_then(|session| {
            let call = EventKind::Peer(self.peers.called(&call));
            let line = self.events.len() as u64 + 1;
            let call = TraceEvent { line: line + before.len() as u64, client: None, kind: call };
            session.call_ahead((line..).zip(before).map(|(line, event)| traced(line, event)).chain([call]))
        });
        let keeps_duty = |answer: Option<&Value>| ahead.as_ref().is_none_or(|ahead| ahead.keeps_duty(answer));
        self.peers.answer(call, system, &keeps_duty)
    }
}
