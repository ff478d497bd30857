//! The validator against the oracle on random protocols with unknown state, holes, steps and texts: verdict and event.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --release --test it random_worlds:: -- --nocapture`
//! runs N of each family, and `MAYHAP_SEED=S` begins elsewhere. A disagreement is shrunk and printed. Each construct must be
//! in a number of programs that were really judged. Example of a program: see `random/worlds/mod.rs`.

use crate::oracle;
use crate::oracle::json::write_trace;
use crate::random::examined::{Compared, Examined, UNREADABLE};
use crate::random::judge::{Tally, errors};
use crate::random::shrink::shrink;
use crate::random::traces::Trace;
use crate::random::worlds::traces::traces;
use crate::random::worlds::values::domains;
use crate::random::worlds::{self, Family, Feature, Sort};
use crate::random::{self, Rng};
use mayhap::Spec;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::time::{Duration, Instant};

/// Compares a text and a trace from the beginning, as shrinking needs it.
fn compare(text: &str, trace: &Trace, tally: &mut Tally) -> Result<Compared, String> {
    let spec = match Spec::from_text(text) {
        Err(error) if error.to_string().contains("not possible over the synchronous network") => {
            return Ok(Compared::Unsupported);
        }
        spec => spec.map_err(|error| error.to_string())?,
    };
    let file = oracle::load(text);
    Examined { spec, file: &file, domains: domains() }.compare(trace, tally)
}

/// Whether a smaller program is still judged differently; one that no longer compiles is not.
fn still_fails(text: &str, trace: &Trace) -> Option<String> {
    Spec::from_text(text).ok()?;
    let compared = catch_unwind(AssertUnwindSafe(|| compare(text, trace, &mut Tally::new())));
    compared.ok()?.err().filter(|why| !why.starts_with(UNREADABLE))
}

thread_local! {
    static UNREPORTED: Cell<bool> = const { Cell::new(false) };
}

/// Does work whose panics are caught, without telling of them; those of other threads are told.
fn unreported<R>(work: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = take_hook();
        set_hook(Box::new(move |info| {
            if !UNREPORTED.get() {
                loud(info);
            }
        }));
    });
    UNREPORTED.set(true);
    let result = work();
    UNREPORTED.set(false);
    result
}

fn report(family: &str, text: &str, trace: &Trace, why: &str) -> ! {
    if why.starts_with(UNREADABLE) {
        panic!("{family}: {why}\n\n{text}\n{}", write_trace(trace));
    }
    // Programs that the oracle cannot run are no smaller ones.
    let (small, short) = unreported(|| shrink(text, trace, |text, trace| still_fails(text, trace).is_some()));
    let why = still_fails(&small, &short).unwrap_or_else(|| why.to_owned());
    panic!("{family}: {why}\n\n{small}\n{}", write_trace(&short));
}

/// A trace that takes longer is shown.
const SLOW: Duration = Duration::from_secs(20);

/// What was judged, by construct and by outcome.
#[derive(Default, Debug)]
struct Count {
    judged: BTreeMap<Feature, usize>,
    outcomes: BTreeMap<String, usize>,
    verdicts: Tally,
}

fn run(family: &Family, number_of: u64, programs: u64, likely_hole: usize) -> Count {
    let mut count = Count::default();
    for seed in random::seeds(number_of, programs) {
        let mut rng = Rng::new(seed);
        let world = worlds::random(&mut rng, family);
        let found = errors(&world.text);
        assert!(found.is_empty(), "{}\n{}", found.join("\n"), world.text);
        let shown = std::env::var_os("MAYHAP_SHOW").is_some();
        if shown {
            eprintln!("{seed}\n{}", world.text);
        }
        for (trace, features) in traces(&mut rng, &world, likely_hole) {
            if shown {
                eprintln!("{}", write_trace(&trace));
            }
            let started = Instant::now();
            let compared = compare(&world.text, &trace, &mut count.verdicts);
            let compared = compared.unwrap_or_else(|why| report(family.name, &world.text, &trace, &why));
            if started.elapsed() > SLOW {
                eprintln!("{} {seed}: {:?}\n{}{}", family.name, started.elapsed(), world.text, write_trace(&trace));
            }
            *count.outcomes.entry(format!("{compared:?}")).or_default() += 1;
            if matches!(compared, Compared::Equal | Compared::Beyond) {
                features.into_iter().for_each(|feature| *count.judged.entry(feature).or_default() += 1);
            }
        }
    }
    eprintln!("{}: {:?}\n  {:?}\n  {:?}", family.name, count.outcomes, count.verdicts, count.judged);
    count
}

/// Runs a family; each of the constructs must be in some programs that were judged, and few judgements may be open.
fn check(family: &Family, number_of: u64, programs: u64, needed: &[Feature]) {
    let likely_hole = if family.name == worlds::MIXED.name { 100 } else { 30 };
    let count = run(family, number_of, programs, likely_hole);
    let outcome = |compared: Compared| count.outcomes.get(&format!("{compared:?}")).copied().unwrap_or(0);
    let all: usize = count.outcomes.values().sum();
    assert_eq!(outcome(Compared::Unsupported), 0, "{}: all of the language is judged", family.name);
    assert!(
        outcome(Compared::Doubt) * 100 <= all * 20,
        "{}: {} of {all} undecided",
        family.name,
        outcome(Compared::Doubt)
    );
    assert!(outcome(Compared::Unproven) * 100 <= all * 5, "{}: too few are proven", family.name);
    for feature in needed.iter().chain(&[Feature::Lost, Feature::Hole, Feature::PartialHole, Feature::RequestHole]) {
        let judged = count.judged.get(feature).copied().unwrap_or(0);
        assert!(judged > 0, "{}: {feature:?} was never judged", family.name);
    }
}

#[test]
fn unknown_maps_agree_with_brute_force() {
    let needed = [Feature::Unknown(Sort::Map), Feature::Unknown(Sort::Set), Feature::Copy, Feature::PickKey];
    check(&worlds::MAPS, 1, 60, &[&needed[..], &[Feature::CompareMap, Feature::Tokens, Feature::NoAnswer]].concat());
}

#[test]
fn unknown_data_agree_with_brute_force() {
    let unknown = [Sort::Int, Sort::Bool, Sort::Key, Sort::Maybe, Sort::Pair, Sort::Record, Sort::Shape, Sort::Tree];
    let needed = unknown.into_iter().flat_map(|sort| [Feature::Unknown(sort), Feature::Choose(sort)]);
    check(&worlds::DATA, 2, 60, &needed.chain([Feature::Rest, Feature::Def]).collect::<Vec<_>>());
}

#[test]
fn unknown_lists_agree_with_brute_force() {
    check(&worlds::LISTS, 3, 20, &[Feature::Unknown(Sort::List), Feature::Choose(Sort::List)]);
}

#[test]
fn texts_agree_with_brute_force() {
    let needed = [Feature::Unknown(Sort::Text), Feature::Unknown(Sort::Bytes), Feature::Split];
    check(&worlds::TEXTS, 4, 25, &[&needed[..], &[Feature::TextTest, Feature::TextMade, Feature::Proc]].concat());
}

#[test]
fn steps_agree_with_brute_force() {
    check(&worlds::STEPS, 5, 15, &[Feature::Step, Feature::Unknown(Sort::Map), Feature::Unknown(Sort::Set)]);
}

#[test]
fn mixed_worlds_agree_with_brute_force() {
    check(&worlds::MIXED, 6, 25, &[Feature::Step, Feature::Expects, Feature::Tokens, Feature::NoAnswer]);
}
