//! The explanation of a rejection, as data: the possible answers, the reason, and what its exchanges say.

use std::sync::Arc;

use super::allowed::{Possibility, allowed};
use super::learned::Contribution;
use super::reason::{Budget, Reason, ReasonSearch};
use crate::judge::{Exchange, Options};
use crate::reading::{Recording, exchange_at};
use crate::spec::Spec;

/// An explanation of why a trace is rejected.
#[derive(Clone, PartialEq, Debug)]
pub struct WhyRejected {
    /// The rejected exchange.
    pub rejected: Exchange,
    /// The answers that would have been possible instead.
    pub allowed: Vec<Possibility>,
    /// The answers that rule out the rejected one.
    pub reason: Reason,
    /// The first exchange of a reason that does not begin in an initial state, if its request matters and its answer does not.
    pub first: Option<Exchange>,
    /// The exchanges that matter, in order; if there are too many, the last ones.
    pub lessons: Vec<Contribution>,
    /// The number of exchanges that matter and come before those in `lessons`.
    pub omitted: usize,
}

/// Finds out why the last of these exchanges is rejected; `None` if it is not rejected.
#[must_use]
pub fn why<R>(spec: &Arc<Spec>, options: &Options, recording: &R, budget: Budget<'_>) -> Option<WhyRejected>
where
    R: Recording + ?Sized,
{
    let mut search = ReasonSearch::new(spec, options, recording, budget)?;
    let rejected = search.rejected().clone();
    let before = search.frontier(search.rejected_at());
    let allowed = allowed(spec, &before, &rejected);
    let reason = search.run();
    let end = reason.all_from.map_or(reason.because.len(), |from| reason.because.partition_point(|at| *at < from));
    let (lessons, omitted) = search.lessons(&reason.because[..end], &reason.causes, &reason.initial);
    let first = reason.from.filter(|from| !reason.because.contains(from)).and_then(|from| exchange_at(recording, from));
    Some(WhyRejected { rejected, allowed, reason, first, lessons, omitted })
}
