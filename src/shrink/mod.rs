//! Smaller scripts that still fail for the same cause, found by running them.
use crate::script::Script;
use crate::spec::Spec;
use std::sync::Arc;
use std::time::Instant;
/// A trial.
pub trait Trial {
    /// Runs.
    fn run(&mut self, script: &Script) -> TrialOutcome;
}
/// An outcome.
#[derive(Debug)]
pub enum TrialOutcome {
    /// Passes.
    Passes,
    /// Fails.
    Fails {
        /// Cause.
        cause: String,
        /// Script.
        recorded: Script,
    },
    /// Error.
    Error(String),
}
/// Budget.
pub struct ShrinkBudget {}
impl ShrinkBudget {
    /// Until.
    pub fn until(_: Instant) -> Self {
        Self {}
    }
}
/// Shrunk
#[derive(Debug, Clone)]
pub struct Shrunk {
    /// s
    pub script: Script,
    /// r
    pub runs: u64,
    /// f
    pub fails: (u64, u64),
    /// m
    pub minimal: bool,
}
impl Shrunk {
    /// Of.
    pub fn of(script: &Script) -> Shrunk {
        Shrunk { script: script.clone(), runs: 0, fails: (1, 1), minimal: false }
    }
}
/// Shrink
pub fn shrink(_: &Arc<Spec>, failing: &Script, _: &[u64], _: &str, _: &mut dyn Trial, _: ShrinkBudget) -> Shrunk {
    Shrunk::of(failing)
}
