//! Candidates that are not needed any more, kept for their memory.
//!
//! If answers hide the branch, each exchange forks and each of its forks ends: merged with another candidate, or refuted.
//! `either { n := q; } or { n := 0 - q; }` copies every candidate once an exchange, and needs no new memory for it. What is
//! kept holds no values, so nothing is shared with it.

use super::candidate::Candidate;

/// The most that are kept.
const KEPT: usize = 32;

/// Room for candidates.
#[derive(Default, Debug)]
pub(super) struct Spares {
    /// Emptied candidates.
    emptied: Vec<Candidate>,
    /// Room for the results of a request, empty between requests; kept so that no request makes its own.
    pub(super) results: Vec<Candidate>,
}

impl Clone for Spares {
    /// None: they are room, not content.
    fn clone(&self) -> Spares {
        Spares::default()
    }
}

impl Spares {
    /// A copy of a candidate.
    pub(super) fn copy(&mut self, candidate: &Candidate) -> Candidate {
        match self.emptied.pop() {
            Some(mut spare) => {
                spare.copy_from(candidate);
                spare
            }
            None => candidate.clone(),
        }
    }

    /// A candidate with a copy of the process of another one, and nothing else of it.
    pub(super) fn beside(&mut self, candidate: &Candidate) -> Candidate {
        match self.emptied.pop() {
            Some(mut spare) => {
                spare.process.copy_from(&candidate.process);
                spare
            }
            None => Candidate::new(candidate.process.clone()),
        }
    }

    /// Takes a candidate that is not needed any more.
    pub(super) fn take(&mut self, mut candidate: Candidate) {
        if self.emptied.len() < KEPT && candidate.process.is_small() {
            candidate.empty();
            self.emptied.push(candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Spares;
    use crate::judge::{Candidate, Exchange, Judge, Observed, Options, Reductions};
    use crate::spec::Spec;
    use crate::value::Value;

    const TEXT: &str = "protocol p { request int; response int; var n: int = 0; var m: map<int, int> = {};
        on q { m[q] := choose x: int where x < 9; either { n := choose int; } or { n := q; } reply 0; } }";

    /// Candidates that differ in all there is to copy.
    fn candidates() -> Vec<Candidate> {
        let spec = Spec::from_text(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let options = Options { reductions: Reductions::None, keep_choices: true, ..Options::default() };
        let mut judge = Judge::new(Arc::clone(&spec), options);
        let mut met = judge.candidates().to_vec();
        for line in 1..=4 {
            let observed = if line == 4 { Observed::Any } else { Observed::Answer(Value::from(0)) };
            judge.observe(&Exchange { line, client: 1, request: Value::from(line as i64), observed });
            met.extend_from_slice(judge.candidates());
            met.extend(judge.candidates().iter().cloned().map(|mut candidate| {
                candidate.process.receive(&spec.program, &Value::from(7), 1);
                candidate.process.advance(&spec.program);
                candidate
            }));
        }
        met
    }

    #[test]
    fn a_copy_is_what_it_is_a_copy_of() {
        let met = candidates();
        assert!(met.len() > 20);
        for spare in &met {
            for candidate in &met {
                let mut spares = Spares::default();
                spares.take(spare.clone());
                let copy = spares.copy(candidate);
                assert!(spares.emptied.is_empty());
                assert_eq!(format!("{copy:?}"), format!("{candidate:?}"));
            }
        }
    }
}
