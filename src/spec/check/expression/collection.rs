//! Lists, sets, maps and tuples: literals, comprehensions, indices, and the collections that can be iterated.
//!
//! `[x for x in s if x > 0]` iterates over lists and sortable sets and maps; `{k: v + 1 for (k, v) in m}` also over others.

use super::expected_type::needs_context;
use super::requirements::Need;
use crate::diagnostic::Span;
use crate::spec::check::context::{Checker, Want};
use crate::spec::check::infer::Origin;
use crate::spec::check::report::{helped, mistake};
use crate::spec::check::statement::pattern::binder;
use crate::spec::types::{ERROR, INT, Type, TypeId};
use crate::syntax::ast::{Clause, Expr, ExprKind, GatheredKind, GatheredPart};

/// The collections that a construct can iterate over, with the construct's text for reports, and the elements that it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ElementSources {
    /// Lists, and sortable sets and maps; the elements of a map are its pairs.
    InOrder(&'static str),
    /// Lists, sets and maps, in any order; the elements of a map are its pairs.
    AnyOrder(&'static str),
    /// Lists and sets, of which one element is needed.
    Elements(&'static str),
}

/// A kind of collection with elements of one type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CollectionKind {
    of: fn(TypeId) -> Type,
    /// The reason that a report gives if the element type of an empty literal stays open.
    empty: Origin,
    /// The collections that its comprehension may iterate over.
    runs: ElementSources,
}

/// Lists.
pub(crate) const LIST: CollectionKind =
    CollectionKind { of: Type::List, empty: Origin::EmptyList, runs: ElementSources::InOrder("[…]") };
/// Sets.
pub(crate) const SET: CollectionKind =
    CollectionKind { of: Type::Set, empty: Origin::EmptyBraces, runs: ElementSources::AnyOrder("`{…}`") };

/// The element type of an iterated collection.
pub(crate) fn elements<'a>(cx: &mut Checker<'a>, over: &'a Expr, runs: ElementSources) -> TypeId {
    let ty = cx.synthesize(over);
    let head = cx.head_now(ty, over.span, "a list");
    if let (Type::Set(key) | Type::Map(key, _), ElementSources::InOrder(by)) = (&head, runs) {
        cx.need(*key, over.span, Need::sortable(by));
    }
    let (what, expected, help) = match (head, runs) {
        (Type::List(of) | Type::Set(of), _) => return of,
        (Type::Error, _) => return ERROR,
        (Type::Map(key, value), ElementSources::InOrder(_) | ElementSources::AnyOrder(_)) => {
            return cx.build(Type::Tuple(vec![key, value]));
        }
        (Type::Map(..), ElementSources::Elements(what)) => {
            (what.into(), "expected a list or a set", Some("`m.keys()` is the set of the keys of a map"))
        }
        (_, ElementSources::InOrder(by)) => (format!("`{by}`"), "expected a list, a set or a map", None),
        (_, ElementSources::AnyOrder(what)) => (what.into(), "expected a list, a set or a map", None),
        (_, ElementSources::Elements(what)) => (what.into(), "expected a list or a set", None),
    };
    let message = format!("{what} cannot iterate over {}", cx.show(ty));
    cx.report(helped(mistake(over.span, message, expected), help));
    ERROR
}

/// `(a, b)`
pub(crate) fn tuple<'a>(cx: &mut Checker<'a>, parts: &'a [Expr], want: Want) -> TypeId {
    let wanted = match cx.head(want.ty) {
        Some(Type::Tuple(of)) if of.len() == parts.len() => of,
        _ => parts.iter().map(|part| cx.fresh(part.span)).collect(),
    };
    for (part, &ty) in parts.iter().zip(&wanted) {
        cx.check(part, Want { ty, ..want });
    }
    cx.build(Type::Tuple(wanted))
}

/// The element type of a collection of this kind, as far as the context wants one.
fn wanted_element(cx: &mut Checker, kind: CollectionKind, want: Want, origin: Origin, span: Span) -> TypeId {
    match cx.head(want.ty) {
        Some(Type::List(of) | Type::Set(of)) if cx.head(want.ty) == Some((kind.of)(of)) => of,
        _ => cx.infer.fresh(origin, span),
    }
}

/// `[a, b]` and `{a, b}`
pub(crate) fn literal<'a>(
    cx: &mut Checker<'a>,
    kind: CollectionKind,
    elements: &'a [Expr],
    span: Span,
    want: Want,
) -> TypeId {
    let of = wanted_element(cx, kind, want, kind.empty, span);
    cx.same_type(elements, Want::of(of));
    cx.build((kind.of)(of))
}

/// `[e for x in l if p]` and `{e for x in l if p}`
pub(crate) fn comprehension<'a>(
    cx: &mut Checker<'a>,
    kind: CollectionKind,
    element: &'a Expr,
    clauses: &'a [Clause],
    want: Want,
) -> TypeId {
    cx.scoped(|cx| {
        self::clauses(cx, clauses, kind.runs);
        let of = wanted_element(cx, kind, want, Origin::Context, element.span);
        cx.check(element, Want::of(of));
        cx.build((kind.of)(of))
    })
}

/// The types of keys and values, as far as the context wants them.
fn wanted_map(cx: &mut Checker, span: Span, want: Want) -> (TypeId, TypeId) {
    match cx.head(want.ty) {
        Some(Type::Map(key, value)) => (key, value),
        _ => (cx.fresh(span), cx.fresh(span)),
    }
}

/// `{k: v, ..}`
pub(crate) fn map<'a>(cx: &mut Checker<'a>, entries: &'a [(Expr, Expr)], span: Span, want: Want) -> TypeId {
    let (key, value) = wanted_map(cx, span, want);
    cx.same_type(entries.iter().map(|entry| &entry.0), Want::of(key));
    cx.same_type(entries.iter().map(|entry| &entry.1), Want::of(value));
    cx.build(Type::Map(key, value))
}

/// `{k: v for x in l if p}`
pub(crate) fn map_comprehension<'a>(
    cx: &mut Checker<'a>,
    key: &'a Expr,
    value: &'a Expr,
    clauses: &'a [Clause],
    span: Span,
    want: Want,
) -> TypeId {
    cx.scoped(|cx| {
        self::clauses(cx, clauses, SET.runs);
        let (keys, values) = wanted_map(cx, span, want);
        cx.check(key, Want::of(keys));
        cx.check(value, Want::of(values));
        cx.build(Type::Map(keys, values))
    })
}

/// `[a, b if p]`, `{a, b if p}` and `{k: v, l: w if p}`
pub(crate) fn gathered<'a>(
    cx: &mut Checker<'a>,
    of: GatheredKind,
    parts: &'a [GatheredPart],
    span: Span,
    want: Want,
) -> TypeId {
    let kind = if of == GatheredKind::List { LIST } else { SET };
    let (element, value) = match of {
        GatheredKind::List | GatheredKind::Set => {
            let element = wanted_element(cx, kind, want, kind.empty, span);
            (element, element)
        }
        GatheredKind::Map => wanted_map(cx, span, want),
    };
    let parts = parts.iter().map(|part| (&part.element, part));
    cx.alternatives(parts, Want::of(element), |cx, element, part, want| {
        cx.scoped(|cx| {
            clauses(cx, &part.clauses, kind.runs);
            if let Some(own) = &part.value {
                cx.check(own, Want::of(value));
            }
            cx.check(element, want)
        })
    });
    cx.build(if of == GatheredKind::Map { Type::Map(element, value) } else { (kind.of)(element) })
}

/// Checks the clauses of a comprehension; the names that they bind stay visible.
pub(crate) fn clauses<'a>(cx: &mut Checker<'a>, clauses: &'a [Clause], runs: ElementSources) {
    for clause in clauses {
        match clause {
            Clause::For { binder: element, over } => {
                let ty = elements(cx, over, runs);
                binder(cx, element, ty);
            }
            Clause::If(condition) => cx.condition(condition),
        }
    }
}

/// `e[i]` and `e[i..j]`
pub(crate) fn index<'a>(cx: &mut Checker<'a>, base: &'a Expr, index: &'a Expr, want: Want) -> TypeId {
    if !matches!(index.kind, ExprKind::Range(..)) {
        let ty = cx.synthesize(base);
        return indexed(cx, ty, base.span, index);
    }
    // A slice has the type of its base, so the type that is wanted of the slice is wanted of a base that needs context.
    let sliceable = |head: &Type| matches!(head, Type::List(_) | Type::Str | Type::Bytes);
    let wanted = needs_context(base) && cx.head(want.ty).is_some_and(|head| sliceable(&head));
    let ty = if wanted { cx.check(base, want) } else { cx.synthesize(base) };
    cx.synthesize(index);
    let head = cx.head_now(ty, base.span, "a list, `string` or `bytes`");
    if !sliceable(&head) && head != Type::Error {
        let message = format!("{} cannot be sliced", cx.show(ty));
        cx.error(base.span, message, "expected a list, `string` or `bytes`");
    }
    ty
}

/// The type of `base[index]`; checks the index.
pub(crate) fn indexed<'a>(cx: &mut Checker<'a>, base: TypeId, span: Span, index: &'a Expr) -> TypeId {
    match cx.head_now(base, span, "a list or a map") {
        Type::List(of) => {
            cx.check(index, Want::since(INT, span, "a list is indexed by `int`"));
            of
        }
        Type::Map(key, value) => {
            cx.check(index, Want::since(key, span, "the key type of this map"));
            value
        }
        head => {
            cx.synthesize(index);
            if head != Type::Error {
                let report = mistake(span, format!("{} cannot be indexed", cx.show(base)), "expected a list or a map");
                let text = matches!(head, Type::Str | Type::Bytes).then_some("a slice is written `s[i..j]`");
                cx.report(helped(report, text));
            }
            ERROR
        }
    }
}
