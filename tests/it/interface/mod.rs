//! Rust interfaces, called as any client could.

mod sets;
mod trees;
