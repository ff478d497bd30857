//! A lint for maps and sets that a handler chooses as a whole and then counts: their elements are unknown, so judging ends there with a
//! fault of the specification.
//!
//! ```text
//! let s: set<bool> = choose;      `s` holds a choice
//! reply len(s);                           ^ and this counts it
//! ```
//!
//! A variable counts as chosen if a chosen value may flow into it anywhere: the fault is possible, not certain.

use rustc_hash::FxHashSet;

use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::checked::{Builtin, FunctionDef, Param, Protocol, Res, Tables};
use crate::spec::types::{Type, TypeId, Types};
use crate::syntax::AnyNode;
use crate::syntax::ast::{
    BinaryOp, Clause, Expr, ExprKind, Member, Name, Pattern, PlaceRoot, Rest, Statement, StatementKind,
};

/// The variables, parameters, functions and procs whose values may be or contain a chosen map or set.
struct ChosenFlow<'c, 'a> {
    types: &'c Types,
    tables: &'c Tables,
    functions: &'c [FunctionDef<'a>],
    protocol: &'c Protocol<'a>,
    holders: FxHashSet<Res>,
}

/// Warns of each place in a protocol that counts, iterates, compares or combines a chosen map or set.
pub(crate) fn lint_chosen(
    types: &Types,
    tables: &Tables,
    functions: &[FunctionDef<'_>],
    protocol: &Protocol<'_>,
    members: &[Member],
) -> Vec<Diagnostic> {
    let mut chosen = ChosenFlow { types, tables, functions, protocol, holders: FxHashSet::default() };
    loop {
        let known = chosen.holders.len();
        chosen.spread(members);
        if chosen.holders.len() == known {
            break;
        }
    }
    let mut found = Vec::new();
    members.iter().for_each(|member| chosen.find(AnyNode::Member(member), &mut found));
    functions.iter().for_each(|function| chosen.find(AnyNode::Expr(function.body), &mut found));
    found.into_iter().map(|(span, what)| warning(span, what)).collect()
}

fn warning(span: Span, what: &str) -> Diagnostic {
    let message = format!("a map or set whose elements may not be known is {what} here");
    let help = "one that was chosen as a whole (`choose`) can be asked for an element (`x in s`, `m.get(k)`), but not counted: choose \
                its elements, or the number that is wanted";
    Diagnostic::warning(span, message).label("if they are not, judging ends as a fault of the specification").help(help)
}

impl ChosenFlow<'_, '_> {
    /// Adds the holders that one more step of the flow reaches. An initial value counts only if it is a choice on every path.
    fn spread(&mut self, members: &[Member]) {
        for (slot, var) in (0..).zip(&self.protocol.vars) {
            if is_choice(var.value) {
                self.holders.insert(Res::StateVar(slot));
            }
        }
        for (index, function) in (0..).zip(self.functions) {
            if self.may_hold(function.body) {
                self.holders.insert(Res::Function(index));
            }
            self.flow(AnyNode::Expr(function.body));
        }
        members.iter().for_each(|member| self.flow(AnyNode::Member(member)));
        for (index, proc) in (0..).zip(&self.protocol.procs) {
            if proc.body.statements.iter().any(|statement| self.returns(AnyNode::Statement(statement))) {
                self.holders.insert(Res::Proc(index));
            }
        }
    }

    /// Tests whether a statement may return a chosen map or set.
    fn returns(&self, node: AnyNode<'_>) -> bool {
        match node {
            AnyNode::Statement(Statement { kind: StatementKind::Return(Some(value)), .. }) => self.may_hold(value),
            _ => node.children().into_iter().any(|child| self.returns(child)),
        }
    }

    /// Adds the parameters that get a chosen map or set in a call of a function or proc.
    fn pass(&mut self, name: &Name, args: &[Expr]) {
        let params: &[Param<'_>] = match self.tables.resolution(name.id) {
            Some(Res::Function(index)) => &self.functions[index as usize].params,
            Some(Res::Proc(index)) => &self.protocol.procs[index as usize].params,
            _ => return,
        };
        let holding: Vec<&Name> =
            params.iter().zip(args).filter(|(_, arg)| self.may_hold(arg)).map(|(param, _)| param.name).collect();
        holding.into_iter().for_each(|name| self.hold(name));
    }

    fn flow(&mut self, node: AnyNode<'_>) {
        match node {
            AnyNode::Statement(statement) => match &statement.kind {
                StatementKind::Let { pattern, value, .. } => self.bind(pattern, value),
                StatementKind::Var { name, value, .. } if self.may_hold(value) => self.hold(name),
                StatementKind::Assign { place, value } if self.may_hold(value) => {
                    if let PlaceRoot::Name(name) = &place.root {
                        self.hold(name);
                    }
                }
                StatementKind::Match { subject, arms } => arms.iter().for_each(|arm| self.bind(&arm.pattern, subject)),
                StatementKind::For { binder, over, .. } => self.bind(binder, over),
                StatementKind::ProcCall { name, args } => self.pass(name, args),
                _ => {}
            },
            AnyNode::Expr(expr) => match &expr.kind {
                ExprKind::Is(value, pattern) => self.bind(pattern, value),
                ExprKind::Call { name, args } => self.pass(name, args),
                ExprKind::Let { bindings, .. } => {
                    bindings.iter().for_each(|(pattern, value)| self.bind(pattern, value));
                }
                ExprKind::Match { subject, arms } => arms.iter().for_each(|arm| self.bind(&arm.pattern, subject)),
                _ => {}
            },
            _ => {}
        }
        node.children().into_iter().for_each(|child| self.flow(child));
    }

    fn bind(&mut self, pattern: &Pattern, value: &Expr) {
        if self.may_hold(value) {
            pattern.names().into_iter().for_each(|name| self.hold(name));
        }
    }

    fn hold(&mut self, name: &Name) {
        self.holders.extend(self.tables.resolution(name.id));
    }

    /// Tests whether the value of an expression may be or contain a chosen map or set.
    fn may_hold(&self, expr: &Expr) -> bool {
        if !self.types.holds_maps(self.tables.type_of(expr.id)) {
            return false;
        }
        match &expr.kind {
            ExprKind::Choose(_) | ExprKind::ChooseWhere { .. } | ExprKind::Record { rest: Rest::Choose(..), .. } => {
                true
            }
            ExprKind::Name(name) => self.is_holder(name),
            ExprKind::Call { name, .. } if self.is_called(name) => self.is_holder(name),
            ExprKind::Let { body, .. } => self.may_hold(body),
            ExprKind::Match { arms, .. } => arms.iter().any(|arm| self.may_hold(&arm.body)),
            // The keys of a comprehension's result are known, so only its elements or values count.
            ExprKind::SetComprehension { element, .. } => self.may_hold(element),
            ExprKind::MapComprehension { value, .. } => self.may_hold(value),
            _ => AnyNode::Expr(expr).children().into_iter().any(|child| match child {
                AnyNode::Expr(part) => self.may_hold(part),
                _ => false,
            }),
        }
    }

    fn is_holder(&self, name: &Name) -> bool {
        self.tables.resolution(name.id).is_some_and(|res| self.holders.contains(&res))
    }

    fn is_called(&self, name: &Name) -> bool {
        matches!(self.tables.resolution(name.id), Some(Res::Function(_) | Res::Proc(_)))
    }

    /// Tests whether an expression is a map or set, and may be chosen.
    fn is_chosen(&self, expr: &Expr) -> bool {
        self.is_collection(self.tables.type_of(expr.id)) && self.may_hold(expr)
    }

    fn is_collection(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Set(_) | Type::Map(..))
    }

    /// Finds the places that count a chosen map or set.
    fn find(&self, node: AnyNode<'_>, found: &mut Vec<(Span, &'static str)>) {
        match node {
            AnyNode::Statement(statement) => {
                if let StatementKind::For { over, .. } = &statement.kind {
                    self.iterated(over, found);
                }
            }
            AnyNode::Expr(expr) => self.find_in(expr, found),
            _ => {}
        }
        node.children().into_iter().for_each(|child| self.find(child, found));
    }

    fn find_in(&self, expr: &Expr, found: &mut Vec<(Span, &'static str)>) {
        let resolves_to = |name: &Name, wanted: fn(Builtin) -> bool| matches!(self.tables.resolution(name.id), Some(Res::Builtin(builtin)) if wanted(builtin));
        match &expr.kind {
            ExprKind::Call { name, args } if resolves_to(name, |builtin| builtin == Builtin::Len) => {
                found.extend(args.iter().filter(|arg| self.is_chosen(arg)).map(|_| (expr.span, "counted")));
            }
            ExprKind::Method { receiver, name, .. }
                if resolves_to(name, Builtin::counts) && self.is_chosen(receiver) =>
            {
                found.push((expr.span, "counted"));
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) if self.may_hold(a) && self.may_hold(b) => {
                found.push((expr.span, "compared with another one"));
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if self.is_chosen(a) && self.is_chosen(b) => {
                found.push((expr.span, "combined with another one"));
            }
            ExprKind::Quantified { over, .. } => self.iterated(over, found),
            ExprKind::ListComprehension { clauses, .. }
            | ExprKind::SetComprehension { clauses, .. }
            | ExprKind::MapComprehension { clauses, .. } => {
                for clause in clauses {
                    if let Clause::For { over, .. } = clause {
                        self.iterated(over, found);
                    }
                }
            }
            _ => {}
        }
    }

    fn iterated(&self, over: &Expr, found: &mut Vec<(Span, &'static str)>) {
        if self.is_chosen(over) {
            found.push((over.span, "iterated"));
        }
    }
}

fn is_choice(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) => is_choice(inner),
        ExprKind::Choose(_) | ExprKind::ChooseWhere { .. } => true,
        _ => false,
    }
}
