//! The validator against the oracle, on random programs and traces: verdict and event must be equal.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --test random_programs` runs N of each kind, and
//! `MAYHAP_SEED=S` begins elsewhere. A disagreement is shrunk and printed as a program and a trace to run by hand. Example
//! of a program that is drawn: see `random/protocol.rs`.

#[path = "oracle.rs"]
mod oracle;
mod random;

use mayhap::diagnostic::{Colour, Sources};
use mayhap::spec::load::{Text, load};
use oracle::json::write_trace;
use oracle::{Answer, Domains, Json};
use random::expressions::Unbounded;
use random::judge::{Exactness, contradiction, expected, judge};
use random::machine::Choices;
use random::traces::{self, Trace};
use random::{Rng, machine, protocol};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A kind of program to draw.
struct Kind {
    name: &'static str,
    exactness: Exactness,
    domains: fn() -> Domains,
}

/// What was drawn and judged, for the last line of output.
type Tally = BTreeMap<String, usize>;

impl Kind {
    fn compare(&self, text: &str, trace: &Trace, tally: &mut Tally) {
        let oracle = catch_unwind(AssertUnwindSafe(|| expected(text, trace, (self.domains)())));
        let Ok(expected) = oracle else { panic!("the oracle cannot run\n{text}\n{}", write_trace(trace)) };
        let Some(expected) = expected else { return *tally.entry("too large".to_owned()).or_default() += 1 };
        *tally.entry(expected.0.clone()).or_default() += 1;
        let Some(actual) = judge(text, &write_trace(trace)) else { return };
        if let Ok((verdict, _)) = &actual {
            *tally.entry(format!("{verdict} by the validator")).or_default() += 1;
        }
        if let Some(reason) = contradiction(&expected, &actual, self.exactness) {
            self.report(text, trace, &reason);
        }
    }

    fn still_fails(&self, text: &str, trace: &Trace) -> bool {
        let Some(actual @ Ok(_)) = judge(text, &write_trace(trace)) else { return false };
        let expected = catch_unwind(AssertUnwindSafe(|| expected(text, trace, (self.domains)())));
        expected.ok().flatten().is_some_and(|expected| contradiction(&expected, &actual, self.exactness).is_some())
    }

    fn report(&self, text: &str, trace: &Trace, reason: &str) {
        let (text, trace) = random::shrink::shrink(text, trace, |text, trace| self.still_fails(text, trace));
        panic!("{}: {reason}; shrunk:\n{text}\n{}", self.name, write_trace(&trace));
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|n| n.parse().expect("a number"))
}

/// One generator a program, so that a program can be drawn again alone.
fn seeds(default: u64) -> impl Iterator<Item = Rng> {
    let first = number("MAYHAP_SEED").unwrap_or(1) << 32;
    (0..number("MAYHAP_LONG").unwrap_or(default)).map(move |i| Rng::new(first + i))
}

fn run_machines(choices: Choices, kind: &Kind, programs: u64) {
    let mut tally = Tally::new();
    for mut rng in seeds(programs) {
        let text = machine::random(&mut rng, choices);
        let file = oracle::load(&text);
        for _ in 0..4 {
            let length = 1 + rng.below(5);
            let trace = traces::run_machine(&mut rng, &file, machine::CHOICES, length);
            kind.compare(&text, &trace, &mut tally);
            let changed = traces::altered(&mut rng, &trace, |rng| Json::from(rng.between(-6, 6)));
            // A machine always answers.
            if changed.iter().all(|(_, answer)| *answer != Answer::Nothing) {
                kind.compare(&text, &changed, &mut tally);
            }
        }
    }
    eprintln!("{}: {tally:?}", kind.name);
}

#[test]
fn machines_with_bounded_choices_agree_with_brute_force() {
    let domains = || Domains::of(machine::CHOICES, &[]);
    let kind = Kind { name: "machines", exactness: Exactness::Exact, domains };
    run_machines(Choices::Bounded, &kind, 150);
}

#[test]
fn machines_accept_all_that_they_produce() {
    let domains = || Domains::of(machine::CHOICES, &[]);
    let kind = Kind { name: "machines with any choice", exactness: Exactness::Sound, domains };
    run_machines(Choices::Unbounded, &kind, 150);
}

fn run_protocols(unbounded: Unbounded, kind: &Kind, programs: u64) {
    let mut tally = Tally::new();
    for mut rng in seeds(programs) {
        let program = protocol::random(&mut rng, unbounded);
        let file = oracle::load(&program.text);
        for _ in 0..4 {
            let length = 1 + rng.below(5);
            let trace = traces::run(&mut rng, &file, &program, length);
            kind.compare(&program.text, &trace, &mut tally);
            let invented = |rng: &mut Rng| program.declarations.json(rng, &program.response);
            let changed = traces::altered(&mut rng, &trace, invented);
            kind.compare(&program.text, &changed, &mut tally);
        }
    }
    eprintln!("{}: {tally:?}", kind.name);
}

#[test]
fn protocols_with_bounded_choices_agree_with_brute_force() {
    let kind = Kind { name: "protocols", exactness: Exactness::Exact, domains: traces::domains };
    run_protocols(Unbounded::Forbidden, &kind, 150);
}

#[test]
fn protocols_accept_all_that_they_produce() {
    let kind = Kind { name: "protocols with any integer", exactness: Exactness::Sound, domains: traces::domains };
    run_protocols(Unbounded::Allowed, &kind, 150);
}

/// The errors that the checker finds in a text, as they are shown.
fn errors(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let text = Text { name: "p.may".to_owned(), text: text.to_owned() };
    let (loaded, mut found) = load(text, &mut |name| Err(format!("there is no {name}")), &mut sources);
    found.extend(loaded.check().1);
    found.iter().filter(|finding| finding.is_error()).map(|f| sources.render(f, Colour::Never)).collect()
}

#[test]
fn random_programs_have_no_errors() {
    assert_eq!(errors("machine m { !1 := x; }").len(), 1);
    for mut rng in seeds(300) {
        for text in [protocol::random(&mut rng, Unbounded::Allowed).text, machine::random(&mut rng, Choices::Unbounded)]
        {
            let errors = errors(&text);
            assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
        }
    }
}
