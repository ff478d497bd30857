//! The theories that a question to Z3 needs: they give its limits, and the reason if it is given up.
//!
//! For example `#1 * #2 = 15` is nonlinear, and `to_int(#1) < 3` looks inside a string.

use crate::limits;
use crate::solve::{Limits, Why};
use crate::term::{Kind, Term};
use std::time::Duration;

/// The theories that occur in a question.
#[derive(Clone, Copy, Default)]
pub(crate) struct Theories {
    /// Products and quotients of unknown integers.
    pub(crate) nonlinear: bool,
    /// The inside of strings.
    pub(crate) text: bool,
    /// The order of strings.
    pub(crate) order: bool,
}

impl Theories {
    /// The theories that the conditions need, if these are not too deep.
    pub(crate) fn of(conditions: &[Term]) -> Result<Theories, Why> {
        let mut theories = Theories::default();
        for condition in conditions {
            if condition.depth() > limits::Z3_DEPTH {
                return Err(Why::Effort);
            }
            condition.visit(&mut |node| match node.kind() {
                Kind::Mul(..) => theories.nonlinear = true,
                Kind::Div(_, by) | Kind::Mod(_, by) => theories.nonlinear |= by.as_const().is_none(),
                Kind::Text(..) => theories.text = true,
                Kind::Less(..) => (theories.text, theories.order) = (true, true),
                _ => {}
            });
        }
        Ok(theories)
    }

    /// The reason why a question of this kind was given up.
    pub(crate) fn reason(&self) -> Why {
        match (self.nonlinear, self.text) {
            (true, _) => Why::NonLinear,
            (false, true) => Why::Text,
            (false, false) => Why::Effort,
        }
    }

    /// The limits of effort and of time for a question of this kind.
    pub(crate) fn budget(&self, limits: &Limits) -> (u32, Duration) {
        match (self.text, self.nonlinear) {
            (true, _) => (limits.effort_text, limits.time_text),
            (false, true) => (limits.effort_nonlinear, limits.time_nonlinear),
            (false, false) => (limits.effort, limits.time),
        }
    }
}
