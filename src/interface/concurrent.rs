//! Values that several threads call at once: the harness for live systems makes the calls, and a specification judges them as those of
//! concurrent clients.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::judged;
use crate::harness;
use crate::json::{self, RawJson};
use crate::report::campaign::CampaignReport;
use crate::spec::Spec;
use crate::sut::{Sut, SutAnswer};

/// The settings of a concurrent check.
#[derive(Clone, Copy, Debug)]
pub struct ConcurrentCheck {
    /// The number of calls.
    pub calls: u64,
    /// The seed.
    pub seed: u64,
    /// The time after which the check ends.
    pub time: Option<Duration>,
    /// The time after which a call counts as one that does not come back.
    pub call: Duration,
}

/// A request of a specification, as the arguments of a call.
pub struct AskedCall {
    name: String,
    /// True if the arguments have names.
    is_named: bool,
    value: Option<String>,
}

impl AskedCall {
    /// The call of a request, which is the name of a variant, or an object with one member.
    fn of(spec: &Spec, request: &str) -> AskedCall {
        let members = json::members(request).unwrap_or_default();
        let (name, value) = match members.first() {
            Some((name, value)) => (name.to_string(), Some((*value).to_owned())),
            None => (json::from_text(request).unwrap_or_default(), None),
        };
        let variant = judged::variant(spec, spec.program.request, &name);
        let is_named = variant.is_some_and(|variant| variant.fields.iter().any(|(field, _)| field.is_some()));
        AskedCall { name, is_named, value }
    }

    /// The name of the request.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An argument of several; none if its type does not hold the value of the request, such as 256 for `u8`.
    #[must_use]
    pub fn argument<T: DeserializeOwned>(&self, at: usize, of: usize, name: &str) -> Option<T> {
        let value = self.value.as_deref().unwrap_or("null");
        let part = if self.is_named {
            let members = json::members(value).unwrap_or_default();
            members.into_iter().find(|(field, _)| field == name).map(|(_, value)| value.to_owned())
        } else if of == 1 {
            Some(value.to_owned())
        } else {
            json::from_text::<Vec<RawJson>>(value).ok().and_then(|parts| parts.into_iter().nth(at)).map(|part| part.0)
        };
        json::from_text(&part?).ok()
    }
}

/// Makes a call, and returns its result as JSON; none if the function has no such arguments.
pub type AskValue<T> = fn(&T, &AskedCall) -> Option<String>;

/// A value that is called from several threads.
struct CalledValue<T> {
    value: T,
    spec: Arc<Spec>,
    ask: AskValue<T>,
}

impl<T: Send + Sync + 'static> Sut for CalledValue<T> {
    type Request = RawJson;
    type Response = RawJson;

    fn ask(&self, _: u64, request: RawJson) -> SutAnswer<RawJson> {
        let call = AskedCall::of(&self.spec, &request.0);
        let Some(result) = (self.ask)(&self.value, &call) else { return SutAnswer::Refused };
        SutAnswer::Is(RawJson(judged::answer(&self.spec, &call.name, &result)))
    }
}

impl ConcurrentCheck {
    /// Calls values from this number of threads, judged by a specification.
    ///
    /// # Panics
    /// The text is no specification.
    #[must_use]
    pub fn run<T: Send + Sync + 'static>(
        self,
        spec: &'static str,
        threads: u64,
        make: fn() -> T,
        ask: AskValue<T>,
    ) -> CampaignReport {
        let spec = Spec::from_text(spec).unwrap_or_else(|why| panic!("{why}"));
        let test = harness::test(&spec).clients(threads).requests(self.calls).seed(self.seed).deadline(self.call);
        let test = match self.time {
            Some(time) => test.time(time),
            None => test,
        };
        test.check(move || CalledValue { value: make(), spec: spec.clone(), ask })
    }
}
