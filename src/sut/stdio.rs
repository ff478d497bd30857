//! A system that is reached through an adapter in any language: a command, with all clients on its standard input and output.
//!
//! The adapter speaks the [protocol](super::protocol). It is started at the first reset of the system, and ends when this is
//! dropped.

use std::collections::{BTreeMap, VecDeque};
use std::process::{ChildStdin, ChildStdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::lines::{LineBuffer, MAX_ANSWER_BYTES, StreamState, UnwrittenLines, is_blank, read_from};
use super::process::group::{Ending, GroupPipes, ProcessGroup};
use super::process::{Launcher, in_words, last_lines, printed_last};
use super::protocol::{AdapterLine, TesterLine};
use super::tail::OutputTail;
use super::wire::{LineCodec, shown};
use super::{Leave, SutEvent, SutEventKind, SutFailure, SutFailureKind, System, ends_connection, forget_client};
use crate::spec::Spec;
use crate::value::Value;

/// The bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// The longest time between two tests whether the wait for the adapter was called off, or the adapter has ended.
const LOOK: Duration = Duration::from_millis(100);
/// The time that an adapter has to end after the last line, or after it closed its output.
const ENDING: Duration = Duration::from_millis(500);
/// The time that an adapter has to send lines about lost requests.
const STALE: Duration = Duration::from_millis(100);
/// The time after the end of a connection within which the system may show that it has ended as a whole.
const SUSPECTED: Duration = Duration::from_millis(200);

/// A system that is reached through an adapter.
pub struct StdioSystem {
    command: String,
    launcher: Launcher,
    /// The time within which the adapter must be ready.
    patience: Duration,
    resets: AdapterReset,
    adapter: Option<Adapter>,
    /// The last lines of output of the adapter before this one.
    before: Option<OutputTail>,
    heard: Heard,
    line: String,
}

/// The part of an adapter in a reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AdapterReset {
    /// The adapter resets the system, or at least its connections to the system.
    Asked,
    /// The adapter is not told about resets.
    Never,
}

/// A running adapter.
struct Adapter {
    group: ProcessGroup,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    out: UnwrittenLines,
    read: LineBuffer,
    chunk: Vec<u8>,
    /// The number of clients that the adapter knows of.
    clients: u64,
}

/// The events that the adapter reported and that were not handed out yet.
struct Heard {
    codec: LineCodec,
    events: VecDeque<Result<SutEvent, SutFailure>>,
    /// The clients that have sent requests since the last reset.
    clients: BTreeMap<u64, StdioClient>,
    /// The number of clients whose requests are held back until the adapter has reported all lost requests.
    waiting: usize,
    /// The number of lines so far.
    lines: u64,
    /// Set if the adapter says when it has ended a connection that its client gives up.
    closes: bool,
    /// The client that gives up its connection, until the adapter has said that the connection has ended.
    leaving: Option<u64>,
    /// Set when the adapter has said that it is ready; before that its lines may be about the time before the reset.
    is_ready: bool,
}

/// A client, with what its adapter has reported.
///
/// If a connection ends with several open requests, all of them are lost to the client. Some adapters still report each of them,
/// and some do not. So further requests of the client are held back until the reports have come, or are no longer expected.
#[derive(Default)]
struct StdioClient {
    /// The number of connections that have ended since the adapter was started. The requests after that say on which connection they
    /// are sent, as those on one that has ended are lost.
    ended: u64,
    /// Set after a request was sent since the last reset.
    is_asked: bool,
    /// Set after a request was sent on the connection that the client has now.
    is_open: bool,
    /// The number of requests that the adapter has not reported on.
    unanswered: u64,
    /// The number of lost requests that the adapter may still report on.
    lost: u64,
    /// The moment until which such reports are expected.
    waits: Option<Instant>,
    held: Vec<u8>,
}

impl StdioSystem {
    /// A system that is reached through the adapter that this command starts.
    #[must_use]
    pub fn new(
        spec: &Arc<Spec>,
        command: &str,
        launcher: Launcher,
        resets: AdapterReset,
        patience: Duration,
    ) -> StdioSystem {
        let codec = LineCodec::new(spec);
        let (events, clients) = (VecDeque::new(), BTreeMap::new());
        StdioSystem {
            command: command.to_owned(),
            launcher,
            patience,
            resets,
            adapter: None,
            before: None,
            heard: Heard { codec, events, clients, waiting: 0, lines: 0, closes: false, leaving: None, is_ready: true },
            line: String::new(),
        }
    }

    /// Starts the adapter, unless it runs.
    fn start(&mut self, clients: u64) -> Result<(), SutFailure> {
        if self.adapter.is_some() {
            return Ok(());
        }
        self.heard.begin();
        let adapter = Adapter::start(&self.command, clients).map_err(|error| {
            let what = format!("the adapter `{}` cannot be started: {error}", self.command);
            SutFailure::new(SutFailureKind::Adapter, what)
        })?;
        self.adapter = Some(adapter);
        let spec = self.heard.codec.spec().program.name.clone();
        self.await_ready(&TesterLine::Hello { spec: spec.into(), clients })
    }

    /// Sends a line that the adapter answers by saying that it is ready.
    fn await_ready(&mut self, line: &TesterLine<'_>) -> Result<(), SutFailure> {
        self.heard.forget();
        self.heard.is_ready = false;
        self.say(line);
        let deadline = Instant::now() + self.patience;
        while !self.heard.is_ready {
            self.turn(deadline.min(Instant::now() + LOOK))?;
            if let Some(failure) = self.heard.failure() {
                return Err(failure);
            }
            self.launcher.go_on()?;
            if !self.heard.is_ready && Instant::now() >= deadline {
                let seconds = self.patience.as_secs_f64();
                let what = format!(
                    "the adapter did not answer {line} with {} within {seconds} s",
                    AdapterLine::Ready { closes: false }
                );
                return Err(SutFailure::new(SutFailureKind::Adapter, what + &printed_last(&self.last_output(None))));
            }
        }
        self.heard.forget();
        Ok(())
    }

    fn say(&mut self, line: &TesterLine<'_>) {
        if let Some(adapter) = &mut self.adapter {
            adapter.out.push(format!("{line}\n").as_bytes());
        }
    }

    /// Writes without waiting, then waits until something can be read or written, and reads.
    fn turn(&mut self, until: Instant) -> Result<(), SutFailure> {
        let Some(adapter) = &mut self.adapter else {
            return Err(SutFailure::new(SutFailureKind::Adapter, "no adapter runs: the system was never reset"));
        };
        let until = self.heard.release(until, &mut adapter.out);
        adapter.write();
        adapter.wait(until.min(Instant::now() + LOOK))?;
        // A program that the adapter has started may hold its output. All that the adapter wrote before its end is read below.
        let is_over = adapter.group.has_leader_ended();
        if adapter.hear(&mut self.heard) == StreamState::Ended || is_over {
            let ended = self.ended();
            self.heard.events.push_back(Err(ended));
        }
        Ok(())
    }

    /// The failure that the adapter has closed its output.
    fn ended(&mut self) -> SutFailure {
        if let Some(crash) = self.launcher.ended_within(SUSPECTED) {
            return crash;
        }
        let status = self.adapter.as_mut().and_then(|adapter| adapter.group.exited_within(ENDING));
        let what =
            status.map_or("closed its standard output".to_owned(), |status| format!("ended ({})", in_words(status)));
        let what = format!("the adapter `{}` {what}{}", self.command, printed_last(&self.adapter_output(None)));
        self.end_adapter(Ending::Kindly);
        SutFailure::new(SutFailureKind::Adapter, what)
    }

    fn end_adapter(&mut self, how: Ending) {
        if let Some(mut adapter) = self.adapter.take() {
            if how == Ending::Kindly {
                adapter.say_goodbye();
            }
            adapter.group.end(how);
            self.before = Some(adapter.group.tail().clone());
        }
    }

    fn adapter_output(&self, since: Option<Instant>) -> Vec<String> {
        last_lines(self.adapter.as_ref().map(|adapter| &adapter.group), self.before.as_ref(), since)
    }

    /// Passes on an event. If it is the end of a connection because the system has ended, fails with the end of the system.
    fn checked(&mut self, event: SutEvent) -> Result<SutEvent, SutFailure> {
        match &event.kind {
            SutEventKind::Closed | SutEventKind::Lost if !self.launcher.lives_on() => {
                self.launcher.ended_within(SUSPECTED).map_or(Ok(event), Err)
            }
            SutEventKind::Closed | SutEventKind::Lost => Ok(event),
            SutEventKind::Answer(_) | SutEventKind::Refused => Ok(event),
            SutEventKind::Unsent | SutEventKind::Called(_) => Ok(event),
        }
    }
}

impl System for StdioSystem {
    fn send(&mut self, client: u64, request: &Value) -> Result<(), SutFailure> {
        if ends_connection(client, &self.heard.events) {
            // The client does not know yet that its connection has ended, so its request is lost with it.
            return Ok(());
        }
        self.launcher.used();
        let ended = self.heard.clients.get(&client).map_or(0, |state| state.ended);
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        line.push_str("{\"c\": ");
        line.push_str(itoa::Buffer::new().format(client));
        if ended > 0 {
            line.push_str(", \"connection\": ");
            line.push_str(itoa::Buffer::new().format(ended + 1));
        }
        line.push_str(", \"q\": ");
        self.heard.codec.write_request(&mut line, request);
        line.push_str("}\n");
        if let Some(adapter) = &mut self.adapter {
            let state = self.heard.clients.entry(client).or_default();
            state.unanswered += 1;
            (state.is_open, state.is_asked) = (true, true);
            match state.waits {
                Some(_) => state.held.extend_from_slice(line.as_bytes()),
                None => adapter.out.push(line.as_bytes()),
            }
            if adapter.out.is_full() {
                adapter.write();
            }
        }
        self.line = line;
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<SutEvent>, SutFailure> {
        loop {
            if let Some(event) = self.heard.events.pop_front() {
                return event.and_then(|event| self.checked(event)).map(Some);
            }
            self.turn(until)?;
            if self.heard.events.is_empty() && Instant::now() >= until {
                return self.launcher.ended_within(Duration::ZERO).map_or(Ok(None), Err);
            }
        }
    }

    fn close(&mut self, client: u64) -> Result<(), SutFailure> {
        self.say(&TesterLine::Close { client });
        self.heard.lose(client);
        forget_client(client, &mut self.heard.events);
        Ok(())
    }

    fn can_leave(&self) -> bool {
        self.heard.closes
    }

    fn leave(&mut self, client: u64, longest: Duration) -> Result<Leave, SutFailure> {
        let is_open = |state: &StdioClient| state.is_open && state.unanswered == 0 && state.waits.is_none();
        let is_there = self.heard.clients.get(&client).is_some_and(is_open);
        if !self.heard.closes || !is_there || ends_connection(client, &self.heard.events) {
            return Ok(Leave::NotThere);
        }
        let line = TesterLine::Close { client };
        self.say(&line);
        forget_client(client, &mut self.heard.events);
        self.heard.leaving = Some(client);
        let deadline = Instant::now() + longest;
        while self.heard.leaving.is_some() {
            self.turn(deadline.min(Instant::now() + LOOK))?;
            if let Some(failure) = self.heard.failure() {
                return Err(failure);
            }
            if self.heard.leaving.is_some() && Instant::now() >= deadline {
                let (closed, seconds) = (AdapterLine::Closed { client, connection: None }, longest.as_secs_f64());
                let what = format!("the adapter did not answer {line} with {closed} within {seconds} s");
                return Err(SutFailure::new(SutFailureKind::Adapter, what + &printed_last(&self.last_output(None))));
            }
        }
        Ok(Leave::Noticed)
    }

    fn reset(&mut self, clients: u64) -> Result<(), SutFailure> {
        if self.launcher.cuts_off() {
            self.end_adapter(Ending::Kindly);
        }
        self.launcher.reset()?;
        match self.resets {
            AdapterReset::Asked => {
                self.start(clients)?;
                if let Some(adapter) = &mut self.adapter {
                    adapter.clients = clients;
                }
                self.await_ready(&TesterLine::Reset { clients })
            }
            AdapterReset::Never => {
                let knows = self.adapter.as_ref().is_some_and(|adapter| adapter.clients == clients);
                if !(knows && self.heard.clients.is_empty()) {
                    self.end_adapter(Ending::Kindly);
                }
                self.start(clients)
            }
        }
    }

    fn crash(&mut self) -> Result<(), SutFailure> {
        let clients = self.adapter.as_ref().map_or(1, |adapter| adapter.clients);
        // Its further reports would be about lost connections.
        self.end_adapter(Ending::AtOnce);
        self.launcher.crash()?;
        self.start(clients)
    }

    fn ended_within(&mut self, longest: Duration) -> Option<SutFailure> {
        self.launcher.ended_within(longest)
    }

    fn last_output(&mut self, since: Option<Instant>) -> Vec<String> {
        let mut lines = self.launcher.output(since);
        lines.extend(self.adapter_output(since));
        lines
    }
}

impl Drop for StdioSystem {
    fn drop(&mut self) {
        self.end_adapter(Ending::Kindly);
    }
}

impl Adapter {
    fn start(command: &str, clients: u64) -> std::io::Result<Adapter> {
        let mut group = ProcessGroup::start(command, GroupPipes::Talk)?;
        let (input, output) = group.take_pipes().unzip();
        if let (Some(input), Some(output)) = (&input, &output) {
            rustix::io::ioctl_fionbio(input, true)?;
            rustix::io::ioctl_fionbio(output, true)?;
        }
        let (out, read, chunk) = (UnwrittenLines::default(), LineBuffer::default(), vec![0; CHUNK]);
        Ok(Adapter { group, input, output, out, read, chunk, clients })
    }

    /// Writes without waiting.
    fn write(&mut self) {
        if let Some(input) = &mut self.input {
            self.out.write_to(input);
        }
    }

    /// Waits until something can be read, or the rest be written.
    fn wait(&self, until: Instant) -> Result<(), SutFailure> {
        let broken =
            |why: &str| SutFailure::new(SutFailureKind::Adapter, format!("the adapter cannot be waited for: {why}"));
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
        let left = left.map_err(|error| broken(&error.to_string()))?;
        let mut polled = Vec::with_capacity(2);
        polled.extend(self.output.as_ref().map(|output| PollFd::new(output, PollFlags::IN)));
        let unwritten = self.input.as_ref().filter(|_| !self.out.is_empty());
        polled.extend(unwritten.map(|input| PollFd::new(input, PollFlags::OUT)));
        match poll(&mut polled, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(broken(&error.to_string())),
        }
    }

    /// Reads without waiting.
    fn hear(&mut self, heard: &mut Heard) -> StreamState {
        let Adapter { output: Some(output), read, chunk, .. } = self else { return StreamState::Ended };
        read_from(output, chunk, |bytes| {
            read.take(bytes, |line| heard.line(line));
            if read.is_too_long() {
                heard.too_long(read);
                *read = LineBuffer::default();
            }
        })
    }

    /// Tells the adapter that nothing more comes, and gives it time to end.
    fn say_goodbye(&mut self) {
        self.out.push(format!("{}\n", TesterLine::End).as_bytes());
        self.write();
        self.input = None;
        _ = self.group.exited_within(ENDING);
    }
}

impl Heard {
    /// Handles a line of the adapter.
    fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        if is_blank(line) {
            return;
        }
        let event = str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned()).and_then(|text| {
            if let Some((client, connection, value)) = self.codec.answer_of_client(text) {
                return Ok(self.seen((client, connection), SutEventKind::Answer(value)));
            }
            AdapterLine::read(text).map(|line| self.event(&line))
        });
        self.events.extend(event.unwrap_or_else(|why| Some(Err(self.no_line(line, &why)))));
    }

    fn event(&mut self, line: &AdapterLine<'_>) -> Option<Result<SutEvent, SutFailure>> {
        let (from, kind) = match *line {
            AdapterLine::Ready { closes } => {
                self.is_ready = true;
                self.closes = closes;
                return None;
            }
            AdapterLine::Answer { client, connection, answer } => match self.codec.answer(answer.as_bytes()) {
                Ok(value) => ((client, connection), SutEventKind::Answer(value)),
                Err(failure) => {
                    let what = format!("line {} of the adapter: {}", self.lines, failure.what);
                    return Some(Err(SutFailure { what, ..failure }.of_client(client)));
                }
            },
            AdapterLine::Lost { client, connection } => ((client, connection), SutEventKind::Lost),
            AdapterLine::Refused { client, connection } => ((client, connection), SutEventKind::Refused),
            AdapterLine::Closed { client, connection } => ((client, connection), SutEventKind::Closed),
        };
        self.seen(from, kind)
    }

    /// The event that a client sees; `None` if the line is about a lost request.
    fn seen(
        &mut self,
        (client, connection): (u64, Option<u64>),
        kind: SutEventKind,
    ) -> Option<Result<SutEvent, SutFailure>> {
        let failure = |what: String| {
            let what = format!("line {} of the adapter: {what}", self.lines);
            Some(Err(SutFailure::new(SutFailureKind::Adapter, what)))
        };
        let known = self.clients.get(&client);
        let current = known.map_or(0, |state| state.ended) + 1;
        if let Some(later) = connection.filter(|connection| *connection > current) {
            return failure(format!("it is about connection {later} of client {client}, which has made {current}"));
        }
        let is_stale = connection.is_some_and(|connection| connection < current);
        let is_asked = known.is_some_and(|state| state.is_asked || state.waits.is_some());
        if matches!(kind, SutEventKind::Answer(_)) && self.is_ready && !is_asked && !is_stale {
            return failure(format!("it answers client {client}, which was never asked anything"));
        }
        let state = self.clients.entry(client).or_default();
        if self.leaving == Some(client) && !is_stale {
            // What was under way to the client is not seen any more.
            if kind == SutEventKind::Closed {
                self.leaving = None;
                self.lose(client);
            }
            return None;
        }
        if is_stale || connection.is_none() && state.lost > 0 {
            // After the end of a connection the adapter reports nothing more about it.
            state.lost = if kind == SutEventKind::Closed { 0 } else { state.lost.saturating_sub(1) };
            return None;
        }
        state.unanswered = state.unanswered.saturating_sub(1);
        match kind {
            SutEventKind::Lost | SutEventKind::Closed => self.lose(client),
            SutEventKind::Answer(_) | SutEventKind::Refused => {}
            SutEventKind::Unsent | SutEventKind::Called(_) => {}
        }
        Some(Ok(SutEvent { client, kind }))
    }

    /// Treats all open requests of a client as lost.
    fn lose(&mut self, client: u64) {
        let state = self.clients.entry(client).or_default();
        state.ended += 1;
        state.is_open = false;
        state.lost += std::mem::take(&mut state.unanswered);
        if state.lost > 0 && state.waits.is_none() {
            state.waits = Some(Instant::now() + STALE);
            self.waiting += 1;
        }
    }

    /// Sends the held-back requests of clients whose lost requests are reported. Returns the moment for the next test.
    fn release(&mut self, until: Instant, out: &mut UnwrittenLines) -> Instant {
        let mut next = until;
        if self.waiting > 0 {
            for state in self.clients.values_mut() {
                match state.waits {
                    Some(moment) if state.lost == 0 || moment <= Instant::now() => {
                        out.push(&std::mem::take(&mut state.held));
                        (state.lost, state.waits) = (0, None);
                        self.waiting -= 1;
                    }
                    Some(moment) => next = next.min(moment),
                    None => {}
                }
            }
        }
        next
    }

    /// Prepares for an adapter that was just started.
    fn begin(&mut self) {
        self.events.clear();
        self.clients.clear();
        (self.waiting, self.lines) = (0, 0);
        (self.closes, self.leaving) = (false, None);
    }

    /// Forgets all open requests, as they are lost; the adapter may still send lines about them.
    fn forget(&mut self) {
        let open: Vec<u64> =
            self.clients.iter().filter(|(_, client)| client.is_open).map(|(number, _)| *number).collect();
        open.into_iter().for_each(|client| self.lose(client));
        self.leaving = None;
        for client in self.clients.values_mut() {
            client.held.clear();
            client.is_asked = false;
        }
        self.events.clear();
    }

    /// The failure that a line does not belong to the protocol.
    fn no_line(&self, line: &[u8], why: &str) -> SutFailure {
        let is_object = line.trim_ascii_start().starts_with(b"{");
        let hint = if is_object { "" } else { "; an adapter prints logs to standard error" };
        let what = format!("line {} of the adapter, {}, is none of the protocol: {why}{hint}", self.lines, shown(line));
        SutFailure::new(SutFailureKind::Adapter, what)
    }

    fn too_long(&mut self, begun: &LineBuffer) {
        let why = format!("it has more than {MAX_ANSWER_BYTES} bytes");
        self.lines += 1;
        let failure = self.no_line(begun.rest(), &why);
        self.events.push_back(Err(failure));
    }

    /// The first failure among the events.
    fn failure(&mut self) -> Option<SutFailure> {
        self.events.iter().find_map(|event| event.as_ref().err().cloned())
    }
}
