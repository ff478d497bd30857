//! `mayhap check`: everything that is wrong with specifications, all at once; nothing runs.
//!
//! `mayhap check a.may b.may` ends with 2 if one of them has an error; warnings alone are 0.

use super::arguments::Check;
use super::exit::Exit;
use super::terminal::Terminal;
use super::{failed, files, load};
use crate::diagnostic::{Diagnostic, Sources};
use std::path::Path;

pub fn run(options: &Check, terminal: &mut Terminal) -> Exit {
    options.files.iter().fold(Exit::Fine, |exit, path| exit.worst(check(path, terminal)))
}

fn check(path: &Path, terminal: &mut Terminal) -> Exit {
    let mut sources = Sources::default();
    let (loaded, mut findings) = match load::read(path, &mut sources) {
        Ok(read) => read,
        Err(why) => return failed(terminal, &why),
    };
    findings.extend(loaded.check().1);
    load::tell(&sources, &findings, terminal);
    let result = load::summary(&findings).unwrap_or_else(|| "ok".into());
    terminal.print(&format!("{}: {result}\n", files::shown(path)));
    if findings.iter().any(Diagnostic::is_error) { Exit::Failed } else { Exit::Fine }
}
