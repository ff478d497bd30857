//! `mayhap serve` over both transports, with clients that behave and clients that do not.

use crate::command::{check, file, mayhap, place, run};
use crate::served::{Client, Served, send_signal, wait};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// A specification with one request for everything that can go wrong.
const TROUBLE: &str = "
enum Request { Add(int), Note(int), Lookup(int), Impossible, Strict(int), Other, Endless }
protocol trouble {
    request Request;
    response int;
    var n: int = 0;
    var table: map<int, int> = {};
    on Add(x) { n := n + x; reply n; }
    on Note(x) { n := x; }
    on Lookup(x) { n := 100; reply table[x]; }
    on Impossible { n := 100; assume n < 0; reply n; }
    on Strict(x) { n := 100; expects x > 0; reply x; }
    on Endless { n := 100; while n > 0 { n := n + 1; } reply n; }
}
";

/// Each client has its own sum.
const SUMS: &str = "
protocol sums {
    request int;
    response int;
    var sums: map<client, int> = {};
    on x from c {
        sums[c] := sums.get_or(c, 0) + x;
        reply sums[c];
    }
}
";

fn spec(name: &str, text: &str) -> String {
    file(name, text).to_str().unwrap().to_owned()
}

/// What `validate` says of a trace; the trace.
fn validated(spec: &str, trace: &Path, code: i32, part: &str) -> String {
    check(&["validate", spec, trace.to_str().unwrap()], "", code, &[part]);
    std::fs::read_to_string(trace).unwrap()
}

/// Serves `input` on standard input and output: the exit code, the lines of output, standard error.
fn served(spec: &str, options: &[&str], input: &str) -> (i32, Vec<String>, String) {
    let output = run(&[&["serve", spec, "--stdio"], options].concat(), input);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(!err.contains("panicked"), "{err}");
    (output.status.code().unwrap(), out.lines().map(str::to_owned).collect(), err)
}

/// Checks that a line is a refusal of this kind, about this line, and says this.
fn refused(line: &str, kind: &str, number: u64, part: &str) {
    assert!(line.starts_with(&format!("{{\"$error\": \"{kind}\", \"message\": \"")), "{line}");
    assert!(line.contains(&format!(", \"line\": {number}")) && line.contains(part), "{line}");
}

#[test]
fn lines_in_lines_out() {
    let (code, lines, stderr) = served("specs/cmp_rst.may", &[], "5\n -1 \r\n\n0\n\"0\"\n");
    assert_eq!((code, lines.join(" ").as_str(), stderr.as_str()), (0, "1 0 0 0", ""));
    let (code, lines, _) = served("specs/kv_etag.may", &[], "{\"Get\": {\"key\": \"a\", \"if_none_match\": null}}\n");
    assert_eq!((code, lines.join(" ").as_str()), (0, "\"NotFound\""));
    assert_eq!(served("specs/cmp_rst.may", &[], ""), (0, vec![], String::new()));
}

#[test]
fn a_handler_without_answer_gives_no_line() {
    let path = spec("no_answer.may", TROUBLE);
    let trace = place("no_answer.ndjson");
    let input = "{\"Note\": 5}\n{\"Add\": 2}\n{\"Note\": 7}\n";
    let (code, lines, _) = served(&path, &["--trace", trace.to_str().unwrap()], input);
    assert_eq!((code, lines.join(" ").as_str()), (0, "7"));
    let written = validated(&path, &trace, 0, "accept (3 events)");
    assert_eq!(written.lines().nth(1), Some(r#"{"q": {"Note": 5}}"#));
    std::fs::write(&trace, written.replace("\"a\": 7", "\"a\": 8")).unwrap();
    validated(&path, &trace, 1, "reject at line 3");
}

#[test]
fn what_is_no_request_is_told_and_has_no_effect() {
    let path = spec("told.may", TROUBLE);
    let trace = place("told.ndjson");
    let input = "{\"Add\": 1}\n{\"Add\": true}\ngarbage\n{\"Strict\": 0}\n\"Other\"\n{\"Add\": {\"$any\": null}}\n{\"Add\": 1}\n{\"Ad";
    let (code, lines, stderr) = served(&path, &["--trace", trace.to_str().unwrap()], input);
    assert_eq!((code, lines.len()), (0, 8), "{lines:?} {stderr}");
    assert_eq!((lines[0].as_str(), lines[6].as_str()), ("1", "2"));
    refused(&lines[1], "malformed", 2, "expected int, found `true`\", \"line\": 2, \"column\": 9}");
    refused(&lines[2], "malformed", 3, "\"column\": 1}");
    refused(&lines[3], "outside", 4, "the client's duty is broken (");
    assert!(lines[3].contains("told.may:12:"), "{lines:?}");
    refused(&lines[4], "outside", 5, "no handler takes this request");
    refused(&lines[5], "malformed", 6, "hole");
    refused(&lines[7], "cut_off", 8, "middle of this line");
    validated(&path, &trace, 0, "accept (2 events)");
}

#[test]
fn troubles_of_the_specification_have_their_exit_code_and_leave_the_state_alone() {
    let path = spec("troubles.may", TROUBLE);
    for (request, kind, code, part) in [
        ("{\"Lookup\": 3}", "fault", 2, "the specification looks up a key that may not be there"),
        ("\"Impossible\"", "stuck", 2, "no run of the server exists"),
        ("\"Endless\"", "limit", 3, "a handler ran for more than"),
    ] {
        let input = format!("{{\"Add\": 1}}\n{request}\n{request}\n{{\"Add\": 1}}\n");
        let (exit, lines, stderr) = served(&path, &[], &input);
        assert_eq!((exit, lines.len()), (code, 4), "{lines:?} {stderr}");
        assert_eq!((lines[0].as_str(), lines[3].as_str()), ("1", "2"));
        refused(&lines[1], kind, 2, part);
        assert_eq!(stderr.matches(part).count(), 1, "each place is told once: {stderr}");
    }
}

/// Only a number may have too many digits: other texts may be as long as a request is.
#[test]
fn a_long_text_is_no_number() {
    let text = "protocol p { request string; response bool; on q { reply q.to_int() == None; } }";
    let path = spec("long_text.may", text);
    let (code, lines, stderr) = served(&path, &[], &format!("\"{}\"\n\"7\"\n", "a".repeat(400_000)));
    assert_eq!((code, lines), (0, vec!["true".to_owned(), "false".to_owned()]), "{stderr}");
    let (code, lines, _) = served(&path, &[], &format!("\"{}\"\n", "1".repeat(400_000)));
    refused(&lines[0], "limit", 1, "a limit was reached");
    assert_eq!(code, 3);
}

#[test]
fn a_request_that_waits_for_the_server_itself_is_answered() {
    let text = "protocol beds { request int; response int; var free: int = 0;
        on guests { assume free >= guests; free := free - guests; reply free; }
        step { assume free < 9; free := free + 1; } }";
    let (path, trace) = (spec("beds.may", text), place("beds.ndjson"));
    let (code, lines, stderr) = served(&path, &["--trace", trace.to_str().unwrap()], &"9\n".repeat(20));
    assert_eq!((code, lines), (0, vec!["0".to_owned(); 20]), "{stderr}");
    validated(&path, &trace, 0, "accept (20 events)");
    let (code, lines, _) = served(&path, &[], "10\n");
    refused(&lines[0], "stuck", 1, "no run of the server exists");
    assert_eq!(code, 2);
}

#[test]
fn usage_and_what_cannot_be_had() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, part) in [
        (&["specs/kv.may"] as &[&str], "--stdio|--tcp"),
        (&["specs/kv.may", "--stdio", "--tcp", "127.0.0.1:0"], "cannot be used with"),
        (&["specs/kv.may", "--tcp", "nowhere"], "expected HOST:PORT, as in 127.0.0.1:7000"),
        (&["specs/kv.may", "--tcp", &taken], "cannot listen: address already in use\n"),
        (&["specs/kv.may", "--stdio", "--trace", "no/such/t"], "no/such/t: cannot write"),
        (&["specs/kv.may", "--stdio", "--trace", "-"], "needs the name of a file"),
        (&["specs/kv.may", "--stdio", "--range", "request=0..1"], "come from the clients"),
        (&["no/such.may", "--stdio"], "no/such.may: cannot read"),
        (&["-", "--stdio"], "cannot be both"),
    ] {
        check(&[&["serve"], arguments].concat(), "", 2, &[part]);
    }
    let never = spec(
        "never.may",
        "protocol p { request int; response int; var n: int = choose x: int where x < x; on q { reply n; } }",
    );
    check(&["serve", &never, "--stdio"], "1\n", 2, &["no run of the server exists", "never.may:1:"]);
}

#[test]
fn constants_ranges_and_seeds() {
    let text = "const N: int = 1; protocol p { request int; response int; on q { reply N + choose int; } }";
    let path = spec("drawn.may", text);
    let options = |seed: &'static str| ["--set", "N=1000", "--range", "choose=0..100", "--seed", seed];
    let input = "0\n".repeat(20);
    let (code, lines, _) = served(&path, &options("1"), &input);
    assert!(code == 0 && lines.iter().all(|line| (1000..1100).contains(&line.parse::<i32>().unwrap())), "{lines:?}");
    assert_eq!(served(&path, &options("1"), &input).1, lines);
    assert_ne!(served(&path, &options("2"), &input).1, lines);
}

#[test]
fn a_trace_that_cannot_be_written_ends_it() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    check(&["serve", "specs/cmp_rst.may", "--stdio", "--trace", "/dev/full"], "1\n", 2, &["/dev/full: cannot write"]);
}

#[test]
fn a_client_on_standard_output_that_goes_away_is_no_error() {
    let mut child =
        mayhap(&["serve", "specs/cmp_rst.may", "--stdio"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    _ = input.write_all(b"1\n2\n");
    assert_eq!(wait(&mut child), Some(0));
}

#[test]
fn many_clients_at_once_and_the_trace_of_all() {
    let path = spec("sums.may", SUMS);
    let trace = place("sums.ndjson");
    let server = Served::start(&path, &["--trace", trace.to_str().unwrap()]);
    std::thread::scope(|scope| {
        for step in 1..=12 {
            let mut client = server.client();
            scope.spawn(move || {
                for round in 1..=40 {
                    assert_eq!(client.ask(&step.to_string()), (step * round).to_string());
                }
            });
        }
    });
    let (code, stderr) = server.stop("TERM");
    assert_eq!(code, Some(130), "{stderr}");
    assert!(stderr.contains("sums.ndjson: written, 480 exchanges"), "{stderr}");
    let written = validated(&path, &trace, 0, "accept (480 events)");
    assert_eq!(written.lines().next(), Some(r#"{"mayhap": 1, "spec": "sums"}"#));
    assert!(written.lines().any(|line| line.starts_with(r#"{"c": 12, "q": "#)), "{written}");
}

#[test]
fn requests_may_be_sent_ahead() {
    let server = Served::start(&spec("ahead.may", SUMS), &[]);
    let mut client = server.client();
    client.say("1\n".repeat(2000));
    client.finish();
    let heard: Vec<String> = (0..2000).map(|_| client.hear()).collect();
    assert_eq!(heard, (1..=2000).map(|sum| sum.to_string()).collect::<Vec<_>>());
    assert_eq!(client.hear(), "", "the server closes what the client closed");
}

/// The requests of all recordings of a specification, one a line.
fn requests(name: &str) -> String {
    let mut requests = String::new();
    let Ok(directory) = std::fs::read_dir(Path::new("tests/data/traces").join(name)) else { return requests };
    let mut paths: Vec<PathBuf> = directory.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for line in paths
        .iter()
        .flat_map(|path| std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
    {
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        if let Some(request) = event.get("q") {
            requests += &format!("{request}\n");
        }
    }
    requests
}

#[test]
fn what_a_shipped_specification_serves_it_accepts() {
    let mut served_in_all = 0;
    for crate::shipped::Shipped { path, .. } in crate::shipped::all() {
        let (name, path) = (path.file_stem().unwrap().to_str().unwrap(), path.to_str().unwrap());
        let (requests, trace) = (requests(name), place(&format!("shipped_{name}.ndjson")));
        for seed in ["1", "2"] {
            let (code, lines, stderr) = served(path, &["--seed", seed, "--trace", trace.to_str().unwrap()], &requests);
            let refused = lines.iter().filter(|line| line.starts_with("{\"$error\"")).count();
            assert!(
                code == 0 && refused * 10 <= lines.len(),
                "{path}, seed {seed}: {code}, {stderr}, {refused} refused: {lines:?}"
            );
            if !lines.is_empty() {
                validated(path, &trace, 0, "accept");
            }
            served_in_all += lines.len();
        }
    }
    assert!(served_in_all > 1000, "{served_in_all}");
}

/// Something that a client must not do; what it is told, it checks itself.
type Bad = fn(Client);

const BAD: &[(&str, Bad)] = &[
    ("says nothing", |_| {}),
    ("says nothing and listens", |mut client| {
        client.finish();
        assert_eq!(client.hear(), "");
    }),
    ("garbage", |mut client| {
        client.say(b"\x00\xff\xfe{{{\n[1, 2\n5 5\n");
        refused(&client.hear(), "malformed", 1, "column");
        refused(&client.hear(), "malformed", 2, "column");
        refused(&client.hear(), "malformed", 3, "expected the end");
        assert_eq!(client.ask("1"), "1");
    }),
    ("half a line, and listens", |mut client| {
        client.say("12");
        client.finish();
        refused(&client.hear(), "cut_off", 1, "middle of this line");
        assert_eq!(client.hear(), "");
    }),
    ("half a line, and disappears", |mut client| client.say("12")),
    ("half a line, and stays", |mut client| {
        client.say("12");
        std::mem::forget(client);
    }),
    ("100 MB without a line feed", |mut client| {
        let chunk = vec![b'1'; 1 << 20];
        for _ in 0..100 {
            client.say(&chunk);
        }
        refused(&client.hear(), "too_long", 1, "at most 16777216 bytes");
        assert_eq!(client.ask("\n1"), "1", "the connection goes on");
    }),
    ("nesting without end", |mut client| {
        refused(&client.ask(&"[".repeat(1 << 19)), "malformed", 1, "expected int");
        refused(&client.ask(&"{\"$lit\":".repeat(1 << 16)), "malformed", 2, "column");
    }),
    ("a number without end", |mut client| {
        let number = "9".repeat(1 << 17);
        assert_eq!(client.ask(&number), number);
    }),
    ("asks and does not wait for the answer", |mut client| client.say("1\n1\n1\n")),
    ("never takes its answers, and stays", |mut client| {
        client.flood("1");
        std::mem::forget(client);
    }),
    ("never takes its answers, and disappears", |mut client| client.flood("1")),
    ("never takes what it is told", |mut client| client.flood("garbage")),
];

#[test]
fn bad_clients_harm_nobody() {
    let path = spec("bad_clients.may", SUMS);
    let trace = place("bad_clients.ndjson");
    let server = Served::start(&path, &["--trace", trace.to_str().unwrap()]);
    let mut good = server.client();
    for (sum, (name, bad)) in (1..).zip(BAD) {
        println!("a client that: {name}");
        bad(server.client());
        assert_eq!(good.ask("1"), sum.to_string(), "{name}");
        assert_eq!(server.client().ask("7"), "7", "{name}");
    }
    // Some of them are still there and take nothing: the end does not wait for them.
    let (code, stderr) = server.stop("INT");
    assert_eq!(code, Some(130), "{stderr}");
    let written = std::fs::read_to_string(&trace).unwrap();
    assert!(written.lines().all(|line| line.ends_with('}')), "every line of the trace is whole");
    check(&["validate", &path, trace.to_str().unwrap(), "--no-evidence"], "", 0, &["accept"]);
}

#[test]
fn a_connection_too_many_is_told() {
    let server = Served::start("specs/cmp_rst.may", &["--clients", "2"]);
    let (mut first, mut second) = (server.client(), server.client());
    assert_eq!((first.ask("0").as_str(), second.ask("0").as_str()), ("0", "0"));
    let mut third = server.client();
    assert!(third.hear().starts_with(r#"{"$error": "busy", "message": "there are 2 connections already"#));
    assert_eq!(third.hear(), "");
    drop(first);
    assert_eq!(second.ask("0"), "0");
    let mut heard = String::new();
    for _ in 0..100 {
        heard = server.client().ask("0");
        if heard == "0" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(heard, "0", "its place is free again");
}

#[test]
fn an_unanswered_request_of_a_connection() {
    for (name, text, line) in [
        ("unanswered", TROUBLE.to_owned(), r#"{"q": {"Note": 5}}"#),
        (
            "unanswered_from",
            TROUBLE.replace("on Note(x)", "on Note(x) from c"),
            r#"{"c": 1, "q": {"Note": 5}, "lost": true}"#,
        ),
    ] {
        let (path, trace) = (spec(&format!("{name}.may"), &text), place(&format!("{name}.ndjson")));
        let server = Served::start(&path, &["--trace", trace.to_str().unwrap()]);
        let mut client = server.client();
        client.say("{\"Note\": 5}\n");
        assert_eq!(client.ask("{\"Add\": 1}"), "6");
        assert_eq!(server.stop("TERM").0, Some(130));
        let written = validated(&path, &trace, 0, "accept (2 events)");
        assert_eq!(written.lines().nth(1), Some(line));
    }
}

#[test]
fn a_simulated_trace_of_several_clients_is_one_too() {
    let text = "protocol p { request bool; response int; var n: int = 0; on q FROM { n := n + 1; if q { reply n; } } }";
    for (name, from) in [("silent", ""), ("silent_from", "from c")] {
        let (path, trace) =
            (spec(&format!("{name}.may"), &text.replace("FROM", from)), place(&format!("{name}.ndjson")));
        check(&["simulate", &path, "--clients", "3", "--out", trace.to_str().unwrap()], "", 0, &["written"]);
        validated(&path, &trace, 0, "accept (20 events)");
    }
}

/// What two clients say arrives in any order, unless there is time between the two.
fn arrive() {
    std::thread::sleep(std::time::Duration::from_millis(500));
}

#[test]
fn a_request_without_a_run_waits_for_other_clients() {
    let text = "protocol lock { request bool; response int; var held: bool = false; var turn: int = 0;
        on take { if take { assume !held; turn := turn + 1; } held := take; reply turn; } }";
    let (path, trace) = (spec("lock.may", text), place("lock.ndjson"));
    let server = Served::start(&path, &["--trace", trace.to_str().unwrap()]);
    let (mut one, mut other) = (server.client(), server.client());
    assert_eq!((one.ask("true").as_str(), other.ask("garbage").contains("malformed")), ("1", true));
    other.say("true\n");
    assert_eq!((one.ask("false").as_str(), other.hear().as_str()), ("1", "2"));
    one.say("true\n");
    arrive();
    refused(&other.ask("true"), "stuck", 3, "no run of the server exists");
    assert_eq!((other.ask("false").as_str(), one.hear().as_str()), ("2", "3"));
    other.say("true\n");
    drop(one);
    refused(&other.hear(), "stuck", 5, "no run of the server exists");
    assert_eq!(server.stop("TERM").0, Some(2));
    validated(&path, &trace, 0, "accept (5 events)");
}

/// A counter that others may change while a handler is in the middle of it.
const LOSSY: &str = "protocol lossy { request int; response int; var total: int = 0;
    on amount { let before = total; yield; total := before + amount; reply total; } }";

/// Eight clients that ask for 1 so often, each waiting for its answers; the largest answer, and the trace.
fn counted_by_several(name: &str, text: &str, rounds: u64) -> (u64, String) {
    let (path, trace) = (spec(&format!("{name}.may"), text), place(&format!("{name}.ndjson")));
    let server = Served::start(&path, &["--trace", trace.to_str().unwrap()]);
    let largest = std::thread::scope(|scope| {
        let ask = |mut client: Client| move || (0..rounds).map(|_| client.ask("1").parse().unwrap()).max();
        let all: Vec<_> = (0..8).map(|_| scope.spawn(ask(server.client()))).collect();
        all.into_iter().map(|client| client.join().unwrap().unwrap()).max().unwrap()
    });
    assert_eq!(server.stop("TERM").0, Some(130));
    (largest, std::fs::read_to_string(&trace).unwrap())
}

#[test]
fn requests_of_several_connections_are_interleaved() {
    let (largest, written) = counted_by_several("lossy", LOSSY, 20);
    assert!((20..150).contains(&largest), "{largest}");
    let sent = written.lines().filter(|line| line.contains("\"q\": 1}")).count();
    let seen = written.lines().filter(|line| line.contains(", \"a\": ")).count();
    assert_eq!((sent, seen, written.lines().count()), (160, 160, 321), "{written}");
    let (largest, _) = counted_by_several("serial", &LOSSY.replace("protocol", "serial protocol"), 20);
    assert_eq!(largest, 160);
}

#[test]
fn a_suspended_request_waits_for_other_clients() {
    let text = "protocol lock { request bool; response int; var held: bool = false; var turn: int = 0;
        on take { if take { yield; assume !held; turn := turn + 1; } held := take; reply turn; } }";
    let server = Served::start(&spec("suspended.may", text), &[]);
    let (mut one, mut other) = (server.client(), server.client());
    assert_eq!(one.ask("true"), "1");
    other.say("true\n");
    arrive();
    assert_eq!((one.ask("false").as_str(), other.hear().as_str()), ("1", "2"));
    one.say("true\n");
    arrive();
    other.say("true\n");
    // Both wait for each other: the one that is found to be the last is told, and then the other one is alone.
    arrive();
    let heard = [one.hear_soon(), other.hear_soon()];
    let stuck = heard.iter().flatten().filter(|line| line.contains("\"$error\": \"stuck\"")).count();
    assert_eq!(stuck, 1, "{heard:?}");
    let [mut refused, mut waiting] = if heard[0].is_some() { [one, other] } else { [other, one] };
    assert_eq!((refused.ask("false").as_str(), waiting.hear().as_str()), ("2", "3"));
    assert_eq!(server.stop("TERM").0, Some(2));
}

#[test]
fn a_server_that_nobody_asks_takes_its_steps() {
    let text = "protocol clock { request bool; response int; var now: int = 0; on tell { reply now; }
        step { now := now + 1; } }";
    let server = Served::start(&spec("clock.may", text), &[]);
    let mut client = server.client();
    let mut before: i64 = client.ask("true").parse().unwrap();
    // A request alone makes the server take at most 16 steps.
    let ticks = (0..8).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(2_000));
        let now: i64 = client.ask("true").parse().unwrap();
        let is_more = now > before + 16;
        before = now;
        is_more
    });
    assert!(ticks && server.stop("TERM").0 == Some(130));
}

#[test]
fn those_that_wait_are_told_that_it_ends() {
    let text = "protocol never { request int; response int; on q { assume q < 0; reply q; } }";
    let server = Served::start(&spec("never_runs.may", text), &[]);
    let (mut one, mut other) = (server.client(), server.client());
    assert_eq!(other.ask("-1"), "-1");
    one.say("1\n");
    arrive();
    assert_eq!(other.ask("-2"), "-2");
    assert_eq!(server.stop("TERM").0, Some(130));
    refused(&one.hear(), "stopping", 1, "the server is shutting down");
}

#[test]
fn a_fault_met_over_tcp_shows_in_the_exit_code() {
    let server = Served::start(&spec("fault_tcp.may", TROUBLE), &[]);
    let (mut one, mut other) = (server.client(), server.client());
    refused(&one.ask("{\"Lookup\": 1}"), "fault", 1, "fault_tcp.may:10:");
    assert_eq!((other.ask("{\"Add\": 1}").as_str(), one.ask("{\"Add\": 1}").as_str()), ("1", "2"));
    let (code, stderr) = server.stop("TERM");
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("fault_tcp.may:10:"), "{stderr}");
}

#[test]
fn interrupted_on_standard_input() {
    for signal in ["INT", "TERM", "HUP"] {
        let trace = place(&format!("interrupted_{signal}.ndjson"));
        let arguments = ["serve", "specs/cmp_rst.may", "--stdio", "--trace", trace.to_str().unwrap()];
        let mut child = mayhap(&arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut answer = String::new();
        input.write_all(b"1\n").unwrap();
        output.read_line(&mut answer).unwrap();
        assert_eq!(answer, "1\n");
        send_signal(&child, signal);
        assert_eq!(wait(&mut child), Some(130), "{signal}");
        validated("specs/cmp_rst.may", &trace, 0, "accept (1 event");
    }
}
