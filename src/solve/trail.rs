//! Trails: what was eliminated, so that a model of what is left extends to everything (model reconstruction).
//!
//! For example after `#1 := #2 + 1` and forgetting `#2`, bounds and all: a value of `#1` that the rest allows gives back one
//! of `#2`. A trail is a persistent list; candidates that fork share its past. Only evidence keeps one.

use crate::term::{Term, Var};
use std::sync::Arc;

/// One elimination.
#[derive(Clone, Debug)]
pub enum Step {
    /// The variable is what the term says; the term's variables are alive or were eliminated later.
    Bound {
        /// What was solved for.
        var: Var,
        /// Its value.
        value: Term,
    },
    /// The variables were projected away; the constraints are all that mentioned them.
    Eliminated {
        /// What was projected away.
        vars: Vec<Var>,
        /// What held of them.
        constraints: Vec<Term>,
    },
    /// Variables were renumbered: old and new names.
    Renamed {
        /// Old name, new name.
        pairs: Arc<[(Var, Var)]>,
    },
}

/// A persistent list of eliminations, latest first.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    last: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    step: Step,
    before: Option<Arc<Link>>,
}

impl Trail {
    /// Adds a step.
    pub fn push(&mut self, step: Step) {
        self.last = Some(Arc::new(Link { step, before: self.last.take() }));
    }

    /// All steps, latest first.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        std::iter::successors(self.last.as_deref(), |link| link.before.as_deref()).map(|link| &link.step)
    }
}

/// Long trails are freed without recursion.
impl Drop for Trail {
    fn drop(&mut self) {
        let mut next = self.last.take();
        while let Some(link) = next {
            next = Arc::into_inner(link).and_then(|mut link| link.before.take());
        }
    }
}
