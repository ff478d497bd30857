//! The shipped programs under exploration do what they say.

#[path = "../../../examples/crashing_disk.rs"]
mod crashing_disk;
#[path = "../../../examples/failing_allocator.rs"]
mod failing_allocator;
#[path = "../../../examples/suspended_threads.rs"]
mod suspended_threads;
#[path = "../../../examples/toy_concurrency.rs"]
mod toy_concurrency;

use crashing_disk::{Saving, every_disk};
use failing_allocator::{Growing, every_failure};
use mayhap::choice::{ChoiceError, Ended};
use std::collections::BTreeMap;
use suspended_threads::{Locking, every_schedule};
use toy_concurrency::{SPAWNING, executions};

#[test]
fn three_processes_that_spawn_have_eight_executions() {
    let (report, outputs) = executions(SPAWNING).unwrap();
    report.expect_exhausted();
    assert_eq!(report.runs, 8);
    assert_eq!(outputs, BTreeMap::from([("1\n1\n1\n".to_owned(), 8)]));
}

#[test]
fn channels_order_what_they_order_and_nothing_else() {
    // A value can be received once it was sent, and in the order of the sends.
    let program =
        "class Main { spawn A; x = receive(c); print x; y = receive(c); print y; } class A { send(c, 1); send(c, 2); }";
    let (report, outputs) = executions(program).unwrap();
    report.expect_exhausted();
    assert_eq!(outputs.keys().collect::<Vec<_>>(), ["1\n2\n"]);
    // send, send, receive, receive; or send, receive, send, receive.
    assert_eq!(report.runs, 2);
    let (_, outputs) = executions("class Main { x = receive(c); print x; }").unwrap();
    assert_eq!(outputs.keys().collect::<Vec<_>>(), ["stuck: Main\n"]);
    let (_, outputs) = executions(include_str!("../../../examples/choices/channels.toy")).unwrap();
    assert_eq!(outputs.keys().collect::<Vec<_>>(), ["1\n2\n", "2\n1\n"]);
}

#[test]
fn a_program_of_the_toy_language_that_is_wrong_is_told() {
    for (program, message) in [
        ("class Main { spawn Nobody; }", "there is no class `Nobody`"),
        ("class Main { print x; }", "`x` has no value yet"),
    ] {
        let (report, _) = executions(program).unwrap();
        assert_eq!((report.failures[0].message.as_str(), report.failed), (message, 1));
    }
    assert_eq!(executions("class Main { fly; }").unwrap_err(), "expected a statement, found `fly`");
}

#[test]
fn only_syncing_and_renaming_survives_every_crash() {
    every_disk(Saving::SyncedAndRenamed).expect_exhausted();
    for saving in [Saving::InPlace, Saving::Renamed] {
        let report = every_disk(saving);
        assert_eq!(report.ended, Ended::Exhausted);
        assert!(report.failures[0].message.starts_with("neither old nor new"), "{saving:?}: {report}");
    }
}

#[test]
fn a_table_that_grows_at_once_survives_that_there_is_no_memory() {
    every_failure(Growing::Both).expect_exhausted();
    let report = every_failure(Growing::OneByOne);
    let failure = &report.failures[0];
    assert!(failure.message.ends_with("a failed insertion has changed the table"), "{report}");
    assert_eq!(failure.run.iter().map(|step| step.pick).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_deadlock_is_a_choice_from_nothing_and_told() {
    every_schedule(Locking::Before).expect_exhausted();
    let report = every_schedule(Locking::WhileSuspended);
    assert_eq!(report.mistake.unwrap().error, ChoiceError::Empty { label: "which thread runs" });
}
