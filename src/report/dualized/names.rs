//! The names of unknown values: `#(vs!n)` of a variable, `q` of the request, `#x1` of a choice.
//!
//! The option in the variable `held` is `#(vs!held)`. The condition that it has a value is `(#(vs!held) is Some)`, and the value
//! is `#(vs!held.value)`.

use crate::spec::{Type, TypeId, Types};
use crate::term::{Term, VariableNames};
use crate::value::{ListItem, Presence, Value};

/// The names of unknowns.
#[derive(Clone, Debug)]
pub(super) struct UnknownNames<'t> {
    types: &'t Types,
    of: VariableNames,
    /// The values that have a name as a whole.
    whole: Vec<(Value, String)>,
}

/// The place of an unknown value, as text: `#(vs!`, `held.value`, `)`.
#[derive(Clone, Debug)]
pub(super) struct NamedPlace {
    before: &'static str,
    path: String,
    after: &'static str,
}

impl NamedPlace {
    /// A variable of the state.
    pub(super) fn variable(name: &str) -> NamedPlace {
        NamedPlace { before: "#(vs!", path: name.trim_start_matches('!').to_owned(), after: ")" }
    }

    /// A part of the request.
    pub(super) fn request(name: &str) -> NamedPlace {
        NamedPlace { before: "", path: name.to_owned(), after: "" }
    }

    /// The choice with this number.
    pub(super) fn choice(number: usize) -> NamedPlace {
        NamedPlace { before: "#x", path: number.to_string(), after: "" }
    }

    fn part(&self, part: &str) -> NamedPlace {
        NamedPlace { path: format!("{}.{part}", self.path), ..self.clone() }
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}{}", self.before, self.path, self.after)
    }
}

impl<'t> UnknownNames<'t> {
    pub(super) fn new(types: &'t Types) -> UnknownNames<'t> {
        UnknownNames { types, of: VariableNames::default(), whole: Vec::new() }
    }

    /// Names the unknown parts of a value after the place of the value.
    pub(super) fn give(&mut self, place: &NamedPlace, ty: TypeId, value: &Value) {
        match value {
            Value::Term(term) => {
                if let Some(var) = term.as_var() {
                    self.of.insert(var.id, place.text());
                }
                return;
            }
            Value::Data { tag, .. } => self.give_fields(place, ty, *tag, value),
            Value::Union(alternatives) => {
                for (guard, alternative) in alternatives.iter() {
                    let Value::Data { tag, .. } = alternative else { continue };
                    if let Some(var) = guard.as_var() {
                        self.of.insert(var.id, format!("({} is {})", place.text(), self.variant(ty, *tag)));
                    }
                    self.give_fields(place, ty, *tag, alternative);
                }
            }
            Value::Scalar(_) | Value::List(_) | Value::Open(_) | Value::Map(_) => return,
            Value::Unknown(_) | Value::Any | Value::Absent => return,
        }
        if !value.is_known() {
            self.whole.push((value.clone(), place.text()));
        }
        value.visit_variables(&mut |var| {
            self.of.entry(var.id).or_insert_with(|| format!("kind({})", place.text()));
        });
    }

    fn give_fields(&mut self, place: &NamedPlace, ty: TypeId, tag: u32, value: &Value) {
        let fields = self.types.fields(ty, tag);
        for (at, ((name, ty), field)) in fields.iter().zip(value.fields()).enumerate() {
            let number = at.to_string();
            let unnamed = if matches!(self.types.get(*ty), Type::Option(_)) { "some" } else { number.as_str() };
            let unnamed = if fields.len() == 1 { "value" } else { unnamed };
            self.give(&place.part(name.unwrap_or(unnamed)), *ty, field);
        }
    }

    fn variant(&self, ty: TypeId, tag: u32) -> String {
        match self.types.get(ty) {
            Type::Option(_) => if tag == 0 { "None" } else { "Some" }.to_owned(),
            Type::Enum(at) => self.types.enums[*at as usize].variants[tag as usize].name.clone(),
            _ => self.types.name(ty),
        }
    }

    /// The value in the notation of the language.
    pub(super) fn value(&self, ty: TypeId, value: &Value) -> String {
        if let Some((_, name)) = self.whole.iter().find(|(known, _)| known == value) {
            return name.clone();
        }
        match value {
            Value::Scalar(scalar) => scalar.to_string(),
            Value::Term(term) => self.term(term),
            Value::Data { tag, .. } => self.data(ty, *tag, value.fields()),
            Value::List(_) | Value::Open(_) => {
                let of = self.types.parts(ty).first().copied().unwrap_or(ty);
                let item = |item: ListItem<'_>| match item {
                    ListItem::One(value) => self.value(of, value),
                    ListItem::Maybe(optional) => {
                        format!("{} if {}", self.value(of, &optional.value), self.term(&optional.presence))
                    }
                    ListItem::Rest(_) => "..".to_owned(),
                };
                format!("[{}]", value.items().map(item).collect::<Vec<_>>().join(", "))
            }
            Value::Map(map) => self.map(ty, map),
            Value::Union(alternatives) => self.alternatives(ty, alternatives),
            Value::Unknown(_) | Value::Any | Value::Absent => "?".to_owned(),
        }
    }

    fn alternatives(&self, ty: TypeId, alternatives: &[(Term, Value)]) -> String {
        let Some(((_, last), others)) = alternatives.split_last() else { return "?".to_owned() };
        let arm =
            |(guard, value): &(Term, Value)| format!("if {} {{ {} }} else ", self.term(guard), self.value(ty, value));
        let arms: String = others.iter().map(arm).collect();
        format!("{arms}{{ {} }}", self.value(ty, last))
    }

    fn map(&self, ty: TypeId, map: &crate::value::Map) -> String {
        let parts = self.types.parts(ty);
        let Ok(entries) = map.entries() else { return "{..}".to_owned() };
        let shown: Vec<String> = entries
            .into_iter()
            .map(|(key, entry)| {
                let key = self.value(parts[0], key);
                let entry_value = parts.get(1).map(|of| format!(": {}", self.value(*of, &entry.value)));
                let when = match &entry.presence {
                    Presence::Always => String::new(),
                    Presence::Never => " if false".to_owned(),
                    Presence::When(condition) => format!(" if {}", self.term(condition)),
                };
                format!("{key}{}{when}", entry_value.unwrap_or_default())
            })
            .collect();
        format!("{{{}}}", shown.join(", "))
    }

    fn data(&self, ty: TypeId, tag: u32, fields: &[Value]) -> String {
        let known = self.types.fields(ty, tag);
        let shown: Vec<(Option<&str>, String)> =
            known.iter().zip(fields).map(|((name, ty), field)| (*name, self.value(*ty, field))).collect();
        let name = match self.types.get(ty) {
            Type::Tuple(_) => String::new(),
            _ => self.variant(ty, tag),
        };
        match shown.first() {
            None => name,
            Some((Some(_), _)) => {
                let named = shown.iter().map(|(name, text)| format!("{}: {text}", name.unwrap_or_default()));
                format!("{name} {{ {} }}", named.collect::<Vec<_>>().join(", "))
            }
            Some((None, _)) => {
                format!("{name}({})", shown.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The term in the notation of the language, with the names of its unknowns.
    pub(super) fn term(&self, term: &Term) -> String {
        term.display_with(&self.of).to_string()
    }

    /// The negation of a condition: for `q <= n` it is `n < q`.
    pub(super) fn opposite(&self, condition: &Term) -> String {
        condition.display_with(&self.of).opposite().to_string()
    }
}
