//! Programs that go on until they fail: ten thousand steps, of which seven or eight matter.

use super::Bug;
use mayhap::choice::{ChoiceError, Choices, Chooser, Coverage, Explore, Label, Random, Step, Strategy};

/// The steps of a run to begin with.
pub const STEPS: usize = 10_000;

/// A bug of a program that goes on until it fails, and what makes it fail at last, after random steps.
pub struct Loop {
    pub bug: Bug,
    tail: &'static [usize],
}

/// One run: random picks, then the tail.
struct Tailed {
    random: Random,
    tail: &'static [usize],
    run: Vec<Step>,
}

/// A failing run of this number of steps.
pub fn failing(it: &Loop, seed: u64) -> Option<Vec<Step>> {
    let tailed = Tailed { random: Random::new(seed), tail: it.tail, run: Vec::new() };
    let report = Explore::new(tailed).runs(1).shrinking(0).run(it.bug.program);
    report.failures.into_iter().next().map(|failure| failure.run)
}

impl Choices for Tailed {
    fn branch(&mut self, label: Label, arity: usize, _: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let behind = (self.run.len() + self.tail.len()).checked_sub(STEPS);
        let drawn = self.random.branch(label, arity, None)?;
        let pick = behind.map_or(drawn, |at| self.tail.get(at).copied().unwrap_or(0));
        self.run.push(Step { label, arity, pick });
        Ok(pick)
    }
}

impl Strategy for Tailed {
    fn run(&self) -> &[Step] {
        &self.run
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        Ok(false)
    }

    fn restart(&mut self) {
        self.run.clear();
    }

    fn is_done(&self) -> bool {
        false
    }

    fn coverage(&self) -> Coverage {
        Coverage::Sample
    }

    fn split(&mut self) -> Option<Tailed> {
        None
    }
}

const CODE: [usize; 7] = [3, 1, 4, 1, 5, 9, 2];

/// A lock that opens on seven digits in a row.
fn lock(c: &mut Chooser) {
    let mut last = Vec::new();
    loop {
        last.push(c.choose("digit", 10));
        assert!(!last.ends_with(&CODE), "it opens");
    }
}

/// The same for a number of digits that is known.
fn lock_of_many(c: &mut Chooser) {
    let mut last = Vec::new();
    for _ in 0..STEPS {
        last.push(c.choose("digit", 10));
        assert!(!last.ends_with(&CODE), "it opens");
    }
}

/// A lock that takes seven digits at a time.
fn lock_by_sevens(c: &mut Chooser) {
    loop {
        let digits: Vec<usize> = (0..7).map(|_| c.choose("digit", 10)).collect();
        assert!(digits != CODE, "it opens");
    }
}

/// A protocol of eight states: one event goes on, one stays, the others go back to some state before.
fn protocol(c: &mut Chooser) {
    let mut state = 0;
    loop {
        let event = c.choose("event", 12);
        state = match event {
            _ if event == (5 * state + 1) % 12 => state + 1,
            _ if event == (state + 7) % 12 => state,
            _ => state / (2 + event % 3),
        };
        assert!(state < 7, "the last state");
    }
}

/// Two threads that read and write a counter in two steps, and six that make them begin anew.
fn threads(c: &mut Chooser) {
    let (mut counter, mut lost, mut read) = (0_usize, 0, [None; 2]);
    loop {
        match c.choose("thread", 8) {
            thread @ 0..2 => match read[thread].take() {
                None => read[thread] = Some(counter),
                Some(seen) if seen == counter => counter += 1,
                Some(_) => lost += 1,
            },
            _ => (lost, read) = (0, [None; 2]),
        }
        assert!(lost < 2, "two updates are lost");
    }
}

/// A queue with a bound whose requests have arguments, some of them; seven that are not taken out fill it.
fn queue(c: &mut Chooser) {
    let mut queue = Vec::new();
    loop {
        match c.choose("request", 8) {
            0 => queue.push(0),
            1 => queue.push(c.choose("size", 100)),
            2 => _ = queue.pop(),
            3 => queue.truncate(c.choose("length", 4)),
            4 => _ = c.choose("key", 1_000),
            _ => queue.clear(),
        }
        assert!(queue.len() < 7, "the queue is full");
    }
}

/// Time goes on with each step; what happens at another time than it should does nothing.
fn clock(c: &mut Chooser) {
    let (mut time, mut done) = (0, 0);
    loop {
        let action = c.choose("action", 20);
        done = match action {
            _ if action == 2 * done + 1 && time % 6 == 0 => done + 1,
            1..10 => 0,
            _ => done,
        };
        time += 1;
        assert!(done < 2, "two in time");
    }
}

pub fn all() -> Vec<Loop> {
    let it = |name, program, tail, least: &[usize]| Loop { bug: Bug { name, program, least: least.to_vec() }, tail };
    vec![
        it("a lock", lock, &CODE, &CODE),
        it("a lock with a last digit", lock_of_many, &CODE, &CODE),
        it("a lock by sevens", lock_by_sevens, &[3, 1, 4, 1, 5, 9, 2, 0, 0, 0, 0], &CODE),
        it("a protocol", protocol, &[1, 6, 11, 4, 9, 2, 7], &[1, 6, 11, 4, 9, 2, 7]),
        it("threads", threads, &[0, 1, 0, 1, 0, 1, 0, 1, 1], &[0, 1, 0, 0, 1, 1, 0, 1]),
        it("a queue", queue, &[0, 0, 1, 50, 0, 1, 2, 0, 0, 0, 0], &[0; 7]),
        it("a clock", clock, &[2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 3]),
    ]
}
