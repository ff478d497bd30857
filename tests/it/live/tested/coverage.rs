//! Branches that were taken: each is found where it is, and generated requests come to nearly all of them.

use std::sync::Arc;

use mayhap::choice::Random;
use mayhap::coverage::SpecCoverage;
use mayhap::details::Observed;
use mayhap::generate::{GenerateSettings, Generator};
use mayhap::report::campaign::tested::FEW;
use mayhap::server::{Ranges, Reply, Server};
use mayhap::value::Value;
use mayhap::{Exchange, Spec};

use crate::shipped;

/// The requests of a run, and of all of them.
const RUN: usize = 100;
const REQUESTS: usize = 2_000;

/// The exchanges of a run with the specification as the server.
fn run(spec: &Arc<Spec>, generator: &mut Generator, choices: &mut Random) -> Vec<Exchange> {
    let mut server = Server::new(spec.clone(), Ranges::default(), choices).expect("a server");
    generator.begin_run(choices).expect("a run");
    let mut exchanges: Vec<Exchange> = Vec::new();
    while exchanges.len() < RUN {
        let state: Vec<Value> = server.state()[..spec.program.state_slots()].to_vec();
        let plan = generator.wave(&[&state], 2 * exchanges.len() as u64 + 1, choices).expect("a plan");
        for ask in plan.asks {
            let (client, request) = (ask.client, ask.request.value);
            generator.sent(&request);
            let reply = server.handle(&request, client, choices).expect("an answer");
            let observed = match reply {
                Reply::Answer(answer) => {
                    generator.answered(ask.label, &answer);
                    Observed::Answer(answer)
                }
                Reply::Nothing => Observed::Nothing,
            };
            exchanges.push(Exchange { line: exchanges.len() as u64 + 1, client, request, observed });
        }
    }
    exchanges
}

/// A branch that was taken less than ten times is counted exactly, although runs are looked at only if they may have taken one.
#[test]
fn what_is_not_looked_at_has_taken_no_branch_that_is_wanted() {
    let mut skipped = 0;
    for shipped in shipped::all() {
        let spec = shipped.compile().expect("a specification");
        let (mut all, mut wanted) = (SpecCoverage::new(&spec), SpecCoverage::new(&spec));
        let (mut generator, mut choices) = (Generator::new(&spec, GenerateSettings::default()), Random::new(3));
        for _ in 0..REQUESTS / RUN {
            let exchanges = run(&spec, &mut generator, &mut choices);
            let is_new = |exchange: &Exchange| wanted.may_bring(&exchange.request, exchange.observed.answer(), FEW);
            skipped += exchanges.iter().filter(|exchange| !is_new(exchange)).count();
            let is_whole = all.observe_run(&exchanges).is_whole;
            assert!(wanted.observe_wanted(&exchanges, FEW) || !is_whole, "{}", shipped.name);
            let counts = |coverage: &SpecCoverage| {
                let taken = coverage.branches().iter().map(|branch| (branch.line, branch.taken.min(FEW)));
                taken.collect::<Vec<_>>()
            };
            assert_eq!(counts(&wanted), counts(&all), "{}", shipped.name);
        }
    }
    assert!(skipped > 1_000, "only {skipped} requests brought nothing");
}

#[test]
fn generated_requests_come_to_nearly_all_branches() {
    let mut few = Vec::new();
    for shipped in shipped::all() {
        let spec = shipped.compile().expect("a specification");
        let (mut coverage, mut choices) = (SpecCoverage::new(&spec), Random::new(1));
        let mut generator = Generator::new(&spec, GenerateSettings::default());
        for _ in 0..REQUESTS / RUN {
            let exchanges = run(&spec, &mut generator, &mut choices);
            coverage.observe_run(&exchanges);
        }
        let (covered, all) = (coverage.covered(), coverage.branches().len());
        let never: Vec<String> = coverage.never().map(|branch| format!("{:?} {}", branch.kind, branch.line)).collect();
        let name = &shipped.name;
        println!(
            "{name}: {covered} of {all}, {:?} pairs, {:?} % forced, never {never:?}",
            coverage.pairs(),
            coverage.sharpness().percent()
        );
        assert!(all > 0, "{name}: no branches");
        // The data of 1 MiB that memcached refuses is never drawn. Synchronizers that do less than `sync` says take branches of their own,
        // which constants allow.
        let part = if name == "memcached" || name == "sync" { 8 } else { 9 };
        if covered * 10 < all * part {
            few.push(format!("{name}: {covered} of {all}, never {never:?}"));
        }
    }
    assert!(few.is_empty(), "{few:#?}");
}
