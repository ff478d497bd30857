//! The state of a system after each step of a script, as one of the judge's remaining explanations has it.
//!
//! After `Put a "x"` a store is believed to be `{"a": {"value": "x", "tag": …}}`, with an unknown tag.

use crate::json::encode;
use crate::report::campaign::{Belief, ShownStep};
use crate::script::{Script, observed_events};
use crate::session::Session;
use crate::spec::Spec;
use crate::value::Value;

use super::run::Judging;

/// Adds the beliefs about the state to each step of a script.
pub fn add(judging: &Judging, script: &Script, steps: &mut [ShownStep]) {
    let Judging { spec, net, options, .. } = judging;
    let mut session = Session::new(spec, *net, options.clone());
    for (at, event) in observed_events(script) {
        if session.push(event).is_err() || !session.verdict().is_accept() {
            return;
        }
        if let Some(shown) = steps.get_mut(at) {
            shown.believed = beliefs(spec, &session);
        }
    }
}

/// The variables of one remaining explanation; parts that it leaves open are unknown.
fn beliefs(spec: &Spec, session: &Session) -> Vec<Belief> {
    let Some(state) = session.state() else { return Vec::new() };
    let slots = spec.program.slots.iter().take(spec.program.state_slots());
    let belief = |(slot, value): (&crate::spec::code::Slot, &Value)| Belief {
        variable: slot.name.clone(),
        known: encode(&spec.types, slot.ty, value).replace(r#"{"$any": null}"#, "?"),
    };
    slots.zip(&state).map(belief).collect()
}
