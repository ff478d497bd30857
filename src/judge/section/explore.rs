//! Exploring a section: each path of a candidate is followed to its end.
//!
//! `either { n := 1; } or { n := 2; } reply 0;` observed to answer 0 leads to two candidates.

use super::unify;
use super::{GivenAnswer, OpenPath, PathOutcome, Section};
use crate::judge::candidate::Candidate;
use crate::limits;
use crate::process::Limit;
use crate::symbolic::{Infeasible, drive};
use crate::value::Value;

/// The result of a section.
pub(crate) struct Explored {
    /// The end of the first path: `Ok` if it shows what was observed.
    pub(crate) first: Result<(), Infeasible>,
    /// Set if every state that entered the section left it on some path, with an answer.
    pub(crate) is_exhaustive: bool,
}

impl Section<'_> {
    /// Runs a candidate along all paths, in place along the first one. The candidates of other paths that show what was observed are
    /// added to `others`.
    pub(crate) fn explore(mut self, candidate: &mut Candidate, others: &mut Vec<Candidate>) -> Explored {
        self.sent = candidate.process.sent().to_vec();
        let first = self.run(candidate);
        if !self.open.is_empty() {
            self.explore_open(others);
        }
        self.context.findings.merge(self.findings);
        Explored { first, is_exhaustive: self.is_exhaustive }
    }

    /// Runs a candidate, and returns the candidates of the paths that show what was observed; that of the first path comes last.
    pub(crate) fn results(self, mut candidate: Candidate) -> Vec<Candidate> {
        let mut results = Vec::new();
        if self.explore(&mut candidate, &mut results).first.is_ok() {
            results.push(candidate);
        }
        results
    }

    /// Runs an open path; the candidates that show what was observed are added to `shown`.
    pub(crate) fn explore_from(mut self, open: OpenPath, shown: &mut Vec<Candidate>) {
        self.open.push(open);
        self.explore_open(shown);
        self.context.findings.merge(self.findings);
    }

    /// Runs one path to its end.
    fn run(&mut self, candidate: &mut Candidate) -> Result<(), Infeasible> {
        match drive(self.spec, self, candidate) {
            PathOutcome::Shows => Ok(()),
            PathOutcome::Infeasible => Err(Infeasible),
        }
    }

    /// Runs open paths to their ends; the candidates of those that show what was observed are added to `others`.
    fn explore_open(&mut self, others: &mut Vec<Candidate>) {
        let mut paths = 1u32;
        while let Some(mut path) = self.open.pop() {
            paths += 1;
            if self.is_exhausted() {
                return;
            }
            if paths > limits::PATH_LIMIT || self.copied > limits::COPY_LIMIT {
                return self.give_up(Limit::Paths);
            }
            let shows = match &mut path {
                OpenPath::Running(candidate) => self.run(candidate),
                OpenPath::Answering(candidate, given) => {
                    let value = std::mem::replace(&mut given.value, Value::Absent);
                    let shows = unify::answer(self, candidate, GivenAnswer { value, ..*given });
                    if given.is_last { shows } else { shows.and_then(|()| self.run(candidate)) }
                }
            };
            let (OpenPath::Running(mut candidate) | OpenPath::Answering(mut candidate, _)) = path;
            match shows {
                Ok(()) => {
                    candidate.process.rest();
                    others.push(candidate);
                }
                Err(Infeasible) => self.context.spares.take(candidate),
            }
        }
    }
}
