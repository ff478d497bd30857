//! What the specification would have allowed: the answers to a request that explain what came before.

use std::sync::Arc;

use super::describe::{Fact, Names};
use crate::dualize::{Exchange, Judge, Observed};
use crate::spec::Spec;

/// One kind of answer that was possible.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Allowed {
    /// This answer, as JSON; parts that are not determined are written `#1`, `#2` …
    Answer {
        /// The answer.
        json: String,
        /// What is known of its undetermined parts.
        where_: Vec<Fact>,
    },
    /// No answer at all.
    Nothing,
    /// Others beside those that are listed.
    More,
}

/// More answers than this are not listed.
const LISTED: usize = 8;

/// The answers that a judge allows to the next request.
#[must_use]
pub fn allowed(spec: &Arc<Spec>, before: &Judge, exchange: &Exchange) -> Vec<Allowed> {
    let mut found: Vec<Allowed> = Vec::new();
    for (answer, candidate) in before.clone().answers(&Exchange { observed: Observed::Any, ..exchange.clone() }) {
        let mut names = Names::anonymous();
        let Some(answer) = answer else {
            found.push(Allowed::Nothing);
            continue;
        };
        let json =
            names.render(&spec.types, spec.program.response, &candidate.store, &candidate.process.expanded(&answer));
        let where_ = names.facts(&candidate.store.constraints());
        found.push(Allowed::Answer { json, where_ });
    }
    found.sort();
    found.dedup();
    if found.len() > LISTED {
        found.truncate(LISTED);
        found.push(Allowed::More);
    }
    found
}
