//! The content of a cell: a sum of shapes, trees with a domain at each leaf (`proofs-notes/frontier.md`, *Representation*).
//!
//! `None`, or `Some` of 3 to 7, is two shapes. Leaves are independent of each other, so a shape stands for the product of
//! their domains.

use std::borrow::Cow;
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::lists::{self, Element};
use crate::scalar::{Scalar, Sort};
use crate::solve::Domain;
use crate::term::Term;
use crate::value::{Entry, Value};

/// The values that a cell may hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Content {
    /// One of these shapes.
    Shapes(Vec<DomainTree>),
    /// Several cells whose values depend on each other. Their variables are numbered from 1, so contents that differ in the names of
    /// variables are equal.
    Linked {
        /// The entries of the cells.
        entries: Vec<Entry>,
        /// The facts about the variables, sorted.
        facts: Vec<Term>,
    },
}

/// A tree with a domain at each leaf.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum DomainTree {
    /// Nothing is there.
    Missing,
    /// A known value.
    Known(Value),
    /// A scalar with several values.
    Leaf(Sort, Domain),
    /// A constructor.
    Data(u32, Vec<DomainTree>),
    /// A list of known values, each certain or optional, independently of the others.
    List(Vec<Element>),
}

impl Content {
    /// The sum of some shapes: known scalars become one leaf, and lists are united if that is possible.
    pub(crate) fn of(shapes: impl IntoIterator<Item = DomainTree>) -> Content {
        let (scalars, others): (Vec<DomainTree>, Vec<DomainTree>) = shapes
            .into_iter()
            .partition(|shape| matches!(shape, DomainTree::Known(Value::Scalar(_)) | DomainTree::Leaf(..)));
        let (lists, mut sum): (Vec<DomainTree>, Vec<DomainTree>) = others
            .into_iter()
            .partition(|shape| matches!(shape, DomainTree::Known(Value::List(_)) | DomainTree::List(_)));
        let mut united: Vec<DomainTree> = Vec::new();
        lists.into_iter().for_each(|list| add(&mut united, list));
        sum.extend(united);
        let mut leaves: Vec<DomainTree> = Vec::new();
        let known = scalars.iter().filter_map(DomainTree::scalar).cloned();
        leaves.extend(Domain::of(known).map(|domain| DomainTree::leaf(sort_of(&scalars), domain)));
        for leaf in scalars.into_iter().filter(|shape| shape.scalar().is_none()) {
            add(&mut leaves, leaf);
        }
        sum.extend(leaves);
        sum.sort_by_cached_key(|shape| FxBuildHasher.hash_one(shape));
        Content::Shapes(sum)
    }
}

fn sort_of(scalars: &[DomainTree]) -> Sort {
    scalars.iter().find_map(DomainTree::scalar).map_or(Sort::Bool, Scalar::sort)
}

/// Adds a leaf or list to others, united with those with which that is possible.
fn add(shapes: &mut Vec<DomainTree>, mut shape: DomainTree) {
    while let Some((at, both)) = shapes.iter().enumerate().find_map(|(at, other)| Some((at, other.union(&shape)?))) {
        shapes.swap_remove(at);
        shape = both;
    }
    shapes.push(shape);
}

impl DomainTree {
    /// A scalar with a domain.
    pub(crate) fn leaf(sort: Sort, domain: Domain) -> DomainTree {
        match domain.single() {
            Some(known) => DomainTree::Known(Value::Scalar(known)),
            None => DomainTree::Leaf(sort, domain),
        }
    }

    /// The value, if the tree is a single known one.
    pub(crate) fn known(&self) -> Option<&Value> {
        match self {
            DomainTree::Known(value) => Some(value),
            DomainTree::Missing | DomainTree::Leaf(..) | DomainTree::Data(..) | DomainTree::List(_) => None,
        }
    }

    fn scalar(&self) -> Option<&Scalar> {
        match self {
            DomainTree::Known(Value::Scalar(scalar)) => Some(scalar),
            DomainTree::Known(_)
            | DomainTree::Missing
            | DomainTree::Leaf(..)
            | DomainTree::Data(..)
            | DomainTree::List(_) => None,
        }
    }

    /// Tests whether each value of another shape is one of this one's; `false` also if this cannot be seen.
    pub(crate) fn includes(&self, other: &DomainTree) -> bool {
        match (self, other) {
            (DomainTree::Leaf(_, domain), DomainTree::Known(Value::Scalar(known))) => domain.admits(known),
            (DomainTree::Leaf(_, own), DomainTree::Leaf(_, theirs)) => own.union(theirs).as_ref() == Some(own),
            (DomainTree::Data(tag, own), DomainTree::Data(other, theirs)) => {
                tag == other && own.iter().zip(theirs).all(|(own, theirs)| own.includes(theirs))
            }
            (DomainTree::Data(tag, own), DomainTree::Known(known @ Value::Data { tag: other, .. })) => {
                let theirs = known.fields().iter().cloned().map(DomainTree::Known);
                tag == other && own.iter().zip(theirs).all(|(own, theirs)| own.includes(&theirs))
            }
            (DomainTree::List(own), other) => other.elements().is_some_and(|theirs| lists::includes(own, &theirs)),
            (own, other) => own == other,
        }
    }

    /// The elements of a list.
    fn elements(&self) -> Option<Cow<'_, [Element]>> {
        match self {
            DomainTree::List(elements) => Some(Cow::Borrowed(elements)),
            DomainTree::Known(value) => lists::elements(value).map(Cow::Owned),
            DomainTree::Missing | DomainTree::Leaf(..) | DomainTree::Data(..) => None,
        }
    }

    /// The leaf or list that stands for the values of two, if there is one.
    fn union(&self, other: &DomainTree) -> Option<DomainTree> {
        if let (Some(own), Some(theirs)) = (self.elements(), other.elements()) {
            return match () {
                () if self.includes(other) => Some(self.clone()),
                () if other.includes(self) => Some(other.clone()),
                () => lists::union(&own, &theirs).map(DomainTree::List),
            };
        }
        let ((sort, own), (_, theirs)) = (self.domain()?, other.domain()?);
        Some(DomainTree::leaf(sort, own.union(&theirs)?))
    }

    fn domain(&self) -> Option<(Sort, Domain)> {
        match self {
            DomainTree::Known(Value::Scalar(known)) => Some((known.sort(), Domain::single_value(known))),
            DomainTree::Leaf(sort, domain) => Some((*sort, domain.clone())),
            DomainTree::Known(_) | DomainTree::Missing | DomainTree::Data(..) | DomainTree::List(_) => None,
        }
    }
}
