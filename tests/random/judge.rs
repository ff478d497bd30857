//! What the product and the oracle say about a program and a trace, and whether the two contradict each other.
//!
//! Example: `("reject", Some(3))` against `("accept", None)` is a contradiction, `("unknown", None)` never is one.

use super::traces::Trace;
use crate::oracle::{self, Domains, Oracle, Outcome};

/// What is known about how the domains of the oracle relate to those of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// They are the same: verdicts are equal.
    Exact,
    /// The oracle's are smaller: what it accepts is to be accepted.
    Sound,
}

/// A verdict as the command prints it.
pub type Verdict = (String, Option<usize>);

/// What the product says; nothing where it cannot be asked.
pub fn judge(spec: &str, trace: &str) -> Option<Result<Verdict, String>> {
    // The library's front is not there yet: this is the one place to change.
    let _ = (spec, trace);
    None
}

pub fn expected(text: &str, trace: &Trace, domains: Domains) -> Option<Verdict> {
    let file = oracle::load(text);
    match Oracle::new(&file, None, domains).brute_force(trace) {
        Outcome::Accept { .. } => Some(("accept".to_owned(), None)),
        Outcome::Reject { event } => Some(("reject".to_owned(), Some(event))),
        Outcome::Outside { .. } => Some(("outside".to_owned(), None)),
        Outcome::Fault { event } => Some(("fault".to_owned(), Some(event))),
        Outcome::TooLarge => None,
    }
}

/// Why the two verdicts contradict each other, if they do.
pub fn contradiction(expected: &Verdict, actual: &Result<Verdict, String>, exactness: Exactness) -> Option<String> {
    let actual = match actual {
        Ok(actual) if actual.0 == "unknown" => return None,
        Ok(actual) => actual,
        Err(error) => return Some(format!("not judged: {error}")),
    };
    let same = match (exactness, expected.0.as_str()) {
        (Exactness::Exact, "accept" | "outside") => actual.0 == expected.0,
        (Exactness::Exact, _) => actual == expected,
        (Exactness::Sound, "accept") => actual.0 == "accept",
        (Exactness::Sound, "reject") => actual.1.is_none_or(|event| Some(event) >= expected.1),
        (Exactness::Sound, _) => true,
    };
    (!same).then(|| format!("the oracle says {expected:?}, the validator {actual:?}"))
}
