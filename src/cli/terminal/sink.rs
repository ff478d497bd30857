//! The place where a command writes a trace: standard output, or a file.
//!
//! `mayhap simulate specs/kv.may --out t.ndjson` writes a file, and says so; with `--out -` it prints.

use super::Terminal;
use super::files;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The place where a trace goes.
pub enum Sink {
    /// Standard output.
    Terminal,
    /// A file.
    File {
        /// Its name in messages.
        name: String,
        /// The file.
        file: BufWriter<File>,
        /// The first thing that went wrong.
        failure: Option<io::Error>,
    },
}

impl Sink {
    /// Makes the file that is asked for, which must not be the one that is read.
    ///
    /// # Errors
    /// A message, one line.
    pub fn new(out: Option<&Path>, read: &Path) -> Result<Sink, String> {
        let Some(path) = out.filter(|path| !files::is_stdin(path)) else { return Ok(Sink::Terminal) };
        let file = files::create(path, read)?;
        Ok(Sink::File { name: files::shown(path), file: BufWriter::new(file), failure: None })
    }

    /// Writes a line, which has its end.
    pub fn write(&mut self, line: &str, terminal: &mut Terminal) {
        match self {
            Sink::Terminal => terminal.print(line),
            Sink::File { file, failure, .. } => {
                let failed = file.write_all(line.as_bytes()).err();
                *failure = failure.take().or(failed);
            }
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// A message, one line, if something could not be written.
    pub fn finish(self, terminal: &mut Terminal) -> Result<(), String> {
        let Sink::File { name, mut file, failure } = self else { return Ok(()) };
        if let Some(cause) = failure.or(file.flush().err()) {
            return Err(files::unwritable(name.as_ref(), &cause));
        }
        terminal.complain(&format!("{name}: written\n"));
        Ok(())
    }
}
