//! The coverage for a report: branches with their lines and columns.

use crate::coverage::{BranchKind, SpecBranch, SpecCoverage};
use crate::report::campaign::{BranchCount, ReportedCoverage, SpecPlace};
use crate::spec::Spec;

/// The most characters of a condition that are shown.
const LONGEST_HEAD: usize = 80;

/// A coverage for a report; `runs` is the number of runs in which every branch was noted.
#[must_use]
pub fn covered(spec: &Spec, coverage: &SpecCoverage, runs: u64) -> ReportedCoverage {
    let (covered_pairs, pairs) = coverage.pairs();
    ReportedCoverage {
        runs,
        branches: coverage.branches().len() as u64,
        covered: coverage.covered() as u64,
        pairs: pairs as u64,
        never: coverage.never().map(place).collect(),
        covered_pairs: covered_pairs as u64,
        counts: coverage.branches().iter().map(|branch| count(spec, branch)).collect(),
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
