//! The work of a server besides answering: sending messages to clients, ending connections, handling their beginning and end, and
//! calling peers.
//!
//! `on Say(text) { for c in room { send c, text; } }` writes a line to each client in the room, after writing it to the trace.
//!
//! A trace has no connection before its first event. So the server handles the beginning of a connection at once only if it then
//! sends a message to the client. Otherwise it does so at the client's first request.

use super::answering::{Answering, SuspendedTask};
use super::connection::{CallEnd, ClientLine};
use super::outbox::{Outbox, TalkingConnection};
use crate::cli::terminal::Terminal;
use mayhap::json::encode;
use mayhap::server::{CallEvent, Departure, Occurrence, PeerOccurrence, Port, SectionDone, SectionStart, Stop};
use mayhap::value::Value;

/// The sections that run at the beginning of a request.
pub struct OpeningSections {
    /// Everything that leaves the server while it handles the beginning of the connection.
    pub before: Vec<Departure>,
    /// The end of the request's first section; `None` if the connection must be handled first.
    pub done: Option<SectionDone>,
}

impl Answering {
    /// Handles a new client.
    ///
    /// # Errors
    /// The trace cannot be written; the message has one line.
    pub fn arrived(&mut self, client: u64, outbox: Outbox, terminal: &mut Terminal) -> Result<(), String> {
        let is_opening = self.server.notices_connections()[0];
        let connection = TalkingConnection { outbox, has_begun: false, is_opening, recorded: None };
        self.connections.insert(client, connection);
        if !is_opening || !self.server.may_begin(client) {
            return Ok(());
        }
        let mark = self.server.mark();
        let noticed = self.server.run(&SectionStart::Opened(Port(client)), &mut self.choices);
        let departures = noticed.and_then(|done| Ok((done, self.server.departures(&mut self.choices)?)));
        let is_told = |departure: &Departure| matches!(departure, Departure::Message(to, _) if *to == client);
        match departures {
            Ok((done, departures)) if departures.iter().any(is_told) => {
                self.set_open(client);
                self.leave(departures, client)?;
                self.noticed(client, &done);
                self.retry(true, terminal)
            }
            _ => {
                self.server.return_to(mark);
                Ok(())
            }
        }
    }

    fn set_open(&mut self, client: u64) {
        if let Some(connection) = self.connections.get_mut(&client) {
            (connection.has_begun, connection.is_opening) = (true, false);
        }
    }

    /// Tests whether the connection of a client has ended.
    pub fn is_gone(&self, client: u64) -> bool {
        self.is_talking && !self.connections.contains_key(&client)
    }

    /// Begins a request, after handling the beginning of its connection if need be.
    ///
    /// # Errors
    /// There is no run, and nothing has happened.
    pub fn begin(&mut self, request: &Value, client: u64) -> Result<OpeningSections, Stop> {
        if !self.connections.get(&client).is_some_and(|connection| connection.is_opening) {
            let done = self.server.run(&SectionStart::Request(Port(client), request.clone()), &mut self.choices)?;
            return Ok(OpeningSections { before: Vec::new(), done: Some(done) });
        }
        let mark = self.server.mark();
        let begun = self.open_and_begin(request, client);
        match &begun {
            Ok(_) => self.set_open(client),
            Err(_) => self.server.return_to(mark),
        }
        begun
    }

    fn open_and_begin(&mut self, request: &Value, client: u64) -> Result<OpeningSections, Stop> {
        let opened = self.server.run(&SectionStart::Opened(Port(client)), &mut self.choices)?;
        let before = self.server.departures(&mut self.choices)?;
        let ends = before.iter().any(|departure| matches!(departure, Departure::End(ended) if *ended == client));
        self.noticed(client, &opened);
        if opened == SectionDone::Suspended || ends {
            return Ok(OpeningSections { before, done: None });
        }
        let done = self.server.run(&SectionStart::Request(Port(client), request.clone()), &mut self.choices)?;
        Ok(OpeningSections { before, done: Some(done) })
    }

    /// Writes a request that was begun to the trace, unless it was written before.
    pub fn record_begun(&mut self, asked: &ClientLine, request: &Value) -> Result<(), String> {
        let connection = self.connections.get_mut(&asked.client);
        let is_recorded = connection.is_some_and(|connection| {
            connection.has_begun = true;
            connection.recorded.replace(asked.line) == Some(asked.line)
        });
        match &mut self.record {
            Some(record) if !is_recorded => record.begun(&self.spec, asked.client, request),
            _ => Ok(()),
        }
    }

    /// Notes that the server has handled the beginning or the end of a connection, or has begun to.
    fn noticed(&mut self, client: u64, done: &SectionDone) {
        if *done == SectionDone::Suspended {
            self.suspended.push(SuspendedTask::notice(client));
        }
    }

    /// Handles the departure of a client: the server handles the end of its connection, and waiting requests are tried again.
    ///
    /// # Errors
    /// As for [`Answering::arrived`].
    pub fn left(&mut self, client: u64, terminal: &mut Terminal) -> Result<(), String> {
        self.waiting.retain(|line| line.client != client);
        if let Some(connection) = self.connections.remove(&client)
            && connection.has_begun
        {
            self.note(&Occurrence::Lost(client))?;
            self.end_connection(client);
        }
        self.retry(true, terminal)
    }

    fn end_connection(&mut self, client: u64) {
        if self.server.notices_connections()[1] {
            self.leaving.push(client);
        }
    }

    /// Lets the server handle connections that have ended; returns whether something has happened.
    pub fn take_leave(&mut self, terminal: &mut Terminal) -> Result<bool, String> {
        let mut is_news = false;
        for client in std::mem::take(&mut self.leaving) {
            if !self.server.may_begin(client) {
                self.leaving.push(client);
                continue;
            }
            match self.server.run(&SectionStart::Left(Port(client)), &mut self.choices) {
                Ok(done) => {
                    self.noticed(client, &done);
                    self.depart(client, terminal)?;
                    is_news = true;
                }
                Err(Stop::Stuck(_)) => self.leaving.push(client),
                Err(stop) => _ = self.refuse(&stop, terminal),
            }
        }
        Ok(is_news)
    }

    /// Sends everything that the last sections send, first the messages to the client that they are about.
    ///
    /// # Errors
    /// As for [`Answering::arrived`].
    pub fn depart(&mut self, first: u64, terminal: &mut Terminal) -> Result<(), String> {
        match self.server.departures(&mut self.choices) {
            Ok(departures) => self.leave(departures, first),
            Err(stop) => {
                _ = self.refuse(&stop, terminal);
                Ok(())
            }
        }
    }

    /// Writes everything that leaves the server to the trace, and sends it.
    ///
    /// # Errors
    /// As for [`Answering::arrived`].
    pub fn leave(&mut self, mut departures: Vec<Departure>, first: u64) -> Result<(), String> {
        departures.sort_by_key(|departure| !matches!(departure, Departure::Message(to, _) if *to == first));
        for departure in departures {
            match departure {
                Departure::Message(client, message) => self.inform(client, &message)?,
                Departure::End(client) => {
                    if let Some(connection) = self.connections.remove(&client) {
                        self.note(&Occurrence::Closed(client))?;
                        connection.outbox.stop_reading();
                        self.waiting.retain(|line| line.client != client);
                        self.end_connection(client);
                    }
                }
                Departure::Call { exchange, peer, key, request, .. } => {
                    let event = CallEvent::Called(key.clone(), request.clone());
                    self.note(&Occurrence::Peer(PeerOccurrence { peer, exchange, event }))?;
                    self.peers.call(exchange, peer, &key, &request);
                }
            }
        }
        Ok(())
    }

    /// Sends a message to a client, if it is connected.
    pub fn inform(&mut self, client: u64, message: &Value) -> Result<(), String> {
        if !self.connections.contains_key(&client) {
            return Ok(());
        }
        self.note(&Occurrence::Answered(client, message.clone()))?;
        if let Some(connection) = self.connections.get_mut(&client) {
            connection.has_begun = true;
            connection.outbox.put(encode(&self.spec.types, self.spec.program.response, message));
        }
        Ok(())
    }

    /// Writes an event to the trace, if there is one.
    fn note(&mut self, occurrence: &Occurrence) -> Result<(), String> {
        self.record.as_mut().map_or(Ok(()), |record| record.event(&self.spec, occurrence))
    }

    /// Handles the end of a call.
    ///
    /// # Errors
    /// As for [`Answering::arrived`].
    pub fn call_ended(&mut self, end: CallEnd, terminal: &mut Terminal) -> Result<(), String> {
        let (exchange, peer) = (end.exchange, end.peer);
        let (answer, why) = self.peers.answer(end);
        if let Some(why) = why {
            terminal.complain(&format!("warning: {why}\n"));
        }
        let event = CallEvent::ended(answer.clone());
        self.note(&Occurrence::Peer(PeerOccurrence { peer, exchange, event }))?;
        self.server.answer_call(exchange, answer);
        self.retry(true, terminal)
    }
}
