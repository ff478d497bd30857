//! The end of long work: a moment, and a flag that a signal sets.
//!
//! A command makes one [`WorkEnd`] of its limit of time and its flag, and enters it. From then on the inner loops of all long work of this
//! thread ask [`is_over`]. A part with a limit of its own, such as shrinking, enters a nested end, which is never later. What was cut
//! off so counts as unknown, and never as rejected. Without an end, work is limited by counted units alone, which are the same on every
//! machine.
//!
//! ```
//! use mayhap::limits::end::{self, WorkEnd};
//! use std::time::Duration;
//! assert!(!end::is_over());
//! let whole = WorkEnd::default().within(Duration::from_secs(60)).enter();
//! let part = end::within(Duration::ZERO);
//! assert!(end::is_over());
//! drop(part);
//! assert!(!end::is_over());
//! # drop(whole);
//! ```

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    static CURRENT: RefCell<WorkEnd> = const { RefCell::new(WorkEnd { at: None, stop: None }) };
}

/// The end of some work.
#[derive(Clone, Debug, Default)]
pub struct WorkEnd {
    /// The moment at which the work is over, if there is one.
    at: Option<Instant>,
    /// Set when somebody asks for the end.
    stop: Option<Arc<AtomicBool>>,
}

impl WorkEnd {
    /// The end that comes when this flag is set.
    #[must_use]
    pub fn of(stop: &Arc<AtomicBool>) -> WorkEnd {
        WorkEnd { at: None, stop: Some(stop.clone()) }
    }

    /// This end, but so much time from now at the latest.
    #[must_use]
    pub fn within(self, time: Duration) -> WorkEnd {
        WorkEnd { at: earlier(self.at, Instant::now().checked_add(time)), ..self }
    }

    /// The end of what this thread does.
    #[must_use]
    pub fn current() -> WorkEnd {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Makes this the end of what this thread does, as long as the result exists, unless an end that was entered before is earlier.
    #[must_use]
    pub fn enter(self) -> EnteredEnd {
        let before = WorkEnd::current();
        let nested = WorkEnd { at: earlier(self.at, before.at), stop: self.stop.or_else(|| before.stop.clone()) };
        CURRENT.set(nested);
        EnteredEnd { before, of_thread: PhantomData }
    }

    fn is_over(&self) -> bool {
        self.is_stopped() || self.at.is_some_and(|at| Instant::now() >= at)
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The earlier of two moments.
fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    one.into_iter().chain(other).min()
}

/// An end that holds for this thread as long as this exists.
#[derive(Debug)]
pub struct EnteredEnd {
    before: WorkEnd,
    /// The end belongs to the thread that entered it.
    of_thread: PhantomData<*const ()>,
}

impl Drop for EnteredEnd {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.before));
    }
}

/// Enters the end of this thread, this much time from now at the latest.
#[must_use]
pub fn within(time: Duration) -> EnteredEnd {
    WorkEnd::current().within(time).enter()
}

/// Tests whether what this thread does is to end.
#[must_use]
pub fn is_over() -> bool {
    CURRENT.with_borrow(WorkEnd::is_over)
}

/// Tests whether somebody has asked for the end of what this thread does.
#[must_use]
pub fn is_stopped() -> bool {
    CURRENT.with_borrow(WorkEnd::is_stopped)
}

/// The shorter of a time and what is left until the end, for work that cannot ask for it.
#[must_use]
pub fn at_most(time: Duration) -> Duration {
    let left = |at: Instant| at.saturating_duration_since(Instant::now());
    CURRENT.with_borrow(|end| end.at.map_or(time, |at| time.min(left(at))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_end_is_never_later() {
        let stop = Arc::new(AtomicBool::new(false));
        let whole = WorkEnd::of(&stop).within(Duration::from_secs(60)).enter();
        assert!(at_most(Duration::from_secs(100)) <= Duration::from_secs(60));
        {
            let _part = within(Duration::from_secs(600));
            assert!(at_most(Duration::from_secs(100)) <= Duration::from_secs(60));
            stop.store(true, Ordering::Relaxed);
            assert!(is_over() && is_stopped());
        }
        assert!(is_over());
        drop(whole);
        assert!(!is_over() && at_most(Duration::from_secs(100)) == Duration::from_secs(100));
    }
}
