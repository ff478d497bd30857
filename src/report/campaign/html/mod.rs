//! A campaign as one self-contained page: each failure as a picture, what was known after each step, the specification with its
//! coverage, and the script.
//!
//! The templates of maud escape everything that a system answers, and the page fetches nothing. The script of the page only
//! copies texts: without it the page shows the same.

mod beliefs;
mod links;
mod painted;
mod sequence;
mod wrapped;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::tested::{FEW, mostly_refused};
use super::text::{also, fails, headline, interval, never, not_reached, percent};
use super::visible::visible;
use super::{AnswerCount, CampaignReport, CampaignVerdict, FoundFailure};
use crate::choice::counted;
use links::Links;

const STYLE: &str = concat!(include_str!("../../palette.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("copy.js");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page.
#[must_use]
pub fn page(report: &CampaignReport) -> String {
    let links = Links::new(&report.texts);
    let title = format!("{}: {}", report.spec, verdict(report).0);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (header(report))
                    @for (at, found) in (1..).zip(&report.failures) { (failure(at, found, &links)) }
                    (answers(report, &links))
                    (coverage(report, &links))
                    (regressions(report))
                    (rest(report))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string() + "\n"
}

/// The verdict in words, and the class of its colour.
fn verdict(report: &CampaignReport) -> (&'static str, &'static str) {
    match report.verdict {
        CampaignVerdict::Pass => ("no violation", "accept"),
        CampaignVerdict::Violation => ("violation", "reject"),
        CampaignVerdict::Broken => (report.failures.first().map_or("broken", |found| found.kind.word()), "reject"),
        CampaignVerdict::Untested => ("nothing was tested", "doubt"),
        CampaignVerdict::Unknown => ("undecided", "doubt"),
        CampaignVerdict::Interrupted => ("interrupted", "doubt"),
    }
}

fn header(report: &CampaignReport) -> Markup {
    let (word, class) = verdict(report);
    let covered = &report.coverage;
    let facts = [
        ("requests", Some(report.requests.to_string())),
        ("runs", Some(report.runs.to_string())),
        ("branches covered", share(covered.covered, covered.branches)),
        ("pairs covered", share(covered.covered_pairs, covered.pairs)),
        ("answers forced", report.sharpness.map(percent)),
    ];
    html! {
        header {
            h1 { span.verdict.(class) { (word) } " " (report.spec) }
            p.faint { (super::text::opening(report).trim_end()) @if !report.file.is_empty() { " · " (report.file) } }
            dl.facts {
                @for (name, value) in facts {
                    @if let Some(value) = value { div { dt { (name) } dd { (value) } } }
                }
            }
            @if let Some(said) = mostly_refused(report) { p.remark { (first_upper(&said)) } }
            @if let Some(how) = &report.until { p.remark { "Until " (how) } }
            @if let Some(why) = &report.stopped { p.remark { "Ended early: " (why) } }
            @if let Some(paths) = &report.covered_paths { p { (paths.sentence()) } }
            @if let Some(paths) = &report.paths {
                p { (paths.sentence(report.is_clean())) }
            }
            @for why in &report.undecided { p.remark { "Too hard to decide: " (why) } }
            @if report.failures.len() > 1 {
                nav aria-label="Failures" { ol {
                    @for (at, found) in (1..).zip(&report.failures) {
                        li { a href={ "#f" (at) } { (found.cause) } " " span.faint { (headline(found)) } }
                    }
                } }
            }
        }
    }
}

/// The text "PART of OF", unless `of` is 0.
fn share(part: u64, of: u64) -> Option<String> {
    (of > 0).then(|| format!("{part} of {of}"))
}

fn failure(at: usize, found: &FoundFailure, links: &Links) -> Markup {
    let class = if found.known { "doubt" } else { "reject" };
    html! {
        section.failure id={ "f" (at) } {
            h2 { span.verdict.(class) { (kind(found)) } " " (found.cause) }
            p { (headline(found)) @if let Some(place) = &found.place { " · " (links.linked(&place.to_string())) } }
            (flakiness(found))
            @if !found.steps.is_empty() { (sequence::sequence(found, links)) }
            @if !found.explanation.is_empty() {
                ul.why { @for line in &found.explanation { li { (links.linked(&visible(line))) } } }
            }
            (beliefs::beliefs(found))
            @if !found.last_output.is_empty() {
                h3 { "The last output of the system" }
                pre { @for line in &found.last_output { (visible(line)) "\n" } }
            }
            @if let Some(also) = also(found) { p { (visible(&also)) } }
            @if let Some(again) = &found.again { (copied("Again", again)) }
            @if !found.script.is_empty() { (copied("Script", found.script.trim_end())) }
        }
    }
}

fn kind(found: &FoundFailure) -> String {
    let known = if found.known { "known " } else { "" };
    format!("{known}{}", found.kind.word())
}

/// A text with a button that copies the text.
fn copied(name: &str, text: &str) -> Markup {
    html! {
        div.copied {
            h3 { (name) " " button type="button" data-copy hidden { "Copy" } }
            pre { (text) }
        }
    }
}

/// The share of runs that failed, drawn with its confidence interval on a scale from none to all.
fn flakiness(found: &FoundFailure) -> Markup {
    let (failed, of) = found.fails;
    let (low, high) = interval(failed, of);
    let x = |share: f64| 10 + (share * 300.0).round() as i64;
    html! {
        @if failed < of {
            figure.flaky {
                svg viewBox="0 0 320 44" width="320" height="44" role="img" aria-label=(fails(found.fails)) {
                    line.scale x1=(x(0.0)) y1="16" x2=(x(1.0)) y2="16" {}
                    rect.interval x=(x(low)) y="9" width=((x(high) - x(low)).max(2)) height="14" rx="3" {}
                    circle.point cx=(x(failed as f64 / of as f64)) cy="16" r="5" {}
                    @for (share, name) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
                        line.tick x1=(x(share)) y1="12" x2=(x(share)) y2="20" {}
                        text x=(x(share)) y="38" text-anchor=(anchor(share)) { (name) }
                    }
                }
                figcaption { (failed) " of " (of) " runs of the script failed. The bar is Wilson's interval, at 95 %, for the share that fails." }
            }
        }
    }
}

fn anchor(share: f64) -> &'static str {
    if share <= 0.0 {
        "start"
    } else if share >= 1.0 {
        "end"
    } else {
        "middle"
    }
}

fn coverage(report: &CampaignReport, links: &Links) -> Markup {
    let covered = &report.coverage;
    html! {
        @if covered.branches > 0 || !report.texts.is_empty() {
            section id="specification" {
                h2 { "The specification" }
                @if covered.branches > 0 { p {
                    (covered.covered) " of " (covered.branches) " branches were taken by an explanation"
                    @if covered.pairs > 0 { ", and " (covered.covered_pairs) " of " (covered.pairs) " pairs that can follow each other" }
                    ". " span.taken { "Taken" } " " span.never { "not taken" } @if !report.texts.is_empty() {
                        "; at the left is how often: from " (FEW) " on, at least so often."
                    }
                } }
                @let never = never(covered);
                @if !never.is_empty() {
                    p { (not_reached(report)) ": " @for (at, branch) in never.iter().enumerate() {
                        @if at > 0 { ", " } (links.linked(branch))
                    } }
                }
                @for (number, text) in report.texts.iter().enumerate() {
                    h3 { (text.file) }
                    (painted::painted(report, number, text))
                }
            }
        }
    }
}

fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The table of requests and answers with their counts.
fn answers(report: &CampaignReport, links: &Links) -> Markup {
    html! {
        @if !report.answers.is_empty() {
            section id="answers" {
                h2 { "Answers" }
                p { "How often each request was sent, and how it was answered. " span.seldom { "Less than " (FEW) " times" }
                    " " span.refusal { "a refusal" } }
                div.scroll { table.answers {
                    thead { tr { th scope="col" { "request" } th.number scope="col" { "sent" } th scope="col" { "answers" } } }
                    tbody { @for counted in &report.answers {
                        tr {
                            td.value { (counted.request) }
                            td.number { (counted.sent) }
                            td { @for answer in &counted.answers { (answer_count(answer, links)) " " } }
                        }
                    } }
                } }
            }
        }
    }
}

/// An answer with its count, and the lines that give it.
fn answer_count(answer: &AnswerCount, links: &Links) -> Markup {
    let class = if answer.refusal { "answer refusal" } else { "answer" };
    html! {
        span class=(class) {
            span.seldom[answer.count < FEW] { (answer.count) } " " (answer.label())
            @for (at, place) in answer.places.iter().enumerate() {
                (if at == 0 { " " } else { ", " }) span.faint { (links.numbered(place)) }
            }
        }
    }
}

fn regressions(report: &CampaignReport) -> Markup {
    html! {
        @if !report.regressions.is_empty() {
            section id="regressions" {
                h2 { "Regressions" }
                div.scroll { table {
                    thead { tr { th scope="col" { "file" } th scope="col" { "cause" } th scope="col" { "outcome" } } }
                    tbody { @for run in &report.regressions {
                        @let complaint = run.outcome.complaint();
                        tr class=[complaint.is_some().then_some("failing")] {
                            td.value { (run.file) }
                            td { (run.cause) }
                            td { (complaint.unwrap_or_else(|| "passes".into())) }
                        }
                    } }
                } }
            }
        }
    }
}

/// The section about the baseline, if there is one.
fn rest(report: &CampaignReport) -> Markup {
    html! {
        @if let Some(baseline) = &report.baseline {
            section id="baseline" {
                h2 { "Baseline" }
                @for (name, causes) in [("new", &baseline.new), ("known", &baseline.known), ("unseen", &baseline.unseen)] {
                    p { (counted(causes.len() as u64, "cause")) " " (name) @if !causes.is_empty() { ":" } }
                    @if !causes.is_empty() { ul { @for cause in causes { li { (cause) } } } }
                }
            }
        }
    }
}
