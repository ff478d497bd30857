//! Trails: what was eliminated, so that a model of what is left extends to everything (model reconstruction).
//!
//! For example after `#1 := #2 + 1` and forgetting `#2`, bounds and all: a value of `#1` that the rest allows gives back one
//! of `#2`. Candidates that fork share what was eliminated before. Only evidence keeps a trail.

use crate::solve::persistent::past::Past;
use crate::term::{Term, Var};

/// One elimination.
#[derive(Clone, Debug)]
pub enum Elimination {
    /// The variable is what the term says; the term's variables are alive or were eliminated later.
    Bound {
        /// The variable that was solved for.
        var: Var,
        /// Its value.
        value: Term,
    },
    /// The variables were projected away; the constraints are all that mentioned them.
    Projected {
        /// The variables that were projected away.
        vars: Vec<Var>,
        /// The constraints that held of them.
        constraints: Vec<Term>,
    },
}

impl Elimination {
    /// The variables that were eliminated, and the terms that tell their values.
    pub(crate) fn parts(&self) -> (&[Var], &[Term]) {
        match self {
            Elimination::Bound { var, value } => (std::slice::from_ref(var), std::slice::from_ref(value)),
            Elimination::Projected { vars, constraints } => (vars, constraints),
        }
    }

    /// Calls a function on each variable that it mentions.
    pub fn vars(&self, visit: &mut dyn FnMut(Var)) {
        let (vars, terms) = self.parts();
        vars.iter().for_each(|var| visit(*var));
        terms.iter().for_each(|term| term.vars(&mut |var| visit(var)));
    }
}

/// The eliminations of a store, latest first.
pub type Trail = Past<Elimination>;
