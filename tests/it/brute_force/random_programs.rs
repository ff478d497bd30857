//! The validator against the oracle, on random programs and traces: verdict and event must be equal.
//!
//! A fixed number of programs runs in the suite; `MAYHAP_LONG=N cargo test --test it random_programs::` runs N of each kind, and
//! `MAYHAP_SEED=S` begins elsewhere. A disagreement is shrunk and printed as a program and a trace to run by hand. Examples
//! of programs that are drawn: see `random/protocol.rs` and `tests/data/grammars`.

use std::ops::RangeInclusive;

use crate::oracle::{self, Answer, Domains, Json};
use crate::random::expressions::Unbounded;
use crate::random::judge::{Exactness, Kind, Tally, errors};
use crate::random::traces::{self, Trace, altered};
use crate::random::{self, Rng, grammar, protocol};
use mayhap::syntax::ast::File;
use serde_json::json;

/// Some choices of a machine with unbounded ones.
const SOME: RangeInclusive<i64> = -4..=4;

/// How programs and their traces are drawn.
#[derive(Clone, PartialEq)]
enum Drawn {
    /// A machine, from a rule of its grammar, with these choices.
    Machine(&'static str, RangeInclusive<i64>),
    Protocol(Unbounded),
    /// A protocol over integers, by the grammar of that name.
    Grammar(&'static str),
    /// The same with steps, whose traces have more holes.
    /// By the grammar of steps, from this rule.
    Steps(&'static str),
}

struct Family {
    kind: Kind,
    drawn: Drawn,
    /// Its own number, programs of it, traces of a program, and the most exchanges of these.
    number: u64,
    programs: u64,
    traces: usize,
    longest: usize,
}

const fn family(name: &'static str, drawn: Drawn, number: u64, programs: u64, longest: usize) -> Family {
    let kind = Kind { name, exactness: Exactness::Exact, domains: traces::domains };
    Family { kind, drawn, number, programs, traces: 3, longest }
}

const fn sound(family: Family, domains: fn() -> Domains) -> Family {
    Family { kind: Kind { exactness: Exactness::Sound, domains, ..family.kind }, ..family }
}

impl Family {
    /// Judges its programs by both.
    fn check(&self) {
        let mut tally = Tally::new();
        for mut rng in random::seeds(self.number, self.programs).map(Rng::new) {
            let (text, draw) = self.drawn.clone().program(&mut rng);
            let found = errors(&text);
            assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
            let file = oracle::load(&text);
            for _ in 0..self.traces {
                let length = 1 + rng.below(self.longest);
                self.kind.compare(&text, &draw(&mut rng, &file, length), &mut tally);
            }
        }
        eprintln!("{}: {tally:?}", self.kind.name);
        if let Drawn::Steps(_) = self.drawn {
            let unknown = tally.get("unknown by the validator").copied().unwrap_or_default();
            assert!(unknown * 100 < tally.values().sum(), "{tally:?}");
        }
    }
}

/// A trace of a program, and the same with one answer changed.
type Draw = Box<dyn Fn(&mut Rng, &File, usize) -> Vec<Trace>>;

impl Drawn {
    fn program(self, rng: &mut Rng) -> (String, Draw) {
        match self {
            Drawn::Machine(rule, choices) => {
                let draw = move |rng: &mut Rng, file: &File, length| {
                    let trace = traces::run_machine(rng, file, choices.clone(), length);
                    let changed = altered(rng, &trace, |rng| Json::from(rng.between(-6, 6)));
                    // A machine always answers.
                    let answers = changed.iter().all(|(_, answer)| *answer != Answer::Nothing);
                    [trace].into_iter().chain(answers.then_some(changed)).collect()
                };
                (grammar::program("machine", rule, rng), Box::new(draw))
            }
            Drawn::Protocol(unbounded) => {
                let program = protocol::random(rng, unbounded);
                let text = program.text.clone();
                let draw = move |rng: &mut Rng, file: &File, length| {
                    let trace = traces::run(rng, file, &program, length);
                    let invented = |rng: &mut Rng| program.declarations.json(rng, &program.response);
                    vec![altered(rng, &trace, invented), trace]
                };
                (text, Box::new(draw))
            }
            Drawn::Grammar(name) => {
                let draw = |rng: &mut Rng, file: &File, length| {
                    let trace = traces::run_integers(rng, file, length);
                    vec![altered(rng, &trace, |rng| Json::from(rng.between(-1, 4))), trace]
                };
                (grammar::program(name, "start", rng), Box::new(draw))
            }
            Drawn::Steps(start) => {
                let draw = |rng: &mut Rng, file: &File, length| {
                    let mut trace = traces::run_with_steps(rng, file, length, |rng| json!(rng.between(0, 8)));
                    for (_, answer) in &mut trace {
                        if *answer != Answer::Nothing && rng.percent(12) {
                            *answer = if rng.percent(50) { Answer::Hole } else { Answer::Lost };
                        }
                    }
                    vec![altered(rng, &trace, |rng| Json::from(rng.between(-1, 4))), trace]
                };
                (grammar::program("steps", start, rng), Box::new(draw))
            }
        }
    }
}

#[test]
fn machines_with_bounded_choices_agree_with_brute_force() {
    // Some machines multiply what they know not: a few seconds each.
    let family = family("machines", Drawn::Machine("bounded", traces::CHOICES), 0, 8, 5);
    let domains = || Domains::of(traces::CHOICES, &[]);
    Family { traces: 4, kind: Kind { domains, ..family.kind }, ..family }.check();
}

#[test]
fn machines_accept_all_that_they_produce() {
    let family = family("machines with any choice", Drawn::Machine("unbounded", SOME), 1, 8, 5);
    Family { traces: 4, ..sound(family, || Domains::of(SOME, &[])) }.check();
}

#[test]
fn protocols_with_bounded_choices_agree_with_brute_force() {
    let family = family("protocols", Drawn::Protocol(Unbounded::Forbidden), 3, 60, 5);
    Family { traces: 4, ..family }.check();
}

#[test]
fn protocols_accept_all_that_they_produce() {
    let family = family("protocols with any integer", Drawn::Protocol(Unbounded::Allowed), 2, 60, 5);
    Family { traces: 4, ..sound(family, traces::domains) }.check();
}

#[test]
fn guarded_protocols_agree_with_brute_force() {
    family("guarded protocols", Drawn::Grammar("guarded"), 5, 60, 4).check();
}

#[test]
fn protocols_with_hidden_keys_agree_with_brute_force() {
    family("hidden keys", Drawn::Grammar("hidden_keys"), 6, 40, 8).check();
}

#[test]
fn protocols_with_effects_that_may_be_agree_with_brute_force() {
    family("effects", Drawn::Grammar("effects"), 7, 80, 5).check();
}

#[test]
fn lists_with_hidden_contents_agree_with_brute_force() {
    family("lists", Drawn::Grammar("lists"), 8, 40, 8).check();
}

/// The oracle keeps every state that steps lead to; the judge follows only the steps that have to do with a request.
#[test]
fn steps_agree_with_brute_force() {
    family("steps", Drawn::Steps("start"), 17, 15, 6).check();
}

/// Procedures that return values, and are called by steps and handlers.
#[test]
fn values_of_procedures_agree_with_brute_force() {
    family("values", Drawn::Steps("values"), 19, 15, 6).check();
}

#[test]
fn random_programs_have_no_errors() {
    assert_eq!(errors("machine m { !1 := x; }").len(), 1);
    for mut rng in random::seeds(4, 100).map(Rng::new) {
        let grammars = ["machine", "guarded", "hidden_keys", "effects", "lists", "steps"];
        let starts = grammars.map(|name| (name, if name == "machine" { "unbounded" } else { "start" }));
        let drawn = starts.map(|(name, start)| grammar::program(name, start, &mut rng));
        for text in drawn.into_iter().chain([protocol::random(&mut rng, Unbounded::Allowed).text]) {
            let errors = errors(&text);
            assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
        }
    }
}
