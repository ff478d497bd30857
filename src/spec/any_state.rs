//! A specification of a server that was not reset: each variable starts with any value of its type.
//!
//! `var n: int = 0;` is judged as if `var n: int = choose;` stood there. The server may then be in a state that it never reaches, so
//! that more is accepted, and nothing more is rejected.

use std::sync::Arc;

use super::Spec;
use super::compiled::SpecError;
use crate::syntax::ast::{ExprKind, ItemKind, MemberKind};

impl Spec {
    /// The specification of a server that is in any state at first.
    ///
    /// # Errors
    /// Its states cannot be chosen: it is a machine, say.
    pub fn in_any_state(&self) -> Result<Arc<Spec>, SpecError> {
        let mut trees = self.trees().clone();
        for item in trees.files.iter_mut().flat_map(|file| &mut file.items) {
            let ItemKind::Protocol { members, .. } = &mut item.kind else { continue };
            for member in members {
                if let MemberKind::Var { value, .. } = &mut member.kind {
                    value.kind = ExprKind::Choose(None);
                }
            }
        }
        self.of_other_trees(trees)
    }
}
