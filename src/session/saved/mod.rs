//! A session as a text, from which another process can continue it.
//!
//! ```text
//! {"mayhap_session":1,"by":"0.1.0","spec":"kv","specification":"9f3a…","net":"tcp","line":40,"content":"07c1…"}
//! {"start":null,"lines":[1,2,…,40]}                       the state before the first event, and the lines of the events
//! {"c": 1, "q": {"Put": {"key": "a", "value": 1}}}        the events, which are judged again
//! ```
//!
//! The text of a short session has all events. The text of a long session has the state after an event at which nothing was under
//! way, with symbolic values and their constraints, and the events since.

mod terms;
mod values;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Session;
use super::engine::{EngineCheckpoint, SessionEngine};
use super::kept::SavedEvents;
use super::recovery::{NotedParts, Recovery, UnknownPart};
use crate::json;
use crate::judge::{Judge, Options, QuiescentFrontier, QuiescentState};
use crate::network::NetworkChoice;
use crate::reading::{Events, Numbering, NumberingParts};
use crate::search::IdleHistory;
use crate::spec::{Spec, TypeId};
use crate::trace::{EventKind, PeerEvent, PeerMessage, Response, TraceEvent, TraceFormat};
use crate::value::Value;
use values::{SavedTables, TableReader, TableWriter};

/// The version of the format.
const VERSION: u32 = 2;
/// The version of mayhap. Another version may compile a specification to other states, so its sessions are not read.
const OWN: &str = env!("CARGO_PKG_VERSION");

/// The first line of the text.
#[derive(Serialize, Deserialize)]
struct SavedHeader {
    mayhap_session: u32,
    by: String,
    spec: String,
    specification: String,
    net: String,
    /// The line of the last event.
    line: u64,
    content: String,
}

/// The second line of the text.
#[derive(Serialize, Deserialize)]
struct SavedContent {
    start: Option<SavedCheckpoint>,
    lines: Vec<u64>,
}

/// The state of an engine at a moment when nothing was under way.
#[derive(Serialize, Deserialize)]
struct SavedCheckpoint {
    tables: SavedTables,
    engine: SavedEngine,
    noted: SavedNotes,
}

#[derive(Serialize, Deserialize)]
enum SavedEngine {
    Exchanges(SavedFrontier),
    Order {
        judge: SavedFrontier,
        keys: Option<Vec<(Option<u32>, SavedFrontier)>>,
        clients: Vec<(u64, u64)>,
        last_client: u64,
    },
    Network(SavedFrontier, NumberingParts),
}

#[derive(Serialize, Deserialize)]
struct SavedFrontier {
    event: u64,
    last: u64,
    states: Vec<SavedState>,
    connections: Vec<(u64, usize)>,
}

/// The memory, the expanded parts of unknown values, and the constraints on variables.
#[derive(Serialize, Deserialize)]
struct SavedState(Vec<u32>, Vec<(u64, u32)>, Vec<u32>);

#[derive(Serialize, Deserialize)]
struct SavedNotes {
    parts: Vec<UnknownPart>,
    since: usize,
    patience: usize,
    restarted: bool,
    began: Option<u64>,
    asked: Vec<u32>,
    under_way: Vec<(u64, Vec<(u32, bool)>)>,
    lost: Vec<u32>,
}

impl Session {
    /// Saves the session as a text, from which [`Session::resume`] continues it. Its length is limited like the memory of the
    /// session.
    ///
    /// ```
    /// use mayhap::{Options, Session, SessionProgress, Spec};
    /// let spec = Spec::from_text("protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }")?;
    /// let mut session = Session::tcp(&spec, Options::default());
    /// session.push_line(r#"{"c": 1, "q": 2}"#)?;
    /// let saved: String = session.save()?;
    /// let mut session = Session::resume(&spec, Options::default(), &saved)?;
    /// assert_eq!(session.push_line(r#"{"c": 1, "a": 3}"#)?, SessionProgress::Rejected(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The session is too long to be saved as all of its events, and at no moment since was nothing under way.
    pub fn save(&self) -> Result<String, String> {
        let unsaved = || "the session cannot be saved now: too many events were observed since nothing was under way";
        let (start, events) = match self.events.saved() {
            SavedEvents::All(events) => (None, events),
            SavedEvents::Since(checkpoint, events) => match self.engine.checkpoint() {
                Some(now) => (Some(written(&now)), &[][..]),
                None => (Some(written(checkpoint.ok_or_else(unsaved)?)), events),
            },
        };
        let start = start.map(|start| start.ok_or_else(unsaved)).transpose()?;
        let lines = events.iter().map(|event| event.line).collect();
        let mut content = json::line(&SavedContent { start, lines }).map_err(|error| error.to_string())?;
        content.push('\n');
        for event in events {
            let event = typed(&self.spec, event).ok_or("an event cannot be saved: it has no line of a trace")?;
            event.write(&mut content, &mut |out, (ty, value)| json::encode_into(out, &self.spec.types, *ty, value));
            content.push('\n');
        }
        let header = SavedHeader {
            mayhap_session: VERSION,
            by: OWN.to_owned(),
            spec: self.spec.program.name.clone(),
            specification: digest(&self.spec.canonical_text()),
            net: self.net.to_string(),
            line: self.number,
            content: digest(&content),
        };
        Ok(json::line(&header).map_err(|error| error.to_string())? + "\n" + &content)
    }

    /// Continues the session that was saved as a text. If the text does not have all events, evidence says less about the earlier
    /// ones.
    ///
    /// # Errors
    /// The text is no saved session, or one of another specification or another version of mayhap.
    pub fn resume(spec: &Arc<Spec>, options: Options, saved: &str) -> Result<Session, String> {
        let broken = || "this is no saved session, or it is broken".to_owned();
        let (first, content) = saved.split_once('\n').ok_or_else(broken)?;
        let header: SavedHeader = json::from_line(first).map_err(|_| broken())?;
        let is_own = header.mayhap_session == VERSION && header.by == OWN;
        if !is_own {
            let (form, by) = (header.mayhap_session, header.by);
            return Err(format!(
                "the session was saved by mayhap {by}, in version {form} of the form; this is mayhap {OWN}, which reads version {VERSION}"
            ));
        }
        if header.specification != digest(&spec.canonical_text()) {
            let (other, own) = (header.spec, &spec.program.name);
            return Err(match other == *own {
                true => format!("the session was saved for another text of the specification `{own}`"),
                false => format!("the session was saved for another specification, `{other}`; this one is `{own}`"),
            });
        }
        if header.content != digest(content) {
            return Err(broken());
        }
        let net: NetworkChoice = header.net.parse()?;
        let (content, events) = content.split_once('\n').ok_or_else(broken)?;
        let content: SavedContent = json::from_line(content).map_err(|_| broken())?;
        let mut session = match content.start {
            None => Session::new(spec, net, options),
            Some(checkpoint) => {
                let checkpoint = read(checkpoint, spec, net, &options).ok_or_else(broken)?;
                Session::at_checkpoint((spec, net), options, checkpoint).ok_or_else(broken)?
            }
        };
        let mut read = Events::open(spec, events.as_bytes(), TraceFormat::Ndjson, Default::default());
        for line in content.lines {
            let event = read.next_event().map_err(|error| error.to_string())?.ok_or_else(broken)?;
            session.push(TraceEvent { line, ..event }).map_err(|why| why.to_string())?;
        }
        session.number = header.line;
        Ok(session)
    }
}

/// A digest of a text (FNV-1a), which does not depend on the machine.
fn digest(text: &str) -> String {
    let step = |hash: u64, octet: u8| (hash ^ u64::from(octet)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// A checkpoint in the format of the text; `None` if an unknown part was open.
fn written((engine, recovery): &(EngineCheckpoint, Recovery)) -> Option<SavedCheckpoint> {
    let mut tables = TableWriter::default();
    let engine = match engine {
        EngineCheckpoint::Exchanges(judge) => SavedEngine::Exchanges(frontier(judge, &mut tables)?),
        EngineCheckpoint::Network(judge, numbering) => {
            SavedEngine::Network(frontier(judge, &mut tables)?, numbering.parts()?)
        }
        EngineCheckpoint::Order(IdleHistory { judge, keys, clients, last_client }) => {
            let judge = frontier(judge, &mut tables)?;
            let key = |(key, judge): &(Option<Value>, Judge)| {
                Some((key.as_ref().map(|key| tables.value(key)), frontier(judge, &mut tables)?))
            };
            let keys = match keys {
                Some(keys) => Some(keys.iter().map(key).collect::<Option<Vec<_>>>()?),
                None => None,
            };
            SavedEngine::Order { judge, keys, clients: clients.clone(), last_client: *last_client }
        }
    };
    let NotedParts { parts, since, patience, restarted, began, asked, under_way, lost } = recovery.noted();
    let waiting = |(connection, waiting): (u64, Vec<(Value, bool)>)| {
        let waiting = waiting.iter().map(|(request, is_before)| (tables.value(request), *is_before));
        (connection, waiting.collect())
    };
    let under_way = under_way.into_iter().map(waiting).collect();
    let (asked, lost) = (tables.all(&asked), tables.all(&lost));
    let noted = SavedNotes { parts, since, patience, restarted, began, asked, under_way, lost };
    Some(SavedCheckpoint { tables: tables.finish(), engine, noted })
}

fn frontier(judge: &Judge, tables: &mut TableWriter) -> Option<SavedFrontier> {
    let QuiescentFrontier { event, last, states, connections } = QuiescentFrontier::of(judge)?;
    let state = |QuiescentState { memory, seen, constraints }: QuiescentState| {
        let seen = seen.iter().map(|(id, value)| (*id, tables.value(value))).collect();
        SavedState(tables.all(&memory), seen, constraints.iter().map(|term| tables.term(term)).collect())
    };
    Some(SavedFrontier { event, last, states: states.into_iter().map(state).collect(), connections })
}

/// The checkpoint that was saved; `None` if it does not fit the specification.
fn read(
    saved: SavedCheckpoint,
    spec: &Arc<Spec>,
    net: NetworkChoice,
    options: &Options,
) -> Option<(EngineCheckpoint, Recovery)> {
    let tables = TableReader::of(&saved.tables)?;
    let SavedNotes { parts, since, patience, restarted, began, asked, under_way, lost } = saved.noted;
    let waiting = |(connection, waiting): (u64, Vec<(u32, bool)>)| {
        let waiting = waiting.into_iter().map(|(request, is_before)| Some((tables.value(request)?, is_before)));
        Some((connection, waiting.collect::<Option<Vec<_>>>()?))
    };
    let under_way = under_way.into_iter().map(waiting).collect::<Option<Vec<_>>>()?;
    let (asked, lost) = (tables.all(&asked)?, tables.all(&lost)?);
    let noted = NotedParts { parts, since, patience, restarted, began, asked, under_way, lost };
    let recovery = SessionEngine::noting(spec, net).noting(noted)?;
    let own = match recovery.any() {
        Some(any) => any.clone(),
        None => spec.clone(),
    };
    let judge = |saved: SavedFrontier, own: &Arc<Spec>| {
        let SavedFrontier { event, last, states, connections } = saved;
        let state = |SavedState(memory, seen, constraints): SavedState| {
            let seen = seen.into_iter().map(|(id, value)| Some((id, tables.value(value)?)));
            Some(QuiescentState {
                memory: tables.all(&memory)?,
                seen: seen.collect::<Option<_>>()?,
                constraints: constraints.into_iter().map(|term| tables.term(term)).collect::<Option<_>>()?,
            })
        };
        let states = states.into_iter().map(state).collect::<Option<Vec<_>>>()?;
        QuiescentFrontier { event, last, states, connections }.judge(own, options.clone())
    };
    let engine = match saved.engine {
        SavedEngine::Exchanges(saved) => EngineCheckpoint::Exchanges(judge(saved, &own)?),
        SavedEngine::Network(saved, numbering) => {
            EngineCheckpoint::Network(judge(saved, &own.for_networks())?, Numbering::of_parts(numbering))
        }
        SavedEngine::Order { judge: all, keys, clients, last_client } => {
            let key = |(key, saved): (Option<u32>, SavedFrontier)| {
                let key = match key {
                    Some(key) => Some(tables.value(key)?),
                    None => None,
                };
                Some((key, judge(saved, &own)?))
            };
            let keys = match keys {
                Some(keys) => Some(keys.into_iter().map(key).collect::<Option<Vec<_>>>()?),
                None => None,
            };
            EngineCheckpoint::Order(IdleHistory { judge: judge(all, &own)?, keys, clients, last_client })
        }
    };
    Some((engine, recovery))
}

/// An event with the types of its values, for a line that is read as the same event; `None` if there is no such line.
fn typed<'e>(spec: &Spec, event: &'e TraceEvent<Value>) -> Option<TraceEvent<(TypeId, &'e Value)>> {
    let program = &spec.program;
    let (request, response) = (program.request, program.response);
    let mut client = event.client.or(Some(1));
    let kind = match &event.kind {
        EventKind::Request(query) => EventKind::Request((request, query)),
        EventKind::Answer(answer) => EventKind::Answer((response, answer)),
        EventKind::Lost => EventKind::Lost,
        EventKind::Closed => EventKind::Closed,
        EventKind::Left => EventKind::Left,
        EventKind::Restart => {
            client = None;
            EventKind::Restart
        }
        EventKind::Exchange { query, reply } => {
            let reply = match reply {
                Response::Answer(answer) => Response::Answer((response, answer)),
                Response::Lost => Response::Lost,
                Response::NotOwed => {
                    // With a client the line would be read as a request that waits for its answer.
                    client.take_if(|client| *client == 1)?;
                    Response::NotOwed
                }
            };
            EventKind::Exchange { query: (request, query), reply }
        }
        EventKind::Peer(PeerEvent { peer: name, key, exchange, message }) => {
            client = None;
            let peer = program.peers.iter().find(|peer| peer.name == *name)?;
            let message = match message {
                PeerMessage::Call(query) => PeerMessage::Call((peer.request, query)),
                PeerMessage::Answer(answer) => PeerMessage::Answer((peer.response, answer)),
                PeerMessage::Sent(answer) => PeerMessage::Sent((peer.response, answer)),
                PeerMessage::Lost => PeerMessage::Lost,
            };
            let key = match key {
                Some(key) => Some((peer.key?, key)),
                None => None,
            };
            EventKind::Peer(PeerEvent { peer: name.clone(), key, exchange: *exchange, message })
        }
    };
    Some(TraceEvent { line: event.line, client, kind })
}
