//! The values that a state holds at a place: the keys of a map, a field of its values, the elements of a list.
//!
//! `data: map<string, Resource>` has the places `data, a key`, `data, a value, .value` and `data, a value, .tag`.

use smallvec::SmallVec;

use crate::choice::{ChoiceError, Choices};
use crate::spec::{Spec, Type, TypeId, Types};
use crate::value::{Presence, Value};

/// The depth to which the types of variables are looked into, and the number of places that are told apart.
const DEPTH: usize = 8;
const PLACES: usize = 256;
/// The number of elements of a collection that one is drawn from.
const ELEMENTS: usize = 16;

/// A place in the states of a specification.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct StatePlace {
    pub slot: u32,
    pub steps: SmallVec<[StateStep; 4]>,
}

/// A step to a part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum StateStep {
    /// A key of a map, or an element of a set.
    Key,
    /// A value of a map.
    Entry,
    /// An element of a list.
    Element,
    /// A field of a variant.
    Field(u32, u32),
}

/// A place, with the type of what is there and the name of the innermost field or variable around it.
#[derive(Clone, Debug)]
pub(super) struct TypedPlace {
    pub place: StatePlace,
    pub ty: TypeId,
    pub name: String,
}

/// All places in the states of a specification at which a scalar, a struct or a variant may be.
pub(super) fn places(spec: &Spec) -> Vec<TypedPlace> {
    let mut found = Vec::new();
    for (slot, variable) in spec.program.slots[..spec.program.state_slots()].iter().enumerate() {
        let place = StatePlace { slot: slot as u32, steps: SmallVec::new() };
        find(&spec.types, &TypedPlace { place, ty: variable.ty, name: variable.name.clone() }, &mut found);
    }
    found
}

fn find(types: &Types, at: &TypedPlace, found: &mut Vec<TypedPlace>) {
    if at.place.steps.len() > DEPTH || found.len() >= PLACES {
        return;
    }
    let mut go = |step: StateStep, ty: TypeId, name: &str| {
        let mut place = at.place.clone();
        place.steps.push(step);
        find(types, &TypedPlace { place, ty, name: name.to_owned() }, found);
    };
    match types.get(at.ty) {
        Type::List(of) => go(StateStep::Element, *of, &at.name),
        Type::Set(of) => go(StateStep::Key, *of, &at.name),
        Type::Map(key, of) => {
            go(StateStep::Key, *key, &at.name);
            go(StateStep::Entry, *of, &at.name);
        }
        Type::Option(of) => go(StateStep::Field(1, 0), *of, &at.name),
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
                    place.steps.push(StateStep::Field(tag, index as u32));
                    find(types, &TypedPlace { place, ty, name }, found);
                }
            }
        }
    }
}

impl StatePlace {
    /// A value that a state has at this place; nothing where none is known.
    ///
    /// # Errors
    /// Where the source of choices fails.
    pub fn draw(&self, state: &[Value], choices: &mut dyn Choices) -> Result<Option<Value>, ChoiceError> {
        let Some(mut value) = state.get(self.slot as usize) else { return Ok(None) };
        for step in &self.steps {
            let next = match (step, value) {
                (StateStep::Field(tag, index), Value::Data { tag: own, .. }) if tag == own => {
                    value.fields().get(*index as usize)
                }
                (StateStep::Element, Value::List(list)) if !list.is_empty() => {
                    list.get(choices.choose("element of the state", list.len().min(ELEMENTS))?)
                }
                (StateStep::Key | StateStep::Entry, Value::Map(map)) if map.bound() > 0 => {
                    let at = choices.choose("entry of the state", map.bound().min(ELEMENTS))?;
                    let entry = map.looked_at().nth(at).filter(|(_, entry)| entry.presence == Presence::Always);
                    entry.map(|(key, entry)| if *step == StateStep::Key { key } else { &entry.value })
                }
                _ => None,
            };
            let Some(next) = next else { return Ok(None) };
            value = next;
        }
        Ok(value.is_known().then(|| value.clone()))
    }
}
