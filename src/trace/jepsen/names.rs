//! The variants of a specification that the names in a history stand for.
//!
//! `:append` is `Append`, `:compare-and-set` is `CompareAndSet`, `:r` and `:w` are `Read` and `Write`, unless a variant has exactly this
//! name.

use crate::spec::types::{EnumDef, VariantDef};

/// The abbreviations in histories of transactions, with the full names.
const SHORT: [(&str, &str); 2] = [("r", "read"), ("w", "write")];

/// The variant that a name stands for: the one with exactly this name, else the first with this name apart from case and punctuation, else
/// the one with the name that this name abbreviates.
pub(super) fn variant<'t>(def: &'t EnumDef, name: &str) -> Option<&'t VariantDef> {
    let plain = plain(name);
    let found = |wanted: &str| def.variants.iter().find(|variant| self::plain(&variant.name) == wanted);
    let exact = def.variants.iter().find(|variant| variant.name == name);
    exact.or_else(|| found(&plain)).or_else(|| found(SHORT.iter().find(|(short, _)| *short == plain)?.1))
}

/// Tests whether two names of functions are equal apart from case, punctuation and abbreviation.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    let whole = |name: &str| {
        let plain = plain(name);
        SHORT.iter().find(|(short, _)| *short == plain).map_or(plain, |(_, long)| (*long).to_owned())
    };
    whole(a) == whole(b)
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
