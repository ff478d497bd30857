//! Runs of scripts against the live system, and trials of smaller ones.

use std::time::Duration;

use crate::limits::end;
use crate::script::Script;
use crate::shrink::{Trial, TrialOutcome};
use crate::sut::{SutFailure, SutFailureKind, System};

use super::causes::Causes;
use super::failure::Failing;
use super::run::{Judging, LiveRun, OutsideRequest, RunState};
use super::waves::WaitLimits;

/// The most work on the reason of a failure in a trial, in seconds of budget.
const TRIAL_SECONDS: f64 = 0.05;

/// The trials of smaller scripts against the live system.
pub struct LiveTrial<'t> {
    /// The specification, the network and the limits of the judge.
    pub judging: &'t Judging,
    /// The number of clients.
    pub clients: u64,
    /// True if a client may send a request before its earlier ones are answered.
    pub pipelines: bool,
    /// The system.
    pub system: &'t mut dyn System,
    /// The limits on waiting.
    pub patience: WaitLimits<'t>,
    /// The failure that is shrunk.
    pub failing: &'t Failing,
    /// The causes that are known.
    pub causes: &'t Causes<'t>,
    /// The last failure with the same cause.
    pub last: Option<Failing>,
    /// True if that failure has a known cause, so that nobody needs a smaller script.
    pub is_known: bool,
    /// The failures with other causes.
    pub others: Vec<Failing>,
}

/// The end of a run of a script.
#[derive(Clone, Debug)]
pub enum ScriptRun {
    /// Everything that was observed is explained.
    Passes,
    /// Nothing failed, but some of what was observed could not be judged, for this reason.
    Undecided(String),
    /// The run failed.
    Fails(Box<Failing>),
    /// Everything that was observed is explained, but the script was not run to its end, as this request may break the client's duty.
    Outside(OutsideRequest),
}

/// Resets the system and runs a script once. A request that may break the client's duty is not sent, nor is any after it.
///
/// # Errors
/// The system cannot be started, or the end came before the run was judged.
pub fn run_once(
    judging: &Judging,
    script: &Script,
    system: &mut dyn System,
    clients: u64,
    patience: WaitLimits<'_>,
) -> Result<ScriptRun, SutFailure> {
    let mut run = LiveRun::begin(judging, clients.max(script.clients()), system)?;
    let state = run.perform(&script.plan(), system, patience);
    let outside = if let RunState::Outside(request) = state { Some(request) } else { None };
    let mut state = if outside.is_some() { RunState::Explained } else { state };
    if let RunState::Explained = state {
        state = run.await_calls(system, patience);
    }
    if let RunState::Explained = state {
        state = run.settle();
    }
    if let RunState::Explained = state {
        state = run.check_silence(system);
    }
    let is_cut = matches!(state, RunState::Explained | RunState::Undecided(_)) && end::is_over();
    if is_cut || matches!(state, RunState::Interrupted) {
        return Err(SutFailure::new(SutFailureKind::Start, "interrupted"));
    }
    if let (RunState::Explained, Some(request)) = (&state, outside) {
        return Ok(ScriptRun::Outside(request));
    }
    let time = Duration::from_secs_f64(TRIAL_SECONDS);
    let failing = Failing::found(&mut run, &state, system, &script.header, time);
    Ok(match (failing, state) {
        (Some(failing), _) => ScriptRun::Fails(Box::new(failing)),
        (None, RunState::Undecided(why)) => ScriptRun::Undecided(why),
        (None, _) => ScriptRun::Passes,
    })
}

impl Trial for LiveTrial<'_> {
    fn run(&mut self, script: &Script) -> TrialOutcome {
        if !self.pipelines && script.pipelines() {
            return TrialOutcome::Passes;
        }
        let failing = match run_once(self.judging, script, &mut *self.system, self.clients, self.patience) {
            Ok(ScriptRun::Fails(failing)) => *failing,
            Ok(ScriptRun::Passes | ScriptRun::Outside(_) | ScriptRun::Undecided(_)) => return TrialOutcome::Passes,
            Err(why) => return TrialOutcome::Error(why),
        };
        let (cause, recorded) = (failing.cause(), failing.script.clone());
        if self.failing.is_shown_by(&failing) {
            self.is_known = self.causes.find(&failing).is_some();
            self.last = Some(failing);
            if self.is_known {
                return TrialOutcome::Enough;
            }
            return TrialOutcome::Fails { cause: self.failing.cause(), recorded };
        }
        self.others.push(failing);
        TrialOutcome::Fails { cause, recorded }
    }
}
