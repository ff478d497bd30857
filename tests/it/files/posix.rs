//! System calls on the file system of the temporary directory: it passes, each planted mistake is found, and nothing is left.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{said, test};
use crate::command::{file, place, run};
use crate::live::testing::has_python;
use crate::random::is_long;

const SPEC: &str = "specs/posix.may";
const ADAPTER: &str = "python3 examples/posix/posix.py";
/// The deviations that only several processes can see.
const RACES: [&str; 2] = ["rename-in-two-steps", "excl-in-two-steps"];
/// The deviation that is found in some tests only: two links that have to meet a third one.
const RARE: &str = "link-follows";

/// The names of the planted mistakes.
fn deviations() -> Vec<String> {
    let list = "import sys; sys.path.append('examples/posix'); import deviations; print(*deviations.ALL)";
    let printed = Command::new("python3").args(["-c", list]).output().unwrap().stdout;
    String::from_utf8(printed).unwrap().split_whitespace().map(String::from).collect()
}

#[test]
fn each_deviation_of_a_file_system_is_found() {
    if !has_python() {
        return;
    }
    let mut deviations = deviations();
    deviations.retain(|name| !RACES.contains(&name.as_str()) && name != RARE);
    assert!(deviations.len() >= 10, "{deviations:?}");
    for pair in deviations.chunks(2) {
        thread::scope(|scope| {
            for deviation in pair {
                scope.spawn(move || {
                    let sut = format!("{ADAPTER} --deviation {deviation}");
                    let more = ["--seed", "2", "--requests", "20000", "--shrink-time", "1"];
                    let output = test(SPEC, &sut, &place(deviation), &more);
                    assert_eq!(output.status.code(), Some(1), "{deviation}: {}", said(&output));
                });
            }
        });
    }
}

#[test]
fn several_processes_see_that_a_rename_is_not_atomic() {
    if !has_python() {
        return;
    }
    let sut = format!("stdio:exec {ADAPTER} --deviation {}", RACES[0]);
    let given =
        ["test", SPEC, "--sut", &sut, "--seed", "1", "--clients", "4", "--requests", "20000", "--shrink-time", "1"];
    let output = run(&[&given[..], &["--regressions", place(RACES[0]).to_str().unwrap()]].concat(), "");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn the_file_system_of_the_temporary_directory_passes() {
    if !has_python() {
        return;
    }
    let requests = if is_long() { "50000" } else { "1500" };
    let output = test(SPEC, ADAPTER, &place("posix"), &["--seed", "2", "--requests", requests]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn recordings_of_several_processes_have_their_verdicts() {
    for entry in fs::read_dir("examples/posix/recordings").unwrap() {
        let path = entry.unwrap().path();
        let expected = if path.file_name().unwrap().to_str().unwrap().starts_with("accept_") { 0 } else { 1 };
        let output = run(&["validate", SPEC, path.to_str().unwrap()], "");
        assert_eq!(output.status.code(), Some(expected), "{}: {}", path.display(), said(&output));
    }
    let race = "examples/posix/recordings/reject_link_race.ndjson";
    let output = run(&["validate", SPEC, race, "--set", "ATOMIC=false"], "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn a_simulation_is_made_on_the_file_system_and_judged() {
    if !has_python() {
        return;
    }
    let simulated = run(&["simulate", SPEC, "--steps", "3000", "--seed", "1"], "");
    assert_eq!(simulated.status.code(), Some(0), "{}", said(&simulated));
    let simulated = file("simulated.ndjson", String::from_utf8(simulated.stdout).unwrap());
    let made = Command::new("sh")
        .args(["-c", &format!("{ADAPTER} --record < {}", simulated.display())])
        .output()
        .expect("python3 is there");
    let recorded = String::from_utf8(made.stdout).unwrap();
    assert!(recorded.lines().count() >= 3000, "{}", String::from_utf8_lossy(&made.stderr));
    let output = run(&["validate", SPEC, "-"], &recorded);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn folders_of_others_are_not_touched_and_ours_are_removed() {
    if !has_python() {
        return;
    }
    let folder = place("posix-folder");
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("1")).unwrap();
    fs::write(folder.join("1/mine"), "text").unwrap();
    let scratch = format!("{ADAPTER} --scratch {}", folder.display());
    let output = test(SPEC, &scratch, &place("posix-scratch"), &["--requests", "5"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("has files that no test made: nothing was touched"), "{}", said(&output));
    assert_eq!(fs::read_to_string(folder.join("1/mine")).unwrap(), "text");
    // One within it is removed, although the adapter is killed.
    let mut adapter = Command::new("python3")
        .args(["examples/posix/posix.py", "--at", folder.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is there");
    writeln!(adapter.stdin.as_mut().unwrap(), "{{\"reset\": 1}}").unwrap();
    let mut ready = String::new();
    BufReader::new(adapter.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
    assert_eq!(ready, "{\"ready\": true}\n");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "no folder was made");
    adapter.kill().unwrap();
    adapter.wait().unwrap();
    let until = Instant::now() + Duration::from_secs(5);
    while fs::read_dir(&folder).unwrap().count() > 1 && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a folder is left");
}
