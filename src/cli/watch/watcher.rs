//! The judge of live traffic. It numbers, records and judges events, and reports what no server of the specification does.

use super::demultiplexer::Demultiplexer;
use super::relay::{Overheard, OverheardKind};
use super::talk::{TalkEvent, WatchedTalk};
use super::window::{EventWindow, HiddenAnswers, WatchedEvent};
use crate::cli::observed;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use mayhap::evidence::Budget;
use mayhap::json::quoted;
use mayhap::limits::end;
use mayhap::network::NetworkChoice;
use mayhap::session::SessionEvidence;
use mayhap::trace::{EventKind, TraceEvent};
use mayhap::value::Value;
use mayhap::{Options, Session, SessionProgress, Spec, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The most last events in which the reason of a rejection is searched.
const LAST: usize = 1_000;
/// The time for the reason of a rejection.
const REASON: Duration = Duration::from_secs(1);
/// The most events that a session keeps for being saved.
const KEPT: usize = 1 << 14;
/// The most foreign requests that are reported one by one.
const REPORTED: usize = 10;

/// The judge of live traffic.
pub struct Watcher {
    spec: Arc<Spec>,
    /// The specification of a server in any state.
    any: Arc<Spec>,
    options: Options,
    session: Session,
    /// The prefix of the paths of judged requests.
    prefix: String,
    /// Set if the session began from any state.
    pub is_of_any: bool,
    apart: Demultiplexer,
    window: EventWindow,
    /// The answers that are hidden from the judge, and the ones that are hidden in the recording.
    hidden: HiddenAnswers,
    unrecorded: HiddenAnswers,
    connections: BTreeMap<u64, WatchedConnection>,
    /// The number of connections, including those of earlier watchers, if each connection counts as another client.
    pub connected: u64,
    /// The connections that are not understood. Nothing is judged as long as they are open.
    unclear: BTreeSet<u64>,
    /// The number of requests under way, by connection, that the specification does not describe and that may change the state.
    /// Nothing is judged until they are answered.
    changing: BTreeMap<u64, usize>,
    /// Set if there is too much traffic to be judged.
    is_overloaded: bool,
    /// The number of lines in the recording.
    pub line: u64,
    recording: Option<File>,
    /// The error, if the recording could not be written.
    unwritten: Option<io::Error>,
    pub counts: WatchCounts,
    foreign: BTreeSet<String>,
}

/// The counts for the summary.
#[derive(Default)]
pub struct WatchCounts {
    pub events: u64,
    pub rejections: u64,
    pub unknown: u64,
    pub foreign: u64,
}

struct WatchedConnection {
    client: u64,
    address: SocketAddr,
    talk: WatchedTalk,
}

impl Watcher {
    /// A judge without events; `any` is the specification of a server in any state.
    pub fn new(spec: &Arc<Spec>, any: &Arc<Spec>, options: Options, is_of_any: bool) -> Watcher {
        let begun = if is_of_any { any } else { spec };
        let session = Session::remembering(begun, NetworkChoice::TCP, options.clone(), LAST).keeping(KEPT);
        Watcher {
            spec: spec.clone(),
            any: any.clone(),
            options,
            session,
            prefix: String::new(),
            is_of_any,
            apart: Demultiplexer::new(spec),
            window: EventWindow::default(),
            hidden: HiddenAnswers::default(),
            unrecorded: HiddenAnswers::default(),
            connections: BTreeMap::new(),
            connected: 0,
            unclear: BTreeSet::new(),
            changing: BTreeMap::new(),
            is_overloaded: false,
            line: 1,
            recording: None,
            unwritten: None,
            counts: WatchCounts::default(),
            foreign: BTreeSet::new(),
        }
    }

    /// The judge with a session that continues, after this line of the recording and this number of connections.
    pub fn recovery(self, session: Session, line: u64, connected: u64) -> Watcher {
        Watcher { session, line, connected, ..self }
    }

    /// The judge for requests whose paths begin with a prefix.
    pub fn under(self, prefix: &str) -> Watcher {
        Watcher { prefix: prefix.to_owned(), ..self }
    }

    /// The judge with a file for its recording.
    pub fn recording(self, recording: Option<File>) -> Watcher {
        Watcher { recording, ..self }
    }

    /// Handles a message from the relay.
    ///
    /// # Errors
    /// The recording cannot be written, and has ended.
    pub fn hear(&mut self, heard: Overheard, terminal: &mut Terminal) -> io::Result<()> {
        let number = heard.connection;
        if let OverheardKind::Begun(address) = heard.what {
            let taken: BTreeSet<u64> = self.connections.values().map(|connection| connection.client).collect();
            // If the specification asks for its clients, each connection is another client.
            let free = || (1..).find(|client| !taken.contains(client)).unwrap_or_default();
            let client = match self.spec.program.names_clients {
                true => {
                    self.connected += 1;
                    self.connected
                }
                false => free(),
            };
            let talk = WatchedTalk::new(&self.spec, &self.prefix);
            self.connections.insert(number, WatchedConnection { client, address, talk });
            return Ok(());
        }
        let Some(connection) = self.connections.get_mut(&number) else { return Ok(()) };
        let (client, talk) = (connection.client, &mut connection.talk);
        let mut said = Vec::new();
        match heard.what {
            OverheardKind::Begun(_) => {}
            OverheardKind::Asked(bytes) => talk.take_asked(&bytes, &mut said),
            OverheardKind::Answered(bytes) => talk.take_answered(&bytes, &mut said),
            OverheardKind::ClientEnded => talk.client_ended(),
            OverheardKind::ServerEnded => talk.server_ended(&mut said),
            OverheardKind::Unreachable(error) => {
                terminal.complain(&format!("{}: the server takes no connection: {error}\n", connection.address));
            }
            OverheardKind::Over => {
                self.connections.remove(&number);
                if self.unclear.remove(&number) | self.changing.remove(&number).is_some() {
                    self.forget("something on a connection that has ended was not understood, or not answered");
                }
            }
        }
        let address = self.connections.get(&number).map(|connection| connection.address);
        for said in said {
            match said {
                TalkEvent::Event(kind) => self.observe(client, kind, terminal),
                TalkEvent::Foreign(what, may_change) => {
                    self.foreign(&what, may_change, terminal);
                    if may_change {
                        *self.changing.entry(number).or_default() += 1;
                    }
                }
                TalkEvent::ForeignOver => {
                    let under_way = self.changing.entry(number).or_default();
                    *under_way = under_way.saturating_sub(1);
                    if *under_way == 0 {
                        self.changing.remove(&number);
                    }
                    self.forget("a request that the specification says nothing of");
                }
                TalkEvent::Wrong(what) => {
                    let lines = [what];
                    self.reject(&lines, terminal);
                }
                TalkEvent::Unclear(why) => {
                    let address = address.map(|address| format!("{address}: ")).unwrap_or_default();
                    terminal.complain(&format!("{address}{why}; nothing is judged until this connection ends\n"));
                    self.unclear.insert(number);
                }
            }
        }
        self.unwritten.take().map_or(Ok(()), Err)
    }

    /// Tests whether something passes that is not judged.
    pub fn is_overloaded(&self) -> bool {
        self.is_overloaded
    }

    /// Notes whether too many bytes wait, so that they are not judged.
    pub fn set_overloaded(&mut self, is_overloaded: bool, terminal: &mut Terminal) {
        if is_overloaded && !self.is_overloaded {
            terminal.complain("more passes than can be judged: some of it is not\n");
        } else if !is_overloaded && self.is_overloaded {
            self.begin_again();
        }
        self.is_overloaded = is_overloaded;
    }

    fn observe(&mut self, client: u64, kind: EventKind<Value>, terminal: &mut Terminal) {
        self.counts.events += 1;
        let is_clear = self.unclear.is_empty() && self.changing.is_empty();
        for event in self.apart.take(TraceEvent { line: 0, client: Some(client), kind }) {
            let recorded = self.unrecorded.shown(event.clone());
            if is_clear {
                self.record(&recorded);
            }
            let event = TraceEvent { line: self.line, ..event };
            self.window.push(event.clone(), LAST);
            let event = self.hidden.shown(event);
            if is_clear && !self.is_overloaded {
                self.judge(event, terminal);
            }
        }
    }

    /// Writes an event to the recording.
    fn record(&mut self, event: &WatchedEvent) {
        let mut line = String::new();
        observed::write_seen(&mut line, &self.spec, event);
        self.record_line(&line);
    }

    fn record_line(&mut self, line: &str) {
        self.line += 1;
        if let Some(file) = &mut self.recording
            && let Err(error) = file.write_all(format!("{line}\n").as_bytes())
        {
            (self.recording, self.unwritten) = (None, Some(error));
        }
    }

    fn judge(&mut self, event: WatchedEvent, terminal: &mut Terminal) {
        // Over TCP every event can be observed.
        let Ok(progress) = self.session.push(event) else { return };
        match (progress, self.session.verdict()) {
            (SessionProgress::Rejected(_), _) => {
                let lines = self.reason();
                self.reject(&lines, terminal);
            }
            (SessionProgress::Unknown(doubt), _) => {
                if self.counts.unknown == 0 {
                    let line = self.line;
                    terminal.complain(&format!("line {line}: it is not known whether this is explained: {doubt}\n"));
                }
                self.counts.unknown += 1;
            }
            (_, Verdict::Outside { .. } | Verdict::Fault(_)) => {
                let lines = self.session.evidence(Budget::seconds(1.0)).explanation;
                terminal.complain(&format!(
                    "line {}: {}; judging goes on from any state\n",
                    self.line,
                    lines.join("; ")
                ));
                self.forget(&lines.join("; "));
            }
            _ => {}
        }
    }

    fn foreign(&mut self, what: &str, may_change: bool, terminal: &mut Terminal) {
        self.counts.foreign += 1;
        if self.foreign.len() < REPORTED && self.foreign.insert(what.to_owned()) {
            let then = if may_change { "; judging goes on from any state" } else { "" };
            terminal.complain(&format!("passed on, not judged: {what}{then}\n"));
        }
        if may_change {
            self.begin_again();
        }
    }

    /// The explanation why the last event is rejected: from any state before the last events, or else from the whole session.
    fn reason(&mut self) -> Vec<String> {
        // Nothing is judged meanwhile.
        let _end = end::within(REASON);
        let whole = |session: &mut Session| -> SessionEvidence { session.evidence(Budget::seconds(1.0)) };
        let mut of_last = Session::new(&self.any, NetworkChoice::TCP, self.options.clone());
        let of_window = end::within(REASON / 2);
        for event in self.window.events() {
            if matches!(of_last.push(event), Ok(SessionProgress::Rejected(_))) {
                drop(of_window);
                return whole(&mut of_last).explanation;
            }
        }
        drop(of_window);
        whole(&mut self.session).explanation
    }

    fn reject(&mut self, lines: &[String], terminal: &mut Terminal) {
        self.counts.rejections += 1;
        let text: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        terminal.print(&format!("rejection {} at line {}:\n{text}", self.counts.rejections, self.line));
        terminal.flush();
        self.forget(&lines.join(" "));
    }

    /// Goes on from any state, and writes this to the recording, with the reason.
    fn forget(&mut self, why: &str) {
        self.window.clear();
        self.record_line(&format!("{{\"restart\": true, \"note\": {}}}", quoted(why)));
        self.unrecorded = self.window.hidden();
        let mut again = Vec::new();
        for event in self.window.events() {
            self.record(&event);
            again.push(TraceEvent { line: self.line, ..event });
        }
        self.judge_anew(again);
    }

    /// Goes on from any state.
    fn begin_again(&mut self) {
        self.window.clear();
        self.judge_anew(self.window.events());
    }

    /// Goes on from any state, with these events of requests that may still be served.
    fn judge_anew(&mut self, again: Vec<WatchedEvent>) {
        self.hidden = self.window.hidden();
        self.is_of_any = true;
        self.session = Session::remembering(&self.any, NetworkChoice::TCP, self.options.clone(), LAST).keeping(KEPT);
        for event in again {
            _ = self.session.push(event);
        }
    }

    /// Ends all connections, and returns the session as a text.
    ///
    /// # Errors
    /// The recording cannot be written, or the session cannot be saved.
    pub fn save(&mut self, terminal: &mut Terminal) -> Result<String, String> {
        let open: Vec<u64> = self.connections.keys().copied().collect();
        for connection in open {
            for what in [OverheardKind::ClientEnded, OverheardKind::ServerEnded, OverheardKind::Over] {
                self.hear(Overheard { connection, what }, terminal).map_err(|error| error.to_string())?;
            }
        }
        if self.is_overloaded {
            self.begin_again();
        }
        self.session.save()
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match (self.counts.rejections, self.counts.unknown) {
            (0, 0) => Exit::Fine,
            (0, _) => Exit::Inconclusive,
            _ => Exit::Rejected,
        }
    }
}
