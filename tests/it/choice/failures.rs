//! Failures as they are: of a program that caught its escape, of a replay, of a label, and those that do not repeat.

use mayhap::choice::{
    BreadthFirst, ChoiceError, Chooser, Continued, Ended, Explore, Flaky, Label, Odometer, Replay, Report, Sampled,
    Step, Strategy, explore, token,
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[test]
fn what_fails_after_it_caught_the_escape_has_failed() {
    fn caught(work: impl FnOnce()) -> bool {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err()
    }
    let panics = |c: &mut Chooser| assert!(!caught(|| c.assume("never", false)), "its own failure");
    let returns = |c: &mut Chooser| if caught(|| c.assume("never", false)) { Err("its own error") } else { Ok(()) };
    let goes_on = |c: &mut Chooser| {
        assert!(!caught(|| (0..9).for_each(|_| _ = c.choose("again", 2))), "cut and failed");
    };
    let message = |report: Report| {
        assert_eq!(
            (report.failed > 0, report.mistake.is_none(), report.refused + report.cut),
            (true, true, 0),
            "{report}"
        );
        assert!(report.failures.iter().all(|failure| failure.flaky.is_none()), "{report}");
        report.failures[0].message.clone()
    };
    assert!(message(explore(Odometer::new(), panics)).ends_with("its own failure"));
    assert_eq!(message(explore(Odometer::new(), returns)), "its own error");
    assert!(message(Explore::new(Odometer::new()).choices(5).run(goes_on)).ends_with("cut and failed"));
    // What breadth-first search postpones is no run that could fail.
    let postponed = explore(BreadthFirst::new(), goes_on);
    assert_eq!(postponed.mistake.unwrap().error, ChoiceError::Swallowed { label: "again" });
    // To pass on an error, as it is or in other words, or to unwrap it, is no failure.
    let refused = |report: Report| assert_eq!((report.refused, report.failed, report.mistake), (1, 0, None));
    refused(explore(Odometer::new(), |c| c.try_assume("never", false).map_err(|_| "there is none")));
    refused(explore(Odometer::new(), |c| c.try_assume("never", false).map_err(|error| format!("in vain: {error}"))));
    refused(explore(Odometer::new(), |c| c.try_assume("never", false).unwrap()));
}

#[test]
fn a_replay_is_one_run_and_is_not_made_smaller() {
    let run = vec![Step { label: "digit", arity: 10, pick: 7 }; 4];
    for threads in [0, 1, 2] {
        let runs = AtomicU64::new(0);
        let fails = |c: &mut Chooser| {
            runs.fetch_add(1, Relaxed);
            assert!((0..4).map(|_| c.choose("digit", 10)).sum::<usize>() < 9, "too much");
        };
        let mut search = Explore::new(Replay::new(run.clone())).until_failure();
        let report = if threads == 0 { search.run(fails) } else { search.run_on(threads, fails) };
        assert_eq!((runs.into_inner(), report.runs, report.failed, report.ended), (1, 1, 1, Ended::Replayed));
        assert_eq!(report.failures[0].run, run);
        assert!(
            report.to_string().starts_with("replayed 1 run, 1 failed\nfailed: tests/it/choice/failures.rs:"),
            "{report}"
        );
    }
}

#[test]
fn a_label_that_no_token_can_have_is_refused_when_it_is_chosen() {
    let long: Label = Box::leak("long".repeat(65).into());
    for (label, message) in [
        ("", "the label \"\" is empty: a label names the place that chooses"),
        (
            "two\nlines",
            "the label \"two\\nlines\" has a control character: a run with it could not be written as a token",
        ),
        (long, "longlonglonglonglonglonglonglonglonglong\"… has 260 bytes, more than 256"),
    ] {
        let message = |report: Report| {
            let mistake = report.mistake.unwrap();
            assert!(mistake.to_string().contains(message), "{mistake}");
            assert_eq!(token::read(&token::write(&mistake.run)), Ok(mistake.run));
        };
        let program = |c: &mut Chooser| _ = (c.choose("before", 3), c.choose(label, 2));
        message(explore(Odometer::new(), program));
        message(explore(BreadthFirst::new(), program));
        message(explore(Sampled::new(1, 9), program));
        message(explore(Continued::new(vec![Step { label: "before", arity: 3, pick: 1 }], Odometer::new()), program));
        message(explore(Odometer::new(), |c| _ = c.weighted(label, &[1, 2])));
        message(explore(Replay::new(vec![Step { label, arity: 2, pick: 1 }]), |c| _ = c.choose(label, 2)));
        // What is no choice is not written.
        explore(Odometer::new(), |c| _ = c.choose(label, 1)).expect_exhausted();
    }
    for label in [" ", "é \u{a0}", "%x_.:,+"] {
        let run = vec![Step { label, arity: 2, pick: 1 }];
        explore(Replay::new(token::read(&token::write(&run)).unwrap()), |c| _ = c.choose(label, 2)).expect_passed();
    }
}

#[test]
fn a_failure_that_does_not_repeat_is_called_flaky() {
    /// Fails in the third run, and in all that follow where `ever`.
    fn report(strategy: impl Strategy, again: &'static str) -> Report {
        let mut runs = 0;
        explore(strategy, move |c| {
            runs += 1;
            let digit = c.choose("digit", 8);
            match (digit, again) {
                (3, "") if runs > 8 => Ok(()),
                (3, "nothing") if runs > 8 => c.try_assume("never", false).map_err(|error| error.to_string()),
                (3, again) if runs > 8 => Err(again.to_owned()),
                (3, _) => Err("a tiger".to_owned()),
                _ => Ok(()),
            }
        })
    }
    let line = |report: Report| {
        assert_eq!((report.runs, report.failed, report.failures.len()), (8, 1, 1));
        report.to_string().split_once("\n  flaky: ").map(|(_, flaky)| flaky.to_owned())
    };
    assert_eq!(line(report(Odometer::new(), "a tiger")), None);
    for (again, message) in [
        ("", "run again with the same choices, it passed"),
        ("a lady", "run again with the same choices, it failed otherwise: a lady"),
        (
            "nothing",
            "run again with the same choices, it did not come to its end: `never` does not hold: this run does not exist",
        ),
    ] {
        assert_eq!(line(report(Odometer::new(), again)).as_deref(), Some(message));
    }
    // What is flaky cannot be made smaller, nor need it be tried.
    let mut runs = 0;
    let sampled = explore(Sampled::new(1, 100), |c| {
        runs += 1;
        assert!((0..20).map(|_| c.choose("digit", 9)).sum::<usize>() > 0 && runs != 100, "the hundredth");
    });
    assert_eq!((runs, sampled.failures[0].flaky.clone()), (101, Some(Flaky::Passed)));
    assert!(std::panic::catch_unwind(|| sampled.expect_passed()).is_err());
    // Whoever does not want runs that the search does not make has none.
    let mut runs = 0;
    Explore::new(Odometer::new()).shrinking(0).run(|c| {
        runs += 1;
        if c.flip("coin") { Err("tails") } else { Ok(()) }
    });
    assert_eq!(runs, 2);
}
