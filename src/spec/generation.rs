//! The checked form of a `generate` block: what tests draw for requests, and how often. It changes no verdict.
//!
//! `generate { Put: 5; Put.key: ["a", "b"]; len(Put.body): 0..4096; }` has a weight, the values of a field, and lengths. The lists
//! are expressions: [`Spec::listing`](super::Spec::listing) is the specification that computes them.

use super::types::{Type, TypeId, Types};

/// The greatest weight of a variant.
pub const MOST_WEIGHT: u64 = 1_000;
/// The greatest length that may be listed.
pub const MOST_LENGTH: i64 = 1 << 24;

/// The checked form of a `generate` block.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Generation {
    /// The weights of variants: the enum, the number of the variant, and its weight.
    pub weights: Vec<(TypeId, u32, u64)>,
    /// The lists, in the order of the variables that hold them.
    pub lists: Vec<GenerationList>,
}

/// A list of values, or of lengths of values, for a place.
#[derive(Clone, PartialEq, Debug)]
pub struct GenerationList {
    /// The place.
    pub place: GenerationPlace,
    /// The things that are listed.
    pub of: ListOf,
    /// The form in which they are listed.
    pub form: ListForm,
}

/// The places whose values are listed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GenerationPlace {
    /// All places of a type.
    Type(TypeId),
    /// A field, by its [name](field_name).
    Field(String),
}

/// The things that are listed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ListOf {
    /// The values of the place, which are written as values of this type.
    Values(TypeId),
    /// The lengths of the values of the place.
    Lengths,
}

/// The forms of lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListForm {
    /// One variable holds the list.
    List,
    /// Two variables hold the first integer, and the first one after the last.
    Range,
}

/// The whole name of a field, as in `Note.due`, `Request.Put.key` or `Request.Put.0`.
#[must_use]
pub fn field_name(types: &Types, owner: TypeId, tag: u32, index: usize) -> String {
    let fields = types.fields(owner, tag);
    match fields.get(index).and_then(|(name, _)| *name) {
        Some(name) => format!("{}.{name}", owner_name(types, owner, tag)),
        None => format!("{}.{index}", owner_name(types, owner, tag)),
    }
}

/// The beginning of the names of the fields of a struct, or of a variant of an enum: `Note`, or `Request.Put`.
#[must_use]
pub fn owner_name(types: &Types, ty: TypeId, tag: u32) -> String {
    match types.get(ty) {
        Type::Struct(at) => types.structs[*at as usize].name.clone(),
        Type::Enum(at) => {
            let of = &types.enums[*at as usize];
            format!("{}.{}", of.name, of.variants[tag as usize].name)
        }
        _ => String::new(),
    }
}
