//! The count of everything under way. The server ends only after all of it.
//!
//! A request is under way from its line to its answer, and a line for a client until it is written.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The number of requests without a complete answer, and of lines that are not written.
#[derive(Default)]
pub struct UnderWay {
    count: Mutex<usize>,
    fewer: Condvar,
}

impl UnderWay {
    /// Waits until nothing is under way, but at most for this time, as a client may never take its answer.
    pub fn wait(&self, patience: Duration) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // The wait may end by the time limit, too.
        _ = self.fewer.wait_timeout_while(count, patience, |count| *count > 0);
    }

    fn change(&self, by: impl FnOnce(usize) -> usize) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count = by(*count);
        self.fewer.notify_all();
    }
}

/// A guard that counts a request, or a line for a client, as under way until it is dropped.
pub struct UnderWayGuard(Arc<UnderWay>);

impl UnderWayGuard {
    /// Counts one more.
    pub fn new(under_way: &Arc<UnderWay>) -> UnderWayGuard {
        under_way.change(|count| count + 1);
        UnderWayGuard(under_way.clone())
    }
}

impl Drop for UnderWayGuard {
    fn drop(&mut self) {
        self.0.change(|count| count - 1);
    }
}
