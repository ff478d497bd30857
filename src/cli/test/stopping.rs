//! Signals. The first one ends a test of a live system in good order, and the second one at once, without leaving processes.

use crate::cli::terminal::exit::Exit;
use mayhap::sut::process::group;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The time after the first signal in which work that has begun may end by itself.
const MOMENT: Duration = Duration::from_millis(500);
/// The time between two looks at the flag.
const LOOK: Duration = Duration::from_millis(20);

/// A flag that is set a moment after another one.
pub fn soon_after(stop: &Arc<AtomicBool>) -> Arc<AtomicBool> {
    let (stop, soon) = (stop.clone(), Arc::new(AtomicBool::new(false)));
    let set = soon.clone();
    thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
        }
        thread::sleep(MOMENT);
        set.store(true, Ordering::Relaxed);
    });
    soon
}

/// The flag that the first signal sets.
pub fn begin() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    // If the handler cannot be set, a signal ends the process.
    _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            group::end_all();
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
    stop
}

/// The flag that the first signal sets. The process ends a moment later, if it has not ended by itself.
pub fn soon() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    // If the handler cannot be set, a signal ends the process.
    _ = ctrlc::set_handler(move || {
        asked.store(true, Ordering::Relaxed);
        thread::sleep(MOMENT);
        std::process::exit(i32::from(Exit::Interrupted.code()));
    });
    stop
}
