//! The reductions of the judge are exact: with them, with more of them, and without any, the verdict and its event are the same.
//!
//! The reference judge makes no reduction. The usual judge makes those that pay, and the eager one also makes on small inputs what pays on
//! large ones only. Once all questions go to Z3, and once the code is run as it was first made. Judged are the traces of the shipped
//! specifications, each with one answer changed, servers that hide their branches, and random programs. Example: `cmp_rst.may` on
//! `(5,1), (3,0), (2,1)` is `reject 3` by each judge.

use crate::oracle;
use std::sync::Arc;

use crate::judge::{Named, exchanges, named};
use crate::oracle::json::{read_trace, write_trace};
use crate::programs;
use crate::random::expressions::Unbounded;
use crate::random::{Rng, at_least, grammar, protocol, rounds, traces, worlds};
use crate::shipped;
use crate::workload::servers::{CLOCKED, COPIES, HIDDEN, STEPPING};
use crate::workload::{Recording, Workload, simulate};
use mayhap::details::Selection;
use mayhap::judge::{Inspected, Judge, Observed, Options, Reductions};
use mayhap::reading::Exchanges;
use mayhap::solve::{Limits, Tiers};
use mayhap::spec::{Code, load::Text, passes};
use mayhap::{Exchange, Spec};
use serde_json::{Value, json};

/// All settings; the first one is the default.
fn settings() -> Vec<Options> {
    let z3 = Options { limits: Limits { tiers: Tiers::OnlyZ3, ..Limits::default() }, ..Options::default() };
    let memory = Options { inspected: Inspected::Memory, ..Options::default() };
    let states = Options { inspected: Inspected::States, ..Options::default() };
    vec![Options::default(), reference(), by(Reductions::Eager), z3, memory, states]
}

fn by(reductions: Reductions) -> Options {
    Options { reductions, ..Options::default() }
}

/// The judge without reductions.
fn reference() -> Options {
    by(Reductions::None)
}

/// The verdict in short; nothing where it is doubt (tiers differ in what they can decide, and limits in what they cut).
fn verdict(spec: &Arc<Spec>, options: &Options, exchanges: &[Exchange]) -> Option<Named> {
    let mut judge = Judge::new(spec.clone(), options.clone());
    exchanges.iter().all(|exchange| judge.observe(exchange));
    Some(named(&judge.verdict())).filter(|(name, _)| *name != "unknown")
}

/// A specification, and the same with its code as it was first made.
fn compiled(text: &str) -> [Arc<Spec>; 2] {
    [Code::Optimized, Code::Plain].map(|code| compiled_to(text, code))
}

fn compiled_to(text: &str, code: Code) -> Arc<Spec> {
    let first = Text { name: "spec.may".to_owned(), text: text.to_owned() };
    let mut none = |name: &str| Err(format!("there is no {name}"));
    let selection = Selection { code, ..Selection::default() };
    Spec::compile(first, &mut none, &selection).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Whether a trace says something: an altered one may have the answer of another type, or an element of a set twice.
fn is_readable(spec: &Arc<Spec>, trace: &str) -> bool {
    Exchanges::new(spec, trace.as_bytes()).all(|exchange| exchange.is_ok())
}

/// Judges a trace under some settings; panics where two of them contradict each other.
fn compare(name: &str, [spec, plain]: &[Arc<Spec>; 2], trace: &str, settings: &[Options]) {
    let exchanges = exchanges(spec, trace);
    let plainly = verdict(plain, &settings[0], &exchanges);
    let said = settings.iter().map(|options| verdict(spec, options, &exchanges));
    agree(&format!("{name}\n{trace}"), &said.chain([plainly]).collect::<Vec<_>>());
}

fn agree(name: &str, said: &[Option<Named>]) {
    let mut known = said.iter().flatten();
    if let Some(first) = known.next() {
        assert!(known.all(|other| other == first), "{said:?}: {name}");
    }
}

/// The shipped specifications with the traces that they are known to accept or reject.
fn shipped() -> Vec<(String, [Arc<Spec>; 2], Vec<String>)> {
    let all = shipped::all().into_iter().map(|shipped| {
        let traces = ["accept", "reject"].map(|verdict| shipped.traces(verdict)).concat();
        (shipped.name.clone(), compiled(&shipped.text), traces.into_iter().map(|(_, trace)| trace).collect())
    });
    all.filter(|(_, _, traces): &(_, _, Vec<String>)| !traces.is_empty()).collect()
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

#[test]
fn no_pass_changes_a_verdict() {
    for (name, [spec, _], traces) in shipped() {
        let text = &shipped::named(&name).text;
        let without: Vec<_> = passes().into_iter().map(|pass| (pass, compiled_to(text, Code::Without(pass)))).collect();
        for trace in traces.iter().filter(|trace| trace.lines().count() <= 40) {
            let exchanges = exchanges(&spec, trace);
            let said = verdict(&spec, &Options::default(), &exchanges);
            for (pass, spec) in &without {
                let own = verdict(spec, &Options::default(), &exchanges);
                agree(&format!("{name} without {pass}\n{trace}"), &[said, own]);
            }
        }
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
        for at in 0..usize::try_from(rounds(80)).expect("small") {
            let trace = altered(&mut rng, &parsed[at % parsed.len()], &answers);
            if is_readable(&spec[0], &trace) {
                compare(&name, &spec, &trace, &[all[0].clone(), all[1].clone(), all[2 + at % 4].clone()]);
            }
        }
    }
}

#[test]
fn random_programs_are_judged_alike() {
    for seed in 0..rounds(25) {
        let rng = &mut Rng::new((7 << 40) + seed);
        let program = protocol::random(rng, Unbounded::Allowed);
        let trace = traces::run(rng, &oracle::load(&program.text), &program, 3);
        judge_random(rng, &program.text, &trace);
        let text = grammar::program("guarded", "start", rng);
        let trace = traces::run_integers(rng, &oracle::load(&text), 3);
        judge_random(rng, &text, &trace);
        let text = grammar::program("machine", "bounded", rng);
        let trace = traces::run_machine(rng, &oracle::load(&text), traces::CHOICES, 4);
        judge_random(rng, &text, &trace);
    }
}

#[test]
fn random_worlds_are_judged_alike() {
    for (number, family) in
        (0..).zip([worlds::MAPS, worlds::DATA, worlds::LISTS, worlds::TEXTS, worlds::STEPS, worlds::MIXED])
    {
        for seed in 0..rounds(4) {
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
    let few = [Options::default(), Options { inspected: Inspected::States, ..Options::default() }];
    for workload in HIDDEN {
        (0..rounds(3)).for_each(|seed| hidden_is_judged_alike(workload, (8, 2 * seed), &settings()));
        (0..rounds(3)).for_each(|seed| hidden_is_judged_alike(workload, (60, 2 * seed + 1), &few));
    }
}

#[test]
fn hidden_clocks_are_judged_alike() {
    let few = &settings()[..3];
    for workload in CLOCKED {
        (0..rounds(4)).for_each(|seed| hidden_is_judged_alike(workload, (6, seed), few));
    }
}

#[test]
fn copies_are_judged_alike() {
    let few = [Options::default(), Options { inspected: Inspected::States, ..Options::default() }];
    (0..rounds(2)).for_each(|seed| hidden_is_judged_alike(&COPIES, (9, seed), &few));
}

#[test]
fn what_servers_do_by_themselves_is_judged_alike() {
    let few = [Options::default(), Options { inspected: Inspected::States, ..Options::default() }];
    for workload in STEPPING {
        (0..rounds(2)).for_each(|seed| hidden_is_judged_alike(workload, (7, 2 * seed), &settings()));
        (0..rounds(4)).for_each(|seed| hidden_is_judged_alike(workload, (40, 2 * seed + 1), &few));
    }
}

/// Judges so many exchanges of a seed, altered, under some settings.
fn hidden_is_judged_alike(workload: &Workload, (count, seed): (u64, u64), settings: &[Options]) {
    let mut rng = Rng::new(31 + seed);
    let Recording { spec, exchanges, .. } = simulate(workload, count, seed);
    let answers: Vec<Observed> = exchanges.iter().map(|exchange| exchange.observed.clone()).collect();
    for _ in 0..12 {
        let mut altered = exchanges.clone();
        let at = rng.below(altered.len());
        altered[at].observed = if rng.below(4) == 0 { Observed::Any } else { rng.pick(&answers).clone() };
        let said: Vec<_> = settings.iter().map(|options| verdict(&spec, options, &altered)).collect();
        agree(&format!("{}: {altered:?}", workload.name), &said);
    }
}

/// Programs of a file in which one way of judging faster has something to do, and what is near to it.
struct Family {
    /// Its name, with a line for what it is a part of.
    file: &'static str,
    part: &'static str,
    /// The most of a request, and an answer.
    request: i64,
    answer: fn(&mut Rng) -> Value,
    /// The most exchanges of a trace, and the traces of a program.
    longest: usize,
    traces: u64,
    /// The least number of traces that the reference judge accepts, and of those that it rejects.
    accepted: u64,
}

const SHOWS: &str =
    "enum Answer { A(int), B { x: int, y: int }, C } protocol shown { request int; response Answer; MEMBERS }";
const SHOWN: Family =
    Family { file: "shown", part: SHOWS, request: 3, answer: shown, longest: 3, traces: 800, accepted: 400 };
/// Choices that are made late.
const LATE: Family = Family { file: "late", ..SHOWN };
const OPTIONAL: Family = Family { file: "optional", ..LATE };
/// Optional values at several places.
const SEVERAL: Family = Family {
    file: "several",
    part: "enum E { Off, On(int), Broken(int) } enum Answer { A(option<int>), B { x: option<int>, y: option<int> }, C, D(E) }
        protocol shown { request int; response Answer; MEMBERS }",
    answer: optional,
    longest: 5,
    ..LATE
};
/// Sides that run ahead.
const AHEAD: Family = Family { file: "ahead", ..SHOWN };
/// Machines that keep cells in registers.
const CELLS: Family = Family {
    file: "cells",
    part: "machine m { MEMBERS }",
    request: 2,
    answer: |rng| json!(rng.between(-1, 2)),
    longest: 5,
    ..LATE
};
/// What is changed in place.
const LISTS: Family = Family {
    file: "lists",
    part: "protocol in_place { request int; response int; MEMBERS }",
    request: 2,
    answer: |rng| json!(rng.between(0, 2)),
    longest: 4,
    traces: 60,
    accepted: 20,
};
const MAPS: Family = Family { file: "maps", ..LISTS };

fn shown(rng: &mut Rng) -> Value {
    match rng.below(5) {
        0 => json!("C"),
        1 | 2 => json!({"A": rng.between(0, 3)}),
        3 => json!({"A": {"$any": null}}),
        _ => json!({"B": {"x": rng.between(0, 2), "y": rng.between(0, 2)}}),
    }
}

fn optional(rng: &mut Rng) -> Value {
    let one = |rng: &mut Rng| match rng.below(9) {
        0..3 => json!(null),
        3 => json!({"$any": null}),
        _ => json!(rng.between(1, 3)),
    };
    match rng.below(8) {
        0..3 => json!("C"),
        3 => json!({"B": {"x": one(rng), "y": one(rng)}}),
        4..6 => json!({"A": one(rng)}),
        6 => json!({"D": "Off"}),
        _ => json!({"D": {(*rng.pick(&["On", "Broken"])): rng.between(0, 2)}}),
    }
}

/// Judges random traces by each of its programs.
fn check(family: &Family) {
    let (mut rng, mut accepted, mut rejected) = (Rng::new(78), 0, 0);
    for program in programs::read(family.file) {
        let spec = compiled(&family.part.replace("MEMBERS", &program.members));
        assert!(family.file != "cells" || spec[0].program.sunk != spec[0].program.serve, "{}", program.members);
        for _ in 0..rounds(family.traces) {
            let line = |rng: &mut Rng| {
                json!({"q": rng.between(0, family.request), "a": (family.answer)(rng)}).to_string() + "\n"
            };
            let trace: String = (0..1 + rng.below(family.longest)).map(|_| line(&mut rng)).collect();
            compare(&program.members, &spec, &trace, &settings()[..3]);
            let said = verdict(&spec[0], &reference(), &exchanges(&spec[0], &trace));
            accepted += u64::from(said.is_some_and(|(name, _)| name == "accept"));
            rejected += u64::from(said.is_some_and(|(name, _)| name == "reject"));
        }
    }
    let least = at_least(family.accepted, family.traces);
    assert!(accepted > least && rejected > least, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn handlers_that_choose_are_judged_alike() {
    [&LATE, &OPTIONAL, &SEVERAL].into_iter().for_each(check);
}

#[test]
fn handlers_that_show_and_fork_are_judged_alike() {
    [&SHOWN, &AHEAD].into_iter().for_each(check);
}

#[test]
fn what_is_changed_in_place_is_judged_alike() {
    [&CELLS, &LISTS, &MAPS].into_iter().for_each(check);
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
    for seed in 0..rounds(10) {
        let mut rng = Rng::new((23 << 40) + seed);
        let text = grammar::program("steps", "start", &mut rng);
        let spec = compiled(&text);
        let file = oracle::load(&text);
        for _ in 0..2 {
            let trace = traces::run_with_steps(&mut rng, &file, 4, |rng| json!(rng.between(0, 8)));
            let altered = traces::altered(&mut rng, &trace, |rng| json!(rng.between(-1, 4)));
            [trace, altered].iter().for_each(|trace| compare(&text, &spec, &write_trace(trace), &settings()));
        }
    }
}
