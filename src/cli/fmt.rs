//! `mayhap fmt`: the one layout. A file with errors is left as it is.
//!
//! `mayhap fmt --check kv.may` changes nothing and ends with 1 if the file is not in the layout.

use super::arguments::Fmt;
use super::exit::Exit;
use super::failed;
use super::terminal::Terminal;

pub fn run(_options: &Fmt, terminal: &mut Terminal) -> Exit {
    failed(terminal, "not supported yet")
}
