//! Persistent containers: maps and lists that are cheap to clone, since copies share the parts that they have in common.

pub(crate) mod past;
pub(crate) mod sorted_map;
pub(crate) mod trie;
