//! Signals during a test of a live system. The first one ends the test in good order, and the second one at once, without leaving
//! processes.

use crate::cli::terminal::exit::Exit;
use mayhap::sut::process::group;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
