//! States, answers and constraints in the words of the specification: `n >= 3`, `data["x"].tag = Some("t7")`.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::dualize::Candidate;
use crate::json;
use crate::solve::Store;
use crate::spec::{Spec, Type, TypeId, Types};
use crate::term::{Term, Var};
use crate::value::{Substitution, Value};

/// Something that is known, as a reader sees it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fact(pub String);

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a candidate knows of the server's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Values of variables and of entries, and what restricts the undetermined ones.
    pub facts: Vec<Fact>,
}

/// Values longer than this are cut in the middle of a fact.
const SHOWN: usize = 120;

/// Names for variables.
pub(super) struct Names {
    of: FxHashMap<u64, String>,
    anonymous: usize,
}

impl Names {
    /// Variables are called `#1`, `#2` … in the order in which they are met.
    pub(super) fn anonymous() -> Names {
        Names { of: FxHashMap::default(), anonymous: 0 }
    }

    fn name(&mut self, var: Var) {
        if !self.of.contains_key(&var.id) {
            self.anonymous += 1;
            self.of.insert(var.id, format!("#{}", self.anonymous));
        }
    }

    /// A value as JSON in which undetermined parts have names.
    pub(super) fn render(&mut self, types: &Types, ty: TypeId, store: &Store, value: &Value) -> String {
        let mut resolve = |term: &Term| Some(store.resolve(term));
        let value = Substitution::everywhere(&mut resolve).apply(value).unwrap_or_else(|| value.clone());
        value.visit_variables(&mut |var| self.name(var));
        self.show(types, ty, &value)
    }

    fn show(&self, types: &Types, ty: TypeId, value: &Value) -> String {
        if value.is_known() {
            return json::encode(types, ty, value);
        }
        match value {
            Value::Term(term) => self.term(term),
            Value::Union(alternatives) => {
                let shown = alternatives.iter().map(|(_, value)| self.show(types, ty, value));
                shown.collect::<Vec<_>>().join(" or ")
            }
            Value::Data { tag, .. } => self.show_data(types, ty, *tag, value.fields()),
            Value::List(list) => {
                let of = types.parts(ty).first().copied().unwrap_or(ty);
                let shown: Vec<String> = list.iter().map(|element| self.show(types, of, element)).collect();
                format!("[{}]", shown.join(", "))
            }
            Value::Map(_) => json::encode(types, ty, value),
            Value::Scalar(_) | Value::Absent => json::encode(types, ty, value),
        }
    }

    fn show_data(&self, types: &Types, ty: TypeId, tag: u32, fields: &[Value]) -> String {
        if let Type::Option(inner) = types.get(ty) {
            return fields.first().map_or_else(|| "null".to_owned(), |field| self.show(types, *inner, field));
        }
        let known = types.fields(ty, tag);
        let shown: Vec<(Option<&str>, String)> =
            known.iter().zip(fields).map(|((name, ty), field)| (*name, self.show(types, *ty, field))).collect();
        let members = |shown: &[(Option<&str>, String)]| {
            let named = shown.iter().map(|(name, text)| format!("\"{}\": {text}", name.unwrap_or_default()));
            format!("{{{}}}", named.collect::<Vec<_>>().join(", "))
        };
        let positional = |shown: &[(Option<&str>, String)]| match shown {
            [(_, one)] => one.clone(),
            many => format!("[{}]", many.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ")),
        };
        let named = shown.iter().all(|(name, _)| name.is_some());
        match types.get(ty) {
            Type::Enum(at) => {
                let variant = &types.enums[*at as usize].variants[tag as usize].name;
                let inner = if named { members(&shown) } else { positional(&shown) };
                format!("{{\"{variant}\": {inner}}}")
            }
            _ if named => members(&shown),
            _ => format!("[{}]", shown.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", ")),
        }
    }

    /// A term in the notation of the language, its variables under their names.
    pub(super) fn term(&self, term: &Term) -> String {
        let written = term.to_string();
        let mut out = String::with_capacity(written.len());
        let mut rest = written.as_str();
        while let Some(at) = rest.find('#') {
            out.push_str(&rest[..at]);
            let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
            let id = rest[at + 1..at + 1 + digits].parse::<u64>().ok();
            match id.and_then(|id| self.of.get(&id)) {
                Some(name) => out.push_str(name),
                None => out.push_str(&rest[at..=at + digits]),
            }
            rest = &rest[at + 1 + digits..];
        }
        out.push_str(rest);
        out
    }

    /// What a store knows of the named variables.
    pub(super) fn facts(&self, store: &Store) -> Vec<Fact> {
        let mut facts = Vec::new();
        for constraint in store.constraints() {
            let mut named = true;
            constraint.vars(&mut |var| named &= self.of.contains_key(&var.id));
            if named {
                facts.push(shortened(self.term(&constraint)));
            }
        }
        facts.sort();
        facts.dedup();
        facts
    }
}

fn shortened(text: String) -> Fact {
    if text.chars().count() <= SHOWN {
        return Fact(text);
    }
    Fact(text.chars().take(SHOWN).chain("…".chars()).collect())
}

impl State {
    /// What a candidate knows.
    #[must_use]
    pub fn of(spec: &Spec, candidate: &Candidate) -> State {
        let mut leaves = Vec::new();
        for (slot, value) in spec.program.slots.iter().zip(&candidate.process.memory).take(spec.program.state_slots()) {
            let mut resolve = |term: &Term| Some(candidate.store.resolve(term));
            let value = Substitution::everywhere(&mut resolve).apply(value).unwrap_or_else(|| value.clone());
            collect(&spec.types, slot.ty, slot.name.clone(), &value, &mut leaves);
        }
        let mut names = Names::anonymous();
        for (path, _, value) in &leaves {
            name_parts(path, value, &mut names);
        }
        let mut facts: Vec<Fact> = leaves
            .iter()
            .filter_map(|(path, ty, value)| {
                let shown = names.show(&spec.types, *ty, value);
                (shown != *path).then(|| shortened(format!("{path} = {shown}")))
            })
            .collect();
        facts.extend(names.facts(&candidate.store));
        State { facts }
    }

    /// What is known here and was not known before.
    #[must_use]
    pub fn news(&self, before: &State) -> Vec<Fact> {
        self.facts.iter().filter(|fact| !before.facts.contains(fact)).cloned().collect()
    }
}

/// The parts of a state that are facts of their own: variables, and the entries of maps and sets.
fn collect(types: &Types, ty: TypeId, path: String, value: &Value, leaves: &mut Vec<(String, TypeId, Value)>) {
    let (Value::Map(map), Type::Map(key_type, of)) = (value, types.get(ty)) else {
        leaves.push((path, ty, value.clone()));
        return;
    };
    let Ok(entries) = map.entries() else {
        leaves.push((path, ty, value.clone()));
        return;
    };
    for (key, entry) in entries {
        let key = if key.is_known() { json::encode(types, *key_type, key) } else { "..".to_owned() };
        leaves.push((format!("{path}[{key}]"), *of, entry.value.clone()));
    }
}

/// Names the variables of a value after the place where they stand.
fn name_parts(path: &str, value: &Value, names: &mut Names) {
    if let Value::Term(term) = value
        && let Some(var) = term.as_var()
    {
        names.of.entry(var.id).or_insert_with(|| path.to_owned());
    }
    value.visit_variables(&mut |var| names.name(var));
}
