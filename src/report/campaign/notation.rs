//! A short notation of requests and answers, for people: `Put "a" "x" if_match={weak: false, opaque: "33f"}`.
//!
//! A variant is written as its name and its values. A boolean and a record have their names before them, and so has an option, which
//! is written only if it is set. Long values are cut in the middle: `"aaaaaaaaaaaaaaaa…aaaaaaaa" (1000 characters)`.
//!
//! ```
//! use mayhap::report::campaign::notation::short;
//! use mayhap::spec::types::{INT, STRING, Types};
//! use mayhap::value::Value;
//! let mut types = Types::new();
//! let pair = types.tuple(vec![INT, STRING]);
//! assert_eq!(short(&types, pair, &Value::data(0, [Value::from(3), Value::str("x")])), "(3, \"x\")");
//! ```

use crate::json::quoted;
use crate::scalar::{Scalar, Token};
use crate::spec::types::{EnumDef, Type, TypeId, Types};
use crate::value::{ListItem, Value};

/// The most characters of a scalar that are shown.
const SHOWN_SCALAR: usize = 40;
/// The most elements of a collection that are shown.
const SHOWN_ELEMENTS: usize = 6;
/// The greatest depth at which parts of a value are shown.
const SHOWN_DEPTH: usize = 6;
/// The most characters of a whole request or answer that are shown.
const SHOWN_WHOLE: usize = 300;

/// The short form of a value of this type. Unknown parts are `?`.
#[must_use]
pub fn short(types: &Types, id: TypeId, value: &Value) -> String {
    let text = ShortForm { types, depth: 0 }.outermost(id, value);
    let count = text.chars().count();
    if count > SHOWN_WHOLE { cut(&text, count, SHOWN_WHOLE) } else { text }
}

/// The text with its middle replaced by `…`.
fn cut(text: &str, count: usize, shown: usize) -> String {
    let (before, after) = (shown - shown / 3, shown / 3);
    text.chars().take(before).chain(['…']).chain(text.chars().skip(count - after)).collect()
}

/// A place in a value: the types, and the depth of the place.
#[derive(Clone, Copy)]
struct ShortForm<'t> {
    types: &'t Types,
    depth: usize,
}

impl ShortForm<'_> {
    /// The short form of a whole value: its variant needs no parentheses.
    fn outermost(self, id: TypeId, value: &Value) -> String {
        match (self.types.get(id), value) {
            (Type::Enum(index), Value::Data { tag, .. }) => self.variant(*index, *tag, value.fields()),
            _ => self.value(id, value),
        }
    }

    fn value(self, id: TypeId, value: &Value) -> String {
        if self.depth > SHOWN_DEPTH {
            return "…".into();
        }
        let inner = ShortForm { depth: self.depth + 1, ..self };
        match value {
            Value::Scalar(value) => scalar(value),
            Value::Data { tag, .. } => inner.data(id, *tag, value.fields()),
            Value::List(_) | Value::Open(_) => {
                let of = inner.element(id);
                let element = |item| if let ListItem::One(value) = item { inner.value(of, value) } else { "?".into() };
                format!("[{}]", some_of(value.items().map(element)))
            }
            Value::Map(map) => match map.entries() {
                Ok(entries) => {
                    let entries = entries.into_iter().map(|(key, entry)| inner.entry(id, key, &entry.value));
                    format!("{{{}}}", some_of(entries))
                }
                Err(_) => "?".into(),
            },
            Value::Term(_) | Value::Union(_) | Value::Unknown(_) | Value::Any | Value::Absent => "?".into(),
        }
    }

    fn element(self, id: TypeId) -> TypeId {
        match self.types.get(id) {
            Type::List(of) | Type::Set(of) => *of,
            _ => id,
        }
    }

    fn entry(self, id: TypeId, key: &Value, value: &Value) -> String {
        match self.types.get(id) {
            Type::Map(of, to) => format!("{}: {}", self.value(*of, key), self.value(*to, value)),
            _ => self.value(self.element(id), key),
        }
    }

    fn data(self, id: TypeId, tag: u32, fields: &[Value]) -> String {
        match (self.types.get(id), fields) {
            (Type::Option(of), [some]) => self.value(*of, some),
            (Type::Option(_), _) => "None".into(),
            (Type::Tuple(of), _) => {
                let values: Vec<String> = of.iter().zip(fields).map(|(of, value)| self.value(*of, value)).collect();
                format!("({})", values.join(", "))
            }
            (Type::Struct(index), _) => {
                let named = self.types.structs[*index as usize].fields.iter().zip(fields);
                let set = named.filter(|((_, of), value)| !self.is_unset(*of, value));
                let shown: Vec<String> =
                    set.map(|((name, of), value)| format!("{name}: {}", self.value(*of, value))).collect();
                format!("{{{}}}", shown.join(", "))
            }
            (Type::Enum(index), []) => self.variant(*index, tag, fields),
            (Type::Enum(index), _) => format!("({})", self.variant(*index, tag, fields)),
            _ => "()".into(),
        }
    }

    fn is_unset(self, id: TypeId, value: &Value) -> bool {
        matches!(self.types.get(id), Type::Option(_)) && *value == Value::NONE
    }

    fn variant(self, index: u32, tag: u32, fields: &[Value]) -> String {
        let EnumDef { variants, .. } = &self.types.enums[index as usize];
        let Some(variant) = variants.get(tag as usize) else { return "?".into() };
        let mut parts = vec![variant.name.clone()];
        for ((name, of), value) in variant.fields.iter().zip(fields) {
            let shown = || self.value(*of, value);
            match (name, self.types.get(*of)) {
                (Some(_), Type::Option(_)) if *value == Value::NONE => {}
                (Some(name), Type::Option(_) | Type::Bool | Type::Struct(_)) => {
                    parts.push(format!("{name}={}", shown()))
                }
                _ => parts.push(shown()),
            }
        }
        parts.join(" ")
    }
}

/// The first of several texts, and the last one, with commas between them.
fn some_of(all: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = all.collect();
    let count = all.len();
    if count > SHOWN_ELEMENTS {
        let left_out = format!("… {} more", count - SHOWN_ELEMENTS);
        all.splice(SHOWN_ELEMENTS - 1..count - 1, [left_out]);
    }
    all.join(", ")
}

fn scalar(value: &Scalar) -> String {
    match value {
        Scalar::Str(text) | Scalar::Token(Token::Text(text)) => shown(text, "character", quoted),
        Scalar::Bytes(octets) => match std::str::from_utf8(octets) {
            Ok(text) => shown(text, "character", quoted),
            Err(_) => shown(&octets.escape_ascii().to_string(), "character", |text| format!("b\"{text}\"")),
        },
        Scalar::Json(json) => shown(json.text(), "character", str::to_owned),
        Scalar::Int(number) | Scalar::Token(Token::Number(number)) => {
            shown(&number.to_string(), "digit", str::to_owned)
        }
        Scalar::Bool(_) | Scalar::Client(_) => value.to_string(),
    }
}

/// The text, cut if it is long; a cut text is followed by its length.
fn shown(text: &str, of: &str, form: impl Fn(&str) -> String) -> String {
    match text.chars().count() {
        count if count > SHOWN_SCALAR => format!("{} ({count} {of}s)", form(&cut(text, count, SHOWN_SCALAR))),
        _ => form(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::decode;
    use crate::spec::Spec;

    /// Checks the short form of a request of this specification, which is given as JSON.
    #[track_caller]
    fn check(declarations: &str, json: &str, expected: &str) {
        let text = format!("{declarations} protocol p {{ request R; response int; on q {{ reply 0; }} }}");
        let spec = Spec::from_text(&text).unwrap();
        let (types, id) = (&spec.types, spec.program.request);
        assert_eq!(short(types, id, &decode(types, id, json).unwrap()), expected);
    }

    #[test]
    fn a_request_is_its_name_its_values_and_its_options_that_are_set() {
        let put = "token T; struct Tag { weak: bool, opaque: T } struct S { a: option<int>, b: Tag }
            enum R { Put { key: string, value: string, if_match: option<Tag> }, Flush, Add(int, option<int>), Get(S) }";
        check(put, r#"{"Put": {"key": "a", "value": "x", "if_match": null}}"#, r#"Put "a" "x""#);
        let tagged = r#"{"Put": {"key": "a", "value": "x\n", "if_match": {"weak": true, "opaque": "t"}}}"#;
        check(put, tagged, r#"Put "a" "x\n" if_match={weak: true, opaque: "t"}"#);
        check(put, "\"Flush\"", "Flush");
        let sync = "struct S { fast: bool } enum R { Put { key: string, sync: bool, how: S }, Has(bool) }";
        check(
            sync,
            r#"{"Put": {"key": "a", "sync": true, "how": {"fast": false}}}"#,
            r#"Put "a" sync=true how={fast: false}"#,
        );
        check(sync, r#"{"Has": true}"#, "Has true");
        check(put, r#"{"Add": [5, null]}"#, "Add 5 None");
        check(put, r#"{"Get": {"a": null, "b": {"weak": true, "opaque": 7}}}"#, "Get {b: {weak: true, opaque: 7}}");
    }

    #[test]
    fn what_is_long_is_cut_in_the_middle() {
        let kinds =
            "enum N { End, More(N) } enum R { B(bytes), L(list<int>), M(map<string, int>), N(N), I(int), E(set<int>) }";
        let long = format!("{}{}", "a".repeat(500), "é".repeat(500));
        let cut = format!("B \"{}…{}\" (1000 characters)", "a".repeat(27), "é".repeat(13));
        check(kinds, &format!("{{\"B\": \"{long}\"}}"), &cut);
        check(kinds, r#"{"B": {"$bytes": "AP8="}}"#, r#"B b"\x00\xff""#);
        check(kinds, r#"{"L": [1, 2, 3, 4, 5, 6]}"#, "L [1, 2, 3, 4, 5, 6]");
        check(kinds, r#"{"L": [1, 2, 3, 4, 5, 6, 7, 8]}"#, "L [1, 2, 3, 4, 5, … 2 more, 8]");
        check(kinds, r#"{"M": {"a": 1, "b": 2}}"#, r#"M {"a": 1, "b": 2}"#);
        check(kinds, r#"{"E": [2, 1]}"#, "E {1, 2}");
        let digits = format!("I {}…{} (100 digits)", "7".repeat(27), "7".repeat(13));
        check(kinds, &format!("{{\"I\": {}}}", "7".repeat(100)), &digits);
        let (open, close) = ("{\"More\": ".repeat(50), "}".repeat(50));
        let nested = format!("N {}…{}", "(More ".repeat(7), ")".repeat(7));
        check(kinds, &format!("{{\"N\": {open}\"End\"{close}}}"), &nested);
    }
}
