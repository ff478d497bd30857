//! Checks of patterns, made once all types are known. A `match` should be exhaustive and have no dead arms, a pattern of `let` must always
//! fit, and every request should have a handler.
//!
//! `match o { None => 0 }` lacks `Some(_)`, and `let Some(x) = o;` is an error.

use super::useful::{ANY, Constructor, GaveUp, Row, example, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::checked::{Protocol, Res, Tables};
use crate::spec::check::report::{helped, mistake};
use crate::spec::types::{ERROR, TypeId, Types};
use crate::syntax::ast::{Arm, Expr, Name, NodeId, Pattern, PatternKind, Trigger};

/// The part of the values that fit its pattern which a row takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PatternCoverage {
    All,
    /// The values that its guard lets through.
    Some,
}

/// A check to make once all types are known.
#[derive(Clone, Debug)]
pub(crate) enum PatternCheck<'a> {
    /// The arms of a `match` on the node.
    Arms { subject: NodeId, span: Span, rows: Vec<(&'a Pattern, PatternCoverage)> },
    /// The handlers of a protocol.
    Handlers { protocol: &'a Name, request: TypeId, rows: Vec<(&'a Pattern, PatternCoverage)> },
    /// A pattern of `let`, `for`, a quantifier or a comprehension.
    AlwaysFits(&'a Pattern),
    /// The pattern of `is`.
    Is(&'a Pattern),
}

/// The largest number of missing values that a report shows as examples, so that the message stays short.
const EXAMPLES: usize = 3;
/// The largest number of nodes of a pattern that is checked; a larger one gets no report.
const LARGEST_PATTERN: usize = 500;

impl<'a> PatternCheck<'a> {
    /// The check of a `match` that spans that place.
    pub(crate) fn arms<Body>(subject: &Expr, span: Span, arms: &'a [Arm<Body>]) -> PatternCheck<'a> {
        let rows = arms.iter().map(|arm| (&arm.pattern, taking(arm.guard.as_ref()))).collect();
        PatternCheck::Arms { subject: subject.id, span: Span { end: subject.span.end, ..span }, rows }
    }

    pub(crate) fn handlers(protocol: &Protocol<'a>) -> PatternCheck<'a> {
        let rows = protocol.handlers.iter().filter_map(|handler| match handler.trigger {
            Trigger::Request(pattern) => Some((pattern, taking(handler.guard))),
            Trigger::Open(_) | Trigger::Close(_) | Trigger::Restart(_) => None,
        });
        PatternCheck::Handlers { protocol: protocol.name, request: protocol.request, rows: rows.collect() }
    }

    /// Tests whether a violation is an error; otherwise it is a warning.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self, PatternCheck::AlwaysFits(_))
    }

    /// The reports of violations. Patterns that are too large or have errors get none. Notes the subject of a `match` if some arm without a
    /// guard fits every value.
    pub(crate) fn reports(&self, types: &Types, tables: &mut Tables) -> Vec<Diagnostic> {
        let typed = TypedPatterns { types, tables: &*tables };
        let reports = match self {
            PatternCheck::Arms { subject, span, rows } => {
                let found = typed.arms(tables.type_of(*subject), *span, rows);
                found.map(|(reports, is_exhaustive)| {
                    if is_exhaustive {
                        tables.set_exhaustive(*subject);
                    }
                    reports
                })
            }
            PatternCheck::Handlers { protocol, request, rows } => typed.handlers(protocol, *request, rows),
            PatternCheck::AlwaysFits(pattern) => typed.always_fits(pattern),
            PatternCheck::Is(pattern) => typed.is_needed(pattern),
        };
        reports.unwrap_or_default()
    }
}

fn taking(guard: Option<&Expr>) -> PatternCoverage {
    if guard.is_some() { PatternCoverage::Some } else { PatternCoverage::All }
}

/// The side on which a row approximates a pattern that rows cannot express, such as `[.., 5]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RowBound {
    /// The row fits no value that the pattern does not fit.
    Less,
    /// The row fits all values that the pattern fits.
    More,
}

/// Values that no row fits, as they are written in a specification.
struct Missing {
    /// Up to [`EXAMPLES`] of these values.
    examples: Vec<String>,
    /// False if the search for them gave up, so that there may be more.
    is_certain: bool,
}

/// The lookup of the types of patterns, once all are known.
#[derive(Clone, Copy)]
struct TypedPatterns<'t> {
    types: &'t Types,
    tables: &'t Tables,
}

impl TypedPatterns<'_> {
    /// The reports on arms, and whether every value fits some arm without a guard.
    fn arms(self, ty: TypeId, span: Span, patterns: &[(&Pattern, PatternCoverage)]) -> Option<(Vec<Diagnostic>, bool)> {
        let rows = self.rows(patterns, RowBound::Less)?;
        let mut reports = self.dead_rows(ty, patterns, &rows, "arm")?;
        let sure = patterns.iter().zip(&rows).filter(|((_, taking), _)| *taking == PatternCoverage::All);
        let sure: Vec<&Row> = sure.map(|(_, row)| row).collect();
        let Missing { examples: missing, is_certain } = self.missing(ty, &sure);
        if !missing.is_empty() {
            let report = Diagnostic::warning(span, format!("this `match` has no arm for {}", missing.join(", ")));
            let guarded = sure.len() < rows.len();
            let help = guarded.then_some("an arm with `if` may skip what its pattern matches");
            reports.push(helped(report.label("a value that no arm matches is a fault"), help));
        }
        Some((reports, missing.is_empty() && is_certain))
    }

    fn handlers(
        self,
        protocol: &Name,
        ty: TypeId,
        patterns: &[(&Pattern, PatternCoverage)],
    ) -> Option<Vec<Diagnostic>> {
        let rows = self.rows(patterns, RowBound::Less)?;
        let mut reports = self.dead_rows(ty, patterns, &rows, "handler")?;
        let missing = self.missing(ty, &rows.iter().collect::<Vec<_>>()).examples;
        if !missing.is_empty() {
            let message = match rows.len() {
                0 => format!("the protocol `{}` accepts no requests", protocol.text),
                _ => format!("no handler accepts {}", missing.join(", ")),
            };
            let report = Diagnostic::warning(protocol.span, message);
            reports.push(report.label("a trace with such a request is outside the specification"));
        }
        Some(reports)
    }

    /// Reports the rows whose values are all taken by earlier rows.
    fn dead_rows(
        self,
        ty: TypeId,
        patterns: &[(&Pattern, PatternCoverage)],
        rows: &[Row],
        what: &str,
    ) -> Option<Vec<Diagnostic>> {
        let mut before: Vec<&Row> = Vec::new();
        let mut reports = Vec::new();
        let fitting = self.rows(patterns, RowBound::More)?;
        for ((&(pattern, taking), row), fitting) in patterns.iter().zip(rows).zip(&fitting) {
            if matches!(example(self.types, &before, fitting, ty), Ok(None)) {
                let report = Diagnostic::warning(pattern.span, format!("this {what} is never reached"));
                reports.push(report.label("the ones before it match everything that it matches"));
            } else if taking == PatternCoverage::All {
                before.push(row);
            }
        }
        Some(reports)
    }

    /// The values that no row fits.
    fn missing(self, ty: TypeId, rows: &[&Row]) -> Missing {
        let (mut found, mut is_certain) = (Vec::new(), true);
        while found.len() < EXAMPLES {
            let all: Vec<&Row> = rows.iter().copied().chain(&found).collect();
            match example(self.types, &all, &ANY, ty) {
                Ok(Some(row)) => found.push(row),
                Ok(None) => break,
                Err(GaveUp) => {
                    is_certain = false;
                    break;
                }
            }
        }
        let examples = found.iter().map(|row| format!("`{}`", show(self.types, row, ty))).collect();
        Missing { examples, is_certain }
    }

    fn always_fits(self, pattern: &Pattern) -> Option<Vec<Diagnostic>> {
        let missing = self.missing(self.tables.type_of(pattern.id), &[&self.row(pattern, RowBound::Less)?]).examples;
        let example = missing.first()?;
        let example = if example == "`_`" { "every value" } else { example };
        let message = format!("this pattern does not match {example}");
        let report = mistake(pattern.span, message, "expected a pattern that always matches");
        Some(vec![report.help("destructure the value with `match`, or with `is` in a condition")])
    }

    fn is_needed(self, pattern: &Pattern) -> Option<Vec<Diagnostic>> {
        let ty = self.tables.type_of(pattern.id);
        let row = self.row(pattern, RowBound::Less)?;
        let always = !self.binds(pattern) && matches!(example(self.types, &[&row], &ANY, ty), Ok(None));
        let report = || Diagnostic::warning(pattern.span, "this `is` is always true");
        always.then(|| vec![report().label("the pattern matches every value")])
    }

    fn rows(self, patterns: &[(&Pattern, PatternCoverage)], bound: RowBound) -> Option<Vec<Row>> {
        patterns.iter().map(|(pattern, _)| self.row(pattern, bound)).collect()
    }

    /// The pattern as a row, without names; none if it is too large or has errors.
    fn row(self, pattern: &Pattern, bound: RowBound) -> Option<Row> {
        let mut left = LARGEST_PATTERN;
        self.simplify(pattern, bound, &mut left)
    }

    fn simplify(self, pattern: &Pattern, bound: RowBound, left: &mut usize) -> Option<Row> {
        *left = left.checked_sub(1)?;
        let ty = self.tables.type_of(pattern.id);
        if ty == ERROR {
            return None;
        }
        let mut all = |patterns: &[Pattern]| -> Option<Vec<Row>> {
            patterns.iter().map(|pattern| self.simplify(pattern, bound, left)).collect()
        };
        let (constructor, parts) = match &pattern.kind {
            PatternKind::Wildcard => return Some(Row::Any),
            PatternKind::Name(name) => match self.tables.resolution(name.id)? {
                Res::Variant { index, .. } => (Constructor::Variant(index), Vec::new()),
                _ => return Some(Row::Any),
            },
            PatternKind::Int(known) => (Constructor::Int(known.clone()), Vec::new()),
            PatternKind::Text(text) => (Constructor::Text(text.octets.clone()), Vec::new()),
            PatternKind::Bool(known) => (Constructor::Bool(*known), Vec::new()),
            PatternKind::Variant { name, args, .. } => match self.tables.resolution(name.id)? {
                Res::Variant { index, .. } => (Constructor::Variant(index), all(args)?),
                _ => return None,
            },
            PatternKind::Record { name, fields, .. } => {
                let (constructor, index) = match self.tables.resolution(name.id)? {
                    Res::Variant { index, .. } => (Constructor::Variant(index), index),
                    _ => (Constructor::Only, 0),
                };
                let mut parts = vec![Row::Any; self.types.fields(ty, index).len()];
                *left = left.checked_sub(parts.len())?;
                for field in fields {
                    let part = parts.get_mut(self.tables.field(field.name.id)? as usize)?;
                    if let Some(pattern) = &field.pattern {
                        *part = self.simplify(pattern, bound, left)?;
                    }
                }
                (constructor, parts)
            }
            PatternKind::Tuple(parts) => match parts.as_slice() {
                [only] => return self.simplify(only, bound, left),
                _ => (Constructor::Only, all(parts)?),
            },
            PatternKind::List { elements, rest, last } => {
                let end = if rest.is_some() { Row::Any } else { Row::Of(Constructor::Nil, Vec::new()) };
                let cons = |rest, row| Row::Of(Constructor::Cons, vec![row, rest]);
                // The last elements have no fixed place from the front, so only a bound can be given.
                let (first, last) = (all(elements)?, all(last)?);
                if bound == RowBound::Less && !last.iter().all(|row| matches!(row, Row::Any)) {
                    return Some(Row::Or(Vec::new()));
                }
                let places = first.into_iter().chain(last.into_iter().map(|_| Row::Any));
                return Some(places.rev().fold(end, cons));
            }
            PatternKind::Or(alternatives) => return Some(Row::Or(all(alternatives)?)),
            PatternKind::Error => return None,
        };
        Some(Row::Of(constructor, parts))
    }

    /// Tests whether a pattern binds a name.
    fn binds(self, pattern: &Pattern) -> bool {
        pattern.names().into_iter().any(|name| matches!(self.tables.resolution(name.id), Some(Res::Local(_))))
    }
}
