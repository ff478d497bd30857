//! One wave of a run. It sends the requests of a plan, each as soon as the answers that it waits for came, until nothing is under
//! way.
//!
//! ```text
//! plan:   1 (c1)   3 (c2)   5 (c1, after 1)          1 and 3 are sent at once, and 5 after the answer to 1
//! events: 1 sent, 3 sent, 3 answered, 1 answered, 5 sent, 5 answered
//! ```

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{LiveEvent, LiveEventKind, SLICE, UNASKED, WaitLimits, WaveEnd, called};
use crate::harness::run::{LiveRun, RunState};
use crate::script::{Plan, PlannedAsk};
use crate::sut::{Leave, SutCall, SutEvent, SutEventKind, SutFailure, SutFailureKind, System};

/// The most messages in a wave that nobody asked for, so that a system that never stops sending ends it.
const MOST_UNASKED: usize = 10_000;

/// The time between the end of a connection on both sides and the next request, as a system may end its side first, and then do what it
/// does at the end of a connection.
const NOTICE: Duration = Duration::from_millis(50);

/// A request under way.
struct SentRequest {
    label: u64,
    since: Instant,
    is_owed: bool,
    /// The time after which it is looked at.
    patience: Duration,
}

/// A wave that is being performed.
struct Wave<'w> {
    plan: &'w [PlannedAsk],
    system: &'w mut dyn System,
    run: &'w mut LiveRun,
    patience: WaitLimits<'w>,
    /// The requests that were not sent yet, in order.
    waiting: VecDeque<usize>,
    done: FxHashSet<u64>,
    under_way: FxHashMap<u64, VecDeque<SentRequest>>,
    /// The number of messages that nobody asked for.
    unasked: usize,
    events: Vec<LiveEvent>,
}

impl LiveRun {
    /// Performs a wave, and judges it.
    pub fn perform(&mut self, plan: &Plan, system: &mut dyn System, patience: WaitLimits<'_>) -> RunState {
        self.begin_wave(plan);
        let (events, end) = self.observed(plan, system, patience);
        self.end_wave(events, end, patience)
    }

    /// Performs a plan, and returns the events in the order in which they were observed, without those of refused requests and those that
    /// were taken. A request that may break the client's duty ends the plan.
    fn observed(
        &mut self,
        plan: &Plan,
        system: &mut dyn System,
        patience: WaitLimits<'_>,
    ) -> (Vec<LiveEvent>, WaveEnd) {
        let mut wave = Wave {
            plan: &plan.asks,
            system,
            run: self,
            patience,
            waiting: (0..plan.asks.len()).collect(),
            done: FxHashSet::default(),
            under_way: FxHashMap::default(),
            unasked: 0,
            events: Vec::with_capacity(2 * plan.asks.len()),
        };
        let end = match wave.run() {
            Ok(end) => end,
            Err(failure) => WaveEnd::Broken(failure),
        };
        (wave.events, end)
    }
}

impl Wave<'_> {
    fn run(&mut self) -> Result<WaveEnd, SutFailure> {
        loop {
            if self.patience.is_over() {
                return Ok(WaveEnd::Interrupted);
            }
            let now = Instant::now();
            let paused = self.system.paused().filter(|until| *until > now);
            if paused.is_none() {
                self.release()?;
            }
            if self.is_idle() && paused.is_none() {
                // Nothing is under way that the others could wait for. This happens if a request shares a barrier with one whose
                // answer it waits for.
                let Some(next) = self.waiting.pop_front() else { return Ok(WaveEnd::Done) };
                let ask = &self.plan[next];
                self.pass_time(ask)?;
                self.send(ask)?;
                continue;
            }
            if self.is_idle() && self.waiting.is_empty() {
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

    /// Sends all requests that need not wait any longer.
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

    /// Tests whether a request may be sent. At a barrier it may be sent only if all requests there may.
    fn is_free(&self, ask: &PlannedAsk) -> bool {
        let is_free = |ask: &PlannedAsk| ask.after.iter().all(|label| self.done.contains(label));
        let is_beside = |other: &&PlannedAsk| ask.barrier.is_some() && other.barrier == ask.barrier;
        is_free(ask) && self.plan.iter().filter(is_beside).all(is_free)
    }

    /// Restarts the system, ends connections and waits, if the request says so.
    fn pass_time(&mut self, ask: &PlannedAsk) -> Result<(), SutFailure> {
        if ask.restart {
            self.system.crash()?;
            // Open requests are lost with their connections.
            self.done.extend(self.under_way.drain().flat_map(|(_, gone)| gone).map(|gone| gone.label));
            self.events.push(LiveEvent {
                label: ask.label,
                client: ask.client,
                kind: LiveEventKind::Restarted,
                waited: 0.0,
                sent: None,
            });
        }
        for client in &ask.closes {
            self.leave(*client)?;
        }
        if ask.delay > 0.0 {
            self.wait(Duration::from_secs_f64(ask.delay.clamp(0.0, 3_600.0)))?;
        }
        Ok(())
    }

    /// Lets a client end its connection, unless it has a request under way.
    fn leave(&mut self, client: u64) -> Result<(), SutFailure> {
        if self.under_way.get(&client).is_some_and(|open| !open.is_empty()) {
            return Ok(());
        }
        let leave = self.system.leave(client, self.patience.deadline)?;
        if leave != Leave::NotThere {
            // What others see from now on may come from the end of the connection.
            self.end(UNASKED, client, LiveEventKind::Lost);
        }
        if leave == Leave::Noticed {
            self.wait(NOTICE)?;
            // What others saw meanwhile may have been before the system took notice, so then it is not said when it did.
            if let Some(LiveEvent { label: UNASKED, client: of, kind: kind @ LiveEventKind::Lost, .. }) =
                self.events.last_mut()
                && *of == client
            {
                *kind = LiveEventKind::Left;
            }
        }
        Ok(())
    }

    /// Waits for some time, and observes what happens meanwhile.
    fn wait(&mut self, time: Duration) -> Result<(), SutFailure> {
        let until = Instant::now() + time;
        if self.is_idle() {
            self.patience.sleep(until);
        } else {
            while Instant::now() < until && !self.patience.is_over() {
                while let Some(event) = self.system.next(until.min(Instant::now() + SLICE))? {
                    self.observe(event)?;
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, ask: &PlannedAsk) -> Result<(), SutFailure> {
        let is_idle = self.is_idle();
        let Some(request) = self.run.instantiate(ask, &mut self.events, is_idle) else {
            // Nothing more is sent.
            self.waiting.clear();
            return Ok(());
        };
        let is_owed = self.run.is_owed();
        let sent = self.system.send(ask.client, &request.value);
        // Making the connection may have taken a while, so the time counts from here.
        let WaitLimits { deadline, silence, .. } = self.patience;
        let patience = if is_owed && !self.run.may_hold() { deadline } else { silence };
        let under_way = SentRequest { label: ask.label, since: Instant::now(), is_owed, patience };
        self.under_way.entry(ask.client).or_default().push_back(under_way);
        sent?;
        // The delay of a request at a barrier belongs to the barrier.
        let waited = if ask.barrier.is_none() { ask.delay } else { 0.0 };
        let kind = LiveEventKind::Sent(request);
        let sent = Some(Instant::now());
        self.events.push(LiveEvent { label: ask.label, client: ask.client, kind, waited, sent });
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
        if matches!(&kind, SutEventKind::Answer(message) if self.run.is_greeting(message)) {
            return self.unasked(client, kind);
        }
        let under_way = self.under_way.entry(client).or_default();
        let Some(SentRequest { label, .. }) = under_way.pop_front() else { return self.unasked(client, kind) };
        match kind {
            SutEventKind::Answer(answer) => {
                self.run.note_answer(label, &answer);
                self.end(label, client, LiveEventKind::Answered(answer));
            }
            SutEventKind::Refused => {
                self.run.note_refused();
                self.forget(label);
            }
            SutEventKind::Unsent => {
                let sent = self.events.iter().rev().find(|event| event.label == label);
                if let Some(LiveEvent { kind: LiveEventKind::Sent(request), .. }) = sent {
                    self.run.note_unsent(&request.value);
                }
                self.forget(label);
            }
            SutEventKind::Called(call) => self.called(call),
            SutEventKind::Lost | SutEventKind::Closed => {
                // The client gives up its other open requests.
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
        let events = self.run.call(call, self.system, &self.events);
        self.events.extend(called(events));
    }

    /// Forgets a request that took no effect.
    fn forget(&mut self, label: u64) {
        self.done.insert(label);
        self.events.retain(|event| event.label != label);
    }

    fn end(&mut self, label: u64, client: u64, kind: LiveEventKind) {
        self.done.insert(label);
        self.events.push(LiveEvent { label, client, kind, waited: 0.0, sent: None });
    }

    /// Notes an event that answers no request of the client.
    fn unasked(&mut self, client: u64, kind: SutEventKind) -> Result<(), SutFailure> {
        self.unasked += 1;
        if self.unasked > MOST_UNASKED {
            let what = format!("the system sent more than {MOST_UNASKED} messages that nobody asked for");
            return Err(SutFailure::new(SutFailureKind::Garbage, what).of_client(client));
        }
        match kind {
            SutEventKind::Answer(answer) => self.end(UNASKED, client, LiveEventKind::Answered(answer)),
            SutEventKind::Closed => self.end(UNASKED, client, LiveEventKind::Closed),
            SutEventKind::Called(call) => self.called(call),
            SutEventKind::Lost | SutEventKind::Refused | SutEventKind::Unsent => {}
        }
        Ok(())
    }

    /// The next moment at which the time for some request is over.
    fn next_moment(&self, now: Instant) -> Instant {
        let patience = |under_way: &SentRequest| under_way.since + under_way.patience;
        self.under_way.values().flatten().map(patience).min().unwrap_or(now + SLICE)
    }

    /// Gives up requests whose time is over. It is a failure if an answer is owed, and a server of the specification could give it now.
    fn check_time(&mut self, now: Instant) -> Result<(), SutFailure> {
        let over: Vec<u64> = self.under_way.keys().copied().collect();
        for client in over {
            let first = self.under_way.get_mut(&client).and_then(VecDeque::front_mut);
            let Some(first) = first.filter(|first| now >= first.since + first.patience) else { continue };
            if first.is_owed && !self.run.is_held(&self.events, client) {
                if first.patience < self.patience.deadline {
                    first.patience = self.patience.deadline;
                    continue;
                }
                if !self.run.may_be_held(&self.events) {
                    return Err(SutFailure::hang(client, self.patience.deadline));
                }
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
