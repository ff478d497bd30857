//! Specifications of a server whose memory is not known: at first, or after each restart.
//!
//! ```text
//! var n: int = 0;                         var n: int = choose;      in any state at first
//!                                         on restart { n := choose; }   in any state after each restart
//! ```
//!
//! The server may then be in a state that it never reaches, so that more is accepted, and nothing more is rejected.

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
    /// The specification of a server that is in any state at first.
    ///
    /// # Errors
    /// It is a machine.
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

    /// The specification of a server that is in any state after each restart. A recording says with a restart that something happened that
    /// nobody saw.
    ///
    /// # Errors
    /// It is a machine.
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
                Err(SpecError { sources: self.sources.clone(), diagnostics: vec![why] })
            }
        }
    }
}

/// `on restart { x := choose; y := choose; }` for the variables among the members; nothing if there are none.
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
