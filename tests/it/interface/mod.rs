//! Rust interfaces, called as any client could.

mod outside;
mod pairs;
mod sets;
mod trees;
