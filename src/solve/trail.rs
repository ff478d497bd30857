//! Trails: what was eliminated, so that a model of what is left extends to everything (model reconstruction).
//!
//! For example after `#1 := #2 + 1` and forgetting `#2`, bounds and all: a value of `#1` that the rest allows gives back one
//! of `#2`. Candidates that fork share what was eliminated before. Only evidence keeps a trail.

use super::past::Past;
use crate::term::{Term, Var};
use std::sync::Arc;

/// One elimination.
#[derive(Clone, Debug)]
pub enum Step {
    /// The variable is what the term says; the term's variables are alive or were eliminated later.
    Bound {
        /// The variable that was solved for.
        var: Var,
        /// Its value.
        value: Term,
    },
    /// The variables were projected away; the constraints are all that mentioned them.
    Eliminated {
        /// The variables that were projected away.
        vars: Vec<Var>,
        /// The constraints that held of them.
        constraints: Vec<Term>,
    },
    /// Variables were renumbered: old and new names.
    Renamed {
        /// Old name, new name.
        pairs: Arc<[(Var, Var)]>,
    },
}

impl Step {
    /// Calls a function on each variable that it mentions.
    pub fn vars(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Step::Bound { var, value } => {
                visit(*var);
                value.vars(&mut |var| visit(var));
            }
            Step::Eliminated { vars, constraints } => {
                vars.iter().for_each(|var| visit(*var));
                constraints.iter().for_each(|constraint| constraint.vars(&mut |var| visit(var)));
            }
            Step::Renamed { pairs } => pairs.iter().for_each(|(old, new)| {
                visit(*old);
                visit(*new);
            }),
        }
    }
}

/// The eliminations of a store, latest first.
pub type Trail = Past<Step>;
