//! Threads that suspend each other: a deadlock shows as a choice from nothing.
//!
//! A collector suspends the worker, cleans up, and resumes it. Both take a lock to allocate. If the worker is suspended while it
//! holds the lock, the collector waits for ever, and no thread can run. A tool that takes a choice from nothing as "this run does
//! not exist" skips exactly this run, and finds no bug. Here it is an error that names the place.
//! `cargo run --example suspended_threads` shows the deadlock, and the order that avoids it.

use mayhap::choice::{Chooser, Odometer, Report, explore};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Lock,
    Unlock,
    Suspend,
    Resume,
}

/// The moment at which the collector takes the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locking {
    /// While the worker is suspended.
    WhileSuspended,
    /// Before it suspends the worker, which cannot hold the lock then.
    Before,
}

const WORKER: &[Step] = &[Step::Lock, Step::Unlock];

impl Locking {
    fn collector(self) -> &'static [Step] {
        match self {
            Locking::WhileSuspended => &[Step::Suspend, Step::Lock, Step::Unlock, Step::Resume],
            Locking::Before => &[Step::Lock, Step::Suspend, Step::Resume, Step::Unlock],
        }
    }
}

/// The worker, which is thread 0, and the collector, which is thread 1.
#[derive(Default)]
struct Threads {
    done: [usize; 2],
    holder: Option<usize>,
    worker_is_suspended: bool,
}

impl Threads {
    fn can_run(&self, thread: usize, step: Step) -> bool {
        let suspended = thread == 0 && self.worker_is_suspended;
        !suspended && (step != Step::Lock || self.holder.is_none())
    }

    fn run(&mut self, thread: usize, step: Step) {
        match step {
            Step::Lock => self.holder = Some(thread),
            Step::Unlock => self.holder = None,
            Step::Suspend => self.worker_is_suspended = true,
            Step::Resume => self.worker_is_suspended = false,
        }
        self.done[thread] += 1;
    }
}

fn schedule(locking: Locking, c: &mut Chooser) {
    let programs = [WORKER, locking.collector()];
    let mut threads = Threads::default();
    while (0..2).any(|thread| threads.done[thread] < programs[thread].len()) {
        let next = |thread: &usize| programs[*thread].get(threads.done[*thread]);
        let can_run = |thread: &usize| next(thread).is_some_and(|step| threads.can_run(*thread, *step));
        let runnable: Vec<usize> = (0..2).filter(can_run).collect();
        // If no thread can run, this is a choice from nothing: the deadlock.
        let thread = *c.pick("which thread runs", &runnable);
        let step = programs[thread][threads.done[thread]];
        threads.run(thread, step);
    }
}

/// Explores all schedules.
pub fn every_schedule(locking: Locking) -> Report {
    explore(Odometer::new(), |c| schedule(locking, c))
}

#[allow(dead_code, reason = "a program of its own; tests call the functions above")]
pub fn main() {
    for locking in [Locking::WhileSuspended, Locking::Before] {
        println!("{locking:?}: {}\n", every_schedule(locking));
    }
}
