//! `mayhap validate --html FILE`: a page with pictures of the judged traces.
//!
//! Each judged trace is added to the [`Page`], in the order of the arguments. The page is written after the last one.

use crate::cli::failed;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::files;
use mayhap::report::history::DrawnTrace;
use mayhap::report::history::page::page;
use std::path::Path;

/// The page, if one is wanted.
pub struct Page<'o> {
    file: Option<&'o Path>,
    traces: Vec<DrawnTrace>,
}

impl<'o> Page<'o> {
    /// An empty page for this file.
    pub fn new(file: Option<&'o Path>) -> Page<'o> {
        Page { file, traces: Vec::new() }
    }

    /// Adds a trace, if it was drawn.
    pub fn add(&mut self, drawn: Option<DrawnTrace>) {
        self.traces.extend(drawn);
    }

    /// Adds a trace that could not be judged.
    pub fn add_unjudged(&mut self, path: &Path, error: &str) {
        self.traces.extend(self.file.map(|_| DrawnTrace::unjudged(&files::shown(path), error.trim_end())));
    }

    /// Writes the page, if one is wanted.
    pub fn write(self, terminal: &mut Terminal) -> Exit {
        let Some(file) = self.file else { return Exit::Fine };
        match std::fs::write(file, page(&self.traces)) {
            Ok(()) => Exit::Fine,
            Err(cause) => failed(terminal, &files::unwritable(file, &cause)),
        }
    }
}
