//! Recordings of real servers, judged: from an empty start or an unknown one, as they are or with answers altered.
//!
//! `judge_altered(&spec(MEMCACHED, Start::Empty), &trace, 100, 1)` judges a hundred copies with one answer altered in each.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::dualize::{Judge, Options};
use mayhap::evidence::witness;
use mayhap::validate::Exchanges;
use mayhap::{Exchange, Spec, Verdict};

use crate::alter_answer::{Alteration, alter};
use crate::recorder::{self, Settings, Subject, Summary, Trouble};

/// What is known of the server's state when a recording begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// There was nothing.
    Empty,
    /// Anything may have been there.
    Unknown,
}

/// A specification of `specs/`, for a recording that begins so.
pub fn spec(name: &str, start: Start) -> Arc<Spec> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = match start {
        Start::Empty => text,
        Start::Unknown => {
            let unknown = text.replace("const FRESH: bool = true;", "const FRESH: bool = false;");
            assert_ne!(text, unknown, "{name} has no unknown start");
            unknown
        }
    };
    Spec::from_text(&text).unwrap_or_else(|error| panic!("{error}"))
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

/// The exchanges of a trace.
pub fn exchanges(spec: &Arc<Spec>, trace: &str) -> Vec<Exchange> {
    let read = Exchanges::new(spec, trace.as_bytes()).collect::<Result<_, _>>();
    read.unwrap_or_else(|error| panic!("{}", error.render("trace")))
}

/// The first lines of a trace.
pub fn first_lines(trace: &str, count: usize) -> String {
    trace.lines().take(count).map(|line| format!("{line}\n")).collect()
}

/// The last lines of a trace, as if nobody had recorded what was before.
pub fn last_lines(trace: &str, count: usize) -> String {
    let lines: Vec<&str> = trace.lines().collect();
    lines[lines.len() - count..].join("\n") + "\n"
}

/// Judges a trace that must be accepted, and says how many candidates there were at most.
pub fn accepted(spec: &Arc<Spec>, trace: &str) -> usize {
    let mut judge = Judge::new(spec.clone(), Options::default());
    exchanges(spec, trace).iter().all(|exchange| judge.observe(exchange));
    assert!(judge.verdict().is_accept(), "{:?}", judge.verdict());
    judge.counts().candidates_max
}

/// Judges copies of an accepted trace with one answer altered in each. Each copy that is accepted has a witness, which is
/// told; how many were rejected.
pub fn judge_altered(spec: &Arc<Spec>, trace: &str, copies: usize, seed: u64) -> usize {
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
