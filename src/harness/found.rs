//! A failure as it is reported: its script line by line, with the reason beside the messages that it is about.

use crate::report::campaign::{CampaignReport, FoundFailure, ShownAct, ShownOutcome, ShownStep, ShownValue};
use crate::script::{RecordedOutcome, Script, ScriptStep};
use crate::shrink::ShrunkScript;
use crate::spec::Spec;

use super::believed;
use super::failure::Failing;
use super::run::Judging;

/// The report of a failure, with the script that was found to show it.
#[must_use]
pub fn found(judging: &Judging, failing: &Failing, shrunk: &ShrunkScript, campaign: &CampaignReport) -> FoundFailure {
    let spec = &judging.spec;
    let mut script = shrunk.script.clone();
    let cause = script.header.cause.take().unwrap_or_else(|| failing.cause());
    script.header.cause = Some(cause.clone());
    script.header.failed = Some(shrunk.fails);
    let requests = script.requests();
    let mut steps = steps(spec, &script, failing);
    believed::add(judging, &script, &mut steps);
    FoundFailure {
        event: Some(failing.label),
        requests_to_find: campaign.requests,
        script: script.write(spec),
        shrunk_requests: requests,
        runs_to_shrink: shrunk.runs,
        fails: shrunk.fails,
        explanation: failing.explanation.clone(),
        place: failing.places.first().cloned(),
        run: campaign.runs,
        original_requests: requests,
        minimal: shrunk.minimal,
        steps,
        last_output: failing.last_output.clone(),
        ..FoundFailure::new(failing.kind, cause)
    }
}

/// The lines of a script as what happens; the reason stands at the last message.
fn steps(spec: &Spec, script: &Script, failing: &Failing) -> Vec<ShownStep> {
    let mut steps: Vec<ShownStep> = script.steps.iter().map(|step| ShownStep::plain(act(spec, script, step))).collect();
    let about = |step: &ShownStep| match &step.act {
        ShownAct::Ask { label, .. } => *label == failing.label,
        ShownAct::Answer { label, .. } => label + 1 == failing.label,
        ShownAct::Wait(_) | ShownAct::Together { .. } | ShownAct::Restart => false,
    };
    let at = steps.iter().rposition(about).or(steps.len().checked_sub(1));
    if let Some(step) = at.and_then(|at| steps.get_mut(at)) {
        step.failing = true;
        step.notes = possible(&failing.possible).into_iter().collect();
        step.place = failing.places.first().cloned();
    }
    steps
}

/// The answers that were possible instead, in words.
fn possible(answers: &[String]) -> Option<String> {
    match answers {
        [] => None,
        [only] => Some(format!("only {only} was possible")),
        [others @ .., last] => Some(format!("only {} or {last} was possible", others.join(", "))),
    }
}

fn act(spec: &Spec, script: &Script, step: &ScriptStep) -> ShownAct {
    match step {
        ScriptStep::Ask { label, client, request } => ShownAct::Ask {
            label: *label,
            client: *client,
            request: ShownValue::request(spec, &request.value),
            references: request.references.iter().map(|placed| placed.to.to_string()).collect(),
        },
        ScriptStep::Await { label, seen } => {
            ShownAct::Answer { label: *label, client: script.client_of(*label), outcome: outcome(spec, seen) }
        }
        ScriptStep::Seen { client, seen } => {
            ShownAct::Answer { label: 0, client: *client, outcome: outcome(spec, seen) }
        }
        ScriptStep::Wait(seconds) => ShownAct::Wait(*seconds),
        ScriptStep::Together { labels, offsets } => {
            ShownAct::Together { labels: labels.clone(), offsets: offsets.clone() }
        }
        ScriptStep::Restart => ShownAct::Restart,
    }
}

fn outcome(spec: &Spec, seen: &RecordedOutcome) -> ShownOutcome {
    match seen {
        RecordedOutcome::Answer(answer) => ShownOutcome::Answer(ShownValue::answer(spec, answer)),
        RecordedOutcome::Lost => ShownOutcome::Lost,
        RecordedOutcome::Closed => ShownOutcome::Closed,
        RecordedOutcome::Nothing => ShownOutcome::Nothing,
    }
}
