//! Shrinking a failing run: the search for the shortlex-least run with the same kind of failure, within a budget.
//!
//! The order of simplicity is *shortlex*: fewer choices are simpler, and among runs of one length those with lexicographically lower picks.
//! The order is total, so the simplest run does not depend on the way to it. Finitely many runs come before each run, so shrinking ends.
//! Fewer choices come first, since each choice is one thing to understand; alternative 0 is the one that a program names first, its usual
//! case.
//!
//! There is one gate, `consider`: it runs the program on edited steps, and adopts the run that the *program* made of them if it has the
//! same kind of failure and comes before the best one. Edited steps need not be a run: they are read leniently, by label, and missing ones
//! are alternative 0. A run ends when it fails, and is cut when it cannot come before the best one any more. Each pass is a function that
//! tries edits of the best run, see `passes`.
//!
//! The passes are tried in their order, at first with little patience, and with more while a pass still gives up: so the budget goes to the
//! passes that succeed, and is used up before the search ends without having tried every edit. After all edits the run is
//! [`Minimum::Local`]; if the budget ends the search first, it is [`Minimum::Unfinished`].
//!
//! ```
//! use mayhap_choice::{Chooser, Step, shrink};
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
mod run_cache;

use super::chooser::CHOICES;
use super::explore::panics;
use super::explore::report::shortlex;
use super::explore::rerun;
use super::explore::rerun::{End, Failed};
use super::{Choices, Chooser, Outcome, Step};
use read::Read;
use run_cache::{Attempt, Fate, Known};

/// The bounds on the work of shrinking a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The largest number of times that the program is run.
    pub reruns: u64,
    /// The largest number of choices in a run.
    pub choices: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { reruns: 5_000, choices: CHOICES }
    }
}

/// The certainty that the shrunk run is the smallest one with its kind of failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Minimum {
    /// All runs before it were tried, and none has this failure.
    Proved,
    /// No edit makes it smaller.
    Local,
    /// The budget was used up.
    Unfinished,
}

/// A run that was shrunk.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Shrunk {
    /// The smallest failing run that was found.
    pub run: Vec<Step>,
    /// The message of the failure in that run.
    pub message: String,
    /// The number of times that the program was run.
    pub reruns: u64,
    /// The certainty that no smaller run has this failure.
    pub minimum: Minimum,
}

/// Shrinks a failing run; `None` if the program does not fail on it.
pub fn shrink<R: Outcome>(run: &[Step], bounds: Bounds, mut program: impl FnMut(&mut Chooser) -> R) -> Option<Shrunk> {
    panics::unreported(|| {
        let mut read = Read::new(run);
        match rerun::once(&mut read, bounds.choices, &mut program) {
            End::Failed(Failed { kind, .. }) => shrink_kind(&read.made, &kind, bounds, &mut program),
            End::Passed | End::Escaped(_) => None,
        }
    })
}

/// Shrinks a failing run with this kind of failure; `None` if the program does not fail on it in this way.
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
    let mut first = Read::new(run);
    let message = program(&mut first)?;
    let mut known = Known::default();
    known.note(run, &first, Fate::Fails);
    let mut search = Search {
        best: first.made,
        message,
        reruns: 1,
        budget: bounds.reruns,
        adopted: 0,
        patience: 0,
        patient: 0,
        known,
        program: &mut program,
    };
    let minimum = search.greedy();
    Some(search.finished(minimum))
}

/// The number of unsuccessful edits after which a pass lets the next one try.
const PATIENCE: u64 = 64;

/// The approximate number of runs before the best one up to which all of them are tried.
const PROVED: u64 = 1_000;

/// A program that returns the message of its failure, if it has the kind of failure that is being shrunk.
type Fails<'p> = dyn FnMut(&mut dyn Choices) -> Option<String> + 'p;

/// The state of shrinking: the best run so far, and the limits of the search.
///
/// Invariants:
/// 1. `best` has the kind of failure that is being shrunk, with `message`; each replacement of `best` comes before it in shortlex.
/// 2. `known` has all runs so far, including the best one.
struct Search<'p> {
    best: Vec<Step>,
    message: String,
    reruns: u64,
    budget: u64,
    /// The number of times that a better run was found.
    adopted: u64,
    /// The number of unsuccessful edits that the present pass may still try.
    patience: u64,
    /// The number of unsuccessful edits that the present pass may try after a successful one.
    patient: u64,
    known: Known,
    program: &'p mut Fails<'p>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.reruns >= self.budget || self.patience == 0
    }

    /// The gate: runs the program on steps, and returns whether their run is the best one now.
    fn consider(&mut self, steps: Vec<Step>) -> bool {
        self.attempt(steps).is_some_and(|attempt| attempt.adopted)
    }

    /// Runs the program on these steps, unless their outcome is known. Adopts their run if it fails and comes before the best one. Returns
    /// the outcome of the steps; `None` if no more edits are allowed.
    fn attempt(&mut self, steps: Vec<Step>) -> Option<Attempt> {
        if self.is_over() || steps == self.best {
            return None;
        }
        if let Some(attempt) = self.known.recall(&self.best, &steps) {
            return Some(attempt);
        }
        let mut read = Read::before(&self.best, &steps);
        let message = (self.program)(&mut read);
        let attempt = self.known.note(&steps, &read, Fate::of(&message));
        let adopted = self.judged(read.made, message);
        Some(Attempt { adopted, ..attempt })
    }

    /// Counts a run of the program, and adopts it if it fails and comes before the best one.
    fn judged(&mut self, made: Vec<Step>, message: Option<String>) -> bool {
        self.reruns += 1;
        self.patience -= 1;
        match message.filter(|_| shortlex(&made, &self.best).is_lt()) {
            None => false,
            Some(message) => {
                (self.best, self.message, self.adopted, self.patience) =
                    (made, message, self.adopted + 1, self.patient);
                true
            }
        }
    }

    /// Tests whether the program fails on steps, even if their run comes after the best one; `None` if the run has more choices than the
    /// best one, or no more edits are allowed.
    fn fails(&mut self, steps: &[Step]) -> Option<bool> {
        let longest = self.best.len();
        let known = self.known.follow(Read::up_to(longest, steps));
        let (read, ended) = match known {
            Some(known) => known,
            None if self.is_over() => return None,
            None => {
                let mut read = Read::up_to(longest, steps);
                let message = (self.program)(&mut read);
                let ended = Fate::of(&message);
                self.known.note(steps, &read, ended);
                self.judged(read.made.clone(), message);
                (read, ended)
            }
        };
        (!read.is_longer()).then_some(ended == Fate::Fails)
    }

    /// The run of these steps, if it was made.
    fn made(&self, steps: &[Step]) -> Option<Vec<Step>> {
        self.known.follow(Read::before(&self.best, steps)).map(|(read, _)| read.made)
    }

    /// Runs all passes again and again until none makes the run smaller; increases the patience while a pass still gives up.
    fn greedy(&mut self) -> Minimum {
        let mut patience = PATIENCE;
        loop {
            let before = self.adopted;
            let gave_up = self.gives_up(patience);
            match (self.reruns >= self.budget, self.adopted > before) {
                (true, _) => return Minimum::Unfinished,
                (false, true) => {}
                (false, false) if gave_up => patience *= 2,
                (false, false) => return Minimum::Local,
            }
        }
    }

    /// Runs all passes, and starts at the first tier again when one makes the run shorter; returns whether a pass gave up.
    fn gives_up(&mut self, patience: u64) -> bool {
        let (mut tier, mut gave_up) = (0, false);
        while let Some(passes) = passes::TIERS.get(tier).filter(|_| self.reruns < self.budget) {
            let before = self.best.len();
            for pass in *passes {
                self.patient = if tier == 0 { 4 * patience } else { patience };
                self.patience = self.patient;
                pass(self);
                gave_up |= self.is_over();
            }
            (tier, gave_up) = if self.best.len() < before { (0, false) } else { (tier + 1, gave_up) };
        }
        gave_up
    }

    /// Tries all runs before the best one if they seem to be few; the best run is then proved to be the least.
    fn finished(mut self, found: Minimum) -> Shrunk {
        let before = self.best.iter().rev().skip(1).try_fold(1_u64, |runs, step| runs.checked_mul(step.arity as u64));
        let few = before.is_some_and(|runs| runs <= PROVED);
        (self.patience, self.patient) = (2 * PROVED, 2 * PROVED);
        let minimum = if few && passes::least_of_all(&mut self) { Minimum::Proved } else { found };
        Shrunk { run: self.best, message: self.message, reruns: self.reruns, minimum }
    }
}
