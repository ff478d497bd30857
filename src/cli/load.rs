//! Reading a specification from its file, with all of its errors reported at once.
//!
//! `use tags;` in `specs/kv.may` reads `specs/tags.may`. A specification on standard input uses files of the current directory.

use super::terminal::Terminal;
use super::terminal::exit::Exit;
use super::terminal::files;
use super::{arguments, failed};
use mayhap::choice::counted;
use mayhap::diagnostic::{Diagnostic, Severity, Sources};
use mayhap::spec::load::{Loaded, Text, load};
use mayhap::spec::{Selection, Spec, SpecError, Tasks};
use std::path::Path;
use std::sync::Arc;

/// Reads a specification and the files that it uses. The findings are those of reading.
pub fn read(path: &Path, first: Text, sources: &mut Sources) -> (Loaded, Vec<Diagnostic>) {
    load(first, &mut beside(path), sources)
}

/// Compiles the selected machine or protocol, or reports all errors.
///
/// # Errors
/// The specification cannot be read or has errors; this was reported.
pub fn compile(path: &Path, selected: &arguments::SpecArguments, terminal: &mut Terminal) -> Result<Arc<Spec>, Exit> {
    compile_for(Tasks::Alone, path, selected, terminal)
}

/// Compiles the selected machine or protocol for these tasks, or reports all errors.
///
/// # Errors
/// The specification cannot be read or has errors; this was reported.
pub fn compile_for(
    tasks: Tasks,
    path: &Path,
    selected: &arguments::SpecArguments,
    terminal: &mut Terminal,
) -> Result<Arc<Spec>, Exit> {
    let first = text(path).map_err(|why| failed(terminal, &why))?;
    let set = selected.constants.iter().map(|constant| (constant.name.clone(), constant.value.clone())).collect();
    let selection = Selection { name: selected.spec.clone(), set, tasks, ..Selection::default() };
    compile_text(path, first, &selection).map_err(|refused| {
        report(&refused.sources, &refused.diagnostics, terminal);
        let summary = summary(&refused.diagnostics).unwrap_or_default();
        failed(terminal, &format!("{}: {summary}", files::shown(path)))
    })
}

/// Compiles a text that was read.
///
/// # Errors
/// All errors of the specification.
pub fn compile_text(path: &Path, first: Text, selection: &Selection) -> Result<Arc<Spec>, SpecError> {
    Spec::compile(first, &mut beside(path), selection)
}

/// Finds the files that a specification uses in the directory of `path`.
fn beside(path: &Path) -> impl FnMut(&str) -> Result<Text, String> {
    let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
    move |name| text(&directory.join(format!("{name}.may")))
}

/// The text of a file.
///
/// # Errors
/// The file cannot be read; a message says why.
pub fn text(path: &Path) -> Result<Text, String> {
    Ok(Text { name: files::shown(path), text: files::read_text(path)? })
}

/// Reports all findings.
pub fn report(sources: &Sources, findings: &[Diagnostic], terminal: &mut Terminal) {
    let colour = terminal.colour();
    for finding in findings {
        terminal.complain(&format!("{}\n", sources.render(finding, colour)));
    }
}

/// The number of errors and warnings, in words; `None` if there are none.
#[must_use]
pub fn summary(findings: &[Diagnostic]) -> Option<String> {
    let counts = [(Severity::Error, "error"), (Severity::Warning, "warning")].map(|(severity, what)| {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        (count, what)
    });
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = counts.map(|(count, what)| counted(count as u64, what)).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
