//! Rust interfaces, called as any client could.

mod collections;
mod judged;
mod outside;
mod pairs;
mod sets;
mod trees;
