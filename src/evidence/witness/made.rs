//! The repetition of exchanges: the concrete server is given the choices of a script, and must show what was observed.
//!
//! For example a recording has the request 3 and the answer 1. With the choice 7, the concrete server gives this answer.

use super::script::{ScriptedEvent, ScriptedSection};
use super::{Initial, WitnessError, WitnessOwn, WitnessStep};
use crate::judge::{Exchange, Observed};
use crate::process::SectionStart;
use crate::server::{Given, Reply, Server};
use crate::spec::Spec;
use crate::value::{self, Truth};
use std::sync::Arc;

/// A server in the initial state that these choices lead to.
pub(crate) fn begin(spec: &Arc<Spec>, choices: Vec<Given>) -> Result<(Server, Initial), WitnessError> {
    let server = Server::given(spec.clone(), choices.clone()).map_err(|stop| wrong(spec, 0, stop.to_string()))?;
    let json = server.made_json();
    Ok((server, Initial { choices, json }))
}

/// The error for a run that does not show what was observed. If the specification chooses once for each element of a set, this
/// may happen with a correct witness, as the choices are in the order in which the elements were met.
pub(crate) fn wrong(spec: &Spec, line: u64, why: String) -> WitnessError {
    if spec.program.chooses_for_elements { WitnessError::Disordered } else { WitnessError::DoesNotReplay { line, why } }
}

/// Repeats the sections of an exchange: internal steps of the server, and then the handling of the request.
///
/// # Errors
/// The choices do not fit, or the server does not show what was observed.
pub(crate) fn repeat(
    spec: &Spec,
    server: &mut Server,
    scripted: ScriptedEvent,
    exchange: &Exchange,
) -> Result<WitnessStep, WitnessError> {
    let line = exchange.line;
    let mut made = WitnessStep {
        line,
        after: None,
        before: Vec::new(),
        choices: Vec::new(),
        json: Vec::new(),
        request: scripted.filled,
        reply: Reply::Nothing,
        skipped: true,
    };
    for ScriptedSection { start, choices, .. } in scripted.sections {
        let done = server.repeat(&start, choices.clone()).map_err(|stop| wrong(spec, line, stop.to_string()))?;
        let json = server.made_json();
        if let SectionStart::Step(step) = start {
            made.before.push(WitnessOwn { step, site: spec.program.steps[step].site, choices, json });
        } else {
            made = WitnessStep { choices, json, reply: done.reply(), skipped: false, ..made };
        }
    }
    let shows = match &exchange.observed {
        Observed::Answer(answer) => {
            matches!(&made.reply, Reply::Answer(reply) if value::equal(reply, answer) == Ok(Truth::Known(true)))
        }
        Observed::Any => matches!(made.reply, Reply::Answer(_)),
        Observed::Nothing | Observed::Restarted => made.reply == Reply::Nothing,
        Observed::Lost => true,
    };
    if shows || made.skipped {
        Ok(made)
    } else {
        Err(wrong(spec, line, "the server replies something else".to_owned()))
    }
}
