//! The trace of a served specification. It has whole exchanges in the order in which they were handled, as on the network `sync`.
//! If a handler may yield, requests and answers have lines of their own.
//!
//! `{"c": 2, "q": "New", "a": {"Fresh": "t1"}}` is a request of the second connection. Each line is written before its answer
//! leaves, so no client ever knows more than the file.

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

/// A trace that is being written, and its file.
pub struct TraceRecord {
    file: File,
    name: String,
    clients: Clients,
    written: u64,
}

/// The clients of a trace, which decide the form of its lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Clients {
    /// A single client, which needs no number.
    One,
    /// Several clients, each of whose requests is answered before the next one is taken.
    Several,
    /// Several clients, whose requests overlap.
    Interleaved,
}

impl TraceRecord {
    /// Begins a trace of the specification that was read from a file.
    ///
    /// # Errors
    /// The file cannot be written; the message has one line.
    pub fn create(path: &Path, read: &Path, spec: &Spec, clients: Clients) -> Result<TraceRecord, String> {
        if files::is_stdin(path) {
            return Err("--trace needs the name of a file: standard output is already in use".into());
        }
        let file = files::create(path, read)?;
        let mut record = TraceRecord { file, name: files::shown(path), clients, written: 0 };
        record.line(&Header::of(&spec.program.name).to_string())?;
        Ok(record)
    }

    /// Writes that a request was taken.
    ///
    /// # Errors
    /// The file cannot be written; the message has one line.
    pub fn begun(&mut self, spec: &Spec, client: u64, request: &Value) -> Result<(), String> {
        self.written += 1;
        match self.clients {
            Clients::One | Clients::Several => Ok(()),
            Clients::Interleaved => self.event(spec, &Occurrence::Sent(client, request.clone())),
        }
    }

    /// Writes the end of a request that was taken.
    ///
    /// # Errors
    /// As for [`TraceRecord::begun`].
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

    /// Writes an occurrence at a client or a peer, on a line of its own.
    ///
    /// # Errors
    /// As for [`TraceRecord::begun`].
    pub fn event(&mut self, spec: &Spec, occurrence: &Occurrence) -> Result<(), String> {
        let mut line = String::new();
        observed::write_event(&mut line, spec, occurrence);
        self.line(&line)
    }

    /// The final report on the trace: its file, and the number of exchanges in it.
    pub fn summary(&self) -> String {
        format!("{}: written, {}", self.name, counted(self.written, "exchange"))
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|cause| files::unwritable(self.name.as_ref(), &cause))
    }
}
