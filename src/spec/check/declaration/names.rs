//! The names that files declare, shared by all files of a load, and the members of the protocol that is being checked. Types, values and
//! specifications have separate name spaces.
//!
//! `token Tag;` and `fn Tag(..)` may be declared together, two `struct Tag` may not.

use crate::diagnostic::{Diagnostic, Span};
use crate::spec::check::checked::Res;
use crate::spec::check::report::mistake;
use crate::spec::types::{BOOL, BYTES, CLIENT, INT, JSON, STRING, TypeId};
use crate::syntax::ast::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared<T> {
    pub(crate) what: T,
    pub(crate) span: Span,
}

/// The names of one space.
pub(crate) type Space<'a, T> = FxHashMap<&'a str, Declared<T>>;

/// All declared names.
#[derive(Default, Debug)]
pub(crate) struct Names<'a> {
    /// Structs, enums, tokens and aliases.
    pub(crate) types: Space<'a, TypeId>,
    /// Constants and functions.
    pub(crate) values: Space<'a, Res>,
    /// Machines and protocols.
    pub(crate) specs: Space<'a, ()>,
    /// The enums that have a variant of that name, each with the index of the variant.
    pub(crate) variants: FxHashMap<&'a str, Vec<(TypeId, u32)>>,
}

impl Names<'_> {
    /// The struct, enum, token or alias of that name.
    pub(crate) fn ty(&self, name: &str) -> Option<TypeId> {
        self.types.get(name).map(|declared| declared.what)
    }

    /// The type that this declaration introduced; none if an earlier declaration took the name.
    pub(crate) fn own_type(&self, name: &Name) -> Option<TypeId> {
        self.types.get(name.text.as_str()).filter(|declared| declared.span == name.span).map(|declared| declared.what)
    }
}

/// A proc: its number, the types of its parameters, and the type of the value that it returns, if any.
#[derive(Clone, Debug)]
pub(crate) struct ProcType {
    pub(crate) number: u32,
    pub(crate) params: Vec<TypeId>,
    pub(crate) result: Option<TypeId>,
}

/// A peer: its number, and the types of its key, of requests and of responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerType {
    pub(crate) number: u32,
    pub(crate) key: Option<TypeId>,
    pub(crate) request: TypeId,
    pub(crate) response: TypeId,
}

/// The members of a protocol, by name, and which of them are used.
#[derive(Default, Debug)]
pub(crate) struct Members<'a> {
    /// The variables: numbers and types.
    pub(crate) vars: Space<'a, (u32, TypeId)>,
    /// The procs.
    pub(crate) procs: Space<'a, ProcType>,
    /// The peers.
    pub(crate) peers: Space<'a, PeerType>,
    /// The variables that are read somewhere.
    pub(crate) vars_read: FxHashSet<u32>,
    /// The procs that are called somewhere.
    pub(crate) procs_run: FxHashSet<u32>,
}

/// The words that name a basic type, or build a type from types in angle brackets.
pub(crate) const BASIC_TYPES: [(&str, Option<TypeId>); 10] = [
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
pub(crate) fn declare_in<'a, T>(space: &mut Space<'a, T>, name: &'a Name, what: T) -> Result<(), Diagnostic> {
    if let Some(first) = space.get(name.text.as_str()) {
        let report = mistake(name.span, format!("`{}` is declared twice", name.text), "expected another name");
        return Err(report.also(first.span, "it is declared here"));
    }
    space.insert(&name.text, Declared { what, span: name.span });
    Ok(())
}
