//! A process to itself, for a test of what all tests of a process have together: the panic hook, the memory.
//!
//! `alone("choice::panic_hook::…", || …)` runs this program again for the test of that name only, which then does the work.

use std::env::{current_exe, var};
use std::process::Command;

/// The variable that names the test which a process is for.
const ALONE: &str = "MAYHAP_ALONE";

/// Does the work of a test, in a process in which no other test runs.
pub fn alone(test: &str, work: fn()) {
    if var(ALONE).is_ok_and(|only| only == test) {
        return work();
    }
    let output = Command::new(current_exe().unwrap()).args([test, "--exact"]).env(ALONE, test).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    // No test of that name is no failure for the program.
    assert!(output.status.success() && text.contains("test result: ok. 1 passed"), "{text}");
}
