//! The judge of what passes: events are numbered, recorded and judged, and what no server of the specification does is reported.

use super::apart::RequestsApart;
use super::relay::{Overheard, OverheardKind};
use super::talk::{TalkEvent, WatchedTalk};
use super::window::{EventWindow, HiddenAnswers, WatchedEvent};
use crate::cli::observed;
use crate::cli::terminal::Terminal;
use crate::cli::terminal::exit::Exit;
use mayhap::evidence::Budget;
use mayhap::json::quoted;
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

/// The most events that the reason of a rejection is looked for in.
const LAST: usize = 1_000;
/// The most events that a session keeps, to be saved.
const KEPT: usize = 1 << 14;
/// The most foreign requests that are reported one by one.
const REPORTED: usize = 10;

/// The judge of what passes.
pub struct Watcher {
    spec: Arc<Spec>,
    /// The specification of a server in any state.
    any: Arc<Spec>,
    options: Options,
    session: Session,
    /// The beginning of the paths of the requests that are judged.
    prefix: String,
    /// Set if the session began in any state.
    pub is_of_any: bool,
    apart: RequestsApart,
    window: EventWindow,
    /// The answers that the judge is not shown, and those that the recording does not show.
    hidden: HiddenAnswers,
    unrecorded: HiddenAnswers,
    connections: BTreeMap<u64, WatchedConnection>,
    /// The number of connections, also of watchers before this one, if no two connections are the same client.
    pub connected: u64,
    /// The connections on which something is said that is not understood: nothing is judged while they are there.
    unclear: BTreeSet<u64>,
    /// The requests under way that the specification says nothing of and that may change something, by connection: until they have their
    /// answers, nothing is judged.
    changing: BTreeMap<u64, usize>,
    /// Set if what passes is too much to be judged.
    is_behind: bool,
    /// The number of lines of the recording.
    pub line: u64,
    recording: Option<File>,
    /// Set if the recording could not be written.
    unwritten: Option<io::Error>,
    pub counts: WatchCounts,
    foreign: BTreeSet<String>,
}

/// The numbers of things that were seen.
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
    /// A judge that has seen nothing; `any` is the specification of a server in any state.
    pub fn new((spec, any): (&Arc<Spec>, &Arc<Spec>), options: Options, is_of_any: bool) -> Watcher {
        let begun = if is_of_any { any } else { spec };
        let session = Session::remembering(begun, NetworkChoice::TCP, options.clone(), LAST).keeping(KEPT);
        Watcher {
            spec: spec.clone(),
            any: any.clone(),
            options,
            session,
            prefix: String::new(),
            is_of_any,
            apart: RequestsApart::new(spec),
            window: EventWindow::default(),
            hidden: HiddenAnswers::default(),
            unrecorded: HiddenAnswers::default(),
            connections: BTreeMap::new(),
            connected: 0,
            unclear: BTreeSet::new(),
            changing: BTreeMap::new(),
            is_behind: false,
            line: 1,
            recording: None,
            unwritten: None,
            counts: WatchCounts::default(),
            foreign: BTreeSet::new(),
        }
    }

    /// This judge, which goes on with a session, after a line of the recording and a number of connections.
    pub fn going_on(self, session: Session, (line, connected): (u64, u64)) -> Watcher {
        Watcher { session, line, connected, ..self }
    }

    /// This judge, for requests whose paths begin with a prefix.
    pub fn under(self, prefix: &str) -> Watcher {
        Watcher { prefix: prefix.to_owned(), ..self }
    }

    /// This judge, which writes what it sees to a file.
    pub fn recording(self, recording: Option<File>) -> Watcher {
        Watcher { recording, ..self }
    }

    /// Takes notice of what was heard.
    ///
    /// # Errors
    /// The recording cannot be written; it has ended.
    pub fn hear(&mut self, heard: Overheard, terminal: &mut Terminal) -> io::Result<()> {
        let number = heard.connection;
        if let OverheardKind::Begun(address) = heard.what {
            let taken: BTreeSet<u64> = self.connections.values().map(|connection| connection.client).collect();
            // If the specification asks who its clients are, no two connections are the same one.
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

    /// Takes notice that so much waits to be heard that it is not judged, or no longer.
    pub fn set_behind(&mut self, is_behind: bool, terminal: &mut Terminal) {
        if is_behind && !self.is_behind {
            terminal.complain("more passes than can be judged: some of it is not\n");
        } else if !is_behind && self.is_behind {
            self.begin_again();
        }
        self.is_behind = is_behind;
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
            if is_clear && !self.is_behind {
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
        // Over TCP each event is one that may be observed.
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
            (SessionProgress::Explained | SessionProgress::Lagging(_), _) => {}
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

    /// Why the last event cannot be explained: from any state before the last events, or else from the state that there was.
    fn reason(&mut self) -> Vec<String> {
        let whole = |session: &mut Session| -> SessionEvidence { session.evidence(Budget::seconds(1.0)) };
        let mut of_last = Session::new(&self.any, NetworkChoice::TCP, self.options.clone());
        for event in self.window.events() {
            if matches!(of_last.push(event), Ok(SessionProgress::Rejected(_))) {
                return whole(&mut of_last).explanation;
            }
        }
        whole(&mut self.session).explanation
    }

    fn reject(&mut self, lines: &[String], terminal: &mut Terminal) {
        self.counts.rejections += 1;
        let text: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        terminal.print(&format!("rejection {} at line {}:\n{text}", self.counts.rejections, self.line));
        terminal.flush();
        self.forget(&lines.join(" "));
    }

    /// Goes on from any state, in the recording, too, which says why.
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

    /// Goes on from any state, with the requests that may still be served there.
    fn judge_anew(&mut self, again: Vec<WatchedEvent>) {
        self.hidden = self.window.hidden();
        self.is_of_any = true;
        self.session = Session::remembering(&self.any, NetworkChoice::TCP, self.options.clone(), LAST).keeping(KEPT);
        for event in again {
            _ = self.session.push(event);
        }
    }

    /// The session as a text, with all connections given up.
    ///
    /// # Errors
    /// The recording cannot be written, or the session not be saved.
    pub fn save(&mut self, terminal: &mut Terminal) -> Result<String, String> {
        let open: Vec<u64> = self.connections.keys().copied().collect();
        for connection in open {
            for what in [OverheardKind::ClientEnded, OverheardKind::ServerEnded, OverheardKind::Over] {
                self.hear(Overheard { connection, what }, terminal).map_err(|error| error.to_string())?;
            }
        }
        if self.is_behind {
            self.begin_again();
        }
        self.session.save()
    }

    /// The way in which watching ends.
    pub fn exit(&self) -> Exit {
        match (self.counts.rejections, self.counts.unknown) {
            (0, 0) => Exit::Fine,
            (0, _) => Exit::Inconclusive,
            _ => Exit::Rejected,
        }
    }
}
