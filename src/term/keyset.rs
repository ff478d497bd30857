//! Sets of known scalars, shared by reference: `x in S` is one constraint however large S is.
//!
//! For example a key that was not among the 10,000 keys of a map: one `Member`, negated, made in constant time.

use crate::scalar::Scalar;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A finite set of scalars that never changes.
pub trait ScalarSet: Send + Sync {
    /// Whether `scalar` is an element.
    fn contains(&self, scalar: &Scalar) -> bool;
    /// Number of elements.
    fn len(&self) -> usize;
    /// Calls `visit` on each element, in an order that depends on the content only, until it breaks.
    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>);
    /// Whether the set has no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether both have the same elements; may be overridden by something faster.
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
}

/// A shared set of known scalars.
#[derive(Clone)]
pub struct KeySet(Arc<dyn ScalarSet>);

/// Sets up to this size are hashed by content.
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

    /// Whether `scalar` is an element.
    pub fn contains(&self, scalar: &Scalar) -> bool {
        self.0.contains(scalar)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no element.
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

    /// A hash that depends on the content only.
    pub(super) fn content_hash(&self) -> u64 {
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
        Arc::ptr_eq(&self.0, &other.0) || self.0.same(&*other.0)
    }
}

impl Eq for KeySet {}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.sorted()).finish()
    }
}
