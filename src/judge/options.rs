//! Options of a judge: the evidence that it keeps, and its limits.

use crate::limits;
use crate::solve::Limits;

/// The cost that keeping choices may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Less than judging: the caller has another way to the evidence.
    Little,
    /// Several times the cost that judging may have.
    All,
}

/// The reductions that a judge makes: ways to follow fewer candidates or orders, or to do less with each.
///
/// All of them are exact: they change speed, and never a verdict other than *unknown*.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reductions {
    /// The reductions that pay.
    #[default]
    Usual,
    /// The usual ones, and those for large inputs on small ones, too; for tests.
    Eager,
    /// No reductions: the reference judge, plain and slow, with which tests compare.
    None,
}

/// The parts of candidates that the caller looks at besides the verdict: reductions leave them as they are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Inspected {
    /// No part.
    #[default]
    Nothing,
    /// The memory: each choice is made at its place in the specification, and each cell of a machine is stored.
    Memory,
    /// The state of each path: candidates are not put together, and sums are not rewritten.
    States,
}

/// The factor by which a judge that keeps choices with all patience may do more work.
const MORE_WORK: u64 = 4;

/// The evidence that a judge keeps, and its limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// The reductions, for tests.
    #[doc(hidden)]
    pub reductions: Reductions,
    /// The parts of candidates that are looked at, for judges that find evidence.
    #[doc(hidden)]
    pub inspected: Inspected,
    /// The choices of every path are kept, for a witness.
    pub keep_choices: bool,
    /// The answers that a hole stands for are kept with the candidates.
    pub keep_answers: bool,
    /// The solver's limits and tiers.
    pub limits: Limits,
    /// The number of candidates at which judging stops as undecided.
    pub candidates: usize,
    /// The work on one exchange, in made terms, at which no more explanations of it are looked for.
    pub effort: u64,
    /// The memory of the process, in bytes, at which no more explanations are looked for; only what is taken for explanations counts. With
    /// `usize::MAX` memory is not measured.
    pub memory: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reductions: Reductions::Usual,
            inspected: Inspected::Nothing,
            keep_choices: false,
            keep_answers: false,
            limits: Limits::default(),
            candidates: limits::CANDIDATE_LIMIT,
            effort: limits::EFFORT_LIMIT,
            memory: usize::MAX,
        }
    }
}

impl Options {
    /// These options for a witness: choices are kept.
    #[must_use]
    pub fn keeping_choices(&self, patience: Patience) -> Options {
        let (effort, candidates) = match patience {
            Patience::Little => (self.effort / limits::SIDE_SHARE, limits::FOLLOWED_BRIEFLY.min(self.candidates)),
            Patience::All => (self.effort.saturating_mul(MORE_WORK), self.candidates),
        };
        Options { keep_choices: true, effort, candidates, ..self.clone() }
    }

    /// Tests whether reductions are made.
    pub(crate) fn reduces(&self) -> bool {
        self.reductions != Reductions::None
    }

    /// Tests whether a choice may move to its first use, and a cell of a machine may stay unstored if each request writes it before
    /// reading it.
    pub(super) fn sinks_choices(&self) -> bool {
        self.reduces() && self.inspected == Inspected::Nothing
    }

    /// Tests whether candidates may be put together, and terms rewritten.
    pub(super) fn rewrites_states(&self) -> bool {
        self.reduces() && self.inspected != Inspected::States
    }

    /// Tests whether the choices or answers of each path are kept.
    pub(super) fn keep_paths(&self) -> bool {
        self.keep_choices || self.keep_answers
    }
}
