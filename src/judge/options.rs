//! Options of a judge: the evidence that it keeps, and its limits.

use crate::solve::Limits;

/// The work on one exchange beyond which the judge gives up on further explanations, in made terms: about a second.
pub const EFFORT_LIMIT: u64 = 3_000_000;

/// Keeping choices may take `KEEPING` times the work of judging; or one part in `LITTLE` of it, if fewer exchanges at once may be enough.
const KEEPING: u64 = 4;
const LITTLE: u64 = 8;
/// With choices kept no more candidates than this are followed if there is another way.
const MANY: usize = 256;

/// A lookup in a map of more entries, under a key that is not known, waits for the answer.
const LOOKUPS: usize = 16;

/// The cost that keeping choices may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Less than judging, as there is another way.
    Little,
    /// Several times what judging may.
    All,
}

/// The reductions that a judge makes: ways to follow fewer candidates or orders, or to do less with each.
///
/// All of them are exact: they change speed, and never a verdict other than *unknown*.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reductions {
    /// Those that pay.
    #[default]
    Usual,
    /// Also those that pay on large inputs only, on small ones; for tests.
    Eager,
    /// None: the reference judge, plain and slow, with which tests compare.
    None,
}

/// The parts of candidates that are looked at besides the verdict: reductions leave them as they are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Inspected {
    /// None.
    #[default]
    Nothing,
    /// The memory: each choice is made where it stands, and each cell of a machine is stored.
    Memory,
    /// Each state as it came about: candidates are not put together, and sums are not written otherwise.
    States,
}

/// The evidence that a judge keeps, and its limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// The reductions, for tests.
    #[doc(hidden)]
    pub reductions: Reductions,
    /// The parts of candidates that are looked at, for judges that look for evidence.
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
    /// The memory that explanations may take, in bytes, at which no more of them are looked for. The memory of the whole process counts;
    /// with `usize::MAX` the system is not asked.
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
            candidates: 100_000,
            effort: EFFORT_LIMIT,
            memory: usize::MAX,
        }
    }
}

impl Options {
    /// These options for a witness: choices are kept.
    #[must_use]
    pub fn keeping_choices(&self, patience: Patience) -> Options {
        let (effort, candidates) = match patience {
            Patience::Little => (self.effort / LITTLE, MANY.min(self.candidates)),
            Patience::All => (self.effort.saturating_mul(KEEPING), self.candidates),
        };
        Options { keep_choices: true, effort, candidates, ..self.clone() }
    }

    /// Tests whether reductions are made.
    pub(crate) fn reduces(&self) -> bool {
        self.reductions != Reductions::None
    }

    /// Tests whether a choice may be made at its first use, and cells of a machine that each request writes before it reads them are not
    /// stored.
    pub(super) fn sinks_choices(&self) -> bool {
        self.reduces() && self.inspected == Inspected::Nothing
    }

    /// Tests whether a lookup under a key that is not known, in a map of N entries, waits for the answer.
    pub(super) fn waits_for(&self, entries: usize) -> bool {
        match self.reductions {
            Reductions::Usual => entries > LOOKUPS,
            Reductions::Eager => true,
            Reductions::None => false,
        }
    }

    /// Tests whether candidates may be put together, and terms written otherwise.
    pub(super) fn rewrites_states(&self) -> bool {
        self.reduces() && self.inspected != Inspected::States
    }

    /// Tests whether the choices or answers of each path are kept.
    pub(super) fn keep_paths(&self) -> bool {
        self.keep_choices || self.keep_answers
    }
}
