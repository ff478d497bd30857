//! Recordings of real servers, judged: from an empty start or an unknown one, as they are or with answers altered.
//!
//! `judge_altered(&spec(MEMCACHED, Start::Empty), &trace, 100, 1)` judges a hundred copies with one answer altered in each.

pub mod memcached;
mod nginx;
pub mod redis;
mod redis_crash;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::evidence::witness;
use mayhap::judge::{Judge, Options};
use mayhap::{Exchange, Spec, Verdict};

use crate::alter_answer::{Alteration, alter};
use crate::judge::{compiled, exchanges, judged};
use crate::recorder::{self, Settings, Subject, Summary, Trouble};
use crate::shipped;

/// What is known of the server's state when a recording begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Start {
    /// There was nothing.
    Empty,
    /// Anything may have been there.
    Unknown,
}

/// A specification of `specs/`, for a recording that begins so.
fn spec(name: &str, start: Start) -> Arc<Spec> {
    let shipped = shipped::named(name);
    compiled(&if start == Start::Empty { shipped.text } else { shipped.unknown_text() })
}

/// Says that a test did nothing, where that is allowed: not with `CI=true`.
pub fn skipped(reason: &str) {
    let ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    assert!(!ci, "{reason}");
    // Not println!, which tests that pass do not show.
    let _ = writeln!(io::stdout(), "skipped: {reason}");
}

/// A recording, unless the server is missing and that is allowed.
pub fn recording<S: Subject>(settings: &Settings) -> Option<(String, Summary)> {
    let mut out = Vec::new();
    match recorder::record::<S>(settings, &mut out) {
        Ok(summary) => Some((String::from_utf8(out).expect("a trace is text"), summary)),
        Err(trouble @ Trouble::Missing(_)) => {
            skipped(&trouble.to_string());
            None
        }
        Err(trouble) => panic!("{trouble}"),
    }
}

/// A server whose recordings are judged by a specification of `specs/`.
pub struct Server {
    pub spec: &'static str,
    /// A recording that is kept.
    pub kept: &'static str,
    /// Requests with kinds of answers that occur: `Get Values`.
    pub kinds: &'static [&'static str],
    /// What an altered answer leaves open from an unknown start may stay open for long: so much of a recording will do.
    pub altered: usize,
}

/// Settings of the recorders, but for the seed.
const SETTINGS: Settings = Settings { seed: 1, requests: 10_000, skip: 0, keys: 8, waits: 1 };

impl Server {
    /// Ten thousand commands are accepted and altered answers are rejected, from an empty start.
    pub fn check_whole<S: Subject>(&self) {
        let Some((trace, summary)) = recording::<S>(&SETTINGS) else { return };
        assert_eq!(summary.exchanges(), SETTINGS.requests);
        for kind in self.kinds {
            let (request, answer) = kind.split_once(' ').expect("a request and an answer");
            let count = summary.kinds.get(&(request.to_owned(), answer.to_owned()));
            assert!(count.is_some(), "no {request} was answered {answer}");
        }
        let empty = spec(self.spec, Start::Empty);
        assert!(accepted(&empty, &trace) <= 8);
        let rejected = judge_altered(&empty, &trace, 100, 1);
        assert!(rejected >= 90, "only {rejected} of 100 altered copies are rejected");
    }

    /// So is a recording that begins in the middle, from an unknown start.
    pub fn check_middle<S: Subject>(&self) {
        let Some((trace, _)) = recording::<S>(&Settings { seed: 3, skip: 5_000, ..SETTINGS }) else { return };
        let unknown = spec(self.spec, Start::Unknown);
        assert!(accepted(&unknown, &trace) <= 8);
        let rejected = judge_altered(&unknown, &first_lines(&trace, self.altered), 100, 2);
        assert!(rejected >= 90, "only {rejected} of 100 altered copies are rejected");
    }

    /// The kept recording is accepted from either start.
    pub fn check_kept(&self) {
        accepted(&spec(self.spec, Start::Empty), self.kept);
        accepted(&spec(self.spec, Start::Unknown), self.kept);
        accepted(&spec(self.spec, Start::Unknown), &last_lines(self.kept, 1000));
    }
}

/// The first lines of a trace.
fn first_lines(trace: &str, count: usize) -> String {
    trace.lines().take(count).map(|line| format!("{line}\n")).collect()
}

/// The last lines of a trace, as if nobody had recorded what was before.
fn last_lines(trace: &str, count: usize) -> String {
    let lines: Vec<&str> = trace.lines().collect();
    lines[lines.len() - count..].join("\n") + "\n"
}

/// Judges a trace that must be accepted, and says how many candidates there were at most.
fn accepted(spec: &Arc<Spec>, trace: &str) -> usize {
    let validator = judged(spec, Options::default(), &exchanges(spec, trace));
    assert!(validator.verdict().is_accept(), "{:?}", validator.verdict());
    validator.counts().candidates_max
}

/// Judges copies of an accepted trace with one answer altered in each. Each copy that is accepted has a witness, which is
/// told; how many were rejected.
fn judge_altered(spec: &Arc<Spec>, trace: &str, copies: usize, seed: u64) -> usize {
    let originals = exchanges(spec, trace);
    // A line of the trace is not an index of its exchanges where the trace has a header.
    let header = trace.lines().count() - originals.len();
    let alterations = alterations(trace, copies, seed);
    let mut judge = Judge::new(spec.clone(), Options::default());
    let mut rejected = 0;
    for (index, original) in originals.iter().enumerate() {
        if let Some(alteration) = alterations.get(&(index + header + 1)) {
            let altered = Exchange { line: original.line, ..exchanges(spec, &alteration.is).remove(0) };
            // What comes before is judged once for all copies.
            let mut copy = judge.clone();
            let _ = copy.observe(&altered) && originals[index + 1..].iter().all(|exchange| copy.observe(exchange));
            match copy.verdict() {
                Verdict::Reject { event, .. } => {
                    assert!(event >= original.line, "{alteration}");
                    rejected += 1;
                }
                Verdict::Accept { .. } => explain(spec, &originals, index, altered, alteration),
                other => panic!("{alteration}: {other:?}"),
            }
        }
        assert!(judge.observe(original), "line {}", original.line);
    }
    rejected
}

/// As many alterations of different lines.
fn alterations(trace: &str, copies: usize, seed: u64) -> BTreeMap<usize, Alteration> {
    let mut choices = Random::new(seed);
    let mut alterations = BTreeMap::new();
    while alterations.len() < copies {
        let alteration = alter(trace, &mut choices).expect("an answer can be altered");
        alterations.insert(alteration.line, alteration);
    }
    alterations
}

/// Tells what the server would have chosen at an altered line of an accepted copy; that it would have answered so is
/// replayed.
fn explain(spec: &Arc<Spec>, originals: &[Exchange], index: usize, altered: Exchange, alteration: &Alteration) {
    let mut copy = originals.to_vec();
    copy[index] = altered;
    let witness = witness(spec, &Options::default(), &copy).unwrap_or_else(|error| panic!("{alteration}: {error}"));
    let chosen = witness.steps[index].json.join(", ");
    println!("allowed: {alteration}; what a server may have chosen there: [{chosen}]");
}
