//! The runs that are looked at for the coverage, and the coverage for a report: branches with their lines and columns.
//!
//! Every run is looked at in which a request may have taken a branch that was taken seldom so far, so that "never reached" and each count
//! below ten are about all runs. The other runs would only raise counts that are high already.

use rustc_hash::FxHashMap;

use crate::coverage::{BranchKind, SpecBranch, SpecCoverage};
use crate::network::NetworkChoice;
use crate::report::campaign::tested::FEW;
use crate::report::campaign::{BranchCount, ReportedCoverage, SpecPlace};
use crate::spec::Spec;
use crate::value::Value;
use std::sync::Arc;

use super::run::LiveRun;
use super::waves::LiveEventKind;

/// The most characters of a condition that are shown.
const LONGEST_HEAD: usize = 80;
/// The number of first runs whose answers are all examined for sharpness; of later ones fewer and fewer are.
const EXAMINED_RUNS: u64 = 20;

/// The coverage by the runs of a campaign.
pub(super) struct CoveredRuns {
    pub(super) coverage: SpecCoverage,
    /// The number of times up to which each branch is counted exactly.
    wanted: u64,
    /// The number of runs of which every branch is known that was taken less than `wanted` times.
    known: u64,
    /// Set if some run was looked at as a whole: it counts once for each branch.
    counts_runs: bool,
}

impl CoveredRuns {
    /// The coverage before any run. Each branch is counted exactly up to `wanted`, and up to ten at least.
    pub(super) fn new(spec: &Arc<Spec>, wanted: u64) -> CoveredRuns {
        CoveredRuns { coverage: SpecCoverage::new(spec), wanted: wanted.max(FEW), known: 0, counts_runs: false }
    }

    /// Adds a run, and returns whether it took a branch that was taken less than `wanted` times before.
    pub(super) fn add(&mut self, run: &LiveRun, number: u64) -> bool {
        let is_examined = number <= EXAMINED_RUNS || number.is_power_of_two();
        let before = self.coverage.taken_of(self.wanted);
        let is_known = !is_examined && !self.may_bring(run) || self.look_at(run, is_examined);
        self.known += u64::from(is_known);
        self.coverage.taken_of(self.wanted) > before
    }

    /// Looks at a run; returns whether all of it is explained.
    fn look_at(&mut self, run: &LiveRun, is_examined: bool) -> bool {
        let (net, coverage) = (run.judging().net, &mut self.coverage);
        // What runs when a connection begins or ends belongs to no request.
        let notes_requests = coverage.notes_requests() && !run.judging().may_be_left();
        match run.in_order_of_service().filter(|_| notes_requests) {
            Some(exchanges) if is_examined => coverage.observe_run(&exchanges).is_whole,
            Some(exchanges) => coverage.observe_wanted(&exchanges, self.wanted),
            None if net == NetworkChoice::TCP && notes_requests => false,
            None => {
                self.counts_runs = true;
                coverage.observe_recorded(net, &run.observations(), is_examined)
            }
        }
    }

    /// Tests whether a request of a run may have taken a branch that was taken less than `wanted` times.
    fn may_bring(&self, run: &LiveRun) -> bool {
        let mut asked: FxHashMap<u64, &Value> = FxHashMap::default();
        let may_bring = |request: &Value, answer| self.coverage.may_bring(request, answer, self.wanted);
        for event in run.events() {
            match &event.kind {
                LiveEventKind::Sent(request) => _ = asked.insert(event.label, &request.value),
                LiveEventKind::Answered(answer) => {
                    let request = asked.remove(&event.label);
                    if request.is_some_and(|request| may_bring(request, Some(answer))) {
                        return true;
                    }
                }
                // The end of a connection may take any branch that no request takes.
                LiveEventKind::Left if self.open(self.wanted).0 > 0 => return true,
                LiveEventKind::Lost | LiveEventKind::Closed | LiveEventKind::Left => {}
                LiveEventKind::Restarted | LiveEventKind::Peer(_) => {}
            }
        }
        asked.values().any(|request| may_bring(request, None))
    }

    /// The number of branches that were taken less than `wanted` times, and of all.
    pub(super) fn open(&self, wanted: u64) -> (usize, usize) {
        let branches = self.coverage.branches();
        (branches.iter().filter(|branch| branch.taken < wanted).count(), branches.len())
    }

    /// The coverage for a report.
    pub(super) fn reported(&self, spec: &Spec) -> ReportedCoverage {
        let coverage = &self.coverage;
        let (covered_pairs, pairs) = coverage.pairs();
        ReportedCoverage {
            runs: self.known,
            counts_runs: self.counts_runs,
            branches: coverage.branches().len() as u64,
            covered: coverage.covered() as u64,
            pairs: pairs as u64,
            never: coverage.never().map(place).collect(),
            covered_pairs: covered_pairs as u64,
            counts: coverage.branches().iter().map(|branch| count(spec, branch)).collect(),
        }
    }
}

fn place(branch: &SpecBranch) -> SpecPlace {
    SpecPlace { file: branch.file.clone(), line: branch.line as u64 }
}

fn count(spec: &Spec, branch: &SpecBranch) -> BranchCount {
    let text = spec.sources.files().find(|(file, _)| *file == branch.file).map_or("", |(_, text)| text);
    let (start, end) = (line_column(text, branch.span.0), line_column(text, branch.end));
    let head = text.get(branch.span.0 as usize..branch.span.1 as usize).unwrap_or_default();
    BranchCount {
        at: SpecPlace { file: branch.file.clone(), line: start.0 },
        column: start.1,
        end_line: end.0,
        end_column: end.1,
        what: what(branch.kind, head),
        count: branch.taken,
    }
}

/// The condition under which a branch is taken: `if key in data`.
fn what(kind: BranchKind, head: &str) -> String {
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    let head: String = head.chars().take(LONGEST_HEAD).collect();
    match kind {
        BranchKind::Handler | BranchKind::Arm => head,
        BranchKind::If => format!("if {head}"),
        BranchKind::Else => "else".into(),
        BranchKind::Either => "either".into(),
        BranchKind::Loop => "loop".into(),
    }
}

/// The line and the column of an offset, both from 1; columns count characters.
fn line_column(text: &str, offset: u32) -> (u64, u64) {
    let before = text.get(..offset as usize).unwrap_or(text);
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    (line, column)
}
