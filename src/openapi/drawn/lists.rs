//! The constants that list the drawn values of fields.
//!
//! For example ``const `Note.id`: list<string> = UUID;`` after `const UUID: list<string> = ["7f2c1b9e-…", …];`.

use rustc_hash::FxHashMap;

use super::{DrawnValues, drawn};
use crate::openapi::naming::TakenNames;
use crate::openapi::types::{Definition, DefinitionBody, WrittenField, WrittenType};

/// A constant: its name, its type without `list`, and its value.
#[derive(Debug)]
pub struct DrawnList {
    /// Its name.
    pub name: String,
    /// The type of the elements.
    pub ty: String,
    /// The list, or the name of another constant.
    pub value: String,
}

/// The structs that the values of fields contain, by the index of their definition.
pub fn records<'f>(definitions: &[Definition], fields: impl Iterator<Item = &'f WrittenField>) -> Vec<usize> {
    let mut todo: Vec<&WrittenType> = fields.map(|field| &field.ty).collect();
    let mut found = vec![false; definitions.len()];
    while let Some(ty) = todo.pop() {
        match ty {
            WrittenType::Plain(_) => {}
            WrittenType::Option(of) | WrittenType::List(of) | WrittenType::Map(of) => todo.push(of),
            WrittenType::Defined(number) => {
                if let (DefinitionBody::Record { fields, .. }, false) = (&definitions[*number].body, found[*number]) {
                    found[*number] = true;
                    todo.extend(fields.iter().map(|field| &field.ty));
                }
            }
        }
    }
    (0..definitions.len()).filter(|number| found[*number]).collect()
}

/// The constants for fields, each with its name; first those that several fields share.
pub fn lists(
    fields: Vec<(String, &WrittenField)>,
    definitions: &[Definition],
    taken: &mut TakenNames,
) -> Vec<DrawnList> {
    let of = |(name, field): (String, &WrittenField)| Some((name, drawn(&field.ty, &field.limits, definitions)?));
    let found: Vec<(String, DrawnValues)> = fields.into_iter().filter_map(of).collect();
    let mut uses: FxHashMap<&DrawnValues, usize> = FxHashMap::default();
    found.iter().for_each(|(_, values)| *uses.entry(values).or_default() += 1);
    let mut shared: Vec<DrawnList> = Vec::new();
    let mut names: FxHashMap<&DrawnValues, String> = FxHashMap::default();
    let mut own: Vec<DrawnList> = Vec::new();
    for (name, values) in &found {
        let list = || format!("[{}]", values.values.join(", "));
        let value = match &values.name {
            Some(common) if uses[values] > 1 => names.entry(values).or_insert_with(|| {
                let name = taken.take(common);
                shared.push(DrawnList { name: name.clone(), ty: values.ty.clone(), value: list() });
                format!("`{name}`")
            }),
            _ => &list(),
        };
        own.push(DrawnList { name: name.clone(), ty: values.ty.clone(), value: value.clone() });
    }
    shared.extend(own);
    shared
}
