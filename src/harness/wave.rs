//! One wave of a run: the requests of a plan are sent, each as soon as what it waits for was answered, until nothing is under way.
//!
//! ```text
//! plan:   1 (c1)   3 (c2)   5 (c1, after 1)          sent at once: 1 and 3; 5 when 1 has its answer
//! events: 1 sent, 3 sent, 3 answered, 1 answered, 5 sent, 5 answered
//! ```

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::script::{Plan, PlannedAsk, RequestTemplate};
use crate::sut::{SutCall, SutEvent, SutEventKind, SutFailure, System};
use crate::trace::PeerEvent;
use crate::value::Value;

/// The label of what no request led to.
pub const UNASKED: u64 = 0;

/// Something that a client did or saw in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct LiveEvent {
    /// The label of the request that it is about.
    pub label: u64,
    /// The client.
    pub client: u64,
    /// The thing that it did or saw.
    pub kind: LiveEventKind,
    /// The seconds that were waited before, if it is a request.
    pub waited: f64,
}

/// The kinds of things that a client does or sees.
#[derive(Clone, PartialEq, Debug)]
pub enum LiveEventKind {
    /// It sent this request.
    Sent(RequestTemplate),
    /// It saw the answer.
    Answered(Value),
    /// No answer came; the request may have happened.
    Lost,
    /// The system ended the connection.
    Closed,
    /// The system was killed and started again; this stands for no client.
    Restarted,
    /// The system called a peer, or the peer ended a call; this stands for no client, either.
    Peer(PeerEvent<Value>),
}

/// The end of a wave.
#[derive(Debug)]
pub enum WaveEnd {
    /// Nothing is under way.
    Done,
    /// The system broke down.
    Broken(SutFailure),
    /// Somebody asked for the end.
    Interrupted,
}

/// The limits on waiting.
#[derive(Clone, Copy)]
pub struct WaitLimits<'p> {
    /// The time that an answer may take.
    pub deadline: Duration,
    /// The silence after which a request that need not be answered has no answer.
    pub silence: Duration,
    /// Set once somebody asks for the end.
    pub stop: &'p AtomicBool,
    /// The moment after which a system that asked for a pause is not waited for, if there is one.
    pub until: Option<Instant>,
}

/// The question of a wave to its run: the value of a request that is about to be sent, and whether an answer to it is owed.
pub trait Asker {
    /// The request as it is sent now.
    fn instantiate(&mut self, label: u64, request: &RequestTemplate) -> RequestTemplate;
    /// Tests whether each run of the server answers it.
    fn is_answered(&self, request: &Value) -> bool;
    /// Takes notice of an answer.
    fn answered(&mut self, label: u64, answer: &Value);
    /// Answers a call of a peer; the call and its end.
    fn call(&mut self, call: SutCall, system: &mut dyn System) -> [PeerEvent<Value>; 2];
}

/// Waiting is cut into slices so that an interruption is noticed.
const SLICE: Duration = Duration::from_millis(100);

/// A request under way.
struct SentRequest {
    label: u64,
    since: Instant,
    is_owed: bool,
}

/// A wave that is performed.
struct Wave<'w> {
    plan: &'w [PlannedAsk],
    system: &'w mut dyn System,
    asker: &'w mut dyn Asker,
    patience: WaitLimits<'w>,
    /// The requests that were not sent yet, in order.
    waiting: VecDeque<usize>,
    done: FxHashSet<u64>,
    under_way: FxHashMap<u64, VecDeque<SentRequest>>,
    events: Vec<LiveEvent>,
}

/// Performs a plan; what happened comes in the order in which it was observed, without requests that were refused.
pub fn perform(
    plan: &Plan,
    system: &mut dyn System,
    asker: &mut dyn Asker,
    patience: WaitLimits<'_>,
) -> (Vec<LiveEvent>, WaveEnd) {
    let mut wave = Wave {
        plan: &plan.asks,
        system,
        asker,
        patience,
        waiting: (0..plan.asks.len()).collect(),
        done: FxHashSet::default(),
        under_way: FxHashMap::default(),
        events: Vec::with_capacity(2 * plan.asks.len()),
    };
    let end = match wave.run() {
        Ok(end) => end,
        Err(failure) => WaveEnd::Broken(failure),
    };
    (wave.events, end)
}

impl Wave<'_> {
    fn run(&mut self) -> Result<WaveEnd, SutFailure> {
        loop {
            if self.patience.stop.load(Ordering::Relaxed) {
                return Ok(WaveEnd::Interrupted);
            }
            let now = Instant::now();
            let paused = self.system.paused().filter(|until| *until > now);
            if paused.is_none() {
                self.release()?;
            }
            if self.is_idle() && paused.is_none() {
                // Nothing comes any more that the others wait for: a request may stand at a barrier with one whose answer it waits for.
                let Some(next) = self.waiting.pop_front() else { return Ok(WaveEnd::Done) };
                let ask = &self.plan[next];
                self.pass_time(ask)?;
                self.send(ask)?;
                continue;
            }
            if self.is_idle() && (self.waiting.is_empty() || self.patience.until.is_some_and(|until| until <= now)) {
                return Ok(WaveEnd::Done);
            }
            let until = self.next_moment(now).min(now + SLICE);
            match self.system.next(paused.map_or(until, |paused| paused.min(until)))? {
                Some(event) => self.observe(event)?,
                None => self.check_time(Instant::now())?,
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.under_way.values().all(VecDeque::is_empty)
    }

    /// Sends what waits for nothing any more.
    fn release(&mut self) -> Result<(), SutFailure> {
        let mut held: FxHashSet<u64> = FxHashSet::default();
        let mut at = 0;
        while at < self.waiting.len() {
            let ask = &self.plan[self.waiting[at]];
            let is_held = held.contains(&ask.client) || !self.is_free(ask);
            if is_held {
                held.insert(ask.client);
                at += 1;
                continue;
            }
            self.pass_time(ask)?;
            self.waiting.remove(at);
            self.send(ask)?;
        }
        Ok(())
    }

    /// Tests whether a request waits for nothing; one at a barrier waits until all there do.
    fn is_free(&self, ask: &PlannedAsk) -> bool {
        let is_free = |ask: &PlannedAsk| ask.after.iter().all(|label| self.done.contains(label));
        let is_beside = |other: &&PlannedAsk| ask.barrier.is_some() && other.barrier == ask.barrier;
        is_free(ask) && self.plan.iter().filter(is_beside).all(is_free)
    }

    /// Waits as long as a request says, and starts the system again if it says so.
    fn pass_time(&mut self, ask: &PlannedAsk) -> Result<(), SutFailure> {
        if ask.restart {
            self.system.crash()?;
            // What was under way is lost with its connection.
            self.done.extend(self.under_way.drain().flat_map(|(_, gone)| gone).map(|gone| gone.label));
            self.events.push(LiveEvent {
                label: ask.label,
                client: ask.client,
                kind: LiveEventKind::Restarted,
                waited: 0.0,
            });
        }
        let until = Instant::now() + Duration::from_secs_f64(ask.delay.clamp(0.0, 3_600.0));
        if ask.delay > 0.0 && self.is_idle() {
            while Instant::now() < until && !self.patience.stop.load(Ordering::Relaxed) {
                thread::sleep(SLICE.min(until.saturating_duration_since(Instant::now())));
            }
        } else if ask.delay > 0.0 {
            while let Some(event) = self.system.next(until)? {
                self.observe(event)?;
            }
        }
        Ok(())
    }

    fn send(&mut self, ask: &PlannedAsk) -> Result<(), SutFailure> {
        let request = self.asker.instantiate(ask.label, &ask.request);
        let is_owed = self.asker.is_answered(&request.value);
        let sent = self.system.send(ask.client, &request.value);
        // To make a connection may have taken a while.
        let under_way = SentRequest { label: ask.label, since: Instant::now(), is_owed };
        self.under_way.entry(ask.client).or_default().push_back(under_way);
        sent?;
        // What is waited at a barrier belongs to the barrier.
        let waited = if ask.barrier.is_none() { ask.delay } else { 0.0 };
        let kind = LiveEventKind::Sent(request);
        self.events.push(LiveEvent { label: ask.label, client: ask.client, kind, waited });
        Ok(())
    }

    fn observe(&mut self, event: SutEvent) -> Result<(), SutFailure> {
        let SutEvent { client, kind } = event;
        let kind = match kind {
            SutEventKind::Called(call) => {
                self.called(call);
                return Ok(());
            }
            kind => kind,
        };
        let under_way = self.under_way.entry(client).or_default();
        let Some(SentRequest { label, .. }) = under_way.pop_front() else { return self.unasked(client, kind) };
        match kind {
            SutEventKind::Answer(answer) => {
                self.asker.answered(label, &answer);
                self.end(label, client, LiveEventKind::Answered(answer));
            }
            SutEventKind::Refused => {
                self.done.insert(label);
                self.events.retain(|event| event.label != label);
            }
            SutEventKind::Called(call) => self.called(call),
            SutEventKind::Lost | SutEventKind::Closed => {
                // The others of the connection are given up with it.
                let others = std::mem::take(under_way);
                self.done.extend(others.iter().map(|other| other.label));
                let is_lost = kind == SutEventKind::Lost;
                self.end(label, client, if is_lost { LiveEventKind::Lost } else { LiveEventKind::Closed });
            }
        }
        Ok(())
    }

    /// Answers a call of a peer.
    fn called(&mut self, call: SutCall) {
        let events = self.asker.call(call, self.system);
        let event =
            |event| LiveEvent { label: UNASKED, client: UNASKED, kind: LiveEventKind::Peer(event), waited: 0.0 };
        self.events.extend(events.map(event));
    }

    fn end(&mut self, label: u64, client: u64, kind: LiveEventKind) {
        self.done.insert(label);
        self.events.push(LiveEvent { label, client, kind, waited: 0.0 });
    }

    /// Takes notice of something that no request of the client led to.
    fn unasked(&mut self, client: u64, kind: SutEventKind) -> Result<(), SutFailure> {
        match kind {
            SutEventKind::Answer(answer) => self.end(UNASKED, client, LiveEventKind::Answered(answer)),
            SutEventKind::Closed => self.end(UNASKED, client, LiveEventKind::Closed),
            SutEventKind::Called(call) => self.called(call),
            SutEventKind::Lost | SutEventKind::Refused => {}
        }
        Ok(())
    }

    /// The moment at which the patience with some request ends.
    fn next_moment(&self, now: Instant) -> Instant {
        let patience = |under_way: &SentRequest| under_way.since + self.patience_with(under_way);
        self.under_way.values().flatten().map(patience).min().unwrap_or(now + SLICE)
    }

    fn patience_with(&self, under_way: &SentRequest) -> Duration {
        if under_way.is_owed { self.patience.deadline } else { self.patience.silence }
    }

    /// Gives up requests whose time is over: that is a failure if an answer is owed.
    fn check_time(&mut self, now: Instant) -> Result<(), SutFailure> {
        let over: Vec<u64> = self.under_way.keys().copied().collect();
        for client in over {
            let first = self.under_way.get(&client).and_then(VecDeque::front);
            let Some(first) = first.filter(|first| now >= first.since + self.patience_with(first)) else { continue };
            if first.is_owed {
                return Err(SutFailure::hang(client, self.patience.deadline));
            }
            let label = first.label;
            let gone = self.under_way.remove(&client).unwrap_or_default();
            self.done.extend(gone.iter().map(|gone| gone.label));
            self.system.close(client)?;
            self.end(label, client, LiveEventKind::Lost);
        }
        Ok(())
    }
}
