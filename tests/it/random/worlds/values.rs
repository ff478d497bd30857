//! The sorts of a world: how they are written, how many values the oracle lists of each, random constants and JSON.
//!
//! Example: a `Sort::Map` over token keys is `map<Key, int>`, of which the oracle lists 27, and `[["t", 1]]` is one.

use super::{Key, Sort, World};
use crate::oracle::Domains;
use crate::random::Rng;
use serde_json::{Value as Json, json};

/// The texts that traces mention; the oracle chooses among them.
pub const TEXTS: [&str; 8] = ["", "a", "b", "ab", "A", "1", "-1", "a,b"];

/// Integers of the oracle, those that may stand inside of collections first.
const INTS: [i64; 5] = [1, 0, 2, -1, 3];

/// What `choose` ranges over for the oracle.
pub fn domains() -> Domains {
    Domains { inside: 2, length: 2, depth: 2, runs: 3_000, ..Domains::of(INTS, &["a", "b", "", "ab", "1", "A"]) }
}

impl Sort {
    /// The type as it is written, where maps have values of that sort.
    pub fn written(self, value: Sort) -> String {
        match self {
            Sort::Int => "int".to_owned(),
            Sort::Bool => "bool".to_owned(),
            Sort::Maybe => "option<int>".to_owned(),
            Sort::Pair => "(int, bool)".to_owned(),
            Sort::Key | Sort::Record | Sort::Shape | Sort::Tree => format!("{self:?}"),
            Sort::List => "list<int>".to_owned(),
            Sort::Map => format!("map<Key, {}>", value.written(value)),
            Sort::Set => "set<Key>".to_owned(),
            Sort::Text => "string".to_owned(),
            Sort::Bytes => "bytes".to_owned(),
        }
    }

    /// How many values the oracle lists, about.
    pub fn size(self) -> usize {
        match self {
            Sort::Bool => 2,
            Sort::Set => 4,
            Sort::Int | Sort::Key => 5,
            Sort::Maybe | Sort::Tree | Sort::Text | Sort::Bytes => 6,
            Sort::List => 7,
            Sort::Map => 9,
            Sort::Pair => 10,
            Sort::Shape => 16,
            Sort::Record => 150,
        }
    }
}

impl World {
    pub fn request(&self, rng: &mut Rng) -> Json {
        let (name, sorts) = rng.pick(&self.requests).clone();
        let values: Vec<Json> = sorts.iter().map(|sort| self.json(rng, *sort)).collect();
        match values.len() {
            0 => json!(name),
            1 => json!({ name: values[0] }),
            _ => json!({ name: values }),
        }
    }

    pub fn response(&self, rng: &mut Rng) -> Json {
        let (name, sort) = rng.pick(&self.responses).clone();
        json!({ name: self.json(rng, sort) })
    }

    pub fn json(&self, rng: &mut Rng, sort: Sort) -> Json {
        let small = rng.between(-1, 3);
        let some = rng.percent(60);
        match sort {
            Sort::Int => json!(small),
            Sort::Bool => json!(some),
            Sort::Key => match self.key {
                Key::Int => json!(rng.between(0, 2)),
                Key::Text => json!(rng.pick(&["a", "b", ""])),
                Key::Token => json!(rng.pick(&["t", "u", "v"])),
            },
            Sort::Maybe if some => json!(small),
            Sort::Maybe => Json::Null,
            Sort::Pair => json!([small, some]),
            Sort::Record => {
                let (b, k) = (self.json(rng, Sort::Maybe), self.json(rng, Sort::Key));
                json!({"a": small, "b": b, "k": if some { k } else { Json::Null }})
            }
            Sort::Shape => match rng.below(3) {
                0 => json!("Dot"),
                1 => json!({ "Line": small }),
                _ => json!({"Box": {"w": small, "h": some}}),
            },
            Sort::Tree if some => json!("Leaf"),
            Sort::Tree => json!({"Node": ["Leaf", small, self.json(rng, Sort::Tree)]}),
            Sort::List => (0..rng.below(3)).map(|_| json!(rng.between(0, 2))).collect(),
            Sort::Map => {
                let mut pairs: Vec<(Json, Json)> = Vec::new();
                for _ in 0..rng.below(3) {
                    let key = self.json(rng, Sort::Key);
                    if pairs.iter().all(|(known, _)| *known != key) {
                        pairs.push((key, self.json(rng, self.value)));
                    }
                }
                match self.key {
                    Key::Text => {
                        pairs.into_iter().map(|(k, v)| (k.as_str().unwrap_or_default().to_owned(), v)).collect()
                    }
                    Key::Int | Key::Token => pairs.into_iter().map(|(k, v)| json!([k, v])).collect(),
                }
            }
            Sort::Set => {
                let mut elements: Vec<Json> = (0..rng.below(3)).map(|_| self.json(rng, Sort::Key)).collect();
                elements.sort_by_key(Json::to_string);
                elements.dedup();
                Json::Array(elements)
            }
            Sort::Text | Sort::Bytes => json!(rng.pick(&TEXTS)),
        }
    }
}
