//! The conditions on values that are duties of the client.
//!
//! For example a list `sizes` of at most 3 integers from 1 has the conditions `len(sizes) <= 3` and `all each in sizes: each >= 1`.

use crate::openapi::limits::ValueLimits;
use crate::openapi::types::{Definition, DefinitionBody, INT, STRING, WrittenType};

/// The structs whose values have limits.
#[derive(Debug)]
pub struct LimitedRecords<'d> {
    definitions: &'d [Definition],
    names: &'d [Option<String>],
    /// A flag for each definition: true if its values have limits.
    limited: Vec<bool>,
}

impl<'d> LimitedRecords<'d> {
    /// Finds the structs of these definitions whose values have limits.
    pub fn of(definitions: &'d [Definition], names: &'d [Option<String>]) -> LimitedRecords<'d> {
        let mut found = LimitedRecords { definitions, names, limited: vec![false; definitions.len()] };
        loop {
            let limited: Vec<bool> = (0..definitions.len()).map(|at| !found.of_record(at, "it").is_empty()).collect();
            if limited == found.limited {
                return found;
            }
            found.limited = limited;
        }
    }

    /// Tests whether the values of a struct have limits.
    pub fn has(&self, number: usize) -> bool {
        self.limited[number]
    }

    /// The name of the function that tests whether a struct is within its limits.
    pub fn name(&self, number: usize) -> String {
        format!("`fits_{}`", self.names[number].as_deref().unwrap_or_default())
    }

    /// The conditions on the fields of a struct of this name.
    pub fn of_record(&self, number: usize, name: &str) -> Vec<String> {
        let DefinitionBody::Record { fields, .. } = &self.definitions[number].body else { return Vec::new() };
        let of = |field: &crate::openapi::types::WrittenField| {
            self.conditions(&format!("{name}.`{}`", field.name), &field.ty, &field.limits, 0)
        };
        fields.iter().flat_map(of).collect()
    }

    /// The conditions on a value of this name, which stands so many levels deep in a collection.
    pub fn conditions(&self, name: &str, ty: &WrittenType, limits: &ValueLimits, level: usize) -> Vec<String> {
        let inner = match level {
            0 => "each".to_owned(),
            level => format!("each{}", level + 1),
        };
        let within = |of: &WrittenType, limits: Option<&ValueLimits>| {
            self.conditions(&inner, of, limits.unwrap_or(&ValueLimits::default()), level + 1).join(" && ")
        };
        let elements = limits.elements.as_deref();
        let mut found = Vec::new();
        match ty {
            WrittenType::Option(of) => {
                let of = within(of, Some(limits));
                if !of.is_empty() {
                    found.push(format!("match {name} {{ Some({inner}) => {of}, None => true }}"));
                }
            }
            WrittenType::Defined(number) if self.limited[*number] => {
                found.push(format!("{}({name})", self.name(*number)));
            }
            WrittenType::Map(of) => {
                let of = within(of, elements);
                found.extend((!of.is_empty()).then(|| format!("(all {inner} in {name}.values(): {of})")));
            }
            WrittenType::List(of) => {
                found.extend(limits.of_length(name));
                let is_compared = **of == INT || **of == STRING;
                found.extend(
                    (limits.is_unique && is_compared).then(|| format!("len({{x for x in {name}}}) == len({name})")),
                );
                let of = within(of, elements);
                found.extend((!of.is_empty()).then(|| format!("(all {inner} in {name}: {of})")));
            }
            _ if *ty == INT || *ty == STRING => match &limits.listed {
                Some(listed) if !listed.is_empty() => found.push(format!("{name} in [{}]", listed.join(", "))),
                _ if *ty == INT => found.extend(limits.number.conditions(name)),
                _ if limits.is_number => {}
                _ => found.extend(limits.of_length(name)),
            },
            WrittenType::Defined(_) | WrittenType::Plain(_) => {}
        }
        found
    }
}
