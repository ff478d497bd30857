//! Typed clients of a Rust interface: values are made by its functions alone, and every value that is made is checked.
//!
//! ```text
//! draw a function ─▶ draw its arguments: literals, and values from pools ─▶ call it ─▶ take its result apart ─▶ check the laws ─┐
//!        ▲                                                                                                   keep the values ◀──┘
//!        └───────────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The attribute `#[mayhap::interface]` describes the functions, and [`check_interface`] calls them. See `docs/INTERFACES.md`.

/// Doctests of the page: its examples compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../../docs/INTERFACES.md")]
struct InterfacePage;

mod call;
mod check;
mod concurrent;
mod declared;
mod judged;
mod literal;
mod machine;
mod programs;
mod rust;
mod shape;
mod shrink;
mod work;

pub use call::{CallArguments, Callback, CopiedLent, Holds, InterfaceFinding, Lent, Made, Twin, UncopiedLent};
pub use check::{InterfaceReport, InterfaceTest, check_interface};
pub use concurrent::{AskValue, AskedCall, ConcurrentCheck};
pub use declared::{Called, Description, Interface, InterfaceFunction, Law};
pub use judged::{JudgedValue, text_of};
pub use shape::{ItemsForm, PoolType, TypeShape};
pub use work::InterfaceFailure;

/// Calls a function with one tuple of arguments, whose types are known before those of a closure are looked for.
pub fn applied<A, R>(arguments: A, function: impl FnOnce(A) -> R) -> R {
    function(arguments)
}
