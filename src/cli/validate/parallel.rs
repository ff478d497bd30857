//! Parallel work with results in order.
//!
//! With two workers the second trace is judged in parallel with the first one, and the verdict on the first one is printed first.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The size of a worker's stack, in bytes: as much as a main thread usually has.
const STACK: usize = 8 << 20;

/// The default number of workers: the parallelism of the system, or 1 if it is unknown.
#[must_use]
pub fn workers() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Does the work for each item on several threads, and reports each result as soon as all earlier ones were reported.
///
/// With one worker or one item no thread is started. If no thread can be started, the work is done without.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T) -> R + Sync,
    mut report: impl FnMut(R),
) {
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        items.get(at).map(|item| (at, item))
    };
    if workers < 2 || items.len() < 2 {
        return items.iter().for_each(|item| report(work(item)));
    }
    let (done, results) = mpsc::channel();
    let run = |done: mpsc::Sender<(usize, R)>| {
        while let Some((at, item)) = take() {
            // The receiver listens until all senders are gone.
            _ = done.send((at, work(item)));
        }
    };
    thread::scope(|scope| {
        let start = |_: &usize| {
            let (done, run) = (done.clone(), &run);
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || run(done)).is_ok()
        };
        if (0..workers.min(items.len())).filter(start).count() == 0 {
            run(done.clone());
        }
        drop(done);
        let mut waiting = EarlyResults { stated: 0, early: BTreeMap::new() };
        results.into_iter().for_each(|(at, result)| waiting.add(at, result, &mut report));
    });
}

/// The results that came before an earlier item's result.
struct EarlyResults<R> {
    stated: usize,
    early: BTreeMap<usize, R>,
}

impl<R> EarlyResults<R> {
    fn add(&mut self, at: usize, result: R, report: &mut impl FnMut(R)) {
        self.early.insert(at, result);
        while let Some(result) = self.early.remove(&self.stated) {
            self.stated += 1;
            report(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_order_whoever_is_first() {
        for workers in [1, 2, 7] {
            let items: Vec<u64> = (0..40).collect();
            let slowly = |item: &u64| {
                thread::sleep(Duration::from_millis((*item * 7) % 5));
                *item
            };
            let mut stated = Vec::new();
            in_order(&items, workers, slowly, |item| stated.push(item));
            assert_eq!(stated, items, "{workers} workers");
        }
    }
}
