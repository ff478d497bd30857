//! A single exchange of a run, with the internal steps before it, which is made backwards, one step after another.
//!
//! If choices are kept, each of n steps that the server may have taken doubles the explanations of the exchange. Without choices
//! there are few explanations. So first the state is found in which the request was taken. Then, from the last step to the first,
//! it is found whether the step was taken, and in which state.

use super::script::{ChoiceScript, ScriptedEvent};
use super::segment::{self, SegmentStart};
use super::{WitnessError, WitnessStep};
use crate::judge::{Candidate, Exchange, Judge, Options, Patience};
use crate::spec::Spec;
use crate::value::Value;
use std::sync::Arc;

/// Finds a run that shows an exchange, from the states of a judge, and replays it. The run ends in the state `into`, if one is
/// given.
///
/// # Errors
/// There is no such run, or the values could not be found.
pub(crate) fn run(
    spec: &Arc<Spec>,
    judge: &Judge,
    initially: Option<&Options>,
    exchange: &Exchange,
    into: Option<&[Value]>,
) -> Result<(SegmentStart, Vec<WitnessStep>), WitnessError> {
    let exchanges = std::slice::from_ref(exchange);
    let before = judge.before(exchange);
    let mut after = judge.after_request(&before, exchange);
    let (mut state, mut made) = chosen(spec, &mut after, &before.states, exchanges, into)?;
    for fired in before.fired.iter().rev() {
        if !segment::is_among(&mut after, &fired.states, &state) {
            let mut led = judge.after_step(&before, fired, exchange);
            let (earlier, mut step) = chosen(spec, &mut led, &fired.states, exchanges, Some(&state))?;
            step.sections.append(&mut made.sections);
            (state, made.sections) = (earlier, step.sections);
        }
    }
    let mut script = ChoiceScript { initial: Vec::new(), observed: vec![made] };
    let Some(options) = initially else { return segment::replay(spec, Some(state), script, exchanges, into) };
    let mut begun = Judge::new(spec.clone(), options.keeping_choices(Patience::All));
    script.initial = segment::chosen(spec, &mut begun, &[], &[], Some(&state))?.1.initial;
    segment::replay(spec, None, script, exchanges, into)
}

/// Finds a way from one of some states into a state that the judge considers possible. Returns the state in which it begins, and
/// its choices.
fn chosen(
    spec: &Spec,
    judge: &mut Judge,
    states: &[Candidate],
    exchanges: &[Exchange],
    into: Option<&[Value]>,
) -> Result<(Vec<Value>, ScriptedEvent), WitnessError> {
    let (state, script) = segment::chosen(spec, judge, states, exchanges, into)?;
    let made = script.observed.into_iter().next().unwrap_or_default();
    Ok((state.ok_or(WitnessError::NotAccepted)?, made))
}
