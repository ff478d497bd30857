//! Trails: logs of eliminations, by which a model of a store extends to the eliminated variables (model reconstruction).
//!
//! For example `#2 <= #1`, `#1 <= 9` without `#1` is `#2 <= 9`, and the trail has both constraints: if `#2` is 4, they give `#1` back
//! as a value from 4 to 9. Candidates that fork share the eliminations before the fork. Only evidence keeps a trail.

use crate::solve::persistent::past::Past;
use crate::term::{Term, Var};

/// One elimination.
#[derive(Clone, Debug)]
pub enum Elimination {
    /// The variable has the value of the term; the term's variables are alive or were eliminated later.
    Bound {
        /// The variable that was solved for.
        var: Var,
        /// Its value.
        value: Term,
    },
    /// The variables were projected away together with all constraints that mentioned them.
    Projected {
        /// The variables that were projected away.
        vars: Vec<Var>,
        /// The constraints that mentioned them.
        constraints: Vec<Term>,
    },
}

impl Elimination {
    /// The variables that were eliminated, and the terms that determine or restrict their values.
    pub(crate) fn parts(&self) -> (&[Var], &[Term]) {
        match self {
            Elimination::Bound { var, value } => (std::slice::from_ref(var), std::slice::from_ref(value)),
            Elimination::Projected { vars, constraints } => (vars, constraints),
        }
    }

    /// Calls a function on each variable that was eliminated, or occurs in the terms.
    pub fn vars(&self, visit: &mut dyn FnMut(Var)) {
        let (vars, terms) = self.parts();
        vars.iter().for_each(|var| visit(*var));
        terms.iter().for_each(|term| term.vars(&mut |var| visit(var)));
    }
}

/// The eliminations of a store, latest first.
pub type Trail = Past<Elimination>;
