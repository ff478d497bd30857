//! Requests that take a path: unknown ones under a model.

use crate::judge::{Exchange, Observed};
use crate::server::Completion;
use crate::solve::Solver;
use crate::spec::Spec;

use super::ways::{CLIENT, CodeWay};

/// The requests of a way with values, and the answers to them; none if no values were found.
pub(super) fn exchanges(spec: &Spec, way: &CodeWay, solver: &mut Solver) -> Option<Vec<Exchange>> {
    let model = way.path.store.model(&[], solver, &mut |_| 0).ok()?;
    let completion = Completion { types: &spec.types, model: &model, process: &way.path.process };
    let exchange = |((request, answer), line): (&(_, Option<_>), u64)| {
        let observed = answer.as_ref().map_or(Observed::Nothing, |answer| Observed::Answer(completion.value(answer)));
        Exchange { line, client: CLIENT, request: completion.value(request), observed }
    };
    Some(way.exchanges.iter().zip(1..).map(exchange).collect())
}
