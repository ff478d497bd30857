//! `specs/memcached.may`: a cache of items.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Bug, Store, integer, text, texts};

/// Characters that a Set keeps with the bug `truncates`.
const LONGEST: usize = 32;
/// Seconds that are as good as for ever.
const FOREVER: u64 = 1 << 30;

#[derive(Clone)]
struct Item {
    flags: Value,
    data: String,
    ends: Option<Instant>,
    unique: u64,
}

struct Items {
    items: HashMap<String, Item>,
    changes: u64,
}

pub struct Cache {
    bug: Bug,
    items: Mutex<Items>,
}

/// The end of an item with this time; nothing if it has none.
fn end(exptime: i128) -> Option<Instant> {
    match u64::try_from(exptime) {
        Ok(0) => None,
        Ok(seconds) => Some(Instant::now() + Duration::from_secs(seconds.min(FOREVER))),
        Err(_) if exptime < 0 => Some(Instant::now()),
        Err(_) => None,
    }
}

impl Items {
    fn get(&mut self, key: &str) -> Option<&mut Item> {
        self.items.retain(|_, item| item.ends.is_none_or(|ends| Instant::now() < ends));
        self.items.get_mut(key)
    }

    /// The item is there from now on, as a new version.
    fn renew(&mut self, key: &str, item: Item, bug: &Bug) {
        self.changes += 1;
        let last = self.items.get(key).map(|item| item.unique);
        let kept = last.filter(|_| bug.is("third-unique") && self.changes.is_multiple_of(3));
        self.items.insert(key.to_owned(), Item { unique: kept.unwrap_or(self.changes), ..item });
    }
}

impl Cache {
    /// A cache whose first item has the version after this one.
    pub fn new(bug: Bug, changes: u64) -> Cache {
        Cache { bug, items: Mutex::new(Items { items: HashMap::new(), changes }) }
    }

    fn values(&self, keys: &Value, with_unique: bool) -> Value {
        let mut items = self.items.lock().unwrap();
        let mut entry = |key: &str| {
            let item = items.get(key)?;
            let unique = with_unique.then_some(item.unique);
            Some(json!({"key": key, "flags": item.flags, "data": item.data, "unique": unique}))
        };
        json!({"Values": texts(keys).filter_map(&mut entry).collect::<Vec<_>>()})
    }

    fn store(&self, name: &str, q: &Value) -> Value {
        let mut items = self.items.lock().unwrap();
        let key = text(&q["key"]);
        match (name, items.get(key)) {
            ("Add", Some(_)) | ("Replace", None) => return json!("NotStored"),
            ("Cas", None) => return json!("NotFound"),
            ("Cas", Some(item)) if i128::from(item.unique) != integer(&q["unique"]) => return json!("Exists"),
            _ => {}
        }
        let kept = if self.bug.is("truncates") { LONGEST } else { usize::MAX };
        let data = text(&q["data"]).chars().take(kept).collect();
        let item = Item { flags: q["flags"].clone(), data, ends: end(integer(&q["exptime"])), unique: 0 };
        items.renew(key, item, &self.bug);
        json!("Stored")
    }

    fn grow(&self, q: &Value, grown: impl Fn(&str, &str) -> String) -> Value {
        let mut items = self.items.lock().unwrap();
        let key = text(&q["key"]);
        let Some(item) = items.get(key).cloned() else { return json!("NotStored") };
        let data = grown(&item.data, text(&q["data"]));
        items.renew(key, Item { data, ..item }, &self.bug);
        json!("Stored")
    }

    fn add(&self, q: &Value, sum: impl Fn(u64, u64) -> u64) -> Value {
        let mut items = self.items.lock().unwrap();
        let Ok(delta) = u64::try_from(integer(&q["delta"])) else { return json!("BadDelta") };
        let key = text(&q["key"]);
        let Some(item) = items.get(key).cloned() else { return json!("NotFound") };
        let digits = !item.data.is_empty() && item.data.bytes().all(|byte| byte.is_ascii_digit());
        let Some(n) = item.data.parse().ok().filter(|_| digits) else { return json!("NotANumber") };
        let sum = sum(n, delta);
        items.renew(key, Item { data: sum.to_string(), ..item }, &self.bug);
        json!({ "Number": sum })
    }

    fn decremented(&self, n: u64, delta: u64) -> u64 {
        if self.bug.is("decr-wraps") { n.wrapping_sub(delta) } else { n.saturating_sub(delta) }
    }

    fn touch(&self, q: &Value) -> Value {
        let mut items = self.items.lock().unwrap();
        let Some(item) = items.get(text(&q["key"])) else { return json!("NotFound") };
        item.ends = end(integer(&q["exptime"]));
        json!("Touched")
    }

    fn delete(&self, q: &Value) -> Value {
        let mut items = self.items.lock().unwrap();
        let key = text(&q["key"]);
        let there = items.get(key).is_some();
        items.items.remove(key);
        json!(if there { "Deleted" } else { "NotFound" })
    }
}

impl Store for Cache {
    fn ask(&self, name: &str, q: &Value) -> Value {
        match name {
            "Get" | "Gets" => self.values(q, name == "Gets"),
            "Set" | "Add" | "Replace" | "Cas" => self.store(name, q),
            "Append" => self.grow(q, |data, more| format!("{data}{more}")),
            "Prepend" => self.grow(q, |data, more| format!("{more}{data}")),
            "Delete" => self.delete(q),
            "Incr" => self.add(q, u64::wrapping_add),
            "Decr" => self.add(q, |n, delta| self.decremented(n, delta)),
            "Touch" => self.touch(q),
            _ => {
                self.items.lock().unwrap().items.clear();
                json!("Ok")
            }
        }
    }
}
