//! The state of one check: tables under construction, reports, the visible names, and the present unit of inference.
//!
//! A *unit* is one expression and its surroundings in a statement. Types may stay open inside a unit; at its end each is resolved, and a
//! type that is still open is an error: `let x = [];` asks for `let x: T = [];`.

use super::Completeness;
use super::checked::{Const, FunctionDef, Machine, Protocol, Res, Tables};
use super::declaration::names::{Members, Names};
use super::expression::requirements::Need;
use super::infer::{DEEPEST_TYPE, Infer, OpenType, Origin};
use super::report::mistake;
use super::statement::duty::PatternCheck;
use super::statement::effect::{BodyEffect, BodyKind, Effects, forbidden};
use super::statement::locals::{Binder, Height, Local, Locals};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{BYTES, ERROR, STRING, Type, TypeId, Types};
use crate::syntax::ast::{Name, NodeId, TextLiteral};

/// The type that is wanted of an expression, and the reason.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want {
    pub(super) ty: TypeId,
    pub(super) because: Option<(Span, &'static str)>,
}

impl Want {
    /// A type without a reason to show.
    pub(super) fn of(ty: TypeId) -> Want {
        Want { ty, because: None }
    }

    /// A type that another place asks for.
    pub(super) fn since(ty: TypeId, span: Span, because: &'static str) -> Want {
        Want { ty, because: Some((span, because)) }
    }
}

impl Default for Want {
    fn default() -> Want {
        Want::of(ERROR)
    }
}

/// The dependencies of a condition.
#[derive(Clone, Default, Debug)]
pub(super) struct Watched {
    /// The variables that it reads.
    pub(super) reads: Vec<Res>,
    /// True if the condition chooses.
    pub(super) chooses: bool,
}

/// The state of one check.
#[derive(Default)]
pub(super) struct Checker<'a> {
    pub(super) types: Types,
    pub(super) tables: Tables,
    pub(super) reports: Vec<Diagnostic>,
    pub(super) names: Names<'a>,
    pub(super) consts: Vec<Const<'a>>,
    pub(super) functions: Vec<FunctionDef<'a>>,
    pub(super) machines: Vec<Machine<'a>>,
    pub(super) protocols: Vec<Protocol<'a>>,
    pub(super) duties: Vec<PatternCheck<'a>>,
    /// The members of the present protocol.
    pub(super) members: Members<'a>,
    /// The response type of the present protocol, which is wanted of its answers and messages.
    pub(super) answer: Want,
    /// The type of the value that the present proc returns, if it does.
    pub(super) result: Option<Want>,
    /// The kind of the body that is being checked.
    pub(super) body: BodyKind,
    /// The constants and (after all constants) the functions that the present body mentions, by number.
    pub(super) uses: Vec<usize>,
    /// The effects of the present body, and the procs that it calls.
    pub(super) effects: Effects,
    /// The effects of the `then` blocks of the present protocol.
    pub(super) afterwards: Vec<(BodyKind, Effects)>,
    /// The outermost construct being checked in which choices are not allowed, as reports name it; none if they are.
    pub(super) choiceless: Option<&'static str>,
    /// True if the parser has reported an error in the present body, or if the body uses a name that may be declared in a part that the
    /// parser could not read.
    pub(super) tainted: bool,
    pub(super) locals: Locals<'a>,
    pub(super) infer: Infer,
    /// The dependencies of the present unit, for the lint of loop conditions.
    pub(super) watched: Watched,
    trees: Completeness,
    /// The nodes of the present unit whose types or variants are open.
    pending: Vec<NodeId>,
    needs: Vec<(TypeId, Span, Need)>,
    unit: Height,
}

impl<'a> Checker<'a> {
    pub(super) fn new(trees: Completeness) -> Checker<'a> {
        Checker { trees, ..Checker::default() }
    }

    /// Notes an effect of the present body, or reports it if the body may not have it.
    pub(super) fn effect(&mut self, effect: BodyEffect, span: Span) {
        match self.body {
            BodyKind::Proc => self.effects.own.push((effect, span)),
            body => self.reports.extend(forbidden(effect, body, span)),
        }
    }

    /// Adds a report; if the trees are broken, only if it is an error.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.trees == Completeness::Complete || diagnostic.is_error() {
            self.reports.push(diagnostic);
        }
    }

    /// Reports an error, with the text that says what was expected at its place.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, expected: impl Into<String>) {
        self.report(mistake(span, message, expected));
    }

    /// Reports that a name is missing, unless its declaration may be in a part that the parser could not read.
    pub(super) fn report_missing(&mut self, diagnostic: Diagnostic) {
        match self.trees {
            Completeness::Complete => self.report(diagnostic),
            Completeness::Broken => self.tainted = true,
        }
    }

    /// Returns the number of errors reported so far.
    pub(super) fn errors(&self) -> usize {
        self.reports.iter().filter(|report| report.is_error()).count()
    }

    /// Marks the present body as one with a syntax error, so that it gets no warnings; returns [`ERROR`], the type of the unreadable part.
    pub(super) fn taint(&mut self) -> TypeId {
        self.tainted = true;
        ERROR
    }

    /// Notes the type and the place of a node.
    pub(super) fn record(&mut self, node: NodeId, span: Span, ty: TypeId) {
        self.tables.set_span(node, span);
        self.tables.set_type(node, ty);
        if Infer::is_open(ty) {
            self.pending.push(node);
        }
    }

    /// Notes the entity that a name refers to.
    pub(super) fn resolve_to(&mut self, name: &Name, res: Res) {
        self.tables.set_span(name.id, name.span);
        self.tables.set_resolution(name.id, res);
        match res {
            Res::Variant { ty, .. } if Infer::is_open(ty) => self.pending.push(name.id),
            _ => {}
        }
    }

    /// Makes a local name visible.
    pub(super) fn bind(&mut self, name: &'a Name, ty: TypeId, binder: Binder) {
        self.record(name.id, name.span, ty);
        self.resolve_to(name, Res::Local(name.id));
        self.locals.push(Local { name: &name.text, id: name.id, span: name.span, ty, binder, read: false });
    }

    /// Runs `work` in a scope of its own, then warns of each name in the scope that was not read.
    pub(super) fn scoped<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let height = self.locals.height();
        let result = work(self);
        for local in self.locals.cut(height) {
            local.unread().into_iter().for_each(|report| self.report(report));
        }
        result
    }

    /// A new type variable.
    pub(super) fn fresh(&mut self, span: Span) -> TypeId {
        self.infer.fresh(Origin::Context, span)
    }

    /// A type whose parts may be open.
    pub(super) fn build(&mut self, ty: Type) -> TypeId {
        self.infer.build(&mut self.types, ty)
    }

    /// The outermost constructor of a type, if it is known.
    pub(super) fn head(&self, ty: TypeId) -> Option<Type> {
        self.infer.head(&self.types, ty)
    }

    /// The type as far as it is known, for a decision that cannot wait; reports an error if nothing is known.
    pub(super) fn head_now(&mut self, ty: TypeId, span: Span, what: &str) -> Type {
        self.head(ty).unwrap_or_else(|| {
            let report = mistake(span, "cannot infer the type of this", format!("expected {what}"));
            self.report(report.help("give the type first: `let x: T = …;`"));
            self.unify(ty, ERROR);
            Type::Error
        })
    }

    /// Makes two types equal; `false` if they cannot be.
    pub(super) fn unify(&mut self, a: TypeId, b: TypeId) -> bool {
        self.infer.unify(&self.types, a, b)
    }

    /// A type for a message, in backquotes.
    pub(super) fn show(&mut self, ty: TypeId) -> String {
        format!("`{}`", self.infer.name(&mut self.types, ty))
    }

    /// Unifies the type that was found with the one that is wanted, or reports that they differ.
    pub(super) fn expect(&mut self, span: Span, found: TypeId, want: Want) -> TypeId {
        if !self.unify(found, want.ty) {
            let report = self.mismatch(span, found, want);
            self.report(report);
            self.infer.poison(found);
        }
        want.ty
    }

    fn mismatch(&mut self, span: Span, found: TypeId, want: Want) -> Diagnostic {
        let (expected, actual) = (self.show(want.ty), self.show(found));
        let report = mistake(span, format!("expected {expected}, found {actual}"), format!("expected {expected}"));
        let report = want.because.iter().fold(report, |report, &(place, because)| report.also(place, because));
        let is_option_of = |option, ty| match self.head(option) {
            Some(Type::Option(of)) => self.infer.find(of) == self.infer.find(ty),
            _ => false,
        };
        if is_option_of(want.ty, found) {
            report.help("a value that is present is written `Some(…)`")
        } else if is_option_of(found, want.ty) {
            report.help("an option may be `None`: destructure it with `match`, or with `is Some(x)`")
        } else {
            report
        }
    }

    /// The type of a string literal if a type is wanted: `bytes` if that is wanted or `\xNN` occurs.
    pub(super) fn text_type(&self, text: &TextLiteral, wanted: TypeId) -> TypeId {
        let bytes = text.escapes_octets || self.head(wanted) == Some(Type::Bytes);
        if bytes { BYTES } else { STRING }
    }

    /// Requires a property of a type, to be checked at the end of the unit.
    pub(super) fn need(&mut self, ty: TypeId, span: Span, need: Need) {
        self.needs.push((ty, span, need));
    }

    /// Runs `work` as a unit of inference: every type in it is known afterwards.
    pub(super) fn in_unit<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.unit = self.locals.height();
        self.watched = Watched::default();
        self.infer.clear();
        let result = work(self);
        self.close_unit();
        result
    }

    fn close_unit(&mut self) {
        for node in std::mem::take(&mut self.pending) {
            let ty = self.close(self.tables.type_of(node));
            self.tables.set_type(node, ty);
            if let Some(Res::Variant { ty, index }) = self.tables.resolution(node) {
                let ty = self.close(ty);
                self.tables.set_resolution(node, Res::Variant { ty, index });
            }
        }
        for (ty, span, need) in std::mem::take(&mut self.needs) {
            let ty = self.close(ty);
            self.reports.extend(need.unmet(&self.types, ty, span));
        }
        let Checker { infer, types, locals, .. } = self;
        for local in locals.since(self.unit) {
            local.ty = infer.resolve(types, local.ty, &mut |_| ERROR);
        }
    }

    /// The type without variables; open types in it are reported.
    pub(super) fn close(&mut self, ty: TypeId) -> TypeId {
        let Checker { infer, types, reports, .. } = self;
        infer.resolve(types, ty, &mut |open| {
            reports.push(still_open(open));
            ERROR
        })
    }

    /// Reports a type that nests deeper than any walk over types may go.
    pub(super) fn check_depth(&mut self, ty: TypeId, span: Span) -> TypeId {
        if self.types.depth(ty) <= DEEPEST_TYPE {
            return ty;
        }
        self.error(span, "this type is nested too deeply", format!("expected at most {DEEPEST_TYPE} levels"));
        ERROR
    }
}

fn still_open(open: OpenType) -> Diagnostic {
    let (what, help) = match open.origin {
        Origin::Context => ("the type of this", "give the type first: `let x: T = …;`"),
        Origin::Choose => ("the type of this choice", "give the type: `choose T`"),
        Origin::Absent => ("the type of this `None`", "give the type first: `let x: option<T> = None;`"),
        Origin::EmptyList => ("the type of this empty list", "give the type first: `let x: list<T> = [];`"),
        Origin::EmptyBraces => ("the type of the elements of this", "give the type first: `let x: set<T> = {};`"),
        Origin::SetOrMap => {
            ("whether this is a set or a map", "give the type first: `let x: set<T> = {};` or `map<K, V>`")
        }
    };
    mistake(open.span, format!("cannot infer {what}"), "nothing here determines the type").help(help)
}
