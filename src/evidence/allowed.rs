//! What the specification would have allowed: the answers to a request that explain what came before.

use std::sync::Arc;

use super::describe::{Fact, Names};
use crate::dualize::{Exchange, Judge, Observed};
use crate::spec::Spec;
use crate::term::{Kind, Term};

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
/// More excluded values than this are told as a set.
const FEW: usize = 8;

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
        let constraints: Vec<Term> = candidate.store.constraints().into_iter().flat_map(one_by_one).collect();
        let where_ = names.facts(&constraints);
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

/// A condition; one that excludes few values, as a condition for each.
fn one_by_one(condition: Term) -> Vec<Term> {
    match condition.kind() {
        Kind::Not(inner) => match inner.kind() {
            Kind::Member(subject, set) if set.len() <= FEW => {
                set.sorted().into_iter().map(|value| Term::ne(subject, &Term::constant(value))).collect()
            }
            _ => vec![condition],
        },
        _ => vec![condition],
    }
}
