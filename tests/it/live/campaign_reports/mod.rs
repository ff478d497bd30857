//! The reports of `mayhap test` in each format, of campaigns made by hand, against the files in `tests/data/reports/campaign`;
//! `BLESS=1 cargo test --test it campaign_reports::` writes them anew.
//!
//! What is written is read again: XML, JSON, and the page by a browser, where one is installed.

mod made;

use std::path::Path;
use std::process::Command;

use mayhap::report::campaign::baseline::Baseline;
use mayhap::report::campaign::github::annotations;
use mayhap::report::campaign::text::text;
use mayhap::report::campaign::wanted::ReportFormat;
use mayhap::report::campaign::{CampaignReport, FailureKind, RegressionOutcome, RegressionRun};
use serde_json::Value;

use crate::command::place;
use crate::golden::golden;
use crate::judge::root;
use crate::real::skipped;

/// Each campaign with its name.
fn campaigns() -> [(&'static str, CampaignReport); 4] {
    [("pass", made::pass()), ("violation", made::violation()), ("race", made::race()), ("hostile", made::hostile())]
}

#[test]
fn each_format_writes_what_it_is_known_to_write() {
    for (name, report) in campaigns() {
        let check = |extension: &str, written: &str| {
            golden(&root().join(format!("tests/data/reports/campaign/{name}.{extension}")), written);
        };
        check("txt", &(text(&report) + &annotations(&report)));
        check("xml", &ReportFormat::Junit.render(&report));
        check("html", &ReportFormat::Html.render(&report));
        check("mmd", &ReportFormat::Mermaid.render(&report));
        let json: Value = serde_json::from_str(&ReportFormat::Json.render(&report)).unwrap();
        check("json", &(serde_json::to_string_pretty(&json).unwrap() + "\n"));
    }
}

/// The text is what people compare between runs: nothing that differs from run to run stands in it.
#[test]
fn the_text_does_not_depend_on_time() {
    for (name, report) in campaigns() {
        let slower = CampaignReport { seconds: 1_000.0 + report.seconds, ..report.clone() };
        assert_eq!(text(&slower), text(&report), "{name}");
        assert!(text(&report).lines().all(|line| line == line.trim_end()), "{name}");
        assert!(!text(&report).contains(|c: char| c.is_control() && c != '\n'), "{name}");
    }
}

#[test]
fn the_json_has_the_fields_that_are_promised() {
    let json: Value = serde_json::from_str(&ReportFormat::Json.render(&made::violation())).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    let all = "schema spec seed requests runs seconds verdict coverage sharpness failures baseline";
    assert_eq!(keys(&json)[..11].join(" "), all);
    assert_eq!(keys(&json["coverage"])[..4].join(" "), "branches covered pairs never");
    let failure = "cause event requests_to_find script shrunk_requests runs_to_shrink fails explanation file";
    assert_eq!(keys(&json["failures"][0])[..9].join(" "), failure);
    assert_eq!(json["failures"][0]["fails"], serde_json::json!([20, 20]));
    assert_eq!(keys(&json["baseline"]).join(" "), "known new unseen");
    // The script is one that `replay` reads: an object on each line.
    for line in json["failures"][0]["script"].as_str().unwrap().lines() {
        assert!(serde_json::from_str::<Value>(line).unwrap().is_object(), "{line}");
    }
}

/// The events of a document, each start with its attributes; an error where it is no XML.
fn elements(xml: &str) -> Vec<(String, Vec<(String, String)>)> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                let name = String::from_utf8(tag.name().as_ref().to_vec()).unwrap();
                let attributes = tag.attributes().map(|attribute| {
                    let attribute = attribute.unwrap();
                    let key = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
                    let value = std::str::from_utf8(&attribute.value).unwrap();
                    (key, quick_xml::escape::unescape(value).unwrap().into_owned())
                });
                found.push((name, attributes.collect()));
            }
            Event::Eof => return found,
            Event::End(_) | Event::Text(_) | Event::GeneralRef(_) | Event::CData(_) | Event::Decl(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_junit_is_xml_with_a_case_for_each_cause() {
    for (name, report) in campaigns() {
        let xml = ReportFormat::Junit.render(&report);
        let elements = elements(&xml);
        let is = |wanted: &str| elements.iter().filter(|(name, _)| name == wanted).count();
        assert_eq!(is("testcase"), 1 + report.failures.len() + report.regressions.len(), "{name}");
        let violations = report.failures.iter().filter(|found| found.kind == FailureKind::Violation && !found.known);
        let is_failed =
            |run: &&RegressionRun| !matches!(run.outcome, RegressionOutcome::Pass | RegressionOutcome::Error(_));
        let failed = report.regressions.iter().filter(is_failed);
        assert_eq!(is("failure"), violations.count() + failed.count(), "{name}");
        for found in &report.failures {
            let case = |(tag, attributes): &&(String, Vec<(String, String)>)| {
                tag == "testcase"
                    && attributes.iter().any(|(key, value)| key == "name" && *value == printable(&found.cause))
            };
            assert_eq!(elements.iter().filter(case).count(), 1, "{name}: {}", found.cause);
        }
    }
}

/// A text without what XML has no place for.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || *c == '\n').collect()
}

/// A line is one command, whatever stands in the message.
#[test]
fn annotations_are_one_line_each() {
    for (name, report) in campaigns() {
        let said = annotations(&report);
        let failed = report.regressions.iter().filter(|run| run.outcome.complaint().is_some()).count();
        assert_eq!(said.lines().count(), report.failures.len() + failed, "{name}");
        for line in said.lines() {
            let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
            assert!(head.starts_with("error file=") || head.starts_with("notice file="), "{line}");
            assert!(head.split(',').all(|part| part.contains('=')), "{line}");
            assert!(!message.contains('\r'), "{line}");
        }
    }
}

#[test]
fn a_diagram_has_a_statement_on_each_line() {
    let opens = ["participant ", "Note over ", "c1", "c2", "c3", "S--"];
    for (name, report) in campaigns() {
        let diagram = ReportFormat::Mermaid.render(&report);
        let mut lines = diagram.lines();
        assert_eq!(lines.next(), Some("sequenceDiagram"), "{name}");
        for line in lines {
            let statement = line.strip_prefix("    ").unwrap();
            assert!(opens.iter().any(|open| statement.starts_with(open)), "{name}: {line}");
            assert!(
                !statement.contains(['<', '>', '"', '%']) || statement.contains("<br/>") || statement.contains(">>")
            );
        }
    }
}

#[test]
fn a_page_is_one_file_in_which_nothing_of_the_system_is_markup() {
    for (name, report) in campaigns() {
        let page = ReportFormat::Html.render(&report);
        for word in ["src=\"", "url(", "@import", "fetch(", "<img", "<b>", "<!--", "onerror=\""] {
            assert!(!page.contains(word), "{name}: {word}");
        }
        assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (1, 1), "{name}");
        let targets: Vec<&str> = page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        for target in targets {
            assert!(page.contains(&format!("id=\"{target}\"")), "{name}: no {target}");
        }
    }
}

#[test]
fn known_causes_are_told_from_new_ones() {
    let mut report = made::hostile();
    report.failures.sort_by(|one, other| one.cause.cmp(&other.cause));
    let causes: Vec<String> = report.failures.iter().map(|found| found.cause.clone()).collect();
    // A regression that fails has its cause, too.
    let of_regression = report.regressions[0].cause.clone();
    let mut new = causes[1..].to_vec();
    new.push(of_regression.clone());
    new.sort();
    let baseline = Baseline { spec: "echo".into(), causes: [causes[0].clone(), "gone".into()].into() };
    assert_eq!(Baseline::read(&baseline.write()), Ok(baseline.clone()));
    baseline.mark(&mut report);
    let compared = report.baseline.clone().unwrap();
    assert_eq!((compared.known, compared.new, compared.unseen), (causes[..1].to_vec(), new, vec!["gone".to_owned()]));
    assert!(report.failures[0].known && report.failures[1..].iter().all(|found| !found.known));
    assert!(annotations(&report).contains("\n::notice file=") && text(&report).contains("  unseen: gone\n"));
    let later = baseline.clone().with(&report);
    assert_eq!(later.causes.len(), causes.len() + 2);
    assert!(later.knows(&of_regression) && !baseline.knows(&of_regression));
    for (text, part) in [
        ("", "this is no baseline"),
        ("{\"mayhap_baseline\": 1}", "missing field `spec`"),
        ("{\"mayhap_baseline\": 7, \"spec\": \"p\", \"known\": []}", "version 7, expected version 1"),
    ] {
        assert!(Baseline::read(text).is_err_and(|why| why.contains(part) && !why.contains('\n')), "{text}");
    }
}

/// The browser that is installed, if one is.
fn browser() -> Option<&'static str> {
    let is_there =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there)
}

/// The document that a browser makes of a page.
fn document(browser: &str, page: &Path) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--window-size=1200,1600"])
        .args(["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"])
        .args(["--disable-sync", &format!("--user-data-dir={}", page.with_extension("profile").display())])
        .args(["--dump-dom", &format!("file://{}", page.display())])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// What stands in the page is text to a browser, also where it looks like markup; and the script of the page ran.
#[test]
fn a_browser_shows_a_page() {
    let Some(browser) = browser() else { return skipped("no Chromium is installed, so no page is shown") };
    for (name, report) in [("race", made::race()), ("hostile", made::hostile())] {
        let path = place(&format!("{name}.html"));
        std::fs::write(&path, ReportFormat::Html.render(&report)).unwrap();
        let document = document(browser, &path);
        let count = |part: &str| document.matches(part).count();
        assert_eq!(count("<svg class=\"sequence\""), report.failures.len(), "{name}: {document}");
        assert_eq!((count("<img"), count("<script")), (0, 1), "{name}: {document}");
        // The buttons are hidden until the script shows them.
        assert!(count("data-copy=\"\">Copy</button>") > 0 && count("hidden=\"\">Copy") == 0, "{name}: {document}");
        assert!(document.trim_end().ends_with("</body></html>"), "{name}");
    }
}
