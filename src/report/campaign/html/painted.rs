//! The coverage of a specification, as colours of its text: branches that some explanation took are green, the others red. Text
//! outside of branches has no colour.
//!
//! A character has the colour of the innermost branch around it.

use maud::{Markup, html};

use super::super::tested::FEW;
use super::super::{BranchCount, CampaignReport, SpecText};
use super::links::line_id;

/// A stretch of a line, with the branch that it belongs to.
type Painted<'t> = (&'t str, Option<&'t BranchCount>);

/// A file of the specification, line by line.
pub(super) fn painted(report: &CampaignReport, number: usize, text: &SpecText) -> Markup {
    let of_file = |branch: &&BranchCount| branch.at.file == text.file;
    let branches: Vec<&BranchCount> = report.coverage.counts.iter().filter(of_file).collect();
    html! {
        div.scroll {
            table.source {
                @for (line, content) in (1..).zip(text.text.lines()) {
                    (painted_line(report, number, line, content, &branches, text))
                }
            }
        }
    }
}

fn painted_line(
    report: &CampaignReport,
    number: usize,
    line: u64,
    content: &str,
    branches: &[&BranchCount],
    text: &SpecText,
) -> Markup {
    let begin: Vec<&&BranchCount> = branches.iter().filter(|branch| branch.at.line == line).collect();
    let counts: Vec<String> = begin.iter().map(|branch| branch.count.to_string()).collect();
    let often: Vec<String> =
        begin.iter().map(|branch| format!("{}: {}", branch.what, super::super::tested::times(branch.count))).collect();
    let is_never = report.coverage.never.iter().any(|place| place.file == text.file && place.line == line);
    let is_seldom = begin.iter().any(|branch| branch.count < FEW);
    let class = match (is_never, is_seldom) {
        (true, _) => "count never",
        (false, true) => "count seldom",
        (false, false) => "count",
    };
    let about: Vec<usize> = (1..)
        .zip(&report.failures)
        .filter(|(_, found)| found.place.as_ref().is_some_and(|place| place.file == text.file && place.line == line))
        .map(|(at, _)| at)
        .collect();
    html! {
        tr id=(line_id(number, line)) class=[(!about.is_empty()).then_some("blamed")] {
            td.number { (line) }
            td class=(class) title=[(!often.is_empty()).then(|| often.join("\n"))] { (counts.join(" · ")) }
            td.code {
                @for (stretch, branch) in stretches(line, content, branches) {
                    @match branch {
                        Some(branch) if branch.count > 0 => span.taken { (stretch) },
                        Some(_) => span.never { (stretch) },
                        None => (stretch),
                    }
                }
                @for at in about { " " a.blame href={ "#f" (at) } { "✗ failure " (at) } }
            }
        }
    }
}

/// Divides a line into stretches that each belong to one branch. Blanks at the ends of the line belong to none.
fn stretches<'t>(line: u64, content: &'t str, branches: &[&'t BranchCount]) -> Vec<Painted<'t>> {
    let offsets: Vec<usize> = content.char_indices().map(|(at, _)| at).chain([content.len()]).collect();
    let last = offsets.len() - 1;
    let column = |of: u64| (of.saturating_sub(1) as usize).min(last);
    let starts = branches.iter().filter(|branch| branch.at.line == line).map(|branch| column(branch.column));
    let ends = branches.iter().filter(|branch| branch.end_line == line).map(|branch| column(branch.end_column));
    let blank = content.chars().take_while(|c| c.is_whitespace()).count();
    let filled = content.trim_end().chars().count().max(blank);
    let mut cuts: Vec<usize> = starts.chain(ends).chain([0, blank, filled, last]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let stretch = |cut: &[usize]| {
        let is_blank = cut[1] <= blank || cut[0] >= filled;
        let branch = if is_blank { None } else { innermost(branches, (line, cut[0] as u64 + 1)) };
        (&content[offsets[cut[0]]..offsets[cut[1]]], branch)
    };
    cuts.windows(2).map(stretch).collect()
}

/// The innermost branch around a place.
fn innermost<'b>(branches: &[&'b BranchCount], place: (u64, u64)) -> Option<&'b BranchCount> {
    let around = branches
        .iter()
        .filter(|branch| (branch.at.line, branch.column) <= place && place < (branch.end_line, branch.end_column));
    around
        .copied()
        .max_by_key(|branch| (branch.at.line, branch.column, std::cmp::Reverse((branch.end_line, branch.end_column))))
}
