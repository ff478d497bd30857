//! The examples do what they say: they are run here as tests too.

#[path = "../../../examples/async_store.rs"]
#[allow(dead_code, reason = "an example is a program, its `main` is called here")]
mod async_store;
#[path = "../../../examples/first_steps.rs"]
#[allow(dead_code, reason = "an example is a program, its `main` is called here")]
mod first_steps;
#[path = "../../../examples/own_network.rs"]
#[allow(dead_code, reason = "an example is a program, its verdicts are compared here")]
mod own_network;
#[path = "../../../examples/proptest_requests.rs"]
#[allow(dead_code, reason = "an example is a program, its test is called here")]
mod proptest_requests;
#[path = "../../../examples/proptest_server.rs"]
#[allow(dead_code, reason = "an example is a program, its test is called here")]
mod proptest_server;
#[path = "../../../examples/racy_store.rs"]
#[allow(dead_code, reason = "an example is a program, its test is called here")]
mod racy_store;

use proptest::test_runner::TestError;
use proptest_server::{Bug, follows_its_specification};
use racy_store::Appending;

#[test]
fn the_first_steps_hold() {
    first_steps::main().unwrap();
}

#[test]
fn a_network_of_ones_own_decides() {
    let [over_tcp, over_line] = own_network::verdicts().unwrap();
    assert!(over_tcp.is_accept());
    assert_eq!(over_line, mayhap::Verdict::Reject { event: 3, event_from: None });
}

#[test]
fn a_server_that_follows_its_specification_passes() {
    follows_its_specification(None).unwrap();
}

#[test]
fn each_bug_is_found_and_shrunk_to_few_requests() {
    for bug in [Bug::WeakIfMatch, Bug::RefusedPutIsDone] {
        match follows_its_specification(Some(bug)) {
            Err(TestError::Fail(_, requests)) => assert!(requests.len() <= 3, "{bug:?}: {requests:?}"),
            other => panic!("{bug:?}: {other:?}"),
        }
    }
}

#[test]
fn requests_of_the_specification_find_each_bug_and_are_shrunk() {
    use proptest_requests::{Bug, follows_its_specification};
    follows_its_specification(None).unwrap();
    // No request of six can be left out or made simpler alone, though four with larger amounts would do.
    for (bug, most) in [(Bug::Overdraws, 2), (Bug::MakesMoney, 6)] {
        match follows_its_specification(Some(bug)) {
            Err(TestError::Fail(_, requests)) => assert!(requests.len() <= most, "{bug:?}: {requests:?}"),
            other => panic!("{bug:?}: {other:?}"),
        }
    }
}

#[test]
fn a_store_of_futures_follows_its_specification() {
    async_store::main();
}

#[test]
fn the_race_of_a_store_is_found() {
    racy_store::test(Appending::Locked);
    let report =
        std::panic::catch_unwind(|| racy_store::test(Appending::Racy)).expect_err("it loses what was appended");
    let report = report.downcast_ref::<String>().expect("a report");
    assert!(report.contains("Append"), "{report}");
}

#[test]
fn the_property_test_is_short() {
    let text = include_str!("../../../examples/proptest_server.rs");
    let from = text.find("|requests| {").unwrap();
    let lines = text[from..].lines().take_while(|line| line.trim() != "},").count();
    assert!(lines <= 15, "{lines} lines");
}
