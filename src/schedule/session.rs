//! Histories judged while they happen: after each event, whether what was observed so far is explained.
//!
//! ```
//! use mayhap::schedule::Happened::{Answered, Sent};
//! use mayhap::schedule::Session;
//! use mayhap::value::Value;
//! use mayhap::{Options, Spec, Verdict};
//! let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }")?;
//! let mut session = Session::new(&spec, Options::default());
//! let seen = |n: i64| Some(Value::from(n));
//! assert!(session.push(1, Sent(1, Value::from(2))).is_accept());
//! assert!(session.push(2, Sent(2, Value::from(3))).is_accept());
//! assert!(session.push(3, Answered(2, seen(5))).is_accept());
//! assert_eq!(session.push(4, Answered(1, seen(5))), Verdict::Reject { event: 4, event_from: None });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::history::{Building, Happened, History};
use super::online::{OnlinePart, SoFar};
use super::rules::OrderRules;
use crate::dualize::{Options, Verdict};
use crate::spec::Spec;
use crate::spec::entries::RequestKeys;
use crate::value::Value;

/// A history that is judged event by event.
///
/// Invariants:
/// 1. `verdict` is that of [`judge`](super::judge()) on the events so far.
/// 2. While it is `Accept` and `parts` are in use, each part explains what was observed of its key.
pub struct Session {
    spec: Arc<Spec>,
    options: Options,
    history: Building,
    keys: Option<RequestKeys>,
    /// The histories of the keys; nothing where all is judged again with each answer.
    parts: Option<FxHashMap<Option<Value>, OnlinePart>>,
    /// The keys of what is under way, by connection.
    under_way: FxHashMap<u64, Option<Value>>,
    verdict: Verdict,
}

impl Session {
    /// A session in which nothing has happened.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, options: Options) -> Session {
        // Who asks is the same for all keys.
        let keys = RequestKeys::of(&spec.program).filter(|_| !spec.program.names_clients);
        Session {
            spec: spec.clone(),
            options,
            history: Building::new(spec.program.names_clients),
            keys,
            parts: Some(FxHashMap::default()),
            under_way: FxHashMap::default(),
            verdict: Verdict::Accept { warning: None },
        }
    }

    /// Adds what happened, on a line of a trace, and returns the verdict so far. One that is no acceptance stays.
    pub fn push(&mut self, line: u64, happened: Happened) -> Verdict {
        self.history.add(line, happened.clone());
        let decides = matches!(happened, Happened::Answered(..) | Happened::Closed(_));
        if !self.verdict.is_accept() {
            return self.verdict.clone();
        }
        match self.of_part(line, happened) {
            Some(SoFar::Explained) => {}
            Some(SoFar::Rejected) => self.verdict = Verdict::Reject { event: line, event_from: None },
            Some(SoFar::Doubtful) | None => {
                self.parts = None;
                if decides {
                    self.verdict = super::judge(&self.spec, self.history.so_far(), &self.options).verdict;
                }
            }
        }
        self.verdict.clone()
    }

    /// Adds what happened, and does not judge it.
    pub fn add(&mut self, line: u64, happened: Happened) {
        self.parts = None;
        self.history.add(line, happened);
    }

    /// Tests whether the next event is judged from where those before it ended. Else each answer has all judged again, as the history
    /// was too hard for that, or a connection had several requests under way.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.parts.is_some()
    }

    /// The history so far.
    #[must_use]
    pub fn history(self) -> History {
        self.history.finish()
    }

    /// Judges what happened in the part of its key; nothing where that is not known, or what is under way is more than one request a
    /// connection.
    fn of_part(&mut self, line: u64, happened: Happened) -> Option<SoFar> {
        let parts = self.parts.as_mut()?;
        let key = match &happened {
            Happened::Sent(connection, request) => {
                let key = self.keys.as_ref().map_or(Ok(None), |keys| keys.key(request)).ok()?;
                if self.under_way.insert(*connection, key.clone()).is_some() {
                    return None;
                }
                key
            }
            Happened::Answered(connection, _) => self.under_way.remove(connection)?,
            Happened::Lost(connection) => match self.under_way.remove(connection) {
                Some(key) => key,
                None if self.keys.is_none() => None,
                None => return Some(SoFar::Explained),
            },
            Happened::Closed(_) => return None,
        };
        let new = || OnlinePart::new(&self.spec, &self.options, OrderRules::default());
        Some(parts.entry(key).or_insert_with(new).push(line, happened))
    }
}
