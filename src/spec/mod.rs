//! From the tree of what was written to what it means: types, resolution, checks, and the compiled form.
pub mod types;
