//! Groups of things that have something in common, directly or through others.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// Groups of items that share keys, each with its keys; no two groups share a key. An item that shares keys with several groups
/// joins them to one, which comes last: `1: {a}, 2: {b}, 3: {c}, 4: {a, c}` are the groups `[2], [4, 1, 3]`.
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
