//! The types of a specification's requests and answers as types of Rust, whose JSON by serde is that of the specification.
//!
//! ```text
//! enum Request { Get(string), Put { key: string, tag: option<Tag> } }      pub enum Request {
//!                                                                              Get(String),
//!                                                                              Put { key: String, tag: Option<Tag> },
//!                                                                          }
//! ```

use std::collections::BTreeSet;

use crate::json;
use crate::spec::Spec;
use crate::spec::types::{Type, TypeId, Types, VariantDef};

/// The words of Rust that are no names; those in the second list cannot be raw names either.
const KEYWORDS: &str = "abstract as async await become box break const continue do dyn else enum extern false final fn for gen if impl in \
                        let loop macro match mod move mut override priv pub ref return static struct trait true try type typeof unsafe \
                        unsized use virtual where while yield";
const NEVER_NAMES: [&str; 4] = ["self", "Self", "super", "crate"];

/// The attribute of an option of any JSON: it is `None` if it is absent, and `Some(Null)` if it is null.
const ABSENT: &str = r#"#[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]"#;
/// The function that the attribute names.
const PRESENT: &str = "
fn present<'de, D: serde::Deserializer<'de>>(json: D) -> Result<Option<JSON>, D::Error> {
    Ok(Some(Deserialize::deserialize(json)?))
}
";

/// The type of octets, under a name that no other type has.
const BYTES: &str = r#"
/// Octets: their text if they are UTF-8, else their base64.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(untagged)]
pub enum NAME {
    Text(std::string::String),
    Base64 {
        #[serde(rename = "$bytes")]
        base64: std::string::String,
    },
}
"#;

/// The types of Rust for scalars that may have several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScalarTypes {
    /// The type for `int`, for example `i64`.
    pub int: String,
    /// The type for tokens, for example `String` or `u64`.
    pub token: String,
}

/// The definitions of the types that occur in requests and answers, those of peers included, as a text of Rust.
#[must_use]
pub fn rust_types(spec: &Spec, scalars: &ScalarTypes) -> String {
    let types = &spec.types;
    let peers = spec.program.peers.iter().flat_map(|peer| [peer.request, peer.response]);
    let roots: Vec<TypeId> = [spec.program.request, spec.program.response].into_iter().chain(peers).collect();
    let mut met = Vec::new();
    roots.iter().for_each(|root| reach(types, *root, &mut met));
    let mut writer = Writer { types, scalars, own: BTreeSet::new(), has_json: false };
    for id in &met {
        writer.has_json |= matches!(types.get(*id), Type::Json);
        writer.own.extend(name_of(types, *id));
    }
    let [request, response] = [roots[0], roots[1]].map(|root| writer.ty(root, None));
    let head = format!(
        "//! The types of `{}`, as `mayhap types` prints them. Requests are of type `{request}`, answers of type `{response}`.\n\n\
         use serde::{{Deserialize, Serialize}};\n",
        spec.program.name
    );
    let has_absent = met.iter().any(|id| types.is_option_of_json(*id));
    let present = if has_absent { PRESENT.replace("JSON", json::RUST_TYPE) } else { String::new() };
    let has_bytes = met.iter().any(|id| matches!(types.get(*id), Type::Bytes));
    let bytes = if has_bytes { BYTES.replace("NAME", &writer.bytes()) } else { String::new() };
    head + &present
        + &bytes
        + &met.iter().filter_map(|id| writer.definition(*id)).map(|text| format!("\n{text}")).collect::<String>()
}

/// Adds a type and those of its parts, each once, in the order in which they are met.
fn reach(types: &Types, id: TypeId, met: &mut Vec<TypeId>) {
    if !met.contains(&id) {
        met.push(id);
        types.parts(id).into_iter().for_each(|part| reach(types, part, met));
    }
}

/// The name of a type that is defined.
fn name_of(types: &Types, id: TypeId) -> Option<String> {
    match types.get(id) {
        Type::Struct(at) => Some(types.structs[*at as usize].name.clone()),
        Type::Enum(at) => Some(types.enums[*at as usize].name.clone()),
        Type::Token(at) => Some(types.tokens[*at as usize].clone()),
        _ => None,
    }
}

/// A writer of definitions.
struct Writer<'t> {
    types: &'t Types,
    scalars: &'t ScalarTypes,
    /// The names of the types that are defined; a type of the standard library with such a name is written with its path.
    own: BTreeSet<String>,
    /// Set if some part is any JSON, which has no order.
    has_json: bool,
}

impl Writer<'_> {
    fn definition(&self, id: TypeId) -> Option<String> {
        let order = if self.has_json { "" } else { ", Eq, PartialOrd, Ord, Hash" };
        let derives = format!("#[derive(Serialize, Deserialize, Clone, Debug, PartialEq{order})]\n");
        match self.types.get(id) {
            Type::Token(at) => {
                let name = identifier(&self.types.tokens[*at as usize]).text;
                let token = &self.scalars.token;
                let of = if token == "String" { self.library(token, "std::string::String") } else { token.clone() };
                Some(format!("pub type {name} = {of};\n"))
            }
            Type::Struct(at) => {
                let def = &self.types.structs[*at as usize];
                let field = |(name, of): &(String, TypeId)| self.field(("    ", "pub "), name, *of, id);
                let fields: String = def.fields.iter().map(field).collect();
                Some(format!("{derives}pub struct {} {{\n{fields}}}\n", identifier(&def.name).text))
            }
            Type::Enum(at) => {
                let def = &self.types.enums[*at as usize];
                let variants: String = def.variants.iter().map(|variant| self.variant(variant, id)).collect();
                Some(format!("{derives}pub enum {} {{\n{variants}}}\n", identifier(&def.name).text))
            }
            _ => None,
        }
    }

    fn variant(&self, variant: &VariantDef, within: TypeId) -> String {
        let name = identifier(&variant.name);
        let rename = name.rename("    ");
        let named = variant.fields.iter().filter_map(|(name, of)| Some((name.as_deref()?, *of)));
        let fields: String = named.map(|(name, of)| self.field(("        ", ""), name, of, within)).collect();
        let unnamed: Vec<String> = variant.fields.iter().map(|(_, of)| self.ty(*of, Some(within))).collect();
        let carried = match (unnamed.is_empty(), fields.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("({})", unnamed.join(", ")),
            (false, false) => format!(" {{\n{fields}    }}"),
        };
        format!("{rename}    {}{carried},\n", name.text)
    }

    fn field(&self, (indent, visible): (&str, &str), name: &str, of: TypeId, within: TypeId) -> String {
        let name = identifier(name);
        let absent = if self.types.is_option_of_json(of) { format!("{indent}{ABSENT}\n") } else { String::new() };
        format!("{}{absent}{indent}{visible}{}: {},\n", name.rename(indent), name.text, self.ty(of, Some(within)))
    }

    /// The type in Rust, as a part of a definition if one is given; a tree that may have that one as a part is in a box.
    fn ty(&self, id: TypeId, within: Option<TypeId>) -> String {
        let inner = |of: &TypeId| self.ty(*of, within);
        // What a collection holds is not a part of the value itself.
        let held = |of: &TypeId| self.ty(*of, None);
        match self.types.get(id) {
            Type::Unit | Type::Error => "()".to_owned(),
            Type::Int => self.scalars.int.clone(),
            Type::Bool => "bool".to_owned(),
            Type::Str => self.library("String", "std::string::String"),
            Type::Bytes => self.bytes(),
            Type::Client => "u64".to_owned(),
            Type::Json => json::RUST_TYPE.to_owned(),
            Type::Option(of) => format!("{}<{}>", self.library("Option", "std::option::Option"), inner(of)),
            Type::List(of) => format!("{}<{}>", self.library("Vec", "std::vec::Vec"), held(of)),
            Type::Set(of) if self.has_json => format!("{}<{}>", self.library("Vec", "std::vec::Vec"), held(of)),
            Type::Set(of) => format!("std::collections::BTreeSet<{}>", held(of)),
            Type::Map(key, of) if matches!(self.types.get(*key), Type::Str) => {
                format!("std::collections::BTreeMap<{}, {}>", held(key), held(of))
            }
            // Its JSON is an array of pairs.
            Type::Map(key, of) => {
                format!("{}<({}, {})>", self.library("Vec", "std::vec::Vec"), held(key), held(of))
            }
            Type::Tuple(parts) => format!("({})", parts.iter().map(inner).collect::<Vec<_>>().join(", ")),
            Type::Token(_) | Type::Struct(_) | Type::Enum(_) => {
                let name = identifier(&name_of(self.types, id).unwrap_or_default()).text;
                let is_boxed = within
                    .is_some_and(|within| self.types.find(id, &mut |part| part == self.types.get(within)).is_some());
                if is_boxed { format!("{}<{name}>", self.library("Box", "std::boxed::Box")) } else { name }
            }
        }
    }

    /// The name of the type of octets.
    fn bytes(&self) -> String {
        let mut name = "Bytes".to_owned();
        while self.own.contains(&name) {
            name.push('_');
        }
        name
    }

    fn library(&self, name: &str, path: &str) -> String {
        if self.own.contains(name) { path.to_owned() } else { name.to_owned() }
    }
}

/// A name in Rust.
struct Identifier {
    text: String,
    /// The name in JSON, if it is another one.
    json: Option<String>,
}

impl Identifier {
    /// The attribute that gives the name in JSON, on a line of its own; nothing if it is the same.
    fn rename(&self, indent: &str) -> String {
        self.json.as_ref().map_or_else(String::new, |name| format!("{indent}#[serde(rename = {name:?})]\n"))
    }
}

/// The name in Rust for a name of a specification, which may be a word of Rust, or have characters that no name has.
fn identifier(name: &str) -> Identifier {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let begins = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') && name != "_";
    if !is_word || !begins || NEVER_NAMES.contains(&name) {
        let text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        return Identifier { text: format!("{}{text}_", if begins { "" } else { "n" }), json: Some(name.to_owned()) };
    }
    let is_keyword = KEYWORDS.split_whitespace().any(|word| word == name);
    Identifier { text: if is_keyword { format!("r#{name}") } else { name.to_owned() }, json: None }
}
