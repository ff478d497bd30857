//! The mutation score of a specification: the number of its mutants that a tester finds.
//!
//! A killer tests one mutant. A mutant that survives is compared with the specification by a bounded search.

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
    /// The last request got an answer that the specification forbids.
    Killed {
        /// The number of requests up to then, in all runs.
        requests: u64,
    },
    /// All its answers are allowed.
    Survived {
        /// The number of requests.
        requests: u64,
    },
    /// It could not be tested, for this reason.
    Failed(String),
}

/// A tester of mutants.
pub trait Killer {
    /// Tests a mutant of a specification; the seed determines the run.
    fn kill(&mut self, spec: &Arc<Spec>, mutant: &Arc<Spec>, seed: u64) -> KillOutcome;
}

/// The final result for a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MutantFate {
    /// It was killed after this number of requests, with this setting of constants.
    Killed(u64, Setting),
    /// It survived, and a search up to this bound found no forbidden behaviour.
    Refinement(SearchBound),
    /// It survived, although a sequence of this many requests kills it.
    Missed(usize),
    /// It survived, and could not be compared.
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

/// Tests one mutant, with the given constants and then with other settings; a survivor is compared with the specification.
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

/// The numbers of all fates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MutationScore {
    /// The number of mutants.
    pub mutants: usize,
    /// The number of mutants that were killed.
    pub killed: usize,
    /// The number of survivors without a forbidden behaviour up to a bound.
    pub refinements: usize,
    /// The smallest of these bounds.
    pub least: SearchBound,
    /// The number of survivors that a sequence of requests kills.
    pub missed: usize,
    /// The number of survivors that could not be compared.
    pub undecided: usize,
    /// The median number of requests that killed a mutant.
    pub median_requests: u64,
}

impl MutationScore {
    /// The score of these fates.
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
