//! The command as a user meets it: what is typed, what is read, the exit code and what is printed.

use crate::command::{check, file, mayhap, run};

#[test]
fn help_has_examples_and_exit_codes() {
    for command in [
        "check",
        "fmt",
        "dualize",
        "simulate",
        "serve",
        "validate",
        "convert",
        "explore",
        "mutate",
        "new",
        "test",
        "replay",
        "completions",
    ] {
        check(&[command, "--help"], "", 0, &["Example", &format!("mayhap {command}")]);
        let output = run(&[command, "--help"], "");
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        // A line that is too long leaves a word alone on the next one.
        let laid_out = help.split("\nExample").nth(1).unwrap().lines().skip(1);
        let alone =
            laid_out.map(str::trim).find(|line| !line.is_empty() && !line.contains(' ') && !line.ends_with(':'));
        assert_eq!(alone, None, "{help}");
    }
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let latin = file("latin.may", b"machine m {\n// caf\xe9\n}\n");
    check(&["check", latin.to_str().unwrap()], "", 2, &["latin.may:2: this file is not valid UTF-8"]);
    let trace = file("latin.ndjson", b"{\"q\": 5, \"a\": 1}\n{\"q\": \"\xe9\"}\n");
    let parts = ["latin.ndjson:2:8", "not valid UTF-8"];
    check(&["validate", "specs/cmp_rst.may", trace.to_str().unwrap()], "", 2, &parts);
}

#[test]
fn what_clients_that_wait_cannot_see_is_a_note_of_check_in_the_words_that_refuse_it() {
    let text = "protocol p {\n    request int;\n    response int;\n    peer o(key: int): int -> int;\n    on open from c { send c, 1; }
    on q from c {\n        let x = call o(q), q;\n        close c;\n        yield;\n        reply match x { Some(y) => y, None => 0 };\n    }\n}\n";
    let (path, trace) = (file("asynchronous.may", text), file("asynchronous.ndjson", "{\"q\": 5, \"a\": 1}\n"));
    let path = path.to_str().unwrap();
    let said = |arguments: &[&str], code: i32| {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (result, note) = said(&["check", "--deny-warnings", path], 0);
    assert!(result.ends_with("asynchronous.may: ok\n"), "{result}{note}");
    assert!(note.starts_with("note: calling a peer is not possible over the synchronous network"), "{note}");
    assert_eq!(note.matches("note: ").count(), 1, "one for each protocol: {note}");
    let trace = trace.to_string_lossy();
    for command in [&["simulate", path] as &[&str], &["validate", path, &trace], &["serve", path, "--stdio"]] {
        let (_, refused) = said(command, 2);
        assert_eq!(refused.replace("error: ", "note: ").find(&note), Some(0), "{refused}\n{note}");
        for (line, what) in
            [(5, "`on open`"), (5, "sending without a request"), (7, "calling a peer"), (8, "closing a connection")]
        {
            let part = format!("error: {what} is not possible over the synchronous network");
            assert!(refused.contains(&part) && refused.contains(&format!("asynchronous.may:{line}:")), "{refused}");
        }
    }
    let doubtful = text.replace("yield;", "yield; let unread = 1;");
    said(&["check", "--deny-warnings", file("doubtful.may", &doubtful).to_str().unwrap()], 2);
    said(&["check", "--deny-warnings", "specs/kv.may"], 0);
}

#[test]
fn fmt_rewrites_checks_and_leaves_broken_files_alone() {
    let ugly = "machine m {!1:=0;}// the end\n";
    let ugly_file = file("ugly.may", ugly);
    let path = ugly_file.to_str().unwrap();
    check(&["fmt", "--check", path], "", 1, &["ugly.may:1: not formatted"]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), ugly);
    let pretty = String::from_utf8(run(&["fmt", "-"], ugly).stdout).unwrap();
    assert!(pretty.contains("machine m {") && pretty.contains("// the end"), "{pretty}");
    check(&["fmt", path], "", 0, &["ugly.may: formatted"]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), pretty);
    check(&["fmt", path], "", 0, &[]);
    check(&["fmt", "--check", path, "specs/kv.may"], "", 0, &[]);
    check(
        &["fmt", "--check", "-"],
        "machine m {!1 := }",
        2,
        &["<stdin>:1:18", "<stdin>: cannot be formatted because of syntax errors"],
    );
    check(&["fmt", path, "no/such.may"], "", 2, &["no/such.may: cannot read"]);
}

#[test]
fn messages_have_no_colour_where_no_terminal_is() {
    let output = run(&["check", "-"], "protocol");
    assert!(!output.stderr.contains(&0x1b), "{}", String::from_utf8_lossy(&output.stderr));
    for (arguments, environment, coloured) in [
        (&["--color", "always"] as &[&str], ("NO_COLOR", "1"), true),
        (&["--color=always"], ("TERM", "dumb"), true),
        (&["--color", "never"], ("TERM", "xterm"), false),
        (&["--color", "auto"], ("TERM", "xterm"), false),
    ] {
        let mut command = mayhap(
            &[&["check", "no/such.may", "tests/data/check/empty.may", "tests/data/check/slips.may"], arguments]
                .concat(),
        );
        let output = command.env(environment.0, environment.1).output().unwrap();
        assert_eq!(output.stderr.contains(&0x1b), coloured, "{arguments:?}");
    }
    // On a terminal, as `script` makes one.
    let on_terminal = |prefix: &str, options: &str| {
        let command = format!("{prefix} {} check tests/data/check/slips.may {options}", env!("CARGO_BIN_EXE_mayhap"));
        let output = std::process::Command::new("script").args(["-qec", &command, "/dev/null"]).output();
        output.ok().map(|output| output.stdout.contains(&0x1b))
    };
    for (prefix, options, coloured) in [
        ("env -u NO_COLOR TERM=xterm", "", true),
        ("env -u NO_COLOR TERM=dumb", "", false),
        ("env NO_COLOR=1 TERM=xterm", "", false),
        ("env -u NO_COLOR TERM=xterm", "--color never", false),
        ("env NO_COLOR=1 TERM=dumb", "--color always", true),
    ] {
        let seen = on_terminal(prefix, options);
        assert!(seen.is_none_or(|seen| seen == coloured), "{prefix} {options}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = mayhap(&["completions", "bash"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn a_full_disk_is_one() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let output = mayhap(&["completions", "bash"]).stdout(full).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}
