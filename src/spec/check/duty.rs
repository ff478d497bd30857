//! Checks of patterns that are made once all types are known: matches should be exhaustive and without dead arms, `let`
//! and its like must always fit, some request should not be left without a handler.
//!
//! `match o { None => 0 }` lacks `Some(_)`, and `let Some(x) = o;` is an error.

use super::checked::{Protocol, Res};
use super::context::Checker;
use super::useful::{Constructor, Row, Search};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{ERROR, TypeId};
use crate::syntax::ast::{Arm, Expr, FieldPattern, Name, NodeId, Pattern, PatternKind, Trigger};

/// The values that a row takes, of those that its pattern fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taking {
    All,
    /// The values that its guard lets through.
    Some,
}

/// Something to look at when all types are known.
#[derive(Clone, Debug)]
pub(super) enum Duty<'a> {
    /// The arms of a `match` on the node.
    Arms { subject: NodeId, span: Span, rows: Vec<(&'a Pattern, Taking)> },
    /// The handlers of a protocol.
    Handlers { protocol: &'a Name, request: TypeId, rows: Vec<(&'a Pattern, Taking)> },
    /// A pattern of `let`, `for`, a quantifier or a comprehension.
    AlwaysFits(&'a Pattern),
    /// The pattern of `is`.
    Is(&'a Pattern),
}

/// The largest number of missing values that are shown as examples.
const EXAMPLES: usize = 3;
/// The largest pattern that is looked at.
const LARGEST_PATTERN: usize = 500;

impl<'a> Duty<'a> {
    pub(super) fn arms<Body>(subject: NodeId, span: Span, arms: &'a [Arm<Body>]) -> Duty<'a> {
        let rows = arms.iter().map(|arm| (&arm.pattern, taking(arm.guard.as_ref()))).collect();
        Duty::Arms { subject, span, rows }
    }

    pub(super) fn handlers(protocol: &Protocol<'a>) -> Duty<'a> {
        let rows = protocol.handlers.iter().filter_map(|handler| match handler.trigger {
            Trigger::Request(pattern) => Some((pattern, taking(handler.guard))),
            Trigger::Open(_) | Trigger::Close(_) => None,
        });
        Duty::Handlers { protocol: protocol.name, request: protocol.request, rows: rows.collect() }
    }

    /// Tests whether it is an error not to fulfil the duty; else it is a warning.
    pub(super) fn is_error(&self) -> bool {
        matches!(self, Duty::AlwaysFits(_))
    }
}

fn taking(guard: Option<&Expr>) -> Taking {
    if guard.is_some() { Taking::Some } else { Taking::All }
}

impl Checker<'_> {
    /// Reports all duties that are not fulfilled.
    pub(super) fn fulfil_duties(&mut self) {
        for duty in std::mem::take(&mut self.duties) {
            match duty {
                Duty::Arms { subject, span, rows } => self.arms(self.tables.type_of(subject), span, &rows),
                Duty::Handlers { protocol, request, rows } => self.handlers(protocol, request, &rows),
                Duty::AlwaysFits(pattern) => self.always_fits(pattern),
                Duty::Is(pattern) => self.is_needed(pattern),
            }
        }
    }

    fn arms(&mut self, ty: TypeId, span: Span, patterns: &[(&Pattern, Taking)]) {
        let Some(rows) = self.rows(patterns) else { return };
        self.dead_rows(ty, patterns, &rows, "arm");
        let sure = patterns.iter().zip(&rows).filter(|((_, taking), _)| *taking == Taking::All);
        let sure: Vec<&Row> = sure.map(|(_, row)| row).collect();
        let missing = self.examples(ty, &sure);
        if !missing.is_empty() {
            let report = Diagnostic::warning(span, format!("this `match` has no arm for {}", missing.join(", ")));
            let report = report.label("a value that no arm matches is a fault");
            let guarded = sure.len() < rows.len();
            self.report(if guarded {
                report.help("an arm with `if` may skip what its pattern matches")
            } else {
                report
            });
        }
    }

    fn handlers(&mut self, protocol: &Name, ty: TypeId, patterns: &[(&Pattern, Taking)]) {
        let Some(rows) = self.rows(patterns) else { return };
        self.dead_rows(ty, patterns, &rows, "handler");
        let missing = self.examples(ty, &rows.iter().collect::<Vec<_>>());
        if !missing.is_empty() {
            let message = match rows.len() {
                0 => format!("the protocol `{}` accepts no requests", protocol.text),
                _ => format!("no handler accepts {}", missing.join(", ")),
            };
            let report = Diagnostic::warning(protocol.span, message);
            self.report(report.label("a trace with such a request is outside the specification"));
        }
    }

    /// Rows that only fit what rows before them take.
    fn dead_rows(&mut self, ty: TypeId, patterns: &[(&Pattern, Taking)], rows: &[Row], what: &str) {
        let mut before: Vec<&Row> = Vec::new();
        for (&(pattern, taking), row) in patterns.iter().zip(rows) {
            if matches!(Search::new(&self.types).useful(&before, row, ty), Ok(false)) {
                let report = Diagnostic::warning(pattern.span, format!("this {what} is never reached"));
                self.report(report.label("the ones before it match everything that it matches"));
            } else if taking == Taking::All {
                before.push(row);
            }
        }
    }

    /// Up to [`EXAMPLES`] values that no row fits.
    fn examples(&self, ty: TypeId, rows: &[&Row]) -> Vec<String> {
        let mut found: Vec<Row> = Vec::new();
        while found.len() < EXAMPLES {
            let all: Vec<&Row> = rows.iter().copied().chain(&found).collect();
            match Search::new(&self.types).missing(&all, ty) {
                Ok(Some(row)) => found.push(row),
                Ok(None) | Err(_) => break,
            }
        }
        found.iter().map(|row| format!("`{}`", Search::new(&self.types).show(row, ty))).collect()
    }

    fn always_fits(&mut self, pattern: &Pattern) {
        let ty = self.tables.type_of(pattern.id);
        let Some(row) = self.row(pattern) else { return };
        if let Some(example) = self.examples(ty, &[&row]).first() {
            let example = if example == "`_`" { "every value" } else { example };
            let report = Diagnostic::error(pattern.span, format!("this pattern does not match {example}"));
            let report = report.label("expected a pattern that always matches");
            self.report(report.help("destructure the value with `match`, or with `is` in a condition"));
        }
    }

    fn is_needed(&mut self, pattern: &Pattern) {
        let ty = self.tables.type_of(pattern.id);
        let Some(row) = self.row(pattern) else { return };
        let binds = self.binds(pattern);
        if !binds && matches!(Search::new(&self.types).missing(&[&row], ty), Ok(None)) {
            let report = Diagnostic::warning(pattern.span, "this `is` is always true");
            self.report(report.label("the pattern matches every value"));
        }
    }

    fn rows(&self, patterns: &[(&Pattern, Taking)]) -> Option<Vec<Row>> {
        patterns.iter().map(|(pattern, _)| self.row(pattern)).collect()
    }

    /// The pattern without names; none if it is too large or has errors.
    fn row(&self, pattern: &Pattern) -> Option<Row> {
        let mut left = LARGEST_PATTERN;
        self.simplify(pattern, &mut left)
    }

    fn simplify(&self, pattern: &Pattern, left: &mut usize) -> Option<Row> {
        *left = left.checked_sub(1)?;
        let ty = self.tables.type_of(pattern.id);
        if ty == ERROR {
            return None;
        }
        match &pattern.kind {
            PatternKind::Wildcard => Some(Row::Any),
            PatternKind::Name(name) => match self.tables.resolution(name.id)? {
                Res::Variant { index, .. } => Some(Row::Of(Constructor::Variant(index), Vec::new())),
                _ => Some(Row::Any),
            },
            PatternKind::Int(known) => Some(Row::Of(Constructor::Int(known.clone()), Vec::new())),
            PatternKind::Text(text) => Some(Row::Of(Constructor::Text(text.octets.clone()), Vec::new())),
            PatternKind::Bool(known) => Some(Row::Of(Constructor::Bool(*known), Vec::new())),
            PatternKind::Variant { name, args, .. } => {
                let Res::Variant { index, .. } = self.tables.resolution(name.id)? else { return None };
                Some(Row::Of(Constructor::Variant(index), self.simplify_all(args, left)?))
            }
            PatternKind::Record { name, fields, .. } => self.simplify_record(name, fields, ty, left),
            PatternKind::Tuple(parts) => match parts.as_slice() {
                [only] => self.simplify(only, left),
                _ => Some(Row::Of(Constructor::Only, self.simplify_all(parts, left)?)),
            },
            PatternKind::List { elements, rest } => {
                let end = if rest.is_some() { Row::Any } else { Row::Of(Constructor::Nil, Vec::new()) };
                let rows = self.simplify_all(elements, left)?;
                Some(rows.into_iter().rev().fold(end, |rest, row| Row::Of(Constructor::Cons, vec![row, rest])))
            }
            PatternKind::Or(all) => Some(Row::Or(self.simplify_all(all, left)?)),
            PatternKind::Error => None,
        }
    }

    fn simplify_all(&self, patterns: &[Pattern], left: &mut usize) -> Option<Vec<Row>> {
        patterns.iter().map(|pattern| self.simplify(pattern, left)).collect()
    }

    fn simplify_record(&self, name: &Name, fields: &[FieldPattern], ty: TypeId, left: &mut usize) -> Option<Row> {
        let (constructor, index) = match self.tables.resolution(name.id)? {
            Res::Variant { index, .. } => (Constructor::Variant(index), index),
            _ => (Constructor::Only, 0),
        };
        let count = self.types.fields(ty, index).len();
        *left = left.checked_sub(count)?;
        let mut parts = vec![Row::Any; count];
        for field in fields {
            let position = self.tables.field(field.name.id)? as usize;
            if let Some(pattern) = &field.pattern {
                *parts.get_mut(position)? = self.simplify(pattern, left)?;
            }
        }
        Some(Row::Of(constructor, parts))
    }

    /// Tests whether a pattern binds a name.
    fn binds(&self, pattern: &Pattern) -> bool {
        match &pattern.kind {
            PatternKind::Name(name) => matches!(self.tables.resolution(name.id), Some(Res::Local(_))),
            PatternKind::Variant { args: parts, .. } | PatternKind::Tuple(parts) | PatternKind::Or(parts) => {
                parts.iter().any(|part| self.binds(part))
            }
            PatternKind::Record { fields, .. } => {
                fields.iter().any(|field| field.pattern.as_ref().is_none_or(|pattern| self.binds(pattern)))
            }
            PatternKind::List { elements, rest } => {
                matches!(rest, Some(Some(_))) || elements.iter().any(|element| self.binds(element))
            }
            PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Text(_) => false,
            PatternKind::Bool(_) | PatternKind::Error => false,
        }
    }
}
