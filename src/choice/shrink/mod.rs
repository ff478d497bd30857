//! Making a failing run smaller: the shortlex-least run that still fails in the same way, as far as a budget goes.
//!
//! The order of simplicity is *shortlex*: fewer choices are simpler, and among runs of one length those with lexicographically lower
//! picks. The order is total, so that the simplest run does not depend on the way there. Every run has finitely many before it, so that
//! each run that is adopted brings the end nearer. Fewer choices come first since each one is something to understand;
//! alternative 0 is the one that a program names first, its usual case.
//!
//! There is one gate, `consider`: it runs the program on edited steps, and adopts the run that the *program* made of them
//! if it fails in the same way and comes before the best one. Edited steps need not be a run: they are read leniently,
//! by label, and what is missing is alternative 0. A run ends where it fails, and one that cannot come before the best one
//! any more is cut. Each pass is a function from the best run to edits of it, see `passes`.
//!
//! The passes are tried in their order, at first with little patience each, and with more as long as one of them gives up:
//! so the budget goes to what works, and all of it before the search ends without having tried every edit there is. Then
//! the run is [`Minimum::Local`]; if the budget ends the search first it is [`Minimum::Unfinished`].
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

mod known;
mod passes;
mod read;

use super::chooser::CHOICES;
use super::explore::panics;
use super::explore::report::shortlex;
use super::explore::rerun;
use super::explore::rerun::{End, Failed};
use super::{Choices, Chooser, Outcome, Step};
use known::{Attempt, Fate, Known};
use read::Read;

/// The bounds on the work of making a run smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The number of times that the program may be run again.
    pub reruns: u64,
    /// The number of choices that a run may ask for.
    pub choices: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { reruns: 5_000, choices: CHOICES }
    }
}

/// The degree to which the smaller run is known to be the smallest that fails in its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Shrunk {
    /// The smallest failing run that was found.
    pub run: Vec<Step>,
    /// The message of what goes wrong in that run.
    pub message: String,
    /// The number of times that the program was run again.
    pub reruns: u64,
    /// The degree to which it is known that no smaller run fails in this way.
    pub minimum: Minimum,
}

/// Makes a failing run smaller; `None` if the program does not fail on it.
pub fn shrink<R: Outcome>(run: &[Step], bounds: Bounds, mut program: impl FnMut(&mut Chooser) -> R) -> Option<Shrunk> {
    panics::unreported(|| {
        let mut read = Read::new(run);
        match rerun::once(&mut read, bounds.choices, &mut program) {
            End::Failed(Failed { kind, .. }) => shrink_kind(&read.made, &kind, bounds, &mut program),
            End::Passed | End::Escaped(_) => None,
        }
    })
}

/// Makes a failing run smaller whose kind of failure is known; `None` if the program does not fail on it in that way.
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

/// The edits tried in vain after which a pass lets the others try first.
const PATIENCE: u64 = 64;

/// The approximate number of runs before the best one up to which all of them are tried.
const PROVED: u64 = 1_000;

/// A program that says why it failed, if it did so in the way that is looked for.
type Fails<'p> = dyn FnMut(&mut dyn Choices) -> Option<String> + 'p;

/// The best run so far and what may still be tried.
///
/// Invariants:
/// 1. `best` fails in the way that is looked for, with `message`, and each one that replaces it comes before it in shortlex.
/// 2. `known` has all runs that were made, the best one among them.
struct Search<'p> {
    best: Vec<Step>,
    message: String,
    reruns: u64,
    budget: u64,
    /// The number of times that a better run was found.
    adopted: u64,
    /// The number of edits that a pass may still try in vain.
    patience: u64,
    /// The number of edits that a pass may try in vain from one that succeeds on.
    patient: u64,
    known: Known,
    program: &'p mut Fails<'p>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.reruns >= self.budget || self.patience == 0
    }

    /// The gate: whether these steps lead to a failing run before the best one, which is the best one then.
    fn consider(&mut self, steps: Vec<Step>) -> bool {
        self.attempt(steps).is_some_and(|attempt| attempt.adopted)
    }

    /// Runs the program on these steps, unless their outcome is known, and adopts the run that they lead to if it fails
    /// and comes before the best one; returns what became of the steps, `None` if nothing is to be tried.
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

    /// Tests whether the program fails on steps, though their run may come after the best one; `None` if it has more
    /// choices than the best one, or if nothing is to be tried.
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

    /// The run that these steps lead to, if it was made.
    fn made(&self, steps: &[Step]) -> Option<Vec<Step>> {
        self.known.follow(Read::before(&self.best, steps)).map(|(read, _)| read.made)
    }

    /// All passes, again and again until none of them makes the run smaller, each with more patience than before as long
    /// as one gives up.
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

    /// All passes, from the first tier again as long as one makes the run shorter. Whether a pass gave up.
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

    /// Tries all runs before the best one, if they may be few: then it is the least.
    fn finished(mut self, found: Minimum) -> Shrunk {
        let before = self.best.iter().rev().skip(1).try_fold(1_u64, |runs, step| runs.checked_mul(step.arity as u64));
        let few = before.is_some_and(|runs| runs <= PROVED);
        (self.patience, self.patient) = (2 * PROVED, 2 * PROVED);
        let minimum = if few && passes::least_of_all(&mut self) { Minimum::Proved } else { found };
        Shrunk { run: self.best, message: self.message, reruns: self.reruns, minimum }
    }
}
