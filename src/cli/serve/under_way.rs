//! A count of what is under way, so that the end of the server waits for it.
//!
//! A request is under way from its line to its answer, and a line for a client until it is written.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The number of requests that were handed in and are not answered in full yet.
#[derive(Default)]
pub struct UnderWay {
    count: Mutex<usize>,
    fewer: Condvar,
}

impl UnderWay {
    /// Waits until everything handed in is answered, but not for ever: a client may never take its answer.
    pub fn wait(&self, patience: Duration) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether it was in time makes no difference to anyone.
        _ = self.fewer.wait_timeout_while(count, patience, |count| *count > 0);
    }

    fn change(&self, by: impl FnOnce(usize) -> usize) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count = by(*count);
        self.fewer.notify_all();
    }
}

/// A request, or a line for a client, is under way as long as this is there.
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
