//! The names that files declare: types, values and specifications, three spaces that do not meet, shared by all files of
//! a load; and the members of the protocol that is being checked.
//!
//! `token Tag;` and `fn Tag(..)` may stand together, two `struct Tag` may not.

use super::checked::Res;
use super::report::mistake;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::types::{BOOL, BYTES, CLIENT, INT, JSON, STRING, TypeId};
use crate::syntax::ast::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<T> {
    pub(super) what: T,
    pub(super) span: Span,
}

/// The names of one space.
pub(super) type Space<'a, T> = FxHashMap<&'a str, Declared<T>>;

/// All declared names.
#[derive(Default, Debug)]
pub(super) struct Names<'a> {
    /// Structs, enums, tokens and aliases.
    pub(super) types: Space<'a, TypeId>,
    /// Constants and functions.
    pub(super) values: Space<'a, Res>,
    /// Machines and protocols.
    pub(super) specs: Space<'a, ()>,
    /// The enums (by type) that have a variant of that name, with its index.
    pub(super) variants: FxHashMap<&'a str, Vec<(TypeId, u32)>>,
}

impl Names<'_> {
    /// The struct, enum, token or alias of that name.
    pub(super) fn ty(&self, name: &str) -> Option<TypeId> {
        self.types.get(name).map(|declared| declared.what)
    }

    /// The type that this very name declares (not one that declared the same name before).
    pub(super) fn own_type(&self, name: &Name) -> Option<TypeId> {
        self.types.get(name.text.as_str()).filter(|declared| declared.span == name.span).map(|declared| declared.what)
    }
}

/// A proc: its number, the types of its parameters, and that of its value, if it returns one.
#[derive(Clone, Debug)]
pub(super) struct ProcType {
    pub(super) number: u32,
    pub(super) params: Vec<TypeId>,
    pub(super) result: Option<TypeId>,
}

/// A peer: its number, and the types of its key, of requests and of responses.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerType {
    pub(super) number: u32,
    pub(super) key: Option<TypeId>,
    pub(super) request: TypeId,
    pub(super) response: TypeId,
}

/// The members of a protocol, by name, and which of them are used.
#[derive(Default, Debug)]
pub(super) struct Members<'a> {
    /// The variables: numbers and types.
    pub(super) vars: Space<'a, (u32, TypeId)>,
    /// The procs.
    pub(super) procs: Space<'a, ProcType>,
    /// The peers.
    pub(super) peers: Space<'a, PeerType>,
    /// The variables that something reads.
    pub(super) vars_read: FxHashSet<u32>,
    /// The procs that something runs.
    pub(super) procs_run: FxHashSet<u32>,
}

/// The words that name a basic type, or with types in angle brackets build one.
pub(super) const BASIC_TYPES: [(&str, Option<TypeId>); 10] = [
    ("int", Some(INT)),
    ("bool", Some(BOOL)),
    ("string", Some(STRING)),
    ("bytes", Some(BYTES)),
    ("client", Some(CLIENT)),
    ("json", Some(JSON)),
    ("option", None),
    ("list", None),
    ("set", None),
    ("map", None),
];

/// Declares a name in its space; a second declaration is an error and changes nothing.
pub(super) fn declare_in<'a, T>(space: &mut Space<'a, T>, name: &'a Name, what: T) -> Result<(), Diagnostic> {
    if let Some(first) = space.get(name.text.as_str()) {
        let report = mistake(name.span, format!("`{}` is declared twice", name.text), "expected another name");
        return Err(report.also(first.span, "it is declared here"));
    }
    space.insert(&name.text, Declared { what, span: name.span });
    Ok(())
}
