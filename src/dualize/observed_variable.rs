//! An answer that is one variable: the variable has the observed value from then on.
//!
//! For example `n = #1` answered as 5 is `n = 5`; if nothing else mentions `#1`, nothing is left of it.

use super::candidate::Candidate;
use super::forget;
use super::frontier::Judge;
use super::terms;
use crate::scalar::Scalar;
use crate::solve::observed_variable;
use crate::symbolic::Infeasible;
use crate::term::{Term, Var};

/// Compares an answer that is one term with a known value, if that is a question about one variable; `None` if it is not.
pub(super) fn unify(
    judge: &mut Judge,
    candidate: &mut Candidate,
    (term, known): (&Term, &Scalar),
) -> Option<Result<(), Infeasible>> {
    let (var, value) = observed_variable::variable(&candidate.store, term, known)?;
    candidate.process.rest();
    candidate.process.know(term, known);
    let is_possible = match is_last(judge, candidate, var) {
        true => {
            candidate.growth.count_seen();
            observed_variable::admit_last(&mut candidate.store, (var, &value), &mut judge.solver)
        }
        false => observed_variable::bind(&mut candidate.store, (var, value), &mut judge.solver),
    };
    Some(is_possible.then_some(()).ok_or(Infeasible))
}

/// Tests whether nothing but an answer mentions its variable any more, if that is soon seen.
fn is_last(judge: &Judge, candidate: &Candidate, var: Var) -> bool {
    forget::may_at_once(judge) && candidate.growth.is_soon_walked() && !is_mentioned(candidate, var)
}

/// Tests whether a value or a binding mentions a variable.
fn is_mentioned(candidate: &Candidate, var: Var) -> bool {
    let mut found = candidate.store.is_in_binding(var);
    terms::visit(&candidate.process, &mut |term| found |= term.mentions(var));
    found
}
