//! Exploration compared with other crates: runs per second over the same trees in one process.
//!
//! `cargo run --release` in this directory, or `make bench`, runs it. exhaustigen and bolero do not check that the same program
//! asks again; the odometer compares a label and an arity at every step. The measured module is the one of the crate. It uses
//! nothing else of the crate, so neither the solver nor the language is built here.

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

/// A tree: the number of choices in a run, and the arity of each.
#[derive(Clone, Copy)]
struct Tree {
    depth: usize,
    arity: usize,
}

/// Binary and decimal, shallow and deep trees, with about two million runs each.
const TREES: &[Tree] = &[
    Tree { depth: 3, arity: 128 },
    Tree { depth: 6, arity: 11 },
    Tree { depth: 7, arity: 8 },
    Tree { depth: 21, arity: 2 },
];

/// The number of turns of each measured work.
const TURNS: usize = 12;

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

    /// The walk for every strategy. It is generic, so that it is compiled for the odometer and for `dyn`.
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

    /// The least work through a pointer: a call for every choice, and a number in memory that says which choice it is.
    fn counted(self) -> u64 {
        let mut counter: Box<dyn Counting> = black_box(Box::new(0_usize));
        let mut runs = 0;
        while runs < (self.arity as u64).pow(self.depth as u32) {
            black_box((0..self.depth).map(|_| counter.count()).sum::<usize>());
            runs += 1;
        }
        runs
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

/// The least work of a source of choices.
trait Counting {
    fn count(&mut self) -> usize;
}

impl Counting for usize {
    fn count(&mut self) -> usize {
        *self += 1;
        *self
    }
}

/// A search that is called through a pointer.
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

/// The runs per second, in millions, of several works. They take turns, so that a busy machine slows down all of them, and the
/// best turn of each counts.
fn measure(works: &mut [(&str, &mut dyn FnMut() -> u64)]) -> Vec<f64> {
    let mut best = vec![0.0_f64; works.len()];
    for _ in 0..TURNS {
        for ((_, work), best) in works.iter_mut().zip(&mut best) {
            let start = Instant::now();
            *best = best.max(work() as f64 / start.elapsed().as_secs_f64() / 1e6);
        }
    }
    for ((name, _), best) in works.iter().zip(&best) {
        println!("  {name:34} {best:8.2} M runs/s");
    }
    best
}

fn trees() {
    for tree in TREES {
        println!("{} choices among {}", tree.depth, tree.arity);
        let rates = measure(&mut [
            ("mayhap, odometer", &mut || tree.concrete()),
            ("exhaustigen", &mut || tree.exhaustigen()),
            ("bolero, exhaustive", &mut || tree.bolero()),
            ("mayhap, odometer behind dyn", &mut || tree.dynamic()),
            ("a counter behind dyn, and no more", &mut || tree.counted()),
            ("mayhap, explore", &mut || tree.explored(None)),
        ]);
        let times = |peer: usize| rates[0] / rates[peer];
        println!("  the odometer is {:.2} and {:.2} times as fast as the peers", times(1), times(2));
    }
}

/// The processor time of all threads of this process so far, in seconds.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Measures one thread and two threads, in turns. A free thread takes over a part of the search, so no thread waits for long. If
/// the machine is busy, the processor time of both together tells what two threads would gain.
fn threads() {
    let tree = Tree { depth: 8, arity: 8 };
    let (mut elapsed, mut used) = ([f64::MAX; 2], [f64::MAX; 2]);
    for turn in 0..TURNS {
        let (start, before, at) = (Instant::now(), processor_time(), turn % 2);
        black_box(tree.explored(Some(at + 1)));
        elapsed[at] = elapsed[at].min(start.elapsed().as_secs_f64());
        used[at] = used[at].min(processor_time() - before);
    }
    println!(
        "on one thread {:.2} s, on two {:.2} s; in processor time {:.2} s and {:.2} s",
        elapsed[0], elapsed[1], used[0], used[1]
    );
    println!(
        "  two threads are {:.2} times as fast, by processor time {:.2}",
        elapsed[0] / elapsed[1],
        2.0 * used[0] / used[1]
    );
}

/// Counts the schedules of a search of threads, for three processes that spawn. The language has only eight schedules for them.
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

/// The program of `examples/toy_concurrency.rs` in short: each process is the list of its remaining spawns.
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
