//! A wave: requests that are sent together, or one after another, and the events at their clients.

mod perform;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::end;
use crate::script::RequestTemplate;
use crate::sut::SutFailure;
use crate::trace::PeerEvent;
use crate::value::Value;

/// The longest single wait, so that an interruption is noticed soon.
pub(super) const SLICE: Duration = Duration::from_millis(100);
/// The label of events that belong to no request.
pub const UNASKED: u64 = 0;

/// An event at a client in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct LiveEvent {
    /// The label of the request that the event belongs to.
    pub label: u64,
    /// The client.
    pub client: u64,
    /// The event.
    pub kind: LiveEventKind,
    /// The wait before the event, in seconds, if the event is a request.
    pub waited: f64,
    /// The moment at which a request was sent; `None` for other events, and for a request of a script.
    pub sent: Option<Instant>,
}

/// The events at a client.
#[derive(Clone, PartialEq, Debug)]
pub enum LiveEventKind {
    /// The client sent this request.
    Sent(RequestTemplate),
    /// The client received this answer.
    Answered(Value),
    /// No answer came; the request may have taken effect. Without a request, the client ended the connection.
    Lost,
    /// The system ended the connection.
    Closed,
    /// The client ended the connection, and saw that the system has taken notice of this.
    Left,
    /// The system was killed and started again. The client does not matter.
    Restarted,
    /// The system called a peer, or the peer ended a call. The client does not matter.
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
    /// The time within which an answer that is owed must come.
    pub deadline: Duration,
    /// The silence after which a request that is owed no answer counts as unanswered.
    pub silence: Duration,
    /// Set when somebody asks for the end.
    pub stop: &'p AtomicBool,
    /// The moment at which waiting ends, if there is one.
    pub until: Option<Instant>,
}

impl WaitLimits<'_> {
    /// Tests whether nothing is waited for any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let is_late = self.until.is_some_and(|until| until <= Instant::now());
        is_late || self.stop.load(Ordering::Relaxed) || end::is_over()
    }

    /// Sleeps until a moment, or until waiting ends.
    pub fn sleep(&self, until: Instant) {
        while Instant::now() < until && !self.is_over() {
            thread::sleep(SLICE.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

/// The events of a call of a peer and its end, in a run.
pub fn called(events: [PeerEvent<Value>; 2]) -> [LiveEvent; 2] {
    events.map(|event| LiveEvent {
        label: UNASKED,
        client: UNASKED,
        kind: LiveEventKind::Peer(event),
        waited: 0.0,
        sent: None,
    })
}
