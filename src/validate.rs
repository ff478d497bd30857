//! The validator for programs: it takes requests and answers as the program's own types, or as lines of a trace, and gives a
//! verdict.
//!
//! ```
//! use mayhap::{Spec, Validator, Verdict};
//! let spec = Spec::from_text("protocol cmp_rst {
//!     request int;
//!     response int;
//!     var n: int = 0;
//!     on q {
//!         if q <= n { reply 0; }
//!         n := choose int;
//!         reply 1;
//!     }
//! }")?;
//! let mut validator = Validator::new(&spec);
//! validator.observe(&5, &1)?;
//! validator.observe(&3, &0)?;
//! assert!(validator.verdict().is_accept());
//! validator.observe(&2, &1)?;
//! assert_eq!(validator.verdict(), Verdict::Reject { event: 3, event_from: None });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod spec_file;

use std::io::BufRead;
use std::sync::Arc;

use serde::Serialize;

use crate::json::{self, JsonError};
use crate::judge::{Counts, Exchange, Judge, Observed, Options, Verdict};
use crate::reading::Exchanges;
use crate::solve::Statistics;
use crate::spec::Spec;
use crate::trace::TraceError;

impl Exchange {
    /// Makes an exchange of a request and its answer, given as values that serialise to their JSON. It has line 1 and client 1.
    ///
    /// # Errors
    /// If the request or the answer is no value of the specification's type.
    pub fn of<Q, A>(spec: &Spec, query: &Q, answer: &A) -> Result<Exchange, JsonError>
    where
        Q: Serialize + ?Sized,
        A: Serialize + ?Sized,
    {
        let exchange = Exchange::unanswered(spec, query, Observed::Nothing)?;
        let answer = json::from_serde(&spec.types, spec.program.response, answer)?;
        Ok(Exchange { observed: Observed::Answer(answer), ..exchange })
    }

    /// Makes an exchange of a request without an answer.
    ///
    /// # Errors
    /// If the request is no value of the specification's type.
    pub fn unanswered<Q: Serialize + ?Sized>(spec: &Spec, query: &Q, seen: Observed) -> Result<Exchange, JsonError> {
        let request = json::from_serde(&spec.types, spec.program.request, query)?;
        Ok(Exchange { line: 1, client: 1, request, observed: seen })
    }
}

/// A validator of a server, which observes its exchanges one by one.
///
/// A validator keeps no history. A [`crate::Trace`] keeps one, and can therefore explain a verdict.
#[derive(Debug)]
pub struct Validator {
    /// The specification, which the judge has, too.
    spec: Arc<Spec>,
    judge: Judge,
    observed: u64,
}

impl Validator {
    /// A validator that has observed nothing, with the default limits.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> Validator {
        Validator::with_options(spec, Options::default())
    }

    /// A validator that has observed nothing, with these limits.
    #[must_use]
    pub fn with_options(spec: &Arc<Spec>, options: Options) -> Validator {
        Validator { spec: spec.clone(), judge: Judge::new(spec.clone(), options), observed: 0 }
    }

    /// Observes a request and its answer, as values that serialise to their JSON; returns whether any run still explains the trace.
    ///
    /// # Errors
    /// If the request or the answer is no value of the specification's type; nothing is observed then.
    pub fn observe<Q, A>(&mut self, query: &Q, answer: &A) -> Result<bool, JsonError>
    where
        Q: Serialize + ?Sized,
        A: Serialize + ?Sized,
    {
        let exchange = Exchange::of(&self.spec, query, answer)?;
        Ok(self.observe_exchange(&Exchange { line: self.observed + 1, ..exchange }))
    }

    /// Observes a request to which the server owed no answer, or that the client gave up.
    ///
    /// # Errors
    /// If the request is no value of the specification's type; nothing is observed then.
    pub fn observe_unanswered<Q: Serialize + ?Sized>(&mut self, query: &Q, seen: Observed) -> Result<bool, JsonError> {
        let exchange = Exchange::unanswered(&self.spec, query, seen)?;
        Ok(self.observe_exchange(&Exchange { line: self.observed + 1, ..exchange }))
    }

    /// Observes that the system was killed and started again; returns whether some run still explains the trace.
    pub fn observe_restart(&mut self) -> bool {
        self.observe_exchange(&Exchange::restart(self.observed + 1))
    }

    /// Observes an exchange; returns whether some run still explains the trace.
    pub fn observe_exchange(&mut self, exchange: &Exchange) -> bool {
        self.observed += 1;
        self.judge.observe_by(&self.spec, exchange)
    }

    /// The verdict on the observations so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.judge.verdict()
    }

    /// The amount of work so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.judge.counts()
    }

    /// The number of questions that each stage of the solver answered.
    #[doc(hidden)]
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.judge.statistics()
    }

    /// The judge with its candidates, for when nothing more is to be observed.
    #[doc(hidden)]
    #[must_use]
    pub fn into_judge(self) -> Judge {
        self.judge
    }

    /// The judge with its candidates.
    #[doc(hidden)]
    #[must_use]
    pub fn judge(&self) -> &Judge {
        &self.judge
    }
}

/// Judges a trace while it is read, up to the first exchange that nothing explains. Later lines are not read.
///
/// # Errors
/// A line that is read is malformed.
pub fn judge<R: BufRead>(validator: &mut Validator, exchanges: &mut Exchanges<R>) -> Result<(), TraceError> {
    while let Some(exchange) = exchanges.next_exchange()? {
        if !validator.observe_exchange(&exchange) {
            break;
        }
    }
    Ok(())
}
