//! Written types resolved to types: names are looked up, aliases disappear.
//!
//! With `type Key = string;` the written `map<Key, int>` denotes `map<string, int>`.

use super::names::BASIC_TYPES;
use crate::spec::check::context::Checker;
use crate::spec::check::foreign;
use crate::spec::check::report::{did_you_mean, helped, mistake};
use crate::spec::types::{ERROR, Type, TypeId};
use crate::syntax::ast::{Name, TypeExpr, TypeKind};

/// The type that a type expression denotes.
pub(crate) fn denote(cx: &mut Checker, written: &TypeExpr) -> TypeId {
    let ty = match &written.kind {
        TypeKind::Name(name) => named_type(cx, name),
        TypeKind::Error => ERROR,
        TypeKind::Option(of) => denote_as(cx, &[of], |of| Type::Option(of[0])),
        TypeKind::List(of) => denote_as(cx, &[of], |of| Type::List(of[0])),
        TypeKind::Set(of) => denote_as(cx, &[of], |of| Type::Set(of[0])),
        TypeKind::Map(key, value) => denote_as(cx, &[key, value], |of| Type::Map(of[0], of[1])),
        TypeKind::Tuple(of) => denote_as(cx, &of.iter().collect::<Vec<_>>(), Type::Tuple),
    };
    let ty = cx.check_depth(ty, written.span);
    cx.record(written.id, written.span, ty);
    ty
}

fn denote_as(cx: &mut Checker, parts: &[&TypeExpr], whole: impl FnOnce(Vec<TypeId>) -> Type) -> TypeId {
    let parts = parts.iter().map(|part| denote(cx, part)).collect();
    cx.types.intern(whole(parts))
}

fn named_type(cx: &mut Checker, name: &Name) -> TypeId {
    let basic = BASIC_TYPES.iter().find(|(basic, _)| *basic == name.text).and_then(|(_, ty)| *ty);
    if let Some(ty) = basic.or_else(|| cx.names.ty(&name.text)) {
        return ty;
    }
    let help = match &*name.text {
        "option" | "list" | "set" => Some(format!("it takes a type: `{}<T>`", name.text)),
        "map" => Some("it takes two types: `map<K, V>`".into()),
        text => {
            let basic = BASIC_TYPES.iter().map(|(basic, _)| *basic).chain(["token"]);
            let near = did_you_mean(text, cx.names.types.keys().copied().chain(basic));
            near.or_else(|| foreign::ty(text).map(str::to_owned))
        }
    };
    let report = mistake(name.span, format!("there is no type `{}`", name.text), "expected a type");
    cx.report_missing(helped(report, help));
    ERROR
}
