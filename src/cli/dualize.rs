//! `mayhap dualize`: prints the validator for a specification.
//!
//! `mayhap dualize specs/cmp_rst.may` shows two paths: `q <= #(vs!n)` with the answer 0, and `#(vs!n) < q` with the answer 1.

use super::arguments::Dualize;
use super::load;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use mayhap::report::dualized::dualized;

pub fn run(options: &Dualize, terminal: &mut Terminal) -> Exit {
    match load::compile(&options.file, &options.selection, terminal) {
        Ok(spec) => {
            terminal.print(&dualized(&spec));
            Exit::Fine
        }
        Err(exit) => exit,
    }
}
