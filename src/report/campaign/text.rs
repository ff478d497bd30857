//! A campaign for people, as printed on standard output; nothing in it depends on time.
//!
//! ```text
//! violation after 212 requests (run 2), shrunk from 97 to 3 requests in 31 runs; fails 20 of 20
//!   1  c1 → Put "a" "x"                   c1 ← NoContent
//!   2  c1 → Get "a"                       c1 ← Ok "x" tag={weak: true, opaque: "t"}
//!   3  c1 → Put "a" "y" if_match={…}      c1 ← NoContent   ✗ only PreconditionFailed was possible
//! again:  mayhap replay mayhap-regressions/48-put-nocontent.ndjson
//! ```
//!
//! [`opening`], [`regressions`], [`summary`] and [`failure`] are the parts, for a caller that prints them one by one.

use super::tested::{mostly_refused, refusals, seldom, seldom_answers};
use super::visible::visible;
use super::{
    CampaignReport, CampaignVerdict, CoveredPaths, FailureKind, FoundFailure, RegressionOutcome, RegressionRun,
    ReportedCoverage, ShownAct, ShownOutcome, ShownStep, ShownValue, SpecPlace,
};
use crate::choice::counted;

/// The most characters of a request with its answer on the same line.
const WIDEST_REQUEST: usize = 60;
/// The most never-reached branches whose places are named.
const NAMED_PLACES: usize = 10;

/// The reason why a campaign ended that somebody interrupted.
pub const INTERRUPTED: &str = "interrupted";

/// The whole report.
#[must_use]
pub fn text(report: &CampaignReport) -> String {
    let failures: Vec<String> = report.failures.iter().map(|found| format!("\n{}", failure(found))).collect();
    let kept = report.regressions.iter().filter_map(|run| Some((run, run.failure.as_deref()?)));
    let kept: Vec<String> =
        kept.map(|(run, shown)| format!("\n{} of {}\n{}", shown.kind.word(), run.file, story(shown))).collect();
    opening(report) + &regressions(report) + &summary(report) + &kept.concat() + &failures.concat()
}

/// The exchanges that show a failure, and why they are wrong.
#[must_use]
pub fn story(failure: &FoundFailure) -> String {
    ended(steps(failure).into_iter().chain(failure.explanation.iter().map(|line| format!("  {line}"))))
}

/// The lines, each with its end, and without characters that act on a terminal.
fn ended(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| visible(line.trim_end()) + "\n").collect()
}

/// The first line, which says what is about to happen.
#[must_use]
pub fn opening(report: &CampaignReport) -> String {
    let CampaignReport { seed, clients, net, corpus, regressions, .. } = report;
    let mut parts = vec![format!("seed {seed}"), counted(*clients, "client"), net.clone()];
    parts.extend((*corpus > 0).then(|| format!("corpus of {}", counted(*corpus, "script"))));
    parts.extend((!regressions.is_empty()).then(|| counted(regressions.len() as u64, "regression")));
    ended([parts.join(" · ")])
}

/// The regressions in numbers, and a line for each that does not pass.
#[must_use]
pub fn regressions(report: &CampaignReport) -> String {
    let runs = &report.regressions;
    if runs.is_empty() {
        return String::new();
    }
    let count = |is: fn(&RegressionOutcome) -> bool| runs.iter().filter(|run| is(&run.outcome)).count();
    let counts = [
        (count(|outcome| matches!(outcome, RegressionOutcome::Pass)), "pass"),
        (count(|outcome| matches!(outcome, RegressionOutcome::Fails(..))), "fail"),
        (count(|outcome| matches!(outcome, RegressionOutcome::Otherwise(_))), "fail otherwise"),
        (count(|outcome| matches!(outcome, RegressionOutcome::Outside(_))), "outside the specification"),
        (count(|outcome| matches!(outcome, RegressionOutcome::Undecided(_))), "undecided"),
        (count(|outcome| matches!(outcome, RegressionOutcome::Error(_))), "cannot be run"),
    ];
    let shown: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let known = |run: &RegressionRun| if run.known { ", as is known" } else { "" };
    let complaint = |run: &RegressionRun| Some(format!("  {}: {}{}", run.file, run.outcome.complaint()?, known(run)));
    let complaints = runs.iter().filter_map(complaint);
    ended([format!("regressions: {}", shown.join(", "))].into_iter().chain(complaints))
}

impl RegressionOutcome {
    /// The outcome in words; `None` if the regression passes.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        match self {
            RegressionOutcome::Pass => None,
            RegressionOutcome::Fails(failed, of) => Some(fails((*failed, *of))),
            RegressionOutcome::Otherwise(cause) => Some(format!("fails otherwise: {cause}")),
            RegressionOutcome::Outside(why) => Some(format!("outside the specification: {why}")),
            RegressionOutcome::Undecided(why) => Some(format!("undecided: {why}")),
            // Further lines only show the place of the error.
            RegressionOutcome::Error(why) => Some(why.lines().next().unwrap_or_default().to_owned()),
        }
    }
}

/// The result in numbers: requests, coverage, sharpness, the baseline.
#[must_use]
pub fn summary(report: &CampaignReport) -> String {
    let requests = counted(report.requests, "request");
    let is_stopped = report.stopped.as_deref() == Some(INTERRUPTED);
    let is_interrupted = is_stopped || report.verdict == CampaignVerdict::Interrupted;
    let end = if is_interrupted { format!("; {INTERRUPTED}") } else { String::new() };
    let refused = mostly_refused(report).map_or_else(String::new, |said| format!("; {said}"));
    let mut lines = vec![format!("{requests} in {}: {}{end}{refused}", counted(report.runs, "run"), found(report))];
    lines.extend(report.stopped.iter().filter(|_| !is_stopped).map(|why| format!("  ended early: {why}")));
    lines.extend(report.until.iter().map(|how| format!("  until {how}")));
    lines.extend(report.paths.iter().map(|paths| format!("  {}", paths.sentence(report.is_clean()))));
    lines.extend(coverage(report));
    // A test that ended at a failure had no time for more.
    if report.failures.iter().all(|failure| failure.known) {
        lines.extend(report.covered_paths.iter().map(CoveredPaths::sentence));
        lines.extend(seldom(report).into_iter().chain(seldom_answers(report)).map(|line| format!("  {line}")));
    }
    lines.extend(refusals(report));
    lines.extend(report.undecided.iter().map(|why| format!("  undecided: {why}")));
    if let Some(baseline) = &report.baseline {
        let [known, new, unseen] = [&baseline.known, &baseline.new, &baseline.unseen].map(Vec::len);
        lines.push(format!("baseline: {known} known, {new} new, {unseen} unseen"));
        lines.extend(baseline.unseen.iter().map(|cause| format!("  unseen: {cause}")));
    }
    if report.only_form {
        lines.push(
            "only the form of the answers was tested: the specification left each of them several possibilities"
                .to_owned(),
        );
    }
    if report.verdict == CampaignVerdict::Untested {
        let why = match (report.requests, report.sharpness) {
            (0, _) => "no new request was sent",
            (_, None) => "no request was answered",
            _ => "the specification left no answer only one possibility",
        };
        lines.push(format!("nothing was tested: {why}"));
    }
    ended(lines)
}

/// The number of failures of each kind: `1 violation, 2 crashes`.
fn found(report: &CampaignReport) -> String {
    let kinds = [
        (FailureKind::Violation, "violations"),
        (FailureKind::Crash, "crashes"),
        (FailureKind::Hang, "hangs"),
        (FailureKind::Garbage, "garbled answers"),
        (FailureKind::Refused, "refused connections"),
        (FailureKind::Start, "failed starts"),
        (FailureKind::Adapter, "failures of the adapter"),
    ];
    let counts = kinds.map(|(kind, many)| {
        let count = report.failures.iter().filter(|failure| failure.kind == kind).count();
        let word = if count == 1 { kind.word() } else { many };
        (count, format!("{count} {word}"))
    });
    let shown: Vec<String> = counts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    let is_any_shown = report.regressions.iter().any(|run| matches!(run.outcome, RegressionOutcome::Fails(..)));
    match (shown.is_empty(), is_any_shown) {
        (false, _) => shown.join(", "),
        (true, true) => "no other violation".into(),
        (true, false) => "no violation".into(),
    }
}

fn coverage(report: &CampaignReport) -> Vec<String> {
    let covered = &report.coverage;
    let mut parts = Vec::new();
    if covered.branches > 0 {
        let pairs = match covered.pairs {
            0 => String::new(),
            pairs => format!(", {} of {}", covered.covered_pairs, counted(pairs, "pair")),
        };
        parts.push(format!("covered {} of {}{pairs}", covered.covered, branches(covered.branches)));
    }
    parts.extend(report.sharpness.map(|share| format!("{} of the answers were forced", percent(share))));
    let mut lines: Vec<String> = if parts.is_empty() { Vec::new() } else { vec![parts.join("; ")] };
    let (never, not_reached) = (never(covered), not_reached(report));
    lines.extend(never.iter().take(NAMED_PLACES).map(|branch| format!("  {not_reached}: {branch}")));
    if never.len() > NAMED_PLACES {
        lines.push(format!("  {not_reached}: {} more", never.len() - NAMED_PLACES));
    }
    lines
}

/// The words for a branch that was not taken: only some of the runs may have been looked at.
#[must_use]
pub fn not_reached(report: &CampaignReport) -> String {
    match report.coverage.runs {
        0 => "not looked at".into(),
        runs if runs >= report.runs => "never reached".into(),
        runs => format!("not reached in {runs} of {}", counted(report.runs, "run")),
    }
}

/// The branches that were not taken: the place of each, and, if known, its condition: `kv.may:43 (else)`.
#[must_use]
pub fn never(covered: &ReportedCoverage) -> Vec<String> {
    match covered.counts.is_empty() {
        true => covered.never.iter().map(SpecPlace::to_string).collect(),
        false => {
            let never = covered.counts.iter().filter(|branch| branch.count == 0);
            never.map(|branch| format!("{} ({})", branch.at, branch.what)).collect()
        }
    }
}

fn branches(count: u64) -> String {
    if count == 1 { "1 branch".into() } else { format!("{count} branches") }
}

/// A share in percent, rounded; only all is 100 %, and only nothing is 0 %.
#[must_use]
pub fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    let shown = if share <= 0.0 {
        0.0
    } else if share >= 1.0 {
        100.0
    } else {
        rounded.clamp(1.0, 99.0)
    };
    format!("{shown} %")
}

/// The number of runs that failed: `fails 7 of 20 (95 %: 18–57 %)`. In parentheses is Wilson's interval, which contains the true
/// share with a probability of 95 %. It is left out if all runs failed.
#[must_use]
pub fn fails((failed, of): (u64, u64)) -> String {
    let text = format!("fails {failed} of {of}");
    if failed >= of {
        return text;
    }
    let (low, high) = interval(failed, of);
    format!("{text} (95 %: {:.0}–{:.0} %)", low * 100.0, high * 100.0)
}

/// Wilson's interval for a share, at 95 %. It is reliable for small counts, too, and stays between 0 and 1.
#[must_use]
pub fn interval(failed: u64, of: u64) -> (f64, f64) {
    /// The value that a standard normal variable exceeds with a probability of 2.5 %.
    const Z: f64 = 1.959_963_984_540_054;
    let (n, share) = (of.max(1) as f64, failed as f64 / of.max(1) as f64);
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// A failure before shrinking, on one line, which is printed before anything else is tried.
#[must_use]
pub fn unshrunk(failure: &FoundFailure) -> String {
    let FoundFailure { kind, requests_to_find, run, original_requests, file, .. } = failure;
    let found = format!("{} after {} (run {run})", kind.word(), counted(*requests_to_find, "request"));
    let saved = file.iter().map(|file| format!(", saved as {file}"));
    ended([format!("{found}: {}{}", counted(*original_requests, "request"), saved.collect::<String>())])
}

/// A failure in full: how it was found, the exchanges that show it, why they are wrong, and how to see it again.
#[must_use]
pub fn failure(failure: &FoundFailure) -> String {
    let mut lines = vec![headline(failure)];
    lines.extend(steps(failure));
    lines.extend(failure.explanation.iter().map(|line| format!("  {line}")));
    let is_said = |line: &String| failure.explanation.iter().any(|text| text.contains(line));
    if !failure.last_output.iter().all(is_said) {
        lines.push("  the last output of the system:".into());
        lines.extend(failure.last_output.iter().map(|line| format!("    {line}")));
    }
    lines.extend(also(failure));
    match (&failure.again, &failure.file) {
        (Some(again), _) => lines.push(format!("again:  {again}")),
        (None, Some(file)) => lines.push(format!("kept:   {file}, which runs first the next time")),
        (None, None) => {}
    }
    ended(lines)
}

/// The other requests and answers at which the same cause showed, on one line, if there are any.
#[must_use]
pub fn also(failure: &FoundFailure) -> Option<String> {
    (!failure.also.is_empty()).then(|| format!("also:   {}", failure.also.join("; ")))
}

/// The way in which a failure was found, on one line.
#[must_use]
pub fn headline(failure: &FoundFailure) -> String {
    let FoundFailure { requests_to_find, run, original_requests, shrunk_requests, runs_to_shrink, .. } = failure;
    let known = if failure.known { "known " } else { "" };
    let mut text = format!("{known}{} after {}", failure.kind.word(), counted(*requests_to_find, "request"));
    if failure.steps.is_empty() {
        // Without a start of the system there are no steps to show.
        return text;
    }
    text += &format!(" (run {run})");
    if *runs_to_shrink > 0 {
        let to = counted(*shrunk_requests, "request");
        text += &format!(", shrunk from {original_requests} to {to} in {}", counted(*runs_to_shrink, "run"));
    }
    text += match (failure.minimal, *runs_to_shrink) {
        (true, _) => "",
        (false, 0) => ", not shrunk",
        (false, _) => ", perhaps not the shortest",
    };
    match failure.fails {
        (_, 0) => text,
        counts => text + "; " + &fails(counts),
    }
}

/// The most characters of a remark beside an answer; longer ones get a line of their own.
const LONGEST_BESIDE: usize = 100;

/// A row: its left and its right text, and the remarks.
struct StepRow<'s> {
    /// The number of the request, from 1.
    number: Option<usize>,
    left: String,
    right: String,
    steps: Vec<&'s ShownStep>,
}

/// The lines of the steps.
fn steps(failure: &FoundFailure) -> Vec<String> {
    let rows = rows(failure);
    let fitting = rows.iter().filter(|row| !row.right.is_empty()).map(|row| row.left.chars().count());
    let width = fitting.filter(|width| *width <= WIDEST_REQUEST).max().unwrap_or(0);
    let answers = rows.iter().map(|row| row.right.chars().count());
    let answer_width = answers.filter(|width| *width <= WIDEST_REQUEST / 2).max().unwrap_or(0);
    rows.iter().flat_map(|row| row.shown(width, answer_width)).collect()
}

/// The rows of the steps. An answer directly after its request shares the row of the request.
fn rows(failure: &FoundFailure) -> Vec<StepRow<'_>> {
    let mut rows: Vec<StepRow<'_>> = Vec::new();
    for (step, number) in failure.steps.iter().zip(failure.numbers()) {
        if let (ShownAct::Answer { label, client, outcome }, Some(row)) = (&step.act, rows.last_mut())
            && row.asks(*label)
        {
            row.right = format!("c{client} ← {}", outcome_shown(outcome));
            row.steps.push(step);
            continue;
        }
        let (left, right) = shown_alone(&step.act);
        rows.push(StepRow { number, left, right, steps: vec![step] });
    }
    rows
}

/// The left and the right text of a step with a row of its own.
fn shown_alone(act: &ShownAct) -> (String, String) {
    let left = match act {
        ShownAct::Ask { client, request, .. } => format!("c{client} → {}", request.short),
        ShownAct::Answer { client, outcome, .. } => {
            return (String::new(), format!("c{client} ← {}", outcome_shown(outcome)));
        }
        ShownAct::Wait(seconds) => format!("{seconds} s pass"),
        ShownAct::Together { labels, offsets } => together(labels, offsets),
        ShownAct::Close { client, .. } => format!("c{client} ends its connection"),
        ShownAct::Restart => "the system is killed and started again".into(),
        ShownAct::Call { peer, request } => called(peer, request),
        ShownAct::CallEnd { peer, answer } => call_ended(peer, answer.as_ref()),
    };
    (left, String::new())
}

/// The release of requests at a barrier, in words.
#[must_use]
pub fn together(labels: &[u64], offsets: &[f64]) -> String {
    let text = format!("the next {} are released together", counted(labels.len() as u64, "request"));
    if offsets.iter().all(|offset| *offset == 0.0) {
        return text;
    }
    let offsets: Vec<String> = offsets.iter().map(f64::to_string).collect();
    format!("{text}, delayed by {} ms", offsets.join(" and "))
}

/// A call of a peer, in words.
#[must_use]
pub fn called(peer: &str, request: &ShownValue) -> String {
    format!("the system calls {peer}: {}", request.short)
}

/// The end of a call, in words.
#[must_use]
pub fn call_ended(peer: &str, answer: Option<&ShownValue>) -> String {
    answer.map_or_else(|| format!("{peer} fails"), |answer| format!("{peer} answers {}", answer.short))
}

/// The outcome of a request in words, or the answer in short.
#[must_use]
pub fn outcome_shown(outcome: &ShownOutcome) -> String {
    match outcome {
        ShownOutcome::Answer(answer) => answer.short.clone(),
        ShownOutcome::Lost => "lost: no answer came, it may have happened".into(),
        ShownOutcome::Refused => "refused: it did not happen".into(),
        ShownOutcome::Closed => "the connection was closed".into(),
        ShownOutcome::Nothing => "no answer, as none is owed".into(),
        ShownOutcome::Missing => "no answer before the deadline".into(),
        ShownOutcome::Garbage(octets) => format!("no answer but garbage: {octets}"),
    }
}

impl StepRow<'_> {
    fn asks(&self, answered: u64) -> bool {
        let [ShownStep { act: ShownAct::Ask { label, .. }, .. }] = self.steps[..] else { return false };
        *label == answered
    }

    /// The row as one or more lines.
    fn shown(&self, width: usize, answer_width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let is_wide = self.left.chars().count() > width && !self.right.is_empty();
        let number = self.number.map_or("   ".to_owned(), |number| format!("{number:>3}"));
        lines.extend(is_wide.then(|| format!("{number}  {}", self.left)));
        let number = if is_wide { "   " } else { &number };
        let left = if is_wide { "" } else { &self.left };
        let mut line = match self.right.is_empty() {
            true => format!("{number}  {left}"),
            false => format!("{number}  {left:width$}   {}", self.right),
        };
        let mut notes = self.steps.iter().flat_map(|step| step.notes.iter()).peekable();
        if self.steps.iter().any(|step| step.failing) {
            let padding = answer_width.saturating_sub(self.right.chars().count());
            line += &format!("{:padding$}   ✗", "");
            let beside = notes.next_if(|note| note.chars().count() <= LONGEST_BESIDE);
            line.extend(beside.map(|note| format!(" {note}")));
        }
        lines.push(line);
        lines.extend(notes.map(|note| format!("     {note}")));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_their_interval() {
        let cases =
            [((20, 20), ""), ((7, 20), " (95 %: 18–57 %)"), ((1, 20), " (95 %: 1–24 %)"), ((0, 20), " (95 %: 0–16 %)")];
        for ((failed, of), interval) in cases {
            assert_eq!(fails((failed, of)), format!("fails {failed} of {of}{interval}"));
        }
        assert_eq!([0.0, 0.001, 0.83, 0.999, 1.0].map(percent), ["0 %", "1 %", "83 %", "99 %", "100 %"]);
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        for (failed, of, low, high) in
            [(0, 10, 0, 28), (10, 10, 72, 100), (20, 20, 84, 100), (1, 2, 9, 91), (7, 20, 18, 57)]
        {
            let (found_low, found_high) = interval(failed, of);
            let percent = |share: f64| (share * 100.0).round() as i64;
            assert_eq!((percent(found_low), percent(found_high)), (low, high), "{failed} of {of}");
        }
    }

    #[test]
    fn a_failure_is_told_of_before_it_is_shrunk() {
        let file = Some("r/1.ndjson".into());
        let found = FoundFailure {
            requests_to_find: 212,
            run: 2,
            original_requests: 97,
            file,
            ..FoundFailure::new(FailureKind::Crash, "crash".into())
        };
        assert_eq!(unshrunk(&found), "crash after 212 requests (run 2): 97 requests, saved as r/1.ndjson\n");
    }

    #[test]
    fn an_interrupted_test_says_so() {
        let report = CampaignReport { verdict: CampaignVerdict::Interrupted, runs: 1, ..CampaignReport::default() };
        assert_eq!(summary(&report).lines().next(), Some("0 requests in 1 run: no violation; interrupted"));
        let late = |why: &str| CampaignReport { stopped: Some(why.into()), ..CampaignReport::default() };
        assert!(summary(&late("interrupted")).starts_with("0 requests in 0 runs: no violation; interrupted\n"));
        assert!(summary(&late("no time")).starts_with("0 requests in 0 runs: no violation\n  ended early: no time\n"));
    }

    #[test]
    fn what_never_ran_has_no_share_that_fails() {
        let failed = FoundFailure { fails: (0, 0), ..FoundFailure::new(FailureKind::Start, "failed start".into()) };
        assert!(!headline(&failed).contains("fails"), "{}", headline(&failed));
    }

    #[test]
    fn a_regression_that_cannot_be_read_has_one_line() {
        let outcome = RegressionOutcome::Error("no such request\n  --> r.ndjson:2:3".into());
        let run = RegressionRun { file: "r.ndjson".into(), cause: String::new(), outcome, known: false, failure: None };
        let report = CampaignReport { regressions: vec![run], ..CampaignReport::default() };
        let said = "regressions: 1 cannot be run\n  r.ndjson: no such request\n";
        assert_eq!(regressions(&report), said);
    }
}
