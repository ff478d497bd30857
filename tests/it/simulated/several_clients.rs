//! Several random clients at once, as the command simulates them.
//!
//! `mayhap simulate specs/register.may --clients 3 --net tcp` prints what three clients send and see; an order in which the server
//! may have served them explains it.

use std::collections::BTreeSet;

use crate::command::{check, file, place, run, simulated};

/// A lock that its holder gives back, so that others wait.
const LOCK: &str = "enum Q { Take, Give } protocol lock { request Q; response bool; var by: option<client> = None;
     on Take from c { if by == Some(c) { reply false; } yield; assume by == None; by := Some(c); reply true; }
     on Give from c { if by != Some(c) { reply false; } by := None; reply true; } }";

#[test]
fn tasks_of_several_clients_are_interleaved() {
    let text = "protocol p { request int; response int; var n: int = 0;
         on q { let old = n; yield; n := old + 1; reply n; } }";
    let lost_updates = |text: &str, seed: u64| {
        let trace = simulated(&file("updates.may", text), &format!("--clients 4 --net tcp --steps 40 --seed {seed}"));
        let answers: BTreeSet<&str> = trace.lines().filter(|line| line.contains("\"a\"")).collect();
        40 - answers.iter().map(|line| line.rsplit(' ').next()).collect::<BTreeSet<_>>().len()
    };
    assert!((0..5).all(|seed| lost_updates(text, seed) > 5));
    let serial = text.replace("protocol", "serial protocol");
    assert!((0..5).all(|seed| lost_updates(&serial, seed) == 0));
}

#[test]
fn clients_that_wait_for_each_other_are_served_in_the_end_or_told() {
    let path = file("lock.may", LOCK);
    let arguments = ["simulate", path.to_str().unwrap(), "--net", "tcp", "--clients", "3", "--steps", "60"];
    let output = run(&arguments, "");
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    // One that holds the lock and asks no more leaves the others waiting; it ends well where all had asked by then.
    let sent = out.lines().filter(|line| line.contains("\"q\"")).count();
    match output.status.code() {
        Some(0) => assert_eq!(sent, 60),
        _ => assert!(sent < 60 && err.contains("lock.may:2:") && err.contains("no run of the server exists"), "{err}"),
    }
    assert!(out.contains(r#"{"c": 1, "a": true}"#), "{out}");
    // Nobody ever gives anything back: all wait for ever in the end, the one that has it, too.
    let text = LOCK
        .replace("by := None; reply true;", "reply true;")
        .replace("if by == Some(c) { reply false; } yield;", "yield;");
    let path = file("taken.may", text);
    check(&[&["simulate", path.to_str().unwrap()], &arguments[2..]].concat(), "", 2, &["no run of the server exists"]);
}

#[test]
fn a_duty_is_kept_although_others_are_served_first() {
    let text = "protocol order { request int; response int; var last: int = 0;
         on q { expects q > last; last := q; reply q; } }";
    let path = file("order.may", text);
    for seed in 0..4 {
        let options = format!("--clients 3 --net tcp --pipeline 2 --steps 50 --seed {seed}");
        let trace = simulated(&path, &options);
        assert_eq!(trace.lines().filter(|line| line.contains("\"a\"")).count(), 50, "{trace}");
        let trace = file("order.ndjson", &trace);
        check(&["validate", path.to_str().unwrap(), trace.to_str().unwrap()], "", 0, &["accept (100 events)"]);
    }
}

#[test]
fn the_command_writes_what_validate_reads() {
    let trace = place("register.ndjson");
    let name = trace.to_str().unwrap();
    let simulate = ["simulate", "specs/register.may", "--clients", "3", "--net", "tcp", "--steps", "100"];
    check(&[&simulate[..], &["--lost", "10", "--out", name]].concat(), "", 0, &["written"]);
    let written = std::fs::read_to_string(&trace).unwrap();
    assert!(written.starts_with("{\"mayhap\": 1, \"spec\": \"register\"}\n{\"c\": "), "{written}");
    assert!(written.contains("\"lost\": true}"), "{written}");
    check(&["validate", "specs/register.may", name], "", 0, &["accept"]);
    let options = "--clients 3 --net tcp --steps 100 --lost 10 --seed 4";
    let again = || simulated("specs/register.may".as_ref(), options);
    assert_eq!(again(), again());
    for (options, part) in [
        (&["--lost", "5"] as &[&str], "--lost and --pipeline need a network"),
        (&["--pipeline", "2"], "--lost and --pipeline need a network"),
        (&["--net", "tcp", "--pipeline", "0"], "expected a number of at least 1"),
        (&["--net", "tcp", "--lost", "101"], "101 is not in 0..=100"),
        (&["--net", "tcp", "--clients", "0"], "expected at least one client"),
    ] {
        check(&[&["simulate", "specs/register.may"], options].concat(), "", 2, &[part]);
    }
}

#[test]
fn a_peer_answers_as_the_specification_expects() {
    let text = "protocol shop { request int; response int; peer stock: int -> int; var sold: int = 0;
         on n { let left = call stock, n; expects left is Some(x) && x > sold; sold := sold + 1; reply sold; } }";
    let path = file("shop.may", text);
    for seed in 0..4 {
        let trace = simulated(&path, &format!("--clients 3 --net tcp --steps 40 --seed {seed} --range request=0..60"));
        assert_eq!(
            trace.lines().filter(|line| line.starts_with("{\"c\"") && line.contains("\"a\"")).count(),
            40,
            "{trace}"
        );
        let trace = file("shop.ndjson", &trace);
        check(&["validate", path.to_str().unwrap(), trace.to_str().unwrap()], "", 0, &["accept (160 events)"]);
    }
    // Nothing that it answers is enough.
    let path = file("empty_shop.may", text.replace("x > sold", "x < 0 && x > 0"));
    let name = path.to_str().unwrap();
    check(&["simulate", name, "--net", "tcp"], "", 2, &["empty_shop.may:2:", "the client's duty"]);
}

#[test]
fn what_is_simulated_of_servers_that_do_more_than_answering_is_accepted() {
    let trace = place("talking.ndjson");
    let trace = trace.to_str().unwrap();
    let network =
        ["forward_proxy", "quorum_register", "sharded_search"].map(|name| format!("specs/network/{name}.may"));
    let served = ["room", "cache"].map(|name| format!("tests/data/served/{name}.may"));
    for specification in network.iter().chain(&served) {
        for (seed, net) in (1..).zip(["tcp", "fifo", "udp,loss", "udp,loss,duplication"]) {
            let (seed, out) = (seed.to_string(), ["--net", net, "--out", trace]);
            let simulate =
                ["simulate", specification, "--clients", "2", "--lost", "10", "--steps", "5", "--seed", &seed];
            check(&[&simulate[..], &out].concat(), "", 0, &["written"]);
            check(&["validate", specification, trace, "--net", net], "", 0, &["accept"]);
        }
    }
}
