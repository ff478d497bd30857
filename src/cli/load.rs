//! A specification from its file, with everything that is wrong with it told at once.
//!
//! What [`read`] finds is rendered on standard error; `kv.may: 2 errors, 1 warning` sums it up.

use super::files;
use super::terminal::Terminal;
use crate::diagnostic::{Diagnostic, Sources};
use crate::syntax::ast::NodeId;
use crate::syntax::{Parsed, parse};
use std::path::Path;

/// Reads and parses a file.
///
/// # Errors
/// A message where the file cannot be read.
pub fn read(path: &Path, sources: &mut Sources) -> Result<Parsed, String> {
    let text = files::read_text(path)?;
    let file = sources.add(&files::shown(path), &text);
    Ok(parse(&text, file, NodeId(0)))
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
