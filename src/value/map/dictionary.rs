//! Dictionaries of what the entries of a map have in one place, under the scalars that complete a key: views that cost nothing to make.
//!
//! The dictionary of `{("a", 1): (5, "x"), ("a", 2): (6, "y"), ("b", 1): (7, "z")}` for the key `("a", #1)` and the first field is
//! `{1: 5, 2: 6}`.

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::Map;
use super::entry::{Entry, Presence};
use super::keys::Which;
use super::open_key::OpenKey;
use crate::scalar::{Scalar, Sort};
use crate::term::{Dictionary, KeySet, MapIdentity, ScalarMap, Term, count_walked};
use crate::value::Value;
use crate::value::one_of::{self, Selected, Selector, Selectors, Shape, ShapedParts};

/// The inspection of this many entries counts as one node of work.
const LOOKED_AT: usize = 8;

/// The entries of a map with known keys, selected by a key of which one scalar is unknown.
pub(super) struct Entries<'m> {
    pub(super) map: &'m Map,
    pub(super) key: &'m OpenKey,
}

impl Entries<'_> {
    /// The condition that the key is that of an entry which is present in every case.
    pub(super) fn are_certain(&self) -> Term {
        if self.key.is_scalar() {
            return self.map.clone().has_among(&self.key.unknown, Which::Certain).term();
        }
        self.lookup(&Selectors::new(), Leaves::AreCertain, Scalar::Bool(false))
    }

    fn lookup(&self, path: &Selectors, leaves: Leaves, default: Scalar) -> Term {
        let view = EntryView::new(self, path, leaves);
        Term::lookup(&self.key.unknown, &Dictionary::new(Arc::new(view), default))
    }

    fn known(&self) -> impl Iterator<Item = (&Scalar, &Entry)> {
        self.map.0.entries.iter().filter_map(|(key, entry)| Some((self.key.scalar_of(key)?, entry)))
    }
}

impl Selected for Entries<'_> {
    fn parts(&self, path: &Selectors) -> ShapedParts<'_> {
        let entries = &self.map.0.entries;
        // The values have one type: if one of them is a scalar, those without a shape are open.
        let is_scalar = |(_, entry): (&Scalar, &Entry)| one_of::shape(&entry.value);
        let are_scalars = path.is_empty() && self.known().find_map(is_scalar) == Some(Shape::Scalar);
        let (mut parts, mut count) = (ShapedParts::default(), 0);
        for (key, entry) in if are_scalars { entries.open() } else { entries.iter() } {
            count += 1;
            if let Some(known) = self.key.scalar_of(key) {
                parts.add(&entry.value, path, || Term::eq(&self.key.unknown, &Term::constant(known.clone())));
            }
        }
        if are_scalars {
            parts.shapes = smallvec![Shape::Scalar];
        }
        count_walked(count / LOOKED_AT);
        parts.shapes.sort();
        parts.others.sort_by(|a, b| a.0.cmp(&b.0));
        parts
    }

    fn scalar(&self, path: &Selectors) -> Value {
        let sort = self.known().find_map(|(_, entry)| one_of::scalar(&entry.value, path).map(Scalar::sort));
        let lookup = |sort: Sort| Value::of_term(self.lookup(path, Leaves::Scalars, sort.simplest()));
        sort.map_or(Value::Absent, lookup)
    }

    fn has_shape(&self, path: &Selectors, shape: Shape) -> Term {
        self.lookup(path, Leaves::Have(shape), Scalar::Bool(false))
    }
}

/// The thing that a dictionary has of each entry.
#[derive(Clone, Copy)]
enum Leaves {
    /// The scalar at the end of the path, if there is one.
    Scalars,
    /// True if the part at the end of the path has a shape, else false.
    Have(Shape),
    /// True if the entry is present in every case, else false.
    AreCertain,
}

impl Leaves {
    /// Numbers that identify it.
    fn code(self) -> SmallVec<[usize; 3]> {
        match self {
            Leaves::Scalars => SmallVec::new(),
            Leaves::Have(shape) => shape.code().into(),
            Leaves::AreCertain => smallvec![0],
        }
    }
}

/// The dictionary of the leaves that entries have at the end of a path, under the scalars that complete a key.
struct EntryView {
    map: Map,
    key: OpenKey,
    path: Selectors,
    leaves: Leaves,
    /// The shape of the key, the path and what is there, as numbers.
    route: Vec<usize>,
}

impl EntryView {
    fn new(entries: &Entries<'_>, path: &Selectors, leaves: Leaves) -> EntryView {
        let Entries { map, key } = *entries;
        let path_codes = path.iter().flat_map(Selector::code);
        let lens = [key.shape.len(), path.len()];
        let route = match key.is_scalar() && path.is_empty() && matches!(leaves, Leaves::Scalars) {
            true => Vec::new(),
            false => lens.into_iter().chain(key.shape.iter().copied()).chain(path_codes).chain(leaves.code()).collect(),
        };
        EntryView { map: map.clone(), key: key.clone(), path: path.clone(), leaves, route }
    }

    fn leaf<'v>(&self, entry: &'v Entry) -> Option<&'v Scalar> {
        match self.leaves {
            Leaves::Scalars => one_of::scalar(&entry.value, &self.path),
            Leaves::Have(shape) => Some(one_of::truth(one_of::has(&entry.value, &self.path, shape))),
            Leaves::AreCertain => Some(one_of::truth(entry.presence == Presence::Always)),
        }
    }
}

impl ScalarMap for EntryView {
    fn get(&self, key: &Scalar) -> Option<&Scalar> {
        self.leaf(self.map.0.entries.get(&self.key.with(key))?)
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Scalar, &Scalar) -> ControlFlow<()>) {
        let known = |(key, entry): (&'_ Value, &'_ Entry)| match (self.key.scalar_of(key), self.leaf(entry)) {
            (Some(key), Some(scalar)) => visit(key, scalar),
            _ => ControlFlow::Continue(()),
        };
        let _ = self.map.0.entries.iter().try_for_each(known);
    }

    fn keys(&self) -> Option<KeySet> {
        let contents = &*self.map.0;
        let is_left_out = |(key, entry): (&Value, &Entry)| key.is_known() && self.leaf(entry).is_none();
        let is_whole = self.path.is_empty()
            && matches!(self.leaves, Leaves::Scalars)
            && contents.conditional == 0
            && !contents.entries.open().any(is_left_out);
        let all = || match self.key.is_scalar() {
            true => self.map.clone().keys_among(Which::Certain),
            false => {
                let view = EntryView::new(&Entries { map: &self.map, key: &self.key }, &self.path, Leaves::AreCertain);
                Dictionary::new(Arc::new(view), Scalar::Bool(false)).keys_of(&Scalar::Bool(true))
            }
        };
        is_whole.then(all)
    }

    fn content_hash(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        (self.map.0.hash(), &self.route, &self.key.known).hash(&mut hasher);
        hasher.finish()
    }

    fn identity(&self) -> MapIdentity<'_> {
        (self.map.address(), &self.route, &self.key.known)
    }
}
