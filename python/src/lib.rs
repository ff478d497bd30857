//! The module `mayhap._mayhap`: what the Python package `mayhap` needs of the library and of the command.
//!
//! The package says in Python what a user sees. Here Python objects become recordings, requests and answers, and long work is done
//! without the GIL.

#[path = "../../src/cli/mod.rs"]
#[allow(dead_code, reason = "only parts of the command are used as a library")]
mod cli;

mod calls;
mod errors;
mod events;
mod judged;
mod keyed;
mod requests;
mod session;
mod spec;
mod system;
mod testing;
mod text;
mod working;

use pyo3::prelude::*;
use std::ffi::OsString;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The module.
#[pymodule]
mod _mayhap {
    #[pymodule_export]
    use crate::command;
    #[pymodule_export]
    use crate::events::Events;
    #[pymodule_export]
    use crate::judged::Judged;
    #[pymodule_export]
    use crate::keyed::{Judge, Keys, Router};
    #[pymodule_export]
    use crate::requests::Requests;
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::spec::Spec;
    #[pymodule_export]
    use crate::testing::{replay, test};
}

/// Runs the command `mayhap` with these words, the first of which is its name, and returns its exit code.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| cli::run_words(&words))
}
