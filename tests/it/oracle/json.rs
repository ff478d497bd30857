//! Values as JSON, both ways under the written types, and synchronous traces of one exchange a line.
//!
//! Example: under `enum R { Get { key: string }, Put(string, int), Size }` the values are `{"Get": {"key": "x"}}`,
//! `{"Put": ["x", 1]}` and `"Size"`.

use super::*;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, json};

pub use serde_json::Value as Json;

/// The exchanges of a synchronous trace, a line each.
pub fn read_trace(text: &str) -> Vec<(Json, Answer)> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let events = lines.map(|line| serde_json::from_str::<Json>(line).expect("a trace is JSON"));
    events.filter(|event| event.get("mayhap").is_none()).map(|event| (event["q"].clone(), answer(&event))).collect()
}

fn answer(event: &Json) -> Answer {
    match event.get("a") {
        _ if event.get("restart") == Some(&json!(true)) => Answer::Restarted,
        Some(a) if *a == json!({"$any": null}) => Answer::Hole,
        Some(a) => Answer::Is(a.clone()),
        None if event.get("lost") == Some(&json!(true)) => Answer::Lost,
        None => Answer::Nothing,
    }
}

/// The same as text.
pub fn write_trace(trace: &[(Json, Answer)]) -> String {
    let line = |(q, answer): &(Json, Answer)| match answer {
        Answer::Is(a) => json!({"q": q, "a": a}),
        Answer::Nothing => json!({"q": q}),
        Answer::Hole => json!({"q": q, "a": {"$any": null}}),
        Answer::Lost => json!({"q": q, "lost": true}),
        Answer::Restarted => json!({"restart": true}),
    };
    trace.iter().map(|event| format!("{}\n", line(event))).collect()
}

impl<'a> Oracle<'a> {
    /// The value that JSON stands for under a type; none written is `int` (machines).
    pub fn decode(&self, json: &Json, ty: Option<&'a TypeExpr>) -> Value {
        if *json == json!({"$any": null}) {
            return Value::Hole;
        }
        if let Some(literal) = json.get("$lit") {
            return self.decode(literal, ty);
        }
        let all = |items: &Json, part: usize| -> Vec<Value> {
            let items = items.as_array().unwrap_or_else(|| panic!("{items} is no array"));
            items.iter().map(|item| self.decode(item, self.part(ty, part))).collect()
        };
        match ty.map(|ty| self.kind(ty)) {
            None => self.decode_named(json, "int"),
            Some(TypeKind::Name(name)) => self.decode_named(json, &name.text),
            Some(TypeKind::Option(inner)) if json.is_null() && !self.is_json(inner) => Value::unit("None"),
            Some(TypeKind::Option(inner)) => Value::variant("Some", vec![self.decode(json, Some(inner))]),
            Some(TypeKind::List(_)) => Value::Seq(all(json, 0)),
            Some(TypeKind::Set(_)) => Value::set(all(json, 0)),
            Some(TypeKind::Tuple(types)) => Value::Seq(self.decode_each(json, types.iter())),
            Some(TypeKind::Map(key, value)) => Value::Map(match json {
                Json::Object(pairs) => {
                    pairs.iter().map(|(k, v)| (Value::Str(k.clone()), self.decode(v, Some(value)))).collect()
                }
                pairs => {
                    let pairs = pairs.as_array().expect("a map is an array of pairs");
                    pairs.iter().map(|p| (self.decode(&p[0], Some(key)), self.decode(&p[1], Some(value)))).collect()
                }
            }),
            Some(TypeKind::Error) => panic!("a type that does not parse"),
        }
    }

    /// Whether JSON can be read as a value of a type.
    pub fn reads(&self, json: &Json, ty: Option<&'a TypeExpr>) -> bool {
        let part = |json: &Json, i: usize| self.reads(json, self.part(ty, i));
        let items = |json: &Json| json.as_array().cloned();
        match ty.map(|ty| self.kind(ty)) {
            None => json.is_i64() || json.is_number(),
            Some(TypeKind::Option(_)) => json.is_null() || part(json, 0),
            Some(TypeKind::List(_) | TypeKind::Set(_)) => items(json).is_some_and(|i| i.iter().all(|i| part(i, 0))),
            Some(TypeKind::Tuple(types)) => items(json)
                .is_some_and(|items| items.len() == types.len() && (0..).zip(&items).all(|(i, item)| part(item, i))),
            Some(TypeKind::Map(key, _)) if self.is_string(key) => {
                json.as_object().is_some_and(|pairs| pairs.values().all(|value| part(value, 1)))
            }
            Some(TypeKind::Map(..)) => items(json).is_some_and(|pairs| {
                let pairs: Option<Vec<_>> = pairs.iter().map(items).collect();
                pairs.is_some_and(|all| all.iter().all(|p| p.len() == 2 && part(&p[0], 0) && part(&p[1], 1)))
            }),
            Some(TypeKind::Name(name)) => self.reads_named(json, &name.text),
            Some(TypeKind::Error) => false,
        }
    }

    /// Whether a type is `json`, which has a `null` of its own.
    pub fn is_json(&self, ty: &'a TypeExpr) -> bool {
        matches!(self.kind(ty), TypeKind::Name(name) if name.text == "json")
    }

    /// Whether this is how a field says that there is no `json`: by not being there.
    fn is_missing(&self, value: &Value, ty: &'a TypeExpr) -> bool {
        let inner = self.part(Some(ty), 0).filter(|_| matches!(self.kind(ty), TypeKind::Option(_)));
        inner.is_some_and(|inner| self.is_json(inner)) && *value == Value::unit("None")
    }

    fn is_string(&self, ty: &'a TypeExpr) -> bool {
        matches!(self.kind(ty), TypeKind::Name(name) if name.text == "string")
    }

    fn reads_named(&self, json: &Json, name: &str) -> bool {
        let record = |json: &Json, fields: &'a [Field]| {
            let null = &Json::Null;
            let known = |pairs: &Map<String, Json>| pairs.keys().all(|k| fields.iter().any(|f| f.name.text == *k));
            json.as_object().is_some_and(known)
                && fields.iter().all(|f| self.reads(json.get(&f.name.text).unwrap_or(null), Some(&f.ty)))
        };
        match (name, self.item(name)) {
            ("bool", _) => json.is_boolean(),
            ("int", _) => json.is_number() && json.to_string().parse::<BigInt>().is_ok(),
            ("string", _) => json.is_string(),
            ("json", _) => true,
            ("bytes", _) => json.is_string() || json.get("$bytes").is_some(),
            (_, Some(ItemKind::Token(_))) => json.is_string() || json.is_number(),
            (_, Some(ItemKind::Struct { fields, .. })) => record(json, fields),
            (_, Some(ItemKind::Enum { variants, .. })) => {
                let (tag, content) = match json {
                    Json::Object(pairs) if pairs.len() == 1 => pairs.iter().map(|(k, v)| (k.as_str(), v)).next(),
                    tag => tag.as_str().map(|tag| (tag, &Json::Null)),
                }
                .unwrap_or(("", &Json::Null));
                let parts = |types: &'a [TypeExpr]| {
                    content.as_array().is_some_and(|items| {
                        items.len() == types.len() && items.iter().zip(types).all(|(i, ty)| self.reads(i, Some(ty)))
                    })
                };
                variants.iter().find(|v| v.name.text == tag).is_some_and(|variant| match &variant.payload {
                    Payload::Unit => json.is_string(),
                    Payload::Tuple(types) if types.len() == 1 => self.reads(content, Some(&types[0])),
                    Payload::Tuple(types) => parts(types),
                    Payload::Record(fields) => record(content, fields),
                })
            }
            (_, _) => false,
        }
    }

    fn decode_each(&self, json: &Json, types: impl ExactSizeIterator<Item = &'a TypeExpr>) -> Vec<Value> {
        if *json == json!({"$any": null}) {
            return types.map(|_| Value::Hole).collect();
        }
        let items = json.as_array().filter(|items| items.len() == types.len());
        let items = items.unwrap_or_else(|| panic!("{json} is no array of {}", types.len()));
        items.iter().zip(types).map(|(item, ty)| self.decode(item, Some(ty))).collect()
    }

    fn decode_named(&self, json: &Json, name: &str) -> Value {
        let text = || json.as_str().unwrap_or_else(|| panic!("{json} is no {name}")).to_owned();
        match name {
            "bool" => Value::Bool(json.as_bool().expect("a bool")),
            "int" | "client" => {
                let digits = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
                Value::Int(digits.parse().unwrap_or_else(|_| panic!("{json} is no {name}")))
            }
            "string" => Value::Str(text()),
            "json" => Value::token(&opaque(json)),
            "bytes" => Value::Bytes(match json.get("$bytes") {
                Some(encoded) => BASE64_STANDARD.decode(encoded.as_str().expect("base64")).expect("base64"),
                None => text().into_bytes(),
            }),
            _ => self.decode_declared(json, self.item(name).unwrap_or_else(|| panic!("an undeclared type {name}"))),
        }
    }

    fn decode_declared(&self, json: &Json, item: &'a ItemKind) -> Value {
        match item {
            ItemKind::Token(_) => Value::token(json),
            ItemKind::Struct { name, fields, .. } => Value::Data(name.text.clone(), self.decode_fields(json, fields)),
            ItemKind::Enum { variants, .. } => {
                let (tag, content) = match json {
                    Json::Object(pairs) => pairs.iter().next().map(|(k, v)| (k.as_str(), v)).expect("a variant"),
                    tag => (tag.as_str().expect("a variant"), &Json::Null),
                };
                let variant = variants.iter().find(|v| v.name.text == tag);
                match &variant.unwrap_or_else(|| panic!("no variant is called {tag}")).payload {
                    Payload::Unit => Value::unit(tag),
                    Payload::Tuple(types) if types.len() == 1 => {
                        Value::variant(tag, vec![self.decode(content, Some(&types[0]))])
                    }
                    Payload::Tuple(types) => Value::variant(tag, self.decode_each(content, types.iter())),
                    Payload::Record(fields) => Value::Data(tag.to_owned(), self.decode_fields(content, fields)),
                }
            }
            _ => panic!("not a type"),
        }
    }

    fn decode_fields(&self, json: &Json, fields: &'a [Field]) -> BTreeMap<String, Value> {
        let is_hole = *json == json!({"$any": null});
        let read = |field: &'a Field| match json.get(&field.name.text) {
            Some(json) => self.decode(json, Some(&field.ty)),
            None => Value::unit("None"),
        };
        let value = |field: &'a Field| if is_hole { Value::Hole } else { read(field) };
        fields.iter().map(|field| (field.name.text.clone(), value(field))).collect()
    }

    /// The JSON of a value under a type.
    pub fn encode(&self, value: &Value, ty: Option<&'a TypeExpr>) -> Json {
        let part = |value: &Value, i: usize| self.encode(value, self.part(ty, i));
        match value {
            Value::Bool(b) => json!(b),
            Value::Int(n) => serde_json::from_str(&n.to_string()).expect("an integer"),
            Value::Str(s) => json!(s),
            Value::Bytes(octets) => match std::str::from_utf8(octets) {
                Ok(text) => json!(text),
                Err(_) => json!({"$bytes": BASE64_STANDARD.encode(octets)}),
            },
            Value::Token(text) => serde_json::from_str(text).expect("a token"),
            Value::Seq(values) => values.iter().enumerate().map(|(i, v)| part(v, i)).collect(),
            Value::Map(map) => match ty.map(|ty| self.kind(ty)) {
                Some(TypeKind::Map(key, _)) if matches!(self.kind(key), TypeKind::Name(n) if n.text == "string") => {
                    let key = |k: &Value| String::from_utf8(k.octets().expect("a string").to_vec()).expect("UTF-8");
                    map.iter().map(|(k, v)| (key(k), part(v, 1))).collect()
                }
                Some(TypeKind::Map(..)) => map.iter().map(|(k, v)| json!([part(k, 0), part(v, 1)])).collect(),
                _ => map.keys().map(|k| part(k, 0)).collect(),
            },
            Value::Hole => json!({"$any": null}),
            Value::Unit => panic!("no value of its own"),
            Value::Data(name, _) if self.part(ty, 0).is_some() && name == "None" => Json::Null,
            Value::Data(_, values) if self.part(ty, 0).is_some() => part(&values["0"], 0),
            Value::Data(name, values) => self.encode_data(name, values, ty),
        }
    }

    fn encode_data(&self, name: &str, values: &BTreeMap<String, Value>, ty: Option<&'a TypeExpr>) -> Json {
        let fields = self.fields(ty, None, name);
        let there = fields.iter().filter(|(name, ty)| !self.is_missing(&values[name], ty));
        let encoded = there.map(|(name, ty)| (name.clone(), self.encode(&values[name], Some(ty))));
        let encoded: Map<String, Json> = encoded.collect();
        let first = fields.first().map(|(name, _)| name.as_str());
        // A variant may be called as a struct is.
        let declared = match ty.map(|ty| self.kind(ty)) {
            Some(TypeKind::Name(name)) => self.item(&name.text),
            _ => self.item(name),
        };
        match first {
            _ if matches!(declared, Some(ItemKind::Struct { .. })) => Json::Object(encoded),
            None => json!(name),
            Some("0") if fields.len() == 1 => json!({ name: encoded["0"] }),
            Some("0") => json!({ name: encoded.values().collect::<Vec<_>>() }),
            Some(_) => json!({ name: encoded }),
        }
    }
}

/// A value of the type `json` in the one form of all that are equal to it: a number is a whole one times a power of ten.
pub fn opaque(json: &Json) -> Json {
    match json {
        Json::Number(number) => number_form(&number.to_string()),
        Json::Array(items) => items.iter().map(opaque).collect(),
        Json::Object(members) => match members.get("$lit").filter(|_| members.len() == 1) {
            Some(literal) => literal.clone(),
            None => {
                let members: BTreeMap<String, Json> = members.iter().map(|(k, v)| (k.clone(), opaque(v))).collect();
                Json::Object(members.into_iter().collect())
            }
        },
        Json::Null | Json::Bool(_) | Json::String(_) => json.clone(),
    }
}

fn number_form(text: &str) -> Json {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut size: BigInt = format!("{whole}{fraction}").parse().expect("digits");
    let mut power = exponent.parse::<i64>().expect("an exponent") - fraction.len() as i64;
    while size != BigInt::from(0) && &size % 10 == BigInt::from(0) {
        size /= 10;
        power += 1;
    }
    let power = if size == BigInt::from(0) || power == 0 { String::new() } else { format!("e{power}") };
    serde_json::from_str(&format!("{size}{power}")).expect("a number")
}
