//! The state of a system as the judge knows it after each step of a script: what some explanation that is left holds.
//!
//! After `Put a "x"` a store is believed to be `{"a": {"value": "x", "tag": …}}`, where the tag is not known.

use crate::json::encode;
use crate::report::campaign::{Belief, ShownStep};
use crate::script::{RecordedOutcome, Script, ScriptStep};
use crate::session::Session;
use crate::spec::Spec;
use crate::trace::{EventKind, TraceEvent};
use crate::value::Value;

use super::run::Judging;

/// Adds to each step of a script what is believed after it.
pub fn add(judging: &Judging, script: &Script, steps: &mut [ShownStep]) {
    let Judging { spec, net, options, .. } = judging;
    let mut session = Session::new(spec, *net, options.clone());
    for (line, (step, shown)) in (1..).zip(script.steps.iter().zip(steps)) {
        let Some((client, kind)) = event(script, step) else { continue };
        let event = TraceEvent { line, client: Some(client), kind };
        if session.push(event).is_err() || !session.verdict().is_accept() {
            return;
        }
        shown.believed = beliefs(spec, &session);
    }
}

fn event(script: &Script, step: &ScriptStep) -> Option<(u64, EventKind<Value>)> {
    match step {
        ScriptStep::Ask { client, request, .. } => Some((*client, EventKind::Request(request.value.clone()))),
        ScriptStep::Await { label, seen } => Some((script.client_of(*label), outcome(seen)?)),
        ScriptStep::Seen { client, seen } => Some((*client, outcome(seen)?)),
        ScriptStep::Restart => Some((1, EventKind::Restart)),
        ScriptStep::Wait(_) | ScriptStep::Together { .. } => None,
    }
}

fn outcome(seen: &RecordedOutcome) -> Option<EventKind<Value>> {
    match seen {
        RecordedOutcome::Answer(answer) => Some(EventKind::Answer(answer.clone())),
        RecordedOutcome::Lost => Some(EventKind::Lost),
        RecordedOutcome::Closed => Some(EventKind::Closed),
        RecordedOutcome::Nothing => None,
    }
}

/// The variables of an explanation that is left; what it leaves open is not known.
fn beliefs(spec: &Spec, session: &Session) -> Vec<Belief> {
    let Some(state) = session.state() else { return Vec::new() };
    let slots = spec.program.slots.iter().take(spec.program.state_slots());
    let belief = |(slot, value): (&crate::spec::code::Slot, &Value)| Belief {
        variable: slot.name.clone(),
        known: encode(&spec.types, slot.ty, value).replace(r#"{"$any": null}"#, "?"),
    };
    slots.zip(&state).map(belief).collect()
}
