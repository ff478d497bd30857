//! Specifications of a server that starts in any state, or is in any state after each restart.
//!
//! ```text
//! var n: int = 0;                         var n: int = choose;      in any state at first
//!                                         on restart { n := choose; }   in any state after each restart
//! ```
//!
//! Such a server may be in a state that the original never reaches: more recordings are accepted, and no further one is rejected.

use std::sync::Arc;

use super::Spec;
use super::code::ProgramKind;
use super::compiled::SpecError;
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{
    Block, Expr, ExprKind, ItemKind, Member, MemberKind, Name, NodeId, PlaceExpr, PlaceRoot, Spanned, Statement,
    StatementKind, Trigger,
};

impl Spec {
    /// This specification with any initial state.
    ///
    /// # Errors
    /// The specification is a machine.
    pub fn in_any_state(&self) -> Result<Arc<Spec>, SpecError> {
        self.has_variables()?;
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

    /// This specification with any state after each restart. A restart in a recording then stands for changes that nobody recorded.
    ///
    /// # Errors
    /// The specification is a machine.
    pub fn in_any_state_after_restarts(&self) -> Result<Arc<Spec>, SpecError> {
        self.has_variables()?;
        let mut trees = self.trees().clone();
        let mut next = trees.next;
        for item in trees.files.iter_mut().flat_map(|file| &mut file.items) {
            let ItemKind::Protocol { members, .. } = &mut item.kind else { continue };
            members.retain(|member| !matches!(member.kind, MemberKind::On { trigger: Trigger::Restart(_), .. }));
            let handler = forgetting(members, &mut next);
            members.extend(handler);
        }
        trees.next = next;
        self.of_other_trees(trees)
    }

    /// Fails for a machine.
    fn has_variables(&self) -> Result<(), SpecError> {
        match self.program.kind {
            ProgramKind::Protocol => Ok(()),
            ProgramKind::Machine => {
                let why = Diagnostic::error(Span::default(), "a machine has no variables that could have any value");
                Err(SpecError::new(self.sources.clone(), vec![why]))
            }
        }
    }
}

/// The member `on restart { x := choose; y := choose; }` for the variables among the members; none if there are no variables.
fn forgetting(members: &[Member], next: &mut NodeId) -> Option<Member> {
    let mut id = || {
        let id = *next;
        next.0 += 1;
        id
    };
    let mut statements: Vec<Statement> = Vec::new();
    for member in members {
        let MemberKind::Var { name, .. } = &member.kind else { continue };
        let span = member.span;
        let root = PlaceRoot::Name(Name { id: id(), ..name.clone() });
        let place = PlaceExpr { root, path: Vec::new(), span };
        let value = Expr { kind: ExprKind::Choose(None), span, id: id() };
        statements.push(Spanned { kind: StatementKind::Assign { place, value }, span, id: id() });
    }
    let span = statements.first()?.span;
    let body = Block { statements, span };
    let kind = MemberKind::On { trigger: Trigger::Restart(span), from: None, guard: None, body };
    Some(Spanned { kind, span, id: id() })
}
