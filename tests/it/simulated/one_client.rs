//! What a specification does as a server, it accepts as a judge: every shipped one, simulated with several seeds.
//!
//! `mayhap simulate specs/lease.may --seed 3` prints what one lock server might have answered; some choices explain it, so
//! `validate` accepts it.

use crate::command::{file, run, simulated};
use crate::judge::{compiled, exchanges, judged};
use crate::shipped;
use mayhap::judge::Options;

/// A simulated trace of a text is accepted, and as long as it is to be, whatever the seed.
fn goes_on(name: &str, text: &str, (seeds, steps): (u64, u64)) {
    let (spec, file) = (compiled(text), file(&format!("{name}.may"), text));
    for seed in 0..seeds {
        let trace = simulated(&file, &format!("--steps {steps} --seed {seed}"));
        let validator = judged(&spec, Options::default(), &exchanges(&spec, &trace));
        assert!(validator.verdict().is_accept(), "{name}, {seed}: {:?}\n{trace}", validator.verdict());
        assert_eq!(validator.counts().events, steps, "{name}, seed {seed}");
    }
}

/// Goes through a whole collection, which an unknown one does not allow: it cannot start unknown.
const LISTED: &str = "pages";

#[test]
fn from_an_unknown_start_a_run_goes_on() {
    for shipped in shipped::all().iter().filter(|shipped| shipped.name != LISTED) {
        goes_on(&format!("unknown_{}", shipped.name), &shipped.unknown_text(), (3, 1_000));
    }
}

/// Requests that break the client's duty, or that no handler takes, are drawn again.
#[test]
fn a_client_keeps_its_duty_for_as_long_as_that_is_possible() {
    for (name, text) in [
        ("order", "request int; response int; var last: int = 0; on q { expects q > last; last := q; reply q; }"),
        (
            "length",
            "request list<(int, option<string>)>; response int;
          on q { expects len(q) == 7 && q[6] is (n, Some(s)) && n == 12 && s == \"hello\"; reply len(q); }",
        ),
        (
            "form",
            "request (int, (int, string)); response int; var n: int = 0; var s: string = \"\";
          on (a, (b, c)) { expects a == 2 * n + 1 && b < a && c != s; n := a; s := c; reply b; }",
        ),
        (
            "turns",
            "request int; response int; var turn: int = 0;
          on q if q == turn { turn := if turn == 900 { 0 } else { turn + 300 }; reply turn; }",
        ),
        (
            "hidden",
            "request int; response int; var least: int = choose; var known: set<int> = {1000};
          on q { expects q in known && q >= least; known := {q + 1000}; if q == 5000 { reply least; } reply 0; }",
        ),
        (
            "words",
            "request string; response int; var names: set<string> = {\"some one\"};
          on line { expects line.starts_with(\"hello \") && line[6..len(line)] in names; reply len(line); }",
        ),
    ] {
        goes_on(name, &format!("protocol {name} {{ {text} }}"), (6, 40));
    }
}

/// A lock server: what was never given cannot be released, and there is no handler for one of the requests.
const LOCKS: &str = "token Id;
enum Request { Acquire, Release { id: Id, times: int }, Forget(Id) }
protocol locks {
    request Request; response option<Id>;
    var held: map<Id, int> = {}; var used: set<Id> = {};
    on Acquire { let id = choose x: Id where !(x in used); used := used + {id}; held[id] := len(used); reply Some(id); }
    on Release { id, times } {
        expects held.contains(id) && held[id] == times;
        held := held.remove(id);
        reply None;
    }
}";

#[test]
fn what_the_state_makes_possible_is_asked_for() {
    goes_on("locks", LOCKS, (6, 60));
    let path = file("locks.may", LOCKS);
    let trace = simulated(&path, "--steps 60 --seed 1");
    let released = trace.lines().filter(|line| line.contains("Release")).count();
    // A third of what is drawn is `Release`; hardly one of these has a lock with its number by chance.
    assert!(released > 15 && !trace.contains("Forget"), "{trace}");
    assert_eq!(trace, simulated(&path, "--steps 60 --seed 1"));
    // What is asked in vain uses up no name.
    let numbers: Vec<u32> = (1..=60).filter(|n| trace.contains(&format!("\"t{n}\""))).collect();
    assert!(numbers.len() as u32 == *numbers.last().unwrap(), "{numbers:?}\n{trace}");
}

#[test]
fn a_client_that_can_ask_for_nothing_more_is_told_which_duty_ends_it() {
    let ends = |name: &str, text: &str, arguments: &[&str], lines: usize, parts: &[&str]| {
        let path = file(&format!("{name}.may"), text);
        let output = run(&[&["simulate", path.to_str().unwrap()], arguments].concat(), "");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let trace = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!((output.status.code(), trace.lines().count()), (Some(2), lines), "{trace}{complaint}");
        parts.iter().for_each(|part| assert!(complaint.contains(part), "{complaint}"));
    };
    let three = "protocol p {\n request int; response int; var n: int = 0;\n on q {\n  n := n + 1;\n  expects n <= 3;
      reply n; } }";
    ends(
        "three",
        three,
        &[],
        3,
        &["no request was found that keeps the client's duty", "three.may:5:", "expects n <= 3"],
    );
    let none = "protocol none { request int; response int; var n: int = 0; on q if n < 2 { n := n + 1; reply n; } }";
    ends("none", none, &["--clients", "3"], 2, &["no request was found that a handler accepts", "none.may:1:"]);
    let order =
        "protocol p { request int; response int; var n: int = 0; on q { expects q == n; n := n + 1; reply n; } }";
    ends("range", order, &["--range", "request=0..5"], 5, &["range.may:1:", "--range request=0..5"]);
}

/// Specifications whose beginning is looked at late, or shows whole.
#[test]
fn what_began_unknown_is_drawn_when_it_shows() {
    for (name, text) in [
        ("late", "var a: int = choose; var b: int = choose;
          on q { if q == 3 { assume a > b + 40; reply a; } if q == 4 { assume a < b + 60; reply b; } reply q; }"),
        ("entries", "var m: map<int, int> = choose; var most: int = choose;
          on q { assume !(m.get(q) is Some(n) && n > most); if q == 7 { reply most; } m[q] := m.get_or(q, 1) - 1; reply m[q]; }"),
        ("hidden", "var m: map<int, (int, int)> = choose;
          on q { if m.get(q % 5) is Some((n, twice)) { if q > 4 { reply n; } assume n == 2 * twice || n == 2 * twice + 1;
          reply twice; } reply 0; }"),
        ("step", "var last: int = choose; var now: int = choose; step { now := choose n: int where n > now; }
          on q { assume now >= last; if q > 5 { last := now; } reply now; }"),
        ("duty", "var least: int = choose; on q { expects q >= least; if q == 5 { reply least; } reply 0; }"),
        ("picked", "var s: set<int> = choose; on q { if q in s { let x = pick y in s where y >= q; reply x; }
          s := s + {q}; reply q; }"),
    ] {
        let text = format!("protocol {name} {{ request int; response int; {text} }}");
        goes_on(name, &text, (12, 150));
    }
    for (ty, declared) in [
        ("list<(int, bool)>", ""),
        ("Tree", "enum Tree { Leaf, Node { left: Tree, n: int, right: Tree } }"),
        ("option<list<Tree>>", "enum Tree { Leaf, Node { left: Tree, n: int, right: Tree } }"),
        ("map<string, list<int>>", ""),
        ("map<bool, set<int>>", ""),
        ("set<(Key, bytes)>", "token Key;"),
    ] {
        let text = format!(
            "{declared} protocol shown {{ request bool; response {ty}; var a: {ty} = choose; var b: {ty} = choose;
             on q {{ if q {{ reply a; }} a := either a or b; reply b; }} }}"
        );
        goes_on("shown", &text, (12, 12));
    }
}

#[test]
fn what_is_simulated_is_accepted() {
    for shipped in shipped::all() {
        goes_on(&shipped.name, &shipped.text, (6, 200));
    }
}
