//! Splitting a candidate by the values of its variables, so that steps lead from known states to known states.
//!
//! `step { n := (n + 1) % 4; }` leads from `n = (p ? 1 : 2)` to ever longer terms, though there are four states. Split into
//! p and not p, there are two candidates without a variable, which lead to four known states. A split is exact: its pieces
//! stand for the same states together.

use super::forget;
use crate::judge::candidate::Candidate;
use crate::judge::context::Context;
use crate::scalar::Scalar;
use crate::solve::{Solver, Store, listed};
use crate::term::{Term, Var};

/// The pieces into which a candidate is split.
const PIECES: usize = 64;
/// The values of a variable that each become a piece.
const VALUES: usize = 8;

/// The pieces of a candidate in which these slots depend on no variable of few values; the candidate itself if there are too many pieces.
pub(crate) fn by_slots(context: &mut Context, candidate: Candidate, slots: &[u32]) -> Vec<Candidate> {
    let (mut open, mut pieces) = (vec![candidate.clone()], Vec::new());
    while let Some(piece) = open.pop() {
        match in_slots(&piece, slots) {
            None => pieces.push(piece),
            Some((var, values)) => {
                for value in values {
                    let mut part = with_value(piece.clone(), var, value, &mut context.solver);
                    if let Some(part) = &mut part {
                        forget::dead(context, part);
                    }
                    open.extend(part);
                }
            }
        }
        if open.len() + pieces.len() > PIECES {
            return vec![candidate];
        }
    }
    pieces
}

/// The pieces of a candidate in which no slot depends on a variable of few values.
pub(crate) fn wholly(context: &mut Context, candidate: Candidate) -> Vec<Candidate> {
    let slots: Vec<u32> = (0..context.spec.program.state).collect();
    by_slots(context, candidate, &slots)
}

/// The part of a candidate in which a variable has a value, if there is one.
fn with_value(mut candidate: Candidate, var: Var, value: Scalar, solver: &mut Solver) -> Option<Candidate> {
    let condition = Term::eq(&Term::var(var), &Term::constant(value));
    candidate.assume(&condition, None, solver).ok().map(|()| candidate)
}

/// A variable of some slots that has few values, with these values.
fn in_slots(candidate: &Candidate, slots: &[u32]) -> Option<(Var, Vec<Scalar>)> {
    let mut found = None;
    for slot in slots {
        candidate.process.memory[*slot as usize].visit_variables(&mut |var| {
            if found.is_none() {
                found = values(&candidate.store, var).map(|values| (var, values));
            }
        });
    }
    found
}

fn values(store: &Store, var: Var) -> Option<Vec<Scalar>> {
    if store.binding(var).is_some() {
        return None;
    }
    let listed = || store.constraints_on(var).find_map(|constraint| listed(constraint, var, VALUES));
    store.few_values(var, VALUES).or_else(listed)
}
