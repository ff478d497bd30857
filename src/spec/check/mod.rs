//! Name resolution, types and lints: the meaning of a specification, or all of its errors at once.
//!
//! [`check`] reads the trees of one load and fills [`Checked`]. Types are inferred bidirectionally. The receiver of a value determines the
//! type of `choose`, `{}`, `[]`, `None` and variants, else the other operand or alternative does, else an error asks for `let x: T`. A node
//! with an error has the type [`ERROR`](crate::spec::types::ERROR), which agrees with every other, so one mistake is reported once. For
//! example `reply NotFond;` is one error, which names `NotFound`.
//!
//! All items of a load share one scope. A variant may stand without its enum if the wanted type is known, or if only one enum has a variant
//! of that name.

mod checked;
mod context;
mod declaration;
mod expression;
mod foreign;
mod infer;
mod report;
mod statement;

pub use checked::{
    Builtin, Checked, Const, FunctionDef, Generate, Handler, Machine, Param, Peer, Proc, Protocol, Res, StepDef,
    Tables, VarDef,
};
pub(crate) use declaration::http::{tag_fields, tag_lists};

use super::order::components;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{File, ItemKind, Purity};
use context::{Checker, Want};

/// The completeness of the trees.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Completeness {
    /// The parser found no error.
    #[default]
    Complete,
    /// Parts are missing in the trees. Unknown and unused names are not reported, as the missing parts may declare or use them.
    Broken,
}

/// Checks all files of a load. The tables are complete if no diagnostic is an error.
#[must_use]
pub fn check(files: &[File], trees: Completeness) -> (Checked<'_>, Vec<Diagnostic>) {
    let mut cx = Checker::new(trees);
    declaration::declare(&mut cx, files);
    let const_order = values(&mut cx);
    for item in files.iter().flat_map(|file| &file.items) {
        cx.tables.set_span(item.id, item.span);
        match &item.kind {
            ItemKind::Machine { name, body } => declaration::machine::machine(&mut cx, name, body),
            ItemKind::Protocol { scheduling, name, members } => {
                declaration::protocol::protocol(&mut cx, *scheduling, name, members);
            }
            ItemKind::Use(_) | ItemKind::Const { .. } | ItemKind::Alias { .. } | ItemKind::Token(_) => {}
            ItemKind::Struct { .. } | ItemKind::Enum { .. } | ItemKind::Function { .. } => {}
        }
    }
    for duty in std::mem::take(&mut cx.duties) {
        duty.reports(&cx.types, &mut cx.tables).into_iter().for_each(|report| cx.report(report));
    }
    let mut reports = cx.reports;
    reports.sort_by_key(|report| {
        let place = report.primary.span;
        (place.file, place.start, place.end)
    });
    reports.dedup();
    let Checker { types, tables, consts, functions, machines, protocols, .. } = cx;
    (Checked { types, tables, consts, const_order, functions, machines, protocols }, reports)
}

/// Checks constants and functions; returns the constants, each after those that it needs.
fn values(cx: &mut Checker) -> Vec<u32> {
    let (consts, functions) = (cx.consts.clone(), cx.functions.clone());
    let mut needs = Vec::new();
    for item in &consts {
        let want = Want::since(item.ty, item.name.span, "the constant has this type");
        expression::choice::without_choices(cx, "a `const`", |cx| statement::body::item(cx, &[], item.value, want));
        needs.push(std::mem::take(&mut cx.uses));
    }
    for item in &functions {
        let want = Want::since(item.result, item.name.span, "the function has this result type");
        match item.purity {
            Purity::Fn => expression::choice::without_choices(cx, "a `fn`", |cx| {
                statement::body::item(cx, &item.params, item.body, want)
            }),
            Purity::Def => statement::body::item(cx, &item.params, item.body, want),
        }
        needs.push(std::mem::take(&mut cx.uses));
    }
    order_consts(cx, &needs)
}

fn order_consts(cx: &mut Checker, needs: &[Vec<usize>]) -> Vec<u32> {
    let mut sorted = Vec::new();
    for component in components(needs) {
        let consts = component.nodes.iter().copied().filter(|&node| node < cx.consts.len());
        let consts: Vec<usize> = consts.collect();
        if let (true, Some(&first)) = (component.cyclic, consts.first()) {
            let name = cx.consts[first].name;
            let message = format!("the value of the constant `{}` depends on itself", name.text);
            let report = report::mistake(name.span, message, "expected a value that does not depend on it");
            let others = consts[1..].iter().map(|&other| cx.consts[other].name.span);
            cx.report(others.fold(report, |report, span| report.also(span, "through this")));
        }
        sorted.extend(consts.into_iter().map(|index| index as u32));
    }
    sorted
}
