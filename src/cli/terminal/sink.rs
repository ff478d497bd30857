//! The output of a trace: standard output or a file.
//!
//! `mayhap simulate specs/kv.may --out t.ndjson` writes a file, and reports this; with `--out -` it prints.

use super::Terminal;
use super::files;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The output of a trace.
pub enum Sink {
    /// Standard output.
    Terminal,
    /// A file.
    File {
        /// The name of the file in messages.
        name: String,
        /// The file.
        file: BufWriter<File>,
        /// The first error in writing.
        failure: Option<io::Error>,
    },
}

impl Sink {
    /// Opens the output. The file must not be the one that is read.
    ///
    /// # Errors
    /// The file cannot be written; the message has one line.
    pub fn new(out: Option<&Path>, read: &Path) -> Result<Sink, String> {
        let Some(path) = out.filter(|path| !files::is_stdin(path)) else { return Ok(Sink::Terminal) };
        let file = files::create(path, read)?;
        Ok(Sink::File { name: files::shown(path), file: BufWriter::new(file), failure: None })
    }

    /// Writes a line, which must include its end.
    pub fn write(&mut self, line: &str, terminal: &mut Terminal) {
        match self {
            Sink::Terminal => terminal.print(line),
            Sink::File { file, failure, .. } => {
                let failed = file.write_all(line.as_bytes()).err();
                *failure = failure.take().or(failed);
            }
        }
    }

    /// Ends the output, and reports the file.
    ///
    /// # Errors
    /// Something could not be written; the message has one line.
    pub fn finish(self, terminal: &mut Terminal) -> Result<(), String> {
        let Sink::File { name, mut file, failure } = self else { return Ok(()) };
        if let Some(cause) = failure.or(file.flush().err()) {
            return Err(files::unwritable(name.as_ref(), &cause));
        }
        terminal.complain(&format!("{name}: written\n"));
        Ok(())
    }
}
