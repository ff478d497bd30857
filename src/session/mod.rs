//! The one judge from the outside: a specification, a network and limits in; events one by one; a verdict out.
//!
//! Which engine judges is decided here: a search for an order of service where each handler answers once over TCP, the event-by-event
//! engine elsewhere.
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

use std::sync::Arc;

use crate::dualize::{Doubt, Judge, Options, Verdict};
use crate::network::{NetworkChoice, Observation};
use crate::process::Limit;
use crate::schedule::{self, Happened, OnlineHistory};
use crate::spec::Spec;
use crate::trace::{TraceError, TraceEvent, TraceFormat};
use crate::validate::{Events, Numbering};
use crate::value::Value;

/// The state of judging after an event.
#[derive(Clone, PartialEq, Debug)]
pub enum SessionProgress {
    /// Some run of the specification shows all that was observed so far.
    Explained,
    /// The last events, this many, have not been judged yet; [`Session::settle`] judges them.
    Lagging(usize),
    /// None does; this is the line of the first event that cannot be explained.
    Rejected(u64),
    /// That was too hard to decide.
    Unknown(Doubt),
}

/// A judge of events over a network.
pub struct Session {
    spec: Arc<Spec>,
    numbering: Numbering,
    line: u64,
    engine: SessionEngine,
}

enum SessionEngine {
    Order { history: Box<OnlineHistory>, verdict: Option<Verdict> },
    Network { judge: Box<Judge>, net: NetworkChoice },
}

impl Session {
    /// A session over TCP in which nothing was observed yet.
    #[must_use]
    pub fn tcp(spec: &Arc<Spec>, options: Options) -> Session {
        Session::new(spec, NetworkChoice::TCP, options)
    }

    /// A session over a network in which nothing was observed yet.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, net: NetworkChoice, options: Options) -> Session {
        let composed = spec.for_networks();
        let is_order = net == NetworkChoice::TCP && composed.program.steps.is_empty() && schedule::is_judged(&composed);
        let engine = if is_order {
            let history = Box::new(OnlineHistory::new(spec, options));
            SessionEngine::Order { history, verdict: Some(Verdict::Accept { warning: None }) }
        } else {
            SessionEngine::Network { judge: Box::new(Judge::new(composed.clone(), options)), net }
        };
        Session { spec: spec.clone(), numbering: Numbering::new(), line: 0, engine }
    }

    /// Observes the event that a line of a trace is.
    ///
    /// # Errors
    /// Where it is no event, or its values are not of the specification's types.
    pub fn push_line(&mut self, line: &str) -> Result<SessionProgress, TraceError> {
        let mut events = Events::open(&self.spec, line.as_bytes(), TraceFormat::Ndjson, Default::default());
        let mut progress = self.progress();
        while let Some(event) = events.next_event()? {
            let event = TraceEvent { line: self.line + 1, ..event };
            progress = self.push(event).map_err(|why| events.error_on(1, why))?;
        }
        Ok(progress)
    }

    /// Observes an event.
    ///
    /// # Errors
    /// Where a peer answers a call that was not made.
    pub fn push(&mut self, event: TraceEvent<Value>) -> Result<SessionProgress, String> {
        self.line = event.line;
        match &mut self.engine {
            SessionEngine::Order { history, verdict } => {
                for happened in happened(event) {
                    *verdict = history.push(self.line, happened);
                }
            }
            SessionEngine::Network { judge, net } => {
                for observation in self.numbering.made(&self.spec, event)? {
                    judge.observe_over(&*net.network(), self.line, &observation);
                }
            }
        }
        Ok(self.progress())
    }

    /// Judges what was not judged yet.
    pub fn settle(&mut self) -> SessionProgress {
        if let SessionEngine::Network { judge, net } = &mut self.engine {
            judge.observe_over(&*net.network(), self.line + 1, &Observation::End);
        }
        self.progress()
    }

    /// The verdict on what was observed so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let too_hard = Verdict::Unknown { doubt: Doubt::Limit(Limit::Orders), warning: None };
        match &self.engine {
            SessionEngine::Order { verdict, .. } => verdict.clone().unwrap_or(too_hard),
            SessionEngine::Network { judge, .. } => judge.verdict(),
        }
    }

    fn progress(&self) -> SessionProgress {
        match self.verdict() {
            Verdict::Reject { event, .. } => SessionProgress::Rejected(event),
            Verdict::Unknown { doubt, .. } => SessionProgress::Unknown(doubt),
            Verdict::Accept { .. } | Verdict::Outside { .. } | Verdict::Fault(_) => SessionProgress::Explained,
        }
    }
}

/// The one or two things that happened in an event.
fn happened(event: TraceEvent<Value>) -> impl Iterator<Item = Happened> {
    crate::validate::happened(event).into_iter().flatten()
}
