//! `mayhap explore FILE`: all behaviours of a specification up to a bound, against what is simulated and what is judged.

use crate::command::{check, file, run};
use crate::shipped;
use mayhap::reading::Exchanges;
use mayhap::validate::judge;
use mayhap::{Spec, Validator};
use std::collections::BTreeSet;
use std::sync::Arc;

/// All traces that are printed, and what is said of them.
fn explored(options: &[&str]) -> (BTreeSet<String>, String) {
    let output = run(&[&["explore", "--show", "1000000"], options].concat(), "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{options:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    let mut traces = BTreeSet::new();
    for block in text.split(" print").skip(1) {
        let lines = block.lines().filter_map(|line| line.strip_prefix("  | "));
        assert!(traces.insert(lines.map(|line| format!("{line}\n")).collect()), "{block} is told twice");
    }
    (traces, text.lines().last().unwrap_or_default().to_owned())
}

fn accepts(spec: &Arc<Spec>, trace: &str) -> bool {
    let mut validator = Validator::new(spec);
    _ = judge(&mut validator, &mut Exchanges::new(spec, trace.as_bytes()));
    validator.verdict().is_accept()
}

#[test]
fn every_behaviour_is_accepted() {
    for shipped in shipped::all() {
        let spec = shipped.compile().unwrap();
        let path = shipped.path.to_string_lossy();
        for steps in ["1", "2"] {
            let bounds = ["--steps", steps, "--range", "request=0..2", "--range", "choose=0..2", "--sample", "1000"];
            for trace in explored(&[&[path.as_ref()], &bounds[..]].concat()).0 {
                assert!(accepts(&spec, &trace), "{}: {trace}", shipped.name);
            }
        }
    }
}

/// Requests and answers from 0 to 2, three exchanges: a trace is found if and only if it is accepted. Numbers below
/// and above those tell the server's own choices apart as well as any others.
#[test]
fn what_is_no_behaviour_is_rejected() {
    for name in ["cmp_rst", "cmp_rst_machine", "cmp_set", "abs"] {
        let path = format!("specs/{name}.may");
        let spec = Spec::from_text(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let bounds = ["--range", "request=0..3", "--range", "choose=-1..4", "--steps", "3"];
        let (traces, _) = explored(&[&[path.as_str()], &bounds[..]].concat());
        let exchange = |at: usize| format!("{{\"q\": {}, \"a\": {}}}\n", at / 3, at % 3);
        for at in 0..729 {
            let trace = [at / 81, at / 9 % 9, at % 9].map(exchange).concat();
            assert_eq!(traces.contains(&trace), accepts(&spec, &trace), "{name}: {trace}");
        }
        assert!(traces.len() > 26 && traces.len() < 700, "{name}: {}", traces.len());
    }
}

#[test]
fn the_number_of_behaviours_is_that_of_the_values() {
    // Two keys; to get, or to put or append one of two texts.
    let (traces, said) = explored(&["specs/kv.may"]);
    assert_eq!((traces.len(), said.as_str()), (100, "specs/kv.may: exhausted 100 of 100 runs, 100 different traces"));
    let (traces, _) = explored(&["specs/kv.may", "--steps", "1", "--clients", "3"]);
    assert_eq!(traces.len(), 30);
    let (traces, said) = explored(&["specs/kv.may", "--steps", "0"]);
    assert_eq!((traces.len(), said.as_str()), (1, "specs/kv.may: exhausted 1 of 1 run, 1 trace"));
}

#[test]
fn every_order_finds_the_same_behaviours() {
    for spec in ["specs/queue.may", "specs/sessions.may", "specs/lease.may", "specs/idgen.may"] {
        let bounds = [spec, "--range", "request=0..2", "--range", "choose=0..2"];
        let (traces, said) = explored(&bounds);
        for options in [&["--order", "breadth-first"][..], &["--jobs", "3"]] {
            let (same, same_said) = explored(&[&bounds[..], options].concat());
            assert!(same == traces && same_said == said, "{spec} {options:?}: {said}, {same_said}");
        }
    }
}

#[test]
fn a_search_of_behaviours_goes_on_and_one_of_them_is_shown_again() {
    let output = run(&["explore", "specs/kv.may", "--runs", "30"], "");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    let resume = said.split("--resume ").nth(1).unwrap().trim();
    let (rest, _) = explored(&["specs/kv.may", "--resume", resume]);
    assert_eq!(rest.len(), 70);
    check(&["explore", "specs/counter.may", "--resume", resume], "", 2, &["the program has changed"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let token = text.split("--replay ").nth(7).unwrap().split(')').next().unwrap();
    let (shown, _) = explored(&["specs/kv.may", "--replay", token]);
    assert!(shown.len() == 1 && text.contains(shown.first().unwrap().lines().next().unwrap()), "{shown:?}");
}

#[test]
fn two_specifications_are_compared_by_what_they_can_do() {
    let strict = std::fs::read_to_string("specs/cmp_rst.may").unwrap().replace("q <= n", "q < n");
    let strict = file("strict.may", strict).display().to_string();
    let parts = [&format!("only {strict} has"), "only specs/cmp_rst.may has", "\n  | {\"q\": 0, \"a\": 1}\n"];
    check(&["explore", "specs/cmp_rst.may", "--versus", &strict, "--steps", "1"], "", 1, &parts);
}

/// An unknown start that an `assume` excludes is no run.
#[test]
fn a_start_that_is_excluded_late_is_refused() {
    let lease = ["specs/lease.may", "--set", "FRESH=false", "--steps", "1", "--range", "choose=0..2"];
    let (shown, text) = explored(&lease);
    assert!(shown.len() > 20 && text.contains("more refused by what they assume"), "{text}");
}

/// Putting is fine; `Get` is faulty for a key that was not put, once there is one.
const HIDDEN: &str = "\
enum Request { Put { key: string, value: int }, Get { key: string } }
protocol hidden {
    request Request;
    response int;
    var m: map<string, int> = {};
    var n: int = 0;
    on Put { key, value } {
        m[key] := value;
        n := choose int;
        reply n;
    }
    on Get { key } {
        if len(m) == 0 { reply either 1 or 2; }
        reply m[key];
    }
}
";

#[test]
fn a_fault_comes_first_with_the_shortest_way_there() {
    let hidden = file("hidden_fault.may", HIDDEN).display().to_string();
    for options in [&[][..], &["--jobs", "2"], &["--order", "breadth-first"]] {
        let output = run(&[&["explore", &hidden, "--steps", "4"], options].concat(), "");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("hidden_fault.may:14:15") && said.contains("looks up a key that may not be there"),
            "{said}"
        );
        // One request and then the faulty one, nothing more, with the first value of whatever does not matter.
        let with = said.lines().find(|line| line.trim_start().starts_with("with ")).unwrap();
        let expected = "Put.key = 0 of 2, Put.value = 0 of 3, n (line 9) = 0 of 3, request = 1 of 2, Get.key = 1 of 2";
        assert!(with.ends_with(&format!("with request = 0 of 2, {expected}")), "{with}");
        assert_eq!(said.matches("\n  | {").count(), 1, "{said}");
        let token = said.split("again: ").nth(1).unwrap().lines().next().unwrap();
        check(&["explore", &hidden, "--steps", "4", "--replay", token], "", 2, &["hidden_fault.may:14:15"]);
    }
    // On one screen, the fault stands before what works.
    let both = format!("{} explore {hidden} --steps 4 2>&1", env!("CARGO_BIN_EXE_mayhap"));
    let output = std::process::Command::new("sh").args(["-c", &both]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.find("failed: error").unwrap() < text.find("1 run prints").unwrap(), "{text}");
}

#[test]
fn a_choice_is_named_after_what_it_is_for_and_its_line() {
    let text = "token Id;
struct Tag { weak: bool, id: option<Id> }
protocol names {
    request (int, list<bool>);
    response Tag;
    var first: bool = choose;
    on (n, _) {
        var limit = pick 0..2;
        either { limit := limit + n; } or {}
        let (_, _) = (choose bool, coin());
        assume (pick x in [1, 2] where x > 0) > 0;
        reply Tag { weak: first || choose bool, id: Some(choose) };
    }
}
def coin(): bool =
    choose bool;
";
    let names = file("choice_names.may", text).display().to_string();
    let (_, printed) = (0, run(&["explore", &names, "--steps", "1", "--show", "100000"], ""));
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    for name in [
        "first (line 6)",
        "request.0",
        "request.1: elements",
        "request.1.0",
        "limit (line 8)",
        "either (line 9)",
        "coin (line 16)",
        "(_, _) (line 10)",
        "x (line 11)",
        "weak (line 12)",
    ] {
        assert!(printed.contains(&format!(" {name} = ")), "{name}: {}", printed.lines().last().unwrap());
    }
    let machine = run(&["explore", "specs/cmp_rst_machine.may", "--steps", "1"], "");
    let printed = String::from_utf8_lossy(&machine.stdout).into_owned();
    assert!(printed.contains("with request = 0 of 3, !0 (line 7) = 0 of 3"), "{printed}");
}
