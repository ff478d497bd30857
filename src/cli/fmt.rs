//! `mayhap fmt`: the standard layout of specifications. A file with errors stays as it is.
//!
//! `mayhap fmt --check kv.may` changes nothing, and ends with 1 if the file does not have the standard layout.

use super::arguments::Fmt;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::{failed, load};
use mayhap::diagnostic::{Diagnostic, Sources};
use mayhap::syntax::ast::NodeId;
use mayhap::syntax::{parse, print};
use std::path::Path;

pub fn run(options: &Fmt, terminal: &mut Terminal) -> Exit {
    let format = |path| {
        let Formatting { before, after } = match layout(path, terminal) {
            Ok(layout) => layout,
            Err(exit) => return exit,
        };
        if options.check {
            return compare(path, &before, &after, terminal);
        }
        if files::is_stdin(path) {
            terminal.print(&after);
            return Exit::Fine;
        }
        rewrite(path, &before, &after, terminal)
    };
    options.files.iter().map(|path| path.as_path()).map(format).fold(Exit::Fine, Exit::worst)
}

/// The text of a file before and after formatting.
struct Formatting {
    before: String,
    after: String,
}

fn layout(path: &Path, terminal: &mut Terminal) -> Result<Formatting, Exit> {
    let before = files::read_text(path).map_err(|why| failed(terminal, &why))?;
    let mut sources = Sources::default();
    let parsed = parse(&before, sources.add(&files::shown(path), &before), NodeId(0));
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        load::report(&sources, &parsed.diagnostics, terminal);
        return Err(failed(terminal, &format!("{}: cannot be formatted because of syntax errors", files::shown(path))));
    }
    let after = print(&parsed.file, &before);
    Ok(Formatting { before, after })
}

fn compare(path: &Path, before: &str, after: &str, terminal: &mut Terminal) -> Exit {
    if before == after {
        return Exit::Fine;
    }
    let same = before.lines().zip(after.lines()).take_while(|(before, after)| before == after).count();
    terminal.print(&format!("{}:{}: not formatted\n", files::shown(path), same + 1));
    Exit::Rejected
}

fn rewrite(path: &Path, before: &str, after: &str, terminal: &mut Terminal) -> Exit {
    if before == after {
        return Exit::Fine;
    }
    match files::write_text(path, after) {
        Ok(()) => {
            terminal.print(&format!("{}: formatted\n", files::shown(path)));
            Exit::Fine
        }
        Err(why) => failed(terminal, &why),
    }
}
