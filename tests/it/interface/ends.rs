//! The ends of a check: panics, calls that do not come back, programs that are kept and run again, functions that are never called.

use std::time::Duration;

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
