//! Unification of the types that are sent and received if both are alike, and types that have finite values.
//!
//! For example, if all members of `Note` are both sent and received, the two structs `Note` become one.

use super::types::{Definition, DefinitionBody, Direction, WrittenType, WrittenTypes};

/// The definition that replaces each definition, by index; itself if it stays.
pub type Became = Vec<usize>;

/// Finds the definitions that differ only in the direction of their values.
pub fn united(types: &WrittenTypes<'_>) -> Became {
    let mut became: Became = (0..types.definitions.len()).collect();
    let mut pairs = types.both_ways();
    // All pairs are assumed to be alike; pairs that differ under this assumption are removed until none differs.
    loop {
        for (sent, received) in &pairs {
            became[*sent] = *received;
        }
        let differ = |(sent, received): &(usize, usize)| {
            !are_alike(&types.definitions[*sent], &types.definitions[*received], &became)
        };
        let different: Vec<(usize, usize)> = pairs.iter().copied().filter(differ).collect();
        if different.is_empty() {
            return became;
        }
        for (sent, _) in &different {
            became[*sent] = *sent;
        }
        pairs.retain(|pair| !different.contains(pair));
    }
}

fn are_alike(sent: &Definition, received: &Definition, became: &Became) -> bool {
    match (&sent.body, &received.body) {
        (DefinitionBody::Record { fields: a, .. }, DefinitionBody::Record { fields: b, .. }) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| a.name == b.name && renumbered(&a.ty, became) == renumbered(&b.ty, became))
        }
        _ => false,
    }
}

/// The type with each definition replaced.
pub fn renumbered(ty: &WrittenType, became: &Became) -> WrittenType {
    let within = |of: &WrittenType| Box::new(renumbered(of, became));
    match ty {
        WrittenType::Plain(name) => WrittenType::Plain(name),
        WrittenType::Defined(number) => WrittenType::Defined(became[*number]),
        WrittenType::Option(of) => WrittenType::Option(within(of)),
        WrittenType::List(of) => WrittenType::List(within(of)),
        WrittenType::Map(of) => WrittenType::Map(within(of)),
    }
}

/// Makes options of fields without which a struct would have no finite value.
pub fn make_finite(definitions: &mut [Definition]) {
    loop {
        let finite = finite(definitions);
        let Some((number, field)) = endless(definitions, &finite) else { return };
        let DefinitionBody::Record { fields, .. } = &mut definitions[number].body else { return };
        let field = &mut fields[field];
        field.ty = field.ty.clone().optional();
        field
            .comments
            .push("It is always there, by the description; without an option there would be no end.".to_owned());
    }
}

/// A definition without finite values that contains itself, and the index of the field that leads back to it.
fn endless(definitions: &[Definition], finite: &[bool]) -> Option<(usize, usize)> {
    let next = |number: usize| -> Option<(usize, usize)> {
        let DefinitionBody::Record { fields, .. } = &definitions[number].body else { return None };
        fields.iter().enumerate().find_map(|(at, field)| match field.ty {
            WrittenType::Defined(inner) if !finite[inner] => Some((at, inner)),
            _ => None,
        })
    };
    let mut at = finite.iter().position(|is_finite| !is_finite)?;
    // The walk is longer than the number of definitions, so it has reached a cycle.
    for _ in 0..definitions.len() {
        at = next(at)?.1;
    }
    Some((at, next(at)?.0))
}

/// A flag for each definition: true if it has a finite value.
fn finite(definitions: &[Definition]) -> Vec<bool> {
    let mut known = vec![false; definitions.len()];
    loop {
        let is_finite = |ty: &WrittenType| match ty {
            WrittenType::Defined(number) => known[*number],
            _ => true,
        };
        let now: Vec<bool> = definitions
            .iter()
            .map(|definition| match &definition.body {
                DefinitionBody::Record { fields, .. } => fields.iter().all(|field| is_finite(&field.ty)),
                DefinitionBody::Token | DefinitionBody::Choices(_) => true,
            })
            .collect();
        if now == known {
            return known;
        }
        known = now;
    }
}

/// The names of all definitions that are not replaced.
pub fn wanted_names(definitions: &[Definition], became: &Became) -> Vec<Option<String>> {
    let is_own = |number: usize| became[number] == number;
    let name = |(number, definition): (usize, &Definition)| {
        let received = (0..definitions.len()).any(|other| {
            is_own(other)
                && other != number
                && definitions[other].wanted == definition.wanted
                && definitions[other].direction == Some(Direction::Received)
        });
        let is_input = received && definition.direction == Some(Direction::Sent);
        let wanted = if is_input { format!("{}Input", definition.wanted) } else { definition.wanted.clone() };
        is_own(number).then_some(wanted)
    };
    definitions.iter().enumerate().map(name).collect()
}
