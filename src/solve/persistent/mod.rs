//! Persistent containers: maps and lists that are cheap to clone, as copies share what they have in common.

pub(crate) mod past;
pub(crate) mod sorted_map;
pub(crate) mod trie;
