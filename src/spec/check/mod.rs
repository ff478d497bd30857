//! Name resolution, types and lints: what a program means, or all that is wrong with it at once.
//!
//! [`check`] reads the trees of one load and fills [`Checked`]. Types are inferred bidirectionally: what receives a value
//! says the type of `choose`, `{}`, `[]`, `None` and variants, else the other operand or alternative, else an error asks
//! for `let x: T`. A node that is reported has the type [`ERROR`](crate::spec::types::ERROR), which agrees with every
//! other, so one mistake is reported once. For example `reply NotFond;` is one error, which names `NotFound`.
//!
//! All items of a load share one scope; unqualified variants may stand where the type is known, and elsewhere if one enum
//! only has a variant of that name.

mod call;
mod checked;
mod collection;
mod construct;
mod context;
mod declare;
mod denote;
mod duty;
mod effect;
mod expr;
mod flow;
mod foreign;
mod infer;
mod inhabited;
mod lint;
mod machine;
mod member;
mod names;
mod needy;
mod operator;
mod pattern;
mod record;
mod scope;
mod statement;
mod useful;

pub use checked::{
    Builtin, Checked, Const, Function, Handler, Machine, Param, Peer, Proc, Protocol, Res, Step, Tables, Var,
};

use super::order::components;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{File, ItemKind, Purity};
use context::{Body, Checker, Choices, Want};

/// The completeness of the trees: whether they are all that was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The parser found no error.
    Complete,
    /// Something is missing in the trees: what is unknown or unused may be there, so that is not reported.
    Broken,
}

/// Checks all files of a load. The tables are whole if no diagnostic is an error.
#[must_use]
pub fn check(files: &[File], reading: Reading) -> (Checked<'_>, Vec<Diagnostic>) {
    let mut checker = Checker::new(reading);
    checker.declare(files);
    let const_order = checker.values();
    for item in files.iter().flat_map(|file| &file.items) {
        checker.tables.set_span(item.id, item.span);
        match &item.kind {
            ItemKind::Machine { name, body } => checker.machine(name, body),
            ItemKind::Protocol { scheduling, name, members } => checker.protocol(*scheduling, name, members),
            ItemKind::Use(_) | ItemKind::Const { .. } | ItemKind::Alias { .. } | ItemKind::Token(_) => {}
            ItemKind::Struct { .. } | ItemKind::Enum { .. } | ItemKind::Function { .. } => {}
        }
    }
    checker.fulfil_duties();
    checker.finish(const_order)
}

impl<'a> Checker<'a> {
    /// Checks constants and functions; yields the constants in the order in which they need each other.
    fn values(&mut self) -> Vec<u32> {
        let (consts, functions) = (self.consts.clone(), self.functions.clone());
        let mut needs = Vec::new();
        for item in &consts {
            let want = Want::since(item.ty, item.name.span, "the constant has this type");
            self.expression_body(Body::Item, Choices::Forbidden("a `const`"), &[], item.value, want);
            needs.push(self.needs());
        }
        for item in &functions {
            let choices = match item.purity {
                Purity::Fn => Choices::Forbidden("a `fn`"),
                Purity::Def => Choices::Allowed,
            };
            let want = Want::since(item.result, item.name.span, "the function has this result type");
            self.expression_body(Body::Item, choices, &item.params, item.body, want);
            needs.push(self.needs());
        }
        self.order_consts(&needs)
    }

    /// The constants (then the functions) that the last body mentions, by number.
    fn needs(&mut self) -> Vec<usize> {
        let consts = self.consts.len();
        let number = |res| match res {
            Res::Const(index) => Some(index as usize),
            Res::Function(index) => Some(consts + index as usize),
            Res::Local(_) | Res::StateVar(_) | Res::Variant { .. } | Res::Struct(_) => None,
            Res::Proc(_) | Res::Peer(_) | Res::Builtin(_) => None,
        };
        std::mem::take(&mut self.uses).into_iter().filter_map(number).collect()
    }

    fn order_consts(&mut self, needs: &[Vec<usize>]) -> Vec<u32> {
        let mut sorted = Vec::new();
        for component in components(needs) {
            let consts = component.nodes.iter().copied().filter(|&node| node < self.consts.len());
            let consts: Vec<usize> = consts.collect();
            if let (true, Some(&first)) = (component.cyclic, consts.first()) {
                let name = self.consts[first].name;
                let report = Diagnostic::error(
                    name.span,
                    format!("the value of the constant `{}` depends on itself", name.text),
                );
                let others = consts[1..].iter().map(|&other| self.consts[other].name.span);
                let report = others.fold(report, |report, span| report.also(span, "through this"));
                self.report(report.label("expected a value that does not depend on it"));
            }
            sorted.extend(consts.into_iter().map(|index| index as u32));
        }
        sorted
    }

    fn finish(mut self, const_order: Vec<u32>) -> (Checked<'a>, Vec<Diagnostic>) {
        let place =
            |report: &Diagnostic| (report.primary.span.file, report.primary.span.start, report.primary.span.end);
        self.reports.sort_by_key(place);
        self.reports.dedup();
        let checked = Checked {
            types: self.types,
            tables: self.tables,
            consts: self.consts,
            const_order,
            functions: self.functions,
            machines: self.machines,
            protocols: self.protocols,
        };
        (checked, self.reports)
    }
}
