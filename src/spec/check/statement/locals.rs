//! The local names that are visible at one point: a stack, the innermost last, cut back at the end of each scope.
//!
//! In `e is Some(r) && strong(r.tag)` the name `r` is on the stack while the right operand is checked. It leaves the stack after the branch
//! that the condition guards.

use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::TypeId;
use crate::syntax::ast::NodeId;
use rustc_hash::FxHashMap;

/// The construct that introduced a local name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binder {
    /// A parameter of a function or proc.
    Parameter,
    /// `var` in a body.
    Variable,
    /// `let`, a pattern, a quantifier and the like.
    Binding,
    /// A field of a record pattern in its short form.
    FieldBinding,
    /// `from c`
    Client,
}

/// A local name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local<'a> {
    pub(crate) name: &'a str,
    pub(crate) id: NodeId,
    pub(crate) span: Span,
    pub(crate) ty: TypeId,
    pub(crate) binder: Binder,
    pub(crate) read: bool,
}

/// A height of the stack, to which it can be cut back.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Height(usize);

/// The stack of visible local names.
///
/// Invariant: for each name, `index` has the positions in `locals` of the locals with that name, in increasing order.
#[derive(Default, Debug)]
pub(crate) struct Locals<'a> {
    locals: Vec<Local<'a>>,
    index: FxHashMap<&'a str, Vec<usize>>,
    /// Names that were visible earlier in the same body, for messages.
    gone: FxHashMap<&'a str, Span>,
}

impl<'a> Locals<'a> {
    /// The present height.
    pub(crate) fn height(&self) -> Height {
        Height(self.locals.len())
    }

    /// Makes a name visible.
    pub(crate) fn push(&mut self, local: Local<'a>) {
        self.index.entry(local.name).or_default().push(self.locals.len());
        self.locals.push(local);
    }

    /// The innermost local of that name.
    pub(crate) fn find(&mut self, name: &str) -> Option<&mut Local<'a>> {
        let position = *self.index.get(name)?.last()?;
        self.locals.get_mut(position)
    }

    /// Ends a scope: removes the names above the height and returns them.
    pub(crate) fn cut(&mut self, height: Height) -> Vec<Local<'a>> {
        let ended = self.locals.split_off(height.0);
        for local in &ended {
            if let Some(positions) = self.index.get_mut(local.name) {
                positions.pop();
            }
            self.gone.insert(local.name, local.span);
        }
        ended
    }

    /// The names above the height.
    pub(crate) fn since(&mut self, height: Height) -> &mut [Local<'a>] {
        &mut self.locals[height.0..]
    }

    /// Returns the place where a name that is not visible any more was bound in this body.
    pub(crate) fn gone(&self, name: &str) -> Option<Span> {
        self.gone.get(name).copied()
    }

    /// All visible names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.locals.iter().map(|local| local.name)
    }
}

impl Local<'_> {
    /// The warning about a name that is never read.
    pub(crate) fn unread(&self) -> Option<Diagnostic> {
        if self.read || self.name.starts_with('_') {
            return None;
        }
        let (kind, instead) = match self.binder {
            Binder::Parameter => ("parameter", format!("write `_{}`", self.name)),
            Binder::Variable => ("variable", format!("write `_{}`", self.name)),
            Binder::Binding => ("name", format!("write `_{}`", self.name)),
            Binder::FieldBinding => ("name", format!("write `{}: _`", self.name)),
            Binder::Client => ("client", "remove `from`".into()),
        };
        let report = Diagnostic::warning(self.span, format!("the {kind} `{}` is never read", self.name));
        Some(report.help(format!("if this is intentional, {instead}")))
    }
}
