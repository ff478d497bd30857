//! Values: trees whose nodes may be known, symbolic, guarded or unknown.
//!
//! For example `either None or Some(choose T)` is one value with two alternatives, not two candidates. A [`Value`] is a known scalar,
//! a symbolic scalar (a [`Term`]), a constructor with fields, a list, a map or set, a *union* (alternatives under guards that exclude
//! each other), or *unknown* (not looked at yet). Under an assignment of its variables and unknowns a value means one known value.
//! Operations are lifted pointwise over the alternatives.
//!
//! ```
//! use mayhap::value::Value;
//! let some = Value::some(Value::from(5));
//! assert_eq!(some.field(1, 0), Value::from(5));
//! ```

mod alternatives;
mod collection;
mod combine;
mod embed;
mod equal;
mod extent;
mod map;
mod merge;
mod one_of;
mod open;
mod operate;
mod optional;
mod substitute;
mod unknown;

use std::sync::Arc;

use crate::scalar::{Int, Scalar};
use crate::term::Term;

pub use alternatives::Alternatives;
pub use collection::{
    Elements, add_to_set, all_places, among, decided, decided_apart, element, elements, index, len, member,
    set_difference, slice,
};
pub use combine::{begins_with, intersection, is_subset, overlay};
pub use equal::{Conditions, at_most, equal, equal_where, less, may_be_equal};
pub use extent::{BITS_LIMIT, DEPTH_LIMIT, Depth, LENGTH_LIMIT, extent, is_too_large};
pub use map::{Entry, Map, MapParts, PendingWrite, Presence};
pub use merge::{before_joining, merge, union};
pub use one_of::one_of;
pub use open::{ListItem, ListItems, OpenItem, OpenList};
pub use operate::{Arithmetic, add, append_in_place, append_item_in_place, arithmetic, negate, text};
pub use optional::{Optional, has_at_least, has_exactly, includes, with_optional};
pub use substitute::{Leaf, Substitution};
pub use unknown::{Ask, Base, ExpandedPart, Keys, Reach, Unknown, Unseen, View};

/// The elements of a list, in a persistent vector.
pub type List = im::Vector<Value>;

/// A value, possibly symbolic.
///
/// `Any` is only in observed values, and `Absent` only in results, but both may be any part of them, of whatever type. A type for observed
/// values, or for results, would be this one again, and each operation would be there once more.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A known scalar.
    Scalar(Scalar),
    #[doc(hidden)]
    /// A symbolic scalar; never a constant.
    Term(Term),
    /// A struct or tuple (tag 0), an option (`None` 0, `Some` 1) or a variant (its index), with its fields.
    Data {
        /// The number of the constructor.
        tag: u32,
        /// The fields; `None` if the constructor has none, so that unit variants cost nothing.
        fields: Option<Arc<[Value]>>,
        /// The depth, computed from the fields.
        depth: Depth,
    },
    /// A list of known length.
    List(Arc<List>),
    #[doc(hidden)]
    /// A list with stretches of unknown length or optional elements among its elements.
    Open(Arc<OpenList>),
    /// A map; a set is a map to [`Value::UNIT`].
    Map(Map),
    #[doc(hidden)]
    /// Two or more alternatives, of different shapes unless they are read apart ([`Alternatives::apart`]). Their guards exclude each
    /// other, and one of them holds on the path on which the value is used.
    Union(Alternatives),
    #[doc(hidden)]
    /// A node of a recursive type that has not been looked at.
    Unknown(Unknown),
    /// Any value: a part of an observed answer that was not recorded; only in observed values.
    Any,
    /// No value: the result of an expression under a guard that makes it meaningless, such as a field of another variant.
    Absent,
}

/// A condition: known, or a symbolic term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// Known.
    Known(bool),
    /// Symbolic; never a constant.
    Term(Term),
}

/// The result of an operation: a value, or the [`Split`] that must come first, such as a condition on which to fork.
pub type Lifted<T> = Result<T, Split>;

/// A step that must come before an operation can be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Split {
    /// A fork on this condition.
    On(Term),
    /// A look at this part of an unknown value.
    Ask(Ask),
    /// Nothing helps: an unknown collection was counted, which is a fault of the specification.
    Uncounted,
}

impl Split {
    /// A split that says that no decision helps the operation: a fork on a false condition.
    #[must_use]
    pub fn never() -> Split {
        Split::On(Term::constant(Scalar::Bool(false)))
    }
}

impl Value {
    /// The empty tuple.
    pub const UNIT: Value = Value::unit(0);

    /// A constructor with fields.
    #[must_use]
    pub fn data(tag: u32, fields: impl Into<Arc<[Value]>>) -> Value {
        let fields: Arc<[Value]> = fields.into();
        if fields.is_empty() {
            return Value::unit(tag);
        }
        let depth = Depth::above(&fields);
        Value::Data { tag, fields: Some(fields), depth }
    }

    /// A unit variant (`None` is 0).
    #[must_use]
    pub const fn unit(tag: u32) -> Value {
        Value::Data { tag, fields: None, depth: Depth::LEAF }
    }

    /// The option `None`.
    pub const NONE: Value = Value::unit(0);

    /// The option `Some`.
    #[must_use]
    pub fn some(value: Value) -> Value {
        Value::data(1, [value])
    }

    /// A list.
    #[must_use]
    pub fn list(elements: impl IntoIterator<Item = Value>) -> Value {
        Value::List(Arc::new(elements.into_iter().collect()))
    }

    /// A list of items, which is open if stretches or optional elements are among them.
    #[doc(hidden)]
    #[must_use]
    pub fn sequence(items: OpenList) -> Value {
        let mut list = Value::Open(Arc::new(items));
        list.close();
        list
    }

    /// Makes an open list one of known length if all its items are certain elements.
    fn close(&mut self) {
        let Value::Open(items) = self else { return };
        let value = |item: &OpenItem| if let OpenItem::One(value) = item { Some(value.clone()) } else { None };
        if items.iter().all(|item| matches!(item, OpenItem::One(_))) {
            *self = Value::list(items.iter().filter_map(value));
        }
    }

    /// The items of a list, open or not; none if the value is no list.
    #[doc(hidden)]
    pub fn items(&self) -> impl Iterator<Item = ListItem<'_>> {
        ListItems::of(self).into_iter().flat_map(ListItems::iter)
    }

    /// A known string.
    #[must_use]
    pub fn str(text: &str) -> Value {
        Value::Scalar(Scalar::Str(text.into()))
    }

    /// The value of a term: a scalar, if the term is constant.
    #[doc(hidden)]
    #[must_use]
    pub fn of_term(term: Term) -> Value {
        match term.as_const() {
            Some(scalar) => Value::Scalar(scalar.clone()),
            None => Value::Term(term),
        }
    }

    /// The term of a scalar value; `None` for trees.
    #[doc(hidden)]
    #[must_use]
    pub fn as_term(&self) -> Option<Term> {
        match self {
            Value::Scalar(scalar) => Some(Term::constant(scalar.clone())),
            Value::Term(term) => Some(term.clone()),
            Value::Data { .. } | Value::List(_) | Value::Map(_) | Value::Union(_) => None,
            Value::Open(_) | Value::Unknown(_) | Value::Any | Value::Absent => None,
        }
    }

    /// The known integer, if the value is one.
    #[must_use]
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Value::Scalar(Scalar::Int(int)) => Some(int),
            _ => None,
        }
    }

    /// The condition that a boolean value is; false for an absent value.
    #[doc(hidden)]
    #[must_use]
    pub fn truth(&self) -> Truth {
        match self {
            Value::Scalar(Scalar::Bool(known)) => Truth::Known(*known),
            Value::Term(term) => Truth::Term(term.clone()),
            _ => Truth::Known(false),
        }
    }

    /// The condition that a boolean value is; true for an absent value, which is not required to hold.
    pub(crate) fn truth_or_absent(&self) -> Truth {
        if matches!(self, Value::Absent) { Truth::Known(true) } else { self.truth() }
    }

    /// Makes the value absent; a value without heap memory costs no call.
    pub fn clear(&mut self) {
        if !matches!(self, Value::Absent) {
            self.put(Value::Absent);
        }
    }

    /// A copy of the value; a value without heap memory costs no call.
    #[must_use]
    pub fn copied(&self) -> Value {
        match self {
            Value::Absent => Value::Absent,
            Value::Data { tag, fields: None, .. } => Value::unit(*tag),
            Value::Scalar(Scalar::Bool(known)) => Value::from(*known),
            Value::Scalar(Scalar::Int(int)) => match int.to_i64() {
                Some(small) => Value::from(small),
                None => self.clone(),
            },
            other => other.clone(),
        }
    }

    /// Replaces the value; a value without heap memory is dropped without a call.
    pub fn put(&mut self, value: Value) {
        let is_plain = match self {
            Value::Absent | Value::Data { fields: None, .. } => true,
            Value::Scalar(Scalar::Bool(_) | Scalar::Client(_)) => true,
            Value::Scalar(Scalar::Int(int)) => int.is_small(),
            _ => false,
        };
        match is_plain {
            // The old value owns nothing, so it needs no drop.
            true => std::mem::forget(std::mem::replace(self, value)),
            false => *self = value,
        }
    }

    /// Tests whether the whole value is known: no part is symbolic, unknown or absent.
    #[must_use]
    pub fn is_known(&self) -> bool {
        match self {
            Value::Scalar(_) => true,
            Value::Term(_) | Value::Union(_) | Value::Open(_) => false,
            Value::Unknown(_) | Value::Any | Value::Absent => false,
            Value::Data { fields, .. } => fields.iter().flat_map(|f| f.iter()).all(Value::is_known),
            Value::List(list) => list.iter().all(Value::is_known),
            Value::Map(map) => map.is_known(),
        }
    }

    /// The number of nodes of the value, with each element of a collection counted as one.
    #[must_use]
    pub fn breadth(&self) -> usize {
        match self {
            Value::Data { .. } => 1 + self.fields().iter().map(Value::breadth).sum::<usize>(),
            Value::List(list) => 1 + list.len(),
            Value::Open(list) => 1 + list.len(),
            Value::Map(map) => 1 + map.bound(),
            Value::Union(alternatives) => alternatives.iter().map(|(_, value)| 1 + value.breadth()).sum(),
            Value::Scalar(_) | Value::Term(_) | Value::Unknown(_) | Value::Any | Value::Absent => 1,
        }
    }

    /// The number of the variant; 0 for a value whose type has no variants.
    #[must_use]
    pub fn variant(&self) -> u32 {
        if let Value::Data { tag, .. } = self { *tag } else { 0 }
    }

    /// The fields of a constructor.
    #[must_use]
    pub fn fields(&self) -> &[Value] {
        match self {
            Value::Data { fields: Some(fields), .. } => fields,
            _ => &[],
        }
    }

    /// The condition that the constructor is `tag`, lifted over alternatives.
    #[doc(hidden)]
    #[must_use]
    pub fn is_variant(&self, tag: u32) -> Truth {
        match self {
            Value::Data { tag: own, .. } => Truth::Known(*own == tag),
            other => other.is_variant_somewhere(tag),
        }
    }

    fn is_variant_somewhere(&self, tag: u32) -> Truth {
        match self {
            Value::Union(alternatives) => {
                let guards = alternatives.iter().filter(|(_, v)| matches!(v, Value::Data { tag: t, .. } if *t == tag));
                Truth::of(Term::or_all(guards.map(|(guard, _)| guard.clone())))
            }
            _ => Truth::Known(false),
        }
    }

    /// Field `index` of the constructor `tag`, from the alternatives with this constructor; absent if there are none.
    #[must_use]
    pub fn field(&self, tag: u32, index: u32) -> Value {
        match self {
            Value::Data { tag: own, fields: Some(fields), .. } if *own == tag => {
                fields.get(index as usize).cloned().unwrap_or(Value::Absent)
            }
            other => other.field_somewhere(tag, index),
        }
    }

    fn field_somewhere(&self, tag: u32, index: u32) -> Value {
        match self {
            Value::Union(alternatives) => {
                union(alternatives.iter().map(|(guard, value)| (guard.clone(), value.field(tag, index))))
            }
            _ => Value::Absent,
        }
    }

    /// The value with some fields replaced, in every alternative.
    #[must_use]
    pub fn with_fields(&self, replaced: &[(u32, Value)]) -> Value {
        match self {
            Value::Data { tag, fields: Some(fields), .. } => {
                let mut fields: Vec<Value> = fields.to_vec();
                for (index, value) in replaced {
                    fields[*index as usize] = value.clone();
                }
                Value::data(*tag, fields)
            }
            Value::Union(alternatives) => {
                union(alternatives.iter().map(|(guard, value)| (guard.clone(), value.with_fields(replaced))))
            }
            _ => Value::Absent,
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Scalar(Scalar::Int(Int::from(value)))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Scalar(Scalar::Bool(value))
    }
}

impl From<Truth> for Value {
    fn from(truth: Truth) -> Value {
        match truth {
            Truth::Known(known) => known.into(),
            Truth::Term(term) => Value::Term(term),
        }
    }
}

impl Truth {
    /// The truth of a boolean term.
    #[must_use]
    pub fn of(term: Term) -> Truth {
        match term.as_bool() {
            Some(known) => Truth::Known(known),
            None => Truth::Term(term),
        }
    }

    /// The condition as a term.
    #[must_use]
    pub fn term(self) -> Term {
        match self {
            Truth::Known(known) => Term::constant(Scalar::Bool(known)),
            Truth::Term(term) => term,
        }
    }

    /// The conjunction of two conditions.
    #[must_use]
    pub fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Known(false), _) | (_, Truth::Known(false)) => Truth::Known(false),
            (Truth::Known(true), x) | (x, Truth::Known(true)) => x,
            (Truth::Term(a), Truth::Term(b)) => Truth::of(Term::and(&a, &b)),
        }
    }

    /// The disjunction of two conditions.
    #[must_use]
    pub fn or(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Known(true), _) | (_, Truth::Known(true)) => Truth::Known(true),
            (Truth::Known(false), x) | (x, Truth::Known(false)) => x,
            (Truth::Term(a), Truth::Term(b)) => Truth::of(Term::or(&a, &b)),
        }
    }

    /// The negation of the condition.
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Truth {
        match self {
            Truth::Known(known) => Truth::Known(!known),
            Truth::Term(term) => Truth::of(Term::not(&term)),
        }
    }

    /// Tests whether the condition is known to be false.
    #[must_use]
    pub fn is_false(&self) -> bool {
        *self == Truth::Known(false)
    }

    /// Tests whether the condition is known to be true.
    #[must_use]
    pub fn is_true(&self) -> bool {
        *self == Truth::Known(true)
    }
}
