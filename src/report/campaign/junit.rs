//! A campaign as JUnit's XML: one suite with a case for each regression, a case for each cause, and a case for the campaign
//! itself.
//!
//! ```xml
//! <testsuite name="kv_etag" tests="2" failures="1" …>
//!   <testcase name="campaign" classname="kv_etag"/>
//!   <testcase name="kv_etag.may:48 Put NoContent" classname="kv_etag" file="specs/kv_etag.may" line="48"><failure …
//! ```

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::text::{failure, headline, summary};
use super::{
    CampaignReport, CampaignVerdict, FailureKind, FoundFailure, RegressionOutcome, RegressionRun, RequestCount,
};

/// The report; empty if a text cannot be written as XML, which does not happen.
#[must_use]
pub fn junit(report: &CampaignReport) -> String {
    let seconds = Duration::try_from_secs_f64(report.seconds).unwrap_or_default();
    let mut suite = TestSuite::new(report.spec.as_str());
    suite.set_time(seconds).extra.extend([("file".into(), report.file.as_str().into())]);
    let answered = report.answers.iter().map(RequestCount::answered).sum();
    let refused = report.answers.iter().map(RequestCount::refused).sum();
    let numbers = [("seed", report.seed), ("clients", report.clients), ("requests", report.requests)];
    for (name, value) in numbers.into_iter().chain([("answered", answered), ("refused", refused)]) {
        suite.add_property((name.to_owned(), value.to_string()));
    }
    let mut cases: Vec<TestCase> = report.regressions.iter().map(regression).collect();
    cases.push(campaign(report, seconds));
    cases.extend(report.failures.iter().map(found));
    for mut case in cases {
        case.set_classname(report.spec.as_str());
        suite.add_test_case(case);
    }
    let mut all = Report::new("mayhap");
    all.set_time(seconds).add_test_suite(suite);
    all.to_string().unwrap_or_default()
}

/// The case of the campaign itself. It does not fail for a cause, as each cause has a case of its own.
fn campaign(report: &CampaignReport, seconds: Duration) -> TestCase {
    let status = match report.verdict {
        CampaignVerdict::Pass | CampaignVerdict::Violation | CampaignVerdict::Broken => TestCaseStatus::success(),
        CampaignVerdict::Untested => failed(NonSuccessKind::Failure, "untested", "nothing was tested"),
        CampaignVerdict::Unknown => skipped("some events are undecided"),
        CampaignVerdict::Interrupted => skipped("interrupted"),
    };
    let mut case = TestCase::new("campaign", status);
    case.set_time(seconds).set_system_out(summary(report));
    case
}

fn regression(run: &RegressionRun) -> TestCase {
    let complaint = run.outcome.complaint().unwrap_or_default();
    let status = match &run.outcome {
        RegressionOutcome::Pass => TestCaseStatus::success(),
        RegressionOutcome::Fails(..) if run.known => skipped(&complaint),
        RegressionOutcome::Fails(..) => failed(NonSuccessKind::Failure, &run.cause, &complaint),
        RegressionOutcome::Otherwise(cause) => failed(NonSuccessKind::Failure, cause, &complaint),
        RegressionOutcome::Outside(_) => failed(NonSuccessKind::Error, "outside", &complaint),
        RegressionOutcome::Undecided(_) => skipped(&complaint),
        RegressionOutcome::Error(_) => failed(NonSuccessKind::Error, "regression", &complaint),
    };
    TestCase::new(run.file.as_str(), status)
}

fn found(found: &FoundFailure) -> TestCase {
    let kind = match found.kind {
        FailureKind::Violation => NonSuccessKind::Failure,
        FailureKind::Crash | FailureKind::Hang | FailureKind::Garbage => NonSuccessKind::Error,
        FailureKind::Refused | FailureKind::Start | FailureKind::Adapter => NonSuccessKind::Error,
    };
    let mut status = match found.known {
        true => skipped(&headline(found)),
        false => failed(kind, found.kind.word(), &headline(found)),
    };
    status.set_description(failure(found));
    let mut case = TestCase::new(found.cause.as_str(), status);
    case.set_system_out(found.script.as_str());
    if let Some(place) = &found.place {
        let place = [("file".into(), place.file.as_str().into()), ("line".into(), place.line.to_string().into())];
        case.extra.extend(place);
    }
    if !found.last_output.is_empty() {
        case.set_system_err(found.last_output.join("\n"));
    }
    case
}

fn failed(kind: NonSuccessKind, ty: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(ty).set_message(message);
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}
