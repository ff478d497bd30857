//! Requests of a specification in property tests: a strategy of proptest whose values become simpler step by step.
//!
//! First the smallest request of the type is tried. If it does not fail, one place is changed at a time: an earlier variant is
//! taken, an option becomes `None`, a list or a text gets shorter, a number comes closer to 0, and a text closer to `aaa`.
//!
//! ```
//! use mayhap::{Options, Session, SessionProgress, Spec};
//! use proptest::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Clone, Debug)]
//! enum Request { Add(i64), Get }
//!
//! proptest! {
//!     // #[test]
//!     fn a_counter_counts(requests in prop::collection::vec(mayhap::requests::<Request>(&spec()), 1..20)) {
//!         let (mut session, mut n) = (Session::tcp(&spec(), Options::default()), 0_i128);
//!         for request in &requests {
//!             session.asked(1, request).unwrap();
//!             if let Request::Add(more) = request { n += i128::from(*more); }
//!             prop_assert_eq!(session.answered(1, &n).unwrap(), SessionProgress::Explained);
//!         }
//!     }
//! }
//!
//! fn spec() -> std::sync::Arc<Spec> {
//!     let text = "enum Request { Add(int), Get }
//!         protocol counter {
//!             request Request;
//!             response int;
//!             var n: int = 0;
//!             on Add(more) { n := n + more; reply n; }
//!             on Get { reply n; }
//!         }";
//!     Spec::from_text(text).unwrap()
//! }
//! a_counter_counts();
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use proptest::prelude::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde::de::DeserializeOwned;

use super::values::simpler_requests;
use crate::choice::Random;
use crate::generate::{GenerateSettings, Generator};
use crate::json::{JsonError, to_serde};
use crate::spec::Spec;
use crate::sut::numbered::numbered;
use crate::value::Value;

/// The most requests that are drawn until one fits the program's type.
const DRAWS: usize = 64;

/// A strategy of proptest: the requests of a specification, as a type of the program's own that deserialises from their JSON.
///
/// Requests that may break the client's duty are left out, unless no others are found. Requests shrink to the smallest request of
/// the first variant, if the `generate` of the specification allows it. Numbers that the program's type cannot hold are not drawn.
/// Tokens are texts such as `t1`, or numbers if the program's type has numbers there.
///
/// ```
/// use proptest::strategy::{Strategy, ValueTree};
/// use proptest::test_runner::TestRunner;
/// let spec = mayhap::Spec::from_text("protocol p { request (int, string); response int; on q { reply 0; } }")?;
/// let tree = mayhap::requests::<(u8, String)>(&spec).new_tree(&mut TestRunner::default());
/// let mut tree = tree.map_err(|why| why.to_string())?;
/// while tree.simplify() {}
/// assert_eq!(tree.current(), (0, String::new()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn requests<T: DeserializeOwned + fmt::Debug>(spec: &Arc<Spec>) -> impl Strategy<Value = T> + use<T> {
    let generator = Arc::new(Mutex::new(Generator::new(spec, GenerateSettings::default())));
    RequestStrategy { source: RequestSource { spec: spec.clone(), generator }, of: PhantomData }
}

/// The strategy that [`requests`] returns.
struct RequestStrategy<T> {
    source: RequestSource,
    of: PhantomData<fn() -> T>,
}

/// The source of drawn requests, which also checks them.
#[derive(Clone)]
struct RequestSource {
    spec: Arc<Spec>,
    generator: Arc<Mutex<Generator>>,
}

/// A drawn request that is being shrunk.
struct RequestTree<T> {
    source: RequestSource,
    keeps_duty: bool,
    /// The simplest request that is known to fail; at first the drawn one.
    best: Value,
    /// The current request.
    shown: Value,
    /// The requests that are simpler than the best one and were not tried yet, the next one last.
    untried: Vec<Value>,
    /// Set if no untried request is left.
    ended: bool,
    of: PhantomData<fn() -> T>,
}

impl RequestSource {
    /// The request as a value of the program's type.
    fn typed<T: DeserializeOwned>(&self, request: &Value) -> Result<T, JsonError> {
        to_serde(&self.spec.types, self.spec.program.request, request)
    }

    /// A drawn request that is a value of the program's type, with its tokens as numbers if it fits only so.
    fn fitting<T: DeserializeOwned>(&self, drawn: Value) -> Result<Value, JsonError> {
        let Err(error) = self.typed::<T>(&drawn) else { return Ok(drawn) };
        let numbers = numbered(&drawn);
        if self.typed::<T>(&numbers).is_ok() { Ok(numbers) } else { Err(error) }
    }

    fn allows(&self, request: &Value) -> bool {
        self.generator.lock().unwrap_or_else(PoisonError::into_inner).allows(request)
    }

    fn keeps_duty(&self, request: &Value) -> bool {
        self.generator.lock().unwrap_or_else(PoisonError::into_inner).keeps_duty(request)
    }
}

impl<T: DeserializeOwned + fmt::Debug> Strategy for RequestStrategy<T> {
    type Tree = RequestTree<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<RequestStrategy<T>> {
        let source = self.source.clone();
        let mut choices = Random::new(any::<u64>().new_tree(runner)?.current());
        let mut why = String::new();
        for _ in 0..DRAWS {
            let drawn = source.generator.lock().unwrap_or_else(PoisonError::into_inner).request(&mut choices);
            let drawn = drawn.map_err(|error| error.to_string())?;
            match source.fitting::<T>(drawn) {
                Ok(request) => {
                    let keeps_duty = source.keeps_duty(&request);
                    let (best, untried) = (request.clone(), Vec::new());
                    return Ok(RequestTree {
                        source,
                        keeps_duty,
                        best,
                        shown: request,
                        untried,
                        ended: false,
                        of: PhantomData,
                    });
                }
                Err(error) => why = error.to_string(),
            }
        }
        Err(format!("no request fits {}: {why}", std::any::type_name::<T>()).into())
    }
}

impl<T> fmt::Debug for RequestStrategy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "requests of {}", self.source.spec.program.name)
    }
}

impl<T: DeserializeOwned> RequestTree<T> {
    /// Shows the next simpler request that fits; false if there is none.
    fn advance(&mut self) -> bool {
        while let Some(request) = self.untried.pop() {
            let keeps_duty = || !self.keeps_duty || self.source.keeps_duty(&request);
            if self.source.typed::<T>(&request).is_ok() && self.source.allows(&request) && keeps_duty() {
                self.shown = request;
                return true;
            }
        }
        self.ended = true;
        false
    }
}

impl<T: DeserializeOwned + fmt::Debug> ValueTree for RequestTree<T> {
    type Value = T;

    fn current(&self) -> T {
        // The value was checked to have this type.
        self.source.typed(&self.shown).unwrap_or_else(|error| panic!("{error}"))
    }

    fn simplify(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.best = self.shown.clone();
        let spec = &self.source.spec;
        self.untried = simpler_requests(&spec.types, spec.program.request, &self.best);
        self.untried.reverse();
        self.advance()
    }

    fn complicate(&mut self) -> bool {
        if self.ended {
            return false;
        }
        if !self.advance() {
            self.shown = self.best.clone();
        }
        true
    }
}
