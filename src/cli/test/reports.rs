//! `mayhap test --report json:FILE,html:FILE`: writes the files of reports, and prints annotations if GitHub runs the command.
//!
//! [`check`] is called before the first request, so that a campaign of an hour does not end with *cannot write*.

use crate::cli::failed;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::files;
use mayhap::report::campaign::CampaignReport;
use mayhap::report::campaign::github::annotations;
use mayhap::report::campaign::wanted::RequestedReport;
use std::fs::OpenOptions;
use std::path::Path;

/// Checks that each report can be written, to a file of its own that is not read.
///
/// # Errors
/// A report cannot be written; the message has one line.
pub fn check(wanted: &[RequestedReport], read: &[&Path]) -> Result<(), String> {
    for (at, RequestedReport { path, .. }) in wanted.iter().enumerate() {
        if files::is_stdin(path) {
            continue;
        }
        if wanted[..at].iter().any(|other| other.path == *path) {
            return Err(format!("{}: two reports cannot go to one file", files::shown(path)));
        }
        files::apart(path, read.iter().copied())?;
        let was_there = path.exists();
        OpenOptions::new().append(true).create(true).open(path).map_err(|cause| files::unwritable(path, &cause))?;
        if !was_there {
            // The file is removed again, so that an interrupted campaign leaves no empty report.
            _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

/// Writes the requested reports, even if some cannot be written; `-` is standard output.
pub fn write(report: &CampaignReport, wanted: &[RequestedReport], terminal: &mut Terminal) -> Exit {
    let written = wanted.iter().map(|RequestedReport { format, path }| {
        let text = format.render(report);
        if files::is_stdin(path) {
            terminal.print(&text);
            return Exit::Fine;
        }
        match std::fs::write(path, text) {
            Ok(()) => Exit::Fine,
            Err(cause) => failed(terminal, &files::unwritable(path, &cause)),
        }
    });
    written.fold(Exit::Fine, Exit::worst)
}

/// Prints the annotations, if GitHub runs the command.
pub fn annotate(report: &CampaignReport, terminal: &mut Terminal) {
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        terminal.print(&annotations(report));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_that_cannot_be_written_are_refused_at_once() {
        let directory = std::env::temp_dir().join(format!("mayhap-reports-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = |name: &str| directory.join(name).display().to_string();
        let spec = directory.join("p.may");
        std::fs::write(&spec, "protocol p { }").unwrap();
        let checked = |all: &[String]| {
            let wanted: Vec<RequestedReport> = all.iter().map(|one| one.parse().unwrap()).collect();
            check(&wanted, &[&spec])
        };
        assert_eq!(checked(&[format!("json:{}", path("r.json")), "html:-".into()]), Ok(()));
        assert!(!directory.join("r.json").exists());
        for (all, part) in [
            (vec![format!("json:{}", path("none/r.json"))], "cannot write: no such file or directory"),
            (vec![format!("html:{}", directory.display())], "cannot write: is a directory"),
            (vec![format!("html:{}", path("p.may"))], "refusing to overwrite this file"),
            (vec![format!("html:{}", path("r")), format!("json:{}", path("r"))], "two reports cannot go to one file"),
        ] {
            assert!(checked(&all).is_err_and(|why| why.contains(part)), "{all:?}");
        }
        assert_eq!(std::fs::read_to_string(&spec).unwrap(), "protocol p { }");
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
