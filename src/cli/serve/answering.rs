//! Answering requests: text in, a line out, and the trace between the two.
//!
//! `5` from a client of `cmp_rst` becomes `1`; `true` becomes `{"$error": "malformed", …}`, and nothing has happened. A request is
//! handled up to where its handler yields; the others go on before it does.

use super::connection::ClientLine;
use super::record::TraceRecord;
use super::wire::{Refusal, Unanswered};
use crate::cli::exit::Exit;
use crate::cli::stopped;
use crate::cli::terminal::Terminal;
use mayhap::choice::{Choices, Random};
use mayhap::json::{decode, encode};
use mayhap::server::{Reply, SectionDone, Server, Stop};
use mayhap::spec::{Site, Spec};
use mayhap::value::Value;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The times for which a request stays suspended.
const PAUSES: [Duration; 4] = [Duration::ZERO, Duration::ZERO, Duration::from_micros(200), Duration::from_millis(2)];

/// A server with all that an answer needs.
///
/// A request that has no run, or whose next section has none, waits while other clients are there, whose requests may change that;
/// where none is, or all of them wait, it is told that the server is stuck.
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
    /// Requests that have no run now, or may not begin yet.
    pub waiting: Vec<ClientLine>,
    /// Requests that were begun and are suspended.
    pub suspended: Vec<SuspendedLine>,
    /// The number of clients that there are.
    pub clients: Arc<AtomicUsize>,
}

/// A request that was begun.
pub struct SuspendedLine {
    /// Its line.
    pub line: ClientLine,
    request: Value,
    /// Set where it has no run in the state that the server has.
    is_stuck: bool,
}

/// The outcome of a request.
enum RequestOutcome {
    /// It was handled; this line, if there is one, is the answer.
    Handled(Option<String>),
    /// It was begun.
    Suspended(Value),
    /// Nothing has happened.
    Refused(Refusal),
    /// It has no run now.
    Stuck(Stop),
    /// Another one is to be served first.
    TooEarly,
}

impl Answering {
    /// Handles a request, and then those that waited for it.
    ///
    /// # Errors
    /// A message, one line: the trace cannot be written. What was handled last has no answer then.
    pub fn take(&mut self, request: ClientLine, terminal: &mut Terminal) -> Result<(), String> {
        let is_news = self.attempt(request, terminal)?;
        self.retry(is_news, terminal)
    }

    /// Tries those that wait again, as long as something has happened.
    fn retry(&mut self, mut is_news: bool, terminal: &mut Terminal) -> Result<(), String> {
        while is_news {
            is_news = false;
            self.suspended.iter_mut().for_each(|suspended| suspended.is_stuck = false);
            for request in std::mem::take(&mut self.waiting) {
                is_news |= self.attempt(request, terminal)?;
            }
        }
        Ok(())
    }

    /// The time for which a request stays suspended, if nothing comes: none, or a moment in which others may be sent.
    pub fn pause(&mut self) -> Duration {
        // A source that is drawn from never fails.
        let drawn = self.choices.choose("pause", PAUSES.len()).unwrap_or_default();
        PAUSES[drawn]
    }

    /// The requests that have no answer yet.
    pub fn unanswered(&mut self) -> Vec<ClientLine> {
        let suspended = self.suspended.drain(..).map(|suspended| suspended.line);
        self.waiting.drain(..).chain(suspended).collect()
    }

    /// Tests whether there is a request that may go on.
    pub fn may_go_on(&self) -> bool {
        self.suspended.iter().any(|suspended| !suspended.is_stuck)
    }

    /// Goes on with a request that was suspended, which is drawn.
    ///
    /// # Errors
    /// As [`Answering::take`].
    pub fn go_on(&mut self, terminal: &mut Terminal) -> Result<(), String> {
        let able = |(at, suspended): (usize, &SuspendedLine)| (!suspended.is_stuck).then_some(at);
        let able: Vec<usize> = self.suspended.iter().enumerate().filter_map(able).collect();
        let drawn = self.choices.choose("who goes on", able.len()).map_err(|error| error.to_string())?;
        let SuspendedLine { line, request, .. } = self.suspended.swap_remove(able[drawn]);
        let done = self.server.go_on(line.client, &mut self.choices);
        match self.ended(done, line.client, &request, terminal)? {
            RequestOutcome::Suspended(request) => {
                self.suspended.push(SuspendedLine { line, request, is_stuck: false });
            }
            RequestOutcome::Handled(answer) => _ = line.back.send(answer),
            RequestOutcome::Stuck(stop) => return self.keep_or_give_up(line, request, &stop, terminal),
            RequestOutcome::Refused(refusal) => self.give_up(&line, &refusal),
            RequestOutcome::TooEarly => {}
        }
        self.retry(true, terminal)
    }

    /// Keeps a suspended request that has no run now, as long as others may change that.
    fn keep_or_give_up(
        &mut self,
        line: ClientLine,
        request: Value,
        stop: &Stop,
        terminal: &mut Terminal,
    ) -> Result<(), String> {
        if self.is_last() && !self.may_go_on() {
            let refusal = self.refuse(stop, terminal);
            self.give_up(&line, &refusal);
            return self.retry(true, terminal);
        }
        self.suspended.push(SuspendedLine { line, request, is_stuck: true });
        Ok(())
    }

    /// Tells a client that nothing more comes of its request.
    fn give_up(&mut self, line: &ClientLine, refusal: &Refusal) {
        self.server.abandon(line.client);
        _ = line.back.send(Some(refusal.clone().of_line(line.line).to_string()));
    }

    /// Tests whether all clients wait but for the one whose request is looked at.
    fn is_last(&self) -> bool {
        self.clients.load(Ordering::Relaxed) <= self.waiting.len() + self.suspended.len() + 1
    }

    /// Lets the server do what it may do by itself, and then what waited for it.
    ///
    /// # Errors
    /// As [`Answering::take`].
    pub fn idle(&mut self, terminal: &mut Terminal) -> Result<(), String> {
        if let Err(stop) = self.server.idle(&mut self.choices) {
            _ = self.refuse(&stop, terminal);
        }
        self.retry(true, terminal)
    }

    /// A client has left: those that wait may be alone now.
    ///
    /// # Errors
    /// As [`Answering::take`].
    pub fn left(&mut self, terminal: &mut Terminal) -> Result<(), String> {
        for request in std::mem::take(&mut self.waiting) {
            self.attempt(request, terminal)?;
        }
        self.suspended.iter_mut().for_each(|suspended| suspended.is_stuck = false);
        Ok(())
    }

    /// Tries to handle a request; returns whether it was handled: else it is refused, or waits.
    fn attempt(&mut self, request: ClientLine, terminal: &mut Terminal) -> Result<bool, String> {
        let (is_handled, line) = match self.outcome(&request, terminal)? {
            RequestOutcome::Handled(line) => (true, line),
            RequestOutcome::Suspended(value) => {
                self.suspended.push(SuspendedLine { line: request, request: value, is_stuck: false });
                return Ok(true);
            }
            RequestOutcome::Refused(refusal) => (false, Some(refusal.of_line(request.line).to_string())),
            RequestOutcome::Stuck(stop) if self.is_last() && !self.may_go_on() => {
                (false, Some(self.refuse(&stop, terminal).of_line(request.line).to_string()))
            }
            RequestOutcome::Stuck(_) | RequestOutcome::TooEarly => {
                self.waiting.push(request);
                return Ok(false);
            }
        };
        // A client that is gone does not want it.
        _ = request.back.send(line);
        Ok(is_handled)
    }

    fn outcome(&mut self, asked: &ClientLine, terminal: &mut Terminal) -> Result<RequestOutcome, String> {
        if !self.server.may_begin(asked.client) {
            return Ok(RequestOutcome::TooEarly);
        }
        let request = match self.request(&asked.text) {
            Ok(request) => request,
            Err(refusal) => return Ok(RequestOutcome::Refused(refusal)),
        };
        let done = self
            .server
            .idle(&mut self.choices)
            .and_then(|()| self.server.begin(&request, asked.client, &mut self.choices));
        if let (Ok(_), Some(record)) = (&done, &mut self.record) {
            record.begun(&self.spec, asked.client, &request)?;
        }
        self.ended(done, asked.client, &request, terminal)
    }

    /// Records what a section comes to.
    fn ended(
        &mut self,
        done: Result<SectionDone, Stop>,
        client: u64,
        request: &Value,
        terminal: &mut Terminal,
    ) -> Result<RequestOutcome, String> {
        match done {
            Err(stop @ Stop::Stuck(_)) => Ok(RequestOutcome::Stuck(stop)),
            Err(stop) => Ok(RequestOutcome::Refused(self.refuse(&stop, terminal))),
            Ok(SectionDone::Suspended) => Ok(RequestOutcome::Suspended(request.clone())),
            Ok(SectionDone::Ended(reply)) => {
                if let Some(record) = &mut self.record {
                    record.ended(&self.spec, client, request, &reply)?;
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
