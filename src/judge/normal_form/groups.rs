//! Groups of things that have something in common, directly or through others.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// Items in groups of which no two share a key, with their keys. The groups that an item joins are one with it, after the others:
/// of the items `1: {a}, 2: {b}, 3: {c}, 4: {a, c}` the groups are `[2], [4, 1, 3]`.
pub(crate) fn sharing<T, K: Eq + Hash>(
    items: impl IntoIterator<Item = (T, FxHashSet<K>)>,
) -> Vec<(Vec<T>, FxHashSet<K>)> {
    let mut groups: Vec<(Vec<T>, FxHashSet<K>)> = Vec::new();
    for (item, mut keys) in items {
        let mut group = vec![item];
        for (items, theirs) in groups.extract_if(.., |(_, theirs)| !theirs.is_disjoint(&keys)).collect::<Vec<_>>() {
            group.extend(items);
            keys.extend(theirs);
        }
        groups.push((group, keys));
    }
    groups
}
