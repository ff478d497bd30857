//! Exploring on several threads, with a report that does not depend on their number.
//!
//! The search is divided into parts, and all parts advance in *rounds*: in a round every part visits at most the same number of runs, on
//! any thread. After a round the rest is divided again, until there are [`PARTS`] parts. So the visited runs are a function of the search
//! and its bounds; the threads only share the work.

use super::panics;
use super::tally::Tally;
use super::{Allowance, visit};
use crate::{Chooser, Explore, Outcome, Progress, Report, Strategy};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// The number of parts of a search: more than the number of cores, so that no core waits long for the others.
const PARTS: usize = 256;
/// The number of runs that a part visits in the first round and in the longest rounds; few at first, since running makes parts divisible.
const QUOTA: (u64, u64) = (4, 1 << 16);
/// The interval at which the watch is called during a round.
const LOOK: Duration = Duration::from_millis(50);

/// A part and its findings in one round, on cache lines of its own, since both are written at every choice.
#[repr(align(128))]
struct Work<S> {
    part: S,
    found: Tally,
}

/// The state that the threads of one round share.
#[derive(Default)]
struct Shared {
    next: AtomicUsize,
    visited: AtomicU64,
    failed: AtomicU64,
    stop: AtomicBool,
}

impl<S: Strategy + Send> Explore<'_, S> {
    /// Visits the runs on this number of threads, or on one for each core if it is 0. The visits are not in the order of the search; the
    /// report does not depend on the number of threads.
    pub fn run_on<R: Outcome>(&mut self, threads: usize, program: impl Fn(&mut Chooser) -> R + Sync) -> Report {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { cores() } else { threads };
        let (mut tally, mut quota, mut signal) = (Tally::default(), QUOTA.0, ControlFlow::Continue(()));
        loop {
            self.parts.retain(|part| !part.is_done());
            divide(&mut self.parts);
            let left = self.allowed.runs.saturating_sub(tally.visited());
            if self.parts.is_empty() || self.allowed.is_over(&tally) || tally.is_endless() || signal.is_break() {
                return panics::unreported(|| self.finish(tally, signal, program));
            }
            signal = self.round(threads, quota.min(left.div_ceil(self.parts.len() as u64)), left, &mut tally, &program);
            quota = (quota * 4).min(QUOTA.1);
        }
    }

    /// Lets each part visit at most `share` runs; only as many parts run as the `left` runs have room for.
    fn round<R: Outcome>(
        &mut self,
        threads: usize,
        share: u64,
        left: u64,
        tally: &mut Tally,
        program: &(impl Fn(&mut Chooser) -> R + Sync),
    ) -> ControlFlow<()> {
        // The parts beyond the bound wait, so that the choice of the parts that run does not depend on the threads.
        let allowed = usize::try_from(left / share).unwrap_or(usize::MAX).max(1);
        let waiting = self.parts.split_off(allowed.min(self.parts.len()));
        let work = |part| Mutex::new(Work { part, found: Tally::default() });
        let works: Vec<Mutex<Work<S>>> = self.parts.drain(..).map(work).collect();
        let shared = Shared::default();
        let allowed = Allowance { runs: share, failures: u64::MAX, ..self.allowed };
        let before = tally.progress();
        let signal = thread::scope(|scope| {
            let (done, all_done) = mpsc::channel::<()>();
            for _ in 0..threads.min(works.len()) {
                let done = done.clone();
                let (works, shared) = (&works, &shared);
                scope.spawn(move || {
                    panics::unreported(|| shared.work(works, allowed, program));
                    drop(done);
                });
            }
            drop(done);
            self.wait(&all_done, &shared, before)
        });
        for work in works {
            let Work { part, found } = work.into_inner().unwrap_or_else(PoisonError::into_inner);
            tally.merge(found);
            self.parts.push(part);
        }
        self.parts.extend(waiting);
        signal
    }

    /// Calls the watch at intervals until all threads are done.
    fn wait(&mut self, all_done: &mpsc::Receiver<()>, shared: &Shared, before: Progress) -> ControlFlow<()> {
        let mut signal = ControlFlow::Continue(());
        while let Err(mpsc::RecvTimeoutError::Timeout) = all_done.recv_timeout(LOOK) {
            let runs = before.runs + shared.visited.load(Relaxed);
            let failed = before.failed + shared.failed.load(Relaxed);
            if signal.is_continue() {
                signal = self.watch(Progress { runs, failed });
                shared.stop.fetch_or(signal.is_break(), Relaxed);
            }
        }
        signal
    }
}

impl Shared {
    /// Takes one part after another and runs it, until all are taken.
    fn work<S: Strategy, R: Outcome>(
        &self,
        works: &[Mutex<Work<S>>],
        allowed: Allowance,
        program: &(impl Fn(&mut Chooser) -> R + Sync),
    ) {
        while let Some(work) = works.get(self.next.fetch_add(1, Relaxed)) {
            let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
            let Work { part, found } = &mut *work;
            let go_on = || if self.stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            if go_on().is_continue() {
                visit(part, allowed, found, &mut |c: &mut Chooser| program(c), &mut |_| go_on());
            }
            self.stop.fetch_or(found.interrupted, Relaxed);
            self.visited.fetch_add(found.visited(), Relaxed);
            self.failed.fetch_add(found.failed, Relaxed);
        }
    }
}

/// Divides the searches until there are enough of them, or none can be divided.
fn divide<S: Strategy>(parts: &mut Vec<S>) {
    let mut before = 0;
    while !parts.is_empty() && parts.len() < PARTS && parts.len() != before {
        before = parts.len();
        for mut part in std::mem::take(parts) {
            let other = if parts.len() < PARTS { part.split() } else { None };
            parts.push(part);
            parts.extend(other);
        }
    }
}
