//! Verdicts compared where brute force lists a part of what may be chosen only.
//!
//! What the oracle accepts must be accepted. What it rejects and the product accepts is accepted by a witness, and the
//! oracle examines that: it runs with what the witness chose instead of its own lists. So each acceptance is proven by the
//! second interpreter, each rejection compared with all runs that it lists. Example: of `var n: int = choose;` the answer
//! `n = 77` is in no list; the witness has `77` at the beginning, and the oracle repeats the run with it.

use super::judge::{Tally, Verdict, judged, shown};
use super::traces::Trace;
use crate::oracle::json::write_trace;
use crate::oracle::{Claim, Domains, Json, Oracle, Outcome};
use mayhap::evidence::{Witness, WitnessStep, witness};
use mayhap::json::encode;
use mayhap::judge::Options;
use mayhap::reading::Exchanges;
use mayhap::syntax::ast::File;
use mayhap::{Exchange, Spec};
use std::sync::Arc;

/// How the message begins where the product cannot read the trace.
pub const UNREADABLE: &str = "the trace is not readable";

/// A program that both can judge.
pub struct Examined<'f> {
    pub spec: Arc<Spec>,
    pub file: &'f File,
    pub domains: Domains,
}

/// How a comparison ended that found nothing wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Both say the same.
    Equal,
    /// The product's witness lies outside of what the oracle lists, and is one.
    Beyond,
    /// The product says fault or outside where the oracle lists no such run: not proven either way.
    Unproven,
    /// The product is in doubt.
    Doubt,
    /// There are too many runs for the oracle.
    TooLarge,
    /// What stands in the trace is no value.
    Malformed,
    /// The product does not support the trace.
    Unsupported,
}

impl Examined<'_> {
    /// Compares; an error says how the two contradict each other.
    pub fn compare(&self, trace: &Trace, tally: &mut Tally) -> Result<Compared, String> {
        let expected = match self.oracle().brute_force(trace) {
            Outcome::TooLarge => return Ok(Compared::TooLarge),
            outcome => shown(&outcome).expect("a verdict"),
        };
        let exchanges = match self.exchanges(trace) {
            // A changed answer may name a key twice: that is no map.
            Err(error) if error.contains("stands twice") => return Ok(Compared::Malformed),
            Err(error) if error.contains("not supported") || error.contains("$any") => {
                return Ok(Compared::Unsupported);
            }
            exchanges => exchanges?,
        };
        let actual = judged(&self.spec, &exchanges)?;
        *tally.entry(format!("{} / {}", expected.0, actual.0)).or_default() += 1;
        self.agree(trace, &exchanges, &expected, &actual)
            .map_err(|why| format!("{why}: the oracle says {expected:?}, the validator {actual:?}"))
    }

    fn agree(
        &self,
        trace: &Trace,
        exchanges: &[Exchange],
        expected: &Verdict,
        actual: &Verdict,
    ) -> Result<Compared, String> {
        match (expected.0, actual.0) {
            (_, "unknown") => Ok(Compared::Doubt),
            ("accept", "accept") => Ok(Compared::Equal),
            ("accept", _) => Err("a run explains all of it".to_owned()),
            ("reject", "reject") | ("fault", "fault") if expected.1 == actual.1 => Ok(Compared::Equal),
            ("outside", "outside") => Ok(Compared::Equal),
            ("outside" | "fault", "reject") => Err("a run that is not clean explains it".to_owned()),
            ("reject", "reject") if actual.1 < expected.1 => Err("a run explains more of it".to_owned()),
            (_, "accept") => self.proven(trace, exchanges),
            ("reject", "reject") => {
                let accepted = actual.1.unwrap_or(1) - 1;
                // What is rejected in the end may be in doubt before.
                match judged(&self.spec, &exchanges[..accepted])?.0 {
                    "unknown" => Ok(Compared::Doubt),
                    _ => self.proven(&trace[..accepted].to_vec(), &exchanges[..accepted]),
                }
            }
            ("fault", "outside") => Err("a run that faults explains it".to_owned()),
            ("fault", "fault") if actual.1 > expected.1 => Err("a run faults earlier".to_owned()),
            (_, _) => Ok(Compared::Unproven),
        }
    }

    /// Examines the product's own witness.
    fn proven(&self, trace: &Trace, exchanges: &[Exchange]) -> Result<Compared, String> {
        let witness = witness(&self.spec, &Options::default(), exchanges).map_err(|error| error.to_string())?;
        match self.oracle().examine(trace, &claim(&self.spec, &witness)) {
            Outcome::Accept { .. } => Ok(Compared::Beyond),
            Outcome::TooLarge => Ok(Compared::TooLarge),
            other => {
                Err(format!("the oracle cannot repeat {:?}, it says {:?}", claim(&self.spec, &witness), shown(&other)))
            }
        }
    }

    fn oracle(&self) -> Oracle<'_> {
        Oracle::new(self.file, None, self.domains.clone())
    }

    fn exchanges(&self, trace: &Trace) -> Result<Vec<Exchange>, String> {
        let text = write_trace(trace);
        Exchanges::new(&self.spec, text.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(|error| format!("{UNREADABLE}: {}", error.render("trace")))
    }
}

/// All that a witness chose, for the beginning and for each event, and what it fills into the holes of requests.
fn claim(spec: &Spec, witness: &Witness) -> Claim {
    let read = |made: &[String]| made.iter().filter_map(|json| serde_json::from_str(json).ok()).collect::<Vec<Json>>();
    let step = |step: &WitnessStep| {
        let mut all = read(&step.json);
        all.extend(step.before.iter().flat_map(|own| read(&own.json)));
        let request = step.request.as_ref().map(|request| encode(&spec.types, spec.program.request, request));
        read(&Vec::from_iter(request)).iter().for_each(|request| parts(request, &mut all));
        all
    };
    [read(&witness.initial_json)].into_iter().chain(witness.steps.iter().map(step)).collect()
}

/// A value and everything in it.
fn parts(json: &Json, all: &mut Vec<Json>) {
    all.push(json.clone());
    match json {
        Json::Array(items) => items.iter().for_each(|item| parts(item, all)),
        Json::Object(pairs) => pairs.values().for_each(|value| parts(value, all)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => (),
    }
}
