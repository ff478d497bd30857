//! Answering requests: from the text of a request to the line of its answer, and the trace.
//!
//! A client of `cmp_rst` gets `1` for `5`. For `true` it gets `{"$error": "malformed", …}`, and nothing has happened. A request
//! is handled up to the first `yield` of its handler; others are handled before it goes on.

use super::connection::ClientLine;
use super::outbox::TalkingConnection;
use super::peers::Peers;
use super::record::TraceRecord;
use super::wire::{Refusal, Unanswered};
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::stopped;
use mayhap::choice::{Choices, Random};
use mayhap::json::{decode, encode};
use mayhap::server::{Port, Reply, SectionDone, SectionStart, Server, Stop};
use mayhap::spec::{Site, Spec};
use mayhap::value::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The times that a request may stay suspended; one is drawn.
const PAUSES: [Duration; 4] = [Duration::ZERO, Duration::ZERO, Duration::from_micros(200), Duration::from_millis(2)];

/// The most internal steps that a request without a run waits for.
const PATIENCE: usize = 64;

/// A server, with everything that answering needs.
///
/// A request without a run, or whose next section has none, waits as long as other clients may change this. If there are no
/// others, or all of them wait, the client is told that the server is stuck.
pub struct Answering {
    /// The specification that is served.
    pub spec: Arc<Spec>,
    /// The server, with its state.
    pub server: Server,
    /// The source of the server's choices.
    pub choices: Random,
    /// The trace of what happens, if one is wanted.
    pub record: Option<TraceRecord>,
    /// The places of stops that were reported to the user.
    pub stated: HashSet<Option<Site>>,
    /// The worst exit code so far.
    pub exit: Exit,
    /// The requests that have no run now, or may not begin yet.
    pub waiting: Vec<ClientLine>,
    /// The suspended tasks.
    pub suspended: Vec<SuspendedTask>,
    /// The connections that have ended, and whose end the server has not handled.
    pub leaving: Vec<u64>,
    /// Set if clients may get messages that they did not ask for.
    pub is_talking: bool,
    /// Set if answers are written as HTTP, in which some have no form.
    pub is_http: bool,
    /// The connections of clients that may get such messages.
    pub connections: HashMap<u64, TalkingConnection>,
    /// The peers that the server calls.
    pub peers: Peers,
    /// The number of connected clients.
    pub clients: Arc<AtomicUsize>,
}

/// A suspended task.
pub struct SuspendedTask {
    client: u64,
    /// The line of the request, and the request; `None` if the task handles the beginning or the end of a connection.
    asked: Option<(ClientLine, Value)>,
    /// Set if the task has no run in the current state of the server.
    is_stuck: bool,
}

impl SuspendedTask {
    fn of(line: ClientLine, request: Value) -> SuspendedTask {
        SuspendedTask { client: line.client, asked: Some((line, request)), is_stuck: false }
    }

    /// A task that handles the beginning or the end of a connection.
    pub fn notice(client: u64) -> SuspendedTask {
        SuspendedTask { client, asked: None, is_stuck: false }
    }
}

/// The outcome of trying a request.
enum RequestOutcome {
    /// The request was handled; the line is the answer, if there is one.
    Handled(Option<String>),
    /// The request was begun, and its task is suspended.
    Suspended,
    /// The request was refused, and nothing has happened.
    Refused(Refusal),
    /// The request has no run now.
    Stuck(Stop),
    /// Another request must be served first.
    TooEarly,
    /// The server has ended the connection of the request.
    Dropped,
}

impl Answering {
    /// Handles a request, and then the requests that waited for it.
    ///
    /// # Errors
    /// The trace cannot be written; the message has one line. The last request has no answer then.
    pub fn take(&mut self, request: ClientLine, terminal: &mut Terminal) -> Result<(), String> {
        let is_news = self.attempt(request, terminal)?;
        self.retry(is_news, terminal)
    }

    /// Tries the waiting requests and tasks again, as long as something happens.
    ///
    /// # Errors
    /// As for [`Answering::take`].
    pub fn retry(&mut self, mut is_news: bool, terminal: &mut Terminal) -> Result<(), String> {
        while is_news {
            self.suspended.iter_mut().for_each(|suspended| suspended.is_stuck = false);
            is_news = self.take_leave(terminal)?;
            for request in std::mem::take(&mut self.waiting) {
                is_news |= self.attempt(request, terminal)?;
            }
        }
        Ok(())
    }

    /// Draws the time for which a task stays suspended: none, or a moment in which other requests may come.
    pub fn pause(&mut self) -> Duration {
        // Drawing never fails for this source.
        let drawn = self.choices.choose("pause", PAUSES.len()).unwrap_or_default();
        PAUSES[drawn]
    }

    /// Takes the requests without an answer.
    pub fn unanswered(&mut self) -> Vec<ClientLine> {
        let suspended = self.suspended.drain(..).filter_map(|suspended| suspended.asked.map(|(line, _)| line));
        self.waiting.drain(..).chain(suspended).collect()
    }

    /// Tests whether a task may go on.
    pub fn may_go_on(&self) -> bool {
        self.able().next().is_some()
    }

    /// The positions of the tasks that may go on.
    fn able(&self) -> impl Iterator<Item = usize> {
        let open = self.suspended.iter().enumerate().filter(|(_, suspended)| !suspended.is_stuck);
        open.filter(|(_, suspended)| self.server.awaited(suspended.client).is_empty()).map(|(at, _)| at)
    }

    /// Continues a drawn suspended task.
    ///
    /// # Errors
    /// As for [`Answering::take`].
    pub fn go_on(&mut self, terminal: &mut Terminal) -> Result<(), String> {
        let able: Vec<usize> = self.able().collect();
        let drawn = self.choices.choose("who goes on", able.len()).map_err(|error| error.to_string())?;
        let task = self.suspended.swap_remove(able[drawn]);
        let request = task.asked.as_ref().map(|(_, request)| request.clone());
        let go_on = |this: &mut Answering| this.server.run(&SectionStart::Task(Port(task.client)), &mut this.choices);
        let done = self.written(request.as_ref(), go_on, |done| Some(done));
        match (self.ended(done, task.client, request.as_ref(), terminal)?, task.asked) {
            (RequestOutcome::Suspended, asked) => {
                self.suspended.push(SuspendedTask { client: task.client, asked, is_stuck: false });
            }
            (RequestOutcome::Handled(answer), Some((line, _))) => _ = line.back.send(answer),
            (RequestOutcome::Stuck(stop), asked) => {
                let task = SuspendedTask { client: task.client, asked, is_stuck: true };
                return self.keep_or_give_up(task, &stop, terminal);
            }
            (RequestOutcome::Refused(refusal), asked) => {
                self.give_up(task.client, asked.map(|(line, _)| line), &refusal);
            }
            (RequestOutcome::Handled(_) | RequestOutcome::TooEarly | RequestOutcome::Dropped, _) => {}
        }
        self.retry(true, terminal)
    }

    /// Keeps a task that has no run now if others may change this, and gives it up otherwise.
    fn keep_or_give_up(&mut self, task: SuspendedTask, stop: &Stop, terminal: &mut Terminal) -> Result<(), String> {
        if self.is_hopeless() {
            let refusal = self.refuse(stop, terminal);
            self.give_up(task.client, task.asked.map(|(line, _)| line), &refusal);
            return self.retry(true, terminal);
        }
        self.suspended.push(task);
        Ok(())
    }

    /// Forgets a task, and tells its client that its request gets no answer.
    fn give_up(&mut self, client: u64, line: Option<ClientLine>, refusal: &Refusal) {
        self.server.abandon(client);
        if let Some(line) = line {
            _ = line.back.send(Some(refusal.clone().of_line(line.line).to_string()));
        }
    }

    /// Tests whether nothing can change that the current request has no run.
    fn is_hopeless(&self) -> bool {
        let waits_for_peer = self.suspended.iter().any(|task| !self.server.awaited(task.client).is_empty());
        self.is_last() && !waits_for_peer && !self.may_go_on()
    }

    /// Tests whether all other clients wait.
    fn is_last(&self) -> bool {
        self.clients.load(Ordering::Relaxed) <= self.waiting.len() + self.suspended.len() + 1
    }

    /// Takes internal steps, and then tries what waited for them.
    ///
    /// # Errors
    /// As for [`Answering::take`].
    pub fn idle(&mut self, terminal: &mut Terminal) -> Result<(), String> {
        if let Err(stop) = self.server.idle(&mut self.choices) {
            _ = self.refuse(&stop, terminal);
        }
        self.depart(0, terminal)?;
        self.retry(true, terminal)
    }

    /// Tries to handle a request. Returns whether something happened: otherwise the request is refused or waits.
    fn attempt(&mut self, request: ClientLine, terminal: &mut Terminal) -> Result<bool, String> {
        let (is_handled, line) = match self.outcome(&request, terminal)? {
            RequestOutcome::Handled(line) => (true, line),
            RequestOutcome::Suspended => {
                // It was decoded before without an error.
                if let Ok(value) = self.request(&request.text) {
                    self.suspended.push(SuspendedTask::of(request, value));
                }
                return Ok(true);
            }
            RequestOutcome::Refused(refusal) => (false, Some(refusal.of_line(request.line).to_string())),
            RequestOutcome::Stuck(stop) if self.is_hopeless() => {
                (false, Some(self.refuse(&stop, terminal).of_line(request.line).to_string()))
            }
            RequestOutcome::Stuck(_) | RequestOutcome::TooEarly => {
                self.waiting.push(request);
                return Ok(false);
            }
            RequestOutcome::Dropped => return Ok(false),
        };
        // The client may be gone.
        _ = request.back.send(line);
        Ok(is_handled)
    }

    fn outcome(&mut self, asked: &ClientLine, terminal: &mut Terminal) -> Result<RequestOutcome, String> {
        if self.is_gone(asked.client) {
            return Ok(RequestOutcome::Dropped);
        }
        if !self.server.may_begin(asked.client) {
            return Ok(RequestOutcome::TooEarly);
        }
        let request = match self.request(&asked.text) {
            Ok(request) => request,
            Err(refusal) => return Ok(RequestOutcome::Refused(refusal)),
        };
        let mut tried = 0;
        let begun = loop {
            let idle = self.server.idle(&mut self.choices);
            self.depart(asked.client, terminal)?;
            if self.is_gone(asked.client) {
                return Ok(RequestOutcome::Dropped);
            }
            tried += 1;
            let begin = |this: &mut Answering| this.begin(&request, asked.client);
            match idle.and_then(|()| self.written(Some(&request), begin, |section| section.done.as_ref())) {
                // An internal step may change this. What the step sends must leave before the next try.
                Err(Stop::Stuck(_)) if self.server.waits_for_steps() && tried < PATIENCE => {}
                begun => break begun,
            }
        };
        let section = match begun {
            Ok(section) => section,
            Err(stop) => return self.ended(Err(stop), asked.client, Some(&request), terminal),
        };
        self.record_begun(asked, &request)?;
        self.leave(section.before, asked.client)?;
        match section.done {
            None => Ok(RequestOutcome::TooEarly),
            Some(done) => self.ended(Ok(done), asked.client, Some(&request), terminal),
        }
    }

    /// Records the outcome of a section.
    fn ended(
        &mut self,
        done: Result<SectionDone, Stop>,
        client: u64,
        request: Option<&Value>,
        terminal: &mut Terminal,
    ) -> Result<RequestOutcome, String> {
        let done = match done {
            Err(stop @ Stop::Stuck(_)) => return Ok(RequestOutcome::Stuck(stop)),
            Err(stop) => return Ok(RequestOutcome::Refused(self.refuse(&stop, terminal))),
            Ok(done) => done,
        };
        self.depart(client, terminal)?;
        match done {
            SectionDone::Suspended => Ok(RequestOutcome::Suspended),
            SectionDone::Ended(Reply::Answer(answer)) if self.is_talking => {
                self.inform(client, &answer)?;
                Ok(RequestOutcome::Handled(None))
            }
            SectionDone::Ended(reply) => {
                if let (Some(record), Some(request)) = (&mut self.record, request) {
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

    /// The refusal for the client. A stop that is not the client's fault is also reported to the user, once for each place.
    pub fn refuse(&mut self, stop: &Stop, terminal: &mut Terminal) -> Refusal {
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
