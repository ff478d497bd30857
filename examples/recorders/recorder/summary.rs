//! The numbers of a recording: `3 exchanges (Number 2, Ok 1)`.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// The numbers of exchanges for each kind of request and answer.
#[derive(Default)]
pub struct Summary {
    /// The numbers, by the name of the request and of the answer.
    pub kinds: BTreeMap<(String, String), u64>,
}

impl Summary {
    /// Counts one line of a trace.
    pub fn count(&mut self, exchange: &Value) {
        *self.kinds.entry((kind(&exchange["q"]), kind(&exchange["a"]))).or_default() += 1;
    }

    /// The number of exchanges.
    pub fn exchanges(&self) -> u64 {
        self.kinds.values().sum()
    }

    /// The number of exchanges with this kind of answer.
    pub fn answers(&self, name: &str) -> u64 {
        self.kinds.iter().filter(|((_, answer), _)| answer == name).map(|(_, count)| count).sum()
    }
}

/// The name of a variant; a hole is `unseen`.
fn kind(value: &Value) -> String {
    let name = value.as_str().or_else(|| value.as_object()?.keys().next().map(String::as_str));
    match name {
        None | Some("$any") => "unseen".to_owned(),
        Some(name) => name.to_owned(),
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = self.kinds.keys().map(|(_, answer)| answer.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let counts: Vec<String> = names.iter().map(|name| format!("{name} {}", self.answers(name))).collect();
        write!(f, "{} exchanges ({})", self.exchanges(), counts.join(", "))
    }
}
