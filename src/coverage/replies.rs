//! The `reply` statements with which a server may answer a request, after what was observed.
//!
//! After `Put a "x"`, a store answers `Get a` by `reply Found(v);` and not by the `reply Missing;` beside it.

use std::sync::Arc;

use super::EFFORT;
use super::instrument::{InstrumentedSpec, NotedBranches, instrumented};
use super::taken::taken;
use crate::judge::{Exchange, Inspected, Judge, Observed, Options};
use crate::spec::Spec;

/// A specification that notes by which statement it answers; none if tasks yield or call peers.
pub(crate) struct Replies(Option<InstrumentedSpec>);

impl Replies {
    /// The statements of this specification.
    pub(crate) fn of(spec: &Arc<Spec>) -> Replies {
        let is_serial = !spec.for_networks().program.is_asynchronous();
        Replies(is_serial.then(|| instrumented(spec, NotedBranches::Reply)).flatten())
    }

    /// The numbers of the statements that may answer the last one of these exchanges, whatever its answer was. None are known if what
    /// was observed before it is too hard to explain.
    pub(crate) fn possible(&self, exchanges: &[Exchange]) -> Vec<usize> {
        let (Some(InstrumentedSpec { spec, slot, .. }), Some((last, before))) = (&self.0, exchanges.split_last())
        else {
            return Vec::new();
        };
        let options = Options { inspected: Inspected::Memory, effort: EFFORT, ..Options::default() };
        let mut judge = Judge::new(spec.clone(), options);
        let open = Exchange { observed: Observed::Any, ..last.clone() };
        let is_explained = before.iter().chain([&open]).all(|exchange| judge.observe(exchange) && !judge.is_cut());
        if is_explained { taken(judge.candidates(), *slot) } else { Vec::new() }
    }
}
