//! Making a failing run smaller: the shortlex-least run that still fails in the same way, as far as a budget goes.
//!
//! The order of simplicity is *shortlex*: fewer choices are simpler, among as many the lexicographically lower picks are.
//! There is one gate, `consider`: it runs the program on edited steps, and adopts the run that the *program* made of them
//! where it fails in the same way and comes before the best one. Edited steps need not be a run: they are read leniently,
//! by label, and what is missing is alternative 0. Each pass is a function from the best run to edits of it, see `passes`.
//!
//! ```
//! use mayhap::choice::{Chooser, Step, shrink};
//! let program = |c: &mut Chooser| {
//!     let mut sum = 0;
//!     while c.flip("more") {
//!         sum += c.choose("number", 100);
//!     }
//!     assert!(sum < 50, "too much");
//! };
//! let step = |label, arity, pick| Step { label, arity, pick };
//! let mut failing: Vec<Step> = (0..40).flat_map(|n| [step("more", 2, 1), step("number", 100, n)]).collect();
//! failing.push(step("more", 2, 0));
//! let shrunk = shrink::shrink(&failing, shrink::Bounds::default(), program).expect("it fails");
//! assert_eq!(shrunk.run.iter().map(|step| step.pick).collect::<Vec<_>>(), [1, 50, 0]);
//! ```

mod passes;
mod read;

use super::report::shortlex;
use super::rerun::{self, End, Failed};
use super::{BreadthFirst, Choices, Chooser, Outcome, Step, Strategy, quiet};
use read::Read;
use std::collections::HashMap;

/// How much work making a run smaller may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How many times the program may be run again.
    pub reruns: u64,
    /// How many choices a run may ask for.
    pub choices: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { reruns: 5_000, choices: super::explore::CHOICES }
    }
}

/// How good the smaller run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Minimum {
    /// No run before it fails in this way: all of them were tried.
    Proved,
    /// None of the edits makes it smaller.
    Local,
    /// The budget was used up.
    Unfinished,
}

/// A run that was made smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shrunk {
    /// The smallest failing run that was found.
    pub run: Vec<Step>,
    /// What goes wrong in it.
    pub message: String,
    /// How many times the program was run.
    pub reruns: u64,
    /// Whether there is a smaller one.
    pub minimum: Minimum,
}

/// Makes a failing run smaller; `None` where the program does not fail on it.
pub fn shrink<R: Outcome>(run: &[Step], bounds: Bounds, mut program: impl FnMut(&mut Chooser) -> R) -> Option<Shrunk> {
    quiet::quietly(|| {
        let mut read = Read::new(run.to_vec(), usize::MAX);
        match rerun::once(&mut read, bounds.choices, &mut program) {
            End::Failed(Failed { kind, .. }) => shrink_kind(&read.made, &kind, bounds, &mut program),
            End::Passed | End::Escaped(_) => None,
        }
    })
}

/// The same for a failure whose kind is known.
pub(super) fn shrink_kind<R: Outcome>(
    run: &[Step],
    kind: &str,
    bounds: Bounds,
    program: &mut impl FnMut(&mut Chooser) -> R,
) -> Option<Shrunk> {
    let mut program = |source: &mut dyn Choices| match rerun::once(source, bounds.choices, program) {
        End::Failed(failed) if failed.kind == kind => Some(failed.message),
        End::Failed(_) | End::Passed | End::Escaped(_) => None,
    };
    let mut first = Read::new(run.to_vec(), usize::MAX);
    let message = program(&mut first)?;
    let mut search = Search {
        best: first.made,
        message,
        reruns: 1,
        budget: bounds.reruns,
        patience: PATIENCE,
        tried: HashMap::new(),
        program: &mut program,
    };
    search.greedy();
    Some(search.finished())
}

/// A pass that tried so many edits in vain lets the others try first.
const PATIENCE: u64 = 256;

/// Where the runs before the best one are at most about so many, all of them are tried.
const PROVED: u64 = 1_000;

/// What became of edited steps.
struct Attempt {
    adopted: bool,
    /// How many steps the run had.
    length: usize,
}

/// A program that says why it failed, if it did so in the way that is looked for.
type Fails<'p> = dyn FnMut(&mut dyn Choices) -> Option<String> + 'p;

/// The best run so far and what may still be tried.
struct Search<'p> {
    best: Vec<Step>,
    message: String,
    reruns: u64,
    budget: u64,
    /// How many more edits a pass may try in vain.
    patience: u64,
    /// How long the runs became that edited steps led to, by the hash of the steps.
    tried: HashMap<u64, usize>,
    program: &'p mut Fails<'p>,
}

/// Steps as a number. Two that have the same number by accident cost an edit that is not tried.
fn hash(steps: &[Step]) -> u64 {
    let mixed = |hash: u64, part: usize| (hash.rotate_left(26) ^ part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    steps
        .iter()
        .fold(0, |hash, step| [step.label.as_ptr() as usize, step.arity, step.pick].into_iter().fold(hash, mixed))
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.reruns >= self.budget || self.patience == 0
    }

    /// The gate: whether these steps lead to a failing run before the best one, which is the best one then.
    fn consider(&mut self, steps: Vec<Step>) -> bool {
        self.attempt(steps).is_some_and(|attempt| attempt.adopted)
    }

    /// The same, with how long the run became; `None` where nothing is to be tried.
    fn attempt(&mut self, steps: Vec<Step>) -> Option<Attempt> {
        if self.is_over() || steps == self.best {
            return None;
        }
        let hash = hash(&steps);
        if let Some(length) = self.tried.get(&hash) {
            return Some(Attempt { adopted: false, length: *length });
        }
        self.reruns += 1;
        let mut read = Read::new(steps, self.best.len());
        let message = (self.program)(&mut read);
        let length = read.made.len();
        self.tried.insert(hash, length);
        let adopted = message.is_some() && shortlex(&read.made, &self.best).is_lt();
        if let Some(message) = message.filter(|_| adopted) {
            (self.best, self.message) = (read.made, message);
        }
        self.patience = if adopted { PATIENCE } else { self.patience - 1 };
        Some(Attempt { adopted, length })
    }

    /// All passes, again and again until none of them makes the run smaller.
    fn greedy(&mut self) {
        loop {
            let (before, mut given_up) = (self.best.clone(), false);
            for pass in passes::ALL {
                self.patience = PATIENCE;
                pass(self);
                given_up |= self.patience == 0;
            }
            self.patience = PATIENCE;
            if self.is_over() || (self.best == before && !given_up) {
                return;
            }
        }
    }

    /// Tries all runs before the best one, where they may be few: then it is the least.
    fn finished(mut self) -> Shrunk {
        let mut search = BreadthFirst::new();
        let mut minimum = if self.is_over() { Minimum::Unfinished } else { Minimum::Local };
        let before = self.best.iter().rev().skip(1).try_fold(1_u64, |runs, step| runs.checked_mul(step.arity as u64));
        let few = before.is_some_and(|runs| runs <= PROVED);
        let left = if few { self.budget.saturating_sub(self.reruns).min(2 * PROVED) } else { 0 };
        for _ in 0..left {
            self.reruns += 1;
            if let Some(message) = (self.program)(&mut search) {
                (self.best, self.message, minimum) = (search.run().to_vec(), message, Minimum::Proved);
                break;
            }
            if !search.advance().unwrap_or(false) {
                break;
            }
        }
        Shrunk { run: self.best, message: self.message, reruns: self.reruns, minimum }
    }
}
