//! Signals during judging, and during the search for evidence, which leave the verdict as it is.
//!
//! The first signal ends the search, and the evidence so far is reported. If this takes more than a moment, or with a second
//! signal, the process ends at once, after writing the verdict if it was not written yet.

use crate::cli::terminal::exit::Exit;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Set when a signal has asked for the end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The text to write, the message and the exit code, if the search does not end by itself.
static PENDING: Mutex<Option<(String, &str, u8)>> = Mutex::new(None);
/// The time that the search has to end by itself.
const MOMENT: Duration = Duration::from_millis(500);

/// A search that may be interrupted as long as this exists.
pub struct Interruptible(());

impl Interruptible {
    /// Starts judging one trace, which ends without a verdict if it is interrupted.
    pub fn begin_judging() -> Interruptible {
        Interruptible::with(String::new(), "interrupted: there is no verdict yet\n", Exit::Interrupted)
    }

    /// Starts an interruptible search; `unwritten` is the verdict, if it was not written yet.
    pub fn begin(unwritten: String, exit: Exit) -> Interruptible {
        let said = "interrupted: the verdict stands, its evidence was not found yet\n";
        Interruptible::with(unwritten, said, exit)
    }

    /// Starts an interruptible search for several traces. Judged traces are written with the evidence that was found.
    pub fn begin_several() -> Interruptible {
        Interruptible::with(
            String::new(),
            "interrupted: recordings without a line were not judged\n",
            Exit::Interrupted,
        )
    }

    fn with(unwritten: String, said: &'static str, exit: Exit) -> Interruptible {
        set(Some((unwritten, said, exit.worst(Exit::Interrupted).code())));
        // If the handler cannot be set, or was set before, nothing changes.
        _ = ctrlc::set_handler(interrupt);
        Interruptible(())
    }

    /// Tests whether the search was interrupted.
    pub fn was(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        set(None);
    }
}

fn set(pending: Option<(String, &'static str, u8)>) {
    *PENDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = pending;
}

fn interrupt() {
    if !INTERRUPTED.swap(true, Ordering::Relaxed) {
        thread::spawn(|| {
            thread::sleep(MOMENT);
            end();
        });
        return;
    }
    end();
}

/// Ends the process, if the interrupted search has not ended.
fn end() {
    let pending = PENDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    if let Some((unwritten, said, code)) = pending {
        let mut out = std::io::stdout();
        _ = out.write_all(unwritten.as_bytes()).and_then(|()| out.flush());
        _ = std::io::stderr().write_all(said.as_bytes());
        std::process::exit(i32::from(code));
    }
}
