//! The content of a cell: a sum of shapes, trees with a domain at each leaf (`frontier.md`, *Representation*).
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

/// A cell is not taken apart into more shapes than this.
pub(super) const SHAPES: usize = 256;

/// The things that a cell may hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Content {
    /// One of these shapes.
    Shapes(Vec<Shape>),
    /// Some cells whose values depend on each other, up to the names of variables: these are numbered from 1.
    Linked {
        /// Their entries.
        entries: Vec<Entry>,
        /// The facts about the variables, sorted.
        facts: Vec<Term>,
    },
}

/// A tree with a domain at each leaf.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    /// Nothing is there.
    Missing,
    /// A known value.
    Known(Value),
    /// A scalar with several values.
    Leaf(Sort, Domain),
    /// A constructor.
    Data(u32, Vec<Shape>),
    /// A list of known values, some of which may be there or not, each by itself.
    List(Vec<Element>),
}

impl Content {
    /// The sum of some shapes; known scalars are one leaf, lists are united where that is possible.
    pub(super) fn of(shapes: impl IntoIterator<Item = Shape>) -> Content {
        let (scalars, others): (Vec<Shape>, Vec<Shape>) =
            shapes.into_iter().partition(|shape| matches!(shape, Shape::Known(Value::Scalar(_)) | Shape::Leaf(..)));
        let (lists, mut sum): (Vec<Shape>, Vec<Shape>) =
            others.into_iter().partition(|shape| matches!(shape, Shape::Known(Value::List(_)) | Shape::List(_)));
        let mut united: Vec<Shape> = Vec::new();
        lists.into_iter().for_each(|list| add(&mut united, list));
        sum.extend(united);
        let mut leaves: Vec<Shape> = Vec::new();
        let known = scalars.iter().filter_map(Shape::scalar).cloned();
        leaves.extend(Domain::of(known).map(|domain| Shape::leaf(sort_of(&scalars), domain)));
        for leaf in scalars.into_iter().filter(|shape| shape.scalar().is_none()) {
            add(&mut leaves, leaf);
        }
        sum.extend(leaves);
        sum.sort_by_cached_key(|shape| FxBuildHasher.hash_one(shape));
        Content::Shapes(sum)
    }
}

fn sort_of(scalars: &[Shape]) -> Sort {
    scalars.iter().find_map(Shape::scalar).map_or(Sort::Bool, Scalar::sort)
}

/// Adds a leaf or list to others: it grows one of them, or comes in addition.
fn add(shapes: &mut Vec<Shape>, mut shape: Shape) {
    while let Some((at, both)) = shapes.iter().enumerate().find_map(|(at, other)| Some((at, other.union(&shape)?))) {
        shapes.swap_remove(at);
        shape = both;
    }
    shapes.push(shape);
}

impl Shape {
    /// A scalar with a domain.
    pub(super) fn leaf(sort: Sort, domain: Domain) -> Shape {
        match domain.single() {
            Some(known) => Shape::Known(Value::Scalar(known)),
            None => Shape::Leaf(sort, domain),
        }
    }

    /// The value that it is, if there is only one.
    pub(super) fn known(&self) -> Option<&Value> {
        match self {
            Shape::Known(value) => Some(value),
            Shape::Missing | Shape::Leaf(..) | Shape::Data(..) | Shape::List(_) => None,
        }
    }

    fn scalar(&self) -> Option<&Scalar> {
        match self {
            Shape::Known(Value::Scalar(scalar)) => Some(scalar),
            Shape::Known(_) | Shape::Missing | Shape::Leaf(..) | Shape::Data(..) | Shape::List(_) => None,
        }
    }

    /// Tests whether all that another shape may be is one of its values; `false` also where this is not seen.
    pub(super) fn includes(&self, other: &Shape) -> bool {
        match (self, other) {
            (Shape::Leaf(_, domain), Shape::Known(Value::Scalar(known))) => domain.admits(known),
            (Shape::Leaf(_, own), Shape::Leaf(_, theirs)) => own.union(theirs).as_ref() == Some(own),
            (Shape::Data(tag, own), Shape::Data(other, theirs)) => {
                tag == other && own.iter().zip(theirs).all(|(own, theirs)| own.includes(theirs))
            }
            (Shape::Data(tag, own), Shape::Known(known @ Value::Data { tag: other, .. })) => {
                let theirs = known.fields().iter().cloned().map(Shape::Known);
                tag == other && own.iter().zip(theirs).all(|(own, theirs)| own.includes(&theirs))
            }
            (Shape::List(own), other) => other.elements().is_some_and(|theirs| lists::includes(own, &theirs)),
            (own, other) => own == other,
        }
    }

    /// The elements of a list.
    fn elements(&self) -> Option<Cow<'_, [Element]>> {
        match self {
            Shape::List(elements) => Some(Cow::Borrowed(elements)),
            Shape::Known(value) => lists::elements(value).map(Cow::Owned),
            Shape::Missing | Shape::Leaf(..) | Shape::Data(..) => None,
        }
    }

    /// Either leaf or list, where that is one.
    fn union(&self, other: &Shape) -> Option<Shape> {
        if let (Some(own), Some(theirs)) = (self.elements(), other.elements()) {
            return match () {
                () if self.includes(other) => Some(self.clone()),
                () if other.includes(self) => Some(other.clone()),
                () => lists::union(&own, &theirs).map(Shape::List),
            };
        }
        let ((sort, own), (_, theirs)) = (self.domain()?, other.domain()?);
        Some(Shape::leaf(sort, own.union(&theirs)?))
    }

    fn domain(&self) -> Option<(Sort, Domain)> {
        match self {
            Shape::Known(Value::Scalar(known)) => Some((known.sort(), Domain::single_value(known))),
            Shape::Leaf(sort, domain) => Some((*sort, domain.clone())),
            Shape::Known(_) | Shape::Missing | Shape::Data(..) | Shape::List(_) => None,
        }
    }
}
