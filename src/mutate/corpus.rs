//! A corpus generated from a specification alone: the shortest scripts that kill its mutants.
//!
//! For the mutant with `reply 1;` instead of `reply 0;` in `cmp_rst` the script is the one request `0`, answered by 1. If an answer
//! contains a generated value, later requests refer to this answer, so that the script fits a system that generates other values.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::difference::{Comparing, Equivalence, SearchBudget};
use super::some_mutants;
use crate::generate::{GenerateSettings, Generator};
use crate::judge::{Exchange, Observed};
use crate::limits::end;
use crate::script::{RecordedOutcome, Script, ScriptHeader, ScriptStep};
use crate::spec::Spec;
use crate::value::Value;

/// Generates the scripts that kill mutants, short ones first, each sequence of requests once. At most `most` changes, spread over the text,
/// are examined. The last answer of a script is forbidden by the specification, or missing.
#[must_use]
pub fn killing_scripts(spec: &Arc<Spec>, most: usize, budget: SearchBudget) -> Vec<Script> {
    let mut comparing = Comparing::new(spec);
    let mut known: FxHashSet<Vec<Value>> = FxHashSet::default();
    let mut found: Vec<Vec<Exchange>> = Vec::new();
    for mutant in some_mutants(spec, most) {
        if end::is_over() {
            break;
        }
        let Ok(changed) = mutant.of(spec) else { continue };
        if let Equivalence::Differs(exchanges) = comparing.classify(&changed, budget)
            && known.insert(exchanges.iter().map(|exchange| exchange.request.clone()).collect())
        {
            found.push(exchanges);
        }
    }
    found.sort_by_key(Vec::len);
    found.iter().filter_map(|exchanges| script(spec, exchanges)).collect()
}

/// The script that repeats these exchanges; none if the specification lets one of the requests not be drawn.
fn script(spec: &Arc<Spec>, exchanges: &[Exchange]) -> Option<Script> {
    let mut generator = Generator::new(spec, GenerateSettings::default());
    if !exchanges.iter().all(|exchange| generator.allows(&exchange.request)) {
        return None;
    }
    let mut steps = Vec::new();
    for (exchange, number) in exchanges.iter().zip(0..) {
        let (label, client) = (2 * number + 1, exchange.client);
        let request = generator.referring(exchange.request.clone());
        generator.sent(&exchange.request);
        steps.push(ScriptStep::Ask { label, client, request });
        let seen = match &exchange.observed {
            Observed::Answer(answer) => {
                generator.answered(label, answer);
                RecordedOutcome::Answer(answer.clone())
            }
            Observed::Any | Observed::Nothing | Observed::Lost | Observed::Restarted => RecordedOutcome::Lost,
        };
        steps.push(ScriptStep::Await { label, seen });
    }
    let set = spec.constants_set_to().map(|(name, value)| (name.clone(), value.clone())).collect();
    let header = ScriptHeader { spec: spec.program.name.clone(), set, ..ScriptHeader::default() };
    Some(Script::of_run(header, steps))
}
