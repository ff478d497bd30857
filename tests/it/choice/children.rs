//! Programs that do not do as they should while they are explored: nothing keeps mayhap waiting, and nothing is left of them.
//!
//! Each is a line for the shell, which finds descriptor 3 open.

use crate::command::{check, file, mayhap, run};
use crate::served::send_signal;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Explores a program; the exit code and all that was said.
fn explore(program: &str, options: &[&str]) -> (i32, String) {
    said(&run(&[&["explore", "--cmd", program], options].concat(), ""))
}

fn said(output: &Output) -> (i32, String) {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("panicked"), "{text}");
    (output.status.code().unwrap(), text.into_owned())
}

/// The processes that have this text in their command line.
fn processes(mark: &str) -> String {
    let left = Command::new("sh").args(["-c", &format!("ps ax | grep '[s]leep {mark}'")]).output().unwrap();
    String::from_utf8_lossy(&left.stdout).into_owned()
}

/// How long a process is to sleep, which nobody else would.
fn mark(number: u32) -> String {
    format!("{}", 1_000_000 * number + std::process::id())
}

#[test]
fn requests_may_be_written_long_before_their_answers_are_read() {
    for (request, count) in [("choose a place with a longer name 1", 20_000), ("choose x 1", 100_000)] {
        let program = format!("yes '{request}' | head -n {count} >&3; head -n {count} <&3 | sort | uniq -c");
        let (code, text) = explore(&program, &["--choices", "200000"]);
        assert!(code == 0 && text.contains(&format!("{count} 0\n")) && text.contains("exhausted 1 of 1 run"), "{text}");
    }
}

#[test]
fn a_program_that_never_reads_its_answers_is_ended() {
    let flood = "exec yes 'choose x 2' >&3";
    let (code, text) = explore(flood, &["--runs", "2"]);
    assert!(code == 3 && text.contains("`x` asks for more than 10000 choices"), "{text}");
    for (program, part) in [
        (flood, "the program does not read the answers to its requests: it has run for 0.4 s (--timeout)"),
        ("while :; do printf x >&3; sleep 0.05; done", "the program does not end: it has run for 0.4 s (--timeout)"),
        ("exec 3>&- >&- 2>&-; exec sleep 100", "the program does not end: it has run for 0.4 s (--timeout)"),
        ("exec yes", "the program does not end: it has run for 0.4 s (--timeout)"),
    ] {
        let begun = Instant::now();
        let (code, text) = explore(program, &["--choices", "1000000000", "--timeout", "0.4"]);
        assert!(code == 3 && text.contains(part), "{program}: {text}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{program}");
    }
    for (program, part) in [
        ("exec yes 'refuse it' >&3", "the program was told to end its run and went on at `it`"),
        ("head -c 5000 /dev/zero >&3; read x <&3", "where `choose LABEL N` or `refuse LABEL` was expected"),
        ("echo 'choose  2' >&3; read x <&3", "the label \"\" is empty"),
    ] {
        check(&["explore", "--cmd", program], "", 4, &[part]);
    }
}

#[test]
fn what_keeps_a_pipe_open_in_the_background_is_named() {
    let mark = mark(2);
    for (program, part) in [
        (
            format!("sleep {mark} & echo x"),
            "keeps descriptor 3 and its standard output and its standard error open: after 0.4 s (--timeout)",
        ),
        (format!("sleep {mark} >/dev/null 3>&- & echo x"), "keeps its standard error open: after"),
        (format!("sleep {mark} >/dev/null 2>&1 & echo x"), "keeps descriptor 3 open: after"),
    ] {
        let (code, text) = explore(&program, &["--timeout", "0.4"]);
        assert!(code == 3 && text.contains(part), "{program}: {text}");
        assert!(text.contains("the program ended, but a process that it left in the background keeps"), "{text}");
        assert_eq!(processes(&mark), "", "{program}");
    }
    // That it died is told first.
    let (code, text) = explore(&format!("sleep {mark} & echo gone >&2; exit 7"), &["--timeout", "0.4"]);
    assert!(code == 4 && text.contains("the program died: exit status 7\n  | gone"), "{text}");
    // What ends in time is waited for, and what holds nothing open is ended with the program.
    let (code, text) = explore("(sleep 0.2; echo later) & echo first", &[]);
    assert!(code == 0 && text.contains("  | first\n  | later\n"), "{text}");
    let (code, text) = explore(&format!("sleep {mark} >/dev/null 2>&1 3>&- & echo x"), &[]);
    assert!(code == 0 && text.contains("exhausted 1 of 1 run"), "{text}");
    assert_eq!(processes(&mark), "");
}

#[test]
fn a_signal_ends_the_run_at_hand_at_once() {
    let mark = mark(3);
    let begin = "choose() { echo \"choose $1 $2\" >&3; read pick <&3 || exit 1; }";
    let stops = format!("{begin}; choose a 3; echo $pick; [ $pick = 0 ] || {{ echo >> $STARTED; exec sleep {mark}; }}");
    let floods =
        format!("{begin}; choose a 3; echo $pick; [ $pick = 0 ] || {{ echo >> $STARTED; exec yes 'choose x 1' >&3; }}");
    let prints = format!("{begin}; choose a 3; echo $pick; [ $pick = 0 ] || {{ echo >> $STARTED; exec yes; }}");
    let all = [(&stops, "INT"), (&stops, "TERM"), (&floods, "INT"), (&prints, "INT")];
    for (number, (program, signal)) in all.into_iter().enumerate() {
        for jobs in ["1", "2"] {
            let started = file(&format!("child-started-{number}-{jobs}"), "");
            let options = ["--timeout", "60", "--choices", "1000000000", "--jobs", jobs];
            let mut command = mayhap(&[&["explore", "--cmd", program][..], &options].concat());
            let child = command.env("STARTED", &started).spawn().unwrap();
            while std::fs::metadata(&started).unwrap().len() == 0 {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(100));
            let begun = Instant::now();
            send_signal(&child, signal);
            let (code, text) = said(&child.wait_with_output().unwrap());
            assert!(begun.elapsed() < Duration::from_secs(10), "{program}");
            assert_eq!(code, 130, "{program}: {text}");
            assert!(text.contains("1 run prints, with a = 0 of 3"), "what was found is told: {text}");
            assert!(text.contains("not exhausted: 1 run until interrupted, 1 output"), "{text}");
            assert_eq!(processes(&mark), "");
            // The run that was ended is visited again.
            let tokens = text.split("--resume ").skip(1).flat_map(|rest| ["--resume", rest.lines().next().unwrap()]);
            let (code, rest) = explore(&format!("{begin}; choose a 3; echo $pick"), &tokens.collect::<Vec<_>>());
            assert!(code == 0 && rest.contains("exhausted 2 of 2 runs, 2 different outputs"), "{text}\n{rest}");
        }
    }
}

#[test]
fn a_sample_that_was_interrupted_says_how_to_draw_the_rest() {
    let program = "for i in 1 2 3 4 5; do echo 'choose x 9' >&3; read pick <&3; done; [ $pick = 0 ] || exec sleep 100";
    let started = Instant::now();
    let child = mayhap(&["explore", "--cmd", program, "--sample", "5", "--seed", "7"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1_000));
    send_signal(&child, "INT");
    let (code, text) = said(&child.wait_with_output().unwrap());
    assert!(code == 130 && text.contains("go on with"), "{text}");
    assert!(text.contains("--sample") && text.contains("--seed"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(10));
}
