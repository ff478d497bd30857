//! Unknown values: a type and an identity, expanded no further than a question needs (lazy initialization).
//!
//! For example `l + [5]` of an unknown list `l` is `[..l, 5]`, and its length is that of `l` plus one. A node of a recursive type is
//! one [`Unknown`] until its constructor is asked for. A list may have an [`Unseen`] among its elements: a stretch of unknown
//! length, of which one element at a time is expanded. A map may stand on an unknown [`Base`]: entries that the map does not have
//! itself are those of the base, which all copies share.
//!
//! An operation that needs an unknown part asks for it by an [`Ask`]; the answer is an [`ExpandedPart`], which [`Value::filled`] puts
//! into a value.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Entry, Map, OpenItem, OpenList, Value};
use crate::term::Term;

/// An unknown part of a value: its identity and the number of its type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Unknown {
    /// The identity; copies of the part have the same.
    pub id: u64,
    /// The number of the type.
    pub ty: u32,
    /// Set if the part belongs to a hole of the recording. It has a value then that nobody wrote down: a collection can be counted,
    /// case by case.
    #[serde(default)]
    pub is_hole: bool,
}

/// A stretch of a list that has not been looked at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Unseen {
    /// The identity of the stretch, and the type of the list.
    pub unknown: Unknown,
    /// The number of elements: an integer term, at least 0.
    pub length: Term,
}

/// The number of keys of an unknown base for which a map on it has no entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Keys {
    /// None: the map has an entry for each possible key.
    Covered,
    /// Finitely many.
    Finite,
    /// Infinitely many: there is always another one.
    Endless,
}

/// The part of an unknown base that is visible through a map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum View {
    /// Keys and values.
    Whole,
    /// Keys only: the map is the set of the keys.
    Keys,
}

/// The unknown map on which a map stands: the map as it was before any write.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Base {
    /// The identity of the base, and the type of the map.
    pub unknown: Unknown,
    /// The number of keys of the base for which the map has no entry.
    pub keys: Keys,
    /// The part that is visible: keys and values, or keys only.
    pub view: View,
    /// The entries of the base under symbolic keys, in the order in which they were asked for.
    pub touched: Vec<(Value, Entry)>,
    /// The condition that the base has a key for which this map has no entry, if that was asked.
    pub others: Option<Term>,
}

/// A question for a part of an unknown value that an operation needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// The constructor of a node.
    Node(Unknown),
    /// The first element of a stretch of a list, if it has one.
    Item(Unseen, Reach),
    /// The entry of a base under a key.
    Entry(Unknown, Value),
    /// The condition that a base has keys other than these.
    Others(Unknown, Vec<Value>),
    /// All entries of a base: of a hole, which has finitely many.
    Whole(Unknown),
}

/// The number of elements of a stretch that an operation may come to need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// At most as many as the value has that the list is compared with, or as a known position needs.
    Bounded,
    /// All elements.
    Unbounded,
}

/// A part of an unknown value after its expansion: the answer to an [`Ask`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExpandedPart {
    /// The value of a node.
    Node(u64, Value),
    /// The first element of a stretch of a list, and the stretch after it; `None` if the stretch is empty.
    Item(u64, Option<(Value, Unseen)>),
    /// The entry of a base under a key.
    Entry(u64, Value, Entry),
    /// The condition that a base has keys other than those of these entries.
    Others(u64, Vec<(Value, Entry)>, Term),
    /// All entries of a base; the last of several under equal keys counts.
    Whole(u64, Vec<(Value, Entry)>),
}

impl ExpandedPart {
    fn id(&self) -> u64 {
        match self {
            ExpandedPart::Node(id, _)
            | ExpandedPart::Item(id, _)
            | ExpandedPart::Entry(id, ..)
            | ExpandedPart::Others(id, ..)
            | ExpandedPart::Whole(id, _) => *id,
        }
    }
}

#[doc(hidden)]
impl Value {
    /// The value with an expanded part filled in wherever it occurs; `None` if it occurs nowhere.
    #[must_use]
    pub fn filled(&self, part: &ExpandedPart) -> Option<Value> {
        match self {
            Value::Unknown(unknown) => match part {
                ExpandedPart::Node(id, value) if *id == unknown.id => Some(value.clone()),
                ExpandedPart::Node(..)
                | ExpandedPart::Item(..)
                | ExpandedPart::Entry(..)
                | ExpandedPart::Others(..)
                | ExpandedPart::Whole(..) => None,
            },
            Value::Data { tag, fields: Some(fields), .. } => {
                Some(Value::data(*tag, rewritten(fields.iter(), |value| value.filled(part))?))
            }
            Value::List(list) => rewritten(list.iter(), |value| value.filled(part)).map(Value::list),
            Value::Open(list) => filled_list(list, part).map(Value::sequence),
            Value::Map(map) => map.filled(part).map(Value::Map),
            Value::Union(alternatives) => {
                let values = rewritten(alternatives.iter().map(|(_, value)| value), |value| value.filled(part))?;
                let guards = alternatives.iter().map(|(guard, _)| guard.clone());
                Some(super::union(guards.zip(values).collect::<Vec<_>>()))
            }
            Value::Scalar(_) | Value::Term(_) | Value::Data { fields: None, .. } => None,
            Value::Absent | Value::Any => None,
        }
    }

    /// Calls a function on the identity of every unknown part inside.
    pub fn visit_unknowns(&self, visit: &mut dyn FnMut(u64)) {
        match self {
            Value::Unknown(unknown) => visit(unknown.id),
            Value::Data { .. } => self.fields().iter().for_each(|field| field.visit_unknowns(visit)),
            Value::List(list) => list.iter().for_each(|element| element.visit_unknowns(visit)),
            Value::Open(list) => list.iter().map(OpenItem::look).for_each(|item| {
                item.rest().into_iter().for_each(|rest| visit(rest.unknown.id));
                item.value().into_iter().for_each(|value| value.visit_unknowns(visit));
            }),
            Value::Map(map) => map.visit_unknowns(visit),
            Value::Union(alternatives) => alternatives.iter().for_each(|(_, value)| value.visit_unknowns(visit)),
            Value::Scalar(_) | Value::Term(_) | Value::Absent | Value::Any => {}
        }
    }

    /// Calls a function on every stretch of a list inside that has not been looked at.
    pub fn visit_rests(&self, visit: &mut dyn FnMut(&Unseen)) {
        match self {
            Value::Data { .. } => self.fields().iter().for_each(|field| field.visit_rests(visit)),
            Value::List(list) => list.iter().for_each(|element| element.visit_rests(visit)),
            Value::Open(list) => list.iter().map(OpenItem::look).for_each(|item| {
                item.rest().into_iter().for_each(&mut *visit);
                item.value().into_iter().for_each(|value| value.visit_rests(visit));
            }),
            Value::Map(map) => map.visit(&mut |value| value.visit_rests(visit), &mut |_| {}),
            Value::Union(alternatives) => alternatives.iter().for_each(|(_, value)| value.visit_rests(visit)),
            Value::Scalar(_) | Value::Term(_) | Value::Unknown(_) | Value::Absent | Value::Any => {}
        }
    }

    /// Calls a function on every map inside that stands on an unknown base, with the identity of the base.
    pub fn visit_bases<'v>(&'v self, visit: &mut dyn FnMut(u64, &'v Map)) {
        match self {
            Value::Data { .. } => self.fields().iter().for_each(|field| field.visit_bases(visit)),
            Value::List(list) => list.iter().for_each(|element| element.visit_bases(visit)),
            Value::Open(list) => {
                list.iter().filter_map(|item| item.look().value()).for_each(|value| value.visit_bases(visit))
            }
            Value::Map(map) => {
                map.base().into_iter().for_each(|base| visit(base.unknown.id, map));
                map.visit_bases(visit);
            }
            Value::Union(alternatives) => alternatives.iter().for_each(|(_, value)| value.visit_bases(visit)),
            Value::Scalar(_) | Value::Term(_) | Value::Unknown(_) | Value::Absent | Value::Any => {}
        }
    }

    /// Tests whether a part of an observed value was not recorded.
    #[must_use]
    pub fn has_holes(&self) -> bool {
        match self {
            Value::Any => true,
            Value::Data { .. } => {
                self.fields().iter().any(|field| !matches!(field, Value::Scalar(_)) && field.has_holes())
            }
            Value::List(list) => list.iter().any(Value::has_holes),
            Value::Map(map) => map.looked_at().any(|(_, entry)| entry.value.has_holes()),
            Value::Scalar(_) | Value::Term(_) | Value::Open(_) | Value::Union(_) => false,
            Value::Unknown(_) | Value::Absent => false,
        }
    }

    /// The value with other identities for its unknown parts; `None` if it has none.
    #[must_use]
    pub fn renumbered(&self, number: &dyn Fn(u64) -> u64) -> Option<Value> {
        let renumber = |unknown: &Unknown| Unknown { id: number(unknown.id), ..*unknown };
        match self {
            Value::Unknown(unknown) => Some(Value::Unknown(renumber(unknown))),
            Value::Data { tag, fields: Some(fields), .. } => {
                rewritten(fields.iter(), |value| value.renumbered(number)).map(|fields| Value::data(*tag, fields))
            }
            Value::List(list) => rewritten(list.iter(), |value| value.renumbered(number)).map(Value::list),
            Value::Open(list) => {
                let item = |item: &OpenItem| match item {
                    OpenItem::Rest(rest) => {
                        let rest = Unseen { unknown: renumber(&rest.unknown), length: rest.length.clone() };
                        Some(OpenItem::Rest(Arc::new(rest)))
                    }
                    other => other.changed(|value| value.renumbered(number)),
                };
                rewritten(list.iter(), item).map(|items| Value::sequence(items.into_iter().collect()))
            }
            Value::Map(map) => map.renumbered(number).map(Value::Map),
            Value::Union(alternatives) => {
                let values = rewritten(alternatives.iter().map(|(_, value)| value), |value| value.renumbered(number))?;
                let guards = alternatives.iter().map(|(guard, _)| guard.clone());
                Some(Value::Union(guards.zip(values).collect()))
            }
            Value::Scalar(_) | Value::Term(_) | Value::Data { fields: None, .. } | Value::Absent | Value::Any => None,
        }
    }

    /// The question for the constructor of this value, if the value or an alternative of it is an unknown node.
    #[must_use]
    pub fn unseen(&self) -> Option<Ask> {
        match self {
            Value::Unknown(unknown) => Some(Ask::Node(*unknown)),
            Value::Union(alternatives) => alternatives.iter().find_map(|(_, value)| value.unseen()),
            _ => None,
        }
    }
}

/// The values after a function has changed some of them; `None` if it changes none, so that shared nodes stay shared.
pub(super) fn rewritten<'v, T: Clone + 'v>(
    values: impl Iterator<Item = &'v T> + Clone,
    mut change: impl FnMut(&T) -> Option<T>,
) -> Option<Vec<T>> {
    let (at, first) = values.clone().enumerate().find_map(|(at, value)| Some((at, change(value)?)))?;
    let mut all: Vec<T> = values.clone().take(at).cloned().collect();
    all.push(first);
    all.extend(values.skip(at + 1).map(|value| change(value).unwrap_or_else(|| value.clone())));
    Some(all)
}

/// The items of an open list with an expanded part filled in. A stretch becomes its first element and the stretch after it, or
/// nothing. `None` if no item changed.
fn filled_list(list: &OpenList, part: &ExpandedPart) -> Option<OpenList> {
    let mut changed = false;
    let mut filled = OpenList::new();
    for item in list {
        match (item, part) {
            (OpenItem::Rest(rest), ExpandedPart::Item(id, found)) if *id == rest.unknown.id => {
                changed = true;
                let found = found.iter().map(|(first, others)| (OpenItem::One(first.clone()), others.clone()));
                filled.extend(found.flat_map(|(first, others)| [first, OpenItem::Rest(Arc::new(others))]));
            }
            (item, part) => {
                let new = item.changed(|value| value.filled(part));
                changed |= new.is_some();
                filled.push_back(new.unwrap_or_else(|| item.clone()));
            }
        }
    }
    changed.then_some(filled)
}

pub(super) fn is_about(part: &ExpandedPart, unknown: &Unknown) -> bool {
    part.id() == unknown.id
}
