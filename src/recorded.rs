//! A trace as one value: read or built, judged as a whole, and explained.
//!
//! ```
//! use mayhap::{Spec, Trace, Verdict};
//! let spec = Spec::from_text("protocol guess {
//!     request int;
//!     response int;
//!     var n: int = 0;
//!     on q {
//!         if q <= n { reply 0; }
//!         n := choose int;
//!         reply 1;
//!     }
//! }")?;
//! let trace = Trace::read(&spec, "{\"q\": 5, \"a\": 1}\n{\"q\": 3, \"a\": 0}\n{\"q\": 2, \"a\": 1}\n".as_bytes())?;
//! assert_eq!(trace.judge(), Verdict::Reject { event: 3, event_from: None });
//! let why = trace.reason().expect("a rejection has a reason");
//! assert_eq!(why.because, [2]); // line 2 answered 0 to 3, so n >= 3
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::BufRead;
use std::sync::Arc;

use serde::Serialize;

use crate::evidence::{self, Witness, WitnessError};
use crate::json::JsonError;
use crate::judge::{Exchange, Observed, Options, Verdict};
use crate::network::NetworkChoice;
use crate::reading::Exchanges;
use crate::report::reason::{self, Explanation};
use crate::session::judged_as_whole;
use crate::spec::Spec;
use crate::trace::{EventKind, Response, TraceError, TraceEvent};
use crate::validate::Validator;
use crate::value::Value;

/// The exchanges with a server, in the order in which they were observed, as values of a specification's types.
///
/// The whole trace is in memory. To judge exchanges while they are observed, or a trace larger than memory, use a [`Validator`]
/// or [`crate::validate::judge`].
#[derive(Clone, Debug)]
pub struct Trace {
    spec: Arc<Spec>,
    exchanges: Vec<Exchange>,
}

impl Trace {
    /// An empty trace of a specification.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> Trace {
        Trace { spec: spec.clone(), exchanges: Vec::new() }
    }

    /// Reads a trace in NDJSON, with one event on each line.
    ///
    /// # Errors
    /// The first line that is no event, or whose values are not of the specification's types.
    pub fn read(spec: &Arc<Spec>, input: impl BufRead) -> Result<Trace, TraceError> {
        let exchanges = Exchanges::new(spec, input).collect::<Result<_, _>>()?;
        Ok(Trace { spec: spec.clone(), exchanges })
    }

    /// Adds a request and its answer, as values that serialise to their JSON.
    ///
    /// # Errors
    /// If the request or the answer is no value of the specification's type; nothing is added then.
    pub fn push<Q, A>(&mut self, query: &Q, answer: &A) -> Result<(), JsonError>
    where
        Q: Serialize + ?Sized,
        A: Serialize + ?Sized,
    {
        let exchange = Exchange::of(&self.spec, query, answer)?;
        self.add(exchange);
        Ok(())
    }

    /// Adds a request to which the server owed no answer, or that the client gave up.
    ///
    /// # Errors
    /// If the request is no value of the specification's type; nothing is added then.
    pub fn push_unanswered<Q>(&mut self, query: &Q, seen: Observed) -> Result<(), JsonError>
    where
        Q: Serialize + ?Sized,
    {
        let exchange = Exchange::unanswered(&self.spec, query, seen)?;
        self.add(exchange);
        Ok(())
    }

    /// Adds that the system was killed and started again.
    pub fn push_restart(&mut self) {
        self.add(Exchange::restart(1));
    }

    fn add(&mut self, exchange: Exchange) {
        let line = self.exchanges.last().map_or(1, |last| last.line + 1);
        self.exchanges.push(Exchange { line, ..exchange });
    }

    /// The exchanges, in order.
    #[must_use]
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Judges the trace: could a server that follows the specification have given these answers?
    ///
    /// If there are too many explanations, one run is looked for, as the command does.
    #[must_use]
    pub fn judge(&self) -> Verdict {
        let verdict = self.validator().0.verdict();
        if !matches!(verdict, Verdict::Unknown { .. }) {
            return verdict;
        }
        let events = self.exchanges.iter().map(event);
        judged_as_whole(&self.spec, NetworkChoice::SYNC, events, &Options::default()).unwrap_or(verdict)
    }

    /// A validator after the exchanges up to the first one that nothing explains, and the number of exchanges before that one.
    fn validator(&self) -> (Validator, usize) {
        let mut validator = Validator::new(&self.spec);
        let explained = self.exchanges.iter().take_while(|exchange| validator.observe_exchange(exchange)).count();
        (validator, explained)
    }

    /// Finds choices with which the specification gives these answers, and runs the specification with them as a check.
    ///
    /// # Errors
    /// If the trace is not accepted, or no choices were found within the limits.
    pub fn witness(&self) -> Result<Witness, WitnessError> {
        evidence::witness(&self.spec, &Options::default(), &self.exchanges)
    }

    /// Finds the earlier answers that rule out the rejected one, in words. `None` if the trace is not rejected, or no reason was
    /// found within a second of work.
    #[must_use]
    pub fn reason(&self) -> Option<Explanation> {
        let (validator, explained) = self.validator();
        let Verdict::Reject { .. } = validator.verdict() else { return None };
        reason::explain(&self.spec, &self.exchanges[..=explained])
    }
}

/// The exchange as an event of a recording.
fn event(exchange: &Exchange) -> TraceEvent<Value> {
    let reply = match &exchange.observed {
        Observed::Answer(answer) => Response::Answer(answer.clone()),
        Observed::Any => Response::Answer(Value::Any),
        Observed::Nothing => Response::NotOwed,
        Observed::Lost => Response::Lost,
        Observed::Restarted => return TraceEvent { line: exchange.line, client: None, kind: EventKind::Restart },
    };
    let kind = EventKind::Exchange { query: exchange.request.clone(), reply };
    TraceEvent { line: exchange.line, client: Some(exchange.client), kind }
}
