//! The work that a verdict took, and the statements that caused it.
//!
//! For example 40 forks, all of them at `either { n := n + 1; } or {}`.

use super::located;
use crate::evidence::cell_path;
use crate::judge::coupled;
use crate::judge::{Cell, Judge, differing};
use crate::spec::Spec;
use serde::Serialize;

/// The most lines that are named because explanations forked there.
const FORKED: usize = 5;
/// The most groups of coupled parts of the state that are named.
const COUPLED: usize = 3;
/// The most parts of one group that are named.
const PARTS: usize = 6;

/// A line of the specification at which explanations forked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Forked {
    /// The file and the line, as in `kv.may:9`.
    pub place: String,
    /// The text of the line.
    pub line: String,
    /// The number of forks there.
    pub forks: u64,
}

impl Forked {
    /// The lines that forked most often, at most this number of them, in falling order.
    fn most(judge: &Judge, number: usize) -> Vec<Forked> {
        let mut lines: Vec<Forked> = Vec::new();
        for (site, forks) in judge.forks() {
            let (place, line) = located(judge.spec(), site);
            match lines.iter_mut().find(|known| known.place == place) {
                Some(known) => known.forks += forks,
                None => lines.push(Forked { place, line, forks }),
            }
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.forks));
        lines.truncate(number);
        lines
    }
}

/// The work that a verdict took.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Stats {
    /// The number of observed events.
    pub events: u64,
    /// The most candidates after an event.
    pub candidates_max: u64,
    /// The number of forks at statements.
    pub forks: u64,
    /// The lines that forked most often.
    pub forked: Vec<Forked>,
    /// The largest groups of parts of the state that depend on each other at the end: `m["a"], n`.
    pub coupled: Vec<String>,
    /// The parts of the state in which explanations differ; empty if there is only one explanation.
    pub differing: String,
    /// The number of candidates that were merged with an equal one.
    pub merges: u64,
    /// The number of candidates that another one covered.
    pub subsumptions: u64,
    /// The number of passes that looked for dead variables.
    pub projections: u64,
    /// The number of questions that folding, bindings or domains answered.
    pub by_domain: u64,
    /// The number of questions that an earlier model answered.
    pub by_model: u64,
    /// The number of questions that case splits answered.
    pub by_search: u64,
    /// The number of questions that reached Z3.
    pub z3_checks: u64,
    /// The time in Z3, in milliseconds.
    pub z3_ms: u64,
    /// The number of questions left undecided.
    pub undecided: u64,
    /// The time from the first event to the verdict, in milliseconds.
    pub elapsed_ms: u64,
}

impl Stats {
    /// The largest groups of parts of the state that depend on each other now, as text.
    #[must_use]
    pub fn coupled(judge: &Judge) -> Vec<String> {
        coupled(judge.candidates()).iter().take(COUPLED).map(|group| parts(judge.spec(), group)).collect()
    }

    /// The parts of the state in which explanations differ now, as text.
    #[must_use]
    pub fn differing(judge: &Judge) -> String {
        parts(judge.spec(), &differing(judge.candidates()))
    }

    /// The work of a judge so far, without its time, which only the caller knows, and without its state, as [`Stats::with_state`]
    /// has to walk all of it.
    #[must_use]
    pub fn of(judge: &Judge) -> Stats {
        let (counts, solving) = (judge.counts(), judge.statistics());
        Stats {
            events: counts.events,
            candidates_max: counts.candidates_max as u64,
            forks: counts.forks,
            forked: Forked::most(judge, FORKED),
            coupled: Vec::new(),
            differing: String::new(),
            merges: counts.merges,
            subsumptions: counts.subsumptions,
            projections: counts.projections,
            by_domain: solving.by_domain,
            by_model: solving.by_model,
            by_search: solving.by_search,
            z3_checks: solving.z3_checks,
            z3_ms: solving.z3_time.as_millis() as u64,
            undecided: solving.unknown,
            elapsed_ms: 0,
        }
    }

    /// These statistics, with what is coupled and what differs in the state of a judge.
    #[must_use]
    pub fn with_state(self, judge: &Judge) -> Stats {
        Stats { coupled: Stats::coupled(judge), differing: Stats::differing(judge), ..self }
    }
}

/// The parts of the state in a group, as text; of many only the first.
fn parts(spec: &Spec, group: &[Cell]) -> String {
    let shown: Vec<String> = group.iter().take(PARTS).map(|cell| cell_path(spec, cell)).collect();
    let more = match group.len().saturating_sub(PARTS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}
