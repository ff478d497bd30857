//! The state of one check: tables under construction, findings, the visible names, and the present unit of inference.
//!
//! A *unit* is one expression with what surrounds it in a statement. Types may stay open inside it; at its end each is
//! resolved, and what is still open is an error: `let x = [];` asks for `let x: T = [];`.

use super::Reading;
use super::checked::{Const, Function, Machine, Protocol, Res, Tables};
use super::duty::Duty;
use super::effect::Effects;
use super::infer::{DEEPEST_TYPE, Infer, Open, Origin};
use super::lint::Watched;
use super::names::Names;
use super::scope::{Binder, Local, Mark, Scope};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{ERROR, Type, TypeId, Types};
use crate::syntax::ast::{Name, NodeId};
use rustc_hash::FxHashSet;

/// The type that is wanted of an expression, and why.
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

/// The rule for choices in what is being checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choices {
    Allowed,
    /// Not in what is named.
    Forbidden(&'static str),
}

/// The kind of body that is being checked; it decides which statements may stand in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Body {
    /// Of a constant or function.
    Item,
    /// The initial value of the variable of that number.
    Initial(u32),
    /// The guard of a handler.
    Guard,
    Request,
    Connection,
    Proc(u32),
    Step,
}

/// A requirement of an operation on its operand's type; checked once the type is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Need {
    Comparable(&'static str),
    Addable,
    Subtractable,
    Ordered(&'static str),
    Measurable,
}

/// The state of one check.
pub(super) struct Checker<'a> {
    pub(super) types: Types,
    pub(super) tables: Tables,
    pub(super) reports: Vec<Diagnostic>,
    pub(super) names: Names<'a>,
    pub(super) scope: Scope<'a>,
    pub(super) infer: Infer,
    pub(super) choices: Choices,
    pub(super) body: Body,
    pub(super) duties: Vec<Duty<'a>>,
    pub(super) consts: Vec<Const<'a>>,
    pub(super) functions: Vec<Function<'a>>,
    pub(super) machines: Vec<Machine<'a>>,
    pub(super) protocols: Vec<Protocol<'a>>,
    /// The constants and functions that the present body mentions.
    pub(super) uses: Vec<Res>,
    /// The variables of the present protocol that something reads.
    pub(super) vars_read: FxHashSet<u32>,
    /// Key, request and response of the peers of the present protocol.
    pub(super) peer_types: Vec<(TypeId, TypeId, TypeId)>,
    /// The types of the parameters of the procs of the present protocol.
    pub(super) proc_params: Vec<Vec<TypeId>>,
    /// The response type of the present protocol, which is wanted of its answers and messages.
    pub(super) answer: Want,
    /// The dependencies of the present unit; those of a loop's condition are used for a lint.
    pub(super) watched: Watched,
    /// The procs of the present protocol that something runs.
    pub(super) procs_run: FxHashSet<u32>,
    /// The effects of the present body, and the procs that it runs.
    pub(super) effects: Effects,
    /// True if the parser has reported something in the present body, or the body names something that may be in what
    /// the parser could not read.
    pub(super) tainted: bool,
    reading: Reading,
    pending: Vec<NodeId>,
    needs: Vec<(TypeId, Span, Need)>,
    unit: Mark,
}

impl<'a> Checker<'a> {
    pub(super) fn new(reading: Reading) -> Checker<'a> {
        let scope = Scope::default();
        Checker {
            reading,
            answer: Want::of(ERROR),
            effects: Effects::default(),
            watched: Watched::default(),
            procs_run: FxHashSet::default(),
            proc_params: Vec::new(),
            unit: scope.mark(),
            scope,
            types: Types::new(),
            tables: Tables::default(),
            reports: Vec::new(),
            names: Names::default(),
            infer: Infer::default(),
            choices: Choices::Allowed,
            body: Body::Item,
            duties: Vec::new(),
            consts: Vec::new(),
            functions: Vec::new(),
            machines: Vec::new(),
            protocols: Vec::new(),
            uses: Vec::new(),
            vars_read: FxHashSet::default(),
            peer_types: Vec::new(),
            tainted: false,
            pending: Vec::new(),
            needs: Vec::new(),
        }
    }

    /// Adds a finding; of a broken tree, errors only.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.reading == Reading::Complete || diagnostic.is_error() {
            self.reports.push(diagnostic);
        }
    }

    /// Reports that something is not there, unless it may be in what the parser could not read.
    pub(super) fn report_missing(&mut self, diagnostic: Diagnostic) {
        match self.reading {
            Reading::Complete => self.report(diagnostic),
            Reading::Broken => self.tainted = true,
        }
    }

    /// Returns the number of errors reported so far.
    pub(super) fn errors(&self) -> usize {
        self.reports.iter().filter(|report| report.is_error()).count()
    }

    /// Notes the type and the place of a node.
    pub(super) fn record(&mut self, node: NodeId, span: Span, ty: TypeId) {
        self.tables.set_span(node, span);
        self.tables.set_type(node, ty);
        if Infer::is_open(ty) {
            self.pending.push(node);
        }
    }

    /// Notes what a name refers to.
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
        self.scope.push(Local { name: &name.text, id: name.id, span: name.span, ty, binder, reads: 0 });
    }

    /// Ends a scope, with a warning for each name that was not read.
    pub(super) fn end_scope(&mut self, mark: Mark) {
        for local in self.scope.cut(mark) {
            if local.reads == 0 && !local.name.starts_with('_') {
                self.report(unread(&local));
            }
        }
    }

    /// A type of which nothing is known yet.
    pub(super) fn fresh(&mut self, span: Span) -> TypeId {
        self.infer.fresh(Origin::Context, span)
    }

    /// A wish for any type.
    pub(super) fn anything(&mut self, span: Span) -> Want {
        Want::of(self.fresh(span))
    }

    /// A type whose parts may be open.
    pub(super) fn build(&mut self, ty: Type) -> TypeId {
        self.infer.build(&mut self.types, ty)
    }

    /// The outermost constructor of a type, if it is known.
    pub(super) fn head(&self, ty: TypeId) -> Option<Type> {
        self.infer.head(&self.types, ty)
    }

    /// Makes two types equal; `false` if they cannot be.
    pub(super) fn unify(&mut self, a: TypeId, b: TypeId) -> bool {
        self.infer.unify(&self.types, a, b)
    }

    /// A type for a message, in backquotes.
    pub(super) fn show(&mut self, ty: TypeId) -> String {
        format!("`{}`", self.infer.name(&mut self.types, ty))
    }

    /// Makes the type that was found the one that is wanted, or reports that it is not.
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
        let report = Diagnostic::error(span, format!("expected {expected}, found {actual}"));
        let report = report.label(format!("expected {expected}"));
        let report = match want.because {
            Some((place, because)) => report.also(place, because),
            None => report,
        };
        match (self.head(want.ty), self.head(found)) {
            (Some(Type::Option(of)), _) if self.infer.find(of) == self.infer.find(found) => {
                report.help("a value that is present is written `Some(…)`")
            }
            (_, Some(Type::Option(of))) if self.infer.find(of) == self.infer.find(want.ty) => {
                report.help("an option may be `None`: destructure it with `match`, or with `is Some(x)`")
            }
            _ => report,
        }
    }

    /// Asks something of a type when the unit ends.
    pub(super) fn need(&mut self, ty: TypeId, span: Span, need: Need) {
        self.needs.push((ty, span, need));
    }

    /// Does this as a unit of inference: every type in it is known afterwards.
    pub(super) fn in_unit<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.unit = self.scope.mark();
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
            self.check_need(ty, span, need);
        }
        self.close_locals();
    }

    fn close_locals(&mut self) {
        let Checker { infer, types, scope, .. } = self;
        for local in scope.since(self.unit) {
            local.ty = infer.resolve(types, local.ty, &mut |_| ERROR);
        }
    }

    /// The type without variables; what is open is reported.
    pub(super) fn close(&mut self, ty: TypeId) -> TypeId {
        let Checker { infer, types, reports, .. } = self;
        infer.resolve(types, ty, &mut |open| {
            reports.push(still_open(open));
            ERROR
        })
    }

    /// The type as far as it is known, for a decision that cannot wait: an error if nothing is known.
    pub(super) fn head_now(&mut self, ty: TypeId, span: Span, what: &str) -> Type {
        if let Some(head) = self.head(ty) {
            return head;
        }
        self.report(
            Diagnostic::error(span, "cannot infer the type of this")
                .label(format!("expected {what}"))
                .help("give the type first: `let x: T = …;`"),
        );
        self.unify(ty, ERROR);
        Type::Error
    }

    fn check_need(&mut self, ty: TypeId, span: Span, need: Need) {
        if self.types.find(ty, &mut |part| *part == Type::Error).is_some() {
            return;
        }
        let head = self.types.get(ty);
        let text = matches!(head, Type::Int | Type::Str | Type::Bytes);
        let (fits, message, expected) = match need {
            Need::Comparable(op) => (text, format!("`{op}` cannot compare"), "expected `int`, `string` or `bytes`"),
            Need::Addable => {
                let fits = text || matches!(head, Type::List(_) | Type::Set(_));
                (fits, "`+` cannot add".into(), "expected `int`, `string`, `bytes`, a list or a set")
            }
            Need::Subtractable => {
                let fits = matches!(head, Type::Int | Type::Set(_));
                (fits, "`-` cannot subtract".into(), "expected `int` or a set")
            }
            Need::Ordered(method) => {
                let message = format!("`{method}` cannot sort");
                (self.types.is_ordered(ty), message, "expected a type without token, client, `json`, set or map inside")
            }
            Need::Measurable => {
                let collection = matches!(head, Type::List(_) | Type::Set(_) | Type::Map(..));
                let fits = collection || matches!(head, Type::Str | Type::Bytes);
                (fits, "`len` cannot measure".into(), "expected a list, set, map, `string` or `bytes`")
            }
        };
        if !fits {
            let report = Diagnostic::error(span, format!("{message} `{}`", self.types.name(ty)));
            self.report(report.label(expected));
        }
    }

    /// Reports a type that nests deeper than any walk over types may go.
    pub(super) fn check_depth(&mut self, ty: TypeId, span: Span) -> TypeId {
        if self.types.depth(ty) <= DEEPEST_TYPE {
            return ty;
        }
        let report = Diagnostic::error(span, "this type is nested too deeply");
        self.report(report.label(format!("expected at most {DEEPEST_TYPE} levels")));
        ERROR
    }
}

fn still_open(open: Open) -> Diagnostic {
    let (what, help) = match open.origin {
        Origin::Context => ("the type of this", "specify it: `let x: T = …;`"),
        Origin::Choose => ("the type of this choice", "specify it: `choose T`, or `let x: T = choose;`"),
        Origin::Absent => ("the type of this `None`", "specify it: `let x: option<T> = None;`"),
        Origin::EmptyList => ("the type of this empty list", "specify it: `let x: list<T> = [];`"),
        Origin::EmptyBraces => ("the type of the elements of this", "specify it: `let x: set<T> = {};`"),
        Origin::SetOrMap => ("whether this is a set or a map", "specify it: `let x: set<T> = {};` or `map<K, V>`"),
    };
    let report = Diagnostic::error(open.span, format!("cannot infer {what}"));
    report.label("nothing here determines the type").help(help)
}

fn unread(local: &Local<'_>) -> Diagnostic {
    let report = |what: &str| Diagnostic::warning(local.span, format!("{what} `{}` is never read", local.name));
    let silence = format!("if this is intentional, write `_{}`", local.name);
    match local.binder {
        Binder::Parameter => report("the parameter").help(silence),
        Binder::Variable => report("the variable").help(silence),
        Binder::Binding => report("the name").help(silence),
        Binder::FieldBinding => report("the name").help(format!("if this is intentional, write `{}: _`", local.name)),
        Binder::Client => report("the client").help("if this is intentional, remove `from`"),
    }
}
