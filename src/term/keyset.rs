//! Sets of known scalars, shared by reference: `x in S` is one constraint however large S is.
//!
//! For example the condition that a key is not among the 10,000 keys of a map is one negated `Member`, made in constant time.

use crate::scalar::{Int, Scalar};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

/// An identity of a set: that of a map, and a scalar.
pub type Identity<'s> = (MapIdentity<'s>, Option<&'s Scalar>);

/// An identity of a map: an address, and numbers and scalars that say what it is of the thing that lives there.
pub type MapIdentity<'m> = (usize, &'m [usize], &'m [Scalar]);

/// A finite set of scalars that never changes.
pub trait ScalarSet: Send + Sync {
    /// Tests whether `scalar` is an element.
    fn contains(&self, scalar: &Scalar) -> bool;
    /// Number of elements.
    fn len(&self) -> usize;
    /// Calls `visit` on each element, in an order that depends on the content only, until it breaks.
    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>);
    /// Tests whether the set has no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// An upper bound of [`ScalarSet::len`], found in constant time.
    fn at_most(&self) -> usize {
        self.len()
    }
    /// The element, if there is exactly one.
    fn single(&self) -> Option<Scalar> {
        if self.len() != 1 {
            return None;
        }
        let mut only = None;
        self.for_each(&mut |scalar| {
            only = Some(scalar.clone());
            ControlFlow::Break(())
        });
        only
    }
    /// Calls `found` on the integers of the set between two ends; returns false, without a call, if the set cannot list only these.
    fn between(&self, _ends: (i64, i64), _found: &mut dyn FnMut(i64)) -> bool {
        false
    }
    /// The integers i for which `sign * i + offset` is an element, if this is a set of positions.
    fn moved(&self, _sign: i64, _offset: &Int) -> Option<KeySet> {
        None
    }
    /// A hash of the definition of the set, if the set should not be hashed by content.
    fn own_hash(&self) -> Option<u64> {
        None
    }
    /// The identity of the set, if it has one: two sets that live at the same time and have the same identity have the same elements.
    fn identity(&self) -> Option<Identity<'_>> {
        None
    }
    /// Tests whether both sets have the same elements.
    fn same(&self, other: &dyn ScalarSet) -> bool {
        self.len() == other.len() && all_of(self, &mut |scalar| other.contains(scalar))
    }
}

fn all_of<S: ScalarSet + ?Sized>(set: &S, test: &mut dyn FnMut(&Scalar) -> bool) -> bool {
    let mut all = true;
    set.for_each(&mut |scalar| {
        all = test(scalar);
        if all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    all
}

impl ScalarSet for BTreeSet<Scalar> {
    fn contains(&self, scalar: &Scalar) -> bool {
        BTreeSet::contains(self, scalar)
    }

    fn len(&self) -> usize {
        BTreeSet::len(self)
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>) {
        let _ = self.iter().try_for_each(visit);
    }

    fn between(&self, (lo, hi): (i64, i64), found: &mut dyn FnMut(i64)) -> bool {
        let within = self.range(Scalar::int(lo)..=Scalar::int(hi));
        within.filter_map(|scalar| scalar.as_int()?.to_i64()).for_each(found);
        true
    }
}

/// A shared set of known scalars.
#[derive(Clone)]
pub struct KeySet(Arc<dyn ScalarSet>);

/// Sets of at most this many elements are hashed by content, larger ones by their size.
const HASHED_BY_CONTENT: usize = 16;

impl KeySet {
    /// Wraps a set; constant time.
    pub fn new(set: Arc<dyn ScalarSet>) -> KeySet {
        KeySet(set)
    }

    /// The set of these scalars.
    pub fn of(scalars: impl IntoIterator<Item = Scalar>) -> KeySet {
        KeySet(Arc::new(scalars.into_iter().collect::<BTreeSet<Scalar>>()))
    }

    /// Tests whether `scalar` is an element.
    pub fn contains(&self, scalar: &Scalar) -> bool {
        self.0.contains(scalar)
    }

    /// Tests whether both are one set by their identities, without a look at the elements.
    pub(super) fn is_shared_with(&self, other: &KeySet) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.identity().is_some_and(|own| other.0.identity() == Some(own))
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// An upper bound of [`KeySet::len`], found in constant time.
    pub fn at_most(&self) -> usize {
        self.0.at_most()
    }

    /// The element, if there is exactly one.
    pub fn single(&self) -> Option<Scalar> {
        self.0.single()
    }

    /// Calls `found` on the integers of the set between two ends; returns false, without a call, if the set cannot list only these.
    pub fn between(&self, ends: (i64, i64), found: &mut dyn FnMut(i64)) -> bool {
        self.0.between(ends, found)
    }

    /// The integers i for which `sign * i + offset` is an element, if this is a set of positions.
    pub(super) fn moved(&self, sign: i64, offset: &Int) -> Option<KeySet> {
        self.0.moved(sign, offset)
    }

    /// Tests whether the set has no element.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first element that passes `test`, in the set's own order.
    pub fn find(&self, mut test: impl FnMut(&Scalar) -> bool) -> Option<Scalar> {
        let mut found = None;
        self.0.for_each(&mut |scalar| {
            if test(scalar) {
                found = Some(scalar.clone());
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// All elements, sorted.
    pub fn sorted(&self) -> Vec<Scalar> {
        let mut list = Vec::with_capacity(self.len());
        self.0.for_each(&mut |scalar| {
            list.push(scalar.clone());
            ControlFlow::Continue(())
        });
        list.sort();
        list
    }

    /// A hash that is the same in every run: of the content, or of the definition of the set.
    pub(super) fn content_hash(&self) -> u64 {
        if let Some(hash) = self.0.own_hash() {
            return hash;
        }
        let mut hash = self.len() as u64;
        if self.len() <= HASHED_BY_CONTENT {
            for scalar in self.sorted() {
                let mut hasher = rustc_hash::FxHasher::default();
                scalar.hash(&mut hasher);
                hash = super::node::mix(hash, hasher.finish());
            }
        }
        hash
    }
}

impl PartialEq for KeySet {
    fn eq(&self, other: &KeySet) -> bool {
        self.is_shared_with(other) || (self.0.own_hash() == other.0.own_hash() && self.0.same(&*other.0))
    }
}

impl Eq for KeySet {}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.sorted()).finish()
    }
}
