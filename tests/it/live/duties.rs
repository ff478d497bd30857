//! Nothing that the tester sends breaks the client's duty: no request that is drawn, shrunk, replayed, or tried on an adapter.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::command::{place, run};
use crate::real::skipped;

const DATA: &str = "tests/data/duties";

/// A server with a mistake, which notes the requests that break the duty; and a directory for regressions.
struct Dutiful {
    spec: String,
    sut: String,
    broken: PathBuf,
    regressions: PathBuf,
}

impl Dutiful {
    fn new(spec: &str, test: &str) -> Option<Dutiful> {
        if std::process::Command::new("python3").arg("--version").output().is_err() {
            skipped("python3 is not installed");
            return None;
        }
        let broken = place(&format!("broken-{spec}-{test}.log"));
        let regressions = place(&format!("duties-{spec}-{test}"));
        _ = fs::remove_file(&broken);
        _ = fs::remove_dir_all(&regressions);
        let sut = format!("stdio:exec python3 -SB {DATA}/server.py {spec} {}", broken.display());
        Some(Dutiful { spec: format!("{DATA}/{spec}.may"), sut, broken, regressions })
    }

    fn test(&self, more: &[&str]) -> Output {
        let regressions = self.regressions.to_str().unwrap();
        let first = ["test", &self.spec, "--sut", &self.sut, "--regressions", regressions, "--shrink-time", "10"];
        run(&[&first[..], more].concat(), "")
    }

    /// Checks that no request broke the duty.
    fn check(&self, output: &Output) {
        let broken = fs::read_to_string(&self.broken).unwrap_or_default();
        assert_eq!(broken, "", "{}", said(output));
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn no_request_of_a_test_breaks_a_duty() {
    for (spec, clients) in [("duty", "1"), ("duty", "3"), ("jobs", "1"), ("jobs", "3")] {
        let Some(live) = Dutiful::new(spec, clients) else { return };
        let output = live.test(&["--clients", clients, "--seed", "3", "--requests", "3000"]);
        live.check(&output);
        assert_eq!(output.status.code(), Some(1), "{spec}, {clients} clients: {}", said(&output));
        // The failure shows again when its script is replayed.
        let script = fs::read_dir(&live.regressions).unwrap().next().unwrap().unwrap().path();
        let again = ["replay", script.to_str().unwrap(), "--for", &live.spec, "--sut", &live.sut, "--times", "3"];
        let again = run(&again, "");
        live.check(&again);
        assert!(said(&again).contains(": fails 3 of 3"), "{spec}, {clients} clients: {}", said(&again));
    }
}

#[test]
fn a_script_that_breaks_a_duty_is_outside_the_specification() {
    let Some(live) = Dutiful::new("duty", "outside") else { return };
    let script = format!("{DATA}/outside.ndjson");
    let replayed = run(&["replay", &script, "--for", &live.spec, "--sut", &live.sut], "");
    live.check(&replayed);
    let outside = "outside the specification: step 1 may break the client's duty";
    assert!(said(&replayed).contains(&format!("{outside} ({DATA}/duty.may:8: `expects")), "{}", said(&replayed));
    assert_eq!(replayed.status.code(), Some(2), "{}", said(&replayed));
    fs::create_dir_all(&live.regressions).unwrap();
    fs::copy(&script, live.regressions.join("outside.ndjson")).unwrap();
    let tested = live.test(&["--clients", "1", "--seed", "1", "--requests", "3", "--report", "junit:/dev/null"]);
    live.check(&tested);
    let text = said(&tested);
    assert!(text.contains("regressions: 1 outside the specification") && text.contains(outside), "{text}");
    assert_eq!(tested.status.code(), Some(2), "{text}");
}

#[test]
fn a_script_whose_duty_depends_on_the_state_is_judged_where_it_is() {
    let Some(live) = Dutiful::new("jobs", "script") else { return };
    let script = place("jobs-script.ndjson");
    let lines = |id: i64| {
        format!(
            "{{\"mayhap\": 1, \"spec\": \"jobs\"}}\n{{\"n\": 1, \"c\": 1, \"q\": {{\"Add\": {{\"id\": 7}}}}, \"a\": 0}}\n\
             {{\"n\": 3, \"c\": 1, \"q\": {{\"Start\": {{\"id\": {id}}}}}, \"a\": 1}}\n"
        )
    };
    for (id, expected, code) in [(7, ": passes", 0), (8, ": outside the specification: step 2 may break", 2)] {
        fs::write(&script, lines(id)).unwrap();
        let replayed = run(&["replay", script.to_str().unwrap(), "--for", &live.spec, "--sut", &live.sut], "");
        live.check(&replayed);
        assert!(said(&replayed).contains(expected), "{id}: {}", said(&replayed));
        assert_eq!(replayed.status.code(), Some(code), "{id}: {}", said(&replayed));
    }
}

#[test]
fn a_script_that_cannot_be_judged_is_undecided() {
    let Some(_) = Dutiful::new("duty", "undecided") else { return };
    let (spec, script, adapter) = (place("faulty.may"), place("faulty.ndjson"), place("faulty.py"));
    let faulty = "protocol faulty { request int; response int; on q { let xs: list<int> = []; reply xs[q]; } }";
    fs::write(&spec, faulty).unwrap();
    fs::write(&script, "{\"mayhap\": 1, \"spec\": \"faulty\"}\n{\"n\": 1, \"c\": 1, \"q\": 1, \"a\": 1}\n").unwrap();
    let echo = "import json, sys\nfor line in map(json.loads, sys.stdin):\n    \
        said = {\"c\": line[\"c\"], \"a\": line[\"q\"]} if \"q\" in line else {\"ready\": True}\n    \
        print(json.dumps(said), flush=True)\n";
    fs::write(&adapter, echo).unwrap();
    let sut = format!("stdio:exec python3 -SB {}", adapter.display());
    let [spec, script] = [&spec, &script].map(|path| path.to_str().unwrap());
    let replayed = run(&["replay", script, "--for", spec, "--sut", &sut, "--times", "2"], "");
    let expected = ": undecided: the specification reads beyond the end";
    assert!(said(&replayed).contains(expected), "{}", said(&replayed));
    assert_eq!(replayed.status.code(), Some(3), "{}", said(&replayed));
    let tested = run(&["test", spec, "--sut", &sut, "--clients", "1", "--requests", "20"], "");
    assert!(said(&tested).contains("  undecided: run 1"), "{}", said(&tested));
    assert_eq!(tested.status.code(), Some(3), "{}", said(&tested));
}

#[test]
fn an_adapter_is_tried_with_requests_that_keep_the_duty() {
    for (spec, expected) in [
        ("duty", &["{\"Ask\": {\"x\": ", "}}: 1\n"][..]),
        ("jobs", &["{\"Add\": {\"id\": 1}}: 0\n{\"Start\": {\"id\": 1}}: 1\n\"Count\": 1\n"][..]),
    ] {
        let Some(live) = Dutiful::new(spec, "adapter") else { return };
        let output = run(&["test", &live.spec, "--sut", &live.sut, "--check-adapter"], "");
        live.check(&output);
        expected.iter().for_each(|part| assert!(said(&output).contains(part), "{spec}: {}", said(&output)));
        assert_eq!(output.status.code(), Some(0), "{spec}: {}", said(&output));
    }
}
