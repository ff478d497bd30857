//! Coverage as it is reported: branches with their lines and columns.

use crate::coverage::{Branch, BranchKind, Coverage};
use crate::report::campaign::{BranchCount, ReportedCoverage, SpecPlace};
use crate::spec::Spec;

/// The report of what explanations took.
#[must_use]
pub fn covered(spec: &Spec, coverage: &Coverage) -> ReportedCoverage {
    let (covered_pairs, pairs) = coverage.pairs();
    ReportedCoverage {
        branches: coverage.branches().len() as u64,
        covered: coverage.covered() as u64,
        pairs: pairs as u64,
        never: coverage.never().map(place).collect(),
        covered_pairs: covered_pairs as u64,
        counts: coverage.branches().iter().map(|branch| count(spec, branch)).collect(),
    }
}

fn place(branch: &Branch) -> SpecPlace {
    SpecPlace { file: branch.file.clone(), line: branch.line as u64 }
}

fn count(spec: &Spec, branch: &Branch) -> BranchCount {
    let text = spec.sources.files().find(|(file, _)| *file == branch.file).map_or("", |(_, text)| text);
    let (start, end) = (line_column(text, branch.span.0), line_column(text, branch.span.1));
    BranchCount {
        at: SpecPlace { file: branch.file.clone(), line: start.0 },
        column: start.1,
        end_line: end.0,
        end_column: end.1,
        what: what(branch.kind).to_owned(),
        count: branch.taken,
    }
}

fn what(kind: BranchKind) -> &'static str {
    match kind {
        BranchKind::Handler => "handler",
        BranchKind::If => "if",
        BranchKind::Else => "else",
        BranchKind::Arm => "arm",
        BranchKind::Either => "either",
        BranchKind::Loop => "loop",
    }
}

/// The line and the column of an offset, both from 1; columns count characters.
fn line_column(text: &str, offset: u32) -> (u64, u64) {
    let before = text.get(..offset as usize).unwrap_or(text);
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    (line, column)
}
