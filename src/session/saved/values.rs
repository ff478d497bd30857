//! Values as a table, beside the table of terms. Each row refers to earlier rows by their numbers.
//!
//! `Some(#1)` has a row for `#1`, and a row for the constructor with this field.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::terms::{SavedScalar, SavedTerm, TermRows, read_terms};
use crate::term::Term;
use crate::value::{
    Alternatives, Base, Entry, Keys, List, MapParts, OpenItem, OpenList, Optional, PendingWrite, Presence, Unknown,
    Unseen, Value, View, union,
};

/// The values and terms of a saved session.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SavedTables {
    terms: Vec<SavedTerm>,
    values: Vec<SavedValue>,
}

/// A value, in which other values and terms are the numbers of their rows.
#[derive(Serialize, Deserialize)]
enum SavedValue {
    Scalar(SavedScalar),
    Term(u32),
    Data(u32, Vec<u32>),
    List(Vec<u32>),
    Open(Vec<SavedItem>),
    Map(SavedMap),
    Union(Vec<(u32, u32)>),
    Apart(Vec<(u32, u32)>),
    Unknown(Unknown),
    Any,
    Absent,
}

/// An item of an open list.
#[derive(Serialize, Deserialize)]
enum SavedItem {
    One(u32),
    Maybe(u32, u32),
    Rest(Unknown, u32),
}

#[derive(Serialize, Deserialize)]
struct SavedMap {
    entries: Vec<(u32, SavedEntry)>,
    waiting: Vec<SavedWrite>,
    #[serde(rename = "is_eager")]
    decides_early: bool,
    base: Option<SavedBase>,
}

#[derive(Serialize, Deserialize)]
struct SavedWrite {
    key: u32,
    entry: Option<SavedEntry>,
    when: Option<u32>,
    differs: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct SavedBase {
    unknown: Unknown,
    keys: Keys,
    view: View,
    touched: Vec<(u32, SavedEntry)>,
    others: Option<u32>,
}

#[derive(Serialize, Deserialize)]
enum SavedEntry {
    Always(u32),
    When(u32, u32),
    Never(u32),
}

/// The tables while they are written.
#[derive(Default)]
pub(super) struct TableWriter {
    terms: TermRows,
    values: Vec<SavedValue>,
    numbers: FxHashMap<Value, u32>,
}

/// The tables when they are read.
pub(super) struct TableReader {
    terms: Vec<Term>,
    values: Vec<Value>,
}

impl TableWriter {
    pub(super) fn finish(self) -> SavedTables {
        SavedTables { terms: self.terms.rows, values: self.values }
    }

    /// The number of the row of a term.
    pub(super) fn term(&mut self, term: &Term) -> u32 {
        self.terms.number(term)
    }

    /// The number of the row of a value.
    pub(super) fn value(&mut self, value: &Value) -> u32 {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let row = match value {
            Value::Scalar(scalar) => SavedValue::Scalar(SavedScalar::of(scalar)),
            Value::Term(term) => SavedValue::Term(self.term(term)),
            Value::Data { tag, fields, .. } => {
                SavedValue::Data(*tag, self.all(fields.iter().flat_map(|all| all.iter())))
            }
            Value::List(list) => SavedValue::List(self.all(list.iter())),
            Value::Open(list) => SavedValue::Open(list.iter().map(|item| self.item(item)).collect()),
            Value::Map(map) => SavedValue::Map(self.map(MapParts::of(map))),
            Value::Union(alternatives) => {
                let pairs = alternatives.iter().map(|(guard, value)| (self.term(guard), self.value(value))).collect();
                if alternatives.is_apart() { SavedValue::Apart(pairs) } else { SavedValue::Union(pairs) }
            }
            Value::Unknown(unknown) => SavedValue::Unknown(*unknown),
            Value::Any => SavedValue::Any,
            Value::Absent => SavedValue::Absent,
        };
        let number = self.values.len() as u32;
        self.numbers.insert(value.clone(), number);
        self.values.push(row);
        number
    }

    fn item(&mut self, item: &OpenItem) -> SavedItem {
        match item {
            OpenItem::One(value) => SavedItem::One(self.value(value)),
            OpenItem::Maybe(optional) => SavedItem::Maybe(self.term(&optional.presence), self.value(&optional.value)),
            OpenItem::Rest(unseen) => SavedItem::Rest(unseen.unknown, self.term(&unseen.length)),
        }
    }

    pub(super) fn all<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Vec<u32> {
        values.into_iter().map(|value| self.value(value)).collect()
    }

    fn entry(&mut self, entry: &Entry) -> SavedEntry {
        let value = self.value(&entry.value);
        match &entry.presence {
            Presence::Always => SavedEntry::Always(value),
            Presence::When(condition) => SavedEntry::When(self.term(condition), value),
            Presence::Never => SavedEntry::Never(value),
        }
    }

    fn entries(&mut self, entries: &[(Value, Entry)]) -> Vec<(u32, SavedEntry)> {
        entries.iter().map(|(key, entry)| (self.value(key), self.entry(entry))).collect()
    }

    fn map(&mut self, parts: MapParts) -> SavedMap {
        let MapParts { entries, waiting, decides_early, base } = parts;
        let write = |PendingWrite { key, entry, when, differs }: &PendingWrite| SavedWrite {
            key: self.value(key),
            entry: entry.as_ref().map(|entry| self.entry(entry)),
            when: when.as_ref().map(|when| self.term(when)),
            differs: self.all(differs),
        };
        let waiting = waiting.iter().map(write).collect();
        let base = base.map(|Base { unknown, keys, view, touched, others }| SavedBase {
            unknown,
            keys,
            view,
            touched: self.entries(&touched),
            others: others.map(|others| self.term(&others)),
        });
        SavedMap { entries: self.entries(&entries), waiting, decides_early, base }
    }
}

impl TableReader {
    /// The tables; `None` if a row refers to a later one.
    pub(super) fn of(saved: &SavedTables) -> Option<TableReader> {
        let mut tables = TableReader { terms: read_terms(&saved.terms)?, values: Vec::new() };
        for row in &saved.values {
            let value = tables.read(row)?;
            tables.values.push(value);
        }
        Some(tables)
    }

    /// The term in the row with this number.
    pub(super) fn term(&self, number: u32) -> Option<Term> {
        self.terms.get(number as usize).cloned()
    }

    /// The value in the row with this number.
    pub(super) fn value(&self, number: u32) -> Option<Value> {
        self.values.get(number as usize).cloned()
    }

    pub(super) fn all<C: FromIterator<Value>>(&self, numbers: &[u32]) -> Option<C> {
        numbers.iter().map(|number| self.value(*number)).collect()
    }

    fn read(&self, row: &SavedValue) -> Option<Value> {
        let pairs = |pairs: &[(u32, u32)]| {
            let pair = |(guard, value): &(u32, u32)| Some((self.term(*guard)?, self.value(*value)?));
            pairs.iter().map(pair).collect::<Option<Vec<(Term, Value)>>>()
        };
        Some(match row {
            SavedValue::Scalar(scalar) => Value::Scalar(scalar.scalar()?),
            SavedValue::Term(term) => Value::of_term(self.term(*term)?),
            SavedValue::Data(tag, fields) => Value::data(*tag, self.all::<Vec<Value>>(fields)?),
            SavedValue::List(list) => Value::List(Arc::new(self.all::<List>(list)?)),
            SavedValue::Open(list) => {
                Value::sequence(list.iter().map(|item| self.item(item)).collect::<Option<OpenList>>()?)
            }
            SavedValue::Map(map) => Value::Map(self.map(map)?.into_map()),
            SavedValue::Union(alternatives) => union(pairs(alternatives)?),
            SavedValue::Apart(alternatives) => Value::Union(Alternatives::apart(pairs(alternatives)?)),
            SavedValue::Unknown(unknown) => Value::Unknown(*unknown),
            SavedValue::Any => Value::Any,
            SavedValue::Absent => Value::Absent,
        })
    }

    fn item(&self, item: &SavedItem) -> Option<OpenItem> {
        Some(match item {
            SavedItem::One(value) => OpenItem::One(self.value(*value)?),
            SavedItem::Maybe(presence, value) => {
                OpenItem::Maybe(Arc::new(Optional { presence: self.term(*presence)?, value: self.value(*value)? }))
            }
            SavedItem::Rest(unknown, length) => {
                OpenItem::Rest(Arc::new(Unseen { unknown: *unknown, length: self.term(*length)? }))
            }
        })
    }

    fn entry(&self, entry: &SavedEntry) -> Option<Entry> {
        let (presence, value) = match entry {
            SavedEntry::Always(value) => (Presence::Always, value),
            SavedEntry::When(condition, value) => (Presence::When(self.term(*condition)?), value),
            SavedEntry::Never(value) => (Presence::Never, value),
        };
        Some(Entry { presence, value: self.value(*value)? })
    }

    fn entries(&self, entries: &[(u32, SavedEntry)]) -> Option<Vec<(Value, Entry)>> {
        entries.iter().map(|(key, entry)| Some((self.value(*key)?, self.entry(entry)?))).collect()
    }

    fn map(&self, map: &SavedMap) -> Option<MapParts> {
        let write = |SavedWrite { key, entry, when, differs }: &SavedWrite| {
            let entry = match entry {
                Some(entry) => Some(self.entry(entry)?),
                None => None,
            };
            let when = match when {
                Some(when) => Some(self.term(*when)?),
                None => None,
            };
            Some(PendingWrite { key: self.value(*key)?, entry, when, differs: self.all(differs)? })
        };
        let base = match &map.base {
            None => None,
            Some(SavedBase { unknown, keys, view, touched, others }) => {
                let others = match others {
                    Some(others) => Some(self.term(*others)?),
                    None => None,
                };
                Some(Base { unknown: *unknown, keys: *keys, view: *view, touched: self.entries(touched)?, others })
            }
        };
        let waiting = map.waiting.iter().map(write).collect::<Option<Vec<_>>>()?;
        Some(MapParts { entries: self.entries(&map.entries)?, waiting, decides_early: map.decides_early, base })
    }
}
