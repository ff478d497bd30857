//! Values that a request has from the answer of one that was left out, set to those of an earlier answer.
//!
//! `Create`, `Change` to version 2, `Delete`, `Change` of version 2: without the first `Change` the note still has version 1. Version 2
//! is no reference, as small numbers are not, so the last request names version 1 instead, which is what the answer of `Create` says.

use std::sync::Arc;

use super::edit::answers;
use crate::script::{PathStep, RecordedOutcome, ScalarPart, Script, ScriptStep, changed, scalar_parts};
use crate::spec::Spec;
use crate::value::Value;

/// A script without a request of the whole one, in which fields of later requests that had the value of a field of the same name in its
/// answer have the value that the last earlier answer with such a field has. `None` if there are no such fields.
pub(super) fn restated(spec: &Arc<Spec>, whole: &Script, left_out: u64, mut script: Script) -> Option<Script> {
    let recorded = answers(whole);
    let answer = |label: u64| match recorded.get(&label) {
        Some(RecordedOutcome::Answer(answer)) => Some(scalar_parts(&spec.types, spec.program.response, answer)),
        _ => None,
    };
    let gone = answer(left_out)?;
    let mut earlier: Vec<ScalarPart<'_>> = Vec::new();
    let mut is_changed = false;
    for step in &mut script.steps {
        let ScriptStep::Ask { label, request, .. } = step else { continue };
        if *label < left_out {
            let later = answer(*label).into_iter().flatten();
            earlier.splice(0..0, later);
            continue;
        }
        let asked = request.value.clone();
        for part in scalar_parts(&spec.types, spec.program.request, &asked) {
            let is_referred = request.references.iter().any(|placed| part.at.starts_with(&placed.at));
            let is_shown = gone.iter().any(|other| is_of_field(&part, other) && other.scalar == part.scalar);
            let before = earlier.iter().find(|other| is_of_field(&part, other)).map(|other| other.scalar);
            if let Some(before) = before.filter(|before| *before != part.scalar)
                && !is_referred
                && is_shown
            {
                let mut set = |_, _: &Value| Value::Scalar(before.clone());
                if let Some(value) = changed(&spec.types, spec.program.request, &request.value, &part.at, &mut set) {
                    (request.value, is_changed) = (value, true);
                }
            }
        }
    }
    is_changed.then_some(script)
}

/// Tests whether two scalars are in fields of one name, and of one sort.
fn is_of_field(part: &ScalarPart<'_>, other: &ScalarPart<'_>) -> bool {
    matches!(part.path.last(), Some(PathStep::Field(_)))
        && part.path.last() == other.path.last()
        && part.scalar.sort() == other.scalar.sort()
}
