//! Planted bugs of many kinds, made as small as they can be: random failing runs of twenty programs, from several seeds,
//! and runs of ten thousand steps of programs that go on until they fail.
//!
//! The least run of each is known. Where a breadth-first search finds it, it is searched for as well.

use crate::choice::bugs::{self, Bug};
use mayhap::choice::shrink::{Bounds, Minimum, Shrunk, shrink};
use mayhap::choice::{BreadthFirst, Chooser, Explore, Random, Sampled, Step, shortlex};

/// The random failing runs that each bug is tried with.
const SEEDS: u64 = 8;

fn picks(run: &[Step]) -> Vec<usize> {
    run.iter().map(|step| step.pick).collect()
}

/// Makes a run smaller within the bounds there are where nothing is said; what ended it is said truly.
fn shrunk(bug: &Bug, run: &[Step]) -> Shrunk {
    let bounds = Bounds::default();
    let shrunk = shrink(run, bounds, bug.program).expect(bug.name);
    assert!(shrunk.reruns <= bounds.reruns, "{}: {} runs", bug.name, shrunk.reruns);
    if shrunk.minimum == Minimum::Unfinished {
        assert_eq!(shrunk.reruns, bounds.reruns, "{}: there was more to try with", bug.name);
    }
    if shrunk.minimum == Minimum::Proved {
        assert_eq!(picks(&shrunk.run), bug.least, "{}: proved", bug.name);
    }
    shrunk
}

#[test]
fn twenty_bugs_of_other_kinds_shrink_to_their_minima() {
    let bugs = bugs::all();
    assert_eq!(bugs.len(), 20);
    for seed in 1..=SEEDS {
        let mut exact = 0;
        for bug in &bugs {
            let begun = bugs::failing(bug.program, seed).expect(bug.name);
            let shrunk = shrunk(bug, &begun);
            let (made, length) = (picks(&shrunk.run), shrunk.run.len());
            let is_least = made == bug.least;
            exact += usize::from(is_least);
            assert!(length <= 2 * bug.least.len(), "{} from seed {seed}: {made:?}, not {:?}", bug.name, bug.least);
            let verdict = if is_least { "exact" } else { "NOT LEAST" };
            let (reruns, minimum) = (shrunk.reruns, shrunk.minimum);
            println!("{:36} {seed} {verdict:9} {reruns:5} runs, {minimum:?}, {} to {length}", bug.name, begun.len());
        }
        assert!(exact >= 18, "{exact} of 20 from seed {seed}");
    }
}

#[test]
fn programs_that_go_on_until_they_fail_shrink_to_what_matters() {
    for it in bugs::loops::all() {
        for seed in 1..=3 {
            let begun = bugs::loops::failing(&it, seed).expect(it.bug.name);
            let shrunk = shrunk(&it.bug, &begun);
            println!("{:20} {seed} {:5} runs, {} to {}", it.bug.name, shrunk.reruns, begun.len(), shrunk.run.len());
            let made = picks(&shrunk.run);
            assert!(made == it.bug.least, "{} from seed {seed}: {:?} …", it.bug.name, &made[..made.len().min(20)]);
        }
        let longest = (1..=3).filter_map(|seed| bugs::loops::failing(&it, seed)).map(|run| run.len()).max();
        assert!(longest >= Some(bugs::loops::STEPS - 20), "{}: only {longest:?} steps", it.bug.name);
    }
}

/// What the table says is the least is the first one that a search of all runs finds, shorter ones first.
#[test]
fn the_minima_of_small_worlds_are_the_first_that_fail() {
    const SMALL: [&str; 9] = [
        "two lists, the other reversed",
        "brackets that cross",
        "a palindrome",
        "a request that is applied twice",
        "two threads that lose an update",
        "a node that is used again",
        "a wake-up that is lost",
        "messages out of order",
        "a priority that is turned round",
    ];
    let bugs: Vec<Bug> = bugs::all().into_iter().filter(|bug| SMALL.contains(&bug.name)).collect();
    assert_eq!(bugs.len(), SMALL.len());
    for bug in bugs {
        let report = Explore::new(BreadthFirst::new()).until_failure().shrinking(0).run(bug.program);
        assert_eq!(picks(&report.failures[0].run), bug.least, "{}", bug.name);
    }
}

/// No local minimum where there was no budget to try the rest.
#[test]
fn a_search_that_its_budget_ended_is_unfinished() {
    let loops = bugs::loops::all();
    let begun = bugs::loops::failing(&loops[0], 1).unwrap();
    let whole = shrink(&begun, Bounds::default(), loops[0].bug.program).unwrap();
    assert_eq!(whole.minimum, Minimum::Local);
    let mut smaller = begun.len();
    for reruns in [1, 2, 10, 100, 500, whole.reruns - 1] {
        let cut = shrink(&begun, Bounds { reruns, ..Bounds::default() }, loops[0].bug.program).unwrap();
        assert_eq!((cut.reruns, cut.minimum), (reruns, Minimum::Unfinished));
        assert!(cut.run.len() <= smaller, "more runs make no longer run");
        smaller = cut.run.len();
    }
}

/// A program that is nothing but a table of numbers: places with many alternatives and few, with labels in common.
fn drawn_program(c: &mut Chooser, seed: u64) {
    const LABELS: [&str; 4] = ["a", "b", "c", "d"];
    let mut random = Random::new(seed);
    let mut number = |bound: usize| mayhap::choice::Choices::choose(&mut random, "number", bound).unwrap();
    let (places, goal) = (2 + number(5), 3 + number(20));
    let arities: Vec<usize> = (0..places).map(|_| [2, 3, 7, 100, usize::MAX, usize::MAX / 2 + 7][number(6)]).collect();
    let labels: Vec<&str> = (0..places).map(|_| LABELS[number(4)]).collect();
    let steps: Vec<Vec<usize>> = (0..places).map(|_| (0..5).map(|_| number(places)).collect()).collect();
    let (mut place, mut sum) = (0, 0_usize);
    for _ in 0..200 {
        let pick = c.choose(labels[place], arities[place]);
        sum = sum.wrapping_add(pick % 11);
        place = steps[place][pick % 5];
        assert!(place != 1 || sum % 23 < goal, "it fails");
        if place == 0 && sum % 7 == 1 {
            return;
        }
    }
}

/// Whatever the program is: no panic but its own, a run that fails and is no larger, and the same one again.
#[test]
fn any_program_is_made_smaller_without_harm() {
    let mut failed = 0;
    for seed in 0..300 {
        let program = |c: &mut Chooser| drawn_program(c, seed);
        let report = Explore::new(Sampled::new(seed, 20)).shrinking(0).run(program);
        let Some(failure) = report.failures.first() else { continue };
        failed += 1;
        let bounds = Bounds { reruns: 400, ..Bounds::default() };
        let shrunk = shrink(&failure.run, bounds, program).expect("it fails");
        assert!(shortlex(&shrunk.run, &failure.run).is_le(), "seed {seed}");
        let again = shrink(&shrunk.run, Bounds { reruns: 1, ..bounds }, program).expect("it still fails");
        assert_eq!((again.run, again.message), (shrunk.run.clone(), shrunk.message.clone()), "seed {seed}");
        assert_eq!(shrink(&failure.run, bounds, program), Some(shrunk), "seed {seed}: the same again");
    }
    assert!(failed >= 100, "{failed}");
}
