//! `specs/redis_strings.may`: strings with a time to live.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Bug, Store, integer, text, texts};

struct Held {
    text: String,
    ends: Option<Instant>,
}

type Data = HashMap<String, Held>;

pub struct Strings {
    bug: Bug,
    data: Mutex<Data>,
}

impl Strings {
    pub fn new(bug: Bug) -> Strings {
        Strings { bug, data: Mutex::default() }
    }

    /// The data without what has ended.
    fn data(&self) -> MutexGuard<'_, Data> {
        let mut data = self.data.lock().unwrap();
        data.retain(|_, held| held.ends.is_none_or(|ends| Instant::now() < ends));
        data
    }

    fn set(&self, key: &str, text: &str) -> Option<String> {
        let held = Held { text: text.to_owned(), ends: None };
        self.data().insert(key.to_owned(), held).map(|held| held.text)
    }

    fn add(&self, key: &str, delta: i64) -> Value {
        let mut data = self.data();
        let before = data.get(key).map_or("0", |held| &held.text);
        let Some(n) = before.parse::<i64>().ok().filter(|n| n.to_string() == *before) else {
            return json!("NotAnInteger");
        };
        let Some(sum) = n.checked_add(delta) else { return json!("Overflow") };
        if self.bug.is("racing-incr") {
            drop(data);
            self.bug.switch("racing-incr");
            data = self.data();
        }
        let held = data.entry(key.to_owned()).or_insert(Held { text: String::new(), ends: None });
        if self.bug.is("incr-drops-ttl") {
            held.ends = None;
        }
        held.text = sum.to_string();
        json!({ "Number": sum })
    }

    fn append(&self, key: &str, text: &str) -> Value {
        let mut data = self.data();
        let held = data.entry(key.to_owned()).or_insert(Held { text: String::new(), ends: None });
        held.text.push_str(text);
        json!({"Number": held.text.chars().count()})
    }

    fn expire(&self, key: &str, seconds: i128) -> Value {
        let mut data = self.data();
        let Some(held) = data.get_mut(key) else { return json!({"Number": 0}) };
        let seconds = if self.bug.is("one-second-more") { seconds + 1 } else { seconds };
        match u64::try_from(seconds) {
            Ok(seconds @ 1..) => held.ends = Some(Instant::now() + Duration::from_secs(seconds)),
            _ => _ = data.remove(key),
        }
        json!({"Number": 1})
    }

    fn ttl(&self, key: &str) -> Value {
        let left = match self.data().get(key) {
            None => -2,
            Some(Held { ends: None, .. }) => -1,
            Some(Held { ends: Some(ends), .. }) => {
                let left = ends.saturating_duration_since(Instant::now());
                i64::try_from(left.as_millis().div_ceil(1000)).unwrap_or(i64::MAX)
            }
        };
        json!({ "Number": left })
    }

    /// The text as Get and GetSet show it.
    fn shown(&self, text: Option<String>) -> Value {
        json!({"Text": text.filter(|text| !(text.is_empty() && self.bug.is("empty-is-nil")))})
    }
}

impl Store for Strings {
    fn ask(&self, name: &str, q: &Value) -> Value {
        let (key, value) = (text(&q["key"]), text(&q["value"]));
        let number = |n: usize| json!({ "Number": n });
        match name {
            "Get" => self.shown(self.data().get(key).map(|held| held.text.clone())),
            "Set" => {
                self.set(key, value);
                json!("Ok")
            }
            "SetNx" => {
                let mut data = self.data();
                let is_new = !data.contains_key(key);
                data.entry(key.to_owned()).or_insert(Held { text: value.to_owned(), ends: None });
                number(usize::from(is_new))
            }
            "GetSet" => self.shown(self.set(key, value)),
            "Incr" => self.add(key, 1),
            "Decr" => self.add(key, -1),
            "Append" => self.append(key, value),
            "Strlen" => number(self.data().get(key).map_or(0, |held| held.text.chars().count())),
            "Del" => {
                let mut data = self.data();
                number(texts(q).filter(|key| data.remove(*key).is_some()).count())
            }
            "Exists" => {
                let data = self.data();
                number(texts(q).filter(|key| data.contains_key(*key)).count())
            }
            "Expire" => self.expire(key, integer(&q["seconds"])),
            "Persist" => number(usize::from(self.data().get_mut(key).is_some_and(|held| held.ends.take().is_some()))),
            "Ttl" => self.ttl(key),
            _ => {
                self.data().clear();
                json!("Ok")
            }
        }
    }
}
