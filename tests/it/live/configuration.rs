//! `mayhap.toml`, and scripts as data: what a project says once, and what is never run because a script says so.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::command::{check, file, mayhap, place};
use crate::sut::free_port;

const SPEC: &str = "protocol echo { request int; response int; on q { if q == 3 { reply 4; } reply q; } }";

/// A project with this configuration, with a specification that no `mayhap serve` of the original follows.
fn project(name: &str, configuration: &str) -> PathBuf {
    let directory = place(name);
    _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(directory.join("below")).unwrap();
    std::fs::write(directory.join("echo.may"), SPEC).unwrap();
    std::fs::write(directory.join("served.may"), SPEC.replace("reply 4", "reply 5")).unwrap();
    std::fs::write(directory.join("mayhap.toml"), configuration).unwrap();
    directory
}

fn run_in(directory: &Path, arguments: &[&str]) -> Output {
    mayhap(arguments).current_dir(directory).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A configuration that starts the server of `served.may`.
fn served() -> String {
    let (port, mayhap) = (free_port(), env!("CARGO_BIN_EXE_mayhap"));
    format!(
        "specification = 'echo.may'\nsut = '127.0.0.1:{port}'\nstart = \"'{mayhap}' serve served.may --tcp 127.0.0.1:{port}\"\nclients = 1\n\
         seed = 1\n[profile.short]\nrequests = 1\nseed = 2\n"
    )
}

#[test]
fn a_project_needs_no_options() {
    let directory = project("project", &served());
    // Paths and commands start where the configuration is, also for what is done below.
    for within in [directory.clone(), directory.join("below")] {
        let output = run_in(&within, &["test"]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let text = said(&output);
        let again = text.lines().find_map(|line| line.strip_prefix("again:  mayhap ")).expect(&text);
        let words: Vec<&str> = again.split(' ').collect();
        assert_eq!((words[0], words.len()), ("replay", 2), "{again}");
        let replayed = run_in(&within, &words);
        assert!(said(&replayed).contains(": fails 20 of 20"), "{}", said(&replayed));
        std::fs::remove_dir_all(directory.join("mayhap-regressions")).unwrap();
    }
    // What is typed comes first, and a profile before what holds for all.
    let short = run_in(&directory, &["test", "--profile", "short", "--shrink-time", "0"]);
    assert!(said(&short).contains("seed 2") && said(&short).contains("1 request in 1 run"), "{}", said(&short));
    let typed =
        run_in(&directory, &["test", "--profile", "short", "--seed", "7", "--requests", "2", "--max-failures", "0"]);
    assert!(said(&typed).contains("seed 7") && said(&typed).contains("2 requests in"), "{}", said(&typed));
}

#[test]
fn what_is_wrong_in_a_configuration_is_said_with_its_place() {
    let cases = [
        (
            "specification = 'echo.may'\nclinets = 3\n",
            &["mayhap.toml:2: \"clinets\" is no option of mayhap test: did you mean \"clients\"?"][..],
        ),
        ("clients = 'three'\n", &["mayhap.toml:1: ", "--clients"]),
        ("[profile.a]\nseed = 1\n[profile.b]\nseed = 1979-05-27\n", &["mayhap.toml:4: \"seed\" is a text, a number"]),
        ("profile = 1\n", &["mayhap.toml:1: profiles are tables"]),
        ("sut = \n", &["mayhap.toml:1: "]),
        ("sut = '127.0.0.1:1'\ncheck-adapter = true\n", &["mayhap.toml:2: \"check-adapter\" is no option"]),
    ];
    for (at, (configuration, parts)) in cases.into_iter().enumerate() {
        let output = run_in(&project(&format!("wrong-{at}"), configuration), &["test", "echo.may", "--requests", "1"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(parts.iter().all(|part| said(&output).contains(part)), "{configuration}: {}", said(&output));
    }
    let directory = project("profiles", "[profile.a]\nseed = 1\n");
    let output = run_in(&directory, &["test", "--profile", "b"]);
    assert!(said(&output).contains("has no profile \"b\": it has a"), "{}", said(&output));
    let output = run_in(&directory, &["test", "--no-config"]);
    assert!(said(&output).contains("<FILE>"), "{}", said(&output));
}

#[test]
fn no_command_of_a_script_is_run() {
    let directory = project("script", "");
    std::fs::remove_file(directory.join("mayhap.toml")).unwrap();
    let ran = directory.join("ran");
    let touch = format!("touch {}; exit 1", ran.display());
    let reached = [
        format!(r#""sut": "tcp:127.0.0.1:1", "start": "{touch}""#),
        format!(r#""sut": "tcp:127.0.0.1:1", "reset": "{touch}""#),
        format!(r#""sut": "tcp:127.0.0.1:1", "start": "true", "reset": "restart: {touch}""#),
        format!(r#""sut": "stdio:{touch}""#),
    ];
    for reached in &reached {
        let text = format!(
            "{{\"mayhap\": 1, \"spec\": \"echo\", \"file\": \"echo.may\", {reached}}}\n{{\"q\": 3, \"a\": 5}}\n"
        );
        let script = file("script.ndjson", text);
        let script = script.to_str().unwrap();
        let output = run_in(&directory, &["replay", script]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(!ran.exists(), "{reached}");
        let shown = said(&output);
        assert!(shown.contains(&format!("mayhap replay {script} --sut ")) && shown.contains("exit 1'"), "{shown}");
        _ = run_in(&directory, &["replay", script, "--trust-script"]);
        assert!(ran.exists(), "{reached}");
        _ = std::fs::remove_file(&ran);
    }
    // A header may hold a secret: it is sent only to an address that was typed.
    let text = "{\"mayhap\": 1, \"spec\": \"echo\", \"file\": \"echo.may\", \"sut\": \"tcp:127.0.0.1:1\"}\n{\"q\": 3, \"a\": 5}\n";
    let script = file("headers.ndjson", text);
    let output = run_in(&directory, &["replay", script.to_str().unwrap(), "--header", "Authorization: x"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("headers are not sent"), "{}", said(&output));
}

#[test]
fn the_line_that_is_printed_has_what_was_typed() {
    let directory = project("typed", &served());
    let more = ["--header", "X-Api-Key: 123", "--header", "Accept: a b", "--deadline", "5"];
    let output = run_in(&directory, &[&["test"][..], &more].concat());
    let text = said(&output);
    let again = text.lines().find_map(|line| line.strip_prefix("again:  ")).expect(&text);
    assert!(again.ends_with(" --deadline 5 --header 'X-Api-Key: …' --header 'Accept: a b'"), "{again}");
    check(&["replay", "--help"], "", 0, &["--trust-script"]);
}
