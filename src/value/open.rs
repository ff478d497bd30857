//! Open lists: lists with stretches of unknown length or optional elements, their length, and checks that positions are known.
//!
//! `[..r, 5]` with `r` of length n has length n + 1, and begins with 5 if n is 0.

use std::sync::Arc;

use super::{Ask, Lifted, List, Optional, Reach, Split, Truth, Unseen, Value, optional};
use crate::scalar::{Int, Scalar};
use crate::term::Term;

/// A position up to this one is reached element by element.
const NEAR: usize = 256;

/// The items of an open list, in a persistent vector.
pub type OpenList = im::Vector<OpenItem>;

/// An item of an open list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpenItem {
    /// An element that is certainly there.
    One(Value),
    /// An element that is present under a condition.
    Maybe(Arc<Optional>),
    /// A stretch of elements that has not been looked at.
    Rest(Arc<Unseen>),
}

impl OpenItem {
    /// An element that is present under a condition: nothing if the condition cannot hold.
    #[must_use]
    pub fn under(presence: Truth, value: Value) -> Option<OpenItem> {
        match presence {
            Truth::Known(true) => Some(OpenItem::One(value)),
            Truth::Known(false) => None,
            Truth::Term(presence) => Some(OpenItem::Maybe(Arc::new(Optional { presence, value }))),
        }
    }

    /// A look at the item.
    #[must_use]
    pub fn look(&self) -> ListItem<'_> {
        match self {
            OpenItem::One(value) => ListItem::One(value),
            OpenItem::Maybe(optional) => ListItem::Maybe(optional),
            OpenItem::Rest(rest) => ListItem::Rest(rest),
        }
    }

    /// The item with its value changed: `None` if the function changes nothing, or the item is a stretch.
    pub(super) fn changed(&self, change: impl FnOnce(&Value) -> Option<Value>) -> Option<OpenItem> {
        match self {
            OpenItem::One(value) => change(value).map(OpenItem::One),
            OpenItem::Maybe(optional) => change(&optional.value)
                .map(|value| OpenItem::Maybe(Arc::new(Optional { presence: optional.presence.clone(), value }))),
            OpenItem::Rest(_) => None,
        }
    }
}

/// An item of a list, open or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListItem<'v> {
    /// An element that is certainly there.
    One(&'v Value),
    /// An element that is present under a condition.
    Maybe(&'v Optional),
    /// A stretch of elements that has not been looked at.
    Rest(&'v Unseen),
}

impl<'v> ListItem<'v> {
    /// The presence of an element, and its value if it is present; nothing for a stretch.
    #[must_use]
    pub fn element(self) -> Option<(Truth, &'v Value)> {
        match self {
            ListItem::One(value) => Some((Truth::Known(true), value)),
            ListItem::Maybe(optional) => Some((Truth::Term(optional.presence.clone()), &optional.value)),
            ListItem::Rest(_) => None,
        }
    }

    /// The value of an element, without its presence.
    #[must_use]
    pub fn value(self) -> Option<&'v Value> {
        match self {
            ListItem::One(value) => Some(value),
            ListItem::Maybe(optional) => Some(&optional.value),
            ListItem::Rest(_) => None,
        }
    }

    /// The presence of an optional element.
    #[must_use]
    pub fn presence(self) -> Option<&'v Term> {
        if let ListItem::Maybe(optional) = self { Some(&optional.presence) } else { None }
    }

    /// The stretch.
    #[must_use]
    pub fn rest(self) -> Option<&'v Unseen> {
        if let ListItem::Rest(rest) = self { Some(rest) } else { None }
    }
}

/// A list, open or not, item by item.
#[derive(Clone, Copy, Debug)]
pub enum ListItems<'v> {
    /// A list of known length.
    Known(&'v List),
    /// An open list.
    Open(&'v OpenList),
}

impl<'v> ListItems<'v> {
    /// The items of a list; `None` if the value is none.
    #[must_use]
    pub fn of(value: &'v Value) -> Option<ListItems<'v>> {
        match value {
            Value::List(list) => Some(ListItems::Known(list)),
            Value::Open(list) => Some(ListItems::Open(list)),
            _ => None,
        }
    }

    /// The number of items.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            ListItems::Known(list) => list.len(),
            ListItems::Open(list) => list.len(),
        }
    }

    /// The item at a place.
    #[must_use]
    pub fn get(self, at: usize) -> Option<ListItem<'v>> {
        match self {
            ListItems::Known(list) => list.get(at).map(ListItem::One),
            ListItems::Open(list) => list.get(at).map(OpenItem::look),
        }
    }

    /// The items in order.
    pub fn iter(self) -> impl Iterator<Item = ListItem<'v>> {
        let (known, open) = match self {
            ListItems::Known(list) => (Some(list), None),
            ListItems::Open(list) => (None, Some(list)),
        };
        let known = known.into_iter().flatten().map(ListItem::One);
        known.chain(open.into_iter().flatten().map(OpenItem::look))
    }

    /// The items as those of an open list.
    pub(super) fn to_open(self) -> OpenList {
        match self {
            ListItems::Known(list) => list.iter().cloned().map(OpenItem::One).collect(),
            ListItems::Open(list) => list.clone(),
        }
    }

    /// Checks that the elements at the places up to `last` (all, if `None`) are known.
    ///
    /// # Errors
    /// The first stretch of unknown length, to be looked at, or the first presence, to be decided.
    pub(super) fn plain(self, last: Option<usize>) -> Lifted<()> {
        if let ListItems::Open(list) = self { plain(list, last) } else { Ok(()) }
    }
}

/// The length of items of a list.
pub(super) fn length<'v>(items: impl Iterator<Item = ListItem<'v>>) -> Value {
    let mut certain = 0i64;
    let mut open: Option<Term> = None;
    let mut presences = Vec::new();
    for item in items {
        match item {
            ListItem::Rest(rest) => {
                open = Some(open.map_or_else(|| rest.length.clone(), |sum| Term::add(&sum, &rest.length)));
            }
            ListItem::Maybe(optional) => presences.push(optional.presence.clone()),
            ListItem::One(_) => certain += 1,
        }
    }
    let present = optional::number(&presences);
    let open = match (open, present) {
        (Some(open), Some(present)) => Some(Term::add(&open, &present)),
        (open, present) => open.or(present),
    };
    match open {
        None => Value::from(certain),
        Some(open) => Value::of_term(Term::add(&open, &Term::constant(Scalar::Int(Int::from(certain))))),
    }
}

/// Checks that the elements at the places up to `last` (all, if `None`) are known.
///
/// # Errors
/// The first stretch of unknown length, to be looked at, or the first presence, to be decided.
pub(super) fn plain(list: &OpenList, last: Option<usize>) -> Lifted<()> {
    all_there(list, last)?;
    looked_at(list, last)
}

/// Checks that no optional element is among the places up to `last` (all, if `None`).
///
/// # Errors
/// The first presence, to be decided.
pub(super) fn all_there(list: &OpenList, last: Option<usize>) -> Lifted<()> {
    let mut before = list.iter().take(last.map_or(usize::MAX, |last| last.saturating_add(1)));
    let first = before.find_map(|item| item.look().presence());
    first.map_or(Ok(()), |presence| Err(Split::On(presence.clone())))
}

/// Checks that no stretch of unknown length is among the places up to `last` (all, if `None`).
///
/// # Errors
/// The first such stretch, to be looked at.
pub(super) fn looked_at(list: &OpenList, last: Option<usize>) -> Lifted<()> {
    let mut before = list.iter().take(last.map_or(usize::MAX, |last| last.saturating_add(1)));
    let first = before.find_map(|item| item.look().rest());
    // As many elements as a known position needs are no guess.
    let reach = if last.is_some_and(|last| last < NEAR) { Reach::Bounded } else { Reach::Unbounded };
    first.map_or(Ok(()), |rest| Err(Split::Ask(Ask::Item(rest.clone(), reach))))
}
