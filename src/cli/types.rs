//! `mayhap types`: prints the types of requests and answers as types of Rust.
//!
//! `mayhap types specs/kv.may > tests/kv_types.rs` gives a test the requests of the specification, so that nobody types them twice.

use super::arguments::TypesArguments;
use super::load;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use mayhap::report::rust_types::{ScalarTypes, rust_types};

pub fn run(options: &TypesArguments, terminal: &mut Terminal) -> Exit {
    match load::compile(&options.file, &options.selection, terminal) {
        Ok(spec) => {
            let scalars = ScalarTypes { int: options.int.clone(), token: options.token.clone() };
            terminal.print(&rust_types(&spec, &scalars));
            Exit::Fine
        }
        Err(exit) => exit,
    }
}
