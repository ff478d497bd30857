//! One step of the judge: the frontier after an observation.
//!
//! ```text
//! step(q, a) = run every candidate on q; keep those that can answer a; none left: reject      (Figure 3.1)
//! ```

use super::candidate::Candidate;
use super::context::Context;
use super::exchange::Exchange;
use super::frontier::Frontier;
use super::normal_form::{keep_few, tidy};
use super::own_steps::wake;
use super::section::request;
use super::section::request::{Received, SymbolicRequest};
use super::tasks::failing;
use super::{normal_form, tasks};
use crate::network::{Network, Observation};
use crate::spec::Spec;

/// A function that finds the candidates that explain a request.
type Respond = fn(&mut Context, Vec<Candidate>, &Received<'_>) -> Vec<Candidate>;

/// The frontier after an exchange. `spec` is the specification of the context.
pub(super) fn exchange(context: &mut Context, spec: &Spec, frontier: Frontier, exchange: &Exchange) -> Frontier {
    let respond = if spec.program.steps.is_empty() { request::respond_each } else { wake::respond };
    exchange_by(respond, context, spec, frontier, exchange)
}

/// The step of Figure 3.1, if the server takes no steps by itself between the exchange and the one before it.
pub(super) fn without_steps(context: &mut Context, spec: &Spec, frontier: Frontier, exchange: &Exchange) -> Frontier {
    exchange_by(request::respond_each, context, spec, frontier, exchange)
}

fn exchange_by(
    respond: Respond,
    context: &mut Context,
    spec: &Spec,
    mut frontier: Frontier,
    exchange: &Exchange,
) -> Frontier {
    let Some(candidates) = frontier.begin(context, exchange.line) else { return frontier };
    let filled = SymbolicRequest::of(&exchange.request, spec, &mut context.fresh);
    let received = Received::of(spec, exchange, filled.as_ref());
    let after = respond(context, candidates, &received);
    let frontier = normalize(context, frontier, after);
    context.work.end(&context.options, &context.solver);
    frontier
}

/// The frontier after an observation over a network, on a line of the trace.
pub(super) fn over(
    context: &mut Context,
    mut frontier: Frontier,
    network: &dyn Network,
    line: u64,
    observation: &Observation,
) -> Frontier {
    let Some(candidates) = frontier.begin(context, line) else {
        return only_failing(context, frontier, network, line, observation);
    };
    let after = tasks::observe(context, candidates, network, observation);
    failing::observe(context, network, observation);
    let frontier = normalize(context, frontier, after);
    context.work.end(&context.options, &context.solver);
    frontier
}

/// The frontier after something that only failing runs may explain.
fn only_failing(
    context: &mut Context,
    mut frontier: Frontier,
    network: &dyn Network,
    line: u64,
    observation: &Observation,
) -> Frontier {
    if frontier.is_open(context) {
        failing::observe(context, network, observation);
        if !context.findings.has_failure() {
            (context.event, frontier.clean_died) = (line, Some(line));
        }
    }
    frontier
}

/// The frontier with these candidates, in normal form. If a limit was reached, only a few of them are kept.
pub(super) fn normalize(context: &mut Context, frontier: Frontier, mut candidates: Vec<Candidate>) -> Frontier {
    match &mut candidates[..] {
        [only] => tidy::after_exchange(context, only),
        _ => {
            tidy::each(context, &mut candidates, tidy::one_of_several);
            if candidates.len() > 1 && context.options.reduces() {
                normal_form::now_and_then(context, &mut candidates);
            }
        }
    }
    keep_few::keep(context, &mut candidates);
    frontier.with(context, candidates)
}
