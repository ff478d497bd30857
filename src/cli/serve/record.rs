//! The trace of what was served: whole exchanges in the order in which they were handled, as the sync network has them; requests and
//! answers on lines of their own if a handler may yield.
//!
//! `{"c": 2, "q": "New", "a": {"Fresh": "t1"}}` is a request of the second connection. Each line is in the file before
//! its answer leaves, so an observer never knows more than the file says.

use crate::cli::observed;
use crate::cli::terminal::files;
use mayhap::choice::counted;
use mayhap::server::{Occurrence, Reply};
use mayhap::spec::Spec;
use mayhap::trace::Header;
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

/// The number of clients that there can be, and the lines that they need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Clients {
    /// One, which needs no number.
    One,
    /// Several, each request of which is answered before the next one is taken.
    Several,
    /// Several, whose requests are handled at the same time.
    Interleaved,
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
        record.line(&Header::of(&spec.program.name).to_string())?;
        Ok(record)
    }

    /// Notes that a request was taken.
    ///
    /// # Errors
    /// A message, one line: the file cannot be written.
    pub fn begun(&mut self, spec: &Spec, client: u64, request: &Value) -> Result<(), String> {
        self.written += 1;
        match self.clients {
            Clients::One | Clients::Several => Ok(()),
            Clients::Interleaved => self.event(spec, &Occurrence::Sent(client, request.clone())),
        }
    }

    /// Notes the end of a request that was taken.
    ///
    /// # Errors
    /// As [`TraceRecord::begun`].
    pub fn ended(&mut self, spec: &Spec, client: u64, request: &Value, reply: &Reply) -> Result<(), String> {
        let mut line = String::new();
        match (self.clients, reply) {
            (Clients::One, _) => observed::write(&mut line, spec, None, request, reply),
            (Clients::Several, _) => observed::write(&mut line, spec, Some(client), request, reply),
            (Clients::Interleaved, Reply::Answer(answer)) => {
                return self.event(spec, &Occurrence::Answered(client, answer.clone()));
            }
            (Clients::Interleaved, Reply::Nothing) => return Ok(()),
        }
        self.line(&line)
    }

    /// Writes something that a client or a peer did or saw, on a line of its own.
    ///
    /// # Errors
    /// As [`TraceRecord::begun`].
    pub fn event(&mut self, spec: &Spec, occurrence: &Occurrence) -> Result<(), String> {
        let mut line = String::new();
        observed::write_event(&mut line, spec, occurrence);
        self.line(&line)
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
