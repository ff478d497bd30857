//! Ctrl-C while a live system is tested: the first signal ends the test in good order; the second one at once, without leaving a
//! process behind.

use crate::cli::terminal::exit::Exit;
use mayhap::sut::process::group;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag that is set by the first signal.
pub fn begin() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    // A handler that cannot be set leaves things as they are: the signal ends the process.
    _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            group::end_all();
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
    stop
}
