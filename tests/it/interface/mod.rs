//! Rust interfaces, called as any client could.

mod collections;
mod ends;
mod judged;
mod modules;
mod outside;
mod pairs;
mod printed;
mod sets;
mod trees;
