//! What is said to be exact is: with every switch and tier on or off the verdict and its event are the same.
//!
//! Directed forking, merging (with subsumption) and forgetting are switched in all eight combinations, naming and joining
//! one by one, all of them together; once all questions go to Z3, and once the code is run as it was first made. Judged are
//! the traces of the shipped specifications, each with one answer changed, servers that hide their branches, and random
//! programs. Example: `cmp_rst.may` on `(5,1), (3,0), (2,1)` is `reject 3` whatever is switched off.

#[path = "oracle.rs"]
mod oracle;
mod random;
#[allow(dead_code)] // candidates are not counted here
#[path = "hidden/workloads.rs"]
mod workloads;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use mayhap::dualize::{Judge, Observed, Options};
use mayhap::solve::{Limits, Tiers};
use mayhap::spec::{Code, load::Text};
use mayhap::validate::Exchanges;
use mayhap::{Exchange, Selection, Spec, Verdict};
use oracle::json::{read_trace, write_trace};
use random::expressions::Unbounded;
use random::{Rng, guarded, machine, protocol, steps, traces, worlds};
use serde_json::{Value, json};
use workloads::WORKLOADS;

/// All settings; the first one is the default.
fn settings() -> Vec<Options> {
    let switched =
        |on: usize| Options { directed: on & 1 == 0, merge: on & 2 == 0, forget: on & 4 == 0, ..Options::default() };
    let z3 = Options { limits: Limits { tiers: Tiers::OnlyZ3, ..Limits::default() }, ..Options::default() };
    let apart = Options { join: false, ..Options::default() };
    let unnamed = Options { name: false, ..Options::default() };
    let unshown = Options { shown: false, ..Options::default() };
    let behind = Options { ahead: false, ..Options::default() };
    let twice = Options { optional: false, ..Options::default() };
    let early = Options { late: false, ..Options::default() };
    let at_once = Options { by_need: false, ..Options::default() };
    let in_order = Options { told_first: false, ..Options::default() };
    (0..8)
        .map(switched)
        .chain([z3, apart, unnamed, unshown, behind, twice, early, at_once, in_order, plain()])
        .collect()
}

/// Nothing that is exact but not needed.
fn plain() -> Options {
    let unmerged = Options { directed: false, merge: false, forget: false, late: false, ..Options::default() };
    Options {
        name: false,
        join: false,
        shown: false,
        ahead: false,
        optional: false,
        by_need: false,
        told_first: false,
        ..unmerged
    }
}

/// The verdict in short; nothing where it is doubt (tiers differ in what they can decide, and limits in what they cut).
fn verdict(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange]) -> Option<String> {
    let mut judge = Judge::new(spec.clone(), options.clone());
    exchanges.iter().all(|exchange| judge.observe(exchange));
    Some(match judge.verdict() {
        Verdict::Accept { .. } => "accept".to_owned(),
        Verdict::Reject { event, .. } => format!("reject {event}"),
        Verdict::Outside { event, .. } => format!("outside {event}"),
        Verdict::Fault(report) => format!("fault {}", report.event),
        Verdict::Unknown { .. } => return None,
    })
}

/// A specification, and the same with its code as it was first made.
fn compiled(text: &str) -> [Arc<Spec>; 2] {
    [Code::Tight, Code::Plain].map(|code| {
        let first = Text { name: "spec.may".to_owned(), text: text.to_owned() };
        let mut none = |name: &str| Err(format!("there is no {name}"));
        let selection = Selection { code, ..Selection::default() };
        Spec::compile(first, &mut none, &selection).unwrap_or_else(|error| panic!("{error}\n{text}"))
    })
}

/// Whether a trace says something: an altered one may have the answer of another type, or an element of a set twice.
fn is_readable(spec: &Arc<Spec>, trace: &str) -> bool {
    Exchanges::new(spec, trace.as_bytes()).all(|exchange| exchange.is_ok())
}

/// Judges a trace under some settings; panics where two of them contradict each other.
fn compare(name: &str, [spec, plain]: &[Arc<Spec>; 2], trace: &str, settings: &[Options]) {
    let exchanges: Vec<Exchange> = Exchanges::new(spec, trace.as_bytes())
        .collect::<Result<_, _>>()
        .unwrap_or_else(|e| panic!("{name}: {}", e.render("trace")));
    let plainly = verdict(plain, &settings[0], &exchanges);
    let said = settings.iter().map(|options| verdict(spec, options, &exchanges));
    agree(
        &format!(
            "{name}
{trace}"
        ),
        &said.chain([plainly]).collect::<Vec<_>>(),
    );
}

fn agree(name: &str, said: &[Option<String>]) {
    let mut known = said.iter().flatten();
    if let Some(first) = known.next() {
        assert!(known.all(|other| other == first), "{said:?}: {name}");
    }
}

/// The shipped specifications with the traces that they are known to accept or reject.
fn shipped() -> Vec<(String, [Arc<Spec>; 2], Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("tests/data/traces/manifest.tsv")).expect("a manifest");
    let mut traces: HashMap<String, Vec<String>> = HashMap::new();
    for row in manifest.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>()) {
        let trace = fs::read_to_string(root.join("tests/data/traces").join(row[1])).expect("a trace");
        traces.entry(row[0].to_owned()).or_default().push(trace);
    }
    let spec = |name: &str| fs::read_to_string(root.join("specs").join(name)).expect("a specification");
    traces.into_iter().map(|(name, traces)| (name.clone(), compiled(&spec(&name)), traces)).collect()
}

#[test]
fn shipped_traces_are_judged_alike() {
    for (name, spec, traces) in shipped() {
        traces
            .iter()
            .filter(|trace| trace.lines().count() <= 200)
            .for_each(|trace| compare(&name, &spec, trace, &settings()));
    }
}

/// The trace with the answer of one line that has one replaced by that of another line, or changed.
fn altered(rng: &mut Rng, lines: &[Value], others: &[Value]) -> String {
    let mut lines = lines.to_vec();
    let answered: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].get("a").is_some()).collect();
    if let Some(at) = (!answered.is_empty()).then(|| *rng.pick(&answered)) {
        lines[at]["a"] = match (rng.below(6), &lines[at]["a"]) {
            (0..=2, Value::Number(n)) => json!(n.as_i64().unwrap_or(0).saturating_add(rng.between(-1, 2))),
            (3, _) => json!({"$any": null}),
            _ => rng.pick(others).clone(),
        };
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn altered_traces_are_judged_alike() {
    let all = settings();
    let mut rng = Rng::new(11);
    for (name, spec, traces) in shipped() {
        let parsed =
            traces.iter().map(|trace| trace.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>());
        let parsed: Vec<Vec<Value>> = parsed.flatten().filter(|lines| !lines.is_empty() && lines.len() <= 40).collect();
        let answers: Vec<Value> = parsed.iter().flatten().filter_map(|line| line.get("a").cloned()).collect();
        for at in 0..200 {
            let trace = altered(&mut rng, &parsed[at % parsed.len()], &answers);
            if is_readable(&spec[0], &trace) {
                compare(&name, &spec, &trace, &[all[0].clone(), all[1 + at % 8].clone(), all[7].clone()]);
            }
        }
    }
}

#[test]
fn random_programs_are_judged_alike() {
    let programs = std::env::var("MAYHAP_LONG").map_or(60, |n| n.parse().expect("a number"));
    for seed in 0..programs {
        let rng = &mut Rng::new((7 << 40) + seed);
        let program = protocol::random(rng, Unbounded::Allowed);
        let trace = traces::run(rng, &oracle::load(&program.text), &program, 3);
        judge_random(rng, &program.text, &trace);
        let text = guarded::random(rng);
        let trace = traces::run_integers(rng, &oracle::load(&text), 3);
        judge_random(rng, &text, &trace);
        let text = machine::random(rng, machine::Choices::Bounded);
        let trace = traces::run_machine(rng, &oracle::load(&text), machine::CHOICES, 4);
        judge_random(rng, &text, &trace);
    }
}

#[test]
fn random_worlds_are_judged_alike() {
    let programs = std::env::var("MAYHAP_LONG").map_or(8, |n| n.parse().expect("a number"));
    for (number, family) in
        (0..).zip([worlds::MAPS, worlds::DATA, worlds::LISTS, worlds::TEXTS, worlds::STEPS, worlds::MIXED])
    {
        for seed in 0..programs {
            let rng = &mut Rng::new((9 << 40) + (number << 32) + seed);
            let world = worlds::random(rng, &family);
            let spec = compiled(&world.text);
            let traces = worlds::traces::traces(rng, &world, 50).into_iter().map(|(trace, _)| write_trace(&trace));
            for trace in traces.filter(|trace| is_readable(&spec[0], trace)) {
                compare(&world.text, &spec, &trace, &settings());
            }
        }
    }
}

/// Servers that hide their branches: what they answered, altered anywhere, in pieces short enough for the plain algorithm.
#[test]
fn hidden_branches_are_judged_alike() {
    let mut rng = Rng::new(31);
    let few = [Options::default(), Options { join: false, name: false, ..Options::default() }];
    for workload in WORKLOADS {
        let spec = workload.spec();
        for seed in 0..12 {
            let exchanges = workload.exchanges(&spec, if seed % 2 == 0 { 8 } else { 60 }, seed);
            let settings = if seed % 2 == 0 { settings() } else { few.to_vec() };
            let answers: Vec<Observed> = exchanges.iter().map(|exchange| exchange.observed.clone()).collect();
            for _ in 0..12 {
                let mut altered = exchanges.clone();
                let at = rng.below(altered.len());
                altered[at].observed = if rng.below(4) == 0 { Observed::Any } else { rng.pick(&answers).clone() };
                let said: Vec<_> = settings.iter().map(|options| verdict(&spec, options, &altered)).collect();
                agree(&format!("{}: {altered:?}", workload.name), &said);
            }
        }
    }
}

/// Handlers that append to lists of the state and take their first elements off.
const LISTS: [&str; 6] = [
    "var l: list<int> = []; on q { l := l + [q]; match l { [x, ..rest] => { if len(l) <= 1 { reply 0; } l := rest; reply x; } \
     [] => { reply 0; } } }",
    // What is left is kept elsewhere, too, and what was there before.
    "var l: list<int> = []; var old: list<int> = []; on q { old := l; l := l + [q, 1]; match l { [x, ..rest] => { \
     if q > 0 { old := rest; } l := rest; if len(old) > 2 { reply x; } reply len(old); } [] => { reply 9; } } }",
    // The list changes between a look at it and its use.
    "var l: list<int> = [1, 2]; on q { match l { [x, ..rest] => { l := l + [q]; if q > 0 { reply len(l); } l := rest; \
     reply x; } [] => { l := [q, 2]; reply 0; } } }",
    // Nothing is known of it at first.
    "var l: list<int> = choose; on q { l := l + [q]; match l { [x, ..rest] => { l := rest; reply x; } [] => { reply 0; } } }",
    // It has several lengths.
    "var l: list<int> = []; on q { l := either [q] or []; l := l + [1]; match l { [_, y, ..rest] => { l := rest; reply y; } \
     [x, ..rest] => { l := rest; reply x + len(l); } [] => { reply 0; } } }",
    // One way appends something else than the other.
    "var l: list<int> = []; on q { either { l := l + [q]; } or { l := l + [2]; } match l { [x, ..rest] => { \
     if q > 1 { l := rest; } reply x; } [] => { reply 0; } } }",
];

/// Handlers that write and remove entries of maps, and add to sets.
const MAPS: [&str; 10] = [
    "var m: map<int, int> = {}; on q { if m.contains(q) { m := m.remove(q); reply 1; } m[q] := choose; reply len(m); }",
    // What was there before is kept elsewhere, too.
    "var m: map<int, int> = {0: 1}; var old: map<int, int> = {}; on q { old := m; m := m.remove(q); m[q + 1] := len(old); \
     m := m.remove(1); reply len(old) - len(m); }",
    // Whether an entry is there is not known, nor which one is removed.
    "var m: map<int, int> = {0: 0, 1: 1, 2: 2}; on q { m := either m or m.remove(q); let k = choose n: int where 0 <= n && n < 3; \
     m := m.remove(k); reply m.get_or(q, len(m)); }",
    // Nothing is known of it at first.
    "var m: map<int, int> = choose; on q { let there = m.contains(q); m := m.remove(q); if there { reply 1; } \
     m[q] := 7; reply m.get_or(1, 0); }",
    // What it has is taken apart, or kept as an option.
    "var m: map<int, option<int>> = {0: None}; on q { let k = choose n: int where 0 <= n && n < 3; if m.get(k) is None { m[k] := either None or Some(q); reply 0; } \
     match m.get(q) { Some(Some(n)) => { reply n; } Some(None) => { m := m.remove(q); reply 1; } None => { reply 2; } } }",
    "var m: map<int, int> = choose; on q { let o = m.get(q); match o { None => { m[q] := q; reply 0; } Some(n) => { assume n >= 0 && n < 3; \
     let p = if n > 1 { m.get(1) } else { m.get(0) }; if p is Some(x) && x == n { reply 1; } if o == p { reply 2; } reply n; } } }",
    "var s: set<int> = {}; on q { let x = choose n: int where !(n in s) && n < 3; s := s + {x}; s := s + {q}; \
     if q in s { s := s - {q}; } reply x; }",
    // A set that is added to itself, to a smaller one, and to one of which not all need be there.
    "var s: set<int> = {}; on q { let more = either {q} or {}; s := s + more; s := s + s; s := s + {1, 2, 3, q}; \
     s := s - {q}; reply if 2 in s { len(s) } else { 0 }; }",
    // Left as it is on some paths, and written on where it is.
    "var m: map<int, int> = {0: 0}; on q { m := if m.get(q) is Some(n) && n > 0 { either m or m.remove(q) } else { m }; \
     let r = if q > 1 { m.get_or(0, 2) } else { 1 }; m := if q == 1 { m.remove(0) } else { m }; \
     m[q] := choose n: int where 0 <= n && n < 2; reply if r > 0 { m.get_or(0, r) } else { len(m) }; }",
    // An entry may go or stay, in one of two arms, either of which may be taken; and where it need not be there.
    "var m: map<int, int> = {0: 0, 1: 1}; on q { m := if choose && q > 0 { either m or m.remove(q) } else { m }; \
     m := either m or m.remove(q - 1); m := if q == 2 { either m or m.remove(0) } else { m }; m[2] := q; \
     reply m.get_or(0, m.get_or(q, 2)); }",
];

/// Handlers whose answers show choices, of an answer that is `A(n)`, `B { x, y }` or `C`, and of one that is a number.
const SHOWN: [&str; 9] = [
    // Shown by one answer, and not by the others.
    "var n: int = 0; on q { let x = choose x: int where x > n; let y = choose y: int where y != x; \
     either { n := x; reply A(x); } or { n := y; reply B { x: y, y: x }; } or { reply C; } }",
    // By one answer in two ways.
    "var n: int = 0; on q { let x: int = choose; let y: int = choose; assume x < y && y < x + 3; \
     if n > q { n := x; reply A(y); } n := x; reply A(x); }",
    // In a variable, on one way to the answer.
    "var n: int = 0; on q { let x = choose x: int where 0 <= x && x < 3; var r = x; if q > 1 { r := n; } n := x; reply A(r); }",
    // As two fields at once, and together with what it does not show.
    "var n: int = 0; on q { let x = choose x: int where x >= n && x < n + 3; let z: int = choose; n := x + z; \
     assume z < 2 && 0 <= z; reply B { x, y: x }; }",
    // What is faulty, or breaks the duty, is told whatever is answered.
    "var m: map<int, int> = {0: 1}; on q { let x: int = choose; m[q] := m[x] + 1; reply A(x); }",
    "var n: int = 0; on q { let x = choose x: int where x < 3; expects x < 2 || q < 2; n := x; reply A(n); }",
    // What is written is read again; what is shown was chosen last.
    "var s: set<int> = {}; on q { let x = choose x: int where !(x in s); s := s + {x}; reply if len(s) > 2 { C } else { A(x) }; }",
    "var n: int = 0; on q { var x: int = choose; for i in 0..q { x := choose; n := n + i; } assume x >= n; n := x; reply A(x); }",
    "var n: int = 0; on q { let x = if q > 0 { choose int } else { n }; either { reply A(x); } or { n := x; reply B { x, y: n }; } }",
];

/// Handlers that fork where one side cannot show what is observed, sooner or later, or is faulty before that.
const AHEAD: [&str; 7] = [
    "var m: map<int, int> = {}; on q { m := either m or m.remove(q); if !m.contains(q) { m[q] := choose x: int where x > 0; \
     reply A(m[q]); } m[q] := m[q] + 1; let x: int = choose; m[1] := x; reply B { x: m[q], y: x }; }",
    // Each side is faulty, or breaks the duty, where the condition does not exclude it.
    "var m: map<int, int> = {0: 1}; on q { m := either m or m.remove(0); if m.contains(0) { let y = m[0]; m[q] := y; \
     m[1] := choose; reply A(y); } if q > 2 { reply A(m[0]); } reply C; }",
    "var n: int = 0; on q { n := either n or n + 1; if n > 1 { expects n > 0; let x: int = choose; n := x; reply A(0); } \
     expects n + q < 4; reply C; }",
    // The lists and numbers that the sides answer.
    "var n: int = 0; on q { let x = choose x: int where 0 <= x && x < 3; if x > q { n := x; reply B { x: 1, y: 0 }; } \
     if x == n { reply B { x: 1, y: n }; } n := x + q; reply A(len([y for y in [1, 2, 3] if y > x])); }",
    // A conditional expression and another fork behind the first one.
    "var n: int = 0; on q { let p: bool = choose; if p { n := if q > n { choose int } else { n }; assume n < 3; reply A(q); } \
     let r: bool = choose; n := if r { q } else { n }; if r { let x: int = choose; n := x; reply C; } reply A(n); }",
    // Sides that go on for ever, or do not answer.
    "var n: int = 0; on q { let p: bool = choose; if p { n := q; reply C; } let l = [x for x in 0..q if x != n]; \
     for x in l { n := n + x; } let x: int = choose; n := x; reply B { x: len(l), y: 0 }; }",
    // What a fork decides is read again.
    "var m: map<int, int> = {0: 0, 1: 1}; on q { let k = choose k: int where 0 <= k && k < 2; m := m.remove(k); \
     if m.get(q) is Some(x) { m[k] := choose; reply A(x); } m[0] := k; m[1] := choose; reply B { x: k, y: len(m) }; }",
];

/// Handlers that choose an optional value, before and behind other choices.
const OPTIONAL: [&str; 6] = [
    "var m: map<int, option<int>> = {}; on q { let old = m.get(q); m[q] := either None or Some(choose); \
     if old is Some(Some(x)) { reply A(x); } if m[q] is Some(x) && x > q { reply B { x, y: len(m) }; } reply C; }",
    // The other way round, and of an enum of the same form.
    "var o: option<int> = None; on q { let old = o; o := either Some(choose) or None; if old == Some(q) { reply C; } \
     match o { Some(x) => { assume x < 2; reply A(x); } None => { reply B { x: q, y: 1 }; } } }",
    "var e: option<Answer> = None; on q { let old = either C or A(choose); if e == Some(old) { reply C; } e := Some(old); \
     if q > 1 { e := None; } reply old; }",
    // A set is chosen, and an alternative under a condition.
    "var o: option<bool> = None; on q { let old = o; o := if q > 0 { either None or Some(choose) } else { old }; \
     match o { Some(true) => { reply A(q); } Some(false) => { reply C; } None => { reply B { x: 0, y: q }; } } }",
    "var n: int = 0; on q { let o: option<(int, bool)> = either None or Some(choose); \
     match o { Some((x, true)) => { n := n + x; assume x in [0, 1]; reply A(n); } Some((x, false)) => { reply A(x); } None => { reply C; } } }",
    // Twice in one expression, and what is no such choice.
    "var n: int = 0; on q { let o = [either None or Some(choose int), either Some(choose int) or None, either None or Some(q)]; \
     let l = [x for x in o if x is Some(y) && y > n]; n := len(l); if l == [Some(q)] { reply A(q); } reply B { x: n, y: q }; }",
];

/// Optional values that stand at several places, are compared, joined, counted or told by answers.
const BY_NEED: [&str; 14] = [
    "var o: option<int> = None; on q { let old = o; if q > 0 { o := either None or Some(choose); } if q == 1 { reply C; } \
     if q == 2 { reply B { x: old, y: o }; } reply A(o); }",
    // Copies: of several variables, of entries of a map, in a list.
    "var a: option<int> = None; var m: map<int, option<int>> = {}; on q { if q == 0 { a := either None or Some(choose); m[0] := a; m[1] := a; reply C; } \
     if q == 1 { reply A(a); } match m.get(3 - q) { Some(o) => { reply B { x: o, y: o }; } None => { reply C; } } }",
    "var l: list<option<int>> = []; on q { if q == 0 { let o: option<int> = either Some(choose) or None; l := l + [o, o]; reply C; } \
     match l { [x, ..rest] => { if q == 1 { reply B { x, y: l[len(l) - 1] }; } l := rest; reply A(x); } [] => { reply C; } } }",
    // One of several states was asked for it.
    "var o: option<int> = None; var p: option<int> = Some(1); on q { if q == 0 { o := either None or Some(choose); p := o; reply C; } \
     either { reply A(o); } or { o := p; p := None; reply A(o); } or { reply B { x: o, y: p }; } }",
    "var o: option<int> = None; on q { either { o := either None or Some(choose); } or { o := either None or Some(choose); if q > 1 { reply A(o); } } \
     or { reply A(o); } reply C; }",
    // In the map of one state and not of the other.
    "var m: map<int, (int, option<int>)> = {}; on q { if q < 2 { m[q] := (q, either None or Some(choose)); reply C; } either { m := m.remove(0); } or { } \
     match m.get(q - 2) { Some((n, o)) => { if n == 1 { reply B { x: o, y: None }; } reply A(o); } None => { reply C; } } }",
    // Compared before it is told, or in the same answer.
    "var o: option<int> = None; var p: option<int> = None; on q { if q == 0 { o := either None or Some(choose); reply C; } let y = if o is Some(1) { o } else { p }; \
     p := o; if q == 1 { reply B { x: o, y }; } reply B { x: y, y: o }; }",
    "var o: option<int> = None; on q { let old = o; o := either None or Some(choose); if old == o { reply C; } if q > 1 { reply B { x: old, y: o }; } reply A(old); }",
    "var s: set<option<int>> = {}; on q { let o: option<int> = either None or Some(choose); if o in s { reply C; } if q == 0 { s := s + {o}; } \
     if q == 1 { reply B { x: o, y: Some(len(s)) }; } reply A(o); }",
    // What is chosen is no number, and what is told is restricted otherwise.
    "var e: option<Answer> = None; var t: option<(bool, option<int>)> = None; on q { if q == 0 { t := either None or Some(choose); e := Some(either C or A(choose)); reply C; } \
     match t { Some((b, o)) => { if b { reply A(o); } if e is Some(old) { reply old; } reply C; } None => { reply B { x: None, y: Some(q) }; } } }",
    // An enum that has more constructors than are chosen from.
    "var e: E = Off; on q { if q < 2 { e := either Off or On(choose); } if q == 1 { reply C; } reply D(e); }",
    "var e: (int, E) = (0, Off); on q { if q == 0 { e := (1, either On(choose) or Off); reply C; } match e { (n, a) => { if n == q { e := (0, Broken(q)); } reply D(a); } } }",
    "var o: option<int> = None; on q { if q == 0 { o := either None or Some(choose); reply C; } if q == 1 { assume o != Some(2); } expects o != Some(3); \
     if q == 2 { let n = match o { Some(x) => x, None => 0 }; o := Some(n + 1); } reply A(o); }",
    "var o: option<int> = None; var n: int = 0; on q { let p: option<int> = either None or Some(choose); if q > n { o := p; n := q; reply B { x: p, y: None }; } \
     if n > 1 { n := 0; reply A(o); } n := n + 1; reply B { x: None, y: o }; }",
];

/// Forks before answers that tell of what they ask.
const TOLD_FIRST: [&str; 6] = [
    "var x: int = choose; var y: int = choose; on q { if x == y { reply C; } if x == q { y := choose; reply B { x, y: q }; } if y > x { reply A(y); } reply B { x, y }; }",
    // Something comes between.
    "var x: int = choose; var n: int = 0; on q { if x == n { n := n + 1; expects x != 3; reply A(x); } if x == q { let y: int = choose; assume y != x; reply B { x, y }; } \
     if x > 2 { n := x; } reply B { x: n, y: x }; }",
    "var m: map<int, int> = {0: 1}; var x: int = choose; on q { if x != q { let v = m[x - x]; m[q] := x; reply B { x: v, y: x }; } if m.get(x) is Some(v) { reply A(v); } reply C; }",
    // The answer takes a fork, and both sides of one are followed.
    "var l: list<int> = []; var x: int = choose; on q { if x == 1 { l := l + [q]; reply A(x); } let y = if len(l) > q { x } else { q }; if y == x { reply B { x: y, y: x }; } \
     if y != 2 { reply B { x, y }; } reply B { x: y, y: x + 1 }; }",
    "var p: bool = choose; var x: int = choose; on q { if p { if x != q { p := choose; reply A(x); } reply B { x: q, y: x }; } if x == q { p := true; reply A(x); } \
     x := choose; if x == q { reply B { x, y: x }; } reply A(x); }",
    // Two at once.
    "var x: int = choose; var y: int = choose; on q { if x != q { if y != q { if x != y { reply B { x, y }; } reply A(x); } y := choose; reply A(q); } x := choose; reply C; }",
];

/// Handlers that do not read what they chose on every path.
const LATE: [&str; 8] = [
    "var n: int = 0; on q { let x: int = choose; if q <= n { reply C; } n := x; assume x < 4; reply B { x: q, y: q }; }",
    // Read on each side of a fork, somewhere, or behind it.
    "var n: int = 0; on q { let x: int = choose; let p: bool = choose; if n > q { if q > 1 { n := x; assume x > 1; reply A(x); } \
     reply A(q); } else { if p { n := 2; reply C; } n := q; } reply B { x, y: n }; }",
    // In one of several ways, and in one round of a loop.
    "var n: int = 0; on q { let x: int = choose; either { n := 3; } or { n := x; reply A(n); } or { reply A(n); } \
     for i in 0..q { let y: int = choose; if i > 1 { n := n + y; } } reply B { x: n, y: q }; }",
    // Another value comes to where it would go on.
    "var n: int = 0; on q { var x: int = 1; if q > 1 { x := choose; } n := n + 1; if n > 2 { reply C; } reply A(x); }",
    // Under a condition, and in an arm of which the value is not needed.
    "var n: int = 0; on q { let x: int = choose; let y = if q > n { let z = choose int; if q > 2 { z } else { 1 } } else { n }; \
     if q == 2 && x > 1 { n := y; reply A(x); } n := y; reply A(y); }",
    // What is faulty, or breaks the duty, is told whatever is answered.
    "var m: map<int, int> = {0: 1}; on q { let x: int = choose; let y = m[q]; if y > 0 { m[1] := x; reply A(y); } \
     expects y < 0; m[q] := x; reply C; }",
    // What may not be possible: nothing to pick from, and nothing that meets the condition.
    "var s: set<int> = {0, 1}; on q { let x = pick s; if q > 2 { reply C; } s := s - {x}; if q == 1 { reply A(len(s)); } reply A(x); }",
    "var n: int = 0; on q { let x = choose x: int where x > n && x < 3; if q == 0 { reply C; } n := x; reply A(n); }",
];

/// Machines that keep cells of which some are written before they are read, on every path or on some.
const CELLS: [&str; 6] = [
    "if !1 <= !2 { !1 := 0; } else { !1 := 1; !2 := !0; }",
    // Cells that are written twice, or on each side.
    "!3 := !1; if !3 > !2 { !3 := !3 - !2; } else { !3 := !2; !2 := !0; } !1 := !3;",
    "!0 := !0 % 3; if !0 == !1 { !4 := !0; } else { !4 := !2; } !2 := !4 + 1; if !1 > 1 { !1 := !4; }",
    // On some ways only: what was there before counts.
    "if !1 > 1 { !3 := !0; } !1 := !3 - !2; if !1 > 0 { !2 := 1; }",
    "if !1 == 0 { !3 := !2; return; } if !1 == 1 { !3 := !0; } !2 := !3; !1 := !2;",
    // Each becomes the other one.
    "!4 := !2; !2 := !3; !3 := !4 + !1; if !1 > 1 || !0 == !2 { !3 := !0; } !1 := !2;",
];

#[test]
fn choices_that_are_made_late_are_judged_alike() {
    answers_are_judged_alike(&LATE, &Options { late: false, ..Options::default() });
}

#[test]
fn machines_that_keep_cells_in_registers_are_judged_alike() {
    let (mut rng, mut rejected) = (Rng::new(79), 0);
    let early = Options { late: false, ..Options::default() };
    for body in CELLS {
        let spec = compiled(&format!("machine m {{ {body} }}"));
        assert_ne!(spec[0].program.late, spec[0].program.serve, "{body}");
        for _ in 0..2_000 {
            let line = |rng: &mut Rng| json!({"q": rng.between(0, 2), "a": rng.between(-1, 2)}).to_string() + "\n";
            let trace: String = (0..1 + rng.below(5)).map(|_| line(&mut rng)).collect();
            compare(body, &spec, &trace, &[Options::default(), early.clone(), plain()]);
            let exchanges: Vec<Exchange> =
                Exchanges::new(&spec[0], trace.as_bytes()).map(|exchange| exchange.expect("JSON")).collect();
            rejected += u32::from(verdict(&spec[0], &early, &exchanges).is_some_and(|said| said.starts_with("reject")));
        }
    }
    assert!((1_000..11_000).contains(&rejected), "{rejected} rejected");
}

#[test]
fn optional_choices_are_judged_alike() {
    answers_are_judged_alike(&OPTIONAL, &Options { optional: false, ..Options::default() });
}

#[test]
fn options_that_are_made_by_need_are_judged_alike() {
    let types = "enum E { Off, On(int), Broken(int) } enum Answer { A(option<int>), B { x: option<int>, y: option<int> }, C, D(E) }";
    let one = |rng: &mut Rng| match rng.below(9) {
        0..3 => json!(null),
        3 => json!({"$any": null}),
        _ => json!(rng.between(1, 3)),
    };
    let answer = |rng: &mut Rng| match rng.below(6) {
        0 | 1 => json!("C"),
        2 => json!({"B": {"x": one(rng), "y": one(rng)}}),
        3 | 4 => json!({"A": one(rng)}),
        _ => match rng.below(3) {
            0 => json!({"D": "Off"}),
            1 => json!({"D": {"On": rng.between(0, 2)}}),
            _ => json!({"D": {"Broken": rng.between(0, 2)}}),
        },
    };
    judged_alike(types, &answer, 5, &BY_NEED, &Options { by_need: false, ..Options::default() });
}

#[test]
fn conditions_behind_answers_are_judged_alike() {
    answers_are_judged_alike(&TOLD_FIRST, &Options { told_first: false, ..Options::default() });
}

#[test]
fn sides_that_run_ahead_are_judged_alike() {
    answers_are_judged_alike(&AHEAD, &Options { ahead: false, ..Options::default() });
}

#[test]
fn choices_that_answers_show_are_judged_alike() {
    answers_are_judged_alike(&SHOWN, &Options { shown: false, ..Options::default() });
}

fn answers_are_judged_alike(protocols: &[&str], switched: &Options) {
    let answer = |rng: &mut Rng| match rng.below(5) {
        0 => json!("C"),
        1 | 2 => json!({"A": rng.between(0, 3)}),
        3 => json!({"A": {"$any": null}}),
        _ => json!({"B": {"x": rng.between(0, 2), "y": rng.between(0, 2)}}),
    };
    judged_alike("enum Answer { A(int), B { x: int, y: int }, C }", &answer, 3, protocols, switched);
}

/// Judges random traces of up to so many exchanges by protocols with these answers.
fn judged_alike(
    types: &str,
    answer: &dyn Fn(&mut Rng) -> Value,
    longest: usize,
    protocols: &[&str],
    switched: &Options,
) {
    let (mut rng, mut accepted) = (Rng::new(78), 0);
    for members in protocols {
        let spec = compiled(&format!("{types} protocol shown {{ request int; response Answer; {members} }}"));
        for _ in 0..2_000 {
            let line = |rng: &mut Rng| json!({"q": rng.between(0, 3), "a": answer(rng)}).to_string() + "\n";
            let trace: String = (0..1 + rng.below(longest)).map(|_| line(&mut rng)).collect();
            compare(members, &spec, &trace, &[Options::default(), switched.clone(), plain()]);
            let exchanges: Vec<Exchange> =
                Exchanges::new(&spec[0], trace.as_bytes()).map(|exchange| exchange.expect("JSON")).collect();
            accepted += u32::from(verdict(&spec[0], switched, &exchanges).is_some_and(|said| said == "accept"));
        }
    }
    assert!(accepted > 1_000, "{accepted} accepted");
}

#[test]
fn lists_in_place_are_judged_alike() {
    in_place_is_judged_alike(&LISTS);
}

#[test]
fn maps_and_sets_in_place_are_judged_alike() {
    in_place_is_judged_alike(&MAPS);
}

fn in_place_is_judged_alike(protocols: &[&str]) {
    let (mut rng, mut accepted) = (Rng::new(77), 0);
    for members in protocols {
        let spec = compiled(&format!("protocol in_place {{ request int; response int; {members} }}"));
        for _ in 0..150 {
            let line = |rng: &mut Rng| json!({"q": rng.between(0, 2), "a": rng.between(0, 2)}).to_string() + "\n";
            let trace: String = (0..1 + rng.below(4)).map(|_| line(&mut rng)).collect();
            compare(members, &spec, &trace, &[Options::default(), plain()]);
            let exchanges: Vec<Exchange> =
                Exchanges::new(&spec[0], trace.as_bytes()).map(|exchange| exchange.expect("JSON")).collect();
            accepted += u32::from(verdict(&spec[0], &plain(), &exchanges).is_some_and(|said| said == "accept"));
        }
    }
    assert!(accepted > 50, "{accepted} accepted");
}

fn judge_random(rng: &mut Rng, text: &str, trace: &traces::Trace) {
    let spec = compiled(text);
    let lines: Vec<Value> = write_trace(trace).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let answers: Vec<Value> = lines.iter().filter_map(|line| line.get("a").cloned()).chain([json!(0)]).collect();
    for trace in [write_trace(trace), altered(rng, &lines, &answers)] {
        if is_readable(&spec[0], &trace) {
            assert_eq!(write_trace(&read_trace(&trace)).lines().count(), trace.lines().count());
            compare(text, &spec, &trace, &settings());
        }
    }
}

#[test]
fn random_steps_are_judged_alike() {
    for seed in 0..40 {
        let mut rng = Rng::new((23 << 40) + seed);
        let text = steps::random(&mut rng);
        let spec = compiled(&text);
        let file = oracle::load(&text);
        for _ in 0..2 {
            let trace = traces::run_with_steps(&mut rng, &file, 4, |rng| json!(rng.between(0, 8)));
            let altered = traces::altered(&mut rng, &trace, |rng| json!(rng.between(-1, 4)));
            [trace, altered].iter().for_each(|trace| compare(&text, &spec, &write_trace(trace), &settings()));
        }
    }
}
