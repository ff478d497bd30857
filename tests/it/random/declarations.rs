//! Random types, the declarations that they need, and random JSON of a type.
//!
//! Example: `token T0; enum E0 { A0, B0(int), C0 { f0: bool } } struct S0 { f1: int, f2: option<T0> }`, and for
//! `option<E0>` the JSON `null`, `"A0"` or `{"B0": -1}`.

use super::Rng;
use crate::oracle::json::opaque;
use serde_json::{Value as Json, json};

/// A type of the generated programs.
#[derive(Clone, PartialEq, Debug)]
pub enum Ty {
    Int,
    Bool,
    Str,
    /// `T0`, a token type, and `T1`, one or `json`
    Token(usize),
    /// Index into `Declarations::enums`.
    Enum(usize),
    /// Index into `Declarations::structs`.
    Struct(usize),
    Option(Box<Ty>),
    List(Box<Ty>),
    Set(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
    Tuple(Vec<Ty>),
    /// The one recursive type.
    Tree,
}

/// What a variant carries.
#[derive(Clone, Debug)]
pub enum Payload {
    Unit,
    Tuple(Vec<Ty>),
    Record(Vec<(String, Ty)>),
}

/// An enum; its variants' names occur in no other.
#[derive(Clone, Debug)]
pub struct Enum {
    pub name: String,
    pub variants: Vec<(String, Payload)>,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Struct {
    pub name: String,
    pub fields: Vec<(String, Ty)>,
}

/// All declared types.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    pub enums: Vec<Enum>,
    pub structs: Vec<Struct>,
    /// Whether `T1` is `json`.
    pub opaque: bool,
}

/// What every program declares.
const FIXED: [&str; 3] = ["token T0;", "type Numbers = list<int>;", "enum Tree { Leaf, Node(Tree, int, Tree) }"];

/// The strings that programs and traces mention, and all that a choice of a string may give.
pub const STRINGS: [&str; 3] = ["a", "b", "ab"];

/// The tokens that traces mention unless the server made them.
const TOKENS: [&str; 2] = ["t", "u"];
/// Values of the type `json` that traces mention: two of them twice, written otherwise.
const OPAQUE: [&str; 6] = ["1.50", "15e-1", "null", r#"{"a": [1], "b": {}}"#, r#"{"b": {}, "a": [1.0]}"#, "\"t\""];

impl Declarations {
    /// Two small enums and two structs, each of the types declared before it.
    pub fn random(rng: &mut Rng) -> Declarations {
        let mut all = Declarations { opaque: rng.percent(50), ..Declarations::default() };
        for i in 0..2 {
            let enumeration = all.random_enum(rng, &format!("E{i}"), i);
            all.enums.push(enumeration);
            let fields = all.random_fields(rng, &format!("s{i}"));
            all.structs.push(Struct { name: format!("S{i}"), fields });
        }
        all
    }

    fn random_enum(&self, rng: &mut Rng, name: &str, i: usize) -> Enum {
        let variants = (0..2 + rng.below(2)).map(|v| {
            let payload = match if v == 0 { 0 } else { rng.below(4) } {
                0 => Payload::Unit,
                1 => Payload::Tuple(vec![self.random_type(rng, 1)]),
                2 => Payload::Tuple(vec![self.random_type(rng, 0), self.random_type(rng, 0)]),
                _ => Payload::Record(self.random_fields(rng, &format!("e{i}{v}"))),
            };
            (format!("{}{i}", ["A", "B", "C"][v]), payload)
        });
        Enum { name: name.to_owned(), variants: variants.collect() }
    }

    fn random_fields(&self, rng: &mut Rng, prefix: &str) -> Vec<(String, Ty)> {
        (0..1 + rng.below(2)).map(|f| (format!("{prefix}_f{f}"), self.random_type(rng, 1))).collect()
    }

    /// Any type of at most that depth.
    pub fn random_type(&self, rng: &mut Rng, depth: usize) -> Ty {
        let kinds = 6 + 2 * usize::from(!self.enums.is_empty() && !self.structs.is_empty());
        match rng.below(if depth == 0 { kinds } else { kinds + 6 }) {
            0 | 1 => Ty::Int,
            2 => Ty::Bool,
            3 => Ty::Str,
            4 | 5 => Ty::Token(rng.below(2)),
            n if n < kinds && n % 2 == 0 => Ty::Enum(rng.below(self.enums.len())),
            n if n < kinds => Ty::Struct(rng.below(self.structs.len())),
            n if n == kinds + 1 && rng.percent(40) => Ty::Tree,
            n if n < kinds + 2 => self.random_option(rng, depth - 1),
            n if n == kinds + 2 => Ty::List(Box::new(self.random_type(rng, depth - 1))),
            n if n == kinds + 3 => Ty::Set(Box::new(random_key(rng))),
            n if n == kinds + 4 => Ty::Map(Box::new(random_key(rng)), Box::new(self.random_type(rng, depth - 1))),
            _ => Ty::Tuple((0..2 + rng.below(2)).map(|_| self.random_type(rng, depth - 1)).collect()),
        }
    }

    /// `option<option<T>>` cannot travel, so there is none.
    fn random_option(&self, rng: &mut Rng, depth: usize) -> Ty {
        match self.random_type(rng, depth) {
            Ty::Option(inner) => Ty::Option(inner),
            // Nor can `option<json>`, but as a field.
            Ty::Token(1) if self.opaque => Ty::Option(Box::new(Ty::Token(0))),
            inner => Ty::Option(Box::new(inner)),
        }
    }

    /// The type as it is written.
    pub fn name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "int".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Str => "string".to_owned(),
            Ty::Token(i) => format!("T{i}"),
            Ty::Enum(i) => self.enums[*i].name.clone(),
            Ty::Struct(i) => self.structs[*i].name.clone(),
            Ty::Option(inner) => format!("option<{}>", self.name(inner)),
            Ty::Tree => "Tree".to_owned(),
            Ty::List(inner) if **inner == Ty::Int => "Numbers".to_owned(),
            Ty::List(inner) => format!("list<{}>", self.name(inner)),
            Ty::Set(inner) => format!("set<{}>", self.name(inner)),
            Ty::Map(key, value) => format!("map<{}, {}>", self.name(key), self.name(value)),
            Ty::Tuple(types) => format!("({})", self.names(types)),
        }
    }

    fn names(&self, types: &[Ty]) -> String {
        types.iter().map(|ty| self.name(ty)).collect::<Vec<_>>().join(", ")
    }

    /// `f: T, g: U`
    pub fn fields(&self, fields: &[(String, Ty)]) -> String {
        fields.iter().map(|(name, ty)| format!("{name}: {}", self.name(ty))).collect::<Vec<_>>().join(", ")
    }

    /// The declarations, a line each.
    pub fn lines(&self) -> Vec<String> {
        let variant = |(name, payload): &(String, Payload)| match payload {
            Payload::Unit => name.clone(),
            Payload::Tuple(types) => format!("{name}({})", self.names(types)),
            Payload::Record(fields) => format!("{name} {{ {} }}", self.fields(fields)),
        };
        let enums = self.enums.iter().map(|e| {
            let variants: Vec<String> = e.variants.iter().map(variant).collect();
            format!("enum {} {{ {} }}", e.name, variants.join(", "))
        });
        let structs = self.structs.iter().map(|s| format!("struct {} {{ {} }}", s.name, self.fields(&s.fields)));
        let second = if self.opaque { "type T1 = json;" } else { "token T1;" };
        FIXED.iter().chain([&second]).map(|&line| line.to_owned()).chain(enums).chain(structs).collect()
    }

    /// JSON of a value of the type.
    pub fn json(&self, rng: &mut Rng, ty: &Ty) -> Json {
        match ty {
            Ty::Int => json!(rng.between(-2, 3)),
            Ty::Bool => json!(rng.percent(50)),
            Ty::Str => json!(rng.pick(&STRINGS)),
            Ty::Token(1) if self.opaque => serde_json::from_str(OPAQUE[rng.below(OPAQUE.len())]).expect("JSON"),
            Ty::Token(_) => json!(rng.pick(&TOKENS)),
            Ty::Enum(i) => self.variant_json(rng, *i),
            Ty::Struct(i) => self.record_json(rng, &self.structs[*i].fields),
            Ty::Option(_) if rng.percent(40) => Json::Null,
            Ty::Option(inner) => self.json(rng, inner),
            Ty::List(inner) => (0..rng.below(3)).map(|_| self.json(rng, inner)).collect(),
            Ty::Set(inner) => {
                let mut elements: Vec<Json> = (0..rng.below(3)).map(|_| self.json(rng, inner)).collect();
                elements.sort_by_key(|element| opaque(element).to_string());
                elements.dedup_by_key(|element| opaque(element));
                Json::Array(elements)
            }
            Ty::Map(key, value) if **key == Ty::Str => {
                let pair = |rng: &mut Rng| ((*rng.pick(&STRINGS)).to_owned(), self.json(rng, value));
                Json::Object((0..rng.below(3)).map(|_| pair(rng)).collect())
            }
            Ty::Map(key, value) if rng.percent(70) => json!([[self.json(rng, key), self.json(rng, value)]]),
            Ty::Map(..) => json!([]),
            Ty::Tuple(types) => types.iter().map(|ty| self.json(rng, ty)).collect(),
            Ty::Tree => tree_json(rng, 2),
        }
    }

    fn variant_json(&self, rng: &mut Rng, enumeration: usize) -> Json {
        let (name, payload) = rng.pick(&self.enums[enumeration].variants);
        match payload {
            Payload::Unit => json!(name),
            Payload::Tuple(types) if types.len() == 1 => json!({ name: self.json(rng, &types[0]) }),
            Payload::Tuple(types) => json!({ name: types.iter().map(|ty| self.json(rng, ty)).collect::<Json>() }),
            Payload::Record(fields) => json!({ name: self.record_json(rng, fields) }),
        }
    }

    fn record_json(&self, rng: &mut Rng, fields: &[(String, Ty)]) -> Json {
        Json::Object(fields.iter().map(|(name, ty)| (name.clone(), self.json(rng, ty))).collect())
    }
}

fn tree_json(rng: &mut Rng, depth: usize) -> Json {
    if depth == 0 || rng.percent(40) {
        return json!("Leaf");
    }
    json!({"Node": [tree_json(rng, depth - 1), rng.between(-1, 2), tree_json(rng, depth - 1)]})
}

/// A type of keys and elements.
pub fn random_key(rng: &mut Rng) -> Ty {
    rng.pick(&[Ty::Int, Ty::Str, Ty::Str, Ty::Token(0), Ty::Token(1)]).clone()
}
