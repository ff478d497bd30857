//! The names that files declare: types, values and specifications, three spaces that do not meet, shared by all files of
//! a load; and what is near an unknown name.
//!
//! `token Tag;` and `fn Tag(..)` may stand together, two `struct Tag` may not.

use super::checked::Res;
use crate::diagnostic::{Span, suggest};
use crate::spec::types::TypeId;
use rustc_hash::FxHashMap;

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub(super) what: T,
    pub(super) span: Span,
}

/// The names of one space.
pub(super) type Space<'a, T> = FxHashMap<&'a str, Entry<T>>;

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
    /// The variables of the present protocol.
    pub(super) vars: Space<'a, (u32, TypeId)>,
    /// The procs of the present protocol.
    pub(super) procs: Space<'a, u32>,
    /// The peers of the present protocol.
    pub(super) peers: Space<'a, u32>,
}

/// The names of the basic types.
pub(super) const BASIC_TYPES: [&str; 11] =
    ["int", "bool", "string", "bytes", "client", "json", "option", "list", "set", "map", "token"];

/// The known name that is nearest to an unknown one, if one is near enough to be meant; the first in the alphabet of
/// equals. Of one letter nothing is near but its other case.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let short = name.chars().nth(1).is_none();
    let mut known: Vec<&str> = known.filter(|known| !short || known.eq_ignore_ascii_case(name)).collect();
    known.sort_unstable();
    suggest(name, known)
}
