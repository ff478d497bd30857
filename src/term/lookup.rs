//! Lookups: terms that are the scalar which a dictionary has under a key.
//!
//! For example `{"a": 1, "b": 5, "c": 5}[k]` is 5 if k is "b" or "c": only the key is unknown, so a condition on the scalar is one on
//! the key. All keys that the dictionary lacks have one more scalar, its default, so a lookup has a value like any other term; an
//! operation that reads a map asks first whether it has the key. A dictionary may be a view on something larger: a lookup among
//! thousands of entries costs nothing to make. `proofs-notes/tables.md` says why each law holds.

use super::node::{count_walked, mix};
use super::table::column::{Test, hash_of};
use super::{Identity, KeySet, Kind, MapIdentity, ScalarSet, Term};
use crate::scalar::{Scalar, Sort};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Known scalars under known scalar keys; they never change.
pub trait ScalarMap: Send + Sync {
    /// The scalar under a key, if there is one.
    fn get(&self, key: &Scalar) -> Option<&Scalar>;
    /// Calls a function on each key and its scalar, in any order, until it breaks.
    fn for_each(&self, visit: &mut dyn FnMut(&Scalar, &Scalar) -> ControlFlow<()>);
    /// All keys as a set that is compared with others by its identity, if there is one.
    fn keys(&self) -> Option<KeySet> {
        None
    }
    /// A hash of the content that is the same in every run.
    fn content_hash(&self) -> u64;
    /// The identity of the map, with an address that is a multiple of eight: two maps that live at the same time and have the same
    /// identity have the same content.
    fn identity(&self) -> MapIdentity<'_>;
}

/// Known scalars of one sort under known keys, and the one that all other keys have. Copies share them.
#[derive(Clone)]
pub struct Dictionary(Arc<MapWithDefault>);

struct MapWithDefault {
    map: Arc<dyn ScalarMap>,
    default: Scalar,
}

impl ScalarMap for BTreeMap<Scalar, Scalar> {
    fn get(&self, key: &Scalar) -> Option<&Scalar> {
        BTreeMap::get(self, key)
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar, &Scalar) -> ControlFlow<()>) {
        let _ = self.iter().try_for_each(|(key, scalar)| visit(key, scalar));
    }

    fn content_hash(&self) -> u64 {
        self.iter().fold(self.len() as u64, |hash, pair| mix(hash, hash_of(&pair)))
    }

    fn identity(&self) -> MapIdentity<'_> {
        (std::ptr::from_ref(self).addr(), &[], &[])
    }
}

/// A lookup among more keys is not written out for Z3: the conditionals are nested as deep.
const WRITTEN_OUT: usize = 1_000;
/// The inspection of this many entries counts as one node of work.
const LOOKED_AT: usize = 8;

impl Dictionary {
    /// The dictionary of the scalars of a map, with a default of the same sort.
    pub fn new(map: Arc<dyn ScalarMap>, default: Scalar) -> Dictionary {
        Dictionary(Arc::new(MapWithDefault { map, default }))
    }

    /// The scalar under a key.
    pub fn get(&self, key: &Scalar) -> &Scalar {
        self.0.map.get(key).unwrap_or(self.default())
    }

    /// The scalar of all keys that the dictionary lacks.
    pub fn default(&self) -> &Scalar {
        &self.0.default
    }

    /// The keys of a scalar other than the default, as a set; there must be at least two.
    pub fn keys_of(&self, scalar: &Scalar) -> KeySet {
        keys_where(self, Test::Is(scalar.clone()), true)
    }

    /// The sort of the scalars.
    pub fn sort(&self) -> Sort {
        self.default().sort()
    }

    /// All keys with their scalars, in the order of the keys.
    pub fn sorted(&self) -> Vec<(Scalar, Scalar)> {
        let mut all = Vec::new();
        self.0.map.for_each(&mut |key, scalar| {
            all.push((key.clone(), scalar.clone()));
            ControlFlow::Continue(())
        });
        all.sort();
        all
    }

    /// A hash that depends on the content only.
    pub(super) fn content_hash(&self) -> u64 {
        mix(self.0.map.content_hash(), hash_of(self.default()))
    }

    /// Tests whether all keys have the same scalar.
    pub(super) fn is_constant(&self) -> bool {
        self.two_where(&|scalar| scalar != self.default()).0.is_none()
    }

    fn with_default(&self, default: &Scalar) -> Dictionary {
        Dictionary::new(self.0.map.clone(), default.clone())
    }

    /// The first keys, at most two, whose scalar passes a test.
    fn two_where(&self, test: &dyn Fn(&Scalar) -> bool) -> (Option<Scalar>, Option<Scalar>) {
        let (mut found, mut looked_at) = ((None, None), 0);
        self.0.map.for_each(&mut |key, scalar| {
            looked_at += 1;
            match (test(scalar), &found.0) {
                (false, _) => return ControlFlow::Continue(()),
                (true, None) => found.0 = Some(key.clone()),
                (true, Some(_)) => found.1 = Some(key.clone()),
            }
            if found.1.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        count_walked(looked_at / LOOKED_AT);
        found
    }
}

impl PartialEq for Dictionary {
    fn eq(&self, other: &Dictionary) -> bool {
        self.default() == other.default()
            && (self.0.map.identity() == other.0.map.identity()
                || (self.0.map.content_hash() == other.0.map.content_hash() && self.sorted() == other.sorted()))
    }
}

impl Eq for Dictionary {}

/// The conditional `if k in d { d[k] } else { scalar }`: the lookup with another default.
pub(super) fn with_default(condition: &Term, yes: &Term, no: &Term) -> Option<Term> {
    let (Kind::Member(asked, keys), Kind::Lookup(key, dictionary)) = (condition.kind(), yes.kind()) else {
        return None;
    };
    let default = no.as_const().filter(|_| asked == key)?;
    let is_whole = dictionary.0.map.keys()?.is_shared_with(keys);
    is_whole.then(|| Term::lookup(key, &dictionary.with_default(default)))
}

/// The condition on the key of a lookup that its scalar passes a test. If the default passes, the condition excludes the keys whose
/// scalars fail.
pub(super) fn where_passes(key: &Term, dictionary: &Dictionary, test: Test) -> Term {
    let beyond = test.passes(dictionary.default());
    let differing = match dictionary.two_where(&|scalar| test.passes(scalar) != beyond) {
        (None, _) => return Term::from(beyond),
        (Some(only), None) => Term::eq(key, &Term::constant(only)),
        (Some(_), Some(_)) => Term::member(key, &keys_where(dictionary, test, !beyond)),
    };
    if beyond { differing.not() } else { differing }
}

/// The keys whose scalars pass a test (or fail it, if not `passing`), which the default does not; there must be at least two.
fn keys_where(dictionary: &Dictionary, test: Test, passing: bool) -> KeySet {
    KeySet::new(Arc::new(KeysWhere { dictionary: dictionary.clone(), test, passing, count: OnceLock::new() }))
}

/// A lookup as conditionals, one for each key; `None` if they would be too many.
pub(super) fn conditional(key: &Term, dictionary: &Dictionary) -> Option<Term> {
    let (all, default) = (dictionary.sorted(), Term::constant(dictionary.default().clone()));
    let conditional =
        |rest, (known, scalar)| Term::ite(&Term::eq(key, &Term::constant(known)), &Term::constant(scalar), &rest);
    (all.len() <= WRITTEN_OUT).then(|| all.into_iter().fold(default, conditional))
}

/// The keys of a dictionary whose scalars pass a test (or fail it, if not `passing`). There are at least two.
struct KeysWhere {
    dictionary: Dictionary,
    test: Test,
    passing: bool,
    count: OnceLock<usize>,
}

impl KeysWhere {
    fn is_found(&self, scalar: &Scalar) -> bool {
        self.test.passes(scalar) == self.passing
    }

    fn sorted(&self) -> Vec<Scalar> {
        let mut keys = Vec::new();
        self.dictionary.0.map.for_each(&mut |key, scalar| {
            if self.is_found(scalar) {
                keys.push(key.clone());
            }
            ControlFlow::Continue(())
        });
        keys.sort();
        keys
    }
}

impl ScalarSet for KeysWhere {
    fn contains(&self, key: &Scalar) -> bool {
        self.dictionary.0.map.get(key).is_some_and(|scalar| self.is_found(scalar))
    }

    fn len(&self) -> usize {
        *self.count.get_or_init(|| {
            let mut count = 0;
            self.dictionary.0.map.for_each(&mut |_, scalar| {
                count += usize::from(self.is_found(scalar));
                ControlFlow::Continue(())
            });
            count
        })
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar) -> ControlFlow<()>) {
        let _ = self.sorted().iter().try_for_each(visit);
    }

    fn is_empty(&self) -> bool {
        false
    }

    fn single(&self) -> Option<Scalar> {
        None
    }

    fn own_hash(&self) -> Option<u64> {
        Some(mix(mix(self.dictionary.0.map.content_hash(), self.test.hash()), u64::from(self.passing)))
    }

    fn identity(&self) -> Option<Identity<'_>> {
        let Test::Is(scalar) = &self.test else { return None };
        let (address, numbers, scalars) = self.dictionary.0.map.identity();
        // The first two addresses are those of sets of keys that do not depend on the scalars.
        Some(((address + 2 + usize::from(self.passing), numbers, scalars), Some(scalar)))
    }

    fn same(&self, other: &dyn ScalarSet) -> bool {
        self.len() == other.len() && self.sorted().iter().all(|key| other.contains(key))
    }
}
