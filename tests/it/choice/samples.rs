//! Samples: as many runs as are asked for, drawn without favour, whoever draws them; and whether there are few runs.
//!
//! What is drawn is a function of the seed, so that the numbers here never change.

use mayhap::choice::{Chooser, Ended, Explore, Odometer, RunCounts, Sampled, explore};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[test]
fn as_many_runs_are_drawn_as_are_asked_for_and_none_is_favoured() {
    for runs in [1, 2, 1_000, 1_030, 4_000] {
        let first = |threads: usize| {
            let mut picks = [(); 4].map(|()| AtomicU64::new(0));
            let program = |c: &mut Chooser| {
                let first = c.choose("digit", 4);
                (1..12).for_each(|_| _ = c.choose("digit", 4));
                picks[first].fetch_add(1, Relaxed);
            };
            let mut search = Explore::new(Sampled::new(7, runs));
            let report = if threads == 0 { search.run(program) } else { search.run_on(threads, program) };
            assert_eq!(
                report.to_string(),
                format!("sampled {runs} run{}, none failed", if runs == 1 { "" } else { "s" })
            );
            picks.each_mut().map(|count| *count.get_mut())
        };
        let picks = first(0);
        assert_eq!(picks.iter().sum::<u64>(), runs);
        assert_eq!([first(1), first(2), first(5)], [picks; 3]);
        if runs >= 1_000 {
            let fair = runs / 4 - runs / 20..runs / 4 + runs / 20;
            assert!(picks.iter().all(|count| fair.contains(count)), "{picks:?} of {runs}");
        }
    }
    // Of a small space as many, too, and it is never exhausted; also where what is left is visited later.
    let mut search = Explore::new(Sampled::new(1, 100)).runs(30);
    for (visited, ended) in [(30, Ended::Runs), (30, Ended::Runs), (30, Ended::Runs), (10, Ended::Sampled)] {
        let report = search.run_on(2, |c| _ = c.flip("coin"));
        assert_eq!((report.runs, report.ended), (visited, ended));
    }
    assert_eq!(search.run_on(2, |_| ()).ended, Ended::Sampled);
}

#[test]
fn few_runs_are_known_to_be_few_and_more_at_once() {
    let visited = |limit: u64, program: fn(&mut Chooser)| {
        let mut visited = 0;
        let report = Explore::new(Odometer::new()).run_if_few(limit, |c| {
            visited += 1;
            program(c);
        });
        (report.map(|report| (report.runs + report.refused + report.cut, report.ended)), visited)
    };
    let twelve = |c: &mut Chooser| _ = (c.choose("a", 3), c.choose("b", 4));
    assert_eq!(visited(12, twelve), (Some((12, Ended::Exhausted)), 12));
    assert_eq!(visited(11, twelve).0, None);
    assert_eq!(visited(1, |_| ()), (Some((1, Ended::Exhausted)), 1));
    assert_eq!(visited(0, |_| ()).0, None);
    // Each choice of a long run leaves another run at least; a run that does not exist has to be visited, too.
    assert_eq!(visited(1_000, |c| while c.choose("again", 2) == 0 {}), (None, 1));
    let never = |c: &mut Chooser| {
        let a = c.choose("a", 12);
        c.assume("never", a > 12);
    };
    assert_eq!(visited(12, never), (Some((12, Ended::Exhausted)), 12));
    // What is wrong ends it, whatever there is after.
    let wrong = |c: &mut Chooser| _ = (c.choose("a", 9), c.choose("b", 0));
    assert_eq!(visited(12, wrong), (Some((0, Ended::Mistake)), 1));
    let mut search = Explore::new(Odometer::new()).until_failure();
    let failed = search.run_if_few(12, |c| if c.choose("a", 9) == 2 { Err("two") } else { Ok(()) }).unwrap();
    assert_eq!((failed.runs, failed.ended), (3, Ended::Failure));
}

#[test]
fn runs_are_drawn_uniformly_where_their_numbers_are_known() {
    // A comb: 200 runs, the first of which every other draw would take if alternatives were alike.
    let few = Explore::new(Odometer::new()).run_if_few(1_024, |c| _ = (0..199).take_while(|_| c.flip("on")).count());
    assert_eq!(few.map(|report| report.runs), Some(200));
    let comb = |c: &mut Chooser| (0..199).take_while(|_| c.flip("on")).count();
    let counts = RunCounts::of(|c| _ = comb(c)).unwrap();
    assert_eq!(counts.weights(&[], 2), Some(vec![1, 199]));
    let mut drawn = Vec::new();
    explore(Sampled::new(5, 40_000).uniform(counts), |c| drawn.push(comb(c)));
    assert_eq!(drawn.len(), 40_000);
    let mut tally: BTreeMap<usize, u32> = BTreeMap::new();
    drawn.iter().for_each(|length| *tally.entry(length / 10).or_default() += 1);
    assert!(tally.len() == 20 && tally.values().all(|count| (1_750..2_250).contains(count)), "{tally:?}");
}

/// A program of 1 + 3 × (1 + 3 × (…)) runs: at each of seven places it stops or goes on in one of three ways.
fn comb(c: &mut Chooser) {
    for _ in 0..7 {
        if c.choose("stop", 4) == 0 {
            return;
        }
    }
}

#[test]
fn the_number_of_all_runs_is_estimated_within_its_error() {
    let all = explore(Odometer::new(), comb);
    assert_eq!((all.runs, all.estimate), (3_280, None), "what is not drawn is not estimated");
    for seed in 1..=20 {
        let drawn = Explore::new(Sampled::new(seed, 2_000)).run(comb).estimate.unwrap();
        assert!((drawn.runs - 3_280.0).abs() < 4.0 * drawn.error && drawn.error < 200.0, "{drawn}");
        let seldom = |_: &[_], _, arity: usize| Some((0..arity as u64).map(|at| 3 + at).collect());
        let weighed = Explore::new(Sampled::new(seed, 2_000).weighing(seldom)).run(comb).estimate.unwrap();
        assert!((weighed.runs - 3_280.0).abs() < 4.0 * weighed.error && weighed.error > 0.0, "{weighed}");
    }
    let estimate = |threads| Explore::new(Sampled::new(1, 2_000)).run_on(threads, comb).estimate.unwrap();
    assert!((estimate(1).runs - estimate(4).runs).abs() < 1e-6);
}
