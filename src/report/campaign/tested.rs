//! Words for how much was tested: the share of refusals, the remark in the first line of a campaign of which most answers were refusals,
//! and the branches and answers that came seldom.
//!
//! ```text
//! 10000 requests in 120 runs: no violation; most answers were refusals, 6104 of 10000: look at Release, NotFound 482 of 483 times
//!   taken 3 times: jobs.may:43 (else)
//!   answered 7 times: Bury Buried (jobs.may:60)
//! refused: 482 of 483 Release, 7 of 30 Put
//! ```

use super::{AnswerCount, BranchCount, CampaignReport, RefusedRequests, ReportedCoverage, RequestCount, SpecPlace};
use crate::choice::counted;

/// The most kinds of requests whose share of refusals is shown.
const NAMED_REQUESTS: usize = 8;
/// The most answers that are named as they came seldom, and the most branches.
const NAMED: usize = 10;
/// A branch that was taken less often, and an answer that came less often, came seldom.
pub const FEW: u64 = 10;
/// Of fewer answers, the first line of a report tells no share of refusals.
const MANY: u64 = 100;

impl AnswerCount {
    /// The answer in words: its status, if it has one, and its constructor.
    #[must_use]
    pub fn label(&self) -> String {
        self.status.map_or_else(|| self.answer.clone(), |status| format!("{status} {}", self.answer))
    }
}

impl RequestCount {
    /// The number of requests that were answered.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.answers.iter().map(|answer| answer.count).sum()
    }

    /// The number of requests that were refused.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.answers.iter().filter(|answer| answer.refusal).map(|answer| answer.count).sum()
    }

    /// The number by which refusals exceed the other answers.
    fn surplus(&self) -> i64 {
        2 * self.refused() as i64 - self.answered() as i64
    }
}

/// The remark that most answers of a campaign were refusals, with the request to look at: of its answers the most were refusals, and
/// fewest were not. `None` if no more than half of the answers were refusals.
#[must_use]
pub fn mostly_refused(report: &CampaignReport) -> Option<String> {
    let sum = |of: fn(&RequestCount) -> u64| report.answers.iter().map(of).sum::<u64>();
    let (answered, refused) = (sum(RequestCount::answered), sum(RequestCount::refused));
    if answered < MANY || refused <= answered / 2 {
        return None;
    }
    // Of equal ones the first, in the order of the text.
    let worst = report.answers.iter().rev().max_by_key(|counted| counted.surplus())?;
    let answer = worst.answers.iter().filter(|answer| answer.refusal).rev().max_by_key(|answer| answer.count)?;
    let often = format!("{} {} of {} times", answer.label(), answer.count, worst.answered());
    Some(format!("most answers were refusals, {refused} of {answered}: look at {}, {often}", worst.request))
}

/// The share of refused requests of each kind, the largest first.
#[must_use]
pub fn refusals(report: &CampaignReport) -> Option<String> {
    let share = |of: &RefusedRequests| of.refused as f64 / of.answered.max(1) as f64;
    let mut ordered: Vec<&RefusedRequests> = report.refusals.iter().collect();
    ordered.sort_by(|a, b| share(b).total_cmp(&share(a)).then_with(|| a.request.cmp(&b.request)));
    let shown = ordered.iter().take(NAMED_REQUESTS);
    let shown: Vec<String> = shown.map(|of| format!("{} of {} {}", of.refused, of.answered, of.request)).collect();
    let more = ordered.len().saturating_sub(NAMED_REQUESTS);
    let more = if more > 0 { format!(", and of {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| format!("refused: {}{more}", shown.join(", ")))
}

/// The branches that were taken, but less than ten times: each place with its condition.
#[must_use]
pub fn seldom(report: &CampaignReport) -> Vec<String> {
    let some = report.coverage.counts.iter().filter(|branch| (1..FEW).contains(&branch.count));
    let mut some: Vec<&BranchCount> = some.collect();
    some.sort_by_key(|branch| branch.count);
    let ReportedCoverage { runs, counts_runs, .. } = report.coverage;
    let often = |count: u64| match (counts_runs, runs >= report.runs) {
        (false, true) => times(count),
        (true, true) => format!("in {}", counted(count, "run")),
        (false, false) => format!("{} in {runs} of {}", times(count), counted(report.runs, "run")),
        (true, false) => format!("in {count} of {} that could be looked at", counted(runs, "run")),
    };
    let line = |branch: &&BranchCount| format!("taken {}: {} ({})", often(branch.count), branch.at, branch.what);
    shortened(some.iter().map(line).collect(), "taken less than 10 times")
}

/// The answers that came less than ten times, each with its place. An answer is left out if only branches give it that were taken less
/// than ten times themselves.
#[must_use]
pub fn seldom_answers(report: &CampaignReport) -> Vec<String> {
    let is_exact = report.coverage.runs >= report.runs;
    let sent = report.answers.iter().filter(|counted| counted.sent > 0);
    let mut some: Vec<(&RequestCount, &AnswerCount)> = sent
        .flat_map(|counted| counted.answers.iter().map(move |answer| (counted, answer)))
        .filter(|(_, answer)| answer.count < FEW && !(answer.in_seldom_branches && is_exact))
        .collect();
    some.sort_by_key(|(_, answer)| answer.count);
    let line = |(counted, answer): &(&RequestCount, &AnswerCount)| {
        let often =
            if answer.count == 0 { "never answered".to_owned() } else { format!("answered {}", times(answer.count)) };
        let places: Vec<String> = answer.places.iter().map(SpecPlace::to_string).collect();
        let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        format!("{often}: {} {}{places}", counted.request, answer.label())
    };
    let mut lines: Vec<String> = some.iter().map(line).collect();
    let unsent = report.answers.iter().filter(|counted| counted.sent == 0);
    let unsent: Vec<&str> = unsent.map(|counted| counted.request.as_str()).collect();
    lines = shortened(lines, "answered less than 10 times");
    lines.extend((!unsent.is_empty()).then(|| format!("never sent: {}", unsent.join(", "))));
    lines
}

/// The first lines, and how many more there are.
fn shortened(mut lines: Vec<String>, what: &str) -> Vec<String> {
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    lines.extend((more > 0).then(|| format!("{what}: {more} more")));
    lines
}

/// A number of times, in words.
#[must_use]
pub fn times(count: u64) -> String {
    if count == 0 { "never".into() } else { counted(count, "time") }
}
