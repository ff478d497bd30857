//! Rust interfaces, called as any client could.

mod collections;
mod judged;
mod outside;
mod pairs;
mod printed;
mod sets;
mod trees;
