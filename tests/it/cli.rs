//! The command as a user meets it: what is typed, what is read, the exit code and what is printed.

use crate::command::{check, file, mayhap, run};

#[test]
fn help_has_examples_and_exit_codes() {
    check(&["--help"], "", 0, &["Exit codes:", "mayhap validate specs/cmp_rst.may trace.ndjson"]);
    check(&["--version"], "", 0, &["mayhap "]);
    for command in ["check", "fmt", "dualize", "simulate", "serve", "validate", "explore", "completions"] {
        check(&[command, "--help"], "", 0, &["Example", &format!("mayhap {command}")]);
        let output = run(&[command, "--help"], "");
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        // A line that is too long leaves a word alone on the next one.
        let laid_out = help.split("\nExample").nth(1).unwrap().lines().skip(1);
        let alone =
            laid_out.map(str::trim).find(|line| !line.is_empty() && !line.contains(' ') && !line.ends_with(':'));
        assert_eq!(alone, None, "{help}");
    }
    for command in ["simulate", "validate"] {
        check(&[command, "--help"], "", 0, &["tcp", "not supported yet"]);
    }
    check(&["simulate", "--help"], "", 0, &["breaks the client's duty", "drawn again", "exit code 2"]);
    check(&["explore", "--help"], "", 0, &["program cannot be started"]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        check(&["completions", shell], "", 0, &["mayhap", "validate"]);
    }
}

#[test]
fn wrong_usage_is_2() {
    for (arguments, part) in [
        (&[] as &[&str], "Usage:"),
        (&["chek"], "'check'"),
        (&["check"], "<FILE>"),
        (&["validate", "specs/kv.may"], "<TRACE>"),
        (&["validate", "specs/kv.may", "t", "--net", "udp"], "sync"),
        (&["simulate", "specs/kv.may", "--range", "choose=5..5"], "is empty"),
        (&["simulate", "specs/kv.may", "--range", "choose=0..99999999999999999999"], "integers of 64 bits"),
        (&["simulate", "specs/kv.may", "--set", "x"], "NAME=VALUE"),
        (&["simulate", "specs/lease.may", "--set", "FRES=1"], "did you mean `FRESH`?"),
        (&["simulate", "specs/limiter.may", "--set", "X=1"], "there are: FRESH, LIMIT, WINDOW"),
        (&["simulate", "specs/cmp_rst.may", "--set", "X=1"], "no constants"),
        (&["simulate", "specs/kv.may", "--net", "tcp"], "not supported yet"),
        (&["simulate", "specs/kv.may", "--steps", "-1"], "expected a number of at least 0"),
        (&["explore", "specs/kv.may", "--steps", "-1"], "expected a number of at least 0"),
        (&["explore", "specs/kv.may", "--clients", "0"], "expected a number of at least 1"),
        (&["explore", "specs/kv.may", "--sample", "0"], "expected a number of at least 1"),
        (&["explore", "--cmd", " "], "expected a command for the shell"),
        (&["validate", "specs/kv.may", "t", "--no-evidence", "--witness", "w"], "cannot be used with"),
        (&["check", "-", "-"], "only be read once"),
        (&["validate", "-", "-"], "only be read once"),
    ] {
        check(arguments, "", 2, &[part]);
    }
}

#[test]
fn files_that_cannot_be_read() {
    let latin = file("latin.may", b"machine m {\n// caf\xe9\n}\n");
    check(&["check", "no/such.may"], "", 2, &["no/such.may: cannot read: no such file or directory"]);
    check(&["check", "src"], "", 2, &["src: this is a directory"]);
    check(&["check", latin.to_str().unwrap()], "", 2, &["latin.may:2: this file is not valid UTF-8"]);
}

#[test]
fn check_tells_all_errors_and_says_ok() {
    check(&["check", "specs/cmp_rst.may", "specs/kv.may"], "", 0, &["specs/cmp_rst.may: ok", "specs/kv.may: ok"]);
    let broken =
        "protocol p {\n    request int;\n    response int;\n    on q { reply ; }\n    on r { := 5; reply 1; }\n}\n";
    check(&["check", "-"], broken, 2, &["<stdin>:4:18", "<stdin>:5:12", "<stdin>: 2 errors", "^"]);
    check(&["check", "no/such.may", "specs/kv.may"], "", 2, &["specs/kv.may: ok"]);
    check(&["check", "-"], "const N: int = true;", 2, &["<stdin>:1:16", "expected `int`", "<stdin>: 1 error"]);
}

#[test]
fn what_cannot_run_yet_is_a_warning_of_check_in_the_words_that_refuse_it() {
    let text = "protocol p {\n    request int;\n    response int;\n    peer o(key: int): int -> int;\n    on open from c { send c, 1; }
    on q from c {\n        let x = call o(q), q;\n        close c;\n        yield;\n        reply match x { Some(y) => y, None => 0 };\n    }\n}\n";
    let (path, trace) = (file("not_yet.may", text), file("not_yet.ndjson", "{\"q\": 5, \"a\": 1}\n"));
    let path = path.to_str().unwrap();
    let said = |arguments: &[&str], code: i32| {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (result, warnings) = said(&["check", path], 0);
    assert!(result.ends_with("not_yet.may: 4 warnings\n"), "{result}{warnings}");
    for (line, what) in [(4, "`peer`"), (5, "`on open`"), (7, "calling a peer"), (8, "closing a connection")] {
        let part = format!("warning: {what} is not supported yet");
        assert!(warnings.contains(&part) && warnings.contains(&format!("not_yet.may:{line}:")), "{part}\n{warnings}");
    }
    let trace = trace.to_string_lossy();
    for command in [&["simulate", path] as &[&str], &["validate", path, &trace], &["serve", path, "--stdio"]] {
        let (_, refused) = said(command, 2);
        assert_eq!(refused.replace("error: ", "warning: ").find(&warnings), Some(0), "{refused}\n{warnings}");
    }
    said(&["check", "--deny-warnings", path], 2);
    said(&["check", "--deny-warnings", "specs/kv.may"], 0);
}

#[test]
fn used_files_are_read_beside_the_one_that_uses_them() {
    file("used.may", "const N: int = 5;\n");
    let user = file("user.may", "use used;\nprotocol p { request int; response int; on q { reply N + q; } }\n");
    let lost = file("lost.may", "use no_such;\nmachine m { !1 := 5; }\n");
    check(&["check", user.to_str().unwrap()], "", 0, &["user.may: ok"]);
    let parts = ["lost.may:1:5", "cannot read `no_such`", "no_such.may: cannot read: no such file"];
    check(&["check", lost.to_str().unwrap()], "", 2, &parts);
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

/// The findings of `--cost` come from judging a simulated run.
#[test]
fn the_cost_of_a_specification_names_what_forks_and_what_is_coupled() {
    let spec = "protocol p { request int; response int; var n: int = 0; var a: int = 0; var b: int = 0;
        on 0 { reply n; }
        on _ {
            either { n := choose x: int where x > n; } or {}
            a := choose int;
            b := a + 1;
            reply 0;
        }
    }
    protocol still { request int; response int; on q { expects q > 100; reply q; } }";
    let path = file("cost.may", spec);
    let path = path.to_str().unwrap();
    let forks = "forks at ".to_owned() + path + ":4: `either { n := choose x: int where x > n; } or {}`";
    let parts = ["  cost of `p`: 50 events, at most ", &forks, "these depend on each other: a, b"];
    check(&["check", "--cost", "--steps", "50", path], "", 0, &parts);
    check(
        &["check", "--cost", path],
        "",
        0,
        &["cost of `still`, ended where no request was found that is in order (see --range)"],
    );
    check(&["check", "--cost", "-"], spec, 0, &["cost of `p`: 1000 events"]);
    check(&["check", "--cost", "--range", "request=101..105", path], "", 0, &["cost of `still`: 1000 events"]);
    check(&["check", "--cost", "-"], "protocol p {", 2, &["error"]);
}
