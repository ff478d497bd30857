//! The ends of a check: panics, calls that do not come back, programs that are kept and run again, functions that are never called.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mayhap::interface::InterfaceFinding;

use crate::command::place;

/// A pile, whose top is read without a look, and which loops when it is asked for the number 3 twice.
#[derive(Clone)]
pub struct Pile(Vec<u8>);

/// A type of which there is no value.
pub struct Nothing;

#[mayhap::interface]
impl Pile {
    pub fn new() -> Pile {
        Pile(Vec::new())
    }

    pub fn push(&mut self, x: u8) {
        self.0.push(x);
    }

    #[requires(self.0.len() != 1)]
    pub fn top(&self) -> u8 {
        self.0[self.0.len() - 1]
    }

    pub fn with(&self, nothing: &Nothing) -> usize {
        _ = nothing;
        self.0.len()
    }
}

#[test]
fn a_panic_is_a_failure_that_is_kept_and_run_again() {
    let directory = place("piles");
    _ = std::fs::remove_dir_all(&directory);
    let test = || mayhap::check_interface::<Pile>().regressions(&directory);
    let report = test().check();
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    let InterfaceFinding::Panic { message, place } = &failure.finding else { panic!("{report}") };
    assert!(message.contains("subtract with overflow") && place.contains("ends.rs:"), "{report}");
    assert_eq!(
        failure.program,
        "let pile1 = Pile::new();\n_ = pile1.top(); // panics: attempt to subtract with overflow\n"
    );
    let again = test().calls(0).check();
    assert_eq!(again.failure.as_ref().map(|failure| &failure.program), Some(&failure.program), "{again}");
    let token = failure.token.clone();
    let replayed = std::panic::catch_unwind(|| mayhap::check_interface::<Pile>().replay(&token));
    let message = replayed.unwrap_err();
    assert!(message.downcast_ref::<String>().is_some_and(|message| message.contains("Pile: a call panicked")));
}

#[test]
fn a_function_without_values_is_named() {
    let report = mayhap::check_interface::<Pile>().exhaustive(1).check();
    assert_eq!((report.never.join(" "), report.programs), ("push top with".to_owned(), 2), "{report}");
}

/// A counter that loops when it passes ten.
pub struct Counter(u64);

#[mayhap::interface]
impl Counter {
    pub fn zero() -> Counter {
        Counter(0)
    }

    pub fn add(&mut self, amount: u64) -> u64 {
        self.0 += amount;
        if self.0 > 10 {
            loop {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.0
    }
}

#[test]
fn a_call_that_does_not_come_back_is_a_failure() {
    let report = mayhap::check_interface::<Counter>().call_time(Duration::from_millis(300)).check();
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(failure.finding, InterfaceFinding::Endless, "{report}");
    assert!(failure.program.starts_with("let mut counter1 = Counter::zero();\n"), "{report}");
    assert!(failure.program.ends_with("); // does not come back\n"), "{report}");
}

/// A list with results of many shapes, of which those that are lent or come with an error are taken apart, too.
#[derive(Clone, Debug)]
pub struct Shapes(Vec<u8>, Vec<Shapes>);

#[mayhap::interface]
impl Shapes {
    pub fn new() -> Shapes {
        Shapes(vec![1, 2], Vec::new())
    }

    pub fn slice(&self) -> &[u8] {
        &self.0
    }

    pub fn whole(&self) -> &Vec<u8> {
        &self.0
    }

    pub fn pair(&self) -> Option<(&u8, &str)> {
        self.0.first().map(|first| (first, "text"))
    }

    pub fn of(items: impl Iterator<Item = u8>) -> Shapes {
        Shapes(items.collect(), Vec::new())
    }

    pub fn failed(self) -> Result<u8, Shapes> {
        Err(Shapes(vec![99], self.1))
    }

    pub fn named(&self, text: &str, _: u8) -> (Result<u8, &'static str>, Shapes) {
        (if text.is_empty() { Err("none") } else { Ok(1) }, self.clone())
    }

    #[requires(x < 3)]
    #[requires(y < 3)]
    pub fn both(&mut self, x: u8, y: u8) {
        assert!(x < 3 && y < 3);
    }

    #[law]
    fn has_no_large_numbers(&self) -> bool {
        self.0.iter().all(|number| *number < 99)
    }
}

#[test]
fn values_in_errors_are_checked() {
    let report = mayhap::check_interface::<Shapes>().check();
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    let failed = "let Err(shapes2) = shapes1.failed() else { unreachable!() };\nassert!(Shapes::has_no_large_numbers(&shapes2));\n";
    assert!(failure.program.ends_with(failed) && failure.calls == 2, "{report}");
}

/// A number that two parameters take, one of them to change it.
#[derive(Clone)]
pub struct Taken;

#[mayhap::interface]
impl Taken {
    pub fn new() -> Taken {
        Taken
    }

    pub fn count(&self) -> u8 {
        3
    }

    pub fn put(&mut self, x: u8, out: &mut u8) {
        *out = x;
    }
}

/// A number that changes though it is borrowed only.
pub struct Changing(Cell<u8>);

#[mayhap::interface]
impl Changing {
    pub fn new() -> Changing {
        Changing(Cell::new(0))
    }

    pub fn set(&self, x: u8) {
        self.0.set(x);
    }

    #[law]
    fn is_small(&self) -> bool {
        self.0.get() < 2
    }
}

#[test]
fn a_value_is_not_used_in_two_ways_and_borrowed_ones_are_checked() {
    let report = mayhap::check_interface::<Taken>().calls(20_000).check();
    assert_eq!(report.failure, None, "{report}");
    let report = mayhap::check_interface::<Changing>().check();
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(failure.calls, 2, "{report}");
}

/// A lock that a panic leaves closed, so that the program that failed does not come back when it is run again.
pub struct Locked(u8);

static CLOSED: AtomicBool = AtomicBool::new(false);

#[mayhap::interface]
impl Locked {
    pub fn new() -> Locked {
        Locked(0)
    }

    pub fn add(&mut self, x: u8) {
        while CLOSED.swap(true, Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0 = Some(self.0 + x).filter(|sum| *sum < 20).expect("too large");
        CLOSED.store(false, Ordering::SeqCst);
    }
}

#[test]
fn a_failure_that_cannot_be_run_again_is_reported() {
    let report = mayhap::check_interface::<Locked>().call_time(Duration::from_millis(300)).check();
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert!(matches!(&failure.finding, InterfaceFinding::Panic { message, .. } if message == "too large"), "{report}");
    assert!(failure.program.contains("could not be run again") && report.calls > 0, "{report}");
}

#[test]
fn the_time_ends_a_check() {
    let began = Instant::now();
    let time = Duration::from_millis(200);
    let report = mayhap::check_interface::<Taken>().exhaustive(20).time(time).check();
    assert!(report.size.is_none() && began.elapsed() < Duration::from_secs(5), "{report}");
    let report = mayhap::check_interface::<Taken>().calls(u64::MAX).time(time).check();
    assert!(report.failure.is_none() && began.elapsed() < Duration::from_secs(5), "{report}");
}

/// A value whose law panics.
pub struct Odd(u8);

#[mayhap::interface]
impl Odd {
    pub fn of(x: u8) -> Odd {
        Odd(x)
    }

    #[law]
    fn is_even(&self) -> bool {
        assert!(self.0.is_multiple_of(2), "{} is odd", self.0);
        true
    }
}

#[test]
fn a_law_that_panics_does_not_hold() {
    let report = mayhap::check_interface::<Odd>().check();
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(failure.finding, InterfaceFinding::Law { law: "is_even", why: "it panics: 1 is odd".to_owned() });
    assert_eq!(failure.program, "let odd1 = Odd::of(1);\nassert!(Odd::is_even(&odd1));\n");
}
