//! `mayhap sample`: what it prints and writes, and what it says of bad input.

use std::fs;
use std::path::Path;

use crate::command::{check, file, place, run};
use crate::judge::root;
use crate::sut::free_port;

/// The standard output of `mayhap sample`, which ends well.
pub(super) fn sampled(arguments: &[&str]) -> String {
    let output = run(&[&["sample"], arguments].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn paths_are_listed_once_and_then_there_are_no_more() {
    let text = sampled(&["specs/pages.may", "--count", "all"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "324 paths of 2 requests (each loop runs at most 2 times in a request)");
    assert_eq!(
        lines[lines.len() - 2..],
        ["16 feasible paths drawn; 308 infeasible, with 25 infeasible beginnings", "these are all"]
    );
    let paths: std::collections::BTreeSet<&str> = lines[1..17].iter().map(|line| line[8..].trim()).collect();
    assert_eq!((lines.len(), paths.len()), (19, 16), "{text}");
    let other = sampled(&["specs/pages.may", "--count", "all", "--seed", "1"]);
    assert_ne!(text, other, "another seed, another order");
    assert_eq!(text, sampled(&["specs/pages.may", "--count", "all"]), "the same seed, the same paths");
    let only = sampled(&["specs/pages.may", "--count-only"]);
    assert_eq!(only.lines().collect::<Vec<_>>(), [lines[0], lines[17], lines[18]]);
}

#[test]
fn scripts_run_against_the_specification_itself() {
    let directory = place("suite");
    _ = fs::remove_dir_all(&directory);
    let text = sampled(&["specs/transfers.may", "--count", "all", "--out", directory.to_str().unwrap()]);
    let mut scripts: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.sort();
    assert!(text.contains(&format!("{} feasible paths", scripts.len())), "{text}");
    let again = ["sample", "specs/transfers.may", "--out", directory.to_str().unwrap()];
    check(&again, "", 2, &["suite: has path-00", "of an earlier run; remove it, or name another directory"]);
    for script in scripts {
        let program = env!("CARGO_BIN_EXE_mayhap");
        let address = format!("127.0.0.1:{}", free_port());
        let serve = format!("{program} serve {} --tcp {address}", root().join("specs/transfers.may").display());
        let at = format!("tcp:{address}");
        let script = script.to_str().unwrap();
        let arguments = ["replay", script, "--for", "specs/transfers.may", "--sut", &at, "--start", &serve];
        let output = run(&arguments, "");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The exit code and the words of `mayhap test` against a server of a specification, maybe of a mutant of it.
pub(super) fn tested(spec: &str, mutant: &[&str], options: &[&str]) -> (Option<i32>, String) {
    let address = format!("127.0.0.1:{}", free_port());
    let program = env!("CARGO_BIN_EXE_mayhap");
    let start = format!("{program} serve {spec} --tcp {address} {}", mutant.join(" "));
    let kept = place(&format!("kept-{address}"));
    let fixed = ["test", spec, "--sut", &address, "--start", &start, "--seed", "1", "--shrink-time", "1"];
    let output = run(&[&fixed, options, &["--regressions", kept.to_str().unwrap()]].concat(), "");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
fn a_test_of_drawn_paths_says_what_it_shows() {
    let (code, said) = tested("specs/transfers.may", &[], &["--sample", "50"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("18 requests in 9 runs: no violation\n  all 9 feasible paths of 2 requests were run"),
        "{said}"
    );
    let (code, said) = tested("specs/documents.may", &[], &["--sample", "60", "--clients", "1"]);
    assert_eq!(code, Some(0), "{said}");
    let promise =
        "60 of 93 feasible paths of 2 requests were run: with 95 % confidence at most 5 % of these paths fail";
    assert!(said.contains(promise), "{said}");
    let (code, said) = tested("specs/transfers.may", &[], &["--requests", "400", "--clients", "1"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(" runs began with ") && said.contains(" of 9 feasible paths of 2 requests\n"), "{said}");
    // Where a path fails, nothing is promised.
    let (code, said) = tested("specs/transfers.may", &["--mutant", "4"], &["--sample", "50"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(!said.contains("confidence") && said.contains("feasible paths of 2 requests were run"), "{said}");
}

#[test]
fn paths_are_not_tested_in_an_unknown_state() {
    let arguments = ["test", "specs/transfers.may", "--sut", "127.0.0.1:1", "--sample", "5"];
    check(&arguments, "", 2, &["--sample needs a system that is reset, by --start or --reset"]);
    check(&[&arguments[..], &["--until", "covered"]].concat(), "", 2, &["cannot be used with"]);
}

#[test]
fn paths_that_need_a_choice_of_the_system_are_marked() {
    let text = sampled(&["specs/kv_etag.may", "--count", "all"]);
    assert!(text.contains("[0 of 20 runs]"), "a tag that nobody was shown: {text}");
    assert!(text.contains("not taken in each of 20 runs of the specification, as it chooses"), "{text}");
}

#[test]
fn loops_beyond_the_bound_are_cut_off() {
    let text = sampled(&["specs/redis_strings.may", "--requests", "1", "--count-only", "--loops", "1"]);
    assert!(text.contains("(each loop runs at most once in a request)"), "{text}");
    assert!(text.contains("cut off, as a loop goes on\nnothing is left within the bounds"), "{text}");
}

#[test]
fn graphs_are_sampled_with_inputs() {
    let directory = place("inputs");
    _ = fs::remove_dir_all(&directory);
    let out = directory.to_str().unwrap();
    let text = sampled(&["examples/graphs/tcas.graph", "--count", "3", "--out", out, "--list"]);
    assert!(text.starts_with("3205 paths\n     1  begin enabled1"), "{text}");
    let input = fs::read_to_string(directory.join("path-0003.json")).unwrap();
    assert!(input.starts_with("{\"path\": [\"begin\", \"enabled1\"") && input.contains("\"separation\": "), "{input}");
}

#[test]
fn different_paths_look_different() {
    let graph = file("parallel.graph", "int x\nentry a\nend b\na -> b if x == 6\na -> b if x == 8");
    let text = sampled(&[graph.to_str().unwrap(), "--count", "all"]);
    assert!(text.contains("  a b   x = 6\n") && text.contains("  a b#2   x = 8\n"), "{text}");
    let line = "protocol p { request int; response int; on q { either { reply 1; } or { reply 2; } } }";
    let spec = file("line.may", line);
    let text = sampled(&[spec.to_str().unwrap(), "--requests", "1", "--count", "all"]);
    let paths: std::collections::BTreeSet<&str> = text.lines().skip(1).map(|line| &line[6..]).take(2).collect();
    assert!(paths.len() == 2 && text.contains(" either:1:"), "{text}");
}

#[test]
fn a_failure_that_is_known_leaves_no_promise() {
    let kept = place("known");
    _ = fs::remove_dir_all(&kept);
    let run = || {
        let address = format!("127.0.0.1:{}", free_port());
        let program = env!("CARGO_BIN_EXE_mayhap");
        let start = format!("{program} serve specs/transfers.may --tcp {address} --mutant 4");
        let fixed =
            ["test", "specs/transfers.may", "--sut", &address, "--start", &start, "--seed", "1", "--shrink-time", "1"];
        let more = ["--sample", "8", "--max-failures", "0", "--regressions", kept.to_str().unwrap()];
        String::from_utf8_lossy(&run(&[&fixed[..], &more[..]].concat(), "").stdout).into_owned()
    };
    let (first, second) = (run(), run());
    for said in [first, second] {
        assert!(said.contains("feasible paths of 2 requests were run") && !said.contains("confidence"), "{said}");
    }
}

#[test]
fn a_short_time_is_said() {
    let arguments = ["sample", "specs/memcached.may", "--requests", "3", "--count-only", "--time", "0.2"];
    check(&arguments, "", 3, &["left when the time was over, feasible or not"]);
}

#[test]
fn bad_input_is_refused() {
    let graph = |name: &str, text: &str| file(name, text).to_str().unwrap().to_owned();
    let cycle = graph("cycle.graph", "entry a\nend b\na -> a\na -> b");
    let apart = graph("apart.graph", "entry a\nend b\na -> c");
    let wrong = graph("wrong.graph", "int x\nentry a\nend b\na -> b if y > 0");
    let chosen = graph(
        "chosen.may",
        "protocol p { request int; response int; var m: map<int, int> = choose; on q { reply 0; } }",
    );
    let calling = graph(
        "calling.may",
        "protocol p { request int; response int; on x { r(x); reply 1; } proc r(x: int) { if x > 0 { r(x - 1); } } }",
    );
    for (arguments, said) in [
        (vec![&*cycle], "the graph has a cycle, so its paths need a bound on their length: --length"),
        (vec![&*cycle, "--length", "0"], "the shortest path has 1 edge, and the bound is 0"),
        (vec![&*apart, "--length", "9"], "no path leads from the entry to the end"),
        (vec![&*wrong], "unknown variable `y`"),
        (vec!["missing.graph"], "missing.graph: cannot read: no such file or directory"),
        (vec![&*chosen], "anything may be in its initial state, so no script leads a system down a path"),
        (
            vec!["specs/kv.may", "--length", "3"],
            "--length is about graphs; the paths of a specification have --requests",
        ),
        (vec!["specs/kv.may", "--requests", "0"], "at least 1"),
        (vec!["specs/kv.may", "--count", "some"], "expected"),
        (vec!["specs/kv.may", "--requests", "100000000"], "its code has too many beginnings of paths"),
        (
            vec!["examples/graphs/dichotomy.graph", "--length", "1000000"],
            "the numbers of paths of up to 1000000 edges take more than 1 GiB",
        ),
        (vec![&*calling, "--calls", "100000", "--time", "1"], "fewer requests, loops or calls may do"),
    ] {
        check(&[&["sample"], &arguments[..]].concat(), "", 2, &[said]);
    }
    assert!(Path::new(&wrong).exists());
}
