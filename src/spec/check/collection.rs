//! Lists, sets, maps and tuples: literals, comprehensions, ranges, indices, and what can be run over.
//!
//! `[x for x in s if x > 0]` runs over lists only, `{x for x in s}`, `any`, `all` and `pick` over sets too.

use super::context::{Checker, Want};
use super::infer::Origin;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{ERROR, INT, Type, TypeId};
use crate::syntax::ast::{Clause, Expr, ExprKind};

/// The kinds of collection that a construct can run over; the text names the construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Runs {
    Lists(&'static str),
    ListsAndSets(&'static str),
}

impl<'a> Checker<'a> {
    /// The type of the elements of what is run over.
    pub(super) fn elements(&mut self, over: &'a Expr, runs: Runs) -> TypeId {
        let ty = self.synthesize(over);
        match (self.head_now(ty, over.span, "a list"), runs) {
            (Type::List(of), _) | (Type::Set(of), Runs::ListsAndSets(_)) => of,
            (Type::Error, _) => ERROR,
            (other, _) => {
                self.cannot_run(ty, &other, over.span, runs);
                ERROR
            }
        }
    }

    fn cannot_run(&mut self, ty: TypeId, head: &Type, span: Span, runs: Runs) {
        let (what, expected) = match runs {
            Runs::Lists(what) => (what, "expected a list"),
            Runs::ListsAndSets(what) => (what, "expected a list or a set"),
        };
        let shown = self.show(ty);
        let report = Diagnostic::error(span, format!("{what} cannot iterate over {shown}")).label(expected);
        self.report(match (head, runs) {
            (Type::Set(_), _) => report.help("`s.to_list()` sorts a set, `{… for x in s}` keeps it one"),
            (Type::Map(..), Runs::Lists(_)) => report.help("`m.keys().to_list()` sorts the keys of a map"),
            (Type::Map(..), Runs::ListsAndSets(_)) => report.help("`m.keys()` is the set of the keys of a map"),
            _ => report,
        });
    }

    pub(super) fn tuple(&mut self, parts: &'a [Expr], span: Span, want: Want) -> TypeId {
        let wanted = match self.head(want.ty) {
            Some(Type::Tuple(of)) if of.len() == parts.len() => of,
            _ => parts.iter().map(|part| self.fresh(part.span)).collect(),
        };
        for (part, &ty) in parts.iter().zip(&wanted) {
            self.check(part, Want { ty, ..want });
        }
        let ty = self.build(Type::Tuple(wanted));
        self.expect(span, ty, want)
    }

    pub(super) fn list(&mut self, elements: &'a [Expr], span: Span, want: Want) -> TypeId {
        let of = match self.head(want.ty) {
            Some(Type::List(of)) => of,
            _ => self.infer.fresh(Origin::EmptyList, span),
        };
        self.elements_of_type(elements, of);
        let ty = self.build(Type::List(of));
        self.expect(span, ty, want)
    }

    pub(super) fn set(&mut self, elements: &'a [Expr], span: Span, want: Want) -> TypeId {
        let of = match self.head(want.ty) {
            Some(Type::Set(of)) => of,
            _ => self.infer.fresh(Origin::EmptyBraces, span),
        };
        self.elements_of_type(elements, of);
        let ty = self.build(Type::Set(of));
        self.expect(span, ty, want)
    }

    fn elements_of_type(&mut self, elements: &'a [Expr], of: TypeId) {
        let elements: Vec<&'a Expr> = elements.iter().collect();
        self.alternatives(&elements, Want::of(of));
    }

    /// The types of keys and values, as far as they are wanted.
    fn wanted_map(&mut self, span: Span, want: Want) -> (TypeId, TypeId) {
        match self.head(want.ty) {
            Some(Type::Map(key, value)) => (key, value),
            _ => (self.fresh(span), self.fresh(span)),
        }
    }

    pub(super) fn map(&mut self, entries: &'a [(Expr, Expr)], span: Span, want: Want) -> TypeId {
        let (key, value) = self.wanted_map(span, want);
        let keys: Vec<&'a Expr> = entries.iter().map(|entry| &entry.0).collect();
        let values: Vec<&'a Expr> = entries.iter().map(|entry| &entry.1).collect();
        self.alternatives(&keys, Want::of(key));
        self.alternatives(&values, Want::of(value));
        let ty = self.build(Type::Map(key, value));
        self.expect(span, ty, want)
    }

    pub(super) fn empty_braces(&mut self, span: Span, want: Want) -> TypeId {
        let ty = self.infer.fresh(Origin::SetOrMap, span);
        self.expect(span, ty, want)
    }

    fn clauses(&mut self, clauses: &'a [Clause], runs: Runs) {
        for clause in clauses {
            match clause {
                Clause::For { binder, over } => {
                    let ty = self.elements(over, runs);
                    self.binder(binder, ty);
                }
                Clause::If(condition) => self.condition(condition),
            }
        }
    }

    pub(super) fn list_comprehension(
        &mut self,
        element: &'a Expr,
        clauses: &'a [Clause],
        span: Span,
        want: Want,
    ) -> TypeId {
        let mark = self.scope.mark();
        self.clauses(clauses, Runs::Lists("`[…]`"));
        let of = match self.head(want.ty) {
            Some(Type::List(of)) => of,
            _ => self.fresh(element.span),
        };
        self.check(element, Want::of(of));
        self.end_scope(mark);
        let ty = self.build(Type::List(of));
        self.expect(span, ty, want)
    }

    pub(super) fn set_comprehension(
        &mut self,
        element: &'a Expr,
        clauses: &'a [Clause],
        span: Span,
        want: Want,
    ) -> TypeId {
        let mark = self.scope.mark();
        self.clauses(clauses, Runs::ListsAndSets("`{…}`"));
        let of = match self.head(want.ty) {
            Some(Type::Set(of)) => of,
            _ => self.fresh(element.span),
        };
        self.check(element, Want::of(of));
        self.end_scope(mark);
        let ty = self.build(Type::Set(of));
        self.expect(span, ty, want)
    }

    pub(super) fn map_comprehension(
        &mut self,
        key: &'a Expr,
        value: &'a Expr,
        clauses: &'a [Clause],
        span: Span,
        want: Want,
    ) -> TypeId {
        let mark = self.scope.mark();
        self.clauses(clauses, Runs::ListsAndSets("`{…}`"));
        let (keys, values) = self.wanted_map(span, want);
        self.check(key, Want::of(keys));
        self.check(value, Want::of(values));
        self.end_scope(mark);
        let ty = self.build(Type::Map(keys, values));
        self.expect(span, ty, want)
    }

    pub(super) fn range(&mut self, from: &'a Expr, to: &'a Expr, span: Span, want: Want) -> TypeId {
        self.check(from, Want::of(INT));
        self.check(to, Want::of(INT));
        let ty = self.types.list(INT);
        self.expect(span, ty, want)
    }

    pub(super) fn index(&mut self, base: &'a Expr, index: &'a Expr, span: Span, want: Want) -> TypeId {
        let ty = if matches!(index.kind, ExprKind::Range(..)) && self.head(want.ty).is_some() {
            self.check_slice_base(base, want)
        } else {
            self.synthesize(base)
        };
        if matches!(index.kind, ExprKind::Range(..)) {
            self.synthesize(index);
            self.sliceable(ty, base.span);
            return self.expect(span, ty, want);
        }
        let found = self.indexed(ty, base.span, index);
        self.expect(span, found, want)
    }

    fn check_slice_base(&mut self, base: &'a Expr, want: Want) -> TypeId {
        match self.head(want.ty) {
            Some(Type::List(_) | Type::Str | Type::Bytes) => {
                let wanted = if super::needy::needs_context(base) { want } else { self.anything(base.span) };
                self.check(base, wanted)
            }
            _ => self.synthesize(base),
        }
    }

    fn sliceable(&mut self, ty: TypeId, span: Span) {
        let head = self.head_now(ty, span, "a list, `string` or `bytes`");
        if !matches!(head, Type::List(_) | Type::Str | Type::Bytes | Type::Error) {
            let shown = self.show(ty);
            let report = Diagnostic::error(span, format!("{shown} cannot be sliced"));
            self.report(report.label("expected a list, `string` or `bytes`"));
        }
    }

    /// The type of `base[index]`; the index is checked.
    pub(super) fn indexed(&mut self, base: TypeId, span: Span, index: &'a Expr) -> TypeId {
        match self.head_now(base, span, "a list or a map") {
            Type::List(of) => {
                self.check(index, Want::since(INT, span, "a list is indexed by `int`"));
                of
            }
            Type::Map(key, value) => {
                self.check(index, Want::since(key, span, "the key type of this map"));
                value
            }
            Type::Error => {
                self.synthesize(index);
                ERROR
            }
            head => {
                self.synthesize(index);
                let shown = self.show(base);
                let report = Diagnostic::error(span, format!("{shown} cannot be indexed"));
                let report = report.label("expected a list or a map");
                let text = matches!(head, Type::Str | Type::Bytes);
                self.report(if text { report.help("a slice is written `s[i..j]`") } else { report });
                ERROR
            }
        }
    }
}
