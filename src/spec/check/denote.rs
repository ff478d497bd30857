//! Written types to types: names are looked up, aliases disappear.
//!
//! With `type Key = string;` the written `map<Key, int>` denotes `map<string, int>`.

use super::context::Checker;
use super::names::{BASIC_TYPES, nearest};
use crate::diagnostic::Diagnostic;
use crate::spec::types::{BOOL, BYTES, CLIENT, ERROR, INT, JSON, STRING, Type, TypeId};
use crate::syntax::ast::{Name, TypeExpr, TypeKind};

/// The basic type of that name.
pub(super) fn basic_type(name: &str) -> Option<TypeId> {
    match name {
        "int" => Some(INT),
        "bool" => Some(BOOL),
        "string" => Some(STRING),
        "bytes" => Some(BYTES),
        "client" => Some(CLIENT),
        "json" => Some(JSON),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// The type that is written.
    pub(super) fn denote(&mut self, written: &'a TypeExpr) -> TypeId {
        let ty = match &written.kind {
            TypeKind::Name(name) => self.named_type(name),
            TypeKind::Error => ERROR,
            structural => {
                let ty = self.structure(structural);
                self.types.intern(ty)
            }
        };
        let ty = self.check_depth(ty, written.span);
        self.record(written.id, written.span, ty);
        ty
    }

    fn structure(&mut self, written: &'a TypeKind) -> Type {
        match written {
            TypeKind::Name(_) | TypeKind::Error => Type::Error,
            TypeKind::Option(of) => Type::Option(self.denote(of)),
            TypeKind::List(of) => Type::List(self.denote(of)),
            TypeKind::Set(of) => Type::Set(self.denote(of)),
            TypeKind::Map(key, value) => Type::Map(self.denote(key), self.denote(value)),
            TypeKind::Tuple(of) => Type::Tuple(of.iter().map(|part| self.denote(part)).collect()),
        }
    }

    fn named_type(&mut self, name: &'a Name) -> TypeId {
        if let Some(ty) = basic_type(&name.text) {
            return ty;
        }
        if let Some(entry) = self.names.types.get(name.text.as_str()) {
            return entry.what;
        }
        let report = Diagnostic::error(name.span, format!("there is no type `{}`", name.text));
        let report = report.label("expected a type");
        let report = match &*name.text {
            "option" | "list" | "set" => report.help(format!("it takes a type: `{}<T>`", name.text)),
            "map" => report.help("it takes two types: `map<K, V>`"),
            text => {
                let near = nearest(text, self.names.types.keys().copied().chain(BASIC_TYPES));
                let near = near.map(|near| format!("did you mean `{near}`?"));
                match near.or_else(|| super::foreign::ty(text).map(str::to_owned)) {
                    Some(help) => report.help(help),
                    None => report,
                }
            }
        };
        self.report_missing(report);
        ERROR
    }
}
