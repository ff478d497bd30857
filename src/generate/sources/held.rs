//! The values that a state holds at a place: the keys of a map, a field of its values, or the elements of a list.
//!
//! `data: map<string, Resource>` has the places `data, a key`, `data, a value, .value` and `data, a value, .tag`.

use crate::choice::{ChoiceError, Choices};
use crate::spec::analysis::links::{LinkedPart, PartPath, PartStep};
use crate::spec::{Spec, Type, TypeId, Types};
use crate::value::{Presence, Value};

/// The depth to which the types of variables are searched for places, and the most places that are told apart.
const DEPTH: usize = 8;
const PLACES: usize = 256;
/// The most elements of a collection that may be drawn: the first ones.
const ELEMENTS: usize = 16;

/// A place, with the type of its values, and the name of the innermost field or variable around it.
#[derive(Clone, Debug)]
pub(crate) struct TypedPlace {
    pub place: LinkedPart,
    pub ty: TypeId,
    pub name: String,
}

/// All places in the states of a specification that may hold a scalar, a struct or a variant.
pub(crate) fn places(spec: &Spec) -> Vec<TypedPlace> {
    let mut found = Vec::new();
    for (slot, variable) in spec.program.slots[..spec.program.state_slots()].iter().enumerate() {
        let place = LinkedPart { slot: slot as u32, path: PartPath::new() };
        find(&spec.types, &TypedPlace { place, ty: variable.ty, name: variable.name.clone() }, &mut found);
    }
    found
}

fn find(types: &Types, at: &TypedPlace, found: &mut Vec<TypedPlace>) {
    if at.place.path.len() > DEPTH || found.len() >= PLACES {
        return;
    }
    let mut go = |step: PartStep, ty: TypeId, name: &str| {
        let mut place = at.place.clone();
        place.path.push(step);
        find(types, &TypedPlace { place, ty, name: name.to_owned() }, found);
    };
    match types.get(at.ty) {
        Type::List(of) => go(PartStep::Element, *of, &at.name),
        Type::Set(of) => go(PartStep::Element, *of, &at.name),
        Type::Map(key, of) => {
            go(PartStep::Element, *key, &at.name);
            go(PartStep::Entry, *of, &at.name);
        }
        Type::Option(of) => go(PartStep::Field(1, 0), *of, &at.name),
        kind => {
            found.push(at.clone());
            let variants = match kind {
                Type::Enum(at) => types.enums[*at as usize].variants.len() as u32,
                _ => 1,
            };
            for tag in 0..variants {
                for (index, (name, ty)) in types.fields(at.ty, tag).into_iter().enumerate() {
                    let name = name.unwrap_or(&at.name).to_owned();
                    let mut place = at.place.clone();
                    place.path.push(PartStep::Field(tag, index as u32));
                    find(types, &TypedPlace { place, ty, name }, found);
                }
            }
        }
    }
}

/// Draws a value that a state holds at a place; `None` if none is known.
///
/// # Errors
/// The source of choices fails.
pub(crate) fn draw(
    place: &LinkedPart,
    state: &[Value],
    choices: &mut dyn Choices,
) -> Result<Option<Value>, ChoiceError> {
    let Some(mut value) = state.get(place.slot as usize) else { return Ok(None) };
    for step in &place.path {
        let next = match (step, value) {
            (PartStep::Field(tag, index), Value::Data { tag: own, .. }) if tag == own => {
                value.fields().get(*index as usize)
            }
            (PartStep::Element, Value::List(list)) if !list.is_empty() => {
                list.get(choices.choose("element of the state", list.len().min(ELEMENTS))?)
            }
            (PartStep::Element | PartStep::Entry, Value::Map(map)) if map.bound() > 0 => {
                let at = choices.choose("entry of the state", map.bound().min(ELEMENTS))?;
                let entry = map.looked_at().nth(at).filter(|(_, entry)| entry.presence == Presence::Always);
                entry.map(|(key, entry)| if *step == PartStep::Element { key } else { &entry.value })
            }
            _ => None,
        };
        let Some(next) = next else { return Ok(None) };
        value = next;
    }
    Ok(value.is_known().then(|| value.clone()))
}
