//! `mayhap explore` as a user meets it: programs in Python, C and shell that take their choices from it.

use crate::command::{check, file, mayhap, run};
use crate::served::send_signal;
use std::process::Command;

/// Runs `mayhap explore` with these options; the exit code and all that was said.
fn explore(options: &[&str]) -> (i32, String) {
    let output = run(&[&["explore"], options].concat(), "");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("panicked"), "{text}");
    (output.status.code().unwrap(), text.into_owned())
}

/// A shell program that can choose: `choose LABEL N` leaves the answer in `$pick`.
fn shell(name: &str, program: &str) -> String {
    let choose = "choose() { echo \"choose $1 $2\" >&3; read pick <&3 || exit 1; }";
    format!("sh {}", file(name, format!("{choose}\n{program}\n")).display())
}

/// The line that begins with these words, from there to its end.
fn rest_of<'t>(text: &'t str, words: &str) -> &'t str {
    let at = text.find(words).unwrap_or_else(|| panic!("{words:?} is not in:\n{text}"));
    text[at + words.len()..].lines().next().unwrap().trim_end_matches(')')
}

#[test]
fn the_outputs_of_a_python_program() {
    let (code, text) = explore(&["--cmd", "python3 examples/choices/coins.py"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("exhausted 4 of 4 runs, 3 different outputs"), "{text}");
    assert!(text.contains("2 runs print, with first coin = 0 of 2, second coin = 1 of 2"), "{text}");
    let token = rest_of(&text[text.find("2 of 2 show").unwrap() - 100..], "--replay ");
    let (code, again) = explore(&["--cmd", "python3 examples/choices/coins.py", "--replay", token]);
    assert!(code == 0 && again.contains("| 2 of 2 show heads"), "{again}");
    assert!(!again.contains("1 of 2 show"), "{again}");
}

#[test]
fn a_c_program_has_the_same_outputs() {
    let binary = file("coins", "").with_extension("bin");
    let built = Command::new("cc").args(["-o", binary.to_str().unwrap(), "examples/choices/coins.c"]).status().unwrap();
    assert!(built.success());
    let binary = binary.to_str().unwrap();
    check(
        &["explore", "--cmd", binary, "--versus", "python3 examples/choices/coins.py"],
        "",
        0,
        &["3 outputs in common"],
    );
    for options in [&["--order", "breadth-first"][..], &["--sample", "50"], &["--jobs", "2"]] {
        let (code, text) = explore(&[&["--cmd", binary], options].concat());
        assert!(code == 0 && text.contains("exhausted 4 of 4 runs, 3 different outputs"), "{options:?}: {text}");
    }
}

#[test]
fn two_implementations_of_a_language_are_compared_by_their_outputs() {
    let (one, other) = ("python3 examples/choices/toy.py", "python3 examples/choices/toy_threads.py");
    let spawning = "examples/choices/spawning.toy";
    let (code, text) = explore(&["--cmd", &format!("{one} {spawning}"), "--versus", &format!("{other} {spawning}")]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.matches("exhausted 8 of 8 runs, 1 output").count(), 2, "{text}");
    let channels = "examples/choices/channels.toy";
    let (rash, one) = (format!("{other} {channels} rashly"), format!("{one} {channels}"));
    let (code, text) = explore(&["--cmd", &one, "--versus", &rash, "--jobs", "0"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(&format!("only {rash} has")) && !text.contains(&format!("only {one} has")), "{text}");
    let token = rest_of(&text, "--replay ");
    let (code, again) = explore(&["--cmd", &rash, "--replay", token]);
    assert!(code == 0 && again.contains("1 run prints"), "{again}");
}

#[test]
fn each_mistake_of_a_program_has_its_message() {
    let counter = file("runs", "");
    let unsteady = format!("echo >> {0}; choose who $((1 + $(wc -l < {0})))\nchoose more 2", counter.display());
    for (name, program, code, part) in [
        ("nothing.sh", "choose who 0", 4, "`who` chooses from nothing"),
        (
            "unsteady.sh",
            unsteady.as_str(),
            4,
            "choice 1 was `who` among 2 when it was recorded, now it is `who` among 3",
        ),
        ("fewer.sh", "choose one 2; [ $pick = 1 ] && exit; choose two 2; echo x", 0, "exhausted 3 of 3 runs"),
        ("swallows.sh", "echo 'refuse never' >&3; choose on 2", 4, "went on at `on`: it must not catch the escape"),
        ("endless.sh", "choose x 2; [ $pick = 0 ] || sleep 100", 3, "does not end: it has run for 0.5 s"),
        (
            "asks.sh",
            "while :; do choose again 2; done",
            3,
            "not exhausted: gave up after 100 runs, each of which was cut",
        ),
        (
            "dies.sh",
            "choose x 2; [ $pick = 0 ] || { echo 'oh no' >&2; exit 7; }",
            4,
            "the program died: exit status 7\n  | oh no",
        ),
        ("killed.sh", "choose x 2; [ $pick = 0 ] || kill -9 $$", 4, "the program died: killed by signal 9"),
        ("babbles.sh", "echo hello >&3; read x <&3", 4, "the program wrote \"hello\" where `choose LABEL N`"),
    ] {
        let command = shell(name, program);
        let (exit, text) = explore(&["--cmd", &command, "--timeout", "0.5", "--choices", "50"]);
        assert_eq!(exit, code, "{name}: {text}");
        assert!(text.contains(part), "{name}: {part:?} is not in:\n{text}");
        assert!(code == 0 || text.contains("again: c1:"), "{name}: {text}");
    }
    for seconds in ["nan", "-1", "0", "1e300", "soon"] {
        check(&["explore", "--cmd", "true", "--timeout", seconds], "", 2, &["expected a positive number of seconds"]);
    }
    check(&["explore", "--cmd", &shell("none.sh", "echo 'refuse me' >&3")], "", 2, &["every run is refused"]);
    let (code, text) = explore(&["--cmd", "./no/such/program"]);
    assert!(code == 2 && text.contains("the program cannot be started"), "{text}");
}

#[test]
fn a_program_that_does_not_end_is_killed_with_all_that_it_started() {
    let mark = format!("{}", 1_000_000 + std::process::id());
    let (code, text) = explore(&["--cmd", &format!("sleep {mark} & sleep {mark}; echo"), "--timeout", "0.3"]);
    assert_eq!(code, 3, "{text}");
    let left = Command::new("sh").args(["-c", &format!("ps ax | grep '[s]leep {mark}'")]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
}

#[test]
fn a_search_that_was_ended_goes_on_where_it_was() {
    let command = shell("three.sh", "choose a 3; echo $pick; choose b 2; echo $pick");
    let (code, text) = explore(&["--cmd", &command, "--runs", "4"]);
    assert!(code == 3 && text.contains("not exhausted: 4 runs, no more were allowed"), "{text}");
    let resume = rest_of(&text, "go on with --resume ");
    let (code, rest) = explore(&["--cmd", &command, "--resume", resume]);
    assert!(code == 0 && rest.contains("exhausted 2 of 2 runs"), "{rest}");
    let whole = explore(&["--cmd", &command]).1;
    let printed = |text: &str| text.matches("1 run prints").count();
    assert_eq!((printed(&text), printed(&rest), printed(&whole)), (4, 2, 6));
    let other = shell("four.sh", "choose a 4; echo $pick; choose b 2; echo $pick");
    let (code, text) = explore(&["--cmd", &other, "--resume", resume]);
    assert!(code == 2 && text.contains("the program has changed since the search was saved"), "{text}");
    check(&["explore", "--cmd", &command, "--resume", "nonsense"], "", 2, &["this is no token"]);
}

/// One command goes on with all that several jobs have left.
#[test]
fn what_several_jobs_left_is_gone_on_with_at_once() {
    let command = shell("five.sh", "for c in a b c d e; do choose $c 2; echo $pick; done");
    let (code, text) = explore(&["--cmd", &command, "--runs", "6", "--jobs", "3", "--show", "0"]);
    assert!(code == 3 && text.matches("go on with").count() == 1, "{text}");
    let tokens: Vec<&str> = rest_of(&text, "go on with ").split(' ').collect();
    let (code, rest) = explore(&[&["--cmd", &command, "--show", "0"], &tokens[..]].concat());
    assert!(code == 0 && rest.contains("exhausted 26 of 26 runs"), "{text}\n{rest}");
}

#[test]
fn an_interrupted_search_tells_what_it_found_and_how_to_go_on() {
    let started = file("started", "");
    let program =
        format!("echo >> {}; for i in 1 2 3 4 5 6; do choose bit 2; done; sleep 0.05; echo x", started.display());
    let command = shell("slow.sh", &program);
    let child = mayhap(&["explore", "--cmd", &command]).spawn().unwrap();
    while std::fs::metadata(&started).unwrap().len() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    send_signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{text}");
    let runs: u64 = rest_of(&text, "not exhausted: ").split(' ').next().unwrap().parse().unwrap();
    let rest = explore(&["--cmd", &command, "--resume", rest_of(&text, "--resume "), "--jobs", "4"]).1;
    assert!(rest.contains(&format!("exhausted {0} of {0} runs", 64 - runs)), "{text}\n{rest}");
}

#[test]
fn a_sample_of_many_runs_is_drawn_and_of_few_all_are_visited() {
    let (few, many) = (file("few.may", "protocol p { request int; response int; on q { reply choose int; } }"), 1_030);
    let file = few.to_str().unwrap();
    let sample = |options: &[&str]| explore(&[&[file, "--steps", "6", "--show", "0", "--sample"], options].concat());
    let (code, text) = sample(&[&many.to_string()]);
    assert!(code == 0 && text.contains(": sampled 1030 runs, "), "{text}");
    for jobs in ["2", "3"] {
        assert_eq!(sample(&[&many.to_string(), "--jobs", jobs]).1, text);
    }
    // Every first request is drawn about as often.
    let (_, all) = explore(&[file, "--steps", "6", "--show", "2000", "--sample", "1200", "--seed", "3"]);
    let runs = |header: &str| header.split(' ').next().unwrap().parse::<u64>().unwrap();
    let lines: Vec<&str> = all.lines().collect();
    let first = lines.windows(2).filter(|pair| pair[0].contains("(--replay") && pair[1].contains("{\"q\": 0,"));
    let first: u64 = first.map(|pair| runs(pair[0])).sum();
    assert!((320..480).contains(&first), "{first} of 1200 runs begin with 0");
    let small = |options: &[&str]| explore(&[&[file, "--steps", "1", "--show", "0", "--sample"], options].concat()).1;
    for options in [&["9"][..], &["900"], &["9", "--jobs", "2"]] {
        assert!(
            small(options).contains("exhausted 9 of 9 runs, 9 different traces"),
            "{options:?}: {}",
            small(options)
        );
    }
    assert!(small(&["8"]).contains("sampled 8 runs"), "{}", small(&["8"]));
    let (code, text) = sample(&["100", "--runs", "40"]);
    assert!(code == 3 && text.contains("go on with other runs: --sample 60 --seed 1"), "{text}");
}

#[test]
fn a_failure_that_does_not_repeat_is_called_flaky() {
    let runs = file("flaky", "");
    let begin = format!("echo >> {0}; run=$(wc -l < {0}); choose x 2; [ $pick = 0 ] && exit", runs.display());
    for (name, program, code, part) in [
        ("steady.sh", "echo $$ >&2; exit 7", 4, None),
        ("passes.sh", "[ $run = 2 ] && exit 7; exit 0", 4, Some("run again with the same choices, it passed")),
        ("late.sh", "[ $run = 2 ] && sleep 9; exit 0", 3, Some("run again with the same choices, it passed")),
        ("other.sh", "exit $run", 4, Some("it failed otherwise: the program died: exit status 3")),
        (
            "asks_more.sh",
            "[ $run = 2 ] && exit 7; choose more 2",
            4,
            Some("it did not come to its end: the run asks for `more`"),
        ),
    ] {
        std::fs::write(&runs, "").unwrap();
        let (exit, text) = explore(&["--cmd", &shell(name, &format!("{begin}\n{program}")), "--timeout", "0.5"]);
        assert_eq!(
            (exit, rest_of(&text, "not exhausted: ")),
            (code, "2 runs until one failed, 1 failed"),
            "{name}: {text}"
        );
        let flaky = text.split_once("\n  flaky: ").map(|(_, flaky)| flaky);
        assert_eq!(flaky.is_some(), part.is_some(), "{name}: {text}");
        assert!(part.is_none_or(|part| flaky.unwrap().contains(part)), "{name}: {text}");
        assert!(!text.contains("3 runs"), "running it again counts as no run: {text}");
    }
    // A replay is one run.
    std::fs::write(&runs, "").unwrap();
    let command = shell("replayed.sh", &format!("{begin}\nexit 7"));
    let (_, text) = explore(&["--cmd", &command]);
    let before = std::fs::metadata(&runs).unwrap().len();
    let (code, text) = explore(&["--cmd", &command, "--replay", rest_of(&text, "again: ")]);
    assert!(code == 4 && text.contains("replayed 1 run, 1 failed\nfailed: the program died: exit status 7"), "{text}");
    assert_eq!(std::fs::metadata(&runs).unwrap().len(), before + 1);
}

#[test]
fn refused_runs_count_as_none() {
    let command = shell("refuses.sh", "choose a 3; [ $pick = 1 ] && { echo 'refuse not one' >&3; exit; }; echo $pick");
    let (code, text) = explore(&["--cmd", &command]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("exhausted 2 of 2 runs, 1 more refused by what they assume, 2 different outputs"), "{text}");
}

/// What the page shows is what happens.
#[test]
fn the_page_about_choices_is_true() {
    let page = std::fs::read_to_string("docs/CHOICES.md").unwrap();
    let blocks: Vec<&str> =
        page.split("```console\n$ ").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        let (command, expected) = block.split_once('\n').unwrap();
        let arguments = command.strip_prefix("mayhap explore ").unwrap();
        let program = format!("\"$0\" explore {arguments}");
        let output = Command::new("sh").args(["-c", &program, env!("CARGO_BIN_EXE_mayhap")]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert_eq!(text, expected, "{command}");
    }
}
