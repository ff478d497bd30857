//! Failures are told apart by their places, whatever a program does with the panic hook, which all tests of a process have
//! together: so each test has a process to itself.

use crate::alone::alone;
use mayhap::choice::{Chooser, Explore, Odometer, Report, explore};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn fails(c: &mut Chooser) {
    match c.choose("which way", 4) {
        0 => panic!("lost"),
        1 => panic!("lost"),
        2 => panic!("found"),
        _ => {}
    }
}

fn places(report: &Report) -> Vec<&str> {
    assert_eq!((report.failed, report.failures.len()), (3, 3), "{report}");
    assert!(report.failures.iter().all(|failure| failure.flaky.is_none()), "{report}");
    report.failures.iter().map(|failure| failure.message.as_str()).collect()
}

#[test]
fn a_panic_hook_that_is_set_later_does_not_merge_failures() {
    alone("choice::panic_hook::a_panic_hook_that_is_set_later_does_not_merge_failures", || {
        static ASKED: AtomicU64 = AtomicU64::new(0);
        let first = explore(Odometer::new(), fails);
        let expected = places(&first);
        assert!(expected.iter().all(|message| message.starts_with("tests/it/choice/panic_hook.rs:")), "{expected:?}");
        for threads in [0, 1, 3] {
            std::panic::set_hook(Box::new(|_| _ = ASKED.fetch_add(1, Relaxed)));
            let mut search = Explore::new(Odometer::new());
            let report = if threads == 0 { search.run(fails) } else { search.run_on(threads, fails) };
            assert_eq!(places(&report), expected);
            // Panics outside of what is explored are still for the program's hook.
            let before = ASKED.load(Relaxed);
            assert!(std::panic::catch_unwind(|| panic!("outside")).is_err());
            assert_eq!(ASKED.load(Relaxed), before + 1);
        }
        // One that asks the hook before it is in no way.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| before(info)));
        assert_eq!(places(&explore(Odometer::new(), fails)), expected);
        // A program that sets its own in every run has its failures told apart by their messages.
        let report = explore(Odometer::new(), |c| {
            std::panic::set_hook(Box::new(|_| ()));
            fails(c);
        });
        let messages: Vec<&str> = report.failures.iter().map(|failure| failure.message.as_str()).collect();
        assert_eq!((report.failed, messages), (3, vec!["lost", "found"]));
    });
}
