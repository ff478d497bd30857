//! A corpus generated from a specification alone: the shortest scripts that kill its mutants.
//!
//! For the mutant with `reply 1;` instead of `reply 0;` in `cmp_rst` the script is the one request `0`, answered by 1. If an answer
//! contains a generated value, later requests refer to this answer, so that the script fits a system that generates other values.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::difference::{Comparing, Equivalence, SearchBudget};
use super::some_mutants;
use crate::choice::Random;
use crate::generate::{GenerateSettings, Generator, corpus, script_of};
use crate::judge::Exchange;
use crate::limits::end;
use crate::script::{Script, ScriptStep};
use crate::spec::Spec;
use crate::value::Value;

/// The number of requests that may be served to find the corpus.
const CORPUS_REQUESTS: usize = 500;
/// The most mutants of the specification that are looked at, and the work to find a script that kills one.
const MUTANTS: usize = 24;
const MUTANT_SEARCH: SearchBudget = SearchBudget { served: 200, requests: 3, values: 2 };

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
    // The specification may let some requests not be drawn.
    let generator = Generator::new(spec, GenerateSettings::default());
    found.retain(|exchanges| exchanges.iter().all(|exchange| generator.allows(&exchange.request)));
    found.iter().map(|exchanges| script_of(spec, exchanges)).collect()
}

/// The share of the time of a campaign, one in N, that looking for its first scripts may take.
const SHARE: u32 = 4;

/// The first scripts of a campaign that has so much time, of which looking for them takes a part at most.
#[must_use]
pub fn starting_scripts_within(spec: &Arc<Spec>, seed: u64, time: Option<Duration>) -> Vec<Script> {
    let _end = time.map(|time| end::within(time / SHARE));
    starting_scripts(spec, seed)
}

/// The first scripts of a campaign: they reach each branch of the specification, and kill mutants of it. No script is
/// the beginning of another one.
#[must_use]
pub fn starting_scripts(spec: &Arc<Spec>, seed: u64) -> Vec<Script> {
    let mut all = corpus(spec, CORPUS_REQUESTS, &mut Random::new(seed)).unwrap_or_default();
    all.extend(killing_scripts(spec, MUTANTS, MUTANT_SEARCH));
    let asked: Vec<Vec<Value>> = all.iter().map(asked).collect();
    let is_begun = |at: usize| {
        let longer = |(other, longer): (usize, &Vec<Value>)| {
            longer.starts_with(&asked[at]) && (longer.len() > asked[at].len() || other < at)
        };
        asked.iter().enumerate().any(longer)
    };
    all.into_iter().enumerate().filter(|(at, _)| !is_begun(*at)).map(|(_, script)| script).collect()
}

/// The requests of a script.
fn asked(script: &Script) -> Vec<Value> {
    let request = |step: &ScriptStep| match step {
        ScriptStep::Ask { request, .. } => Some(request.value.clone()),
        _ => None,
    };
    script.steps.iter().filter_map(request).collect()
}
