//! Exploring, beside what others offer: the same trees in one run, runs a second.
//!
//! `cargo run --release` in this directory, or `make bench`. exhaustigen and bolero do not look whether it is the same
//! program that asks again; the odometer compares a label and an arity at every step. The module under measurement is the one of the crate, which
//! names nothing else of it, so that neither the solver nor the language is built here.

#[path = "../../../src/choice/mod.rs"]
#[allow(dead_code, unused_imports, reason = "only some of it is measured")]
mod choice;

use bolero_generator::driver::{self, Driver};
use choice::{ChoiceError, Choices, Explore, Odometer, Strategy};
use std::hint::black_box;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A tree: how many choices a run makes, and among how many.
#[derive(Clone, Copy)]
struct Tree {
    depth: usize,
    arity: usize,
}

/// Binary and decimal, shallow and deep; about two million runs each.
const TREES: &[Tree] = &[
    Tree { depth: 3, arity: 128 },
    Tree { depth: 6, arity: 11 },
    Tree { depth: 7, arity: 8 },
    Tree { depth: 21, arity: 2 },
];

/// How often each is measured; the best counts.
const TIMES: usize = 5;

impl Tree {
    #[inline(never)]
    fn concrete(self) -> u64 {
        let mut search = Odometer::new();
        let mut runs = 0;
        loop {
            black_box(self.walk(&mut search).unwrap_or_default());
            runs += 1;
            let Ok(true) = search.advance() else { return runs };
        }
    }

    /// The same walk for every strategy; generic, so that it is compiled for the odometer and for `dyn`.
    #[inline]
    fn walk<C: Choices + ?Sized>(self, choices: &mut C) -> Result<usize, ChoiceError> {
        (0..self.depth).try_fold(0, |sum, _| Ok(sum + choices.choose("digit", self.arity)?))
    }

    #[inline(never)]
    fn walk_dynamically(self, choices: &mut dyn Choices) -> Result<usize, ChoiceError> {
        self.walk(choices)
    }

    fn dynamic(self) -> u64 {
        let mut search: Box<dyn Choosing> = black_box(Box::new(Odometer::new()));
        let mut runs = 0;
        loop {
            black_box(self.walk_dynamically(search.choices()).unwrap_or_default());
            runs += 1;
            let Ok(true) = search.next() else { return runs };
        }
    }

    fn explored(self, threads: Option<usize>) -> u64 {
        let program = |c: &mut choice::Chooser| {
            _ = black_box((0..self.depth).map(|_| c.choose("digit", self.arity)).sum::<usize>())
        };
        let mut search = Explore::new(Odometer::new());
        threads
            .map_or_else(|| search.run(program), |threads| Explore::new(Odometer::new()).run_on(threads, program))
            .runs
    }

    #[inline(never)]
    fn exhaustigen(self) -> u64 {
        let mut search = exhaustigen::Gen::new();
        let mut runs = 0;
        while !search.done() {
            black_box((0..self.depth).map(|_| search.r#gen(self.arity - 1)).sum::<usize>());
            runs += 1;
        }
        runs
    }

    fn bolero(self) -> u64 {
        let mut search = driver::exhaustive::Driver::new(&driver::Options::default());
        let mut runs = 0;
        while search.step().is_continue() {
            let mut digit =
                || search.gen_usize(Bound::Included(&0), Bound::Included(&(self.arity - 1))).unwrap_or_default();
            black_box((0..self.depth).map(|_| digit()).sum::<usize>());
            runs += 1;
        }
        runs
    }
}

/// A search behind a pointer.
trait Choosing {
    fn choices(&mut self) -> &mut dyn Choices;
    fn next(&mut self) -> Result<bool, ChoiceError>;
}

impl<S: Strategy> Choosing for S {
    fn choices(&mut self) -> &mut dyn Choices {
        self
    }

    fn next(&mut self) -> Result<bool, ChoiceError> {
        self.advance()
    }
}

/// Processor time of this thread, in seconds: what a busy machine does not change much.
fn processor_time() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// Processor time of all threads of this process there were, in seconds.
fn processor_time_of_all() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let ticks: Vec<f64> = stat.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}

/// Runs a second, in millions: by the clock, and by the processor time of this thread, which is returned.
fn measure(name: &str, mut work: impl FnMut() -> u64) -> f64 {
    let (mut best, mut by_processor, mut runs) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..TIMES {
        let (start, before) = (Instant::now(), processor_time());
        runs = work();
        best = best.max(runs as f64 / start.elapsed().as_secs_f64() / 1e6);
        let used = processor_time().zip(before).map(|(after, before)| after - before);
        by_processor = by_processor.max(used.map_or(0.0, |used| runs as f64 / used / 1e6));
    }
    println!("  {name:34} {best:8.2} M runs/s, {by_processor:8.2} M by processor time ({runs} runs)");
    if by_processor > 0.0 { by_processor } else { best }
}

fn trees() {
    for tree in TREES {
        println!("{} choices among {}", tree.depth, tree.arity);
        let ours = measure("mayhap, odometer", || tree.concrete());
        measure("mayhap, odometer behind dyn", || tree.dynamic());
        measure("mayhap, explore", || tree.explored(None));
        let peers = [measure("exhaustigen", || tree.exhaustigen()), measure("bolero, exhaustive", || tree.bolero())];
        println!("  the odometer is {:.2} and {:.2} times as fast as these", ours / peers[0], ours / peers[1]);
    }
}

/// One thread and two: where the machine is busy, what two cost together in processor time says what they would gain.
fn threads() {
    let tree = Tree { depth: 8, arity: 8 };
    let mut used = [0.0; 2];
    for threads in [1, 2] {
        let (start, before) = (Instant::now(), processor_time_of_all().unwrap_or_default());
        let runs = tree.explored(Some(threads));
        let elapsed = start.elapsed().as_secs_f64();
        used[threads - 1] = processor_time_of_all().unwrap_or_default() - before;
        println!("{runs} runs on {threads} threads: {elapsed:.2} s, {:.2} s of processor time", used[threads - 1]);
    }
    println!("  two threads are {:.2} times as fast as one, by processor time", 2.0 * used[0] / used[1]);
}

/// Three processes that spawn, in threads: how many schedules a search of threads visits where the language has eight.
fn spawning() {
    let schedules = Arc::new(AtomicU64::new(0));
    let counted = schedules.clone();
    let start = Instant::now();
    shuttle::check_dfs(
        move || {
            counted.fetch_add(1, Relaxed);
            let baz = || shuttle::thread::spawn(|| ());
            let spawner = || shuttle::thread::spawn(move || _ = baz().join());
            for process in [spawner(), spawner(), baz()] {
                _ = process.join();
            }
        },
        None,
    );
    println!(
        "three processes that spawn: shuttle visits {} schedules in {:.1} ms",
        schedules.load(Relaxed),
        start.elapsed().as_secs_f64() * 1e3
    );
    let mut search = Explore::new(Odometer::new());
    let start = Instant::now();
    let report = search.run(spawn);
    println!("  at the language's own choice points: {} in {:.3} ms", report.runs, start.elapsed().as_secs_f64() * 1e3);
}

/// `examples/toy_concurrency.rs` in short: each process is the spawns that it has left.
fn spawn(c: &mut choice::Chooser) {
    let (foo, main) = (&[0][..], &[1, 1, 0][..]);
    let mut processes = vec![main];
    loop {
        let ready: Vec<usize> = (0..processes.len()).filter(|&at| !processes[at].is_empty()).collect();
        if ready.is_empty() {
            return;
        }
        let process = *c.pick("process", &ready);
        let spawned = processes[process][0];
        processes[process] = &processes[process][1..];
        processes.push(if spawned == 1 { foo } else { &[] });
    }
}

fn main() {
    trees();
    threads();
    spawning();
}
