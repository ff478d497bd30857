//! A specification from its file, with everything that is wrong with it told at once.
//!
//! `use tags;` in `specs/kv.may` reads `specs/tags.may`; what is read from standard input uses files of the directory
//! that the command was started in.

use super::files;
use super::terminal::Terminal;
use crate::diagnostic::{Diagnostic, Sources};
use crate::spec::load::{Loaded, Text, load};
use std::path::Path;

/// Reads a file and what it uses; the findings are those of reading.
///
/// # Errors
/// A message where the file itself cannot be read.
pub fn read(path: &Path, sources: &mut Sources) -> Result<(Loaded, Vec<Diagnostic>), String> {
    let first = text(path)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut beside = |name: &str| text(&directory.join(format!("{name}.may")));
    Ok(load(first, &mut beside, sources))
}

fn text(path: &Path) -> Result<Text, String> {
    Ok(Text { name: files::shown(path), text: files::read_text(path)? })
}

/// Tells all findings.
pub fn tell(sources: &Sources, findings: &[Diagnostic], terminal: &mut Terminal) {
    let colour = terminal.colour();
    for finding in findings {
        terminal.complain(&format!("{}\n", sources.render(finding, colour)));
    }
}

/// How many errors and warnings there are, in words; nothing where there are none.
#[must_use]
pub fn summary(findings: &[Diagnostic]) -> Option<String> {
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let counted = [counted(errors, "error"), counted(findings.len() - errors, "warning")];
    let parts: Vec<String> = counted.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn counted(count: usize, what: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    }
}
