//! The judge as programs use it: from a specification, a network and limits, and events one by one, to a verdict.
//!
//! The session decides which engine judges. Whole exchanges one after another are judged step by step. For concurrent clients
//! over TCP whose requests are each answered once, it searches for an order of service. Everything else is judged event by event.
//!
//! ```
//! use mayhap::{Options, Session, SessionProgress, Spec};
//! let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }")?;
//! let mut session = Session::tcp(&spec, Options::default());
//! let trace = [r#"{"c": 1, "q": 2}"#, r#"{"c": 2, "q": 3}"#, r#"{"c": 2, "a": 5}"#, r#"{"c": 1, "a": 5}"#];
//! let progress: Vec<SessionProgress> = trace.iter().map(|line| session.push_line(line)).collect::<Result<_, _>>()?;
//! assert_eq!(progress[2..], [SessionProgress::Explained, SessionProgress::Rejected(4)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod call_ahead;
mod engine;
mod evidence;
mod kept;
mod observing;
mod proof;
mod recording;
mod recovery;
mod saved;
mod source;
mod whole;

use std::fmt;
use std::sync::Arc;

pub use call_ahead::CallAhead;
pub use evidence::SessionEvidence;
pub use observing::EventError;
pub use proof::{
    ConcurrentEvidence, FoundRejection, NamedStatement, NetworkedEvidence, Proof, Recheck, WitnessSearch, WitnessWay,
};
pub use recording::{EvidenceKept, JudgedRecording, Judgement, RecordingJudge};
pub use recovery::UnknownPart;
pub use source::{OpenAt, RecordingSource, TraceNotes, TracePart};
pub use whole::{EngineKind, is_order, judged_as_whole};

use crate::evidence::Budget;
use crate::judge::{Candidate, Doubt, Options, Verdict};
use crate::limits;
use crate::network::NetworkChoice;
use crate::reading::Events;
use crate::report;
use crate::spec::Spec;
use crate::trace::{EventPlace, Places, TraceError, TraceEvent, TraceFormat};
use crate::value::Value;
use engine::{EngineCheckpoint, SessionEngine};
use evidence::JudgedSession;
use kept::KeptEvents;
use recovery::Recovery;

/// The most surviving explanations whose memories are shown.
const SHOWN: usize = 16;

/// The progress of a session after an event.
///
/// Events that are too hard to judge are unknown, and the session goes on after them, from any state. From then on `Explained`
/// says less: from some state a run shows the observations since. `Rejected` still says that no run shows all observations. The
/// verdict on the whole session stays unknown until an event is rejected.
///
/// ```
/// use mayhap::{Options, Session, SessionProgress, Spec, Verdict};
/// let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0;
///     on q { if q < 0 { let x = choose int; let y = choose int; assume x * x * x == y * y + 1; reply x; }
///            if q > 0 { n := q; } reply n; } }")?;
/// let options = Options { effort: 100, ..Options::default() };
/// let mut session = Session::new(&spec, "sync".parse()?, options);
/// let mut push = |line: &str| session.push_line(line);
/// assert!(matches!(push(r#"{"q": -1, "a": 1000003}"#)?, SessionProgress::Unknown(_)));
/// // The number may be 7 now: nobody knows better.
/// assert_eq!(push(r#"{"q": 0, "a": 7}"#)?, SessionProgress::Explained);
/// assert_eq!(push(r#"{"q": 0, "a": 8}"#)?, SessionProgress::Rejected(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum SessionProgress {
    /// Some run of the specification shows all observations so far, or since the last unknown part.
    Explained,
    /// No run shows the observations. The line is that of the first event that nothing explains.
    Rejected(u64),
    /// The last event was too hard to judge.
    Unknown(Doubt),
    /// Only runs in which a client broke its duty show the observations. The line is that of the event that broke it.
    Outside(u64),
    /// Only runs in which the specification itself is wrong show the observations. The line is that of the event that met the fault.
    Faulty(u64),
}

/// A judge of the events over a network.
pub struct Session {
    spec: Arc<Spec>,
    net: NetworkChoice,
    options: Options,
    /// The number of the last event.
    number: u64,
    /// The lines of the events whose numbers differ from them.
    places: Places,
    engine: SessionEngine,
    events: KeptEvents,
    /// The verdict on all events as a whole, if judging them one by one was too hard.
    whole: Option<Verdict>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Session");
        shown.field("spec", &self.spec.program.name).field("events", &self.number).field("verdict", &self.verdict());
        shown.finish_non_exhaustive()
    }
}

impl Session {
    /// A session over TCP that has observed nothing.
    #[must_use]
    pub fn tcp(spec: &Arc<Spec>, options: Options) -> Session {
        Session::new(spec, NetworkChoice::TCP, options)
    }

    /// A session over a network that has observed nothing.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, net: NetworkChoice, options: Options) -> Session {
        let engine = SessionEngine::new(spec, net, options.clone());
        Session {
            spec: spec.clone(),
            net,
            options,
            number: 0,
            places: Places::default(),
            engine,
            events: KeptEvents::at_most(limits::KEPT),
            whole: None,
        }
    }

    /// A session that continues from a checkpoint.
    fn at_checkpoint(
        (spec, net): (&Arc<Spec>, NetworkChoice),
        options: Options,
        checkpoint: (EngineCheckpoint, Recovery),
    ) -> Option<Session> {
        let engine = SessionEngine::at_checkpoint((spec, net), options.clone(), checkpoint)?;
        let events = KeptEvents::since(engine.checkpoint());
        let (spec, places) = (spec.clone(), Places::default());
        Some(Session { spec, net, options, number: 0, places, engine, events, whole: None })
    }

    /// The session with another bound on the number of events that it keeps for evidence.
    #[must_use]
    pub fn keeping(self, events: usize) -> Session {
        Session { events: self.events.keeping(events), ..self }
    }

    /// A session over a network that has observed nothing. To find another explanation it may go back over at least `events`
    /// events. A history with not many more events is judged more quickly: no second explanation is looked for as long as the first
    /// one goes on. A single event may take longer.
    #[must_use]
    pub fn remembering(spec: &Arc<Spec>, net: NetworkChoice, options: Options, events: usize) -> Session {
        let mut session = Session::new(spec, net, options);
        session.engine.remember(events);
        session
    }

    /// Observes the event on a line of a trace.
    ///
    /// # Errors
    /// The line is no event, or its values do not have the specification's types.
    pub fn push_line(&mut self, line: &str) -> Result<SessionProgress, TraceError> {
        let mut events = Events::open(&self.spec, line.as_bytes(), TraceFormat::Ndjson, Default::default());
        let mut progress = self.progress_after_event();
        while let Some(event) = events.next_event()? {
            let event = TraceEvent { line: self.next_line(), ..event };
            progress = self.push(event).map_err(|why| events.error_on(1, why.to_string()))?;
        }
        Ok(progress)
    }

    /// The line after that of the last event.
    fn next_line(&self) -> u64 {
        self.places.line(self.number).saturating_add(1)
    }

    /// Observes an event. Its line is the name that reports give it; the order of the events is that in which they are observed.
    ///
    /// # Errors
    /// The network has no such event, or a peer answers a call that was not made.
    pub fn push(&mut self, event: TraceEvent<Value>) -> Result<SessionProgress, EventError> {
        let line = event.line;
        let next =
            self.number.checked_add(1).ok_or_else(|| EventError("no number is left for one more event".to_owned()))?;
        // A huge line is no number, so that numbers are left for later events.
        let event = TraceEvent { line: if line < u64::MAX / 2 { next.max(line) } else { next }, ..event };
        let number = event.line;
        self.engine.push(event.clone()).map_err(EventError)?;
        self.number = number;
        self.places.note(number, EventPlace::OnLine { line, nth: 1 });
        self.whole = None;
        self.events.push(event);
        if self.events.wants_checkpoint()
            && let Some(checkpoint) = self.engine.checkpoint()
        {
            self.events.remember(checkpoint);
        }
        Ok(self.progress_after_event())
    }

    /// Judges what the end of the recording shows. If judging event by event was too hard, judges all events as a whole, unless some
    /// were not kept.
    pub fn settle(&mut self) -> SessionProgress {
        self.engine.settle(self.number.saturating_add(1));
        if let (Verdict::Unknown { .. }, Some(events)) = (self.engine.verdict(), self.events.all()) {
            let events = events.iter().cloned();
            self.whole = whole::judged_as_whole(&self.spec, self.net, events, &self.options);
        }
        self.progress()
    }

    /// The verdict on the observations so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.numbered_verdict().with_events(&|number| self.places.line(number))
    }

    /// The verdict, with the numbers of events.
    fn numbered_verdict(&self) -> Verdict {
        self.whole.clone().unwrap_or_else(|| self.engine.verdict())
    }

    /// Finds the reason of the verdict in words, within a second of work; `None` if some run explains everything.
    pub fn reason(&mut self) -> Option<String> {
        if self.verdict().is_accept() {
            return None;
        }
        Some(self.evidence(Budget::seconds(1.0)).explanation.join("\n"))
    }

    /// Finds the evidence for the verdict, within a budget.
    pub fn evidence(&mut self, budget: Budget<'_>) -> SessionEvidence {
        self.evidence_by(&self.places.clone(), budget)
    }

    /// Finds the evidence for the verdict, which names events by these places.
    pub(crate) fn evidence_by(&mut self, places: &Places, budget: Budget<'_>) -> SessionEvidence {
        let verdict = self.numbered_verdict();
        let Session { spec, net, options, engine, events, .. } = self;
        JudgedSession { spec, net: *net, options, engine, events: events.all(), places, verdict }.evidence(budget)
    }

    /// The memories of a few surviving explanations, variable by variable. Parts of them may be symbolic. Empty if none is at
    /// hand.
    #[must_use]
    pub fn states(&self) -> Vec<&[Value]> {
        let slots = self.spec.program.state_slots();
        let candidates = self.engine.candidates().into_iter().take(SHOWN);
        candidates.filter_map(|candidate| candidate.process.memory.get(..slots)).collect()
    }

    /// The number by which the specification knows a client. After the connection of a client has ended it is another one.
    #[must_use]
    pub fn number(&self, client: u64) -> u64 {
        self.engine.number(client)
    }

    /// The states that a request of a client meets if it is sent now, with the number by which the specification knows the client: the
    /// server is in one of them for sure, or in one to which its own steps lead from there. `None` if something is under way or may still
    /// happen, or if not all states are known.
    #[doc(hidden)]
    #[must_use]
    pub fn at_rest(&self, client: u64, request: &Value) -> Option<(u64, Vec<Candidate>)> {
        self.engine.at_rest(client, request).map(|(client, judge)| (client, judge.candidates().to_vec()))
    }

    /// The memory of one surviving explanation, variable by variable. Parts of it may be symbolic. `None` if none is at hand.
    #[must_use]
    pub fn state(&self) -> Option<Vec<Value>> {
        let mut memory = self.engine.memory()?;
        memory.truncate(self.spec.program.state_slots());
        Some(memory)
    }

    /// Tests whether the server may have made calls that no peer has seen.
    #[must_use]
    pub fn may_have_unseen_calls(&self) -> bool {
        let mut candidates = self.engine.candidates().into_iter();
        self.engine.recovery().is_open() || candidates.any(|candidate| !candidate.process.unseen_calls().is_empty())
    }

    /// The specification.
    #[must_use]
    pub fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    /// The unknown parts of the trace, which were too hard to judge. Anything may have happened in such a part, and after it the
    /// server may have been in any state.
    #[must_use]
    pub fn unknown_parts(&self) -> &[UnknownPart] {
        self.engine.recovery().parts()
    }

    /// The question that was too hard at the last event, with its place in the specification; `None` if there was none.
    #[must_use]
    pub fn too_hard(&self) -> Option<String> {
        if let Some(part) = self.unknown_parts().last().filter(|part| part.to == self.number) {
            return Some(part.to_string());
        }
        let (doubt, at) = self.engine.judge()?.doubt()?;
        Some(
            at.map_or_else(|| doubt.to_string(), |at| format!("{doubt}: {}", report::named_place(&self.spec, at.site))),
        )
    }

    /// The progress at the last event. After an unknown part, `Explained` means that some state explains the observations since.
    fn progress_after_event(&self) -> SessionProgress {
        match (self.verdict(), self.engine.doubt_on(self.number)) {
            (Verdict::Accept { .. } | Verdict::Unknown { .. }, Some(doubt)) => SessionProgress::Unknown(doubt),
            (Verdict::Accept { .. } | Verdict::Unknown { .. }, None) => SessionProgress::Explained,
            (Verdict::Reject { .. } | Verdict::Outside { .. } | Verdict::Fault(_), _) => self.progress(),
        }
    }

    /// The progress on all events as a whole.
    fn progress(&self) -> SessionProgress {
        match self.verdict() {
            Verdict::Reject { event, .. } => SessionProgress::Rejected(event),
            Verdict::Unknown { doubt, .. } => SessionProgress::Unknown(doubt),
            Verdict::Outside { event, .. } => SessionProgress::Outside(event),
            Verdict::Fault(report) => SessionProgress::Faulty(report.event),
            Verdict::Accept { .. } => SessionProgress::Explained,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_session_may_change_threads() {
        fn sends<T: Send>() {}
        sends::<super::Session>();
    }
}
