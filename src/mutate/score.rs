//! The score of a specification: how many of its mutants a tester finds.
//!
//! A killer is a tester of one mutant; what it does not find is compared with the specification by search, up to a bound.

use std::fmt;
use std::sync::Arc;

use super::Mutant;
use super::difference::{Comparing, Equivalence, SearchBound, SearchBudget};
use super::settings::{Setting, settings};
use crate::choice::counted;
use crate::spec::Spec;

/// The outcome of testing a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KillOutcome {
    /// Its last request got what the specification does not allow.
    Killed {
        /// The number of requests until then, in all runs.
        requests: u64,
    },
    /// Everything that it did is allowed.
    Survived {
        /// The number of requests.
        requests: u64,
    },
    /// It could not be tested, for this reason.
    Failed(String),
}

/// A tester of mutants.
pub trait Killer {
    /// Tests a mutant of a specification; the seed decides everything.
    fn kill(&mut self, spec: &Arc<Spec>, mutant: &Arc<Spec>, seed: u64) -> KillOutcome;
}

/// The thing that became of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MutantFate {
    /// It was found after this number of requests, with these constants set.
    Killed(u64, Setting),
    /// It was not found, and up to a bound it does nothing that the specification does not allow.
    Refinement(SearchBound),
    /// It was not found, though these many requests are enough.
    Missed(usize),
    /// It was not found, and could not be compared.
    Undecided,
    /// It could not be tested.
    Untested(String),
}

impl MutantFate {
    /// The word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            MutantFate::Killed(..) => "killed",
            MutantFate::Refinement(_) => "refinement",
            MutantFate::Missed(_) => "missed",
            MutantFate::Undecided => "undecided",
            MutantFate::Untested(_) => "untested",
        }
    }
}

impl fmt::Display for MutantFate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MutantFate::Killed(requests, setting) => {
                write!(f, "killed after {}", counted(*requests, "request"))?;
                setting.iter().try_for_each(|(name, value)| write!(f, " --set {name}={value}"))
            }
            MutantFate::Refinement(bound) => write!(f, "a refinement ({bound})"),
            MutantFate::Missed(requests) => write!(f, "missed, {} enough", are(*requests)),
            MutantFate::Undecided => f.write_str("not killed, and not compared"),
            MutantFate::Untested(why) => write!(f, "not tested: {}", why.trim_end()),
        }
    }
}

fn are(requests: usize) -> String {
    let verb = if requests == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(requests as u64, "request"))
}

/// Tests one mutant: as it is, and if it is not found, with other values of the constants; compares it if it is still not.
pub fn fate(
    spec: &Arc<Spec>,
    mutant: &Mutant,
    killer: &mut dyn Killer,
    seed: u64,
    comparing: &mut Comparing,
) -> MutantFate {
    let changed = match mutant.of(spec) {
        Ok(changed) => changed,
        Err(error) => return MutantFate::Untested(error.to_string()),
    };
    match killer.kill(spec, &changed, seed) {
        KillOutcome::Killed { requests } => return MutantFate::Killed(requests, Setting::new()),
        KillOutcome::Failed(why) => return MutantFate::Untested(why),
        KillOutcome::Survived { .. } => {}
    }
    for setting in settings(spec) {
        let Ok(spec) = spec.with_constants(&setting) else { continue };
        let Ok(changed) = mutant.of(&spec) else { continue };
        if let KillOutcome::Killed { requests } = killer.kill(&spec, &changed, seed) {
            return MutantFate::Killed(requests, setting);
        }
    }
    match comparing.classify(&changed, SearchBudget::default()) {
        Equivalence::Differs(script) => MutantFate::Missed(script.len()),
        Equivalence::Refines(bound) => MutantFate::Refinement(bound),
        Equivalence::Undecided => MutantFate::Undecided,
    }
}

/// The fates of all mutants, counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MutationScore {
    /// The number of mutants.
    pub mutants: usize,
    /// The number of those that were found.
    pub killed: usize,
    /// The number of those that do nothing that is not allowed, up to a bound.
    pub refinements: usize,
    /// The least of these bounds.
    pub least: SearchBound,
    /// The number of those that were missed.
    pub missed: usize,
    /// The number of those of which nothing is known.
    pub undecided: usize,
    /// The number of requests after which half of those that were found were found.
    pub median_requests: u64,
}

impl MutationScore {
    /// The score that these fates are.
    #[must_use]
    pub fn of(fates: &[MutantFate]) -> MutationScore {
        let mut score = MutationScore { mutants: fates.len(), ..MutationScore::default() };
        let (mut requests, mut bounds) = (Vec::new(), Vec::new());
        for fate in fates {
            match fate {
                MutantFate::Killed(after, _) => requests.push(*after),
                MutantFate::Refinement(bound) => bounds.push(*bound),
                MutantFate::Missed(_) => score.missed += 1,
                MutantFate::Undecided | MutantFate::Untested(_) => score.undecided += 1,
            }
        }
        requests.sort_unstable();
        let least = bounds.iter().min_by_key(|bound| (bound.requests.unwrap_or(usize::MAX), bound.values));
        score.least = least.copied().unwrap_or_default();
        score.median_requests = requests.get(requests.len() / 2).copied().unwrap_or_default();
        (score.killed, score.refinements) = (requests.len(), bounds.len());
        score
    }
}

impl fmt::Display for MutationScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} killed", counted(self.mutants as u64, "mutant"), self.killed)?;
        match self.refinements {
            0 => {}
            1 => write!(f, ", 1 a refinement ({})", self.least)?,
            count => write!(f, ", {count} refinements (all {})", self.least)?,
        }
        if self.undecided > 0 {
            write!(f, ", {} not decided", self.undecided)?;
        }
        write!(f, ", {} missed", self.missed)
    }
}
