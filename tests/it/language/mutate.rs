//! Mutants of specifications: listed, compiled, told apart, compared, and found by testing.

use std::collections::BTreeSet;
use std::sync::Arc;

use mayhap::Spec;
use mayhap::diagnostic::FileId;
use mayhap::harness::{MutantTester, starting_scripts};
use mayhap::mutate::{
    Comparing, Equivalence, MutantFate, MutationScore, SearchBudget, classify, fate, killing_scripts, mutants,
};
use mayhap::script::{Script, ScriptStep};
use mayhap::syntax::{parse, print};
use mayhap::value::Value;

use crate::golden::golden;
use crate::judge::{compiled, root};
use crate::random::is_long;
use crate::shipped::{self, Shipped};

/// Enough for what these tests compare.
const SMALL: SearchBudget = SearchBudget { served: 2_000, requests: 4, values: 3 };

/// The specifications whose mutants take too long for every run: these have hundreds.
const LARGE: [&str; 2] = ["memcached", "redis_strings"];

/// The shipped specifications; the large ones only where there is time.
fn some_shipped() -> impl Iterator<Item = (Shipped, Arc<Spec>)> {
    let shipped = shipped::all().into_iter().filter(|shipped| is_long() || !LARGE.contains(&shipped.name.as_str()));
    shipped.map(|shipped| {
        let spec = shipped.compile().unwrap_or_else(|error| panic!("{}: {error}", shipped.name));
        (shipped, spec)
    })
}

#[test]
fn two_lists_are_known() {
    for name in ["cmp_rst", "kv_etag"] {
        let spec = shipped::named(name).compile().unwrap();
        let listed: String = mutants(&spec).iter().map(|mutant| format!("{} {mutant}\n", mutant.number)).collect();
        golden(&root().join(format!("tests/data/mutants/{name}.txt")), &listed);
    }
}

/// The text of a specification in the one layout, without comments.
fn formatted(text: &str) -> String {
    let parsed = parse(text, FileId(0), mayhap::spec::Site(0));
    let mut file = parsed.file;
    file.comments.clear();
    print(&file, "")
}

#[test]
fn every_mutant_compiles_and_is_another_one() {
    for (shipped, spec) in some_shipped() {
        let mutants = mutants(&spec);
        assert!(mutants.len() >= 2, "{}", shipped.name);
        let mut texts = BTreeSet::from([formatted(&shipped.text)]);
        for (mutant, number) in mutants.iter().zip(1..) {
            let changed = mutant.of(&spec).unwrap_or_else(|error| panic!("{}: {mutant}: {error}", shipped.name));
            let text = changed.sources.text(FileId(0));
            assert!(texts.insert(formatted(text)), "{}: {mutant}", shipped.name);
            assert_eq!(text.lines().count(), shipped.text.lines().count(), "{}: {mutant}", shipped.name);
            assert_eq!((mutant.number, &changed.program.name), (number, &spec.program.name));
        }
    }
}

/// A specification, a mutant of it, and the number of requests after which they differ; 0 where they do not.
const COMPARED: &[(&str, &str, usize)] = &[
    ("on q { if q <= n { reply 0; } n := choose int; reply 1; }", "replace `q <= n` with `q < n`", 1),
    ("on q { if q <= n { reply 0; } n := choose int; reply 1; }", "replace `1` with `2`", 1),
    ("on q { n := n + q; reply n; }", "replace `n + q` with `n - q`", 1),
    ("on q { n := n + q; reply 0; }", "delete `n := n + q;`", 0),
    ("on q { if q < 0 { reply 0 - q; } reply q; }", "replace `q < 0` with `q <= 0`", 0),
    ("on q { n := choose x: int where x > n; reply n; }", "replace `x > n` with `x >= n`", 1),
    ("on q { n := n + 1; if n == 3 { reply 1; } reply 0; }", "replace `1` with `2`", 3),
    ("on q { n := either q or n; reply n; }", "replace `q` with `q + 1`", 1),
];

#[test]
fn mutants_are_compared() {
    for (body, change, requests) in COMPARED {
        let spec = compiled(&format!("protocol p {{ request int; response int; var n: int = 0; {body} }}"));
        let all = mutants(&spec);
        let is_it = |mutant: &&mayhap::mutate::Mutant| mutant.change == *change;
        let mutant = all.iter().rfind(is_it).unwrap_or_else(|| panic!("{body}: no {change} among {all:?}"));
        let found = match classify(&spec, &mutant.of(&spec).unwrap(), SMALL) {
            Equivalence::Differs(script) => script.len(),
            Equivalence::Refines(bound) => {
                assert!(bound.values >= 2 && bound.requests.is_none_or(|requests| requests >= 2), "{bound}");
                0
            }
            Equivalence::Undecided => panic!("{body}: {change}: undecided"),
        };
        assert_eq!(found, *requests, "{body}: {change}");
    }
}

/// Changes that only take choices away.
const NARROWER: &[(&str, &[&str])] = &[
    ("on q { n := choose x: int where x > n; reply n; }", &["x > n + 1", "`x > n` with `x < n`"]),
    ("on q { assume q <= 5; reply q; }", &["q < 5", "`5` with `4`"]),
    ("on q { n := choose int; reply q; }", &["delete `n"]),
    ("on q { n := either n or q; reply q; }", &["delete `n", "`q` with `n`", "`n` with `q`"]),
    ("on q { either { reply 1; } or {} reply q; }", &["delete `reply 1;`"]),
    ("on q { reply pick x in 1..3 where x < 9; }", &["`1` with `2`", "`3` with `2`", "`9` with `8`"]),
    ("on q { expects q > 3; reply q; }", &["q >= 3", "delete"]),
];

#[test]
fn what_takes_choices_away_is_no_mutant() {
    for (body, absent) in NARROWER {
        let spec = compiled(&format!("protocol p {{ request int; response int; var n: int = 0; {body} }}"));
        let all = mutants(&spec);
        for part in *absent {
            let found = all.iter().find(|mutant| mutant.change.contains(part));
            assert!(found.is_none(), "{body}: {found:?}");
        }
    }
}

#[test]
fn most_mutants_are_found() {
    let names = ["abs", "cmp_rst", "idgen", "kv_etag", "kv", "mutex"];
    let all = some_shipped().filter(|(shipped, _)| is_long() || names.contains(&shipped.name.as_str()));
    for (shipped, spec) in all {
        let mut comparing = Comparing::new(&spec);
        let tested = |mutant| fate(&spec, mutant, &mut MutantTester::default(), 1, &mut comparing);
        let fates: Vec<MutantFate> = mutants(&spec).iter().map(tested).collect();
        let score = MutationScore::of(&fates);
        println!("{}: {score}, half of them after {} requests", shipped.name, score.median_requests);
        if !is_long() {
            assert_eq!((score.missed, score.undecided), (0, 0), "{}: {fates:?}", shipped.name);
            assert!(score.killed > score.refinements && score.median_requests < 100, "{}: {score}", shipped.name);
        }
    }
}

#[test]
fn killing_scripts_are_rejected_and_read_back() {
    for name in ["cmp_rst", "idgen", "kv_etag"] {
        let spec = shipped::named(name).compile().unwrap();
        let scripts = killing_scripts(&spec, usize::MAX, SMALL);
        assert!(scripts.len() >= 2, "{name}: {}", scripts.len());
        let mut has_references = false;
        for script in &scripts {
            let text = script.write(&spec);
            has_references |= text.contains("$ref");
            let again = Script::read(&spec, &text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert_eq!(again.steps, script.steps, "{text}");
        }
        assert!(has_references == (name != "cmp_rst"), "{name}");
    }
}

#[test]
fn a_campaign_begins_with_scripts_that_kill() {
    for (shipped, spec) in some_shipped() {
        let begun = std::time::Instant::now();
        let scripts = starting_scripts(&spec, 1);
        println!("{}: {} scripts, {:?}", shipped.name, scripts.len(), begun.elapsed());
        assert!(!scripts.is_empty() && scripts.iter().map(Script::requests).sum::<u64>() < 150, "{}", shipped.name);
        for (at, script) in scripts.iter().enumerate() {
            let is_longer =
                |(other, longer): (usize, &Script)| other != at && asked(longer).starts_with(&asked(script));
            let longer = scripts.iter().enumerate().any(is_longer);
            assert!(!longer, "{}: {script:?} is the beginning of another one", shipped.name);
        }
    }
}

/// The requests of a script.
fn asked(script: &Script) -> Vec<&Value> {
    let mut asked = Vec::new();
    for step in &script.steps {
        if let ScriptStep::Ask { request, .. } = step {
            asked.push(&request.value);
        }
    }
    asked
}
