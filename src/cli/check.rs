//! `mayhap check`: all errors and warnings of specifications at once, and with `--cost` the work of judging them.
//!
//! `mayhap check a.may b.may` ends with 2 if one of them has an error. Warnings alone give 0, or 2 with `--deny-warnings`.

use super::arguments::Check;
use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::{cost, failed, load};
use mayhap::diagnostic::{Diagnostic, Severity, Sources};
use mayhap::spec::network_notes;
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
        findings.extend(network_notes(&checked));
    }
    load::report(&sources, &findings, terminal);
    let result = load::summary(&findings).unwrap_or_else(|| "ok".into());
    terminal.print(&format!("{}: {result}\n", files::shown(path)));
    if findings.iter().any(Diagnostic::is_error) {
        return Exit::Failed;
    }
    let is_warning = |finding: &Diagnostic| finding.severity == Severity::Warning;
    if options.cost {
        for name in checked.names() {
            findings.extend(cost::report(path, text.clone(), name, options, terminal));
        }
    }
    let is_refused = |finding: &Diagnostic| finding.is_error() || options.deny_warnings && is_warning(finding);
    if findings.iter().any(is_refused) { Exit::Failed } else { Exit::Fine }
}
