//! The types of the language, interned: two types are equal iff their [`TypeId`]s are.
//!
//! Structs, enums and tokens are nominal (an index into a table of definitions), all others structural; aliases are resolved before.
//!
//! ```
//! use mayhap::spec::types::{INT, STRING, Types};
//! let mut types = Types::new();
//! let list = types.list(INT);
//! let map = types.map(STRING, list);
//! assert_eq!(types.name(map), "map<string, list<int>>");
//! assert_eq!(map, { let again = types.list(INT); types.map(STRING, again) });
//! ```

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::value::Value;

/// The number of a type in [`Types`]; equal types have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub(in crate::spec) u32);

impl TypeId {
    /// The index of the type in [`Types`].
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The type with a number that [`TypeId::number`] returned.
    #[must_use]
    pub const fn of_number(number: u32) -> TypeId {
        TypeId(number)
    }
}

/// The type without a value (the result of a statement); it cannot be written in a specification.
pub const UNIT: TypeId = TypeId(0);
/// `int`: all integers.
pub const INT: TypeId = TypeId(1);
/// `bool`
pub const BOOL: TypeId = TypeId(2);
/// `string`: sequences of code points.
pub const STRING: TypeId = TypeId(3);
/// `bytes`: sequences of octets.
pub const BYTES: TypeId = TypeId(4);
/// `client`: the connections.
pub const CLIENT: TypeId = TypeId(5);
/// The type of an expression with a reported error; it agrees with every type. A load without errors does not have it.
pub const ERROR: TypeId = TypeId(6);
/// `json`: JSON values that can only be compared.
pub const JSON: TypeId = TypeId(7);

/// The approximate number of octets after which the name of a type is cut, so that a message stays readable.
const LONGEST_NAME: usize = 100;

/// The kind of a type, with its component types or an index into the definitions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// No value.
    Unit,
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// `string`
    Str,
    /// `bytes`
    Bytes,
    /// `client`
    Client,
    /// `json`
    Json,
    /// `token T;`: an index into [`Types::tokens`].
    Token(u32),
    /// `option<T>`: variant 0 is `None`, variant 1 is `Some`.
    Option(TypeId),
    /// `list<T>`
    List(TypeId),
    /// `set<T>`
    Set(TypeId),
    /// `map<K, V>`
    Map(TypeId, TypeId),
    /// `(T, U, ..)`, two or more
    Tuple(Vec<TypeId>),
    /// An index into [`Types::structs`].
    Struct(u32),
    /// An index into [`Types::enums`].
    Enum(u32),
    /// The type of an expression with a reported error.
    Error,
}

/// `struct R { f: T, .. }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StructDef {
    /// Its name.
    pub name: String,
    /// Its fields in the order of declaration.
    pub fields: Vec<(String, TypeId)>,
    /// True if JSON fields that the struct does not name are ignored.
    pub open: bool,
}

/// `enum E { .. }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumDef {
    /// Its name.
    pub name: String,
    /// Its variants in the order of declaration.
    pub variants: Vec<VariantDef>,
}

/// `V`, `V(T, U)` or `V { f: T }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariantDef {
    /// Its name.
    pub name: String,
    /// The fields that it carries; the names are all there or all absent.
    pub fields: Vec<(Option<String>, TypeId)>,
    /// True if JSON fields that the variant does not name are ignored.
    pub open: bool,
}

/// All types of one load.
#[derive(Clone, Debug)]
pub struct Types {
    table: Vec<Type>,
    depths: Vec<u32>,
    index: FxHashMap<Type, TypeId>,
    /// A flag for each type, by its number: true if the type is recursive. Computed on first use.
    recursive: OnceLock<Vec<bool>>,
    /// The structs of all files.
    pub structs: Vec<StructDef>,
    /// The enums of all files.
    pub enums: Vec<EnumDef>,
    /// The names of the token types of all files.
    pub tokens: Vec<String>,
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    /// The basic types and nothing else.
    #[must_use]
    pub fn new() -> Types {
        let basic = [Type::Unit, Type::Int, Type::Bool, Type::Str, Type::Bytes, Type::Client, Type::Error, Type::Json];
        let index = basic.iter().cloned().zip((0..).map(TypeId)).collect();
        Types {
            table: basic.to_vec(),
            depths: vec![0; basic.len()],
            index,
            recursive: OnceLock::new(),
            structs: Vec::new(),
            enums: Vec::new(),
            tokens: Vec::new(),
        }
    }

    /// Returns the kind of a type, with its component types or an index into the definitions.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.table[id.0 as usize]
    }

    /// The number of a type; the same for equal types.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId(self.table.len() as u32);
        self.depths.push(self.depth_of(&ty));
        self.table.push(ty.clone());
        self.index.insert(ty, id);
        self.recursive = OnceLock::new();
        id
    }

    /// `option<T>`
    pub fn option(&mut self, of: TypeId) -> TypeId {
        self.intern(Type::Option(of))
    }

    /// `list<T>`
    pub fn list(&mut self, of: TypeId) -> TypeId {
        self.intern(Type::List(of))
    }

    /// `set<T>`
    pub fn set(&mut self, of: TypeId) -> TypeId {
        self.intern(Type::Set(of))
    }

    /// `map<K, V>`
    pub fn map(&mut self, key: TypeId, value: TypeId) -> TypeId {
        self.intern(Type::Map(key, value))
    }

    /// `(T, U, ..)`
    pub fn tuple(&mut self, of: Vec<TypeId>) -> TypeId {
        self.intern(Type::Tuple(of))
    }

    /// The type as it is written; a long type is abbreviated.
    #[must_use]
    pub fn name(&self, id: TypeId) -> String {
        let mut text = String::new();
        self.write(id, &mut text);
        text
    }

    fn write(&self, id: TypeId, text: &mut String) {
        if text.len() > LONGEST_NAME {
            text.push('…');
            return;
        }
        match self.get(id) {
            Type::Unit => text.push_str("()"),
            Type::Int => text.push_str("int"),
            Type::Bool => text.push_str("bool"),
            Type::Str => text.push_str("string"),
            Type::Bytes => text.push_str("bytes"),
            Type::Client => text.push_str("client"),
            Type::Json => text.push_str("json"),
            Type::Token(token) => text.push_str(&self.tokens[*token as usize]),
            Type::Option(of) => self.write_all("option<", &[*of], ">", text),
            Type::List(of) => self.write_all("list<", &[*of], ">", text),
            Type::Set(of) => self.write_all("set<", &[*of], ">", text),
            Type::Map(key, value) => self.write_all("map<", &[*key, *value], ">", text),
            Type::Tuple(of) => self.write_all("(", of, ")", text),
            Type::Struct(index) => text.push_str(&self.structs[*index as usize].name),
            Type::Enum(index) => text.push_str(&self.enums[*index as usize].name),
            Type::Error => text.push('_'),
        }
    }

    fn write_all(&self, open: &str, parts: &[TypeId], close: &str, text: &mut String) {
        text.push_str(open);
        for (position, &part) in parts.iter().enumerate() {
            if text.len() > LONGEST_NAME {
                text.push('…');
                break;
            }
            text.push_str(if position == 0 { "" } else { ", " });
            self.write(part, text);
        }
        text.push_str(close);
    }

    fn depth_of(&self, ty: &Type) -> u32 {
        match ty {
            Type::Option(of) | Type::List(of) | Type::Set(of) => 1 + self.depth(*of),
            Type::Map(key, value) => 1 + self.depth(*key).max(self.depth(*value)),
            Type::Tuple(of) => 1 + of.iter().map(|&part| self.depth(part)).max().unwrap_or(0),
            Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes | Type::Client => 0,
            Type::Json | Type::Token(_) | Type::Struct(_) | Type::Enum(_) | Type::Error => 0,
        }
    }

    /// Returns the nesting depth of a type as it is written; structs and enums end the nesting.
    #[must_use]
    pub fn depth(&self, id: TypeId) -> u32 {
        self.depths[id.0 as usize]
    }

    /// The types that a value of this type directly holds: elements, keys and values, fields of every variant.
    #[must_use]
    pub fn parts(&self, id: TypeId) -> Vec<TypeId> {
        match self.get(id) {
            Type::Unit | Type::Int | Type::Bool | Type::Str | Type::Bytes => Vec::new(),
            Type::Client | Type::Json | Type::Token(_) | Type::Error => Vec::new(),
            Type::Option(of) | Type::List(of) | Type::Set(of) => vec![*of],
            Type::Map(key, value) => vec![*key, *value],
            Type::Tuple(of) => of.clone(),
            Type::Struct(index) => self.structs[*index as usize].fields.iter().map(|field| field.1).collect(),
            Type::Enum(index) => {
                let variants = &self.enums[*index as usize].variants;
                variants.iter().flat_map(|variant| variant.fields.iter().map(|field| field.1)).collect()
            }
        }
    }

    /// Tests whether `to_list` and `values` can sort values of this type: no token, client, `json`, set or map is inside.
    ///
    /// The order: integers by value, `false` before `true`, strings by code points, bytes by octets, `None` before `Some`, variants in the
    /// order of their declaration, then fields, elements and components from left to right (a list comes before its extensions).
    #[must_use]
    pub fn is_ordered(&self, id: TypeId) -> bool {
        let unordered =
            |ty: &Type| matches!(ty, Type::Token(_) | Type::Client | Type::Json | Type::Set(_) | Type::Map(..));
        self.find(id, &mut { unordered }).is_none()
    }

    /// The first type inside `id` (itself included, then its parts from left to right) for which `wanted` returns true.
    pub fn find(&self, id: TypeId, wanted: &mut dyn FnMut(&Type) -> bool) -> Option<TypeId> {
        let mut seen = vec![false; self.table.len()];
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            if wanted(self.get(id)) {
                return Some(id);
            }
            todo.extend(self.parts(id).into_iter().rev());
        }
        None
    }

    /// Tests whether the type has finitely many values. A recursive type has infinitely many, as does a type with an `int`, a string,
    /// bytes, a token, a client, a `json` or a list inside.
    #[must_use]
    pub fn is_finite(&self, id: TypeId) -> bool {
        let infinite = |ty: &Type| {
            let text = matches!(ty, Type::Int | Type::Str | Type::Bytes);
            text || matches!(ty, Type::Client | Type::Json | Type::Token(_) | Type::List(_))
        };
        self.find(id, &mut { infinite }).is_none() && !self.is_recursive(id)
    }

    /// Tests whether the type, or a type inside it, contains itself.
    #[must_use]
    pub fn is_recursive(&self, id: TypeId) -> bool {
        let all = || (0..self.count() as u32).map(|id| self.finds_itself(TypeId(id))).collect();
        self.recursive.get_or_init(all)[id.0 as usize]
    }

    fn finds_itself(&self, id: TypeId) -> bool {
        let mut state = vec![TypeVisit::New; self.table.len()];
        let mut todo = vec![(id, TypeVisit::New)];
        while let Some((id, visit)) = todo.pop() {
            let known = &mut state[id.0 as usize];
            match (visit, *known) {
                (TypeVisit::Active, _) => *known = TypeVisit::Done,
                (_, TypeVisit::Active) => return true,
                (_, TypeVisit::Done) => {}
                (_, TypeVisit::New) => {
                    *known = TypeVisit::Active;
                    todo.push((id, TypeVisit::Active));
                    todo.extend(self.parts(id).into_iter().map(|part| (part, TypeVisit::New)));
                }
            }
        }
        false
    }

    /// Tests whether unknown values of a type cannot be compared without expanding them. A map is judged by the type of its values.
    #[must_use]
    pub fn is_opaque(&self, id: TypeId) -> bool {
        let id = if let Type::Map(_, value) = self.get(id) { *value } else { id };
        let collection = |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(..));
        !matches!(self.get(id), Type::Set(_)) && (self.find(id, &mut { collection }).is_some() || self.is_recursive(id))
    }

    /// Tests whether a type is a map or a set whose unknown keys cannot be compared without expanding them.
    #[must_use]
    pub fn has_opaque_keys(&self, id: TypeId) -> bool {
        let (Type::Map(key, _) | Type::Set(key)) = self.get(id) else { return false };
        let collection = |ty: &Type| matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(..));
        self.find(*key, &mut { collection }).is_some() || self.is_recursive(*key)
    }

    /// Tests whether this is `option<json>`, whose `Some` may be `null`: in JSON, `None` is an absent field.
    #[must_use]
    pub fn is_option_of_json(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Option(of) if *of == JSON)
    }

    /// Tests whether the type is a map or a set, or has one inside.
    #[must_use]
    pub fn holds_maps(&self, id: TypeId) -> bool {
        self.find(id, &mut |ty| matches!(ty, Type::Set(_) | Type::Map(..))).is_some()
    }

    /// All values of a finite type without collections; none if there are more than `limit`.
    #[must_use]
    pub fn values(&self, id: TypeId, limit: usize) -> Option<Vec<Value>> {
        let variants = match self.get(id) {
            Type::Bool => return Some(vec![Value::from(false), Value::from(true)]),
            Type::Unit => return Some(vec![Value::UNIT]),
            Type::Option(_) => 2,
            Type::Enum(at) => self.enums[*at as usize].variants.len(),
            Type::Tuple(_) | Type::Struct(_) => 1,
            _ => return None,
        };
        let mut all = Vec::new();
        for tag in 0..variants as u32 {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for (_, ty) in self.fields(id, tag) {
                let values = self.values(ty, limit)?;
                let longer = |row: &Vec<Value>, value: &Value| row.iter().chain([value]).cloned().collect();
                rows = rows.iter().flat_map(|row| values.iter().map(move |value| longer(row, value))).collect();
                if rows.len() > limit {
                    return None;
                }
            }
            all.extend(rows.into_iter().map(|row| Value::data(tag, row)));
        }
        (all.len() <= limit).then_some(all)
    }

    /// Returns the number of types.
    #[must_use]
    pub fn count(&self) -> usize {
        self.table.len()
    }

    /// The index of a variant of an enum or option by its name.
    #[must_use]
    pub fn variant(&self, id: TypeId, name: &str) -> Option<u32> {
        match self.get(id) {
            Type::Option(_) => ["None", "Some"].iter().position(|&known| known == name).map(|index| index as u32),
            Type::Enum(index) => {
                let variants = &self.enums[*index as usize].variants;
                variants.iter().position(|variant| variant.name == name).map(|index| index as u32)
            }
            _ => None,
        }
    }

    /// The fields of a struct (`variant` is ignored), of a variant of an enum or of an option, or of a tuple; empty for
    /// other types.
    #[must_use]
    pub fn fields(&self, id: TypeId, variant: u32) -> SmallVec<[(Option<&str>, TypeId); 4]> {
        match self.get(id) {
            Type::Option(of) if variant == 1 => smallvec![(None, *of)],
            Type::Tuple(of) => of.iter().map(|&ty| (None, ty)).collect(),
            Type::Struct(index) => {
                let fields = &self.structs[*index as usize].fields;
                fields.iter().map(|(name, ty)| (Some(name.as_str()), *ty)).collect()
            }
            Type::Enum(index) => {
                let fields = &self.enums[*index as usize].variants[variant as usize].fields;
                fields.iter().map(|(name, ty)| (name.as_deref(), *ty)).collect()
            }
            _ => SmallVec::new(),
        }
    }
}

impl Types {
    /// The types of the fields of a variant of an enum; none if it has no such variant.
    #[must_use]
    pub fn fields_of_variant(&self, id: TypeId, variant: u32) -> Option<Vec<TypeId>> {
        let Type::Enum(index) = self.get(id) else { return None };
        let variant = self.enums[*index as usize].variants.get(variant as usize)?;
        Some(variant.fields.iter().map(|(_, ty)| *ty).collect())
    }
}

/// The progress of a depth-first walk at one type.
#[derive(Clone, Copy)]
enum TypeVisit {
    New,
    Active,
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursive_types_are_infinite_and_ordered() {
        let mut types = Types::new();
        let tree = types.intern(Type::Enum(0));
        let variants = vec![
            VariantDef { name: "Leaf".into(), fields: vec![], open: false },
            VariantDef { name: "Node".into(), fields: vec![(None, tree), (None, BOOL)], open: false },
        ];
        types.enums.push(EnumDef { name: "Tree".into(), variants });
        assert!(types.is_ordered(tree));
        assert!(!types.is_finite(tree));
        assert_eq!(types.variant(tree, "Node"), Some(1));
        assert_eq!(types.fields(tree, 1)[..], [(None, tree), (None, BOOL)]);
    }

    #[test]
    fn tokens_are_not_ordered_and_sets_of_bool_are_finite() {
        let mut types = Types::new();
        types.tokens.push("Id".into());
        let token = types.intern(Type::Token(0));
        let option = types.option(token);
        let set = types.set(BOOL);
        let map = types.map(set, BOOL);
        assert!(!types.is_ordered(option));
        assert!(!types.is_finite(option));
        assert!(types.is_finite(map));
        assert_eq!(types.name(map), "map<set<bool>, bool>");
    }
}
