//! The report of a failure: its script line by line, with the reason at the messages that it is about. The verdict of a campaign
//! depends on its failures.

use crate::report::campaign::{
    CampaignReport, CampaignVerdict, FailureKind, FoundFailure, ShownAct, ShownOutcome, ShownStep, ShownValue,
};
use crate::script::{RecordedOutcome, Script, ScriptStep};
use crate::shrink::ShrunkScript;
use crate::spec::{Spec, TypeId};
use crate::trace::{PeerEvent, PeerMessage};
use crate::value::Value;

use super::believed;
use super::failure::Failing;
use super::run::Judging;

/// The report of a failure, with a script that shows it.
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

/// The lines of a script, with the reason at the last message.
fn steps(spec: &Spec, script: &Script, failing: &Failing) -> Vec<ShownStep> {
    let mut steps: Vec<ShownStep> = script.steps.iter().map(|step| ShownStep::plain(act(spec, script, step))).collect();
    let about = |step: &ShownStep| match &step.act {
        ShownAct::Ask { label, .. } => *label == failing.label,
        ShownAct::Answer { label, .. } => label + 1 == failing.label,
        _ => false,
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
            references: request.references.iter().map(|placed| placed.to.said()).collect(),
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
        ScriptStep::Close { client, noticed } => ShownAct::Close { client: *client, noticed: *noticed },
        ScriptStep::Restart => ShownAct::Restart,
        ScriptStep::Peer(event) => peer_act(spec, script, event),
    }
}

/// A call of a peer, or its end, which has the key of the call.
fn peer_act(spec: &Spec, script: &Script, event: &PeerEvent<Value>) -> ShownAct {
    let declared = spec.program.peers.iter().find(|peer| peer.name == event.peer);
    let call = |step: &ScriptStep| match step {
        ScriptStep::Peer(call) if call.peer == event.peer && call.exchange == event.exchange => call.key.clone(),
        _ => None,
    };
    let key = script.steps.iter().find_map(call).zip(declared.and_then(|peer| peer.key));
    let key = key.map(|(key, ty)| format!("({})", ShownValue::typed(spec, ty, &key).short));
    let peer = event.peer.clone() + &key.unwrap_or_default();
    let typed = |ty: Option<TypeId>, value| ty.map(|ty| ShownValue::typed(spec, ty, value));
    match &event.message {
        PeerMessage::Call(request) => match typed(declared.map(|peer| peer.request), request) {
            Some(request) => ShownAct::Call { peer, request },
            None => ShownAct::CallEnd { peer, answer: None },
        },
        PeerMessage::Answer(answer) | PeerMessage::Sent(answer) => {
            ShownAct::CallEnd { peer, answer: typed(declared.map(|peer| peer.response), answer) }
        }
        _ => ShownAct::CallEnd { peer, answer: None },
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

/// The verdict of a campaign: its failures first, then what was left undecided or untested.
pub(super) fn verdict(report: &CampaignReport, is_stopped: bool, is_tested: bool) -> CampaignVerdict {
    let mut new = report.failures.iter().filter(|failure| !failure.known).map(|failure| failure.kind);
    if new.clone().any(|kind| kind == FailureKind::Violation) {
        CampaignVerdict::Violation
    } else if new.next().is_some() {
        CampaignVerdict::Broken
    } else if is_stopped {
        CampaignVerdict::Interrupted
    } else if !report.undecided.is_empty() && report.requests > 0 {
        CampaignVerdict::Unknown
    } else if !is_tested || report.requests == 0 {
        CampaignVerdict::Untested
    } else {
        CampaignVerdict::Pass
    }
}
