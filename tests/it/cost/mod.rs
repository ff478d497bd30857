//! What judging costs, counted: candidates, questions to Z3, what is kept of what is not known, work, passes for a witness.
//!
//! A row of [`table`] is a specification with exchanges, and limits. For example the hidden sum of a thousand hidden digits is
//! one candidate with one variable between two bounds, and a server whose explanations double with each exchange is rejected
//! or not known, in bounded work. No time is limited but that of what is too hard.

mod formulations;
mod lookups;
mod measure;
mod table;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::alone::alone;
use crate::judge::compiled;
use crate::shipped;
use mayhap::evidence::{WitnessError, witness_in_parts, witness_in_segments};
use mayhap::judge::Options;
use mayhap::scalar::Sort;
use mayhap::term::{Term, Var, made};
use mayhap::{Exchange, Validator, Verdict};
use measure::{Counted, kept, read, size_of_terms, stored, witness_cost};
use table::Row;

/// What holds of a specification, its exchanges and how they are judged.
#[derive(Clone, Copy)]
pub enum Limit {
    Accept,
    Reject,
    /// Nothing is known, for a reason that says one of these.
    Unknown(&'static str),
    /// The work had an end before everything was followed.
    Cut,
    Candidates(usize),
    /// Questions to Z3 in all, and about one exchange.
    Z3(u64),
    Z3Each(u64),
    /// No more questions to Z3 than from the known start, with all answers.
    Z3AsKnown,
    /// Of a hundred exchanges so many are searched for.
    SearchedPercent(u64),
    /// Forks in all, from the first to below the second.
    Forks(u64, u64),
    /// Passes over the memory, to compare.
    Projections(u64),
    /// Facts and terms that the candidates keep, after each exchange.
    Kept(usize),
    /// What the store of a candidate keeps, after each exchange.
    Stored(usize),
    /// How large the terms in memory are in the end.
    Terms(u32),
    /// Terms made for one exchange.
    Made(u64),
    Time(Duration),
    /// Values walked and questions asked for an exchange are at most a fifth more than with 200 keys, as the last pass over
    /// the memory may or may not be among them.
    AsWithFewKeys,
    /// A witness reads each exchange more than the first, and at most the second, number of times, and makes at most so
    /// many exchanges at once.
    Witness(f64, f64, usize),
}

use Limit::*;

impl Limit {
    /// Checks what is limited after each exchange, given the questions to Z3 and the terms made before it.
    fn check_each(self, validator: &Validator, (asked, terms): (u64, u64), exchange: &Exchange, what: &str) {
        let (found, most) = match self {
            Kept(most) => (kept(validator), most),
            Stored(most) => (stored(validator), most),
            Z3Each(most) => ((validator.statistics().z3_checks - asked) as usize, most as usize),
            Made(most) => ((made() - terms) as usize, most as usize),
            _ => return,
        };
        assert!(found <= most, "{what}: {found} after {}", exchange.line);
    }

    /// Checks what is limited in the end.
    fn check(self, validator: &Validator, time: Duration, row: &Row, name: &str) {
        let (counts, asked, verdict) = (validator.counts(), validator.statistics(), validator.verdict());
        let what = || format!("{name}: {verdict:?}, {counts:?}, {asked:?}");
        match self {
            Accept => assert!(verdict.is_accept(), "{}", what()),
            Reject => assert!(matches!(verdict, Verdict::Reject { .. }), "{}", what()),
            Unknown(why) => match &verdict {
                Verdict::Unknown { doubt, .. } => {
                    let said = doubt.to_string();
                    assert!(why.split('|').any(|part| said.contains(part)), "{name}: {said}");
                }
                _ => panic!("{}", what()),
            },
            Cut => assert!(validator.judge().is_cut(), "{name}: the limit was not reached"),
            Candidates(most) => assert!(counts.candidates_max <= most, "{}", what()),
            Z3(most) => assert!(asked.z3_checks <= most, "{}", what()),
            Z3AsKnown => {
                let (spec, exchanges) = row.of.known(name);
                let known = judged(&spec, &exchanges);
                assert!(known.verdict().is_accept() && asked.z3_checks <= known.statistics().z3_checks, "{}", what());
            }
            SearchedPercent(most) => assert!(asked.by_search * 100 <= most * counts.events, "{}", what()),
            Forks(least, below) => assert!((least..below).contains(&counts.forks), "{}", what()),
            Projections(most) => assert!(counts.projections <= most, "{}", what()),
            Terms(most) => assert!(size_of_terms(validator) <= most, "{name}: {}", size_of_terms(validator)),
            Time(most) => assert!(time <= most, "{name}: {time:?}"),
            AsWithFewKeys => {
                let (spec, exchanges) = row.of.with_few_keys();
                let few = judged(&spec, &exchanges);
                let others = row.limits.iter().filter(|limit| !matches!(limit, AsWithFewKeys));
                others.for_each(|limit| limit.check(&few, time, row, name));
                let (few, many) = (read(&few), read(validator));
                assert!(many.0 <= 1.2 * few.0 + 1.0 && many.1 <= 1.2 * few.1 + 0.1, "{name}: {many:?}, not {few:?}");
            }
            Kept(_) | Stored(_) | Z3Each(_) | Made(_) | Witness(..) => {}
        }
    }
}

fn judged(spec: &std::sync::Arc<mayhap::Spec>, exchanges: &[Exchange]) -> Validator {
    crate::judge::judged(spec, Options::default(), exchanges)
}

/// Judges each of the traces of a row, and checks its limits.
fn check(row: &Row) {
    let judged_too = row.limits.iter().any(|limit| !matches!(limit, Witness(..)));
    for (name, spec, exchanges) in row.of.traces() {
        if judged_too {
            let mut validator = Validator::with_options(&spec, (row.options)(Options::default()));
            let begun = Instant::now();
            for exchange in &exchanges {
                let before = (validator.statistics().z3_checks, made());
                let goes_on = validator.observe_exchange(exchange);
                row.limits.iter().for_each(|limit| limit.check_each(&validator, before, exchange, &name));
                if !goes_on {
                    break;
                }
            }
            let time = begun.elapsed();
            row.limits.iter().for_each(|limit| limit.check(&validator, time, row, &name));
        }
        for limit in row.limits {
            if let Witness(least, most, longest) = *limit {
                let (passes, held) = witness_cost(&name, &spec, exchanges.clone());
                assert!(passes > least && passes <= most && held <= longest, "{name}: {passes} passes, {held} held");
            }
        }
    }
}

#[test]
fn work_has_an_end() {
    table::EFFORT.iter().for_each(check);
}

#[test]
fn work_that_a_thread_did_before_does_not_count() {
    for id in 0..=10_000 {
        let _ = Term::var(Var { id, sort: Sort::Int }).add(&Term::int(1));
    }
    assert!(made() > 10_000, "{}", made());
    check(&table::BEHIND_MUCH_WORK);
}

/// What is measured is the memory of the process, which other tests would take, too, and leave to it.
#[test]
fn memory_for_explanations_is_limited() {
    alone("cost::memory_for_explanations_is_limited", || check(&table::LITTLE_MEMORY));
}

#[test]
fn hidden_branches_need_few_candidates() {
    table::HIDDEN.iter().for_each(check);
}

#[test]
fn relations_and_steps_need_few_candidates() {
    table::RELATED.iter().for_each(check);
}

#[test]
fn gaps_and_unknown_starts_need_few_candidates() {
    table::UNKNOWN.iter().for_each(check);
}

#[test]
fn many_keys_cost_no_more_than_few() {
    table::KEYS.iter().for_each(check);
}

#[test]
fn z3_is_asked_rarely() {
    table::BEYOND.iter().for_each(check);
}

#[test]
fn witnesses_of_shipped_specifications_are_made_in_one_pass() {
    table::SHIPPED_WITNESSES.iter().for_each(check);
}

#[test]
fn witnesses_of_hidden_branches_are_made_in_few_passes() {
    table::WITNESSES.iter().for_each(check);
}

#[test]
fn no_more_is_read_once_no_more_is_wanted() {
    let spec = compiled("protocol echo { request int; response int; on q { reply q; } }");
    let counted = Counted::new((0..20_000).map(|at| format!("{{\"q\":{at},\"a\":{at}}}\n")).collect(), &spec);
    let mut given = 0;
    let stop = &mut |_| {
        given += 1;
        ControlFlow::Break(())
    };
    assert_eq!(witness_in_parts(&spec, &Options::default(), &counted, stop), Err(WitnessError::Stopped));
    assert!(counted.read() <= table::OPEN, "{}", counted.read());
    assert_eq!(witness_in_segments(&spec, &Options::default(), &counted, 100, stop), Err(WitnessError::Stopped));
    assert_eq!(given, 2);
}

#[test]
fn nearly_all_shipped_specifications_can_start_unknown() {
    let unknown = shipped::all().iter().filter(|shipped| shipped.unknown().is_some()).count();
    assert!(unknown > 12, "only {unknown} specifications can start unknown");
}
