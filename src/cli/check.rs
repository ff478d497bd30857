//! `mayhap check`: everything that is wrong with specifications, all at once; nothing runs.
//!
//! `mayhap check a.may b.may` ends with 2 if one of them has an error; warnings alone are 0, and 2 with `--deny-warnings`.

use super::arguments::Check;
use super::exit::Exit;
use super::terminal::Terminal;
use super::{cost, failed, files, load};
use mayhap::diagnostic::{Diagnostic, Severity, Sources};
use mayhap::spec::unsupported;
use std::path::Path;

pub fn run(options: &Check, terminal: &mut Terminal) -> Exit {
    options.files.iter().fold(Exit::Fine, |exit, path| exit.worst(check(path, options, terminal)))
}

fn check(path: &Path, options: &Check, terminal: &mut Terminal) -> Exit {
    let mut sources = Sources::default();
    let text = match load::text(path) {
        Ok(text) => text,
        Err(why) => return failed(terminal, &why),
    };
    let (loaded, mut findings) = load::read(path, text.clone(), &mut sources);
    let (checked, found) = loaded.check();
    findings.extend(found);
    if !findings.iter().any(Diagnostic::is_error) {
        // Compiling refuses this; where nothing runs it is no error.
        let refused = unsupported(&checked).into_iter();
        findings.extend(refused.map(|refused| Diagnostic { severity: Severity::Warning, ..refused }));
    }
    load::report(&sources, &findings, terminal);
    let result = load::summary(&findings).unwrap_or_else(|| "ok".into());
    terminal.print(&format!("{}: {result}\n", files::shown(path)));
    let is_denied = |finding: &Diagnostic| options.deny_warnings || finding.is_error();
    if options.cost && !findings.iter().any(Diagnostic::is_error) {
        let names = checked.names();
        names.for_each(|name| cost::report((path, text.clone()), name, options, terminal));
    }
    if findings.iter().any(is_denied) { Exit::Failed } else { Exit::Fine }
}
