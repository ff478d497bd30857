//! Answering requests, one at a time: text in, a line out, and the trace between the two.
//!
//! `5` from a client of `cmp_rst` becomes `1`; `true` becomes `{"$error": "malformed", …}`, and nothing has happened.

use super::connection::ClientLine;
use super::record::TraceRecord;
use super::wire::{Refusal, Unanswered};
use crate::cli::exit::Exit;
use crate::cli::stopped;
use crate::cli::terminal::Terminal;
use mayhap::choice::Random;
use mayhap::json::{decode, encode};
use mayhap::server::{Reply, Server, Stop};
use mayhap::spec::{Site, Spec};
use mayhap::value::Value;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server with all that an answer needs.
///
/// A request that has no run waits while other clients are there, whose requests may change that; where none is, or all
/// of them wait, it is told that the server is stuck.
pub struct Answering {
    /// The specification that is served.
    pub spec: Arc<Spec>,
    /// Its state.
    pub server: Server,
    /// The source of the server's choices.
    pub choices: Random,
    /// The trace to which what happens is written, if one is wanted.
    pub record: Option<TraceRecord>,
    /// The places that the user has been told of.
    pub stated: HashSet<Option<Site>>,
    /// The worst that was met.
    pub exit: Exit,
    /// Requests that have no run now.
    pub waiting: Vec<ClientLine>,
    /// The number of clients that there are.
    pub clients: Arc<AtomicUsize>,
}

/// The outcome of a request.
enum RequestOutcome {
    /// It was handled; this line, if there is one, is the answer.
    Handled(Option<String>),
    /// Nothing has happened.
    Refused(Refusal),
    /// It has no run now.
    Stuck(Stop),
}

impl Answering {
    /// Handles a request, and then those that waited for it.
    ///
    /// # Errors
    /// A message, one line: the trace cannot be written. What was handled last has no answer then.
    pub fn take(&mut self, request: ClientLine, terminal: &mut Terminal) -> Result<(), String> {
        let mut is_news = self.attempt(request, terminal)?;
        while is_news {
            is_news = false;
            for request in std::mem::take(&mut self.waiting) {
                is_news |= self.attempt(request, terminal)?;
            }
        }
        Ok(())
    }

    /// A client has left: those that wait may be alone now.
    ///
    /// # Errors
    /// As [`Answering::take`].
    pub fn left(&mut self, terminal: &mut Terminal) -> Result<(), String> {
        for request in std::mem::take(&mut self.waiting) {
            self.attempt(request, terminal)?;
        }
        Ok(())
    }

    /// Tries to handle a request; returns whether it was handled: else it is refused, or waits.
    fn attempt(&mut self, request: ClientLine, terminal: &mut Terminal) -> Result<bool, String> {
        let (is_handled, line) = match self.outcome(&request, terminal)? {
            RequestOutcome::Handled(line) => (true, line),
            RequestOutcome::Refused(refusal) => (false, Some(refusal.of_line(request.line).to_string())),
            RequestOutcome::Stuck(stop) if self.clients.load(Ordering::Relaxed) <= self.waiting.len() + 1 => {
                (false, Some(self.refuse(&stop, terminal).of_line(request.line).to_string()))
            }
            RequestOutcome::Stuck(_) => {
                self.waiting.push(request);
                return Ok(false);
            }
        };
        // A client that is gone does not want it.
        _ = request.back.send(line);
        Ok(is_handled)
    }

    fn outcome(&mut self, asked: &ClientLine, terminal: &mut Terminal) -> Result<RequestOutcome, String> {
        let request = match self.request(&asked.text) {
            Ok(request) => request,
            Err(refusal) => return Ok(RequestOutcome::Refused(refusal)),
        };
        match self.server.handle(&request, asked.client, &mut self.choices) {
            Err(stop @ Stop::Stuck(_)) => Ok(RequestOutcome::Stuck(stop)),
            Err(stop) => Ok(RequestOutcome::Refused(self.refuse(&stop, terminal))),
            Ok(reply) => {
                if let Some(record) = &mut self.record {
                    record.note(&self.spec, asked.client, &request, &reply)?;
                }
                Ok(RequestOutcome::Handled(self.line(&reply)))
            }
        }
    }

    fn line(&self, reply: &Reply) -> Option<String> {
        match reply {
            Reply::Answer(answer) => Some(encode(&self.spec.types, self.spec.program.response, answer)),
            Reply::Nothing => None,
        }
    }

    fn request(&self, text: &[u8]) -> Result<Value, Refusal> {
        let malformed = |offset: usize, message: String| {
            let before = String::from_utf8_lossy(&text[..offset.min(text.len())]);
            Refusal { column: Some(before.chars().count() as u64 + 1), ..Refusal::new(Unanswered::Malformed, message) }
        };
        let text = std::str::from_utf8(text)
            .map_err(|error| malformed(error.valid_up_to(), "this byte is not valid UTF-8".into()))?;
        let spec = &self.spec;
        decode(&spec.types, spec.program.request, text).map_err(|error| malformed(error.offset, error.to_string()))
    }

    /// Makes the refusal that the client gets. Troubles of the specification are told to the user too, each place once.
    fn refuse(&mut self, stop: &Stop, terminal: &mut Terminal) -> Refusal {
        let kind = match stop {
            Stop::Fault(_) => Unanswered::Fault,
            Stop::Outside(_) => Unanswered::Outside,
            Stop::Stuck(_) => Unanswered::Stuck,
            Stop::Limit(_) | Stop::Undecided(_) | Stop::Mismatch(_) | Stop::Choice(_) => Unanswered::Limit,
        };
        let site = stopped::site(stop);
        if kind != Unanswered::Outside && self.stated.insert(site) {
            self.exit = self.exit.worst(stopped::report(&self.spec, stop, terminal));
        }
        let place = site.map(|site| format!(" ({})", self.place(site))).unwrap_or_default();
        Refusal::new(kind, format!("{}{place}", stopped::words(&self.spec, stop)))
    }

    fn place(&self, site: Site) -> String {
        let (span, sources) = (self.spec.span(site), &self.spec.sources);
        let (line, column) = sources.line_column(span);
        format!("{}:{line}:{column}", sources.name(span.file))
    }
}
