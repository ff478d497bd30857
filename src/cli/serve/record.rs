//! The trace of what was served: whole exchanges in the order in which they were handled, as the sync network has them.
//!
//! `{"c": 2, "q": "New", "a": {"Fresh": "t1"}}` is a request of the second connection. Each line is in the file before
//! its answer leaves, so an observer never knows more than the file says.

use crate::cli::{files, observed};
use mayhap::choice::counted;
use mayhap::json::quoted;
use mayhap::server::Reply;
use mayhap::spec::Spec;
use mayhap::value::Value;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// A trace that is being written, and the file where it goes.
pub struct TraceRecord {
    file: File,
    name: String,
    clients: Clients,
    written: u64,
}

/// The number of clients that there can be: one, or several.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Clients {
    /// One, which needs no number.
    One,
    /// Several.
    Several,
}

impl TraceRecord {
    /// Begins a trace of the specification that was read from a file.
    ///
    /// # Errors
    /// A message, one line: the file cannot be written.
    pub fn create(path: &Path, read: &Path, spec: &Spec, clients: Clients) -> Result<TraceRecord, String> {
        if files::is_stdin(path) {
            return Err("--trace needs the name of a file: standard output is already in use".into());
        }
        let file = files::create(path, read)?;
        let mut record = TraceRecord { file, name: files::shown(path), clients, written: 0 };
        record.line(&format!("{{\"mayhap\": 1, \"spec\": {}}}", quoted(&spec.program.name)))?;
        Ok(record)
    }

    /// Notes a request and its answer.
    ///
    /// # Errors
    /// A message, one line: the file cannot be written.
    pub fn note(&mut self, spec: &Spec, client: u64, request: &Value, reply: &Reply) -> Result<(), String> {
        let client = (self.clients == Clients::Several).then_some(client);
        let mut line = String::new();
        observed::write(&mut line, spec, client, request, reply);
        self.line(&line)?;
        self.written += 1;
        Ok(())
    }

    /// Returns what is told of the trace in the end: its file, and the number of exchanges that were written.
    pub fn summary(&self) -> String {
        format!("{}: written, {}", self.name, counted(self.written, "exchange"))
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|cause| files::unwritable(self.name.as_ref(), &cause))
    }
}
