//! Observations of a program with clients, given to a session one by one.
//!
//! ```
//! use mayhap::{Options, Session, SessionProgress, Spec};
//! let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }")?;
//! let mut session = Session::tcp(&spec, Options::default());
//! session.asked(1, &2)?;
//! session.lost(1)?;
//! session.asked(2, &3)?;
//! // The request of client 1 may have had its effect or not.
//! assert_eq!(session.answered(2, &5)?, SessionProgress::Explained);
//! session.restarted()?;
//! session.asked(2, &3)?;
//! assert_eq!(session.answered(2, &9)?, SessionProgress::Rejected(7));
//! // The specification says nothing about restarts, so its state is kept.
//! assert!(session.reason().unwrap().starts_with("no ordering of the requests explains that line 7 answered 9 to 3; only 8"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use serde::Serialize;

use super::{Session, SessionProgress};
use crate::json;
use crate::spec::TypeId;
use crate::trace::{EventKind, TraceEvent};
use crate::value::Value;

/// The reason why a session does not take an event: its value has not the type of the specification, the network has no such event, or a
/// peer answers a call that was not made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventError(pub(super) String);

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EventError {}

impl Session {
    /// Observes that a client sends a request, given as a value that serialises to its JSON.
    ///
    /// # Errors
    /// The value does not have the specification's type.
    pub fn asked<Q: Serialize + ?Sized>(&mut self, client: u64, request: &Q) -> Result<SessionProgress, EventError> {
        let request = self.value(self.spec.program.request, request)?;
        self.observe(client, EventKind::Request(request))
    }

    /// Observes that a client receives an answer, given as a value that serialises to its JSON.
    ///
    /// # Errors
    /// The value does not have the specification's type.
    pub fn answered<A: Serialize + ?Sized>(&mut self, client: u64, answer: &A) -> Result<SessionProgress, EventError> {
        let answer = self.value(self.spec.program.response, answer)?;
        self.observe(client, EventKind::Answer(answer))
    }

    /// Observes that a client gives up: its unanswered requests may have their effect now, later, or never. Its next request is
    /// sent over another connection.
    ///
    /// # Errors
    /// The network has no connections.
    pub fn lost(&mut self, client: u64) -> Result<SessionProgress, EventError> {
        self.observe(client, EventKind::Lost)
    }

    /// Observes that the server ends the connection of a client.
    ///
    /// # Errors
    /// The network has no connections.
    pub fn closed(&mut self, client: u64) -> Result<SessionProgress, EventError> {
        self.observe(client, EventKind::Closed)
    }

    /// Observes that a client has ended its connection, and that the server has taken notice of this.
    ///
    /// # Errors
    /// The network has no connections.
    pub fn left(&mut self, client: u64) -> Result<SessionProgress, EventError> {
        self.observe(client, EventKind::Left)
    }

    /// Observes that the system was killed and started again.
    ///
    /// # Errors
    /// None today; an event may be refused.
    pub fn restarted(&mut self) -> Result<SessionProgress, EventError> {
        self.push(TraceEvent { line: self.next_line(), client: None, kind: EventKind::Restart })
    }

    fn value<T: Serialize + ?Sized>(&self, ty: TypeId, value: &T) -> Result<Value, EventError> {
        json::from_serde(&self.spec.types, ty, value).map_err(|error| EventError(error.to_string()))
    }

    fn observe(&mut self, client: u64, kind: EventKind<Value>) -> Result<SessionProgress, EventError> {
        self.push(TraceEvent { line: self.next_line(), client: Some(client), kind })
    }
}
