//! File synchronizers: a small one with planted bugs, Unison and rsync; what happens in the scratch folder, and nowhere else.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::{said, test};
use crate::command::{file, place};
use crate::live::testing::has_python;
use crate::random::is_long;
use crate::real::skipped;
use crate::sut::check_gone;

const SPEC: &str = "specs/sync.may";
const ADAPTER: &str = "python3 -S examples/sync/sync.py";
/// The constants that allow what the manual of Unison allows where it compares the contents of every file.
const MANUAL: [&str; 6] = ["--set", "SKIPS=true", "--set", "FAILS=true", "--set", "STOPS=true"];

/// The synchronizer in Python, with a bug or without.
fn small(bug: &str) -> String {
    format!("{ADAPTER} --cmd 'python3 -SE {{home}}/tests/data/files/synchronizer.py {{a}} {{b}} {{state}} {bug}'")
        .replace("{home}", env!("CARGO_MANIFEST_DIR"))
}

/// The bugs that the small synchronizer has by its usage.
fn bugs() -> Vec<String> {
    let usage = Command::new("python3").arg("tests/data/files/synchronizer.py").output().unwrap().stderr;
    let usage = String::from_utf8(usage).unwrap();
    let bugs = usage.lines().filter(|line| line.contains("  ")).filter_map(|line| line.split_whitespace().next());
    bugs.map(String::from).collect()
}

fn has(program: &str) -> bool {
    let has = Command::new(program).arg(if program == "unison" { "-version" } else { "--version" }).output().is_ok();
    if !has {
        skipped(&format!("{program} is not installed"));
    }
    has
}

#[test]
fn each_bug_of_a_small_synchronizer_is_found() {
    if !has_python() {
        return;
    }
    let bugs = bugs();
    assert!(bugs.len() >= 12, "{bugs:?}");
    for pair in bugs.chunks(2) {
        thread::scope(|scope| {
            for bug in pair {
                scope.spawn(move || {
                    let more = ["--seed", "1", "--requests", "6000", "--shrink-time", "1"];
                    let output = test(SPEC, &small(bug), &place(bug), &more);
                    assert_eq!(output.status.code(), Some(1), "{bug}: {}", said(&output));
                });
            }
        });
    }
}

#[test]
fn a_correct_synchronizer_passes() {
    if !has_python() {
        return;
    }
    let requests = if is_long() { "20000" } else { "500" };
    let output = test(SPEC, &small(""), &place("correct"), &["--seed", "2", "--requests", requests]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn unison_does_what_its_manual_says_if_it_compares_contents() {
    if !has_python() || !has("unison") {
        return;
    }
    let requests = if is_long() { "20000" } else { "500" };
    let more = [&MANUAL[..], &["--seed", "3", "--requests", requests]].concat();
    let output = test(SPEC, &format!("{ADAPTER} unison -fastcheck false"), &place("unison"), &more);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn rsync_in_both_directions_is_no_synchronizer() {
    if !has_python() || !has("rsync") {
        return;
    }
    let output = test(SPEC, &format!("{ADAPTER} rsync"), &place("rsync"), &["--seed", "4", "--requests", "2000"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn a_folder_with_files_of_its_own_is_not_touched() {
    if !has_python() {
        return;
    }
    let folder = place("folder");
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("1")).unwrap();
    fs::write(folder.join("1/mine"), "text").unwrap();
    let tested = |folder: &Path, expected: i32, part: &str| {
        let sut = format!("{ADAPTER} --scratch {} --cmd true", folder.display());
        let output = test(SPEC, &sut, &place("scratch"), &["--requests", "5", "--seed", "1"]);
        assert_eq!(output.status.code(), Some(expected), "{}", said(&output));
        assert!(said(&output).contains(part), "{}", said(&output));
    };
    tested(&folder, 4, "has files that no test made: nothing was touched");
    assert_eq!(fs::read_to_string(folder.join("1/mine")).unwrap(), "text");
    tested(&folder.join("1/mine"), 4, "is no directory: nothing was touched");
    tested(&folder.join("no/such"), 4, "the scratch folder cannot be made");
    // An empty one is used, and is empty afterwards; a new one is gone.
    for name in ["empty", "new"] {
        let folder = folder.join(name);
        if name == "empty" {
            fs::create_dir(&folder).unwrap();
        }
        tested(&folder, 0, "no violation");
        assert_eq!(folder.exists(), name == "empty");
        assert!(name == "new" || fs::read_dir(&folder).unwrap().next().is_none());
    }
}

#[test]
fn what_a_tool_does_wrong_has_a_clear_message() {
    if !has_python() {
        return;
    }
    let asks = file("asks.py", "open('/dev/tty').readline()\ninput()\n");
    let hangs = file("hangs.sh", "sleep 7357 & sleep 7357\n");
    let odd = file("odd.py", "import os, sys\nopen(os.fsencode(sys.argv[1]) + b'/\\xff', 'w')\n");
    let cases = [
        ("no-such-tool {a} {b}".to_string(), 4, "the synchronizer cannot be run: "),
        (format!("python3 {} {{a}}", asks.display()), 1, "Exit 1"),
        (format!("sh {}", hangs.display()), 4, "hang after"),
        (format!("python3 {} {{a}} {{b}}", odd.display()), 1, r"\\xff"),
        ("kill -9 $$".to_string(), 1, "Exit 137"),
    ];
    for (number, (command, code, part)) in cases.iter().enumerate() {
        let sut = format!("{ADAPTER} --cmd '{command}'");
        let more = ["--seed", "1", "--requests", "300", "--deadline", "1", "--shrink-time", "2"];
        let output = test(SPEC, &sut, &place(&format!("wrong-{number}")), &more);
        assert_eq!(output.status.code(), Some(*code), "{command}: {}", said(&output));
        assert!(said(&output).contains(part), "{command}: {}", said(&output));
    }
    check_gone("sleep 7357");
}
