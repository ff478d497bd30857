//! `mayhap::test` as a program's own tests use it: what a failure prints, what is kept, ids as numbers, requests that wait.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use mayhap::report::campaign::{CampaignVerdict, FailureKind, RegressionOutcome};
use mayhap::{Answer, Spec, Sut};
use serde::{Deserialize, Serialize};

use crate::live::testing::empty_directory;

/// The message of a panic.
fn message(test: impl FnOnce()) -> String {
    *catch_unwind(AssertUnwindSafe(test)).expect_err("it fails").downcast::<String>().expect("a text")
}

fn adding() -> Arc<Spec> {
    Spec::from_text("protocol adding { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }")
        .unwrap()
}

/// Sums that are at most `.0`, or right if that is 0.
struct Sum(i64, AtomicI64);

impl Sut for Sum {
    type Request = u8;
    type Response = i64;

    fn ask(&self, _: u64, q: u8) -> Answer<i64> {
        let sum = self.1.fetch_add(i64::from(q), Ordering::SeqCst) + i64::from(q);
        Answer::Is(if self.0 > 0 { sum.min(self.0) } else { sum })
    }
}

#[test]
fn a_script_is_kept_once_and_run_first() {
    let directory = empty_directory("kept-by-a-test");
    let test = || mayhap::test(&adding()).requests(500).regressions(&directory);
    let capped = || Sum(200, AtomicI64::default());
    let found = test().check(capped);
    assert_eq!((found.verdict, found.failures.len(), found.regressions.len()), (CampaignVerdict::Violation, 1, 0));
    // The command could not run the script, as it does not have the system.
    let said = mayhap::report::campaign::text::text(&found);
    assert!(said.contains("\nkept:   ") && !said.contains("mayhap replay"), "{said}");
    let again = test().check(capped);
    let runs: Vec<&RegressionOutcome> = again.regressions.iter().map(|run| &run.outcome).collect();
    assert!(matches!(runs[..], [RegressionOutcome::Fails(failed, of)] if failed == of), "{runs:?}");
    assert_eq!(again.verdict, CampaignVerdict::Violation);
    let said = mayhap::report::campaign::text::text(&again);
    assert!(said.contains("\nviolation of ") && said.contains("was possible"), "{said}");
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
    let mended = test().check(|| Sum(0, AtomicI64::default()));
    assert_eq!(mended.verdict, CampaignVerdict::Pass);
    assert_eq!(mended.regressions[0].outcome, RegressionOutcome::Pass);
}

/// The time is that of the whole test, and not of what follows on the search for its first scripts.
#[test]
fn the_search_for_first_scripts_takes_only_a_part_of_the_time() {
    let test = || mayhap::test(&adding()).requests(50);
    let sum = || Sum(0, AtomicI64::default());
    assert!(test().check(sum).corpus > 0);
    let late = test().time(Duration::ZERO).check(sum);
    assert_eq!((late.corpus, late.requests, late.verdict), (0, 0, CampaignVerdict::Untested));
}

#[test]
fn a_script_that_nobody_can_read_is_no_test_that_passes() {
    let directory = empty_directory("garbage-of-a-test");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(
        directory.join("old.ndjson"),
        "{\"mayhap\": 1, \"spec\": \"adding\"}\n{\"c\": 1, \"q\": \"Gone\"}\n",
    )
    .unwrap();
    let report = mayhap::test(&adding()).requests(50).regressions(&directory).check(|| Sum(0, AtomicI64::default()));
    assert_eq!(report.verdict, CampaignVerdict::Broken, "{:?}", report.regressions);
}

/// A server that ends the connection of each third client to hit it.
#[derive(Default)]
struct Closing(AtomicI64);

impl Sut for Closing {
    type Request = String;
    type Response = i64;

    fn ask(&self, _: u64, request: String) -> Answer<i64> {
        let hits = self.0.fetch_add(i64::from(request == "Hit"), Ordering::SeqCst) + i64::from(request == "Hit");
        if request == "Hit" && hits % 3 == 0 { Answer::Closed } else { Answer::Is(hits) }
    }
}

#[test]
fn what_was_sent_on_a_connection_that_has_ended_is_not_asked() {
    let spec = Spec::options().over_networks().from_text(
        "enum Q { Hit, Peek }
        protocol closing {
            request Q; response int;
            var total: int = 0;
            on Hit from c { total := total + 1; if total % 3 == 0 { close c; return; } reply total; }
            on Peek { reply total; }
        }",
    );
    let spec = spec.unwrap_or_else(|error| panic!("{error}"));
    for (seed, clients) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3)] {
        mayhap::test(&spec).seed(seed).clients(clients).requests(400).run(Closing::default);
    }
}

#[test]
fn a_failure_says_how_to_see_it_again() {
    let said = message(|| mayhap::test(&adding()).seed(5).requests(500).run(|| Sum(200, AtomicI64::default())));
    let name = "sut::in_tests::a_failure_says_how_to_see_it_again";
    assert!(said.contains(&format!("\nagain:  MAYHAP_SEED=5 cargo test {name}\n")), "{said}");
    let (_, call) = said.split_once("or:     mayhap::test(&spec).replay(r#\"").expect(&said);
    let (script, end) = call.split_once("\"#, ").expect(&said);
    assert_eq!(end, "|| todo!(\"the system\"));\n");
    mayhap::test(&adding()).replay(script, || Sum(0, AtomicI64::default()));
    let said = message(|| mayhap::test(&adding()).replay(script, || Sum(200, AtomicI64::default())));
    assert!(said.contains("the script does not pass: fails 20 of 20\n  1  c1 → "), "{said}");
    assert!(said.contains("was possible"), "{said}");
}

/// What has been asked for, by numbers.
#[derive(Default)]
struct Seen(Mutex<BTreeSet<u32>>);

impl Sut for Seen {
    type Request = u32;
    type Response = bool;

    fn ask(&self, _: u64, id: u32) -> Answer<bool> {
        Answer::Is(!self.0.lock().unwrap().insert(id))
    }
}

/// Numbers one after another, which are given out and taken back.
#[derive(Default)]
struct Ids(Mutex<(u64, BTreeSet<u64>)>);

#[derive(Deserialize)]
enum IdRequest {
    New,
    Free(u64),
}

#[derive(Serialize)]
enum IdResponse {
    Id(u64),
    Freed(bool),
}

impl Sut for Ids {
    type Request = IdRequest;
    type Response = IdResponse;

    fn ask(&self, _: u64, request: IdRequest) -> Answer<IdResponse> {
        let (last, held) = &mut *self.0.lock().unwrap();
        Answer::Is(match request {
            IdRequest::New => {
                *last += 1;
                held.insert(*last);
                IdResponse::Id(*last)
            }
            IdRequest::Free(id) => IdResponse::Freed(held.remove(&id)),
        })
    }
}

#[test]
fn ids_may_be_numbers() {
    let seen = "token Id; protocol last { request Id; response bool; var seen: set<Id> = {};
        on q { let was = q in seen; seen := seen + {q}; reply was; } }";
    mayhap::test(&Spec::from_text(seen).unwrap()).requests(500).run(Seen::default);
    let ids = "token Id; enum Request { New, Free(Id) } enum Response { Id(Id), Freed(bool) }
        protocol ids { request Request; response Response; var used: set<Id> = {}; var held: set<Id> = {};
          on New { let id = choose Id; assume !(id in used); used := used + {id}; held := held + {id}; reply Id(id); }
          on Free(id) { let was = id in held; held := held - {id}; reply Freed(was); } }";
    let report = mayhap::test(&Spec::from_text(ids).unwrap()).requests(1000).clients(2).check(Ids::default);
    assert_eq!(report.verdict, CampaignVerdict::Pass, "{:?}", report.failures);
    assert_eq!(report.coverage.covered, report.coverage.branches, "{:?}", report.coverage);
}

/// A semaphore of one permit; `.0` says whether a permit that was given back is never given out again.
struct Semaphore(bool, Mutex<(bool, bool)>, Condvar);

#[derive(Deserialize)]
enum SemRequest {
    Acquire,
    Release,
}

#[derive(Serialize)]
enum SemResponse {
    Acquired,
    Released,
    NotHeld,
}

impl Sut for Semaphore {
    type Request = SemRequest;
    type Response = SemResponse;

    fn ask(&self, _: u64, request: SemRequest) -> Answer<SemResponse> {
        let mut state = self.1.lock().unwrap();
        let (held, was_released) = *state;
        Answer::Is(match request {
            SemRequest::Acquire => {
                while state.0 || (was_released && self.0) {
                    state = self.2.wait(state).unwrap();
                }
                state.0 = true;
                SemResponse::Acquired
            }
            SemRequest::Release if !held => SemResponse::NotHeld,
            SemRequest::Release => {
                *state = (false, true);
                self.2.notify_all();
                SemResponse::Released
            }
        })
    }
}

#[test]
fn a_request_that_waits_for_another_one_does_not_hang() {
    let spec = Spec::from_text(
        "enum Request { Acquire, Release } enum Response { Acquired, Released, NotHeld }
         protocol sem { request Request; response Response; var free: int = 1;
           on Acquire { assume free > 0; free := free - 1; reply Acquired; }
           on Release { if free == 1 { reply NotHeld; } free := free + 1; reply Released; } }",
    )
    .unwrap();
    let test = || mayhap::test(&spec).clients(2).requests(30).deadline(Duration::from_millis(200));
    let report = test().check(|| Semaphore(false, Mutex::default(), Condvar::new()));
    assert_eq!(report.verdict, CampaignVerdict::Pass, "{:?}", report.failures);
    // One who waits although the permit is free hangs.
    let report = test().requests(400).check(|| Semaphore(true, Mutex::default(), Condvar::new()));
    let kinds: Vec<FailureKind> = report.failures.iter().map(|failure| failure.kind).collect();
    assert_eq!((report.verdict, &kinds[..]), (CampaignVerdict::Broken, &[FailureKind::Hang][..]));
}

/// A sum that is read and written in two steps, so that one of two additions at once may be lost.
#[derive(Default)]
struct Racy(AtomicI64);

impl Sut for Racy {
    type Request = u8;
    type Response = i64;

    fn ask(&self, _: u64, q: u8) -> Answer<i64> {
        let sum = self.0.load(Ordering::SeqCst) + i64::from(q);
        std::thread::sleep(Duration::from_micros(200));
        self.0.store(sum, Ordering::SeqCst);
        Answer::Is(sum)
    }
}

#[test]
fn a_race_shrinks_to_two_requests() {
    let report = mayhap::test(&adding()).clients(3).requests(3000).check(Racy::default);
    let [failure] = &report.failures[..] else { panic!("{:?}", report.failures) };
    assert!((2..=3).contains(&failure.shrunk_requests), "{}", failure.script);
    assert!(failure.original_requests > failure.shrunk_requests && failure.fails.0 > 0, "{failure:?}");
}
