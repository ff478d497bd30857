//! Columns: sequences of known scalars, shared by reference, and the sets of positions at which they pass a test.
//!
//! For example the column `0, 5, 3, 5` has 5 at the positions 1 and 3; beyond its ends it goes on with its last scalar, 5. A column
//! may be a view on something larger, so a column of a log of thousands of entries costs nothing to make.

use crate::scalar::{Int, Scalar, Sort};
use crate::term::node::{count_walked, mix};
use crate::term::{KeySet, ScalarSet};
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Scalars of one sort, by position; they never change.
pub trait Scalars: Send + Sync {
    /// The number of scalars.
    fn len(&self) -> usize;
    /// The scalar at a position, if there is one.
    fn at(&self, position: usize) -> Option<&Scalar>;
    /// Calls a function on the scalars before a position, the last one first, until it breaks.
    fn walk_back(&self, end: usize, visit: &mut dyn FnMut(usize, &Scalar) -> ControlFlow<()>) {
        let mut positions = (0..end).rev().filter_map(|position| Some((position, self.at(position)?)));
        let _ = positions.try_for_each(|(position, scalar)| visit(position, scalar));
    }
    /// Tests whether there is no scalar.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Scalars for Vec<Scalar> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn at(&self, position: usize) -> Option<&Scalar> {
        self.get(position)
    }
}

/// Known scalars of one sort, at least one. Copies share them.
#[derive(Clone)]
pub struct Column(Arc<Held<dyn Scalars>>);

struct Held<S: ?Sized> {
    last: Scalar,
    scalars: S,
}

/// A column is hashed by this many of its scalars, evenly spread.
const SAMPLES: usize = 8;
/// The inspection of this many scalars counts as one node of work.
const LOOKED_AT: usize = 8;
/// Integers of at most this size can be added without overflow.
const FAR: u64 = 1 << 60;

impl Column {
    /// The column of these scalars; `None` if there are none.
    pub fn new(scalars: impl Scalars + 'static) -> Option<Column> {
        let last = scalars.at(scalars.len().checked_sub(1)?)?.clone();
        Some(Column(Arc::new(Held { last, scalars })))
    }

    /// The number of scalars in the column.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.scalars.len()
    }

    /// The scalar at a position, if there is one.
    pub fn at(&self, position: usize) -> Option<&Scalar> {
        self.0.scalars.at(position)
    }

    /// The last scalar.
    pub fn last(&self) -> &Scalar {
        &self.0.last
    }

    /// The scalar at a position; beyond both ends the last one.
    pub fn total(&self, position: &Int) -> &Scalar {
        position.to_usize().and_then(|position| self.at(position)).unwrap_or(self.last())
    }

    /// The sort of the scalars.
    pub fn sort(&self) -> Sort {
        self.last().sort()
    }

    /// All scalars, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Scalar> {
        (0..self.len()).filter_map(|position| self.at(position))
    }

    /// The last position before `end` whose scalar passes a test.
    pub(crate) fn last_where(&self, end: usize, test: &mut dyn FnMut(&Scalar) -> bool) -> Option<usize> {
        let mut found = None;
        self.walk_back(end, 0, &mut |position, scalar| match test(scalar) {
            true => {
                found = Some(position);
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        });
        found
    }

    /// Calls a function on the scalars from `end` down to `start`, until it breaks.
    fn walk_back(&self, end: usize, start: usize, visit: &mut dyn FnMut(usize, &Scalar) -> ControlFlow<()>) {
        let mut reached = end;
        self.0.scalars.walk_back(end, &mut |position, scalar| {
            reached = position;
            if position < start { ControlFlow::Break(()) } else { visit(position, scalar) }
        });
        count_walked((end - reached) / LOOKED_AT);
    }

    /// A hash that depends on the content only: of the length and of some scalars.
    pub(crate) fn sampled_hash(&self) -> u64 {
        let len = self.len();
        let positions = (0..SAMPLES).map(|sample| sample * (len - 1) / (SAMPLES - 1));
        positions.filter_map(|position| self.at(position)).fold(len as u64, |hash, scalar| mix(hash, hash_of(scalar)))
    }

    fn is_same(&self, other: &Column) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.0), Arc::as_ptr(&other.0))
    }
}

pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        self.is_same(other) || (self.len() == other.len() && self.iter().eq(other.iter()))
    }
}

impl Eq for Column {}

impl std::fmt::Debug for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A test of one scalar.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// The scalar is this one.
    Is(Scalar),
    /// The scalar is this one, or comes before it.
    UpTo(Scalar),
    /// The scalar comes before this one.
    Before(Scalar),
    /// The scalar is an element of this set.
    In(KeySet),
}

impl Test {
    pub(crate) fn passes(&self, scalar: &Scalar) -> bool {
        match self {
            Test::Is(known) => scalar == known,
            Test::UpTo(end) => scalar <= end,
            Test::Before(end) => scalar < end,
            Test::In(set) => set.contains(scalar),
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        match self {
            Test::Is(known) => mix(1, hash_of(known)),
            Test::UpTo(end) => mix(2, hash_of(end)),
            Test::Before(end) => mix(3, hash_of(end)),
            Test::In(set) => mix(4, set.content_hash()),
        }
    }
}

/// The integers `i` for which `sign * i + offset` is a position whose scalar passes a test (or fails it, if not `passing`). There
/// are at least two.
struct Positions {
    column: Column,
    test: Test,
    passing: bool,
    sign: i64,
    offset: Int,
    count: OnceLock<usize>,
}

/// The set of the positions of a column whose scalars pass a test (or fail it, if not `passing`); there must be at least two.
pub(crate) fn positions(column: &Column, test: Test, passing: bool) -> KeySet {
    let (column, count) = (column.clone(), OnceLock::new());
    KeySet::new(Arc::new(Positions { column, test, passing, sign: 1, offset: Int::ZERO, count }))
}

impl Positions {
    fn is_found(&self, scalar: &Scalar) -> bool {
        self.test.passes(scalar) == self.passing
    }

    /// The element that stands for a position.
    fn element(&self, position: usize) -> Scalar {
        let moved = Int::from(position).sub(&self.offset);
        Scalar::Int(if self.sign > 0 { moved } else { moved.neg() })
    }
}

impl ScalarSet for Positions {
    fn contains(&self, scalar: &Scalar) -> bool {
        let Scalar::Int(element) = scalar else { return false };
        let moved = if self.sign > 0 { element.add(&self.offset) } else { self.offset.sub(element) };
        let scalar = moved.to_usize().and_then(|position| self.column.at(position));
        scalar.is_some_and(|scalar| self.is_found(scalar))
    }

    fn len(&self) -> usize {
        *self.count.get_or_init(|| self.column.iter().filter(|scalar| self.is_found(scalar)).count())
    }

    fn at_most(&self) -> usize {
        self.count.get().copied().unwrap_or(self.column.len())
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>) {
        let mut one = |position: usize| match self.column.at(position).is_some_and(|scalar| self.is_found(scalar)) {
            true => visit(&self.element(position)),
            false => ControlFlow::Continue(()),
        };
        let _ = match self.sign > 0 {
            true => (0..self.column.len()).try_for_each(&mut one),
            false => (0..self.column.len()).rev().try_for_each(&mut one),
        };
    }

    fn between(&self, (lo, hi): (i64, i64), found: &mut dyn FnMut(i64)) -> bool {
        let Some(offset) = self.offset.to_i64() else { return false };
        if [lo, hi, offset].iter().any(|n| n.unsigned_abs() > FAR) {
            return false;
        }
        let (first, last) = if self.sign > 0 { (lo + offset, hi + offset) } else { (offset - hi, offset - lo) };
        let end = usize::try_from(last.saturating_add(1)).unwrap_or(0).min(self.column.len());
        let start = usize::try_from(first).unwrap_or(0);
        self.column.walk_back(end, start, &mut |position, scalar| {
            if self.is_found(scalar) {
                found((position as i64 - offset) * self.sign);
            }
            ControlFlow::Continue(())
        });
        true
    }

    fn is_empty(&self) -> bool {
        false
    }

    fn single(&self) -> Option<Scalar> {
        None
    }

    fn moved(&self, sign: i64, offset: &Int) -> Option<KeySet> {
        // sign'(sign·i + offset) + offset' = sign'·sign·i + sign'·offset + offset'
        let own = if self.sign > 0 { offset.clone() } else { offset.neg() };
        Some(KeySet::new(Arc::new(Positions {
            column: self.column.clone(),
            test: self.test.clone(),
            passing: self.passing,
            sign: self.sign * sign,
            offset: own.add(&self.offset),
            count: self.count.clone(),
        })))
    }

    fn own_hash(&self) -> Option<u64> {
        let content = mix(self.column.sampled_hash(), self.test.hash());
        Some(mix(mix(content, hash_of(&(self.passing, self.sign))), hash_of(&self.offset)))
    }
}
