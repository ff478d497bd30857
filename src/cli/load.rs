//! A specification from its file, with everything that is wrong with it told at once.
//!
//! `use tags;` in `specs/kv.may` reads `specs/tags.may`; what is read from standard input uses files of the directory
//! that the command was started in.

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

/// Reads what a file uses, beside its text; the findings are those of reading.
pub fn read(path: &Path, first: Text, sources: &mut Sources) -> (Loaded, Vec<Diagnostic>) {
    load(first, &mut beside(path), sources)
}

/// Compiles the machine or protocol that is meant; or tells everything that is wrong.
///
/// # Errors
/// That the job cannot be done; it has been said why.
pub fn compile(path: &Path, selected: &arguments::SpecArguments, terminal: &mut Terminal) -> Result<Arc<Spec>, Exit> {
    compile_for(Tasks::Alone, path, selected, terminal)
}

/// Compiles it for tasks that run so; or reports everything that is wrong.
///
/// # Errors
/// That the job cannot be done; it has been said why.
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

/// Compiles a text that has been read.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile_text(path: &Path, first: Text, selection: &Selection) -> Result<Arc<Spec>, SpecError> {
    Spec::compile(first, &mut beside(path), selection)
}

/// Finds what a specification uses, in the directory of `path`.
fn beside(path: &Path) -> impl FnMut(&str) -> Result<Text, String> {
    let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
    move |name| text(&directory.join(format!("{name}.may")))
}

/// The text of a file.
///
/// # Errors
/// A message if it cannot be read.
pub fn text(path: &Path) -> Result<Text, String> {
    Ok(Text { name: files::shown(path), text: files::read_text(path)? })
}

/// Tells all findings.
pub fn report(sources: &Sources, findings: &[Diagnostic], terminal: &mut Terminal) {
    let colour = terminal.colour();
    for finding in findings {
        terminal.complain(&format!("{}\n", sources.render(finding, colour)));
    }
}

/// Counts the errors and warnings, in words; `None` if there are none.
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
