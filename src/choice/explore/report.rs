//! The report of an exploration, as data and as text.
//!
//! ```
//! use mayhap_choice::{Ended, Odometer, explore};
//! let report = explore(Odometer::new(), |c| match c.choose("door", 3) {
//!     2 => Err("a tiger"),
//!     _ => Ok(()),
//! });
//! assert_eq!((report.ended, report.runs, report.failed), (Ended::Exhausted, 3, 1));
//! assert_eq!(report.to_string(), "\
//! exhausted 3 of 3 runs, 1 failed
//! failed: a tiger
//!   with door = 2 of 3
//!   again: c1:door:0.3.2:a383d0");
//! ```

use super::estimate::RunEstimate;
use crate::{ChoiceError, Step, token};
use std::fmt;

/// The number of steps of a run that are shown, so that a report stays short.
const SHOWN: usize = 12;

/// The reason why an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every run was visited, from its beginning to its end.
    Exhausted,
    /// Every run was visited, but some were cut.
    Cut,
    /// The requested number of runs was drawn.
    Sampled,
    /// The allowed number of runs was visited.
    Runs,
    /// A recorded run was repeated.
    Replayed,
    /// Many runs were cut and none came to its end, so the search gave up, although other runs may come to their end.
    Endless,
    /// A run failed, and the exploration was to end then.
    Failure,
    /// The program made a mistake, see [`Report::mistake`].
    Mistake,
    /// The watch or the program ended the exploration.
    Interrupted,
}

/// A kind of failure, with the shortest run that shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Failure {
    pub(crate) kind: String,
    /// A description of the failure: the panic's place and message, or the error.
    pub message: String,
    /// The shortest failing run that was visited, and among equally short ones the first in lexicographic order.
    pub run: Vec<Step>,
    /// The way in which that run ended when it was repeated, if it ended differently: the failure then also depends on something besides
    /// the choices.
    pub flaky: Option<Flaky>,
}

/// The end of a failing run that was repeated with the same choices and ended differently.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Flaky {
    /// It did not fail.
    Passed,
    /// It failed in another way, with this description.
    Failed(String),
    /// It did not come to its end.
    Escaped(ChoiceError),
}

impl fmt::Display for Flaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("run again with the same choices, ")?;
        match self {
            Flaky::Passed => write!(f, "it passed"),
            Flaky::Failed(message) => write!(f, "it failed otherwise: {message}"),
            Flaky::Escaped(error) => write!(f, "it did not come to its end: {error}"),
        }
    }
}

impl Failure {
    /// The run as a text, for [`token::read`] and [`crate::Replay`].
    #[must_use]
    pub fn token(&self) -> String {
        token::write(&self.run)
    }
}

/// A run that a mistake or a bound ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stopped {
    /// The mistake or the bound.
    pub error: ChoiceError,
    /// The choices of the run up to its end.
    pub run: Vec<Step>,
}

/// The findings of an exploration: numbers of runs, the failures, a mistake of the program, and why it ended.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The number of runs that were visited from beginning to end.
    pub runs: u64,
    /// The number of further runs that do not exist, since an assumption in them does not hold.
    pub refused: u64,
    /// The number of further runs that were cut by a bound.
    pub cut: u64,
    /// The shortest of the cut runs.
    pub first_cut: Option<Stopped>,
    /// The number of runs that failed, among those visited from beginning to end.
    pub failed: u64,
    /// The different failures; those with shorter runs come first.
    pub failures: Vec<Failure>,
    /// The program's violation of a rule of choosing, with the run up to it.
    pub mistake: Option<Stopped>,
    /// An estimate of the number of all runs, if runs were drawn.
    pub estimate: Option<RunEstimate>,
    /// The reason why the exploration ended.
    pub ended: Ended,
}

impl Report {
    /// Panics with this report if a run failed or was cut, or the program made a mistake; for tests.
    ///
    /// # Panics
    /// If a run failed or was cut, or the program made a mistake.
    pub fn expect_passed(&self) {
        assert!(self.failed == 0 && self.cut == 0 && self.mistake.is_none(), "{self}");
    }

    /// Panics with this report unless every run was visited and none failed; for tests.
    ///
    /// # Panics
    /// If a run was not visited or failed, or the program made a mistake.
    pub fn expect_exhausted(&self) {
        self.expect_passed();
        assert!(self.ended == Ended::Exhausted, "{self}");
    }
}

/// The order of simplicity: shorter runs come first, then those with lower picks.
#[must_use]
pub fn shortlex(a: &[Step], b: &[Step]) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().map(|step| step.pick).cmp(b.iter().map(|step| step.pick)))
}

/// The first steps of a run as text: `door = 2 of 3, coin = 0 of 2`.
#[must_use]
pub fn shown(run: &[Step]) -> String {
    if run.is_empty() {
        return "no choice".into();
    }
    let step = |step: &Step| format!("{} = {} of {}", step.label, step.pick, step.arity);
    let first: Vec<String> = run.iter().take(SHOWN).map(step).collect();
    match run.len().saturating_sub(SHOWN) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// A count with a noun, which is given in the singular: `1 run`, `2 runs`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  after {}\n  again: {}", self.error, shown(&self.run), token::write(&self.run))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  with {}\n  again: {}", self.message, shown(&self.run), self.token())?;
        self.flaky.iter().try_for_each(|flaky| write!(f, "\n  flaky: {flaky}"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.runs;
        let some = counted(runs, "run");
        let cut = if self.ended == Ended::Endless { 0 } else { self.cut };
        match self.ended {
            Ended::Exhausted => write!(f, "exhausted {runs} of {some}")?,
            Ended::Sampled => write!(f, "sampled {some}")?,
            Ended::Replayed => write!(f, "replayed {some}")?,
            Ended::Cut => write!(f, "not exhausted: {some} to their end")?,
            Ended::Endless => {
                write!(f, "not exhausted: gave up after {}, each of which was cut", counted(self.cut, "run"))?
            }
            Ended::Runs => write!(f, "not exhausted: {some}, no more were allowed")?,
            Ended::Failure => write!(f, "not exhausted: {some} until one failed")?,
            Ended::Mistake => write!(f, "not exhausted: {some} until a mistake")?,
            Ended::Interrupted => write!(f, "not exhausted: {some} until interrupted")?,
        }
        for (count, what) in [(self.refused, "refused by what they assume"), (cut, "cut")] {
            if count > 0 {
                write!(f, ", {count} more {what}")?;
            }
        }
        match self.failed {
            0 => write!(f, ", none failed")?,
            failed => write!(f, ", {failed} failed")?,
        }
        self.first_cut.iter().try_for_each(|cut| write!(f, "\ncut: {cut}"))?;
        self.mistake.iter().try_for_each(|mistake| write!(f, "\nmistake: {mistake}"))?;
        self.failures.iter().try_for_each(|failure| write!(f, "\nfailed: {failure}"))
    }
}
