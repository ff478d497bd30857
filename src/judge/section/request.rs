//! A request, begun in each candidate: variables stand for its unknown parts, and paths that only read are joined again.
//!
//! A request `Add(?)` is `Add(#1)`, which is one choice more. If any answer will do, the two paths of `reply has(x)` are one. A restart
//! stands in the place of a request here, and runs the handler `on restart`.

use super::{Goal, Section};
use crate::judge::candidate::{Candidate, Logged, notes_requests};
use crate::judge::context::Context;
use crate::judge::{Exchange, Observed};
use crate::process::Fresh;
use crate::solve::Solver;
use crate::spec::{Spec, TypeId};
use crate::symbolic::Infeasible;
use crate::term::Term;
use crate::value::Value;

/// A request as a candidate receives it, and what was observed.
pub(crate) struct Received<'r> {
    pub(crate) spec: &'r Spec,
    request: &'r Value,
    /// The variables in the place of the unknown parts of the request, if there are any.
    filled: Option<&'r SymbolicRequest>,
    client: u64,
    pub(crate) seen: &'r Observed,
}

/// A request with variables in the place of its unknown parts.
pub(crate) struct SymbolicRequest {
    /// The request with these variables.
    pub(crate) request: Value,
    /// The conditions on the variables.
    facts: Vec<Term>,
    /// The number of the variables.
    variables: u64,
}

impl<'r> Received<'r> {
    /// The request of an exchange, with `filled` for a request with unknown parts.
    pub(crate) fn of(spec: &'r Spec, exchange: &'r Exchange, filled: Option<&'r SymbolicRequest>) -> Received<'r> {
        let request = filled.map_or(&exchange.request, |filled| &filled.request);
        Received { spec, request, filled, client: exchange.client, seen: &exchange.observed }
    }
}

impl SymbolicRequest {
    /// A request with variables in the place of its unknown parts; `None` if all is known.
    pub(crate) fn of(recorded: &Value, spec: &Spec, fresh: &mut Fresh) -> Option<SymbolicRequest> {
        SymbolicRequest::of_type(recorded, spec, spec.program.request, fresh)
    }

    /// A value that the server is given, with variables in the place of its unknown parts; `None` if all is known.
    pub(crate) fn of_type(recorded: &Value, spec: &Spec, ty: TypeId, fresh: &mut Fresh) -> Option<SymbolicRequest> {
        recorded.has_holes().then(|| {
            let before = fresh.last;
            let (request, facts) = fresh.fill_holes(&spec.types, ty, recorded);
            SymbolicRequest { request, facts, variables: fresh.last - before }
        })
    }

    /// Assumes the conditions on the variables in a candidate; they count as one choice.
    pub(crate) fn assume(&self, candidate: &mut Candidate, solver: &mut Solver) -> Result<(), Infeasible> {
        candidate.growth.count_choice(self.variables);
        candidate.assume_each(&self.facts, None, solver)
    }
}

/// The candidates that explain a request, if the server takes no steps by itself.
pub(crate) fn respond_each(
    context: &mut Context,
    mut candidates: Vec<Candidate>,
    received: &Received<'_>,
) -> Vec<Candidate> {
    let mut others = std::mem::take(&mut context.spares.results);
    let mut kept = 0;
    for at in 0..candidates.len() {
        if at > 0 && context.is_exhausted() {
            break;
        }
        if matches!(received.seen, Observed::Lost) {
            others.push(candidates[at].clone());
        }
        if respond(context, &mut candidates[at], received, &mut others).is_ok() {
            candidates.swap(kept, at);
            kept += 1;
        }
    }
    if kept < candidates.len() {
        candidates.drain(kept..).for_each(|candidate| context.spares.take(candidate));
    }
    if !others.is_empty() {
        candidates.append(&mut others);
    }
    context.spares.results = others;
    candidates
}

/// Runs a candidate on a request along all paths, in place along the first one; fails if this one does not show what was observed. The
/// candidates of other paths that show it are added to `others`.
pub(crate) fn respond(
    context: &mut Context,
    candidate: &mut Candidate,
    received: &Received<'_>,
    others: &mut Vec<Candidate>,
) -> Result<(), Infeasible> {
    let Received { spec, request, filled, client, seen } = *received;
    if notes_requests(spec, seen) {
        context.log(candidate, || Logged::Received);
    }
    let before = may_join(context, seen).then(|| candidate.clone());
    let first = others.len();
    if let Some(filled) = filled {
        context.log(candidate, || Logged::Request(request.clone()));
        filled.assume(candidate, &mut context.solver)?;
    }
    candidate.noticed = 0;
    if !matches!(seen, Observed::Restarted) {
        candidate.process.receive_by(&spec.program, handler(context, spec), request, client);
    } else if !candidate.process.restart(&spec.program) {
        return Ok(());
    }
    let explored = Section::new(context, spec, Goal::of(seen)).explore(candidate, others);
    if let Some(before) = before
        && explored.is_exhaustive
        && explored.first.is_ok()
    {
        context.counts.merges += join(before, candidate, others, first) as u64;
    }
    explored.first
}

/// The handler of requests: the one with sunk choices, if the choices are not looked at.
fn handler(context: &Context, spec: &Spec) -> u32 {
    let unwatched = context.options.sinks_choices() && !context.options.keep_choices && context.steps.wanted.is_none();
    if unwatched { spec.program.sunk } else { spec.program.serve }
}

/// Tests whether paths that only read may be joined: not if the choices or answers of each path are kept.
fn may_join(context: &Context, observed: &Observed) -> bool {
    matches!(observed, Observed::Any | Observed::Lost | Observed::Restarted)
        && context.options.reduces()
        && !context.options.keep_paths()
}

/// Joins a path and `others[first..]` if none of them wrote anything, so that they differ in their conditions only; returns the number
/// of others that were joined. Every state that entered the section must have left it on one of the paths, and any answer must do: then
/// the paths together are the candidate that entered.
fn join(before: Candidate, candidate: &mut Candidate, others: &mut Vec<Candidate>, first: usize) -> usize {
    let unchanged = |path: &Candidate| path.process.stored().is_empty();
    let joined = others.len() - first;
    if joined == 0 || !unchanged(candidate) || !others[first..].iter().all(unchanged) {
        return 0;
    }
    others.truncate(first);
    *candidate = before;
    joined
}
