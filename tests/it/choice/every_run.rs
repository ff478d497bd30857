//! Exploring: every run exactly once whatever the strategy, interruptions and divisions included, and each mistake of a
//! program told by its name.
//!
//! The programs are random choice trees: a seed says what is asked at each node, so that all runs are known by recursion.

use mayhap::choice::{
    BreadthFirst, ChoiceError, Choices, Chooser, Continued, Ended, Explore, Label, Odometer, Random, Replay, Report,
    Sampled, Step, Strategy, explore, token,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const LABELS: [Label; 3] = ["who", "which way", "crash"];

/// What a random tree asks at a node: the label and the arity, or nothing at a leaf.
fn asks(seed: u64, path: &[usize]) -> Option<(Label, usize)> {
    let index = path.iter().fold(7, |hash: u64, pick| hash.wrapping_mul(31).wrapping_add(1 + *pick as u64));
    let mut random = Random::of_run(seed, index);
    let is_leaf = path.len() >= 6 || (!path.is_empty() && random.choose("leaf", 4) == Ok(0));
    let label = LABELS[random.choose("label", LABELS.len()).unwrap()];
    (!is_leaf).then(|| (label, 1 + random.choose("arity", 4).unwrap()))
}

/// All paths of a tree, in lexicographic order.
fn leaves(seed: u64, path: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    let Some((_, arity)) = asks(seed, path) else { return all.push(path.clone()) };
    for pick in 0..arity {
        path.push(pick);
        leaves(seed, path, all);
        path.pop();
    }
}

fn all_leaves(seed: u64) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    leaves(seed, &mut Vec::new(), &mut all);
    all
}

/// Walks the tree by the chooser's picks.
fn walk(seed: u64, c: &mut Chooser) -> Vec<usize> {
    let mut path = Vec::new();
    while let Some((label, arity)) = asks(seed, &path) {
        path.push(c.choose(label, arity));
    }
    path
}

fn visits<S: Strategy>(seed: u64, search: &mut Explore<S>) -> (Vec<Vec<usize>>, Report) {
    let mut visited = Vec::new();
    let report = search.run(|c| visited.push(walk(seed, c)));
    (visited, report)
}

fn resumed(seed: u64, saved: &str) -> Odometer {
    Odometer::resume(saved, 100, |c| _ = walk(seed, c)).unwrap()
}

#[test]
fn every_strategy_visits_every_run_once() {
    for seed in 0..60 {
        let mut expected = all_leaves(seed);
        let (visited, report) = visits(seed, &mut Explore::new(Odometer::new()));
        assert_eq!(visited, expected, "depth-first is lexicographic");
        assert_eq!((report.ended, report.runs as usize), (Ended::Exhausted, expected.len()));
        let mut visited = Vec::new();
        let few = Explore::new(Odometer::new()).run_if_few(1_000, |c| visited.push(walk(seed, c)));
        assert_eq!(few.is_some(), expected.len() <= 1_000);
        if let Some(report) = few {
            assert_eq!((visited, report.ended), (expected.clone(), Ended::Exhausted));
        }
        // Choices among one are not steps: without them a path is as long as its run.
        let (visited, report) = visits(seed, &mut Explore::new(BreadthFirst::new()));
        let branches = |path: &Vec<usize>| (0..path.len()).filter(|&at| asks(seed, &path[..at]).unwrap().1 > 1).count();
        expected.sort_by_key(branches);
        assert_eq!((visited, report.ended), (expected, Ended::Exhausted));
    }
}

#[test]
fn a_search_interrupted_anywhere_and_resumed_visits_every_run_once() {
    for seed in 0..12 {
        let expected = all_leaves(seed);
        for stop in 0..expected.len().min(200) {
            let mut search = Explore::new(Odometer::new());
            let mut visited = Vec::new();
            if stop > 0 {
                search = search.watched(|so_far| match so_far.runs as usize {
                    runs if runs == stop => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                });
                let report = search.run(|c| visited.push(walk(seed, c)));
                assert_eq!(report.ended, Ended::Interrupted);
            }
            let saved: Vec<String> = search.rest().iter().map(Odometer::save).collect();
            let rest = saved.iter().map(|saved| resumed(seed, saved)).collect();
            visited.extend(visits(seed, &mut Explore::of(rest)).0);
            assert_eq!(visited, expected, "seed {seed}, interrupted after {stop}");
        }
    }
}

#[test]
fn a_search_that_a_run_interrupts_goes_on_with_that_run() {
    /// Each run once, though every third one is interrupted, at its end, the first time.
    fn check<S: Strategy>(seed: u64, strategy: S, expected: &[Vec<usize>]) {
        let (mut visited, mut begun, mut search) = (Vec::new(), 0, Explore::new(strategy));
        loop {
            let mut interrupted = false;
            let before = visited.len() as u64;
            let report = search.run(|c| {
                let path = walk(seed, c);
                begun += 1;
                interrupted = begun % 3 == 0;
                if interrupted {
                    return Err(c.interrupt());
                }
                visited.push(path);
                Ok(())
            });
            assert_eq!((report.runs, report.failed, report.mistake), (visited.len() as u64 - before, 0, None));
            if !interrupted {
                break;
            }
            assert_eq!((report.ended, search.rest().len()), (Ended::Interrupted, 1));
        }
        visited.sort();
        assert_eq!(visited, expected, "seed {seed}");
    }
    for seed in 0..12 {
        let expected = all_leaves(seed);
        check(seed, Odometer::new(), &expected);
        check(seed, BreadthFirst::new(), &expected);
        check(seed, Continued::new(Vec::new(), Odometer::new()), &expected);
        let drawn = |threads: usize, limit: u64| {
            let (begun, paths) = (std::sync::atomic::AtomicU64::new(0), std::sync::Mutex::new(Vec::new()));
            let mut search = Explore::new(Sampled::new(seed, 300));
            let program = |c: &mut Chooser| {
                let path = walk(seed, c);
                if begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == limit {
                    return Err(c.interrupt());
                }
                paths.lock().unwrap().push(path);
                Ok(())
            };
            let first = search.run_on(threads, program);
            assert_eq!(first.ended, if limit < 300 { Ended::Interrupted } else { Ended::Sampled });
            let second = search.run_on(threads, program);
            assert_eq!((first.runs + second.runs, second.ended), (300, Ended::Sampled));
            let mut paths = paths.into_inner().unwrap();
            paths.sort();
            paths
        };
        assert_eq!([drawn(1, 100), drawn(3, 100), drawn(2, 299)], [(); 3].map(|()| drawn(1, 1_000)));
    }
    // A run that was interrupted first is still the first one.
    let mut search = Explore::new(Odometer::new());
    search.run(|c| if c.flip("coin") { Ok(()) } else { Err(c.interrupt()) });
    let saved = search.rest()[0].save();
    assert_eq!(explore(Odometer::resume(&saved, 9, |c| _ = c.flip("coin")).unwrap(), |c| _ = c.flip("coin")).runs, 2);
    let in_vain = Odometer::resume(&Odometer::below(vec![]).save(), 9, |c| Err::<(), _>(c.interrupt()));
    assert_eq!(in_vain.map(drop), Ok(()), "nothing was saved of the first run");
    search.run(|c| if c.flip("coin") { Err(c.interrupt()) } else { Ok(()) });
    let in_vain = Odometer::resume(&search.rest()[0].save(), 9, |c| Err::<(), _>(c.interrupt()));
    assert_eq!(in_vain, Err(token::TokenError::Interrupted));
}

#[test]
fn a_search_divided_visits_every_run_once() {
    for seed in 0..12 {
        let expected = all_leaves(seed);
        for (parts, before) in [(2, 1), (7, 1), (64, 1), (2, 5), (7, 20), (64, 3)] {
            let mut search = Explore::new(Odometer::new()).runs(before);
            let mut visited = visits(seed, &mut search).0;
            let rest = search.rest().first().cloned();
            let divided = rest.map_or_else(Vec::new, |rest| rest.split_into(parts));
            assert!(divided.is_empty() || divided.len() == parts);
            for part in divided {
                let resumed = resumed(seed, &part.save());
                assert_eq!(resumed.save(), part.save());
                visited.extend(visits(seed, &mut Explore::new(resumed)).0);
            }
            visited.sort();
            assert_eq!(visited, expected, "seed {seed}, {parts} parts after {before}");
        }
    }
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    fn program(seed: u64, c: &mut Chooser) -> Result<(), String> {
        let path = walk(seed, c);
        c.assume("not too even", path.iter().sum::<usize>() % 11 != 3);
        assert!(path.len() < 6 || path.iter().sum::<usize>() % 5 != 2, "two modulo five");
        if path.ends_with(&[1, 1]) { Err("it ends in ones".into()) } else { Ok(()) }
    }
    for seed in 0..20 {
        for runs in [u64::MAX, 100] {
            let on = |threads| Explore::new(Odometer::new()).runs(runs).run_on(threads, |c| program(seed, c));
            let one = on(1);
            for threads in [2, 3, 8, 0] {
                assert_eq!(on(threads), one, "seed {seed}, {threads} threads");
            }
            if runs == u64::MAX {
                assert_eq!(explore(Odometer::new(), |c| program(seed, c)), one, "seed {seed}, in order");
            }
            let sample = |threads| Explore::new(Sampled::new(seed, 50)).run_on(threads, |c| program(seed, c));
            assert_eq!(sample(1), sample(3));
        }
    }
}

#[test]
fn exploring_works_inside_itself() {
    let outer = explore(Odometer::new(), |c| {
        let size = c.choose("size", 4) + 1;
        let inner = explore(Odometer::new(), |d| {
            // The outer run may end inside the inner one: it escapes through it.
            c.assume("small", size < 4);
            assert!(d.choose("element", size) < 2, "two");
        });
        assert!(inner.runs as usize == size && inner.failed as usize == size.saturating_sub(2));
    });
    outer.expect_exhausted();
    assert_eq!((outer.runs, outer.refused), (3, 1));
}

#[test]
fn the_bound_on_runs_is_kept() {
    for threads in [1, 3] {
        for runs in [0, 1, 5, 999] {
            let mut search = Explore::new(Odometer::new()).runs(runs);
            let report = search.run_on(threads, |c| (0..20).for_each(|_| _ = c.flip("bit")));
            assert_eq!((report.runs, report.ended), (runs, Ended::Runs));
        }
    }
}

#[test]
fn to_choose_from_nothing_names_the_place() {
    let report = explore(Odometer::new(), |c| {
        let waiting = c.choose("how many wait", 2);
        c.choose("which of them", waiting);
    });
    let mistake = report.mistake.unwrap();
    assert_eq!(mistake.error, ChoiceError::Empty { label: "which of them" });
    assert_eq!(mistake.run, [Step { label: "how many wait", arity: 2, pick: 0 }]);
    assert_eq!(report.ended, Ended::Mistake);
}

#[test]
fn a_program_that_asks_for_something_else_on_replay_is_not_deterministic() {
    let mut runs = 0;
    let mut asking = |labels: [Label; 2], arities: [usize; 2]| {
        runs = 0;
        let report = explore(Odometer::new(), |c| {
            let again = usize::from(runs > 0);
            runs += 1;
            c.choose(labels[again], arities[again]);
            c.choose("behind", 2);
        });
        report.mistake.unwrap().error.to_string()
    };
    let message = asking(["who", "who"], [2, 3]);
    assert!(message.contains("choice 1 was `who` among 2 when it was recorded, now it is `who` among 3"), "{message}");
    let message = asking(["who", "what"], [2, 2]);
    assert!(message.contains("choice 1 was `who` among 2 when it was recorded, now it is `what` among 2"), "{message}");
    let mut runs = 0;
    let report = explore(Odometer::new(), |c| {
        runs += 1;
        if runs == 1 {
            c.choose("first", 2);
            c.choose("second", 2);
        }
    });
    let message = report.mistake.unwrap().error.to_string();
    assert!(message.contains("2 recorded choices left, the first is `first`"), "{message}");
}

#[test]
fn an_escape_must_not_be_swallowed() {
    let swallowed = |program: fn(&mut Chooser)| {
        let report = explore(Odometer::new(), program);
        report.mistake.expect("the escape was swallowed").error
    };
    let returned = swallowed(|c| _ = c.try_assume("never", false));
    assert_eq!(returned, ChoiceError::Swallowed { label: "never" });
    let asked = swallowed(|c| {
        _ = c.try_assume("never", false);
        c.choose("on and on", 2);
    });
    assert_eq!(asked, ChoiceError::Swallowed { label: "on and on" });
    let caught = swallowed(|c| {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| c.assume("never", false)));
        assert!(caught.is_err());
    });
    assert_eq!(caught, ChoiceError::Swallowed { label: "never" });
    let breadth = explore(BreadthFirst::new(), |c| _ = c.try_choose("later", 2)).mistake.unwrap().error;
    assert_eq!(breadth, ChoiceError::Swallowed { label: "later" });
    // Passing an error on is what it is for, and a mistake is told as itself.
    let passed = explore(Odometer::new(), |c| -> Result<(), ChoiceError> { c.try_assume("never", false) });
    assert_eq!((passed.refused, passed.runs, passed.mistake), (1, 0, None));
    let empty = swallowed(|c| _ = c.try_choose("nothing", 0));
    assert_eq!(empty, ChoiceError::Empty { label: "nothing" });
}

#[test]
fn choosing_while_unwinding_does_not_abort() {
    struct Chooses<'c, 's>(&'c mut Chooser<'s>);
    impl Drop for Chooses<'_, '_> {
        fn drop(&mut self) {
            self.0.choose("in drop", 2);
        }
    }
    let report = explore(Odometer::new(), |c| Chooses(c).0.assume("never", false));
    assert_eq!(report.mistake.unwrap().error, ChoiceError::Swallowed { label: "in drop" });
}

#[test]
fn what_is_cut_is_counted_and_nothing_is_exhausted_then() {
    let spin = |c: &mut Chooser| while c.flip("again") {};
    let report = Explore::new(Odometer::new()).choices(50).run(spin);
    assert_eq!((report.runs, report.cut, report.ended), (50, 1, Ended::Cut));
    let cut = report.first_cut.clone().unwrap();
    assert_eq!((cut.error, cut.run.len()), (ChoiceError::Cut { label: "again", bound: 50 }, 50));
    assert!(report.to_string().starts_with("not exhausted: 50 runs to their end, 1 more cut, none failed"), "{report}");
    assert!(std::panic::catch_unwind(|| report.expect_passed()).is_err());
    // One that never chooses among two never ends either.
    let one = Explore::new(Odometer::new()).choices(50).run(|c| while c.choose("nothing else", 1) == 0 {});
    assert_eq!((one.runs, one.cut, one.ended), (0, 1, Ended::Cut));
}

#[test]
fn a_program_that_never_ends_is_told_so() {
    fn spin(c: &mut Chooser) {
        loop {
            c.choose("for ever", 2);
        }
    }
    let report = Explore::new(Odometer::new()).choices(50).run(spin);
    assert_eq!((report.runs, report.cut, report.ended), (0, 100, Ended::Endless));
    assert!(
        report
            .to_string()
            .starts_with("not exhausted: gave up after 100 runs, each of which was cut, none failed\ncut: `for ever`"),
        "{report}"
    );
    for strategy_ends in [1, 4].map(|threads| Explore::new(Odometer::new()).choices(50).run_on(threads, spin).ended) {
        assert_eq!(strategy_ends, Ended::Endless);
    }
    assert_eq!(explore(Sampled::new(1, 1_000_000), spin).ended, Ended::Endless);
    // That some run does end is not denied where only others were visited.
    let mostly = |c: &mut Chooser| while c.choose("which way", 200) < 150 && c.choose("on", 1) == 0 {};
    let report = Explore::new(Odometer::new()).choices(50).run(mostly);
    assert!(report.to_string().starts_with("not exhausted: gave up after 100 runs"), "{report}");
    let sampled = Explore::new(Sampled::new(1, 1_000)).choices(50).run(mostly);
    assert_eq!((sampled.ended, sampled.runs + sampled.cut), (Ended::Sampled, 1_000));
}

#[test]
fn failures_have_their_shortest_run_and_a_token_that_shows_them_again() {
    let program = |c: &mut Chooser| {
        let list: Vec<usize> = (0..3).take_while(|_| c.flip("more")).map(|_| 1).collect();
        assert!(list.len() != 2, "two");
        if list.len() == 3 { Err(format!("{} are too many", list.len())) } else { Ok(()) }
    };
    for threads in [0, 1] {
        let report = Explore::new(Odometer::new()).run_on(threads, program);
        assert_eq!((report.runs, report.failed, report.failures.len()), (4, 2, 2));
        for failure in &report.failures {
            let run = token::read(&failure.token()).unwrap();
            assert_eq!(run.len(), 3);
            let again = explore(Replay::new(run), program);
            assert_eq!((again.failed, &again.failures[0].message), (1, &failure.message));
        }
        let panic = report.failures.iter().find(|failure| failure.message.ends_with(": two")).unwrap();
        assert!(panic.message.starts_with("tests/it/choice/every_run.rs:"), "{}", panic.message);
    }
    let sampled = Explore::new(Sampled::new(3, 2_000)).until_failure().run(|c| {
        assert!((0..30).map(|_| c.choose("digit", 10)).filter(|digit| *digit == 3).count() < 2);
    });
    assert_eq!(sampled.ended, Ended::Failure);
    let picks: Vec<usize> = sampled.failures[0].run.iter().map(|step| step.pick).collect();
    assert_eq!(picks, [vec![0; 28], vec![3, 3]].concat(), "it was made smaller");
}

#[test]
fn a_search_goes_on_behind_a_beginning() {
    for seed in 0..20 {
        for leaf in all_leaves(seed).iter().step_by(7) {
            let half: Vec<Step> = (0..leaf.len() / 2)
                .map(|at| (asks(seed, &leaf[..at]).unwrap(), leaf[at]))
                .filter(|((_, arity), _)| *arity > 1)
                .map(|((label, arity), pick)| Step { label, arity, pick })
                .collect();
            let expected: Vec<_> =
                all_leaves(seed).into_iter().filter(|other| other.starts_with(&leaf[..leaf.len() / 2])).collect();
            let behind = Continued::new(half.clone(), Odometer::new());
            assert_eq!(visits(seed, &mut Explore::new(behind)).0, expected);
            assert_eq!(visits(seed, &mut Explore::new(Odometer::below(half))).0, expected);
        }
    }
}

#[test]
fn a_program_with_weights_is_enumerated_without_what_cannot_be() {
    let mut seen = BTreeSet::new();
    explore(Odometer::new(), |c| _ = seen.insert(c.weighted("animal", &[3, 0, 1, 0])));
    assert_eq!(seen, BTreeSet::from([0, 2]));
    let nothing = explore(Odometer::new(), |c| _ = c.weighted("animal", &[0, 0])).mistake.unwrap();
    assert_eq!(nothing.error, ChoiceError::Empty { label: "animal" });
}

#[test]
fn a_token_that_is_damaged_or_of_another_kind_is_refused() {
    let run = vec![Step { label: "odd: label, with é and %", arity: 5, pick: 4 }; 3];
    let text = token::write(&run);
    assert!(!text.contains([' ', '"', '\'', '$', '*', '&', ';', '(']), "{text}");
    assert_eq!(token::read(&text), Ok(run));
    assert_eq!(token::read(&Odometer::new().save()), Err(token::TokenError::OtherKind));
    assert_eq!(Odometer::resume(&text, 9, |_| ()), Err(token::TokenError::OtherKind));
    for at in 3..text.len() {
        if text.is_char_boundary(at) {
            assert!(token::read(&text[..at]).is_err(), "cut at {at}");
            assert!(token::read(&[&text[..at], "7", &text[at..]].concat()).is_err(), "changed at {at}");
        }
    }
    assert_eq!(token::read("hello"), Err(token::TokenError::NoToken));
}

#[test]
fn a_resumed_search_refuses_a_changed_program() {
    let original = |c: &mut Chooser| _ = (c.choose("a", 3), c.choose("b", 3));
    let changed: [fn(&mut Chooser); 5] = [
        |c| _ = (c.choose("a", 4), c.choose("b", 3)),
        |c| _ = (c.choose("a", 3), c.choose("b", 4)),
        |c| _ = (c.choose("a", 3), c.choose("c", 3)),
        |c| _ = c.choose("a", 3),
        |c| _ = (c.choose("a", 3), c.choose("b", 3), c.choose("c", 2)),
    ];
    for runs in 1..9 {
        let mut search = Explore::new(Odometer::new()).runs(runs);
        search.run(original);
        let saved = search.rest()[0].save();
        for changed in changed {
            assert_eq!(Odometer::resume(&saved, 9, changed), Err(token::TokenError::OtherProgram));
        }
        let same = explore(Odometer::resume(&saved, 9, original).unwrap(), original);
        assert_eq!((same.runs, same.mistake), (9 - runs, None));
        // What has changed elsewhere than in the first run is seen where the prefix is repeated.
        let rest = Odometer::resume(&saved, 9, original).unwrap();
        let other = explore(rest, |c| _ = (c.choose("a", 3), c.choose("b", if runs % 3 == 0 { 3 } else { 4 })));
        assert_eq!(other.mistake.is_some(), runs % 3 != 0);
    }
}

#[test]
fn one_is_told_in_the_singular() {
    let cut = ChoiceError::Cut { label: "coin", bound: 1 };
    assert_eq!(cut.to_string(), "`coin` asks for more than 1 choice");
    let unused = ChoiceError::Unused { label: "coin", left: 1 };
    assert!(unused.to_string().starts_with("the run ended with 1 recorded choice left"), "{unused}");
    let fails = |c: &mut Chooser| if c.choose("coin", 2) == 0 { Err("tails") } else { Ok(()) };
    let report = Explore::new(Odometer::new()).until_failure().run(fails);
    assert!(report.to_string().starts_with("not exhausted: 1 run until one failed"), "{report}");
}

proptest! {
    #[test]
    fn exploring_works_inside_a_property_test(limit in 1_usize..5, arity in 1_usize..4) {
        let report = explore(Odometer::new(), |c| {
            let sum: usize = (0..limit).map(|_| c.choose("digit", arity)).sum();
            assert!(sum < limit * arity);
        });
        report.expect_exhausted();
        prop_assert_eq!(report.runs as usize, arity.pow(limit as u32));
    }

    #[test]
    fn any_run_is_its_token(steps in prop::collection::vec((0_usize..3, 2_usize..9, 0_usize..99), 0..40)) {
        let run: Vec<Step> = steps.into_iter()
            .map(|(label, arity, pick)| Step { label: LABELS[label], arity, pick: pick % arity })
            .collect();
        prop_assert_eq!(token::read(&token::write(&run)), Ok(run));
    }
}
