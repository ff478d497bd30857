//! Values of EDN as JSON, according to the expected type if it is known.
//!
//! `[[:read :x nil]]` is `[["read", "x", null]]` if the last one's type is an option; if it is `int`, nil is a hole:
//! `[["read", "x", {"$any": null}]]`. If an enum is expected, a list that begins with a name is a variant:
//! `[[:append :x 1] [:r :x nil]]` is `[{"Append": ["x", 1]}, {"Read": ["x", null]}]`.

use super::edn::Edn;
use super::names::variant;
use crate::json::{MAX_DEPTH, quoted};
use crate::spec::types::{EnumDef, Type, TypeId, Types, VariantDef};
use rustc_hash::FxHashSet;

/// The JSON of an unknown value.
pub(super) const HOLE: &str = "{\"$any\": null}";

/// The meaning of nil.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NilMeaning {
    /// It is null.
    Null,
    /// It is a hole.
    Hole,
    /// It is null for an option (or any JSON), and a hole for other types.
    ByType,
    /// It has no known meaning.
    Unknown,
}

/// The message about a nil without a known meaning.
const UNKNOWN_NIL: &str = "what nil means in an answer is not known here: a specification says it (--for FILE), or --nil null (it is \
                           null), or --nil any (it is not known)";

/// Writes values as JSON.
#[derive(Clone, Copy)]
pub(super) struct JsonWriter<'t> {
    pub(super) types: Option<&'t Types>,
    pub(super) nil: NilMeaning,
}

impl<'t> JsonWriter<'t> {
    fn get(self, ty: Option<TypeId>) -> Option<&'t Type> {
        Some(self.types?.get(ty?))
    }

    /// Appends a value of a type.
    pub(super) fn write(self, value: &Edn<'_>, ty: Option<TypeId>, out: &mut String) -> Result<(), String> {
        self.nested(value, ty, 0, out)
    }

    fn nested(self, value: &Edn<'_>, ty: Option<TypeId>, depth: usize, out: &mut String) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("nested more deeply than {MAX_DEPTH} levels"));
        }
        let ty = self.without_option(value, ty);
        if let Some((variant, values)) = self.enumerated(ty).and_then(|def| as_variant(def, value)) {
            return self.variant(variant, &values, depth, out);
        }
        match value {
            Edn::Nil => out.push_str(self.nil(ty)?),
            Edn::Bool(is_true) => out.push_str(if *is_true { "true" } else { "false" }),
            Edn::Int(number) => out.push_str(itoa::Buffer::new().format(*number)),
            Edn::BigInt(number) => out.push_str(&number.to_string()),
            Edn::BigDec(number) => out.push_str(&number.to_string()),
            Edn::Rational((over, under)) => out.push_str(&format!("{{\"#ratio\": \"{over}/{under}\"}}")),
            Edn::Key(text) | Edn::Symbol(text) | Edn::Str(text) => out.push_str(&quoted(text)),
            Edn::Char(letter) => out.push_str(&quoted(letter.encode_utf8(&mut [0; 4]))),
            Edn::Tagged(tag, of) if is_tuple(tag) => self.nested(of, ty, depth + 1, out)?,
            Edn::Tagged(tag, of) => {
                out.push_str(&format!("{{{}: ", quoted(&format!("#{tag}"))));
                self.nested(of, None, depth + 1, out)?;
                out.push('}');
            }
            Edn::Vector(parts) | Edn::List(parts) => self.array(parts.iter(), parts.len(), ty, depth, out)?,
            Edn::Set(parts) => self.array(parts.iter(), parts.len(), ty, depth, out)?,
            Edn::Map(entries) => self.map(&entries.iter().collect::<Vec<_>>(), ty, depth, out)?,
            _ => return Err(format!("a value of this kind has no JSON: {value}")),
        }
        Ok(())
    }

    fn enumerated(self, ty: Option<TypeId>) -> Option<&'t EnumDef> {
        match self.get(ty)? {
            Type::Enum(index) => self.types?.enums.get(*index as usize),
            _ => None,
        }
    }

    /// Appends a variant with the values of its fields. Missing values at the end are nil; extra values must be nil.
    pub(super) fn variant(
        self,
        variant: &VariantDef,
        values: &[&Edn<'_>],
        depth: usize,
        out: &mut String,
    ) -> Result<(), String> {
        let fields = &variant.fields;
        if let Some(more) = values.get(fields.len()..)
            && more.iter().any(|value| !matches!(value, Edn::Nil))
        {
            let (name, expected, found) = (&variant.name, fields.len(), values.len());
            return Err(format!("`{name}` has {expected} fields, found {found} values"));
        }
        let is_named = fields.first().is_some_and(|(name, _)| name.is_some());
        let (open, close) = match (fields.len(), is_named) {
            (0, _) => {
                out.push_str(&quoted(&variant.name));
                return Ok(());
            }
            (_, true) => ("{", "}"),
            (1, false) => ("", ""),
            (_, false) => ("[", "]"),
        };
        out.push_str(&format!("{{{}: {open}", quoted(&variant.name)));
        for (index, (name, of)) in fields.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            name.iter().for_each(|name| out.push_str(&format!("{}: ", quoted(name))));
            self.nested(values.get(index).copied().unwrap_or(&Edn::Nil), Some(*of), depth + 1, out)?;
        }
        out.push_str(close);
        out.push('}');
        Ok(())
    }

    /// Tests whether a value of a type may be written as a list.
    pub(super) fn takes_list(self, ty: TypeId) -> bool {
        match self.get(Some(ty)) {
            Some(Type::Option(of)) => self.takes_list(*of),
            Some(Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Tuple(_) | Type::Json | Type::Enum(_)) => true,
            _ => false,
        }
    }

    /// The type inside of options, unless the value is nil.
    fn without_option(self, value: &Edn<'_>, ty: Option<TypeId>) -> Option<TypeId> {
        match self.get(ty) {
            Some(Type::Option(of)) if !matches!(value, Edn::Nil) => self.without_option(value, Some(*of)),
            _ => ty,
        }
    }

    fn nil(self, ty: Option<TypeId>) -> Result<&'static str, String> {
        match (self.nil, self.get(ty)) {
            (NilMeaning::Null, _) | (NilMeaning::ByType, Some(Type::Option(_) | Type::Json)) => Ok("null"),
            (NilMeaning::Hole | NilMeaning::ByType, _) => Ok(HOLE),
            (NilMeaning::Unknown, _) => Err(UNKNOWN_NIL.to_owned()),
        }
    }

    fn array<'e, 'v: 'e>(
        self,
        parts: impl Iterator<Item = &'e Edn<'v>>,
        length: usize,
        ty: Option<TypeId>,
        depth: usize,
        out: &mut String,
    ) -> Result<(), String> {
        let own = self.get(ty);
        out.push('[');
        for (index, part) in parts.enumerate() {
            let of = match own {
                Some(Type::List(of) | Type::Set(of)) => Some(*of),
                Some(Type::Tuple(of)) if of.len() == length => Some(of[index]),
                _ => None,
            };
            out.push_str(if index > 0 { ", " } else { "" });
            self.nested(part, of, depth + 1, out)?;
        }
        out.push(']');
        Ok(())
    }

    /// Appends a map: an object if all keys are texts, else an array of pairs.
    fn map(
        self,
        entries: &[EdnEntry<'_, '_>],
        ty: Option<TypeId>,
        depth: usize,
        out: &mut String,
    ) -> Result<(), String> {
        let names: Option<Vec<&str>> = entries.iter().map(|(key, _)| text(key)).collect();
        let (key_type, of) = match self.get(ty) {
            Some(Type::Map(key, of)) => (Some(*key), Some(*of)),
            _ => (None, None),
        };
        // The keys of JSON objects are strings, so a map with integer keys becomes an array of pairs.
        let is_number = matches!(self.get(key_type), Some(Type::Int));
        let names = names.filter(|names| !is_number && names.iter().collect::<FxHashSet<_>>().len() == names.len());
        let Some(names) = names else {
            out.push('[');
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", [" } else { "[" });
                self.nested(key, key_type, depth + 1, out)?;
                out.push_str(", ");
                self.nested(value, of, depth + 1, out)?;
                out.push(']');
            }
            out.push(']');
            return Ok(());
        };
        // An object whose only key begins with `$` could be read as a mark.
        let is_marked = matches!(&names[..], [name] if name.starts_with('$'));
        let this = if is_marked { JsonWriter { nil: NilMeaning::Null, ..self } } else { self };
        out.push_str(if is_marked { "{\"$lit\": {" } else { "{" });
        for (index, (name, (_, value))) in names.iter().zip(entries).enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            out.push_str(&quoted(name));
            out.push_str(": ");
            this.nested(value, of.or_else(|| self.field(ty, name)), depth + 1, out)?;
        }
        out.push_str(if is_marked { "}}" } else { "}" });
        Ok(())
    }

    /// The type of the member with this name in an object of a type.
    fn field(self, ty: Option<TypeId>, name: &str) -> Option<TypeId> {
        let types = self.types?;
        match self.get(ty)? {
            Type::Struct(index) => {
                types.structs[*index as usize].fields.iter().find(|(own, _)| own == name).map(|(_, of)| *of)
            }
            Type::Enum(index) => match &variant(&types.enums[*index as usize], name)?.fields[..] {
                [(None, of)] => Some(*of),
                _ => None,
            },
            _ => None,
        }
    }
}

type EdnEntry<'e, 'v> = (&'e Edn<'v>, &'e Edn<'v>);

/// The text of a keyword, symbol or string.
pub(super) fn text<'e>(value: &'e Edn<'_>) -> Option<&'e str> {
    match value {
        Edn::Key(text) | Edn::Symbol(text) | Edn::Str(text) => Some(text),
        _ => None,
    }
}

/// The variant that a value stands for, with the values of its fields: a name alone, or a list that begins with a name, as
/// `[:append :x 1]`.
fn as_variant<'t, 'e, 'v>(def: &'t EnumDef, value: &'e Edn<'v>) -> Option<(&'t VariantDef, Vec<&'e Edn<'v>>)> {
    let (name, values) = match value {
        Edn::Vector(parts) | Edn::List(parts) => parts.split_first().map(|(first, rest)| (text(first), rest))?,
        name => (text(name), &[][..]),
    };
    Some((variant(def, name?)?, values.iter().collect()))
}

/// Tests whether a tag marks a pair of a key and a value, as `#jepsen.independent.Tuple`.
pub(super) fn is_tuple(tag: &str) -> bool {
    tag.rsplit(['.', '/']).next().is_some_and(|last| last.eq_ignore_ascii_case("tuple"))
}
