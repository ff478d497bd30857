//! Some runs, drawn from a seed: each alternative equally likely, or by weights, or each *run* equally likely.
//!
//! A space that is no larger than what is asked for is not sampled but enumerated: that is tried first, for at most
//! [`SMALL`] runs. Behind that every run has a source of its own, made from the seed and its number, so that what is drawn
//! depends neither on the runs before it nor on who draws it.
//!
//! ```
//! use mayhap::choice::{Sampled, explore};
//! let coins = |n: usize| explore(Sampled::new(1, 100), move |c| for _ in 0..n { c.choose("coin", 2); });
//! assert_eq!(coins(3).to_string(), "exhausted 8 of 8 runs, none failed");
//! assert_eq!(coins(90).to_string(), "sampled 200 runs, none failed");
//! ```

use super::counts::Place;
use super::{ChoiceError, Choices, Counts, Coverage, Label, Odometer, Random, Step, Strategy};
use std::fmt;
use std::sync::Arc;

/// A space of at most so many runs is enumerated where at least as many are asked for.
pub const SMALL: u64 = 1024;

/// The weights of the alternatives behind a run, at a place, so many; `None` where all are alike.
type Weigh = dyn Fn(&[Step], Label, usize) -> Option<Vec<u64>> + Send + Sync;

/// Draws runs from a seed.
#[derive(Clone)]
pub struct Sampled {
    seed: u64,
    /// The run at hand and the one before which this search ends, by number.
    numbers: (u64, u64),
    /// Tries whether the space is small.
    probe: Option<Odometer>,
    small: u64,
    draws: Random,
    weigh: Option<Arc<Weigh>>,
    /// Numbers of runs, and where the run at hand stands among them; `None` outside of what is known.
    counts: Option<Arc<Counts>>,
    place: Option<Place>,
    run: Vec<Step>,
    coverage: Coverage,
    done: bool,
}

impl Sampled {
    /// That many runs, the first `min(runs, SMALL)` in order: if they are all, they are each visited once.
    #[must_use]
    pub fn new(seed: u64, runs: u64) -> Sampled {
        Sampled {
            seed,
            numbers: (0, runs),
            probe: Some(Odometer::new()),
            small: runs.min(SMALL),
            draws: Random::of_run(seed, 0),
            weigh: None,
            counts: None,
            place: Some(Place::default()),
            run: Vec::new(),
            coverage: Coverage::Sample,
            done: runs == 0,
        }
    }

    /// Draws by weights: `weigh` is given the steps so far, the label and the number of alternatives, and returns a
    /// weight for each alternative, or `None` where all are alike or the program itself has weights.
    ///
    /// ```
    /// use mayhap::choice::{SMALL, Sampled, explore};
    /// let rarely = |_: &[_], label, _| (label == "crash").then(|| vec![99, 1]);
    /// let mut crashes = Vec::new();
    /// explore(Sampled::new(1, 10_000).weighing(rarely), |c| {
    ///     crashes.push((0..20).map(|_| c.choose("crash", 2)).sum::<usize>());
    /// });
    /// let drawn: usize = crashes[SMALL as usize..].iter().sum();
    /// assert!((1_800..2_200).contains(&drawn), "{drawn} of 200,000");
    /// ```
    #[must_use]
    pub fn weighing(
        mut self,
        weigh: impl Fn(&[Step], Label, usize) -> Option<Vec<u64>> + Send + Sync + 'static,
    ) -> Sampled {
        self.weigh = Some(Arc::new(weigh));
        self
    }

    /// Draws every run with the same probability, where the number of runs behind each choice is known.
    #[must_use]
    pub fn uniform(mut self, counts: Counts) -> Sampled {
        self.counts = Some(Arc::new(counts));
        self
    }

    fn draw(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        let counted = self.counts.as_ref().zip(self.place).and_then(|(counts, place)| counts.weights_at(place, arity));
        let own = counted.or_else(|| self.weigh.as_ref().and_then(|weigh| weigh(&self.run, label, arity)));
        match own.as_deref().or(weights) {
            Some(weights) if weights.len() != arity => Err(ChoiceError::BadWeights { label }),
            Some(weights) => self.draws.branch_weighted(label, weights),
            None => self.draws.branch(label, arity),
        }
    }

    fn decide(&mut self, label: Label, arity: usize, weights: Option<&[u64]>) -> Result<usize, ChoiceError> {
        // So many branch points on one path mean more than so many runs.
        let small = (self.run.len() as u64) < self.small;
        let pick = match &mut self.probe {
            Some(probe) if small => probe.branch(label, arity)?,
            _ => self.draw(label, arity, weights)?,
        };
        self.place = self.counts.as_ref().zip(self.place).and_then(|(counts, place)| counts.after(place, pick));
        self.run.push(Step { label, arity, pick });
        Ok(pick)
    }

    /// Goes on with the enumeration; without it where the space is not small.
    fn enumerate(&mut self) -> Result<bool, ChoiceError> {
        let Some(probe) = &mut self.probe else { return Ok(false) };
        let large = self.run.len() as u64 > self.small;
        self.numbers.0 += 1;
        if !large && !probe.advance()? {
            (self.coverage, self.done) = (Coverage::All, true);
            return Ok(false);
        }
        if large || self.numbers.0 >= self.small {
            (self.probe, self.numbers.0) = (None, 0);
        }
        Ok(true)
    }
}

impl fmt::Debug for Sampled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampled").field("seed", &self.seed).field("numbers", &self.numbers).finish_non_exhaustive()
    }
}

impl Choices for Sampled {
    fn branch(&mut self, label: Label, arity: usize) -> Result<usize, ChoiceError> {
        self.decide(label, arity, None)
    }

    fn branch_weighted(&mut self, label: Label, weights: &[u64]) -> Result<usize, ChoiceError> {
        self.decide(label, weights.len(), Some(weights))
    }
}

impl Strategy for Sampled {
    fn run(&self) -> &[Step] {
        &self.run
    }

    fn advance(&mut self) -> Result<bool, ChoiceError> {
        let more = if self.probe.is_some() {
            self.enumerate()?
        } else {
            self.numbers.0 += 1;
            self.numbers.0 < self.numbers.1
        };
        self.run.clear();
        self.place = Some(Place::default());
        self.draws = Random::of_run(self.seed, self.numbers.0);
        self.done = !more;
        Ok(more)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn coverage(&self) -> Coverage {
        self.coverage
    }

    fn split(&mut self) -> Option<Sampled> {
        let (from, to) = self.numbers;
        if self.probe.is_some() || self.done || to - from < 2 {
            return None;
        }
        let middle = from + (to - from) / 2;
        self.numbers.1 = middle;
        Some(Sampled { numbers: (middle, to), draws: Random::of_run(self.seed, middle), ..self.clone() })
    }
}
