//! What is said to be exact is: with every switch and tier on or off the verdict and its event are the same.
//!
//! Directed forking, merging (with subsumption) and forgetting are switched in all eight combinations, naming and joining
//! one by one, all of them together; once all questions go to Z3, and once the code is run as it was first made. Judged are
//! the traces of the shipped specifications, each with one answer changed, servers that hide their branches, and random
//! programs. Example: `cmp_rst.may` on `(5,1), (3,0), (2,1)` is `reject 3` whatever is switched off.

mod handlers;

use crate::oracle;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::hidden::workloads::{CLOCKED, COPIES, RUMOURS, STEPPING, WORKLOADS, Workload};
use crate::oracle::json::{read_trace, write_trace};
use crate::random::expressions::Unbounded;
use crate::random::{Rng, guarded, machine, protocol, steps, traces, worlds};
use handlers::*;
use mayhap::details::Selection;
use mayhap::dualize::{Judge, Observed, Options};
use mayhap::solve::{Limits, Tiers};
use mayhap::spec::{Code, load::Text};
use mayhap::validate::Exchanges;
use mayhap::{Exchange, Spec, Verdict};
use serde_json::{Value, json};

/// All settings; the first one is the default.
fn settings() -> Vec<Options> {
    let switched =
        |on: usize| Options { directed: on & 1 == 0, merge: on & 2 == 0, forget: on & 4 == 0, ..Options::default() };
    let z3 = Options { limits: Limits { tiers: Tiers::OnlyZ3, ..Limits::default() }, ..Options::default() };
    let apart = Options { unite: false, ..Options::default() };
    let one_by_one = Options { merge_ways: false, ..Options::default() };
    let unnamed = Options { name: false, ..Options::default() };
    let unshown = Options { provenance: false, ..Options::default() };
    let behind = Options { ahead: false, ..Options::default() };
    let early = Options { sink_choices: false, ..Options::default() };
    let general = Options { glides: false, ahead: false, ..Options::default() };
    let others = [z3, apart, one_by_one, unnamed, unshown, behind, early, general, plain()];
    (0..8).map(switched).chain(others).collect()
}

/// Nothing that is exact but not needed.
fn plain() -> Options {
    let unmerged = Options { directed: false, merge: false, forget: false, sink_choices: false, ..Options::default() };
    Options { name: false, unite: false, merge_ways: false, provenance: false, ahead: false, glides: false, ..unmerged }
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
    [Code::Optimized, Code::Plain].map(|code| {
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
    let few = [Options::default(), Options { unite: false, name: false, ..Options::default() }];
    for workload in WORKLOADS {
        (0..6).for_each(|seed| hidden_is_judged_alike(workload, (8, 2 * seed), &settings()));
        (0..6).for_each(|seed| hidden_is_judged_alike(workload, (60, 2 * seed + 1), &few));
    }
}

#[test]
fn hidden_clocks_are_judged_alike() {
    let few = [Options::default(), Options { unite: false, ..Options::default() }, plain()];
    for workload in CLOCKED {
        (0..8).for_each(|seed| hidden_is_judged_alike(workload, (6, seed), &few));
    }
}

#[test]
fn copies_are_judged_alike() {
    let few = [Options::default(), Options { unite: false, ..Options::default() }];
    (0..8).for_each(|seed| hidden_is_judged_alike(&COPIES, (9, seed), &few));
}

#[test]
fn relations_are_judged_alike() {
    let few = [Options::default(), Options { name: false, ..Options::default() }];
    (0..8).for_each(|seed| hidden_is_judged_alike(&RUMOURS, (9, seed), &few));
}

#[test]
fn what_servers_do_by_themselves_is_judged_alike() {
    let few = [Options::default(), Options { unite: false, ..Options::default() }];
    for workload in STEPPING {
        (0..4).for_each(|seed| hidden_is_judged_alike(workload, (7, 2 * seed), &settings()));
        (0..10).for_each(|seed| hidden_is_judged_alike(workload, (40, 2 * seed + 1), &few));
    }
}

/// Judges so many exchanges of a seed, altered, under some settings.
fn hidden_is_judged_alike(workload: &Workload, (count, seed): (u64, u64), settings: &[Options]) {
    let (mut rng, spec) = (Rng::new(31 + seed), workload.spec());
    let exchanges = workload.exchanges(&spec, count, seed);
    let answers: Vec<Observed> = exchanges.iter().map(|exchange| exchange.observed.clone()).collect();
    for _ in 0..12 {
        let mut altered = exchanges.clone();
        let at = rng.below(altered.len());
        altered[at].observed = if rng.below(4) == 0 { Observed::Any } else { rng.pick(&answers).clone() };
        let said: Vec<_> = settings.iter().map(|options| verdict(&spec, options, &altered)).collect();
        agree(&format!("{}: {altered:?}", workload.name), &said);
    }
}

#[test]
fn choices_that_are_made_late_are_judged_alike() {
    answers_are_judged_alike(&LATE, &Options { sink_choices: false, ..Options::default() });
}

#[test]
fn machines_that_keep_cells_in_registers_are_judged_alike() {
    let (mut rng, mut rejected) = (Rng::new(79), 0);
    let early = Options { sink_choices: false, ..Options::default() };
    for body in CELLS {
        let spec = compiled(&format!("machine m {{ {body} }}"));
        assert_ne!(spec[0].program.sunk, spec[0].program.serve, "{body}");
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
    answers_are_judged_alike(&OPTIONAL, &Options { sink_choices: false, ..Options::default() });
}

#[test]
fn optional_values_at_several_places_are_judged_alike() {
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
    judged_alike(types, &answer, 5, &SEVERAL, &Options { sink_choices: false, ..Options::default() });
}

#[test]
fn sides_that_run_ahead_are_judged_alike() {
    answers_are_judged_alike(&AHEAD, &Options { ahead: false, ..Options::default() });
}

#[test]
fn choices_that_answers_show_are_judged_alike() {
    answers_are_judged_alike(&SHOWN, &Options { provenance: false, ..Options::default() });
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
