//! Names of a history and the variants of a specification that they stand for.
//!
//! `:append` is `Append`, `:compare-and-set` is `CompareAndSet`, `:r` and `:w` are `Read` and `Write`, unless there is a variant that is
//! called just so.

use crate::spec::types::{EnumDef, VariantDef};

/// The names that histories of transactions abbreviate.
const SHORT: [(&str, &str); 2] = [("r", "read"), ("w", "write")];

/// The variant that a name stands for: the one that is called just so, else the first that is so without case and punctuation, else the
/// one that the name is short for.
pub(super) fn variant<'t>(def: &'t EnumDef, name: &str) -> Option<&'t VariantDef> {
    let plain = plain(name);
    let found = |wanted: &str| def.variants.iter().find(|variant| self::plain(&variant.name) == wanted);
    let exact = def.variants.iter().find(|variant| variant.name == name);
    exact.or_else(|| found(&plain)).or_else(|| found(SHORT.iter().find(|(short, _)| *short == plain)?.1))
}

/// Tests whether two names of functions are one, apart from case and punctuation.
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
