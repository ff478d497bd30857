//! Options of a judge: the evidence that it keeps, and its limits.

use crate::solve::Limits;

/// The work on one exchange beyond which the judge gives up on further explanations, in made terms: about a second.
pub const EFFORT_LIMIT: u64 = 3_000_000;

/// Keeping choices may take `KEEPING` times the work of judging; or one part in `LITTLE` of it, if fewer exchanges at once may be enough.
const KEEPING: u64 = 4;
const LITTLE: u64 = 8;
/// With choices kept no more candidates than this are followed if there is another way.
const MANY: usize = 256;

/// The cost that keeping choices may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Less than judging, as there is another way.
    Little,
    /// Several times what judging may.
    All,
}

/// The evidence that a judge keeps, and its limits.
///
/// The hidden switches are for tests, and for judges that look for evidence. Each is exact, so it changes only speed and evidence,
/// and never a verdict other than *unknown*.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sides that cannot give the observed answer are not forked into.
    #[doc(hidden)]
    pub directed: bool,
    /// Equal candidates merge, and covered ones are dropped.
    #[doc(hidden)]
    pub merge: bool,
    /// Dead variables are projected out.
    #[doc(hidden)]
    pub forget: bool,
    /// Sums that grow with the trace are differences of few variables.
    #[doc(hidden)]
    pub sums: bool,
    /// Candidates that differ in few cells are one, with a set of values in each.
    #[doc(hidden)]
    pub unite: bool,
    /// Both sides of a fork run on before what is known is copied, so that few are followed.
    #[doc(hidden)]
    pub ahead: bool,
    /// A choice that the answer shows is what was observed.
    #[doc(hidden)]
    pub provenance: bool,
    /// A lookup in a map of more entries, under a key that is not known, waits for the answer.
    #[doc(hidden)]
    pub lookups: usize,
    /// A choice is made at its first use, and cells of a machine that each request writes before it reads them are not stored. Code that
    /// looks at the memory of a candidate switches this off.
    #[doc(hidden)]
    pub sink_choices: bool,
    /// Instructions on known values are carried out in a loop of their own, and bounds are taken up there.
    #[doc(hidden)]
    pub glides: bool,
    /// Tasks are looked at ahead of their next section: one that is dead, and one that may be finished at once.
    #[doc(hidden)]
    pub tasks_ahead: bool,
    /// Packets under way over a network without order are a set up to equality.
    #[doc(hidden)]
    pub packets_as_sets: bool,
    /// A message that a step may send again and again is one, which stands for any number of them.
    #[doc(hidden)]
    pub endless_messages: bool,
    /// Packets that may be lost are lost if they are in the way, and more of them under way cover fewer.
    #[doc(hidden)]
    pub losses_late: bool,
    /// Deepest first, a message that may be several answers to come is told apart when it is sent.
    #[doc(hidden)]
    pub tells_apart: bool,
    /// Deepest first, states are dropped in which too few requests are under way for the answers to come.
    #[doc(hidden)]
    pub counts_requests: bool,
    /// A recording over a network is searched deepest first, too.
    #[doc(hidden)]
    pub deepest: bool,
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
            directed: true,
            merge: true,
            forget: true,
            sums: true,
            unite: true,
            ahead: true,
            provenance: true,
            lookups: 16,
            sink_choices: true,
            glides: true,
            tasks_ahead: true,
            packets_as_sets: true,
            endless_messages: true,
            losses_late: true,
            tells_apart: true,
            counts_requests: true,
            deepest: true,
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

    /// Tests whether the choices or answers of each path are kept.
    pub(super) fn keep_paths(&self) -> bool {
        self.keep_choices || self.keep_answers
    }
}
