//! Histories with restarts against trying all orders: what is under way at a restart was served before it, or never.
//!
//! ```text
//! c1 ├── Write(1) ─ ─ ┆          behind the restart either is possible: Read → 0, or Read → 1 for ever
//! ```

use mayhap::judge::judge_recorded;
use mayhap::network::Tcp;
use mayhap::search;
use mayhap::{Options, Spec};
use std::sync::Arc;

use super::{
    Drawn, Judged, REDUCTIONS, SPECS, STEPS, check_online, compare_case, happened, random_with_restarts, recorded,
};
use crate::random::{Rng, at_least, restarts, seeds};

/// The number of restarts among a hundred events.
pub const RESTARTS: usize = 5;

/// A specification whose state survives a restart, or some of it, or of which nothing is known after a restart; and its text.
fn restarting(text: &str, rng: &mut Rng) -> (Arc<Spec>, String) {
    let read = |text: &str| Spec::from_text(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    match rng.below(10) {
        0..3 => (read(text), text.to_owned()),
        // What a step may do in a state of which nothing is known is too much for event by event.
        3..6 if !text.contains("step") => {
            (read(text).in_any_state_after_restarts().unwrap(), format!("{text}\nin any state after restarts"))
        }
        _ => {
            let text = restarts::with_handler(text, rng);
            (read(&text), text)
        }
    }
}

#[test]
fn histories_with_restarts_are_judged_as_by_trying_all_orders() {
    let mut judged = Judged::default();
    for (kind, (name, text)) in (0..).zip(SPECS.iter().chain(STEPS)) {
        for seed in seeds(800 + kind, 12) {
            let mut rng = Rng::new(seed);
            let (spec, text) = restarting(text, &mut rng);
            let total = 2 + rng.below(7);
            let case = random_with_restarts(&spec, &mut rng, total, RESTARTS);
            let about = format!("{name}\n{text}\n");
            compare_case((&spec, &case), seed, &REDUCTIONS, false, &mut judged, &about);
            let history = search::history(&spec, case.events.iter().map(|event| happened(&case, *event)));
            let by_order = search::judge(&spec, &history, &Options::default()).verdict;
            let general = judge_recorded(&spec, &Tcp, &recorded(&case), &Options::default()).verdict();
            // Where steps make a closure of many states, event by event gives up.
            let is_open = [&by_order, &general].iter().any(|one| matches!(one, mayhap::Verdict::Unknown { .. }));
            assert!(general == by_order || is_open, "{about}seed {seed}: {general:?}, {by_order:?}: {:?}", case.events);
        }
    }
    println!("{judged:?}");
    assert!(judged.accepted >= at_least(24, 12) && judged.rejected >= at_least(12, 12));
}

#[test]
fn random_specifications_keep_to_restarts() {
    let mut judged = Judged::default();
    for seed in seeds(840, 25) {
        let mut rng = Rng::new(seed);
        let Drawn { text, may_fail } = Drawn::random(&mut rng);
        let text = restarts::with_handler(&text, &mut rng);
        let spec = Spec::from_text(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        for _ in 0..3 {
            let seed = rng.next();
            let mut of_case = Rng::new(seed);
            let total = 2 + of_case.below(7);
            let case = random_with_restarts(&spec, &mut of_case, total, RESTARTS);
            compare_case((&spec, &case), seed, &REDUCTIONS, may_fail, &mut judged, &text);
        }
    }
    println!("{judged:?}");
    assert!(judged.accepted >= at_least(41, 25) && judged.rejected >= at_least(8, 25));
}

#[test]
fn sessions_go_on_behind_many_restarts() {
    let mut judged = 0;
    for (kind, (name, text)) in (0..).zip(SPECS.iter().chain(STEPS)) {
        for seed in seeds(870 + kind, 3) {
            let mut rng = Rng::new(seed);
            let (spec, text) = restarting(text, &mut rng);
            let mut case = random_with_restarts(&spec, &mut rng, 40, RESTARTS);
            case.events.truncate(20 + rng.below(100));
            check_online(&spec, &case, false, &format!("{name}, seed {seed}\n{text}\n"));
            judged += 1;
        }
    }
    assert!(judged > 0);
}
